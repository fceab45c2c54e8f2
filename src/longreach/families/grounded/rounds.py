"""Steps 4 to 7: questions are written, checked and refused in rounds, with a record of every attempt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from time import monotonic
from typing import Any

from longreach.text.line_layout import contents_share
from longreach.text.presence import presence_fault

from .contexts import TOLERANCE, BenchDocuments, LongDocument, Stretch, lacking
from .questions import Candidate, wording_fault
from .spec import GroundedSpec
from .writers import STEPS, CandidateQuestion, Job, ModelCheck, QuestionWriter, Unwritten

FUNNEL = ("written", "malformed", "wording", "options", *STEPS, "passed")
"""Steps of the build funnel in order; all but the first and the last count refusals."""

_CONTENTS = 0.4
"""Share of its lines from which a passage counts as a table of contents."""
_QUIET_SECONDS = 5.0
CODE_MOVES = 60
"""Minimum number of alternative passages that code tries."""


@dataclass
class QuestionPlace:
    """A place to fill with a question: a depth of a long document."""

    id: str
    document: LongDocument
    depth: float
    gold: int
    """The current passage; in the end the final one."""
    accepted: Candidate | None = None
    moves: int = 0
    over: bool = False
    tried: set[int] = field(default_factory=set)
    """Passages without a usable question."""
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Questions tried on the passage, with why they were refused."""
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def open(self) -> bool:
        return self.accepted is None and not self.over


@lru_cache(maxsize=1 << 14)
def _is_contents(text: str) -> bool:
    """Whether a passage is a table of contents."""
    return contents_share(text) >= _CONTENTS


class FreePassages:
    """Which passages of the long documents can still be gold at which depth."""

    def __init__(self, spec: GroundedSpec, lengths: Sequence[int]) -> None:
        self._spec = spec
        self._lengths = lengths
        self._claimed: set[tuple[str, int, int]] = set()

    def claim(self, place: QuestionPlace, near: int, *, back_only: bool) -> int | None:
        """The free passage nearest to `near` at which every length has the right depth, or nearest before it; where
        there is none, one that misses the depth by at most its own size. If none is free, code may reuse a passage for
        another question.
        """
        for exact in (True, False):
            if (found := self._nearest(place, near, back_only=back_only, exact=exact)) is not None:
                return found
        return None

    def _nearest(self, place: QuestionPlace, near: int, *, back_only: bool, exact: bool) -> int | None:
        document, count = place.document, len(place.document.passages)
        steps = range(1, near + 1) if back_only else range(max(near, count - 1 - near) + 1)
        taken: int | None = None
        for step in steps:
            for passage in [near - step] if back_only or step == 0 else [near - step, near + step]:
                key = (document.domain, document.number, passage)
                if not 0 <= passage < count or passage in place.tried:
                    continue
                held = self._holds(document, passage, place.depth, exact=exact)
                if not held or _is_contents(document.texts[passage]):
                    continue
                if key not in self._claimed:
                    self._claimed.add(key)
                    return passage
                taken = passage if taken is None else taken
            if step > reach(self._spec) + 1:
                break
        return taken if self._spec.by_code else None

    def _holds(self, document: LongDocument, passage: int, depth: float, *, exact: bool) -> bool:
        most = TOLERANCE if exact else document.tokens(passage) / max(1, min(self._lengths) - document.tokens(passage))
        return lacking(document, passage, self._lengths, depth) <= min(most, 1.0)


def reach(spec: GroundedSpec) -> int:
    """Number of alternative passages to try."""
    return max(spec.moves, CODE_MOVES) if spec.by_code else spec.moves


def choose_places(
    spec: GroundedSpec, documents: Sequence[LongDocument], lengths: Sequence[int], slug: Callable[[str], str]
) -> tuple[list[QuestionPlace], FreePassages]:
    """One place per document, depth and requested question; depths without a possible passage are omitted."""
    free = FreePassages(spec, lengths)
    longest = max(lengths)
    places: list[QuestionPlace] = []
    for document in documents:
        whole = document.edges[-1]
        spare = whole - longest
        for depth in spec.depths:
            share = depth / 100
            room = min(spare, reach(spec) * document.largest)
            first, last = share * longest + room, whole - (1 - share) * longest - document.largest
            near = document.at(min(max(share * whole, first), last))
            for number in range(1, spec.per_depth + 1):
                name = f"{slug(document.domain)}-{document.number}-d{depth:g}"
                place = QuestionPlace(name if spec.per_depth == 1 else f"{name}-{number}", document, depth, -1)
                gold = free.claim(place, near, back_only=False)
                if gold is None:
                    place.over = True
                    place.history.append({"outcome": "refused", "step": "place", "why": "no free passage stands here"})
                else:
                    place.gold = gold
                places.append(place)
    return places, free


def fill_places(
    spec: GroundedSpec,
    places: Sequence[QuestionPlace],
    free: FreePassages,
    documents: BenchDocuments,
    writer: QuestionWriter,
    check: ModelCheck | None,
    progress: Callable[[str], None],
) -> Counter[str]:
    """Try questions until every place has one or has run out; returns the funnel."""
    rounds = _Rounds(spec, documents, writer, check)
    rounds.funnel["written"] = rounds.funnel["passed"] = sum(
        place.accepted is not None for place in places
    )  # one's own
    number, shown = 0, monotonic()
    while waiting := [place for place in places if place.open]:
        number += 1
        rounds.try_questions(waiting)
        for place in waiting:
            if place.open:
                _go_on(spec, place, free)
        # Code needs many short rounds: one line per few seconds is enough.
        if not spec.by_code or monotonic() - shown > _QUIET_SECONDS:
            shown = monotonic()
            done, left = sum(p.accepted is not None for p in places), sum(p.open for p in places)
            progress(f"round {number}: {done} of {len(places)} questions found, {left} to go")
    return rounds.funnel


@dataclass
class _Rounds:
    """In each round, a question for every place that waits for one: written, checked, and accepted or refused."""

    spec: GroundedSpec
    documents: BenchDocuments
    writer: QuestionWriter
    check: ModelCheck | None
    funnel: Counter[str] = field(default_factory=lambda: Counter(dict.fromkeys(FUNNEL, 0)))
    known: set[str] = field(default_factory=set)
    """Questions of all rounds that are worded well."""

    def try_questions(self, waiting: Sequence[QuestionPlace]) -> None:
        for place, trial in self._checked(self._worded_well(waiting)):
            place.accepted = trial.candidate
            self.funnel["written"] += 1
            self.funnel["passed"] += 1
            _record(place, trial.candidate, "passed", "", "")

    def _worded_well(self, waiting: Sequence[QuestionPlace]) -> list[tuple[QuestionPlace, CandidateQuestion]]:
        """Places with a written question in which code finds no fault."""
        stretches = {place.id: self.documents.stretch(place.document, place.gold, place.depth) for place in waiting}
        jobs = [Job(place.document, place.gold, tuple(place.refused), stretches[place.id]) for place in waiting]
        trials: list[tuple[QuestionPlace, CandidateQuestion]] = []
        for place, result in zip(waiting, self.writer.write(jobs), strict=True):
            if isinstance(result, Unwritten):
                _refuse(place, None, result.step, result.why, self.funnel)
                continue
            step, fault = self._fault(place, result, stretches[place.id])
            if fault:
                _refuse(place, result, step, fault, self.funnel)
            else:
                self.known.add(result.question)
                inside = stretches[place.id].passages(place.document)
                trials.append((place, CandidateQuestion(place.id, result, place.document, place.gold, inside)))
        return trials

    def _fault(self, place: QuestionPlace, candidate: Candidate, stretch: Stretch) -> tuple[str, str]:
        """The step that refuses a question, and why; what code wrote needs no such step."""
        if self.spec.by_code:
            return "", ""
        if fault := _fault(self.spec, candidate, self.known):
            return "wording", fault
        return "options", _presence(place, candidate, stretch) if "options" in self.spec.filters else ""

    def _checked(
        self, trials: list[tuple[QuestionPlace, CandidateQuestion]]
    ) -> list[tuple[QuestionPlace, CandidateQuestion]]:
        """Those in which the model that checks finds no fault either."""
        if self.check is None:
            return trials
        for step in STEPS:
            if step == "closed_book" and step not in self.spec.filters:
                continue
            faults = self.check.find(step, [trial for _, trial in trials])
            for (place, trial), fault in zip(trials, faults, strict=True):
                if fault:
                    _refuse(place, trial.candidate, step, fault, self.funnel)
            trials = [pair for pair, fault in zip(trials, faults, strict=True) if not fault]
        return trials


def _fault(spec: GroundedSpec, candidate: Candidate, known: set[str]) -> str:
    return wording_fault(candidate, spec.options) or ("it was asked already" if candidate.question in known else "")


def _presence(place: QuestionPlace, candidate: Candidate, stretch: Stretch) -> str:
    texts = [place.document.corpus.read(start, end) for start, end in stretch.common]
    return presence_fault(candidate.options, texts, strict=False)


def _refuse(place: QuestionPlace, candidate: Candidate | None, step: str, why: str, funnel: Counter[str]) -> None:
    place.refused.append((candidate.question if candidate else "", why))
    if step != "nothing":
        funnel["written"] += 1
        funnel[step] += 1
    _record(place, candidate, "refused", step, why)


def _record(place: QuestionPlace, candidate: Candidate | None, outcome: str, step: str, why: str) -> None:
    written = {"question": candidate.question, "options": list(candidate.options)} if candidate else {}
    place.history.append({"passage": place.gold, "outcome": outcome, "step": step, "why": why, **written})


def _go_on(spec: GroundedSpec, place: QuestionPlace, free: FreePassages) -> None:
    """After a refusal: retry, or move to another passage."""
    exhausted = place.history[-1]["step"] == "nothing"
    if len(place.refused) < spec.tries and not exhausted:
        return
    before = None
    if place.moves < reach(spec):
        # Code is free, so it searches in both directions; a model follows the paper and goes back.
        place.tried.add(place.gold)
        before = free.claim(place, place.gold, back_only=not spec.by_code)
    place.refused.clear()
    if before is not None:
        place.gold = before
        place.moves += 1
    else:
        place.over = True
