"""Rows grouped into tables, the cells of heatmaps and the points of curves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, Generic, NamedTuple, TypeVar

from longreach.core.figure import Axis, Column, Curve, Entry, FamilyView, Heatmap, Table, Unit
from longreach.core.types import AxisValue, Estimate, Frozen, Row, Spread

from .counting import Columns, Tally, axis_value, columns_of, delivered, experiment_axes, sample, tally
from .intervals import Sample, difference_estimate, spread

C = TypeVar("C")
T = TypeVar("T")
K = TypeVar("K", bound=Hashable)


def grouped(values: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Values by a key, both in order of appearance."""
    groups: dict[K, list[T]] = {}
    for value in values:
        groups.setdefault(key(value), []).append(value)
    return groups


class MeasuredColumn(NamedTuple):
    """A column of numbers, each of one group."""

    title: str
    unit: Unit
    of: Callable[[Any], Entry]


def table_by(
    id: str,
    title: str,
    keys: Sequence[Column],
    groups: Mapping[Any, Any],
    measures: Iterable[MeasuredColumn],
    *,
    note: str = "",
    published: Sequence[tuple[Entry, ...]] = (),
) -> Table:
    """One row per group, with its key and its measures; published rows, which have as many entries, come last."""
    measures = tuple(measures)
    rows = [(*key, *(each.of(group) for each in measures)) for key, group in groups.items()]
    return Table(
        id=id,
        title=title,
        note=note,
        columns=(*keys, *(Column(title=each.title, unit=each.unit) for each in measures)),
        rows=(*rows, *published),
        references=tuple(range(len(rows), len(rows) + len(published))),
    )


class Series(Frozen, Generic[C]):
    """One map or curve: a model, one combination of the `by` axes, and what was counted at each tested place."""

    model: str
    by: tuple[tuple[str, AxisValue], ...]
    axes: tuple[tuple[AxisValue, ...], ...]
    cells: dict[tuple[AxisValue, ...], C]
    """In reading order: row by row, and along each row."""


class Difference(Frozen):
    """Delivered accuracy under one setting less that under another, on the same questions."""

    estimate: Estimate | None
    """None if no question has a result under both."""
    left_out: int
    """Answers under either setting without a partner: asked only once, or lost to a fault."""
    rows: tuple[int, ...]


_Group = tuple[str, tuple[AxisValue, ...]]
_NOTHING = ""


def ordered(values: Iterable[AxisValue], axis: Axis) -> tuple[AxisValue, ...]:
    """Distinct values in display order: by size, or as the axis declares and then in order of appearance."""
    distinct = list(dict.fromkeys(values))
    if axis.scale != "names" and not any(isinstance(value, str) for value in distinct):
        return tuple(sorted(distinct, key=float))
    place = {name: index for index, name in enumerate(axis.values)}
    return tuple(sorted(distinct, key=lambda value: place.get(str(value), len(place))))


def tallies(chart: Heatmap | Curve, family: FamilyView, rows: Sequence[Row]) -> tuple[Series[Tally], ...]:
    """The maps or lines of a chart, by model and then by combination. Rows without one of its axes are left out."""
    rows = tuple(rows)
    place, by = ((chart.x, chart.y), chart.by) if isinstance(chart, Heatmap) else ((chart.x,), chart.lines)
    return _series(place, _parted(by, family, rows), family, rows, lambda members: tally(rows, members))


def difference_maps(
    chart: Heatmap, family: FamilyView, rows: Sequence[Row], axis: str, plus: AxisValue, minus: AxisValue
) -> tuple[Series[Difference], ...]:
    """The maps of a chart for `plus` less `minus` on one of its `by` axes, paired on the same question and cell."""
    rows = tuple(rows)

    def count(members: Sequence[int]) -> Difference | None:
        found = setting_difference(rows, members, axis, plus, minus)
        return found if found.rows else None

    rest = tuple(name for name in _parted(chart.by, family, rows) if name != axis)
    found = _series((chart.x, chart.y), rest, family, rows, count)
    return tuple(each for each in found if any(cell.estimate for cell in each.cells.values()))


def _series(
    place: Sequence[str],
    by: Sequence[str],
    family: FamilyView,
    rows: Sequence[Row],
    count: Callable[[Sequence[int]], C | None],
) -> tuple[Series[C], ...]:
    found = []
    for (model, combination), places in _grouped(rows, family, by, place).items():
        cells = {at: cell for at, members in places.items() if (cell := count(members)) is not None}
        axes = tuple(ordered((at[n] for at in cells), family.axis(name)) for n, name in enumerate(place))
        order = [dict(zip(values, range(len(values)), strict=True)) for values in axes]
        inside = sorted(cells, key=lambda at: [ranks[value] for ranks, value in zip(order, at, strict=True)][::-1])
        named = tuple(zip(by, combination, strict=True))
        found.append(Series[Any](model=model, by=named, axes=axes, cells={at: cells[at] for at in inside}))
    return tuple(found)


def _parted(by: Sequence[str], family: FamilyView, rows: Sequence[Row]) -> tuple[str, ...]:
    """The axes of a chart, and those whose values must never be pooled."""
    return (*by, *(axis.name for axis in experiment_axes(rows, family) if axis.name not in by))


def _grouped(
    rows: Sequence[Row], family: FamilyView, by: Sequence[str], place: Sequence[str]
) -> dict[_Group, dict[tuple[AxisValue, ...], list[int]]]:
    """Row indexes by (model, combination) and then by place; models in order of appearance, combinations in axis
    order."""
    # A row that does not name its experiment forms one by itself and is not dropped.
    missing = [_NOTHING if family.axis(name).experiment else None for name in by]
    groups: dict[_Group, dict[tuple[AxisValue, ...], list[int]]] = defaultdict(lambda: defaultdict(list))
    for index, row in enumerate(rows):
        if row.family != family.name:
            continue
        found = (axis_value(row, name) for name in by)
        combination = [
            v
            for value, other in zip(found, missing, strict=True)
            if (v := other if value is None else value) is not None
        ]
        where = [value for name in place if (value := axis_value(row, name)) is not None]
        if len(combination) == len(by) and len(where) == len(place):
            groups[row.model, tuple(combination)][tuple(where)].append(index)
    models = {model: number for number, model in enumerate(dict.fromkeys(model for model, _ in groups))}
    orders = [
        {value: number for number, value in enumerate(ordered((values[i] for _, values in groups), family.axis(name)))}
        for i, name in enumerate(by)
    ]

    def rank(group: _Group) -> tuple[int, ...]:
        model, combination = group
        return (models[model], *(order[value] for order, value in zip(orders, combination, strict=True)))

    return {group: groups[group] for group in sorted(groups, key=rank)}


def setting_difference(
    rows: tuple[Row, ...], members: Iterable[int], axis: str, plus: AxisValue, minus: AxisValue
) -> Difference:
    """`plus` less `minus` on one axis, over those of `members` that ask the same question in otherwise equal cells."""
    sides: dict[AxisValue, dict[Hashable, list[int]]] = {plus: defaultdict(list), minus: defaultdict(list)}
    asked: list[int] = []
    for index in members:
        row = rows[index]
        value = axis_value(row, axis)
        if value is not None and value in sides:
            asked.append(index)
            rest = tuple(sorted((name, v) for name, v in row.cell.items() if name != axis))
            sides[value][row.bench, row.question, row.question_type, rest].append(index)
    pairs = [
        (up, down) for key, ups in sides[plus].items() for up, down in zip(ups, sides[minus].get(key, []), strict=False)
    ]
    gaps = columns_of(rows).gaps(pairs)
    estimate = difference_estimate(gaps) if len(gaps) else None
    return Difference(estimate=estimate, left_out=len(asked) - 2 * len(gaps), rows=tuple(asked))


def paired_gaps(pairs: Sequence[tuple[Row, Row]], score: Callable[[Row], float | None] = delivered) -> Sample:
    """Differences of the first and the second, where both were delivered."""
    columns = Columns([row for pair in pairs for row in pair])
    return columns.gaps([(2 * number, 2 * number + 1) for number in range(len(pairs))], score)


def best_and_worst(rows: Sequence[Row], names: Sequence[str]) -> Spread | None:
    """The distance between the best and the worst of several groups of rows, by delivered accuracy; one name per
    row."""
    counted = [(row, name) for row, name in zip(rows, names, strict=True) if delivered(row) is not None]
    return spread(sample([row for row, _ in counted]), [name for _, name in counted])
