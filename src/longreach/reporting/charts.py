"""A family's declared charts as typed figures: rows are grouped and worded here, drawn elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from longreach.core import figure as core
from longreach.core.chart import Axis, Curve, Heatmap
from longreach.core.family_view import FamilyView
from longreach.core.figure import Data, Dot, Dots, Lines, MapCell, Maps, Trace
from longreach.core.item import AxisValue
from longreach.core.number_format import percent, points, value_label, whole_percent
from longreach.core.row import Row
from longreach.core.verdict import STATUSES
from longreach.stats.counting import Tally
from longreach.stats.series import (
    Difference,
    Line,
    Map,
    best_and_worst,
    curves,
    difference_maps,
    heatmaps,
    ordered,
)

__all__ = ["OTHER_STATUSES", "curve_figure", "difference_figure", "heatmap_figure", "score_words"]

C = TypeVar("C")
OTHER_STATUSES = tuple(status for status in STATUSES if status != "scored")
SAFETY = ("prompt", "anti_hallucination", "standard")
"""The axis whose two settings are subtracted for the effect of the anti-hallucination prompt: first minus second."""


def score_words(tally: Tally) -> str:
    """'78 % delivered (21 of 27 right; 95 % CI 59–89 %), 84 % of 25 answered; 2 of 27 not answered: 2 truncated'."""
    score = tally.delivered
    if score is None:
        return f"no result of {tally.asked} asked: {tally.not_scored}"
    right = f"{tally.right:.1f}".removesuffix(".0")
    low, high = whole_percent(score.low), whole_percent(score.high)
    text = f"{percent(score.value)} delivered ({right} of {tally.counted} right; 95 % CI {low}–{high} %)"
    missing = tally.asked - tally.scored
    if not missing:
        return text
    answered = f", {percent(tally.answered.value)} of {tally.scored} answered" if tally.answered else ""
    return f"{text}{answered}; {missing} of {tally.asked} not answered: {tally.not_scored}"


def heatmap_figure(chart: Heatmap, family: FamilyView, rows: Sequence[Row]) -> Maps:
    """One map per model and combination, with one long table of all cells."""
    found = heatmaps(chart, family, rows)
    place = (family.axis(chart.y), family.axis(chart.x))
    head = _score_head(_names(found, chart.by), place)
    lines = [
        _score_line(each.model, [value for _, value in each.by], (y, x), tally)
        for each in found
        for y, x, tally in each.places()
    ]

    def cell(x: AxisValue, y: AxisValue, tally: Tally, where: str, title: str) -> MapCell:
        score = tally.delivered
        return MapCell(
            x=x,
            y=y,
            value=score.value if score else None,
            text=str(whole_percent(score.value)) if score else "–",
            words=f"{where}: {score_words(tally)}",
            title=title,
            partial=tally.scored < tally.asked,
            rows=tally.rows,
        )

    maps = _maps(found, family, place, cell)
    data = Data(head=head, rows=tuple(lines))
    return Maps(id=chart.id, title=chart.title, x=place[1], y=place[0], maps=maps, data=data)


def difference_figure(chart: Heatmap, family: FamilyView, rows: Sequence[Row]) -> Maps | None:
    """The effect of the anti-hallucination prompt in a chart with both prompts; None if there is nothing to pair."""
    axis, plus, minus = SAFETY
    found = difference_maps(chart, family, rows, axis, plus, minus) if axis in chart.by else ()
    if not found:
        return None
    place = (family.axis(chart.y), family.axis(chart.x))
    gaps = [abs(cell.estimate.value) for each in found for cell in each.cells.values() if cell.estimate]
    limit = next(step for step in (0.25, 0.5, 1.0) if max(gaps) <= step or step == 1.0)
    head = ("model", *_names(found, ()), chart.y, chart.x, "difference", "low", "high", "pairs", "left_out")
    lines = [_difference_line(each, (y, x), cell) for each in found for y, x, cell in each.places()]

    def cell(x: AxisValue, y: AxisValue, gap: Difference, where: str, title: str) -> MapCell:
        left = f", {gap.left_out} answers without a partner" if gap.left_out else ""
        shown = gap.estimate
        words = f"no question with a result under both prompts{left}"
        if shown:
            interval = f"95 % CI {points(shown.low)} to {points(shown.high)}, {shown.n} pairs"
            words = f"{points(shown.value)} points ({interval}){left}"
        return MapCell(
            x=x,
            y=y,
            value=shown.value if shown else None,
            text=points(shown.value) if shown else "–",
            words=f"{where}: {words}",
            title=f"{title} · both prompts",
            partial=bool(gap.left_out),
            rows=gap.rows,
        )

    return Maps(
        id=f"{chart.id}-prompt-effect",
        title=f"Effect of the anti-hallucination prompt: {chart.title[:1].lower()}{chart.title[1:]}",
        note="The score under the anti-hallucination prompt less the score under the standard one, in percentage "
        "points, on the same questions. Blue is better, red is worse.",
        x=place[1],
        y=place[0],
        limit=limit,
        maps=_maps(found, family, place, cell),
        data=Data(head=head, rows=tuple(lines)),
    )


def curve_figure(chart: Curve, family: FamilyView, rows: Sequence[Row]) -> Lines | Dots:
    """Panels of curves. Lines are the models if there are several, else the first of the chart's axes with several
    values; the other axes make panels, so that no panel has too many lines."""
    found = curves(chart, family, rows)
    axis = family.axis(chart.x)
    several = len({line.model for line in found}) > 1
    varied = _varied(found)
    lead = next((name for name in _names(found, ()) if name in varied), None)
    traces: list[Trace] = []
    gaps: dict[str, list[str]] = {}
    for line in found:
        by_model = several or lead is None
        variant = "" if by_model else _caption(family, line.by, {lead or ""})
        panel = _caption(family, line.by, varied if by_model else varied - {lead or ""})
        name = line.model if by_model else variant
        traces.append(
            Trace(
                name=name,
                model=line.model,
                variant=variant,
                panel=panel,
                dots=tuple(_dot(name, axis, x.x, x.tally) for x in line.points),
            )
        )
        gaps.setdefault(panel, []).extend(_spread_words(name, line, rows))
    lines = [
        _score_line(line.model, [value for _, value in line.by], (point.x,), point.tally)
        for line in found
        for point in line.points
    ]
    xs = ordered((point.x for line in found for point in line.points), axis)
    named = axis.scale == "names" or any(isinstance(x, str) for x in xs)
    kind: type[Lines] | type[Dots] = Dots if named else Lines
    return kind(
        id=chart.id,
        title=chart.title,
        x=axis.model_copy(update={"values": tuple(map(str, xs))}) if named else axis,
        traces=tuple(traces),
        panel_notes={panel: " ".join(words) for panel, words in gaps.items()} if named else {},
        data=Data(head=_score_head(_names(found, chart.lines), (axis,)), rows=tuple(lines)),
    )


def _dot(name: str, axis: Axis, x: AxisValue, tally: Tally) -> Dot:
    score = tally.delivered
    return Dot(
        x=x,
        y=score.value if score else None,
        low=score.low if score else None,
        high=score.high if score else None,
        words=f"{name}, {value_label(axis, x)}: {score_words(tally)}",
        hollow=tally.scored < tally.asked,
    )


def _spread_words(name: str, line: Line, rows: Sequence[Row]) -> list[str]:
    """The distance between the best and the worst name of an axis, in one sentence."""
    if not any(isinstance(point.x, str) for point in line.points):
        return []
    every = [(rows[i], str(point.x)) for point in line.points for i in point.tally.rows]
    found = best_and_worst([row for row, _ in every], [name for _, name in every])
    if found is None:
        return []
    gap = found.difference
    best, worst = found.best.replace("_", " "), found.worst.replace("_", " ")
    return [
        f"{name}: {points(gap.value).removeprefix('+')} points between {best} (best) and {worst} (worst), "
        f"95 % CI {points(gap.low)} to {points(gap.high)}."
    ]


def _maps(
    found: Sequence[Map[C]],
    family: FamilyView,
    place: tuple[Axis, Axis],
    cell: Callable[[AxisValue, AxisValue, C, str, str], MapCell],
) -> tuple[core.Map, ...]:
    """Maps with their cells in reading order."""
    y_axis, x_axis = place
    varied = _varied(found)
    made = []
    for each in found:
        whole = _caption(family, each.by)
        cells = []
        for y, x, there in each.places():
            where = f"{y_axis.title} {value_label(y_axis, y)}, {x_axis.title} {value_label(x_axis, x)}"
            title = " · ".join(part for part in (each.model, whole, where) if part)
            cells.append(cell(x, y, there, where, title))
        by = tuple(
            (family.axis(name).title, _word(family.axis(name), v) or "none") for name, v in each.by if name in varied
        )
        made.append(core.Map(model=each.model, by=by, xs=each.xs, ys=each.ys, cells=tuple(cells)))
    return tuple(made)


def _names(series: Sequence[Map[C] | Line], declared: Iterable[str]) -> list[str]:
    """The axes that distinguish series: those a chart declares, and those that are never pooled."""
    return [name for name, _ in series[0].by] if series else list(declared)


def _varied(series: Sequence[Map[C] | Line]) -> set[str]:
    """The axes with more than one value: only those are named in a caption."""
    values: dict[str, set[AxisValue]] = {}
    for each in series:
        for name, value in each.by:
            values.setdefault(name, set()).add(value)
    return {name for name, found in values.items() if len(found) > 1}


def _caption(family: FamilyView, by: Sequence[tuple[str, AxisValue]], only: set[str] | None = None) -> str:
    shown = [(family.axis(name), value) for name, value in by if value != "" and (only is None or name in only)]
    return ", ".join(word for axis, value in shown if (word := _word(axis, value)))


def _word(axis: Axis, value: AxisValue) -> str:
    return axis.words.get(str(value), value_label(axis, value))


def _score_head(by: Sequence[str], place: Sequence[Axis]) -> tuple[str, ...]:
    names = (*by, *(axis.name for axis in place))
    return ("model", *names, "delivered", "low", "high", "answered", "asked", *STATUSES)


def _score_line(model: str, by: Sequence[AxisValue], place: Sequence[AxisValue], tally: Tally) -> tuple[AxisValue, ...]:
    score = tally.delivered
    numbers: list[AxisValue] = ["", "", ""]
    if score:
        numbers = [round(score.value, 4), round(score.low, 4), round(score.high, 4)]
    numbers.append(round(tally.answered.value, 4) if tally.answered else "")
    return (model, *by, *place, *numbers, tally.asked, *(tally.statuses[status] for status in STATUSES))


def _difference_line(each: Map[Difference], place: Sequence[AxisValue], found: Difference) -> tuple[AxisValue, ...]:
    numbers: list[AxisValue] = ["", "", "", 0]
    if found.estimate:
        gap = found.estimate
        numbers = [round(gap.value, 4), round(gap.low, 4), round(gap.high, 4), gap.n]
    return (each.model, *(value for _, value in each.by), *place, *numbers, found.left_out)
