"""Helping models over real HTTP that know the small books of these tests: they write, check and judge by looking at
the prompt."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.families.novel.shelf import english_line

from longreach.core.files import Store
from longreach.core.helper_model import HelperModel
from longreach.families.base import BuildContext
from longreach.runner.inspect_helper import HelperSettings, InspectHelper

LINES = [english_line(f"Book {book}", unit, 0) for book in range(2) for unit in range(4)]


def model(name: str) -> str:
    """A model of this server."""
    return f"openai-api/local/{name}"


def role(asked: Asked) -> str:
    """What a request is for."""
    for sign, name in (
        ("Write a summary of this part", "summarise"),
        ("Check the summary below", "judge"),
        ("Say the same in other words", "paraphrase"),
        ("List the names and figures", "entities"),
        ("Rewrite exactly one sentence", "wrong"),
        ("Rewrite two sentences", "wrong"),
        ("Rewrite only these two sentences", "wrong"),
        ("Add exactly one sentence", "wrong"),
    ):
        if sign in asked.prompt:
            return name
    raise AssertionError(asked.prompt[:200])


class Study:
    """Answers as a good helper does; a test replaces what it wants to go wrong."""

    def __init__(self, lines: list[dict[str, Any]] = LINES) -> None:
        self._lines = lines
        self.instead: Callable[[Asked, str], Reply | None] = lambda _asked, _role: None

    def __call__(self, asked: Asked) -> Reply:
        kind = role(asked)
        if kind == "paraphrase":
            turn = 1 if asked.body.get("seed") else 0
            return self.instead(asked, kind) or Reply(text=f"{self.line(asked.prompt)['paraphrase'][turn]}\n")
        return self.instead(asked, kind) or Reply(text=getattr(self, f"_{kind}")(asked.prompt))

    def line(self, prompt: str) -> dict[str, Any]:
        """The unit that a prompt is about."""
        plain = " ".join(prompt.split())
        for line in self._lines:
            if " ".join(line["text"].split()) in plain or any(text in plain for text in wordings(line)):
                return line
        raise AssertionError(prompt)

    def _summarise(self, prompt: str) -> str:
        return str(self.line(prompt)["summary"])

    def _judge(self, prompt: str) -> str:
        line, said = self.line(prompt), inside(prompt, "summary")
        if said in wordings(line):
            return 'All of it stands there.\n```json\n{"verdict": "faithful", "findings": []}\n```'
        known = {sentence for text in wordings(line) for sentence in text.split(". ")}
        wrong = next(part for part in said.split(". ") if part not in known)
        finding = {"type": "event", "sentence": wrong, "correction": "?", "reason": "not so"}
        return json.dumps({"verdict": "hallucinated", "findings": [finding]})

    def _entities(self, prompt: str) -> str:
        names = re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", inside(prompt, "summary"))
        return json.dumps({"people": [*names, "Napoleon"], "places": [], "groups": [], "numbers": []})

    def _wrong(self, prompt: str) -> str:
        line = self.line(prompt)
        names = {"an entity": "entity", "a numerical": "numerical", "an inversion": "inversion", "an event": "event"}
        kind = next((name for sign, name in names.items() if f"contains {sign}" in prompt), "")
        for entry in line["wrong"]:
            if entry["type"] == kind and entry["correction"] in prompt:
                change = {"original": entry["correction"], "changed": entry["sentence"], "reason": entry["reason"]}
                return json.dumps({"possible": True, **change})
        return json.dumps({"possible": False, "original": "", "changed": "", "reason": "nothing to change"})


def wordings(line: dict[str, Any]) -> list[str]:
    """The faithful summaries of a unit."""
    return [line["summary"], *line["paraphrase"]]


def inside(prompt: str, tag: str) -> str:
    """What stands in a tag of a prompt, on one line."""
    return " ".join(prompt.rsplit(f"<{tag}>", 1)[1].split(f"</{tag}>")[0].split())


def build_context(server: ChatServer, folder: Path, warn: Callable[[str], None] = lambda _: None) -> BuildContext:
    """A build_context whose models all live on one server."""

    def writer(name: str) -> HelperModel:
        settings = HelperSettings(base_url=server.base_url, arguments={"api_key": "none"}, max_retries=0)
        return InspectHelper(name, Store(folder), settings)

    return BuildContext(warn=warn, helper_model=writer)
