"""Who writes the questions: a model, or code. Both take passages and give candidates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from sonde.core.prompt import Prompt
from sonde.core.writer import Writer

from .asking import QUESTION_SHAPE, Asker, Unusable, Usage, Written
from .extractive import ClozeWriter
from .passages import LongDocument
from .questions import LETTERS, Candidate

__all__ = ["ExtractiveBuilder", "Job", "ModelBuilder", "QuestionWriter", "Unwritten"]

_ROOM = 1024
_WARMER = 0.7
"""Temperature after the first try, so that another question comes back."""
_LETTERED = re.compile(r"\(?([A-J])[).:]\s+(.+)", re.DOTALL)
_LETTER = re.compile(r"\(?([A-J])[).:]?")
_MOST_TOLD = 5
_NOTES = {
    "en": ("Questions like these were refused before; ask about something else:", "- {question} ({why})"),
    "zh": ("下面这些题目已被拒绝，请换一件事来问：", "- {question}（{why}）"),
}


@dataclass(frozen=True)
class Job:
    """A question to write."""

    document: LongDocument
    passage: int
    refused: tuple[tuple[str, str], ...]
    """Questions tried on this passage before, each with why it was refused."""
    plain: bool = True
    """Whether a plain word may be asked for: not before other passages were looked at for something better."""


@dataclass(frozen=True)
class Unwritten:
    """No question came of a job."""

    why: str
    step: str
    """What it counts as: `malformed`, `wording`, or `nothing` where there is nothing more to ask about."""


class QuestionWriter(Protocol):
    """Writes one question a job."""

    def write(self, jobs: Sequence[Job]) -> list[Candidate | Unwritten]:
        """In the order of the jobs."""
        ...


class ExtractiveBuilder:
    """Writes by code."""

    def __init__(self, writer: ClozeWriter) -> None:
        self._writer = writer

    def write(self, jobs: Sequence[Job]) -> list[Candidate | Unwritten]:
        found = [
            self._writer.write(job.document, job.passage, [question for question, _ in job.refused], plain=job.plain)
            for job in jobs
        ]
        return [
            one or Unwritten("no sentence here can stand alone with a rare term left out", "nothing") for one in found
        ]


class ModelBuilder:
    """Writes with a model."""

    def __init__(self, writer: Writer, prompts: Mapping[str, Prompt], language: str, options: int) -> None:
        self._asker = Asker(writer, "builder", Written, QUESTION_SHAPE, _ROOM)
        self._prompt = prompts["write"]
        self._language = language
        self._options = options

    @property
    def usage(self) -> Usage:
        return self._asker.usage

    def write(self, jobs: Sequence[Job]) -> list[Candidate | Unwritten]:
        replies = self._asker.ask(
            [self._text(job) for job in jobs],
            attempts=[len(job.refused) for job in jobs],
            temperatures=[_WARMER if job.refused else 0.0 for job in jobs],
        )
        return [Unwritten(one.why, "malformed") if isinstance(one, Unusable) else as_candidate(one) for one in replies]

    def _text(self, job: Job) -> str:
        note = ""
        if job.refused:
            opening, line = _NOTES[self._language]
            told = [(question, why) for question, why in job.refused if question][-_MOST_TOLD:]
            lines = [line.format(question=question, why=why) for question, why in told]
            note = "\n".join(["", opening, *lines, ""]) if lines else ""
        values = {"passage": job.document.texts[job.passage], "count": str(self._options), "note": note}
        return self._prompt.fill(self._prompt.text, values)


def as_candidate(written: Written) -> Candidate | Unwritten:
    """A model's question with the right option first; letters that it put before the options are taken off."""
    options = [" ".join(option.split()) for option in written.options]
    lettered = [_LETTERED.fullmatch(option) for option in options]
    if options and all(match and match[1] == LETTERS[place] for place, match in enumerate(lettered[: len(LETTERS)])):
        options = [match[2] for match in lettered if match]
    answer = " ".join(written.answer.split())
    if answer not in options:
        prefixed = _LETTERED.fullmatch(answer)
        letter = _LETTER.fullmatch(answer)
        if prefixed and prefixed[2] in options:
            answer = prefixed[2]
        elif letter and LETTERS.index(letter[1]) < len(options):
            answer = options[LETTERS.index(letter[1])]
        else:
            return Unwritten("the answer is not among the options", "wording")
    right = options.index(answer)
    return Candidate(
        question=" ".join(written.question.split()), options=(answer, *options[:right], *options[right + 1 :])
    )
