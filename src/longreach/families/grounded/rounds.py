"""Steps 4 to 7: questions are written, tried out and refused in rounds, and everything that happens is recorded."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from .checks import STEPS, Check, Trial
from .passages import LongDocument
from .questions import Candidate, wording_fault
from .spec import GroundedSpec
from .windows import cut_window
from .writers import Job, QuestionWriter, Unwritten

__all__ = ["FUNNEL", "Place", "choose_places", "fill_places"]

FUNNEL = ("written", "malformed", "wording", *STEPS, "passed")
"""Steps of the build funnel in order; all but the first and the last count refusals."""


@dataclass
class Place:
    """Where a question is wanted: a depth of a long document."""

    id: str
    document: LongDocument
    depth: float
    gold: int
    """The passage tried now; in the end the real one."""
    accepted: Candidate | None = None
    moves: int = 0
    plain: bool = False
    """Whether a plain word may be asked for, as nothing better was found."""
    left: list[int] = field(default_factory=list)
    """Passages on which nothing better was found."""
    over: bool = False
    refused: list[tuple[str, str]] = field(default_factory=list)
    """Questions tried on the passage, with why they were refused."""
    history: list[dict[str, Any]] = field(default_factory=list)

    @property
    def open(self) -> bool:
        return self.accepted is None and not self.over


class _Ground:
    """Which passages of the long documents can still be gold at which depth."""

    def __init__(self, spec: GroundedSpec, lengths: Sequence[int]) -> None:
        self._spec = spec
        self._lengths = lengths
        self._claimed: set[tuple[str, int, int]] = set()

    def claim(self, document: LongDocument, depth: float, near: int, *, back_only: bool) -> int | None:
        """The free passage nearest to `near` at which every length keeps the depth, or nearest before it."""
        count = len(document.passages)
        steps = range(1, near + 1) if back_only else range(max(near, count - 1 - near) + 1)
        for step in steps:
            for passage in [near - step] if back_only or step == 0 else [near - step, near + step]:
                key = (document.domain, document.number, passage)
                if 0 <= passage < count and key not in self._claimed and self._fits(document, passage, depth):
                    self._claimed.add(key)
                    return passage
            if step > self._spec.moves + 1:
                break
        return None

    def _fits(self, document: LongDocument, passage: int, depth: float) -> bool:
        for length in self._lengths:
            window = cut_window(document.edges, passage, length, depth, self._spec.layout)
            if window is None or window.off(depth) > document.largest:
                return False
            if window.tokens < length - 2 * document.largest:
                return False
        return True


def choose_places(
    spec: GroundedSpec, documents: Sequence[LongDocument], lengths: Sequence[int], slug: Callable[[str], str]
) -> tuple[list[Place], _Ground]:
    """One place a document, depth and question asked for; a depth at which no passage can stand has none."""
    ground = _Ground(spec, lengths)
    longest = max(lengths)
    places: list[Place] = []
    for document in documents:
        whole = document.edges[-1]
        spare = whole - longest
        for depth in spec.depths:
            share = depth / 100
            room = min(spare, spec.moves * document.largest)
            first, last = share * longest + room, whole - (1 - share) * longest
            near = document.at(min(max(share * whole, first), last))
            for number in range(1, spec.questions + 1):
                name = f"{slug(document.domain)}-{document.number}-d{depth:g}"
                gold = ground.claim(document, depth, near, back_only=False)
                place = Place(name if spec.questions == 1 else f"{name}-{number}", document, depth, -1)
                if gold is None:
                    place.over = True
                    place.history.append({"outcome": "refused", "step": "place", "why": "no free passage stands here"})
                else:
                    place.gold = gold
                places.append(place)
    return places, ground


def fill_places(
    spec: GroundedSpec,
    places: Sequence[Place],
    ground: _Ground,
    lengths: Sequence[int],
    writer: QuestionWriter,
    checks: Sequence[Check],
    progress: Callable[[str], None],
) -> Counter[str]:
    """Try questions until every place has one or has run out; returns the funnel."""
    funnel: Counter[str] = Counter(dict.fromkeys(FUNNEL, 0))
    known: set[str] = set()
    number = 0
    while waiting := [place for place in places if place.open]:
        number += 1
        jobs = [Job(place.document, place.gold, tuple(place.refused), place.plain) for place in waiting]
        trials: list[tuple[Place, Trial]] = []
        for place, result in zip(waiting, writer.write(jobs), strict=True):
            if isinstance(result, Unwritten):
                _refuse(place, None, result.step, result.why, funnel)
                continue
            fault = wording_fault(result, spec.options) or ("it was asked already" if result.question in known else "")
            if fault:
                _refuse(place, result, "wording", fault, funnel)
            else:
                known.add(result.question)
                trial = Trial(place.id, result, place.document, place.gold, _inside(spec, place, lengths))
                trials.append((place, trial))
        for step in STEPS:
            for check in checks:
                faults = check.find(step, [trial for _, trial in trials])
                for (place, trial), fault in zip(trials, faults, strict=True):
                    if fault:
                        _refuse(place, trial.candidate, step, fault, funnel)
                trials = [pair for pair, fault in zip(trials, faults, strict=True) if not fault]
        for place, trial in trials:
            place.accepted = trial.candidate
            funnel["written"] += 1
            funnel["passed"] += 1
            _record(place, trial.candidate, "passed", "", "")
        for place in waiting:
            if place.open:
                _go_on(spec, place, ground)
        done = sum(place.accepted is not None for place in places)
        progress(f"round {number}: {done} of {len(places)} questions found, {sum(p.open for p in places)} to go")
    return funnel


def _inside(spec: GroundedSpec, place: Place, lengths: Sequence[int]) -> tuple[int, ...]:
    inside: set[int] = set()
    for length in lengths:
        window = cut_window(place.document.edges, place.gold, length, place.depth, spec.layout)
        inside.update(window.passages() if window else ())
    return tuple(sorted(inside))


def _refuse(place: Place, candidate: Candidate | None, step: str, why: str, funnel: Counter[str]) -> None:
    place.refused.append((candidate.question if candidate else "", why))
    if step != "nothing":
        funnel["written"] += 1
        funnel[step] += 1
    _record(place, candidate, "refused", step, why)


def _record(place: Place, candidate: Candidate | None, outcome: str, step: str, why: str) -> None:
    said = {"question": candidate.question, "options": list(candidate.options)} if candidate else {}
    place.history.append({"passage": place.gold, "outcome": outcome, "step": step, "why": why, **said})


def _go_on(spec: GroundedSpec, place: Place, ground: _Ground) -> None:
    """After a refusal: another try, or the passage before, or the end. Where code finds nothing better on any of the
    passages, it goes over them again for plain words."""
    exhausted = place.history[-1]["step"] == "nothing"
    if len(place.refused) < spec.tries and not exhausted:
        return
    before = None
    if exhausted and not place.plain:
        place.left.append(place.gold)
    if place.moves < spec.moves and not place.plain:
        before = ground.claim(place.document, place.depth, place.gold, back_only=True)
    place.refused.clear()
    if before is not None:
        place.gold = before
        place.moves += 1
    elif place.left:
        place.plain = True
        place.gold = place.left.pop(0)
    else:
        place.over = True
