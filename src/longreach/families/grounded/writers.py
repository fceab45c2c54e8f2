"""Question writers: a model, or code. Both take passages and return candidates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from longreach.core.bench import Prompt
from longreach.core.helper_model import Ask, HelperModel, Refused
from longreach.core.types import Frozen
from longreach.families.helper_model import WARMER, RetryingClient, Usage
from longreach.grading.reading.structured import read_as, shape

from . import following, section
from .altered import Altered
from .balance import Balance
from .order import Order
from .questions import LETTERS, Candidate
from .statements import Reading, Statement
from .windows import LongDocument, Stretch

TRIES = 3
"""Maximum attempts to get a readable reply of a model."""
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


KINDS = {"altered": 0.4, "next": 0.25, "order": 0.15, "section": 0.2}
"""The share of each kind of question that code aims at, where a text allows it."""
_MOST = {"section": 0.25}
"""The largest share of a kind."""


class CodeBuilder:
    """Writes by code, and asks only what code can know for certain."""

    def __init__(self, options: int, seed: int, asking: Mapping[str, Prompt]) -> None:
        self._asking = {name: prompt.text.strip() for name, prompt in asking.items()}
        self._seed = seed
        self._balance = Balance(options)
        self._altered, self._order = Altered(), Order()
        self._readings: dict[tuple[str, int], Reading] = {}
        self._used: set[str] = set()
        """Statements that were asked about."""
        self.kinds: Counter[str] = Counter(dict.fromkeys(KINDS, 0))
        """What the written questions ask for."""

    def write(self, jobs: Sequence[Job]) -> list[Candidate | Unwritten]:
        return [
            self._one(job) or Unwritten("no sentence here makes a question with enough options", "nothing")
            for job in jobs
        ]

    def _one(self, job: Job) -> Candidate | None:
        """The best new question on a passage: of the kind that is most below its share."""
        reading = self._reading(job.document)
        passage = job.document.passages[job.passage]
        rng = Random(f"code {self._seed} {job.document.domain} {job.document.number} {job.passage} {len(self._used)}")
        statements = [
            one
            for one in reading.between(passage.start, passage.end)
            if one.usable and one.end <= passage.end and job.stretch.holds(one.start, one.end)
        ]
        rng.shuffle(statements)
        statements = [one for one in statements if one.text not in self._used]
        total = self.kinds.total()
        kinds = [kind for kind in KINDS if kind not in _MOST or self.kinds[kind] + 1 <= _MOST[kind] * (total + 1)]
        for kind in sorted(kinds, key=lambda one: self.kinds[one] - KINDS[one] * total):
            for statement in statements:
                if reading.unique(statement) and (
                    candidate := self._written(kind, reading, statement, job.stretch, rng)
                ):
                    self.kinds[kind] += 1
                    self._used.add(statement.text)
                    return candidate
        return None

    def _written(
        self, kind: str, reading: Reading, statement: Statement, stretch: Stretch, rng: Random
    ) -> Candidate | None:
        if kind == "order":
            return self._order.write(reading, statement, stretch, self._balance, rng, self._asking)
        write = {"altered": self._altered.write, "next": following.write, "section": section.write}[kind]
        return write(reading, statement, stretch, self._balance, rng, self._asking[kind])

    def _reading(self, document: LongDocument) -> Reading:
        key = (document.domain, document.number)
        if key not in self._readings:
            self._readings[key] = Reading(document)
        return self._readings[key]


class Written(Frozen):
    """A question as a builder model writes it."""

    question: str
    options: tuple[str, ...]
    answer: str


_SHAPE = shape(question="string", options={"type": "array", "items": {"type": "string"}}, answer="string")


class ModelBuilder:
    """Writes with a model."""

    def __init__(self, writer: HelperModel, prompts: Mapping[str, Prompt], language: str, options: int) -> None:
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
                shape=_SHAPE,
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
