"""A benchmark as a search sees it, in whole contexts that can be asked one by one, and what its answers are worth."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from longreach.core.bench import Bench
from longreach.core.formatting import value_label
from longreach.core.types import AxisValue, Item, Row, Verdict
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.families.showing import family_view, guessing_scores
from longreach.planning.prefix_tree import BenchPromptSource, PrefixTree
from longreach.stats.counting import axis_value, delivered, experiment_axes, experiment_values, sample
from longreach.stats.headline import size_axis
from longreach.stats.intervals import Floats, Ints, Sample

QUESTION, CONTEXT = 0.3, 0.1
"""Assumed correlation of answers to one question, and over one context."""
_RIGHT = Verdict(status="scored", value=1.0)


@dataclass(frozen=True)
class Aim:
    """One effective length to find: a question type of an experiment."""

    question_type: str
    experiment: tuple[AxisValue, ...]
    label: str
    """'literal', 'comb layout, literal'."""
    chance: float
    lengths: tuple[float, ...]
    places: Ints
    """Its rows."""
    length: Ints
    """Of each of these rows, the place of its length."""


@dataclass(frozen=True)
class ContextUnit:
    """Items that are asked together because they share a context, or are parts of one question."""

    items: tuple[str, ...]
    places: Ints
    """Rows that its items answer."""
    cost: int
    """Prefill tokens with an empty cache at its start."""
    tokens: int
    """Input tokens."""
    size: float
    axes: tuple[tuple[str, AxisValue], ...]
    """Depth, fact set and all else that a search balances."""
    worth: dict[int, tuple[int, float]]
    """By aim: the place of its length, and how many independent answers it is worth."""


class SearchGrid:
    """The rows of a full run, without answers."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        family = get_family(bench.info.family)
        chances = guessing_scores({bench.info.digest: bench}).get(family.name, {})
        self.family = family_view(family.name).model_copy(update={"chances": chances})
        self.axis = size_axis(self.family)
        full = family.counted_rows(_full_rows(bench), {bench.info.digest: bench})
        self.rows = [row for row in full if self._size(row) is not None]
        if self.axis is None or not self.rows:
            raise BadInput(
                f"{bench.folder}: this {family.name} benchmark has no lengths to search over; leave out --search"
            )
        self._experiment_axes = experiment_axes(self.rows, self.family)
        self._place = {(item, row.question): place for place, row in enumerate(self.rows) for item in row.items}
        self.sample: Sample = sample(self.rows)
        self.aims = self._aims()
        self.units = self._units()
        self.unit_of = {item: number for number, unit in enumerate(self.units) for item in unit.items}

    def values(self, rows: Iterable[Row]) -> Floats:
        """The delivered score of every row of a full run; NaN where there is none."""
        found = np.full(len(self.rows), np.nan)
        for row in rows:
            place = self._place.get((row.item, row.question))
            if place is not None and (score := delivered(row)) is not None:
                found[place] = score
        return found

    @cached_property
    def prefill_tokens(self) -> int:
        """Prefill tokens of all units in one run, every shared prefix computed once."""
        return self.prefill(range(len(self.units)))

    @cached_property
    def input_tokens(self) -> int:
        """Input tokens of all units."""
        return sum(unit.tokens for unit in self.units)

    def items(self, units: Iterable[int]) -> list[Item]:
        """The items of some units."""
        return [self.bench.items[item] for unit in units for item in self.units[unit].items]

    def prefill(self, units: Iterable[int]) -> int:
        """Prefill tokens of some units in one run, every shared prefix computed once."""
        return PrefixTree(self.items(units), self._wording).distinct_tokens

    @cached_property
    def _wording(self) -> BenchPromptSource:
        return BenchPromptSource(self.bench)

    def _size(self, row: Row) -> float | None:
        value = axis_value(row, self.axis.name) if self.axis else None
        return float(value) if isinstance(value, int | float) else None

    def _aims(self) -> tuple[Aim, ...]:
        groups: dict[tuple[tuple[AxisValue, ...], str], list[int]] = {}
        for place, row in enumerate(self.rows):
            key = (experiment_values(row, self._experiment_axes), row.question_type)
            groups.setdefault(key, []).append(place)
        aims = []
        for (experiment, kind), places in groups.items():
            sizes = [self._size(self.rows[place]) or 0.0 for place in places]
            lengths = tuple(sorted(set(sizes)))
            named = [
                f"{value_label(axis, value)} {axis.title.lower()}"
                for axis, value in zip(self._experiment_axes, experiment, strict=True)
                if axis.name != "question_type"
            ]
            aims.append(
                Aim(
                    question_type=kind,
                    experiment=experiment,
                    label=", ".join([*named, kind]),
                    chance=self.family.chance_of(kind),
                    lengths=lengths,
                    places=np.array(places),
                    length=np.array([lengths.index(size) for size in sizes]),
                )
            )
        return tuple(aims)

    def _units(self) -> tuple[ContextUnit, ...]:
        groups = _joined(
            [
                *[(item.id, item.context.sha256) for item in self._items() if item.context.tokens],
                *[(item, f"row {place}") for place, row in enumerate(self.rows) for item in row.items],
            ]
        )
        aim_of = np.zeros(len(self.rows), dtype=np.int64)
        length_of = np.zeros(len(self.rows), dtype=np.int64)
        for number, aim in enumerate(self.aims):
            aim_of[aim.places] = number
            length_of[aim.places] = aim.length
        places: dict[str, list[int]] = {}
        for place, row in enumerate(self.rows):
            places.setdefault(groups[row.item], []).append(place)
        items: dict[str, list[str]] = {}
        for item in self._items():
            items.setdefault(groups[item.id], []).append(item.id)
        return tuple(self._unit(items[name], np.array(own), aim_of, length_of) for name, own in places.items())

    def _unit(self, items: Sequence[str], places: Ints, aim_of: Ints, length_of: Ints) -> ContextUnit:
        own = [self.bench.items[item] for item in items]
        worth: dict[int, tuple[int, float]] = {}
        for aim in np.unique(aim_of[places]).tolist():
            answers = places[aim_of[places] == aim]
            worth[aim] = int(length_of[answers].max()), _worth(self.sample, answers)
        first = self.rows[places[0]]
        passed = {self.axis.name if self.axis else "", "prompt", "question_type", "block", "sample"}
        passed |= {axis.name for axis in self.family.axes if axis.experiment}
        return ContextUnit(
            items=tuple(items),
            places=places,
            cost=PrefixTree(own, self._wording).distinct_tokens,
            tokens=sum(item.tokens for item in own),
            size=self._size(first) or 0.0,
            axes=tuple((name, value) for name, value in first.cell.items() if name not in passed),
            worth=worth,
        )

    def _items(self) -> list[Item]:
        """The items behind the rows, in the benchmark's order."""
        asked = {item for row in self.rows for item in row.items}
        return [item for item in self.bench.items.values() if item.id in asked]


def _full_rows(bench: Bench) -> list[Row]:
    """The rows of a full run, all right."""
    rows = []
    for item in bench.items.values():
        for name in item.questions:
            question = bench.questions[name]
            rows.append(
                Row.model_construct(
                    model="",
                    family=bench.info.family,
                    bench=bench.info.digest,
                    item=item.id,
                    question=name,
                    question_type=question.question_type,
                    cell=item.cell,
                    realised=item.realised,
                    context=item.context.sha256[:16] if item.context.tokens else item.id,
                    verdict=_RIGHT,
                    tokens_in=item.tokens,
                    tokens_cached=0,
                    tokens_out=0,
                    seconds=0.0,
                    cost=None,
                )
            )
    return rows


def _worth(answers: Sample, places: Ints) -> float:
    """How many independent answers some answers over one context are worth, under the usual correlations."""
    count = len(places)
    design = 1.0
    for labels, shared in zip((answers.question, answers.context), (QUESTION, CONTEXT), strict=True):
        sizes = np.unique(labels[places], return_counts=True)[1].astype(np.float64)
        design += shared * (float((sizes**2).sum()) / count - 1)
    return count / design


def _joined(pairs: Iterable[tuple[str, str]]) -> Mapping[str, str]:
    """Groups of names that are connected through shared labels: name -> its group."""
    above: dict[str, str] = {}

    def root(name: str) -> str:
        while above.setdefault(name, name) != name:
            above[name] = above[above[name]]
            name = above[name]
        return name

    names = []
    for name, label in pairs:
        names.append(name)
        above[root(f"label {label}")] = root(f"name {name}")
    return {name: root(f"name {name}") for name in names}


_SHOWING = 3.0
"""How many contexts of undecided answers weigh as much as the assumption."""


@dataclass(frozen=True)
class Answers:
    """The answers so far to the questions of one aim."""

    counts: Ints
    """By length."""
    shares: Floats
    """Right, by length; 0 where there is none."""
    questions: Floats
    """By length: how often a question repeats, on average over answers."""
    contexts: Floats
    """By length: the same for contexts."""
    values: Floats
    length: Ints
    context: Ints

    @classmethod
    def of(cls, sample: Sample, aim: Aim, values: Floats) -> Answers:
        """From the scores of a full run's rows; NaN where there is none."""
        known = ~np.isnan(values[aim.places])
        own, length = aim.places[known], aim.length[known]
        scores, size = values[own], len(aim.lengths)
        counts = np.bincount(length, minlength=size)
        most = np.maximum(counts, 1)
        return cls(
            counts=counts,
            shares=np.bincount(length, weights=scores, minlength=size) / most,
            questions=_repeats(sample.question[own], length, size) / most,
            contexts=_repeats(sample.context[own], length, size) / most,
            values=scores,
            length=length,
            context=sample.context[own],
        )

    def worths(self, context: float) -> Floats:
        """By length, how many independent answers these are worth, if answers over one context correlate so much."""
        design = 1 + QUESTION * np.maximum(self.questions - 1, 0) + context * np.maximum(self.contexts - 1, 0)
        return np.asarray(self.counts / design)

    def correlation(self, means: Floats) -> float:
        """The correlation of answers over one context, around a curve; near the assumed one where few answers show
        it."""
        if not len(self.values):
            return CONTEXT
        expected = np.clip(means[self.length], 0.005, 0.995)
        spread = expected * (1 - expected)
        residual = self.values - expected
        _, code, sizes = np.unique(self.context, return_inverse=True, return_counts=True)
        pairs = np.bincount(code, weights=residual) ** 2 - np.bincount(code, weights=residual**2)
        possible = np.bincount(code, weights=spread) * (sizes - 1)
        several = sizes > 1
        if not several.any():
            return CONTEXT
        shown = float(4 * (np.bincount(code, weights=spread) / sizes)[several].sum())
        found = float(pairs[several].sum() / possible[several].sum())
        return float(np.clip((_SHOWING * CONTEXT + shown * found) / (_SHOWING + shown), 0.02, 1.0))


def _repeats(labels: Ints, length: Ints, size: int) -> Floats:
    """By length, the sum of squares of the counts of each label."""
    if not len(labels):
        return np.zeros(size)
    pairs, counts = np.unique(labels * size + length, return_counts=True)
    squares = np.bincount(pairs % size, weights=counts.astype(np.float64) ** 2, minlength=size)
    return np.asarray(squares, dtype=np.float64)
