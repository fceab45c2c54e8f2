"""Question writers: a model, or code. Both take passages and return candidates."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from longreach.core.prompt import Prompt
from longreach.core.writer import Ask, Writer
from longreach.families.retrying_client import WARMER, Refused, RetryingClient, Usage

from .extractive import FactWriter, Stretch
from .passages import LongDocument
from .questions import LETTERS, Candidate
from .replies import QUESTION_SHAPE, TRIES, Written, read_as

__all__ = ["ExtractiveBuilder", "Job", "ModelBuilder", "QuestionWriter", "Unwritten"]

_ROOM = 1024
_LETTERED = re.compile(r"\(?([A-J])[).:]\s+(.+)", re.DOTALL)
_LETTER = re.compile(r"\(?([A-J])[).:]?")
_MAX_REFUSED_SHOWN = 5


@dataclass(frozen=True)
class Job:
    """A question to write."""

    document: LongDocument
    passage: int
    refused: tuple[tuple[str, str], ...]
    """Questions tried on this passage before, each with why it was refused."""
    stretch: Stretch
    """The surrounding passages in its test documents."""
    known: frozenset[str] = frozenset()
    """Questions already in the benchmark."""


@dataclass(frozen=True)
class Unwritten:
    """A job without a question."""

    why: str
    step: str
    """Its count in the funnel: `malformed`, `wording`, or `nothing` where there is nothing more to ask about."""


class QuestionWriter(Protocol):
    """Writes one question per job."""

    def write(self, jobs: Sequence[Job]) -> list[Candidate | Unwritten]:
        """In the order of the jobs."""
        ...


class ExtractiveBuilder:
    """Writes by code."""

    def __init__(self, writer: FactWriter) -> None:
        self._writer = writer

    @property
    def dropped(self) -> dict[str, int]:
        """How many sentences and questions each filter dropped before writing."""
        return dict(self._writer.dropped)

    @property
    def kinds(self) -> dict[str, int]:
        """What the written questions ask for."""
        return dict(sorted(self._writer.kinds.items()))

    def write(self, jobs: Sequence[Job]) -> list[Candidate | Unwritten]:
        found = [
            self._writer.write(
                job.document,
                job.passage,
                {*job.known, *(question for question, _ in job.refused)},
                job.stretch,
            )
            for job in jobs
        ]
        return [
            one or Unwritten("no sentence here makes a question with enough fitting options", "nothing")
            for one in found
        ]


class ModelBuilder:
    """Writes with a model."""

    def __init__(self, writer: Writer, prompts: Mapping[str, Prompt], language: str, options: int) -> None:
        self._client = RetryingClient(writer, "builder", language, TRIES)
        self._write = prompts["write"]
        self._refused = prompts["refused"]
        self._options = options

    @property
    def usage(self) -> Usage:
        return self._client.usage

    def write(self, jobs: Sequence[Job]) -> list[Candidate | Unwritten]:
        asks = [
            Ask(
                prompt=self._text(job),
                shape=QUESTION_SHAPE,
                max_tokens=_ROOM,
                temperature=WARMER if job.refused else 0.0,
                attempt=len(job.refused),
            )
            for job in jobs
        ]
        places = [(job.document.domain, job.document.number, job.passage) for job in jobs]
        replies = self._client.ask(asks, [self._read] * len(asks), places)
        return [Unwritten(one.why, "malformed") if isinstance(one, Refused) else as_candidate(one) for one in replies]

    def _read(self, reply: str) -> Written | Refused:
        """A question with the requested number of options."""
        written = read_as(Written, reply)
        if isinstance(written, Written) and len(written.options) != self._options:
            return Refused(why=f"it has {len(written.options)} options, {self._options} are needed")
        return written

    def _text(self, job: Job) -> str:
        refused_lines = [f"- {question} ({why})" for question, why in job.refused if question][-_MAX_REFUSED_SHOWN:]
        note = self._refused.whole({"questions": "\n".join(refused_lines)}) if refused_lines else ""
        values = {
            "passage": job.document.texts[job.passage],
            "count": str(self._options),
            "note": f"\n{note}\n" if note else "",
        }
        return self._write.whole(values)


def as_candidate(written: Written) -> Candidate | Unwritten:
    """A model's question with the right option first; letters before the options are removed."""
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
