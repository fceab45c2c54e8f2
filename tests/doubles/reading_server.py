"""A server whose model reads what arrives of a prompt: it repeats marks and copies, as well as it is told to, and the
server cuts, counts and caches as it is told to. For behaviours that no local model or engine shows on demand."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.doubles.fault_server import said as fault

from longreach.models.tokenizers import get_tokenizer

MARK = re.compile(r"\[mark \d+: (\d{6})\]")
TEMPLATE = 11
"""Tokens that the chat template adds."""


class Read(NamedTuple):
    """A mark that arrived."""

    code: str
    place: float
    """Share of the prompt before it."""
    token: int
    """Tokens before it,"""
    of: int
    """of how many that arrived."""


@cache
def _tokenizer() -> Any:
    return get_tokenizer("llama3")


def tokens_of(text: str) -> list[bytes]:
    """The text's tokens by another tokenizer than the benchmark's."""
    data = text.encode()
    ends = [0, *(int(end) for end in _tokenizer().boundaries([text])[0])]
    return [data[start:end] for start, end in pairwise(ends)]


def cut_to(window: int, keeps: str) -> Callable[[list[bytes]], list[bytes]]:
    """A server that cuts longer prompts to its window."""

    def cut(tokens: list[bytes]) -> list[bytes]:
        if len(tokens) <= window:
            return tokens
        if keeps == "start":
            return tokens[:window]
        if keeps == "end":
            return tokens[-window:]
        return [*tokens[: window // 2], *tokens[-(window - window // 2) :]]

    return cut


def cut_by(share: float, keeps: str) -> Callable[[list[bytes]], list[bytes]]:
    """A server that cuts every prompt to a share of it."""
    return lambda tokens: cut_to(round(share * len(tokens)), keeps)(tokens)


def whole(tokens: list[bytes]) -> list[bytes]:
    """A server that cuts nothing."""
    return tokens


def remembers(marks: list[Read]) -> list[Read]:
    """A model that repeats every mark it reads."""
    return marks


@dataclass
class Reading:
    """One server with one model. `answer` replies to prompts that ask for no marks."""

    arrives: Callable[[list[bytes]], list[bytes]] = whole
    recalls: Callable[[list[Read]], list[Read]] = remembers
    counts: Callable[[int, int], int | None] = lambda sent, arrived: arrived  # noqa: ARG005
    """Tokens that it reports, of those sent and arrived; None: no usage."""
    answer: Callable[[Asked], Reply] = lambda _: Reply(text="Question 1: nothing")
    pages: dict[str, bytes] = field(default_factory=dict)
    """What it says of itself."""
    refuses: int | None = None
    """Tokens above which it refuses."""
    asked: list[tuple[int, int]] = field(default_factory=list)
    """Tokens sent and arrived per request."""

    def __call__(self, asked: Asked) -> Reply:
        tokens = tokens_of(asked.prompt)
        if self.refuses is not None and len(tokens) > self.refuses:
            return fault(f"This model's maximum context length is {self.refuses} tokens. You requested {len(tokens)}.")
        left = self.arrives(tokens)
        self.asked.append((len(tokens), len(left)))
        text = b"".join(left).decode(errors="replace")
        counted = self.counts(len(tokens) + TEMPLATE, len(left) + TEMPLATE)
        if "every line of the form" in asked.prompt or "every such line" in asked.prompt:
            found = [match for match in MARK.finditer(text) if match[1] != "123456"]
            shares = [match.start() / len(text) for match in found]
            marks = [
                Read(match[1], share, round(share * len(left)), len(left))
                for match, share in zip(found, shares, strict=True)
            ]
            reply = Reply(text="\n".join(mark.code for mark in self.recalls(marks)) or "There are none.")
        else:
            reply = self.answer(asked)
        reply.prompt_tokens = counted if counted is not None else 0
        if counted is None:
            body = json.loads(reply.body())
            del body["usage"]
            reply.raw = json.dumps(body).encode()
        return reply

    def serve(self) -> ChatServer:
        """The server, on loopback."""
        return ChatServer(self, pages=self.pages)


def props(window: int) -> dict[str, bytes]:
    """What llama.cpp's server says of its window."""
    return {"/props": json.dumps({"default_generation_settings": {"n_ctx": window}}).encode()}


def models(window: int, name: str = "double") -> dict[str, bytes]:
    """What vLLM says of its window."""
    return {"/v1/models": json.dumps({"data": [{"id": name, "max_model_len": window}]}).encode()}


def forgets(seed: int, recall: Callable[[Read], float]) -> Callable[[list[Read]], list[Read]]:
    """A model that repeats each mark with a chance that depends on where it stands."""
    chance = random.Random(seed)
    return lambda marks: [mark for mark in marks if chance.random() < recall(mark)]


def logistic(far: float, middle: float, width: float) -> float:
    """Falls from 1 to 0 around the middle."""
    return float(1 / (1 + np.exp(np.clip((far - middle) / width, -50, 50))))


LATER = "Copy the line that is not complete:"


@dataclass
class Copying(Reading):
    """A server whose model completes lines that it has read, raw or in a chat, and what an engine gets wrong."""

    chat_only: bool = False
    wrong: Callable[[int], bool] = lambda tokens: False  # noqa: ARG005
    """The lengths at which the engine writes something else."""
    shared: Callable[[Asked], str] = lambda asked: asked.sha256
    """What its cache takes for the same request."""
    drops_system: bool = False
    cached: dict[str, Reply] = field(default_factory=dict)

    def __call__(self, asked: Asked) -> Reply:
        if asked.path.endswith("/tokenize"):
            return Reply("no such path", status=404)
        if self.chat_only and not asked.path.endswith("/chat/completions"):
            return Reply("no such path", status=404)
        key = self.shared(asked)
        if key not in self.cached:
            self.cached[key] = self._read(asked)
        return self.cached[key]

    def _read(self, asked: Asked) -> Reply:
        said = asked.body.get("messages") or [{"role": "user", "content": asked.body["prompt"]}]
        system = "" if self.drops_system else "".join(each["content"] for each in said if each["role"] == "system")
        tokens = tokens_of(said[-1]["content"])
        if self.refuses is not None and len(tokens) > self.refuses:
            return fault(f"This model's maximum context length is {self.refuses} tokens. You requested {len(tokens)}.")
        left = self.arrives(tokens)
        beside = len(tokens_of(system)) + TEMPLATE if len(said) > 1 or system else TEMPLATE
        text = "\n".join([system, b"".join(left).decode(errors="replace")])
        answer = "zebra zebra" if self.wrong(len(left) + beside) else self._answer(text)
        counted = self.counts(len(tokens) + beside, len(left) + beside)
        reply = Reply(answer, prompt_tokens=counted or 0)
        if counted is None:
            body = json.loads(reply.body())
            del body["usage"]
            reply.raw = json.dumps(body).encode()
        return reply

    def _answer(self, text: str) -> str:
        last = text.rstrip().splitlines()[-1].strip() if text.strip() else ""
        if number := re.fullmatch(r"\[mark (\d+):", last):
            found = re.findall(rf"\[mark {number[1]}: (\d{{6}})\]", text)
            return f" {found[-1]}]" if found else " 000000]"
        if "every line of the form" in text[-400:] or "every such line" in text[:600]:
            return "\n".join(match[1] for match in MARK.finditer(text) if match[1] != "123456")
        if told := re.search(r"number of this conversation is (\d{6})", text):
            return told[1]
        cue = last.removeprefix(LATER).removesuffix("...").strip()
        whole = re.findall(rf"^ {re.escape(cue)} ([a-z ]+)$", text, re.MULTILINE) if cue else []
        return f" {whole[0]}\n" if whole else " I do not know."
