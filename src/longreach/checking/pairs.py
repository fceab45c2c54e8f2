"""Questions answered by both sides: pairs of rows, and what changed from the first to the second."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

import numpy as np

from longreach.core.bench import Bench
from longreach.core.figure import FamilyView
from longreach.core.statements import Outcome
from longreach.core.types import AxisValue, Cell, Estimate, Frozen, Row
from longreach.errors import BadInput, cut
from longreach.families import FAMILIES
from longreach.families.showing import family_view
from longreach.stats.counting import FAULTS, axis_value, delivered, experiment_axes, experiments, sample
from longreach.stats.headline import size_axis
from longreach.stats.intervals import simultaneous
from longreach.stats.paired import MARGIN, Moved, Shared, outcome_of
from longreach.stats.series import ordered

_EXAMPLES = 3
_LONG = 400
"""Answers and questions shown side by side are cut to this many characters."""
LENGTHLESS = "without lengths"


@dataclass(frozen=True)
class Pair:
    """One question as answered on both sides."""

    first: Row
    second: Row

    @property
    def gain(self) -> float:
        return (delivered(self.second) or 0.0) - (delivered(self.first) or 0.0)


class Unpaired(Frozen):
    """Questions that cannot be compared, for one reason."""

    family: str
    reason: str
    questions: int
    examples: tuple[str, ...]
    """A few of the items affected."""


class Match(Frozen):
    """One pair of sides: the first is before, the second after."""

    first: str
    second: str
    """Names of the sides: the models, or the folders if the model is the same."""
    models: tuple[str, str]
    pairs: int
    changes: tuple[Change, ...]
    flips: tuple[Flip, ...]
    unpaired: tuple[Unpaired, ...]
    margin: float = MARGIN
    """A loss of so many points is `worse`."""


@dataclass(frozen=True)
class Paired:
    """What could be paired, and what could not."""

    pairs: tuple[Pair, ...]
    """Asked on both sides, without a fault of provider or judge on either."""
    unpaired: tuple[Unpaired, ...]
    asked: tuple[Pair, ...]
    """Asked on both sides, faults included."""


class _Compared(Frozen):
    """Results that are compared together."""

    family: str
    experiment: str = ""
    """'comb layout', if there are several; they are never pooled."""
    question_type: str = ""
    """Empty: all question types."""
    axis: str = ""
    """The axis of `place`: the length."""
    place: AxisValue | None = None
    """None: all lengths."""

    @property
    def part(self) -> str:
        """The name of its family and experiment."""
        return f"{self.family}{f' ({self.experiment})' if self.experiment else ''}"

    @property
    def name(self) -> str:
        """'needles.literal (comb layout)', as rules write it."""
        kind = f".{self.question_type}" if self.question_type else ""
        return f"{self.family}{kind}{self.part.removeprefix(self.family)}"


class RowGroup(_Compared):
    """Such results by their rows' indexes."""

    members: tuple[int, ...]


class Change(_Compared):
    """A score before and after on the same questions."""

    first: float
    """Delivered accuracy on the paired questions. It has no interval of its own: whether two overlap is no test of a
    paired difference."""
    second: float
    difference: Estimate
    """The second's score minus the first's, paired."""
    outcome: Outcome
    """At a length, at the level that the number of lengths asks for."""
    better: int
    """Questions with a higher score on the second side."""
    worse: int

    @property
    def direction(self) -> str:
        """'better' or 'worse' if the change is shown, else empty."""
        if self.outcome in ("worse", "suspicious"):
            return "worse"
        return "better" if self.outcome == "better" else ""


class SideAnswer(Frozen):
    """One side's answer to a question."""

    answer: str
    value: float
    reason: str


class Flip(Frozen):
    """A question whose score changed."""

    family: str
    bench: str
    item: str
    question: str
    question_type: str
    cell: Cell
    text: str = ""
    """The question text, if the benchmark is available."""
    key: str = ""
    """The right answer."""
    first: SideAnswer
    second: SideAnswer

    @property
    def gain(self) -> float:
        return self.second.value - self.first.value


def match_models(
    first: Sequence[str], second: Sequence[str], names: tuple[str, str] = ("the first folder", "the second")
) -> list[tuple[str, str]]:
    """Which models to compare: those of the same name, or the only one of each side."""
    if same := [(model, model) for model in first if model in second]:
        return same
    if len(first) == len(second) == 1:
        return [(first[0], second[0])]
    raise BadInput(
        f"no model is both in {names[0]} ({', '.join(first)}) and in {names[1]} ({', '.join(second)}); "
        "say which to compare: --models FIRST,SECOND"
    )


def pair_rows(first: Sequence[Row], second: Sequence[Row], names: tuple[str, str] = ("A", "B")) -> Paired:
    """Rows of two models or runs, paired by benchmark, item, repeat and question."""
    sides = [{(row.bench, row.item, row.repeat, row.question): row for row in rows} for rows in (first, second)]
    benches = [{row.bench for row in rows} for rows in (first, second)]
    pairs: list[Pair] = []
    asked: list[Pair] = []
    left: dict[tuple[str, str], list[Row]] = {}
    for here, there in ((0, 1), (1, 0)):
        for key, row in sides[here].items():
            other = sides[there].get(key)
            if other is None:
                new = f"of benchmark {row.bench[:12]}, which was only asked in {names[here]}"
                known = f"asked in {names[here]}, not in {names[there]}"
                left.setdefault((row.family, known if row.bench in benches[there] else new), []).append(row)
            elif not here:
                asked.append(Pair(row, other))
                if reason := _fault(row, other, names):
                    left.setdefault((row.family, reason), []).append(row)
                else:
                    pairs.append(asked[-1])
    unpaired = [
        Unpaired(
            family=family,
            reason=reason,
            questions=len(rows),
            examples=tuple(dict.fromkeys(row.item for row in rows))[:_EXAMPLES],
        )
        for (family, reason), rows in left.items()
    ]
    unpaired.sort(key=lambda each: (each.family, -each.questions, each.reason))
    return Paired(tuple(pairs), tuple(unpaired), tuple(asked))


def changes(pairs: Sequence[Pair], confidence: float | None = None, margin: float = MARGIN) -> list[Change]:
    """Changes: per family and experiment overall, then by question type, then by length. Lengths allow for their
    number; with a `confidence`, every interval has it. `margin` is in points."""
    rows = [pair.second for pair in pairs]
    at = sample(rows, lambda _: 0.0)
    gaps = np.array([pair.gain for pair in pairs], dtype=np.float64)
    groups = row_groups(rows)
    lengths = Counter((group.part, group.question_type) for group in groups if group.place is not None)
    shared: dict[str, Shared] = {}
    found = []
    for group in groups:
        own = np.array(group.members, dtype=np.int64)
        # All lengths come first: a single length knows what they show.
        moved = Moved.between(gaps[own], at.context[own], at.strata[own])
        shared.setdefault(group.name, moved.contexts())
        shift = moved.shift(None, shared[group.name], None)
        if shift is None:
            continue
        several = simultaneous(lengths[group.part, group.question_type]) if group.place is not None else 0.95
        clear = shift.adjusted(confidence or several)
        sides = [pairs[index] for index in group.members]
        found.append(
            Change(
                **group.model_dump(exclude={"members"}),
                first=fmean(delivered(pair.first) or 0.0 for pair in sides),
                second=fmean(delivered(pair.second) or 0.0 for pair in sides),
                difference=shift.interval(confidence or 0.95),
                outcome=outcome_of(shift, clear, margin / 100),
                better=sum(pair.gain > 0 for pair in sides),
                worse=sum(pair.gain < 0 for pair in sides),
            )
        )
    return found


def row_groups(rows: Sequence[Row]) -> list[RowGroup]:
    """Which results are compared together: per family and experiment all, by question type, by length, by both."""
    found: list[RowGroup] = []
    met = {row.family for row in rows}
    for family in (name for name in FAMILIES if name in met):
        own, view = [i for i, row in enumerate(rows) if row.family == family], family_view(family)
        parted = experiments(rows, view, own, experiment_axes(rows, view))
        parts = [(each.label, list(each.rows)) for each in parted]
        within = {index for _, members in parts for index in members}
        if rest := [index for index in own if index not in within]:
            parts.append((LENGTHLESS, rest))
        for label, members in parts:
            found += _groups(family, label, rows, members, view)
    return found


def gradable(row: Row) -> float | None:
    """1 if the answer could be graded, 0 if it was refused, cut or unreadable; None for a fault of provider or
    judge."""
    return None if row.verdict.status in FAULTS else float(row.verdict.status == "scored")


def flips(pairs: Sequence[Pair], benches: Mapping[str, Bench] | None = None) -> list[Flip]:
    """Questions whose score changed, the largest losses first, then the gains."""
    found = []
    for pair in sorted((pair for pair in pairs if pair.gain), key=lambda pair: (pair.gain > 0, -abs(pair.gain))):
        row = pair.second
        bench = (benches or {}).get(row.bench)
        asked = bench.questions.get(row.question) if bench else None
        found.append(
            Flip(
                family=row.family,
                bench=row.bench,
                item=row.item,
                question=row.question,
                question_type=row.question_type,
                cell=row.cell,
                text=_cut(asked.text) if asked else "",
                key=_cut(asked.key.answer) if asked else "",
                first=_side_answer(pair.first),
                second=_side_answer(pair.second),
            )
        )
    return found


def _groups(family: str, label: str, rows: Sequence[Row], members: Sequence[int], view: FamilyView) -> list[RowGroup]:
    """The groups of one experiment."""
    question_types = list(map(str, ordered((rows[i].question_type for i in members), view.axis("question_type"))))
    # Question types that are separate tasks have no meaningful mean.
    together = len(question_types) > 1 and not view.axis("question_type").experiment
    groups = {"": list(members)} if together else {}
    groups |= {kind: [i for i in members if rows[i].question_type == kind] for kind in question_types}
    axis = size_axis(view)
    name = axis.name if axis else ""
    about = {"family": family, "experiment": label}
    found = [RowGroup(**about, question_type=kind, members=tuple(own)) for kind, own in groups.items()]
    for kind, own in groups.items() if axis else ():
        places: dict[AxisValue, list[int]] = {}
        for i in own:
            if (value := axis_value(rows[i], name)) is not None:
                places.setdefault(value, []).append(i)
        for place in ordered(places, axis) if axis and len(places) > 1 else ():
            at = about | {"question_type": kind, "axis": name, "place": place}
            found.append(RowGroup(**at, members=tuple(places[place])))
    return found


def _fault(first: Row, second: Row, names: tuple[str, str]) -> str:
    """Why two answers to one question cannot be compared; empty if they can."""
    ended = [row.verdict.status for row in (first, second)]
    sides = [("both", ended[0])] if ended[0] == ended[1] else zip(names, ended, strict=True)
    found = (f"{status.replace('_', ' ')} in {name}" for name, status in sides if status in FAULTS)
    return " and ".join(found)


def _side_answer(row: Row) -> SideAnswer:
    return SideAnswer(answer=_cut(row.verdict.answer), value=delivered(row) or 0.0, reason=_cut(row.verdict.reason))


def _cut(text: str) -> str:
    return cut(" ".join(text[: 8 * _LONG].split()), _LONG)
