"""A family's own figures in the form the template needs: a table, or panels with their legends and data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longreach.core import figure as core
from longreach.core.chart import Axis
from longreach.core.estimate import Estimate
from longreach.core.figure import Bars, Figure, Lines, Radar, Table
from longreach.core.item import AxisValue
from longreach.core.number_format import interval_text, number_text, value_label
from longreach.stats.series import ordered

from .bars import draw_bars, draw_swatch
from .chart_axes import Ruler, make_ruler
from .radar import SPOKES, draw_radar
from .svg import Dot, Trace, draw_curves, draw_key

__all__ = ["PUBLISHED", "cell_text", "drawing", "fine_columns"]

PUBLISHED = "published"
"""How a figure from a paper is labelled, wherever it is shown."""

_SHORT = 28
"""A name up to this long stays on one line of a table."""

_FEW = 6
"""How many published series can be distinguished; more are drawn in one grey, named on hover."""
_GREY = 5
_FOLDED = 12
"""More published rows than this beside results are folded away."""

_Key = tuple[str, bool]  # a trace's name, and whether it is a published one shown beside results


def drawing(figure: Figure) -> dict[str, Any]:
    """A figure for the page; published figures are set apart unless there is nothing else in it."""
    if isinstance(figure, Table):
        return {"kind": "table", "id": figure.id, "title": figure.title, "note": figure.note, "table": _table(figure)}
    axis = figure.x
    apart = {trace.reference for trace in figure.traces} == {True, False}
    styles: dict[_Key, int] = {}
    panels: dict[str, list[core.Trace]] = {}
    for trace in sorted(figure.traces, key=lambda trace: apart and trace.reference):
        styles.setdefault((trace.name, apart and trace.reference), len(styles))
    crowd = [key for key in styles if key[1]]
    crowd = crowd if len(crowd) > _FEW else []
    styles |= dict.fromkeys(crowd, _GREY)
    for trace in figure.traces:
        panels.setdefault(trace.panel, []).append(trace)
    xs = ordered([dot.x for trace in figure.traces for dot in trace.dots], axis)
    radar = isinstance(figure, Radar) and len(xs) >= SPOKES
    draw = _radar if radar else _lines if isinstance(figure, Lines) else _bars
    ruler = _ruler(figure)
    drawn = []
    for caption, members in panels.items():
        traces = [
            _trace(figure, trace, styles[trace.name, apart and trace.reference], apart and trace.reference, xs, draw)
            for trace in members
        ]
        title = f"{figure.title}{': ' + caption if caption else ''}; the table below has the numbers"
        drawn.append({"caption": caption, "svg": draw(figure, traces, xs, title, ruler), "note": ""})
    sample = draw_swatch if draw is _bars else draw_key
    return {
        "kind": "panels",
        "id": figure.id,
        "title": figure.title,
        "note": figure.note,
        # One nameless series needs no legend.
        "keys": [
            {"svg": sample(style, muted=muted), "text": f"{PUBLISHED}: {name}" if muted else name}
            for (name, muted), style in (*((k, s) for k, s in styles.items() if k not in crowd), *_together(crowd))
            if name
        ],
        "panels": drawn,
        "names": False,
        "partial": False,
        "table": _data(figure, apart=apart),
    }


def _together(crowd: Sequence[_Key]) -> list[tuple[_Key, int]]:
    """One legend entry for published series that are too many to distinguish."""
    return [((f"{len(crowd)} series, named when pointed at and in the table", True), _GREY)] if crowd else []


def cell_text(value: Estimate | float | str | None, unit: core.Unit, *, fine: bool = False) -> str:
    """A cell of a table without its interval."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return number_text(value.value if isinstance(value, Estimate) else value, unit, fine=fine)


def fine_columns(table: Table) -> set[int]:
    """The columns of shares, if a paper reports any to a tenth of a percent: rounding would change its figures."""
    shares = {place for place, column in enumerate(table.columns) if column.unit == "share"}
    return shares if any(_between_percents(row[place]) for row in table.rows for place in shares) else set()


def _table(table: Table) -> dict[str, Any]:
    fine = fine_columns(table)
    apart = 0 < len(set(table.references)) < len(table.rows)
    marked = set(table.references) if apart else set()
    lines = []
    for number, row in enumerate(table.rows):
        cells = []
        same = _repeated(table, number) if (number in marked) == (number - 1 in marked) else 0
        for place, (value, column) in enumerate(zip(row, table.columns, strict=True)):
            cell: dict[str, Any] = {"text": cell_text(value, column.unit), "raw": value, "numeric": True}
            if isinstance(value, str):
                cell |= {"numeric": False, "short": len(value) <= _SHORT, "same": place < same}
                if number in marked and place == 0:
                    cell |= {"raw": f"{PUBLISHED}: {value}", "tag": "" if same else PUBLISHED}
            elif value is None:
                cell |= {"raw": "", "numeric": any(_numeric(other[place]) for other in table.rows)}
            elif isinstance(value, Estimate):
                ends = {"low": round(value.low, 4), "high": round(value.high, 4)}
                cell |= {"raw": round(value.value, 4), "small": interval_text(value, column.unit), **ends}
                cell["title"] = f"n = {value.n}"
            else:
                cell["text"] = cell_text(value, column.unit, fine=place in fine)
                cell["raw"] = round(value, 6)
            cells.append(cell)
        lines.append(cells)
    intervals = {i for i in range(len(table.columns)) if any(isinstance(row[i], Estimate) for row in table.rows)}
    return {
        "head": [column.title for column in table.columns],
        "lines": lines,
        "intervals": intervals,
        "marked": marked,
        "folded": len(marked) if len(marked) > _FOLDED else 0,
    }


def _repeated(table: Table, number: int) -> int:
    """How many leading names a row repeats from the row above: they are hidden."""
    if not number:
        return 0
    for place, (value, above) in enumerate(zip(table.rows[number], table.rows[number - 1], strict=True)):
        if not isinstance(value, str) or value != above:
            return place
    return 0


def _between_percents(value: Estimate | float | str | None) -> bool:
    return isinstance(value, float) and 0.001 < 100 * value % 1 < 0.999


def _numeric(value: Estimate | float | str | None) -> bool:
    return value is not None and not isinstance(value, str)


def _ruler(figure: Lines | Bars | Radar) -> Ruler:
    """One value axis for all panels, so that they can be compared."""
    ends = [
        end for trace in figure.traces for dot in trace.dots for end in (dot.y, dot.low, dot.high) if end is not None
    ]
    if isinstance(figure, Bars) and figure.stacked:
        piles: dict[tuple[str, AxisValue, bool], float] = {}
        for trace in figure.traces:
            for dot in trace.dots:
                key = (trace.panel, dot.x, (dot.y or 0.0) < 0)
                piles[key] = piles.get(key, 0.0) + (dot.y or 0.0)
        # Shares of a whole may add up to slightly more than 1.
        ends = [min(1.0, pile) if figure.unit == "share" and pile < 1.001 else pile for pile in piles.values()]
    return make_ruler(ends, figure.unit, whole=not isinstance(figure, Bars))


def _trace(
    figure: Lines | Bars | Radar, trace: core.Trace, style: int, muted: bool, xs: Sequence[AxisValue], draw: Any
) -> Trace:
    by_value = draw is _lines and not _named(figure.x, xs)
    rank = {x: float(number) for number, x in enumerate(xs)}
    name = f"{PUBLISHED}: {trace.name}" if muted else trace.name
    dots = [
        Dot(
            at=float(dot.x) if by_value else rank[dot.x],
            score=dot.y,
            low=dot.low,
            high=dot.high,
            note=_words(figure, name, dot, ours=not trace.reference),
        )
        for dot in trace.dots
    ]
    return Trace(style=style, dots=tuple(sorted(dots, key=lambda dot: dot.at)), muted=muted)


def _words(figure: Lines | Bars | Radar, name: str, dot: core.Dot, *, ours: bool) -> str:
    text = "no value" if dot.y is None else number_text(dot.y, figure.unit)
    if dot.y is not None and dot.low is not None and dot.high is not None:
        interval = interval_text(Estimate(value=dot.y, low=dot.low, high=dot.high, n=0), figure.unit)
        # A paper's range is as the paper defines it, perhaps a standard deviation.
        text += f" (95 % CI {interval})" if ours else f" ({interval})"
    where = ", ".join(part for part in (name, value_label(figure.x, dot.x)) if part)
    return f"{where}: {text}{', ' + dot.note if dot.note else ''}"


def _lines(
    figure: Lines | Bars | Radar, traces: Sequence[Trace], xs: Sequence[AxisValue], title: str, ruler: Ruler
) -> str:
    names = _named(figure.x, xs)
    ticks = [(float(i) if names else float(x), value_label(figure.x, x)) for i, x in enumerate(xs)]
    scale = "names" if names else figure.x.scale
    return draw_curves(traces, ticks, scale=scale, title=title, x_title=_axis_title(figure.x), ruler=ruler, joined=True)


def _bars(
    figure: Lines | Bars | Radar, traces: Sequence[Trace], xs: Sequence[AxisValue], title: str, ruler: Ruler
) -> str:
    return draw_bars(
        traces,
        [(float(rank), value_label(figure.x, x)) for rank, x in enumerate(xs)],
        names=_named(figure.x, xs),
        stacked=isinstance(figure, Bars) and figure.stacked,
        title=title,
        x_title=_axis_title(figure.x),
        ruler=ruler,
    )


def _radar(
    figure: Lines | Bars | Radar,
    traces: Sequence[Trace],
    xs: Sequence[AxisValue],
    title: str,
    ruler: Ruler,  # noqa: ARG001  (a radar always goes from 0 to 1)
) -> str:
    return draw_radar(traces, [value_label(figure.x, x) for x in xs], title=title)


def _named(axis: Axis, xs: Sequence[AxisValue]) -> bool:
    return axis.scale == "names" or any(isinstance(x, str) for x in xs)


def _axis_title(axis: Axis) -> str:
    return f"{axis.title} (tokens)" if axis.unit == "tokens" else axis.title


def _data(figure: Lines | Bars | Radar, *, apart: bool) -> dict[str, Any]:
    """Every point as a row of a long table; empty columns are left out."""
    rows: list[list[AxisValue]] = []
    for trace in figure.traces:
        name = f"{PUBLISHED}: {trace.name}" if apart and trace.reference else trace.name
        for dot in trace.dots:
            numbers: list[AxisValue] = ["" if end is None else round(end, 4) for end in (dot.y, dot.low, dot.high)]
            rows.append([trace.panel, name, dot.x, *numbers, dot.note])
    head = ["panel", "series", figure.x.title.lower(), "value", "low", "high", "note"]
    used = [i for i in range(len(head)) if i in (2, 3) or any(row[i] != "" for row in rows)]
    return {"head": [head[i] for i in used], "rows": [[row[i] for i in used] for row in rows]}
