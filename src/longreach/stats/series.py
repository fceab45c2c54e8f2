"""Rows grouped into the cells of heatmaps and the points of curves."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from longreach.core.chart import Axis, Curve, Heatmap
from longreach.core.estimate import Estimate, Sample
from longreach.core.family_view import FamilyView
from longreach.core.item import AxisValue
from longreach.core.model import Frozen
from longreach.core.row import Row
from longreach.core.verdict import STATUSES

from .experiments import experiment_axes
from .intervals import paired_difference, pooled_mean, wilson

__all__ = [
    "Difference",
    "DifferenceMap",
    "Line",
    "Map",
    "Point",
    "Tally",
    "axis_value",
    "curves",
    "difference_maps",
    "heatmaps",
    "length_samples",
    "lone_tally",
    "ordered",
    "pooled_tally",
    "sample",
]

ENOUGH_CLUSTERS = 5
"""Fewer groups than this are resampled one level finer: from stories to items to single questions."""


class Tally(Frozen):
    """What became of a group of questions. The score is over scored questions only, and all are counted."""

    asked: int
    scored: int
    right: float
    """Sum of the scores."""
    score: Estimate | None
    """None where nothing could be scored."""
    statuses: dict[str, int]
    """Count of every status, zero included."""
    items: tuple[str, ...]
    """Ids of the items behind it."""
    rows: tuple[int, ...]
    """Places of the rows behind it, in the rows that were grouped."""


class Map(Frozen):
    """One heatmap: a model, one combination of the `by` axes, and a tally for each tested place."""

    model: str
    by: tuple[tuple[str, AxisValue], ...]
    xs: tuple[AxisValue, ...]
    ys: tuple[AxisValue, ...]
    cells: dict[tuple[AxisValue, AxisValue], Tally]
    """By (x, y); a place that was never asked is not there."""


class Difference(Frozen):
    """A score under one setting less the score under another, on the same questions."""

    estimate: Estimate | None
    """None where no question was scored under both."""
    left_out: int
    """Questions asked under either setting that have no scored partner."""
    rows: tuple[int, ...]


class DifferenceMap(Frozen):
    """A heatmap of paired differences."""

    model: str
    by: tuple[tuple[str, AxisValue], ...]
    xs: tuple[AxisValue, ...]
    ys: tuple[AxisValue, ...]
    cells: dict[tuple[AxisValue, AxisValue], Difference]


class Point(Frozen):
    """One place on a curve."""

    x: AxisValue
    tally: Tally


class Line(Frozen):
    """One curve: a model and one combination of the `lines` axes."""

    model: str
    by: tuple[tuple[str, AxisValue], ...]
    points: tuple[Point, ...]


_Group = tuple[str, tuple[AxisValue, ...]]
_NOTHING = ""


def axis_value(row: Row, name: str) -> AxisValue | None:
    """A row's value on an axis; None where its cell does not have that axis."""
    return row.question_type if name == "question_type" else row.cell.get(name)


def ordered(values: Iterable[AxisValue], axis: Axis) -> tuple[AxisValue, ...]:
    """Distinct values in the order to show them: by size, or as the axis declares and then as they appear."""
    distinct = list(dict.fromkeys(values))
    if axis.scale != "names" and not any(isinstance(value, str) for value in distinct):
        return tuple(sorted(distinct, key=float))
    place = {name: index for index, name in enumerate(axis.values)}
    return tuple(sorted(distinct, key=lambda value: place.get(str(value), len(place))))


def heatmaps(chart: Heatmap, family: FamilyView, rows: Sequence[Row]) -> tuple[Map, ...]:
    """The maps of a chart, by model and then by combination. Rows that lack one of its axes are not in it."""
    by = _parted(chart.by, family, rows)
    found = []
    for (model, combination), places in _grouped(rows, family, by, (chart.x, chart.y)).items():
        found.append(
            Map(
                model=model,
                by=tuple(zip(by, combination, strict=True)),
                xs=ordered((x for x, _ in places), family.axis(chart.x)),
                ys=ordered((y for _, y in places), family.axis(chart.y)),
                cells={(x, y): lone_tally(rows, members) for (x, y), members in places.items()},
            )
        )
    return tuple(found)


def difference_maps(
    chart: Heatmap, family: FamilyView, rows: Sequence[Row], axis: str, plus: AxisValue, minus: AxisValue
) -> tuple[DifferenceMap, ...]:
    """The maps of a chart for `plus` less `minus` on one of its `by` axes, paired on the same question and cell."""
    rest = tuple(name for name in _parted(chart.by, family, rows) if name != axis)
    groups = _grouped(rows, family, rest, (chart.x, chart.y))
    found = []
    for (model, combination), places in groups.items():
        cells = {place: _difference(rows, members, axis, plus, minus) for place, members in places.items()}
        cells = {place: cell for place, cell in cells.items() if cell.rows}
        if not any(cell.estimate for cell in cells.values()):
            continue
        found.append(
            DifferenceMap(
                model=model,
                by=tuple(zip(rest, combination, strict=True)),
                xs=ordered((x for x, _ in cells), family.axis(chart.x)),
                ys=ordered((y for _, y in cells), family.axis(chart.y)),
                cells={(x, y): cell for (x, y), cell in cells.items()},
            )
        )
    return tuple(found)


def curves(chart: Curve, family: FamilyView, rows: Sequence[Row]) -> tuple[Line, ...]:
    """The lines of a chart, by model and then by combination."""
    by = _parted(chart.lines, family, rows)
    found = []
    for (model, combination), places in _grouped(rows, family, by, (chart.x,)).items():
        xs = ordered((x for (x,) in places), family.axis(chart.x))
        points = tuple(Point(x=x, tally=pooled_tally(rows, places[(x,)])) for x in xs)
        found.append(Line(model=model, by=tuple(zip(by, combination, strict=True)), points=points))
    return tuple(found)


def lone_tally(rows: Sequence[Row], members: Sequence[int]) -> Tally:
    """The tally of one cell, with Wilson's interval."""
    return _tally(rows, members, pooled=False)


def pooled_tally(rows: Sequence[Row], members: Sequence[int]) -> Tally:
    """The tally over several cells, with an interval that knows of the stories."""
    return _tally(rows, members, pooled=True)


def length_samples(rows: Sequence[Row], members: Iterable[int], axis: str) -> dict[float, Sample]:
    """Samples by length, for `effective_length`."""
    by_length: dict[float, list[int]] = defaultdict(list)
    for index in members:
        length = axis_value(rows[index], axis)
        if isinstance(length, int | float):
            by_length[float(length)].append(index)
    return {length: sample(rows, by_length[length]) for length in sorted(by_length)}


def sample(rows: Sequence[Row], members: Sequence[int]) -> Sample:
    """The scored values among some rows, with their clusters."""
    scored = [(rows[index], value) for index in members if (value := _score(rows[index])) is not None]
    return Sample(
        values=tuple(value for _, value in scored),
        clusters=_clusters([row for row, _ in scored]),
        asked=len(members),
    )


def _score(row: Row) -> float | None:
    return row.verdict.value if row.verdict.status == "scored" else None


def _parted(by: Sequence[str], family: FamilyView, rows: Sequence[Row]) -> tuple[str, ...]:
    """The axes of a chart, and those whose values must never be pooled."""
    return (*by, *(axis.name for axis in experiment_axes(rows, family) if axis.name not in by))


def _grouped(
    rows: Sequence[Row], family: FamilyView, by: Sequence[str], place: Sequence[str]
) -> dict[_Group, dict[tuple[AxisValue, ...], list[int]]]:
    """Row places by (model, combination) and then by place; models as they appear, combinations in axis order."""
    # A row that does not name its experiment is one by itself, not a row to lose.
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


def _tally(rows: Sequence[Row], members: Sequence[int], *, pooled: bool) -> Tally:
    statuses: dict[str, int] = dict.fromkeys(STATUSES, 0)
    for index in members:
        statuses[rows[index].verdict.status] += 1
    taken = sample(rows, members) if pooled else None
    values = [value for index in members if (value := _score(rows[index])) is not None]
    right = min(sum(values), float(len(values)))
    score: Estimate | None = None
    if values:
        score = pooled_mean(taken.values, taken.clusters) if taken else wilson(right, len(values))
    return Tally(
        asked=len(members),
        scored=len(values),
        right=right,
        score=score,
        statuses=statuses,
        items=tuple(dict.fromkeys(rows[index].item for index in members)),
        rows=tuple(members),
    )


def _difference(
    rows: Sequence[Row], members: Sequence[int], axis: str, plus: AxisValue, minus: AxisValue
) -> Difference:
    sides: dict[AxisValue, dict[str, list[int]]] = {plus: defaultdict(list), minus: defaultdict(list)}
    asked: list[int] = []
    for index in members:
        row = rows[index]
        value = axis_value(row, axis)
        if value is not None and value in sides:
            asked.append(index)
            rest = sorted((name, str(v)) for name, v in row.cell.items() if name != axis)
            sides[value][repr((row.bench, row.question, row.question_type, rest))].append(index)
    first: list[float] = []
    second: list[float] = []
    for key, ups in sides[plus].items():
        for up, down in zip(ups, sides[minus].get(key, []), strict=False):
            above, below = _score(rows[up]), _score(rows[down])
            if above is not None and below is not None:
                first.append(above)
                second.append(below)
    return Difference(
        estimate=paired_difference(first, second) if first else None,
        left_out=len(asked) - 2 * len(first),
        rows=tuple(asked),
    )


def _clusters(rows: Sequence[Row]) -> tuple[str, ...]:
    """What each row shares its luck with: its story, or its item or itself where that leaves too few groups.

    Items that differ only in the prompt's rules read the same story, so a story is a cell without its prompt.
    """
    told: dict[tuple[object, ...], str] = {}  # many rows share a cell: it is spelt out once
    stories = []
    for row in rows:
        where = (row.bench, *row.cell.items())
        if where not in told:
            told[where] = _story(row)
        stories.append(told[where])
    if len(set(stories)) >= ENOUGH_CLUSTERS:
        return tuple(stories)
    items = tuple(repr((row.bench, row.item)) for row in rows)
    return items if len(set(items)) >= ENOUGH_CLUSTERS else tuple(str(index) for index in range(len(rows)))


def _story(row: Row) -> str:
    return repr((row.bench, sorted((name, str(v)) for name, v in row.cell.items() if name != "prompt")))
