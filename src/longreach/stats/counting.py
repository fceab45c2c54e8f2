"""What counts: which results may be pooled, the two accuracies, and the tally of a group of questions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import replace

import numpy as np

from longreach.core.figure import Axis, FamilyView
from longreach.core.formatting import value_label
from longreach.core.types import STATUSES, AxisValue, Estimate, Frozen, Row

from .intervals import (
    Correlations,
    Floats,
    Ints,
    Sample,
    balance,
    claimed,
    codes,
    difference_estimate,
    mean_estimate,
    parted,
)

# Which results may be pooled: different experiments never are, and results without a length do not enter statements
# about lengths.


class Experiment(Frozen):
    """Results that may be pooled."""

    values: tuple[AxisValue, ...]
    """One per axis of `experiment_axes`."""
    label: str
    """'comb layout'; empty if it is the default one and there is no other."""
    rows: tuple[int, ...]


def with_lengths(rows: Sequence[Row], family: FamilyView, members: Iterable[int]) -> list[int]:
    """Those of `members` that have a length, if the family has such an axis and any of them does; else all."""
    every = list(members)
    axis = family.length_axis()
    return [i for i in every if axis.name in rows[i].cell] or every if axis else every


def experiment_axes(rows: Sequence[Row], family: FamilyView) -> tuple[Axis, ...]:
    """The family's experiment axes on which these rows have more than one value."""
    declared = [axis for axis in family.axes if axis.experiment]
    if not declared:
        return ()
    own = with_lengths(rows, family, (i for i, row in enumerate(rows) if row.family == family.name))
    return tuple(axis for axis in declared if len({rows[i].cell.get(axis.name, "") for i in own}) > 1)


def experiment_values(row: Row, axes: Sequence[Axis]) -> tuple[AxisValue, ...]:
    """A row's values on these axes; empty text on one that it does not have."""
    return tuple(row.cell.get(axis.name, "") for axis in axes)


def experiments(
    rows: Sequence[Row], family: FamilyView, members: Iterable[int], axes: Sequence[Axis]
) -> tuple[Experiment, ...]:
    """`members` split by experiment, in the order of the axes' values; those without a length are left out if others
    have one. `axes` are the family's `experiment_axes`."""
    groups: dict[tuple[AxisValue, ...], list[int]] = {}
    for index in with_lengths(rows, family, members):
        groups.setdefault(experiment_values(rows[index], axes), []).append(index)

    def rank(values: tuple[AxisValue, ...]) -> list[int]:
        return [
            axis.values.index(str(value)) if str(value) in axis.values else len(axis.values)
            for axis, value in zip(axes, values, strict=True)
        ]

    return tuple(
        Experiment(values=values, label=_label(rows[groups[values][0]], family, axes), rows=tuple(groups[values]))
        for values in sorted(groups, key=rank)
    )


def _label(row: Row, family: FamilyView, axes: Sequence[Axis]) -> str:
    """The experiment's name, if there are several or only an unusual one."""
    parts = []
    for axis in family.axes:
        value = row.cell.get(axis.name)
        if axis.experiment and value is not None and (axis in axes or not axis.is_usual(value)):
            parts.append(f"{value_label(axis, value)} {axis.title.lower()}")
    return ", ".join(parts)


# What counts: the two accuracies, what answers have in common, and the tally of a group of questions.

FAULTS = ("error", "judge_failed")
"""Faults of the provider or the judge, not of the model: in no accuracy, counted separately."""
_GRADED = ("scored", "truncated")
GROUPS = ("fact_set", "document", "story", "book")
"""Axes whose values group several related questions; any family may use them in its cells."""
SIZES = ("length", "n")
"""Axes along which the input grows: fixed by design, so that differences along them are no uncertainty."""


class Tally(Frozen):
    """The counts and accuracies of a group of questions."""

    asked: int
    faults: int
    """Of them, lost to the provider or the judge: in no accuracy."""
    scored: int
    """Of them, answered in a gradable form."""
    undecided: int = 0
    """Of them, those that the key is not certain of and no judge has decided: in no accuracy right, in its interval
    right or wrong."""
    contexts: int
    right: float
    delivered: Estimate | None
    """Right of all asked, without faults: what a user gets. None if nothing is left."""
    answered: Estimate | None
    """Right of answered: without refusals, format errors, truncated answers, overflows and cut prompts. None if none
    was answered."""
    statuses: dict[str, int]
    rows: tuple[int, ...]

    def claimed(self) -> Tally:
        """The same about all contexts of this kind: without intervals if there are too few of them."""
        rates = {
            name: value and claimed(value, self.contexts)
            for name, value in (("delivered", self.delivered), ("answered", self.answered))
        }
        return self.model_copy(update=rates)

    @property
    def counted(self) -> int:
        """Questions in the delivered accuracy."""
        return self.asked - self.faults

    @property
    def not_scored(self) -> str:
        """'2 truncated, 1 tool call': what could not be graded; empty if everything could."""
        lost = [(status, n) for status, n in self.statuses.items() if n and status != "scored"]
        return ", ".join(f"{n} {status.replace('_', ' ')}" for status, n in lost)


def undecided(row: Row) -> bool:
    return row.verdict.status == "scored" and not row.verdict.certain and row.verdict.judge is None


def delivered(row: Row) -> float | None:
    """The score that a user certainly got: 0 if refused, too long, unreadable or undecided; a truncated answer gets its
    partial credit, if the family gives any; None for a fault."""
    if row.verdict.status in FAULTS:
        return None
    if undecided(row):
        return 0.0
    return row.verdict.value or 0.0 if row.verdict.status in _GRADED else 0.0


def at_best(row: Row) -> float | None:
    """The delivered score if every undecided answer is right."""
    return 1.0 if undecided(row) else delivered(row)


def answered(row: Row) -> float | None:
    """The score of a graded answer; None for everything else."""
    return row.verdict.value if row.verdict.status == "scored" and not undecided(row) else None


def wrong_at_worst(row: Row) -> float | None:
    """The wrong part of an answer if every undecided one is wrong."""
    return 1.0 if undecided(row) else wrong(row)


def wrong(row: Row) -> float | None:
    """The certainly wrong part of a graded answer; 0 if there was none, None for a fault."""
    if row.verdict.status in FAULTS:
        return None
    if undecided(row):
        return 0.0
    return 1 - (row.verdict.value or 0.0) if row.verdict.status == "scored" else 0.0


def axis_value(row: Row, name: str) -> AxisValue | None:
    return row.question_type if name == "question_type" else row.cell.get(name)


def sample(rows: Sequence[Row], score: Callable[[Row], float | None] = delivered) -> Sample:
    """The scores of some rows, with what they have in common: question, context, larger groups."""
    return Columns(rows).sample(score=score)


class Columns:
    """Rows as arrays: each row is looked at once, however many groups it is counted in."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._every = np.arange(len(rows), dtype=np.int64)
        self._question = codes((row.bench, row.question) for row in rows)
        self._context = codes(map(_context, rows))
        self._size = codes(map(_size, rows))
        self._undecided = np.fromiter(map(undecided, rows), dtype=np.bool_)
        self._status = np.fromiter((STATUSES.index(row.verdict.status) for row in rows), dtype=np.int64)
        self._groups = []
        for name in GROUPS:
            has = np.fromiter((name in row.cell for row in rows), dtype=np.bool_)
            if has.any():
                self._groups.append((has, codes((row.bench, row.cell.get(name)) for row in rows)))
        repeats = any(row.repeat > 1 for row in rows)
        self._repeated = codes((row.model, row.bench, row.item, row.question) for row in rows) if repeats else None
        self._pool = codes((row.model, row.family, row.question_type) for row in rows)
        self._type = codes(row.question_type for row in rows)
        self._correlations: dict[int, Correlations] = {}
        self._alike: dict[Hashable, Correlations] = {}
        self._scores: dict[Callable[[Row], float | None], Floats] = {}
        self.tallies: dict[tuple[int, ...], Tally] = {}
        """Those made so far: the same cells stand in several tables and charts."""

    def sample(self, members: Sequence[int] | None = None, score: Callable[[Row], float | None] = delivered) -> Sample:
        """The scores of some rows by their indexes, with what they have in common; those without one are left out."""
        places = self._every if members is None else np.asarray(members, dtype=np.int64)
        values = self._score(score)[places]
        known = ~np.isnan(values)
        found = self._at(places[known], values[known])
        pools = np.unique(self._pool[places])
        return replace(found, run=self._run(int(pools[0]))) if len(pools) == 1 else found

    def _run(self, pool: int) -> Correlations:
        """How alike the answers of one model and question type are, all lengths together."""
        if pool not in self._correlations:
            places = np.flatnonzero(self._pool == pool)
            values = self._score(delivered)[places]
            known = ~np.isnan(values)
            self._correlations[pool] = Correlations.of(self._at(places[known], values[known]))
        return self._correlations[pool]

    def gaps(self, pairs: Sequence[tuple[int, int]], score: Callable[[Row], float | None] = delivered) -> Sample:
        """Differences of the first and the second, by their indexes, where both have a score."""
        return self._at(*self._gaps(pairs, score, score))

    def _gaps(
        self, pairs: Sequence[tuple[int, int]], up: Callable[[Row], float | None], down: Callable[[Row], float | None]
    ) -> tuple[Ints, Floats]:
        ups, downs = np.asarray(pairs, dtype=np.int64).reshape(-1, 2).T
        gaps = self._score(up)[ups] - self._score(down)[downs]
        known = ~np.isnan(gaps)
        return ups[known], gaps[known]

    def gap_over_types(
        self, pairs: Sequence[tuple[int, int]], whole: tuple[tuple[int, int], ...], confidence: float
    ) -> Estimate | None:
        """Delivered accuracy of the first less the second over some question types, each with the same weight. Each end
        of the interval is what undecided answers allow at most. How alike differences are is estimated from `whole`,
        those of all lengths."""

        def gap(up: Callable[[Row], float | None], down: Callable[[Row], float | None]) -> Estimate | None:
            gaps, types = self._typed(*self._gaps(pairs, up, down))
            if not len(gaps):
                return None
            if (whole, up, down) not in self._alike:
                self._alike[whole, up, down] = Correlations.of(self._typed(*self._gaps(whole, up, down))[0])
            found = difference_estimate(replace(gaps, run=self._alike[whole, up, down]), confidence, balance(types))
            least = min(gaps.at(np.flatnonzero(types == each)).contexts for each in np.unique(types))
            return claimed(found, least, -1.0)

        found = gap(delivered, delivered)
        if found is None or found.few or not self.undecided([place for pair in pairs for place in pair]):
            return found
        least, most = gap(delivered, at_best), gap(at_best, delivered)
        return found.model_copy(update={"low": least.low, "high": most.high}) if least and most else found

    def _typed(self, places: Ints, values: Floats) -> tuple[Sample, Ints]:
        """A sample whose question types are a design of their own, and its types."""
        types = self._type[places]
        return parted(self._at(places, values), types), types

    def _score(self, score: Callable[[Row], float | None]) -> Floats:
        if score not in self._scores:
            found = (score(row) for row in self._rows)
            self._scores[score] = np.fromiter((np.nan if v is None else v for v in found), dtype=np.float64)
        return self._scores[score]

    def _at(self, places: Ints, values: Floats) -> Sample:
        return Sample(
            values=values,
            question=self._question[places],
            context=self._context[places],
            groups=tuple(group[places] for has, group in self._groups if len(places) and has[places].all()),
            strata=self._size[places],
            repeated=None if self._repeated is None else self._repeated[places],
        )

    def contexts(self, members: Sequence[int]) -> int:
        return len(np.unique(self._context[np.asarray(members, dtype=np.int64)]))

    def undecided(self, members: Sequence[int]) -> int:
        return int(self._undecided[np.asarray(members, dtype=np.int64)].sum())

    def mean(
        self, members: Sequence[int], score: Callable[[Row], float | None], most: Callable[[Row], float | None]
    ) -> Estimate | None:
        """A mean whose interval ends where undecided answers all count for it: `most` is the score then."""
        found = self.sample(members, score)
        if not len(found):
            return None
        mean = mean_estimate(found)
        if not self.undecided(members) or mean.few:
            return mean
        return mean.model_copy(update={"high": mean_estimate(self.sample(members, most)).high})

    def statuses(self, members: Sequence[int]) -> dict[str, int]:
        counted = np.bincount(self._status[np.asarray(members, dtype=np.int64)], minlength=len(STATUSES))
        return dict(zip(STATUSES, counted.tolist(), strict=True))


_last: list[tuple[tuple[Row, ...], Columns]] = []


def columns_of(rows: tuple[Row, ...]) -> Columns:
    """The columns of some rows; asked for again, they are not made again."""
    if not _last or _last[0][0] is not rows:
        _last[:] = [(rows, Columns(rows))]
    return _last[0][1]


def tally(rows: Sequence[Row], members: Iterable[int] | None = None) -> Tally:
    """Count some rows; `members` are their indexes, by default all. For many groups of the same rows give a tuple."""
    places = tuple(range(len(rows)) if members is None else members)
    columns, own = (
        (columns_of(rows), places)
        if isinstance(rows, tuple)
        else (Columns([rows[place] for place in places]), range(len(places)))
    )
    if own is places and (known := columns.tallies.get(places)):
        return known
    statuses = columns.statuses(own)
    graded = columns.sample(own, answered)
    # If everything was scored, the two accuracies are the same number.
    whole = len(graded) == len(places)
    right_of_all = columns.mean(own, delivered, at_best)
    right_of_answered = mean_estimate(graded) if len(graded) and not whole else None
    found = Tally(
        asked=len(places),
        faults=sum(statuses[status] for status in FAULTS),
        scored=statuses["scored"],
        undecided=columns.undecided(own),
        contexts=columns.contexts(own),
        right=float(graded.values.sum()),
        delivered=right_of_all,
        answered=right_of_all if whole else right_of_answered,
        statuses=statuses,
        rows=places,
    )
    if own is places:
        columns.tallies[places] = found
    return found


def delivered_rate(rows: Sequence[Row]) -> Estimate | None:
    """Delivered accuracy of some rows; None where there is none."""
    return tally(rows).delivered if rows else None


def _context(row: Row) -> Hashable:
    """Requests that differ only in their rules share one context: it is a cell without its prompt."""
    if row.context:
        return row.bench, row.context
    return row.bench, tuple(sorted((name, str(value)) for name, value in row.cell.items() if name != "prompt"))


def _size(row: Row) -> Hashable:
    return next((row.cell[name] for name in SIZES if name in row.cell), "")
