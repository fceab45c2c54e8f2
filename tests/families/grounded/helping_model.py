"""A helping model that is always there: writes, checks and recalls by looking at the prompt, over real HTTP."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from pathlib import Path

from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach.core.store import Store
from longreach.core.writer import Writer
from longreach.families.base import BuildContext
from longreach.runner.writer import ModelWriter, WriterSettings

__all__ = ["BUILDER", "CHECKER", "answer", "build_context", "role"]

BUILDER = "openai-api/local/builder"
CHECKER = "openai-api/local/checker"

_OPTION = re.compile(r"^([A-F])\) (.+)$", re.MULTILINE)


def role(asked: Asked) -> str:
    """What a request is for."""
    if "<part>" in asked.prompt:
        return "write"
    if "<text>" in asked.prompt:
        return "elsewhere" if "[...]" in asked.prompt else "quality"
    return "recall"


def answer(asked: Asked) -> Reply:
    """What a good helper says: a question on a long word of the passage; the one option that the text holds; without
    a text, whatever comes first."""
    kind = role(asked)
    if kind == "write":
        return Reply(text=json.dumps(_write(asked.prompt)))
    options = dict(_OPTION.findall(asked.prompt))
    if kind == "recall":
        digest = hashlib.sha256(asked.prompt.encode()).digest()
        return Reply(text=json.dumps({"reason": "a guess", "answer": "ABCDEF"[digest[0] % 6]}))
    text = asked.prompt.split("<text>")[1].split("</text>")[0]
    held = [letter for letter, option in options.items() if re.search(rf"\b{option}\b", text)]
    return Reply(text=json.dumps({"reason": "it stands there", "answer": held[0] if len(held) == 1 else "none"}))


def _write(prompt: str) -> dict[str, object]:
    passage = prompt.split("<part>")[1].split("</part>")[0]
    refused = sum(line.startswith("- Which word") for line in prompt.split("</part>")[1].splitlines())
    words = sorted(set(re.findall(r"\b[a-z]{8,}\b", passage)), key=lambda word: (-len(word), word))
    word = words[refused % len(words)]
    before = re.search(rf"(\w+ \w+) {word}\b", " ".join(passage.split()))
    mark = hashlib.sha256(word.encode()).hexdigest()
    invented = [f"zz{mark[place : place + 6]}" for place in range(0, 30, 6)]
    where = f"after '{before[1]}'" if before else "in a sentence of its own"
    return {
        "question": f"Which word stands {where} where the President speaks of item {mark[:5]}?",
        "options": [*invented[:2], word, *invented[2:]],
        "answer": "C" if len(word) % 2 else word,
    }


def build_context(
    server: ChatServer,
    folder: Path,
    warn: Callable[[str], None] = lambda _: None,
    progress: Callable[[str], None] = lambda _: None,
) -> BuildContext:
    """A build_context whose models all live on one server."""

    def writer(name: str) -> Writer:
        settings = WriterSettings(base_url=server.base_url, arguments={"api_key": "none"}, max_retries=0)
        return ModelWriter(name, Store(folder), settings)

    return BuildContext(warn=warn, writer=writer, progress=progress)
