"""A helping model that is always there: writes, checks and recalls by looking at the prompt, over real HTTP."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach.core.files import Store
from longreach.core.helper_model import HelperModel
from longreach.families.base import BuildContext
from longreach.runner.inspect_helper import HelperSettings, InspectHelper

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
    """What a good helper replies: a question on a long word of the passage with others of its words as options; the
    right option where the text has it; without a text, whatever comes first."""
    kind = role(asked)
    if kind == "write":
        return Reply(text=json.dumps(_write(asked.prompt)))
    options = dict(_OPTION.findall(asked.prompt))
    if kind == "recall":
        digest = hashlib.sha256(asked.prompt.encode()).digest()
        return Reply(text=json.dumps({"reason": "a guess", "answer": "ABCDEF"[digest[0] % 6]}))
    text = " ".join(asked.prompt.split("<text>")[1].split("</text>")[0].split())
    right = right_letter(asked.prompt.split("</text>")[-1], options)
    place = re.search(r"stands after '([^']+)'", asked.prompt.split("</text>")[-1])
    found = re.search(rf"{place[1] if place else ''} ?\b{options[right]}\b", text)
    return Reply(text=json.dumps({"reason": "it stands there", "answer": right if found else "none"}))


def right_letter(question: str, options: Mapping[str, str]) -> str:
    """The right option of a question that this helper wrote: it carries its mark."""
    return next(letter for letter, option in options.items() if f"item {_mark(option)[:5]}" in question)


def _mark(word: str) -> str:
    return hashlib.sha256(word.encode()).hexdigest()


def _write(prompt: str) -> dict[str, object]:
    passage = prompt.split("<part>")[1].split("</part>")[0]
    refused = sum(line.startswith("- Which word") for line in prompt.split("</part>")[1].splitlines())
    words = sorted(set(re.findall(r"\b[a-z]{6,}\b", passage)), key=lambda word: (-len(word), word))
    word = words[refused % len(words)]
    others = [other for other in words if other != word]
    before = re.search(rf"(\w+ \w+) {word}\b", " ".join(passage.split()))
    mark = _mark(word)
    where = f"after '{before[1]}'" if before else "in a sentence of its own"
    return {
        "question": f"Which word stands {where} where the President speaks of item {mark[:5]}?",
        "options": [*others[:2], word, *others[2:5]],
        "answer": "C" if len(word) % 2 else word,
    }


def build_context(
    server: ChatServer,
    folder: Path,
    warn: Callable[[str], None] = lambda _: None,
    progress: Callable[[str], None] = lambda _: None,
) -> BuildContext:
    """A build_context whose models all live on one server."""

    def writer(name: str) -> HelperModel:
        settings = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, max_retries=0)
        return InspectHelper(name, Store(folder), settings)

    return BuildContext(warn=warn, helper_model=writer, progress=progress)
