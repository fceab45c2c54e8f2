"""Charts in the form the template needs: words, colours and table rows, all decided here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longreach.core.chart import Axis, Curve, Heatmap
from longreach.core.family_view import FamilyView
from longreach.core.item import AxisValue
from longreach.core.number_format import percent, points, value_label, whole_percent
from longreach.core.row import Row
from longreach.core.verdict import STATUSES
from longreach.stats.counting import Tally, sample
from longreach.stats.intervals import spread
from longreach.stats.series import (
    Difference,
    DifferenceMap,
    Line,
    Map,
    curves,
    difference_maps,
    heatmaps,
    ordered,
)

from .colour import difference_paint, score_paint
from .svg import Dot, Trace, draw_curves, draw_key

__all__ = ["OTHER_STATUSES", "Openings", "curve_figure", "difference_figure", "heatmap_figure", "score_words"]

OTHER_STATUSES = tuple(status for status in STATUSES if status != "scored")
SAFETY = ("prompt", "anti_hallucination", "standard")
"""The axis whose two settings are subtracted for the effect of the anti-hallucination prompt: first minus second."""

Table = dict[str, Any]


class Openings:
    """What opens when a cell is pressed: a title and the indexes of the rows behind it."""

    def __init__(self) -> None:
        self.all: list[dict[str, Any]] = []

    def add(self, title: str, rows: Sequence[int]) -> int:
        """Register a cell; its number goes into the button."""
        self.all.append({"title": title, "rows": list(rows)})
        return len(self.all) - 1


def score_words(tally: Tally) -> str:
    """'78 % delivered (21 of 27 right; 95 % CI 59–89 %), 84 % of 25 answered; 2 of 27 not answered: 2 truncated'."""
    score = tally.delivered
    if score is None:
        return f"no result of {tally.asked} asked{_others(tally)}"
    right = f"{tally.right:.1f}".removesuffix(".0")
    low, high = whole_percent(score.low), whole_percent(score.high)
    text = f"{percent(score.value)} delivered ({right} of {tally.counted} right; 95 % CI {low}–{high} %)"
    missing = tally.asked - tally.scored
    if not missing:
        return text
    answered = f", {percent(tally.answered.value)} of {tally.scored} answered" if tally.answered else ""
    return f"{text}{answered}; {missing} of {tally.asked} not answered{_others(tally)}"


def heatmap_figure(chart: Heatmap, family: FamilyView, rows: Sequence[Row], openings: Openings) -> dict[str, Any]:
    """Maps grouped by model, with one long table of all cells."""
    maps = heatmaps(chart, family, rows)
    x_axis, y_axis = family.axis(chart.x), family.axis(chart.y)
    table = _score_table(_names(maps, chart.by), (y_axis, x_axis))
    varied = _varied(maps)
    groups: dict[str, list[dict[str, Any]]] = {}
    for each in maps:
        caption = _caption(family, each.by, varied)
        whole = _caption(family, each.by)

        def cell(x: AxisValue, y: AxisValue, each: Map = each, whole: str = whole) -> dict[str, Any]:
            tally = each.cells.get((x, y))
            if tally is None:
                return {"kind": "untested"}
            table["rows"].append(_score_line(each.model, [v for _, v in each.by], (y, x), tally))
            place = f"{y_axis.title} {value_label(y_axis, y)}, {x_axis.title} {value_label(x_axis, x)}"
            title = " · ".join(part for part in (each.model, whole, place) if part)
            opened = openings.add(title, tally.rows)
            words = f"{place}: {score_words(tally)}"
            if tally.delivered is None:
                return {"kind": "unscored", "text": "–", "words": words, "open": opened}
            paint = score_paint(tally.delivered.value)
            kind = "partial" if tally.scored < tally.asked else "full"
            text = str(whole_percent(tally.delivered.value))
            return {"kind": kind, "text": text, "words": words, "open": opened, "paint": paint}

        groups.setdefault(each.model, []).append(_grid(caption, each, x_axis, y_axis, cell))
    scale = [score_paint(step / 20).ground for step in range(21)]
    return {
        "kind": "heatmap",
        "id": chart.id,
        "title": chart.title,
        "groups": _grouped(groups),
        "legend": {"scale": scale, "low": "0 % right", "high": "100 %", "difference": False},
        "table": table,
    }


def difference_figure(
    chart: Heatmap, family: FamilyView, rows: Sequence[Row], openings: Openings
) -> dict[str, Any] | None:
    """The effect of the anti-hallucination prompt in a chart with both prompts; None if there is nothing to pair."""
    axis, plus, minus = SAFETY
    maps = difference_maps(chart, family, rows, axis, plus, minus) if axis in chart.by else ()
    if not maps:
        return None
    x_axis, y_axis = family.axis(chart.x), family.axis(chart.y)
    rest = _names(maps, ())
    varied = _varied(maps)
    gaps = [abs(c.estimate.value) for each in maps for c in each.cells.values() if c.estimate]
    limit = next(step for step in (0.25, 0.5, 1.0) if max(gaps) <= step or step == 1.0)
    head = ["model", *rest, chart.y, chart.x, "difference", "low", "high", "pairs", "left_out"]
    table: Table = {"head": head, "rows": []}
    groups: dict[str, list[dict[str, Any]]] = {}
    for each in maps:
        caption = _caption(family, each.by, varied)
        whole = _caption(family, each.by)

        def cell(x: AxisValue, y: AxisValue, each: DifferenceMap = each, whole: str = whole) -> dict[str, Any]:
            found = each.cells.get((x, y))
            if found is None:
                return {"kind": "untested"}
            table["rows"].append(_difference_line(each, (y, x), found))
            place = f"{y_axis.title} {value_label(y_axis, y)}, {x_axis.title} {value_label(x_axis, x)}"
            title = " · ".join(part for part in (each.model, whole, place, "both prompts") if part)
            opened = openings.add(title, found.rows)
            left = f", {found.left_out} answers without a partner" if found.left_out else ""
            if found.estimate is None:
                words = f"{place}: no question with a result under both prompts{left}"
                return {"kind": "unscored", "text": "–", "words": words, "open": opened}
            low, high = points(found.estimate.low), points(found.estimate.high)
            interval = f"95 % CI {low} to {high}, {found.estimate.n} pairs"
            return {
                "kind": "partial" if found.left_out else "full",
                "text": points(found.estimate.value),
                "words": f"{place}: {points(found.estimate.value)} points ({interval}){left}",
                "open": opened,
                "paint": difference_paint(found.estimate.value, limit),
            }

        groups.setdefault(each.model, []).append(_grid(caption, each, x_axis, y_axis, cell))
    scale = [difference_paint((step / 10 - 1) * limit, limit).ground for step in range(21)]
    mark = f"{limit * 100:.0f}"
    return {
        "kind": "heatmap",
        "id": f"{chart.id}-prompt-effect",
        "title": f"Effect of the anti-hallucination prompt: {chart.title[:1].lower()}{chart.title[1:]}",
        "note": "The score under the anti-hallucination prompt less the score under the standard one, in percentage "
        "points, on the same questions. Blue is better, red is worse.",
        "groups": _grouped(groups),
        "legend": {
            "scale": scale,
            "low": f"\N{MINUS SIGN}{mark} points",
            "high": f"+{mark} points",
            "difference": True,
        },
        "table": table,
    }


def curve_figure(chart: Curve, family: FamilyView, rows: Sequence[Row]) -> dict[str, Any]:
    """Panels of curves. Lines are the models if there are several, else the first of the chart's axes with several
    values; the other axes make panels, so that no panel has too many lines."""
    lines = curves(chart, family, rows)
    axis = family.axis(chart.x)
    models = list(dict.fromkeys(line.model for line in lines))
    table = _score_table(_names(lines, chart.lines), (axis,))
    for line in lines:
        for point in line.points:
            table["rows"].append(_score_line(line.model, [v for _, v in line.by], (point.x,), point.tally))

    varied = _varied(lines)
    lead = next((name for name in _names(lines, ()) if name in varied), None)

    def split(line: Line) -> tuple[str, str]:
        if len(models) > 1 or lead is None:
            return line.model, _caption(family, line.by, varied)
        return _caption(family, line.by, {lead}), _caption(family, line.by, varied - {lead})

    styles: dict[str, int] = {}
    panels: dict[str, list[tuple[str, Line]]] = {}
    for line in lines:
        name, panel = split(line)
        styles.setdefault(name, len(styles))
        panels.setdefault(panel, []).append((name, line))
    xs = ordered((point.x for line in lines for point in line.points), axis)
    names = axis.scale == "names" or any(isinstance(x, str) for x in xs)
    at = {x: float(i) if names else float(x) for i, x in enumerate(xs)}
    ticks = [(at[x], value_label(axis, x)) for x in xs]
    drawn = []
    for caption, members in panels.items():
        traces = [_trace(line, styles[name], name, at, axis) for name, line in members]
        title = f"{chart.title}{': ' + caption if caption else ''}, score in percent; the table below has the numbers"
        unit = " (tokens)" if axis.unit == "tokens" else ""
        scale = "names" if names else axis.scale
        svg = draw_curves(traces, ticks, scale=scale, title=title, x_title=axis.title + unit)
        drawn.append({"caption": caption, "svg": svg, "note": _spread_note(members, rows) if names else ""})
    return {
        "kind": "panels",
        "id": chart.id,
        "title": chart.title,
        "keys": [{"svg": draw_key(style), "text": name} for name, style in styles.items()],
        "panels": drawn,
        "names": names,
        "partial": any(point.tally.scored < point.tally.asked for line in lines for point in line.points),
        "table": table,
    }


def _trace(line: Line, style: int, name: str, at: dict[AxisValue, float], axis: Axis) -> Trace:
    dots = []
    for point in line.points:
        score = point.tally.delivered
        dots.append(
            Dot(
                at=at[point.x],
                score=score.value if score else None,
                low=score.low if score else 0.0,
                high=score.high if score else 0.0,
                note=f"{name}, {value_label(axis, point.x)}: {score_words(point.tally)}",
                partial=point.tally.scored < point.tally.asked,
            )
        )
    return Trace(style=style, dots=tuple(dots))


def _spread_note(members: Sequence[tuple[str, Line]], rows: Sequence[Row]) -> str:
    """The distance between the best and the worst name of an axis, one sentence per line."""
    parts = []
    for name, line in members:
        found = spread({str(point.x): sample([rows[i] for i in point.tally.rows]) for point in line.points})
        if found is None:
            continue
        gap = found.difference
        best, worst = found.best.replace("_", " "), found.worst.replace("_", " ")
        parts.append(
            f"{name}: {points(gap.value).removeprefix('+')} points between {best} (best) and {worst} (worst), "
            f"95 % CI {points(gap.low)} to {points(gap.high)}."
        )
    return " ".join(parts)


def _grid(caption: str, each: Map | DifferenceMap, x_axis: Axis, y_axis: Axis, cell: Any) -> dict[str, Any]:
    body = [{"label": value_label(y_axis, y), "cells": [cell(x, y) for x in each.xs]} for y in each.ys]
    return {
        "caption": caption,
        "x_title": x_axis.title,
        "y_title": y_axis.title,
        "head": [value_label(x_axis, x) for x in each.xs],
        "body": body,
        "letters": max([len(y_axis.title), *(len(line["label"]) for line in body)]),
    }


def _grouped(groups: dict[str, list[dict[str, Any]]]) -> list[dict[str, Any]]:
    return [{"model": model, "maps": maps} for model, maps in groups.items()]


def _names(series: Sequence[Map | DifferenceMap | Line], declared: Sequence[str]) -> list[str]:
    """The axes that distinguish series: those a chart declares, and those that are never pooled."""
    return [name for name, _ in series[0].by] if series else list(declared)


def _varied(series: Sequence[Map | DifferenceMap | Line]) -> set[str]:
    """The axes with more than one value: only those are named in a caption."""
    values: dict[str, set[AxisValue]] = {}
    for each in series:
        for name, value in each.by:
            values.setdefault(name, set()).add(value)
    return {name for name, found in values.items() if len(found) > 1}


def _caption(family: FamilyView, by: Sequence[tuple[str, AxisValue]], only: set[str] | None = None) -> str:
    shown = [(family.axis(name), value) for name, value in by if value != "" and (only is None or name in only)]
    parts = [axis.words.get(str(value), value_label(axis, value)) for axis, value in shown]
    return ", ".join(word for word in parts if word)


def _score_table(by: Sequence[str], place: Sequence[Axis]) -> Table:
    names = [*by, *(axis.name for axis in place)]
    return {"head": ["model", *names, "delivered", "low", "high", "answered", "asked", *STATUSES], "rows": []}


def _score_line(model: str, by: Sequence[AxisValue], place: Sequence[AxisValue], tally: Tally) -> list[AxisValue]:
    score = tally.delivered
    numbers: list[AxisValue] = ["", "", ""]
    if score:
        numbers = [round(score.value, 4), round(score.low, 4), round(score.high, 4)]
    numbers.append(round(tally.answered.value, 4) if tally.answered else "")
    return [model, *by, *place, *numbers, tally.asked, *(tally.statuses[status] for status in STATUSES)]


def _difference_line(each: DifferenceMap, place: Sequence[AxisValue], found: Difference) -> list[AxisValue]:
    numbers: list[AxisValue] = ["", "", "", 0]
    if found.estimate:
        gap = found.estimate
        numbers = [round(gap.value, 4), round(gap.low, 4), round(gap.high, 4), gap.n]
    return [each.model, *(value for _, value in each.by), *place, *numbers, found.left_out]


def _others(tally: Tally) -> str:
    parts = [
        f"{tally.statuses[status]} {status.replace('_', ' ')}" for status in OTHER_STATUSES if tally.statuses[status]
    ]
    return f": {', '.join(parts)}" if parts else ""
