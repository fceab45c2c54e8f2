"""A model's reply as plain data: read from a chat server's JSON or from Inspect's output, cleaned of secrets once, and
turned into a call."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from longreach.core.types import LARGEST_COUNT, Call, whole_text
from longreach.errors import one_line, without_secrets
from longreach.models.prices import Price
from longreach.models.providers import STOP_NAMES

_LIE = 32
"""No tokenizer makes one token of what has so many in another."""
_THINK = ("<think>", "</think>")
_REASON_FIELDS = ("finish_reason", "finishReason", "stop_reason", "stopReason", "done_reason")


@dataclass(slots=True)
class Usage:
    """Tokens of one request as the provider counted them, within what is possible."""

    tokens_in: int
    """All input tokens, cached and written ones included."""
    tokens_out: int
    cached: int = 0
    written: int = 0
    reasoning: int | None = None

    def __add__(self, other: Usage) -> Usage:
        known = [count for count in (self.reasoning, other.reasoning) if count is not None]
        return Usage(
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
            cached=self.cached + other.cached,
            written=self.written + other.written,
            reasoning=sum(known) if known else None,
        )


@dataclass(frozen=True, slots=True)
class OnFirstToken:
    """What a run does at the first token of an answer: its prompt is in the server's cache then."""

    call: Callable[[], None]
    expected: Callable[[], float | None] = lambda: None
    """In how many seconds it is expected, for answers that come as a whole."""

    @contextlib.contextmanager
    def awaited(self) -> Iterator[None]:
        """Within this block, around a request, it is done at the expected time."""
        seconds = self.expected()
        timer = None if seconds is None else asyncio.get_running_loop().call_later(seconds, self.call)
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()


@dataclass(slots=True)
class ModelReply:
    """What a model replied, or why it did not."""

    text: str = ""
    reasoning: str = ""
    stop: str = ""
    """As in `Call.stop`; empty if the server named no reason."""
    ended: str = ""
    """The server's own reason, if it is none of those that are known."""
    error: str = ""
    usage: Usage | None = None
    """None: the server sent no usable counts."""
    seconds: float = 0.0
    first_token: float = 0.0
    """Seconds to the first token; 0 if the reply was not streamed."""
    calls_tools: bool = field(default=False)

    @property
    def blank(self) -> bool:
        """Whether the model stopped without a word; one that reached its limit would do so again."""
        return not (self.error or self.ended or self.text.strip() or self.calls_tools) and self.stop in ("", "stop")


def usage_of(
    tokens_in: Any,
    tokens_out: Any,
    *,
    cached: Any = 0,
    written: Any = 0,
    reasoning: Any = None,
    limit: int | None = None,
) -> Usage | None:
    """Counts within what is possible: cached and written tokens are parts of the input, reasoning is a part of the
    output, and that is within its limit. None without a count of both."""
    counts = [_count(each) for each in (tokens_in, tokens_out)]
    if counts[0] is None or counts[1] is None or counts[0] <= 0:
        return None
    total, out = min(counts[0], LARGEST_COUNT), min(counts[1], LARGEST_COUNT if limit is None else limit)
    read = _count(cached) or 0
    read = 0 if read > total else read  # more than the prompt has cannot be, and is no discount
    thought = _count(reasoning)
    return Usage(
        tokens_in=total,
        tokens_out=out,
        cached=read,
        written=min(_count(written) or 0, total - read),
        reasoning=None if thought is None else min(thought, out),
    )


def _count(value: Any) -> int | None:
    whole = int(value) if isinstance(value, float) and value.is_integer() else value
    return whole if isinstance(whole, int) and not isinstance(whole, bool) and whole >= 0 else None


def read_chat(data: Mapping[str, Any], limit: int | None) -> ModelReply | None:
    """The reply in a chat completion's JSON; None if it is none. What is malformed beside the answer costs only
    itself."""
    choices = data.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        return None
    completed = choices[0].get("text")
    message = choices[0].get("message", {"content": completed} if isinstance(completed, str) else None)
    if not isinstance(message, dict):
        return None
    texts, thoughts = _parts(message.get("content"))
    for name in ("reasoning_content", "reasoning"):
        if isinstance(message.get(name), str):
            thoughts = [message[name]]
            break
    refused = not texts and isinstance(message.get("refusal"), str)
    if refused:
        texts = [message["refusal"]]
    elif not thoughts and len(texts) == 1 and texts[0].lstrip().startswith(_THINK[0]) and _THINK[1] in texts[0]:
        before, _, after = texts[0].partition(_THINK[1])
        texts, thoughts = [after.lstrip()], [before.lstrip().removeprefix(_THINK[0])]
    usage = _mapping(data.get("usage"))
    details = _mapping(usage.get("prompt_tokens_details"))
    reply = ModelReply(
        usage=usage_of(
            usage.get("prompt_tokens"),
            usage.get("completion_tokens"),
            cached=details.get("cached_tokens"),
            written=details.get("cache_write_tokens"),
            reasoning=_mapping(usage.get("completion_tokens_details")).get("reasoning_tokens"),
            limit=limit,
        ),
        calls_tools=bool(message.get("tool_calls") or message.get("function_call")),
    )
    _end(reply, "content_filter" if refused else choices[0].get("finish_reason"))
    return _whole(reply, texts, thoughts)


class ChatStream:
    """A chat completion from the events of a stream, as they come."""

    def __init__(self, begun: Callable[[], None]) -> None:
        """`begun` is called at the first token: all of the prompt is computed then."""
        self._begun: Callable[[], None] | None = begun
        self._rest: list[bytes] = []
        self._texts: dict[str, list[str]] = {"content": [], "reasoning_content": [], "refusal": []}
        self._whole: dict[str, Any] = {}
        self._choice: dict[str, Any] = {}
        self._message: dict[str, Any] = {}
        self._ended = False

    def feed(self, part: bytes) -> None:
        """The next bytes; raises ValueError where an event is no JSON object."""
        *lines, rest = part.split(b"\n")
        for line in lines:
            self._line(b"".join([*self._rest, line]))
            self._rest.clear()
        self._rest.append(rest)

    def whole(self) -> dict[str, Any] | None:
        """The completion, or the error that the server sent in its place; None if the stream broke off."""
        self._line(b"".join(self._rest))
        if not (self._ended or self._choice.get("finish_reason") or "error" in self._whole):
            return None
        message = {name: "".join(texts) for name, texts in self._texts.items() if texts} | self._message
        choices = [self._choice | {"message": {"content": ""} | message}] if self._choice else []
        return {"choices": choices} | self._whole

    def _line(self, line: bytes) -> None:
        name, _, data = line.strip().partition(b":")
        if name != b"data" or self._ended:
            return
        if data.strip() == b"[DONE]":
            self._ended = True
            return
        event = json.loads(data)
        if not isinstance(event, dict):
            raise ValueError(f"an event of the stream is no object: {data[:60]!r}")
        self._whole |= {name: event[name] for name in ("usage", "error") if event.get(name)}
        choices = event.get("choices")
        for choice in choices[:1] if isinstance(choices, list) else ():
            self._add(_mapping(choice))

    def _add(self, choice: dict[str, Any]) -> None:
        self._choice |= {"finish_reason": choice.get("finish_reason") or self._choice.get("finish_reason")}
        delta = _mapping(choice.get("delta") or choice.get("message") or {"content": choice.get("text")})
        texts, thoughts = _parts(delta.get("content"))
        self._texts["content"] += texts
        thought = delta.get("reasoning_content") or delta.get("reasoning")
        self._texts["reasoning_content"] += thoughts or ([thought] if isinstance(thought, str) else [])
        self._texts["refusal"] += [delta["refusal"]] if isinstance(delta.get("refusal"), str) else []
        self._message |= {name: delta[name] for name in ("tool_calls", "function_call") if delta.get(name)}
        if self._begun is not None and (thought or any(texts) or any(thoughts) or self._choice["finish_reason"]):
            self._begun()
            self._begun = None


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _parts(content: Any) -> tuple[list[str], list[str]]:
    """Texts and thoughts of a message's content, which is a string or a list of parts."""
    if isinstance(content, str):
        return [content], []
    texts: list[str] = []
    thoughts: list[str] = []
    for part in content if isinstance(content, list) else ():
        if isinstance(part, str):
            texts.append(part)
        elif isinstance(part, dict):
            kind = str(part.get("type", "text"))
            inner = part.get("thinking") or part.get("reasoning") or part.get("text")
            if isinstance(inner, str):
                (texts if "text" in kind else thoughts).append(inner)
    return texts, thoughts


def reply_of(output: Any, call: Any = None, limit: int | None = None) -> ModelReply:
    """Inspect's output as a reply; `call` is the raw request and reply, if the provider returns it."""
    used = output.usage
    reply = ModelReply(
        error=output.error or "",
        seconds=output.time or 0.0,
        usage=None
        if used is None
        else usage_of(
            sum(each or 0 for each in (used.input_tokens, used.input_tokens_cache_read, used.input_tokens_cache_write)),
            used.output_tokens,
            cached=used.input_tokens_cache_read,
            written=used.input_tokens_cache_write,
            reasoning=used.reasoning_tokens,
            limit=limit,
        ),
    )
    if not output.choices:
        return _whole(reply, [], [])
    message = output.choices[0].message
    content = message.content
    parts = [] if isinstance(content, str) else content
    texts = [content] if isinstance(content, str) else [part.text for part in parts if part.type == "text"]
    hidden = [part for part in parts if part.type == "reasoning" and not part.redacted]
    reply.calls_tools = bool(message.tool_calls)
    _end(reply, output.stop_reason if output.stop_reason != "unknown" else _raw_reason(call))
    if reply.stop in ("model_length", "content_filter"):
        reply.error = ""  # an answer of its own kind, whatever the provider calls it
    return _whole(reply, texts, [part.reasoning or part.summary or "" for part in hidden])


_FIRST = re.compile(r"^[ \t*#]*(?:question|问题)[ \t]*1[ \t]*[:：.][ \t]*(.*)$", re.IGNORECASE | re.MULTILINE)


def without_run_on(reply: ModelReply) -> ModelReply:
    """A raw completion up to where it begins a second round of answers: a model that only goes on with a text does not
    stop after the first. A list of the questions is no round."""
    rounds = list(_FIRST.finditer(reply.text))
    if len(rounds) > 1 and not rounds[0][1].rstrip().endswith(("?", "？")):
        reply.text = reply.text[: rounds[1].start()].rstrip()
        reply.stop = "stop" if reply.stop == "max_tokens" else reply.stop
    return reply


def _raw_reason(call: Any) -> Any:
    """The reason to stop in a provider's raw reply, wherever it stands."""
    response = getattr(call, "response", None)
    waiting = [response]
    while waiting:
        value = waiting.pop(0)
        if isinstance(value, dict):
            found = next((value[name] for name in _REASON_FIELDS if value.get(name)), None)
            if found is not None:
                return found
            waiting += [value.get(name) for name in ("choices", "candidates", "message", "output")]
        elif isinstance(value, list):
            waiting += value[:1]
    return None


def _end(reply: ModelReply, reason: Any) -> None:
    """Why the model stopped, in the words of `Call.stop`."""
    name = str(getattr(reason, "name", reason) or "").strip()
    reply.stop = STOP_NAMES.get(name.casefold(), "")
    reply.ended = "" if reply.stop else name


def _whole(reply: ModelReply, texts: list[str], thoughts: list[str]) -> ModelReply:
    """The reply with its texts, secrets and lone surrogates removed: the only place that does."""
    reply.text, reply.reasoning = _joined(texts), _joined(thoughts).strip()
    reply.error = without_secrets(reply.error)
    reply.ended = one_line(reply.ended, 60)
    if reply.calls_tools and not reply.text.strip():
        reply.stop, reply.ended = "tool_calls", ""
    return reply


def _joined(parts: list[str]) -> str:
    """Parts as one text, one under the other, unless a key reaches from one into the next."""
    if len(parts) > 1 and without_secrets(close := "".join(parts)) != close:
        return str(whole_text(without_secrets(close)))
    return str(whole_text(without_secrets("\n".join(parts))))


def call_of(
    reply: ModelReply,
    item: str,
    *,
    model: str,
    family: str,
    bench: str,
    price: Price | None,
    tokens: int = 0,
    failed: str = "",
    **more: Any,
) -> Call:
    """One finished request as a `Call`. Where the server sent no counts, or one that cannot be, an answer has those
    that Longreach knows: `tokens` of its prompt, and about as many as its text has."""
    failed = reply.error or failed
    usage, uncounted = reply.usage, False
    if not failed and tokens and (usage is None or usage.tokens_in * _LIE < tokens):
        usage, uncounted = Usage(tokens, len((reply.text + reply.reasoning).encode()) // 4 + 1), True
    cost = None
    if price is not None and usage is not None:
        cost = max(0.0, price.cost(usage.tokens_in, usage.cached, usage.tokens_out, usage.written))
    return Call(
        model=model,
        family=family,
        bench=bench,
        item=item,
        text=reply.text,
        reasoning=reply.reasoning,
        stop="" if failed else reply.stop,
        error=one_line(failed) if failed else "",
        tokens_in=usage.tokens_in if usage else 0,
        tokens_cached=usage.cached if usage else 0,
        tokens_out=usage.tokens_out if usage else 0,
        tokens_reasoning=_reasoning_tokens(reply, usage),
        uncounted=uncounted,
        seconds=round(reply.seconds, 3),
        first_token=round(reply.first_token, 3),
        cost=cost,
        **more,
    )


def _reasoning_tokens(reply: ModelReply, usage: Usage | None) -> int:
    """Reasoning tokens as the provider counts them; else by the share of characters."""
    if usage is None or usage.reasoning is not None or not reply.reasoning:
        return (usage.reasoning if usage else None) or 0
    return round(usage.tokens_out * len(reply.reasoning) / (len(reply.reasoning) + len(reply.text)))
