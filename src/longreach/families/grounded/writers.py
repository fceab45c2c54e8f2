"""Question writers, a model or code, and the checks of their questions."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

from longreach.core.bench import Prompt
from longreach.core.helper_model import Ask, HelperModel, Refused
from longreach.core.types import Frozen
from longreach.families.helper_requests import WARMER, HelperUsage, RetryingClient
from longreach.grading.reading.structured import read_as, shape
from longreach.models.embedders import VectorCache, Vectors, nearest

from .by_code import (
    Altered,
    Balance,
    CorpusSentence,
    EvenQuestions,
    Outline,
    write_complete,
    write_next,
    write_present,
    write_section,
)
from .contexts import LongDocument, Stretch
from .questions import LETTERS, Candidate, render
from .spec import KIND_NAMES

# Question writers: a model, or code. Both take passages and return candidates.

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


KINDS = {"complete": 0.5, "present": 0.4, "altered": 0.1, "next": 0.25, "order": 0.15, "section": 0.2}
"""The share of each kind of question that code aims at, against the others that are asked, where a text allows it."""
_MOST = {"section": 0.25}
"""The largest share of a kind."""


class CodeBuilder:
    """Writes by code, and asks only what code can know for certain."""

    def __init__(
        self, options: int, seed: int, asking: Mapping[str, Prompt], kinds: Sequence[str] = KIND_NAMES
    ) -> None:
        whole = sum(KINDS[kind] for kind in kinds)
        self._aims = {kind: KINDS[kind] / whole for kind in KINDS if kind in kinds}
        self._asking = {name: prompt.text.strip() for name, prompt in asking.items()}
        self._seed = seed
        self._balance = Balance(options, seed)
        self._altered, self._order = Altered(), EvenQuestions()
        self._readings: dict[tuple[str, int], Outline] = {}
        self._used: set[str] = set()
        """Statements that were asked about."""
        self.kinds: Counter[str] = Counter(dict.fromkeys(self._aims, 0))
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
        most = _MOST if len(self._aims) > 1 else {}
        kinds = [kind for kind in self._aims if kind not in most or self.kinds[kind] + 1 <= most[kind] * (total + 1)]
        for kind in sorted(kinds, key=lambda one: self.kinds[one] - self._aims[one] * total):
            for statement in statements:
                if reading.unique(statement) and (
                    candidate := self._written(kind, reading, statement, job.stretch, rng)
                ):
                    self.kinds[kind] += 1
                    self._used.add(statement.text)
                    return candidate
        return None

    def _written(
        self, kind: str, reading: Outline, statement: CorpusSentence, stretch: Stretch, rng: Random
    ) -> Candidate | None:
        if kind == "order":
            return self._order.write(reading, statement, stretch, self._balance, rng, self._asking)
        if kind == "complete":
            return write_complete(reading, statement, self._asking[kind])
        write = {
            "altered": self._altered.write,
            "next": write_next,
            "present": write_present,
            "section": write_section,
        }[kind]
        return write(reading, statement, stretch, self._balance, rng, self._asking[kind])

    def _reading(self, document: LongDocument) -> Outline:
        key = (document.domain, document.number)
        if key not in self._readings:
            self._readings[key] = Outline(document)
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
    def usage(self) -> HelperUsage:
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


QuestionWriter = CodeBuilder | ModelBuilder
"""Writes one question per job, in their order."""


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


# Checks questions before they are used, with a model or with code.

STEPS = ("quality", "elsewhere", "closed_book")
"""In the order of execution."""

_CHECKS_ROOM = 512
RECALLS = 3
_KNOWN = 2
"""Number of right answers out of three without a text from which a question counts as known."""
_NONE = frozenset({"none", "cannot tell", "can't tell", "unknown", "n/a", "无", "无法确定"})


class CheckerChoice(Frozen):
    """A checker's choice."""

    reason: str = ""
    answer: str


_CHECKS_SHAPE = shape(reason="string", answer="string")


@dataclass(frozen=True)
class CandidateQuestion:
    """A candidate question under test."""

    id: str
    candidate: Candidate
    document: LongDocument
    gold: int
    inside: Sequence[int]
    """Every passage of any of its test documents, including the gold one."""

    @property
    def needed(self) -> list[int]:
        """The gold passage, and others that the question needs."""
        return sorted({self.gold, *(self.document.at_byte(start) for start, _ in self.candidate.also)})


class ModelCheck:
    """Checks with a model, which answers from the gold passage, from the most similar others, and without a text."""

    def __init__(
        self,
        writer: HelperModel,
        prompts: Mapping[str, Prompt],
        language: str,
        vectors: VectorCache,
        neighbours: int,
        seed: int,
    ) -> None:
        self._client = RetryingClient(writer, "checker", language, TRIES)
        self._prompts = prompts
        self._vectors = vectors
        self._neighbours = neighbours
        self._seed = seed
        self._rows: dict[tuple[str, int], Vectors] = {}

    @property
    def usage(self) -> HelperUsage:
        return self._client.usage

    def find(self, step: str, trials: Sequence[CandidateQuestion]) -> list[str]:
        if not trials:
            return []
        if step == "quality":
            right = self._from_passages(step, trials, [trial.needed for trial in trials])
            return ["" if one is True else f"from its own passage the checker {_describe(one)}" for one in right]
        if step == "elsewhere":
            right = self._from_passages(step, trials, [self.similar(trial) for trial in trials])
            return ["from similar passages the checker finds the answer too" if one is True else "" for one in right]
        return self._recall(trials)

    def similar(self, trial: CandidateQuestion) -> list[int]:
        """The passages most similar to the question with its options, without the gold one, in the document's order."""
        others = [passage for passage in trial.inside if passage not in trial.needed]
        query = self._vectors.embed(["\n".join([trial.candidate.question, *sorted(trial.candidate.options)])])
        return sorted(nearest(self._passages(trial.document), query[0], self._neighbours, others))

    def _passages(self, document: LongDocument) -> Vectors:
        """The passages of a document as rows, built once."""
        key = (document.domain, document.number)
        if key not in self._rows:
            self._rows[key] = self._vectors.embed(document.texts)
        return self._rows[key]

    def _from_passages(
        self, step: str, trials: Sequence[CandidateQuestion], chosen: Sequence[Sequence[int]]
    ) -> list[bool | str]:
        """For each trial True where the checker chose the right option, else its answer."""
        asked = []
        for trial, passages in zip(trials, chosen, strict=True):
            rendered, letter = self._shuffled(trial, step)
            passage_text = "\n\n[...]\n\n".join(trial.document.texts[passage] for passage in passages)
            asked.append((self._prompts["check"].whole({"passages": passage_text, "question": rendered}), letter, 0))
        return self._right(asked, trials)

    def _recall(self, trials: Sequence[CandidateQuestion]) -> list[str]:
        asked = []
        for trial in trials:
            for number in range(RECALLS):
                rendered, letter = self._shuffled(trial, f"closed_book {number}")
                asked.append((self._prompts["recall"].whole({"question": rendered}), letter, number))
        right = [one is True for one in self._right(asked, trials)]
        counts = [sum(right[at : at + RECALLS]) for at in range(0, len(right), RECALLS)]
        return [
            f"without any text the checker is right {count} times of {RECALLS}" if count >= _KNOWN else ""
            for count in counts
        ]

    def _right(self, asked: Sequence[tuple[str, str, int]], trials: Sequence[CandidateQuestion]) -> list[bool | str]:
        """For each prompt, with its right letter and attempt, True or the checker's answer."""
        most = max(len(trial.candidate.options) for trial in trials)

        def read(choice: str) -> str | Refused:
            answer = read_as(CheckerChoice, choice)
            if isinstance(answer, Refused):
                return answer
            return _choice(answer, most) or Refused(why=f"'{answer.answer[:40]}' is neither a letter nor none")

        asks = [
            Ask(prompt=text, shape=_CHECKS_SHAPE, max_tokens=_CHECKS_ROOM, attempt=attempt)
            for text, _, attempt in asked
        ]
        replies = self._client.ask(asks, [read] * len(asks))
        results: list[bool | str] = []
        for reply, (_, letter, _) in zip(replies, asked, strict=True):
            choice = f"gave no usable answer ({reply.why})" if isinstance(reply, Refused) else reply
            results.append(True if choice == letter else choice)
        return results

    def _shuffled(self, trial: CandidateQuestion, purpose: str) -> tuple[str, str]:
        rng = Random(f"{purpose} {self._seed} {trial.candidate.question}")
        options, letter = trial.candidate.shuffled(rng)
        return render(trial.candidate.question, options), letter


def _choice(answer: CheckerChoice, options: int) -> str:
    """A checker's letter, `none`, or empty where it is neither."""
    choice = answer.answer.strip().strip("().:*'\"").strip()
    if choice.casefold() in _NONE:
        return "none"
    letter = choice[:1].upper()
    return letter if letter and letter in LETTERS[:options] and (len(choice) == 1 or choice[1] in ").:") else ""


def _describe(answer: bool | str) -> str:
    text = str(answer)
    if len(text) == 1:
        return f"chooses {text}"
    return "cannot tell" if text == "none" else text
