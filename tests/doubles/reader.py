"""A simulated reader behind real HTTP: it answers from what it sees of each prompt, with one known weakness."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from random import Random

from tests.doubles.chat_server import Asked, Reply
from tests.doubles.reading_server import MARK

from longreach.core.bench import Bench
from longreach.core.types import Question
from longreach.families import get_family

Sees = Callable[[float, int, int], bool]
"""Whether a fact is seen: its depth in the prompt, characters before it, characters after it."""


def everything(depth: float, before: int, after: int) -> bool:  # noqa: ARG001
    return True


class Reader:
    """Finds the question at the end of the prompt and its facts in the text before it."""

    def __init__(
        self,
        benches: Iterable[Bench],
        *,
        sees: Sees = everything,
        right: float = 1.0,
        refuses: float = 0.0,
        makes_up: float = 0.0,
        combines: bool = True,
        seconds: float = 0.0,
        knows: frozenset[str] | set[str] = frozenset(),
    ) -> None:
        """`knows`: ids of questions that it answers without any text."""
        self._knows = knows
        self._sees, self._right, self._refuses, self._makes_up = sees, right, refuses, makes_up
        self._combines, self._seconds = combines, seconds
        self._questions: dict[str, tuple[Bench, Question]] = {}
        self._without: dict[str, tuple[Bench, Question]] = {}
        self._facts: dict[str, str] = {}
        for bench in benches:
            for question in bench.questions.values():
                known = self._without if question.question_type == "closed_book" else self._questions
                known.setdefault(question.text, (bench, question))
            for planted in bench.planted.values():
                data = planted.text.encode()
                self._facts |= {mark.id: data[mark.start : mark.end].decode() for mark in planted.facts}

    def __call__(self, asked: Asked) -> Reply:
        prompt = asked.prompt
        end, total = prompt[-1500:], len(prompt)
        text = max((each for each in self._questions if each in end), key=len, default="")
        if not text:  # a preflight: it repeats the marks that it sees
            places = [(match.start(), match[1]) for match in MARK.finditer(prompt) if match[1] != "123456"]
            seen = [code for place, code in places if self._sees(place / total, place, total - place)]
            return Reply("\n".join(seen) or "There are none.", prompt_tokens=total // 4)
        bench, question = self._questions[text]
        if text in self._without and "you cannot read" in prompt:
            bench, question = self._without[text]
        luck = Random(asked.sha256)
        time.sleep(self._seconds)
        return Reply(self._answer(bench, question, prompt, luck), prompt_tokens=total // 4)

    def _answer(self, bench: Bench, question: Question, prompt: str, luck: Random) -> str:
        family = get_family(bench.info.family)
        if luck.random() < self._refuses:
            return "I am sorry, I cannot help with that."
        absent = question.key.kind == "absent"
        if question.id in self._knows:
            return family.sample_answer([question], right=True)
        if absent:
            return family.sample_answer([question], right=luck.random() >= self._makes_up)
        places = [prompt.find(self._facts.get(fact, "\0")) for fact in question.evidence] or [-1]
        total = len(prompt)
        seen = all(place >= 0 and self._sees(place / total, place, total - place) for place in places)
        able = self._combines or len(question.evidence) < 2
        return family.sample_answer([question], right=seen and able and luck.random() < self._right)
