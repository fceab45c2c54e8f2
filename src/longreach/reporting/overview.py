"""The picture of a page's first screen: where each model stops, by length, and what it loses, by place in the text."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, NamedTuple

from longreach.core.formatting import length_label, middle_ellipsis, percent
from longreach.core.statements import Rate
from longreach.core.types import Row
from longreach.results.model_statements import ABSENT_TYPE, rate_from
from longreach.stats.counting import at_best, columns_of, delivered
from longreach.stats.evidence import BAR

from .drawing.canvas import SHARES, Sketch
from .drawing.drawings import DrawnFigure, Panel, framed
from .drawing.plots import COLOURS, Look, marker
from .ranking import Finding

__all__ = ["overview"]

_WIDE, _TALL = 480.0, 236.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 40.0, 132.0, 10.0, 40.0
_LETTER = 6.0
_LABEL_LETTER = 7.2
_APART = 3.0
"""Between the points of two models at one place, so that their intervals can be told apart."""
_LINE = 13.0
_NAMED = 7
"""Models with a colour and a label; the rest are grey lines, named on hover."""
_DEPTHS = 5
_LEAST = 3
"""Answers in a part of the text, for a point there."""


class _Point(NamedTuple):
    x: float
    rate: Rate
    label: str


class _Trace(NamedTuple):
    name: str
    look: Look
    points: Sequence[_Point]


def overview(
    findings: Sequence[Finding], rows: tuple[Row, ...], colours: Mapping[str, int], at: float | None
) -> DrawnFigure | None:
    """Accuracy by length, and beside it by place in the text; `findings` are in the order of the ranking. None for a
    family without lengths."""
    measured = [each for each in findings if each.decision]
    if not measured:
        return None
    traces = [_by_length(each, _look(each, colours, rank)) for rank, each in enumerate(measured)]
    panels = [_length_panel(traces, at)]
    length = at or max(length for each in measured for length in each.lengths)
    placed = [_by_place(each, rows, length, _look(each, colours, rank)) for rank, each in enumerate(measured)]
    if any(len(trace.points) > 1 for trace in placed):
        panels.append(_place_panel(placed, length))
    numbers = [("length", *_numbers(trace, point)) for trace in traces for point in trace.points]
    numbers += [(f"place at {length:g}", *_numbers(trace, point)) for trace in placed for point in trace.points]
    head = ["by", "model", "at", "right", "low", "high", "questions"]
    return DrawnFigure(
        kind="panels",
        id="overview",
        title="How far does each model reach?",
        panels=tuple(panels),
        table={"head": head, "rows": [list(row) for row in numbers]},
    )


def _numbers(trace: _Trace, point: _Point) -> tuple[Any, ...]:
    rate = point.rate
    return trace.name, point.label, round(rate.value, 4), round(rate.low, 4), round(rate.high, 4), rate.of


def _look(finding: Finding, colours: Mapping[str, int], rank: int) -> Look:
    number = colours.get(finding.model, 0)
    if rank >= _NAMED:
        return Look(colour="m9", shape=number)
    return Look(colour=f"c{number % COLOURS}", shape=number)


def _by_length(finding: Finding, look: Look) -> _Trace:
    decided = finding.decision.by_length if finding.decision else ()
    points = [_Point(each.length, each.right, length_label(each.length)) for each in decided if each.right]
    return _Trace(finding.name, look, points)


def _by_place(finding: Finding, rows: tuple[Row, ...], length: float, look: Look) -> _Trace:
    """Right of all asked in each fifth of the text, at one length."""
    parts: list[list[int]] = [[] for _ in range(_DEPTHS)]
    for headline in finding.headlines:
        for found in headline.by_length if headline.question_type != ABSENT_TYPE else ():
            for place in found.tally.rows if found.length == length else ():
                depth = rows[place].cell.get("depth")
                if isinstance(depth, int | float):
                    parts[min(_DEPTHS - 1, int(_DEPTHS * depth / 100))].append(place)
    points = []
    for number, part in enumerate(parts):
        mean = columns_of(rows).mean(part, delivered, at_best) if len(part) >= _LEAST else None
        if mean is not None:
            low, high = 100 * number // _DEPTHS, 100 * (number + 1) // _DEPTHS
            points.append(_Point((low + high) / 200, rate_from(mean), f"{low}–{high} %"))
    return _Trace(finding.name, look, points)


def _length_panel(traces: Sequence[_Trace], at: float | None) -> Panel:
    lengths = sorted({point.x for trace in traces for point in trace.points})
    low, high = (math.log(lengths[0]), math.log(lengths[-1])) if lengths else (0.0, 1.0)

    def across(length: float) -> float:
        share = (math.log(length) - low) / (high - low) if high > low else 0.5
        return _LEFT + 12 + (_WIDE - _LEFT - _RIGHT - 24) * share

    parts = [_frame([(across(length), length_label(length)) for length in lengths], "Length (tokens)")]
    if at is not None and lengths and lengths[0] <= at <= lengths[-1]:
        x, base = across(at), _TALL - _BOTTOM
        parts.append(f'<path class="asked" d="M{x:.1f} {_TOP}V{base}"/>')
        parts.append(f'<text class="small" x="{x - 4:.1f}" y="{base - 5}" text-anchor="end">your length</text>')
    parts.append(_traces(traces, across))
    question = "Up to which length is each model right?"
    return _panel("by-length", question, parts)


def _place_panel(traces: Sequence[_Trace], length: float) -> Panel:
    def across(share: float) -> float:
        return _LEFT + 6 + (_WIDE - _LEFT - _RIGHT - 12) * share

    ticks = [(across(share), label) for share, label in ((0.0, "start"), (0.5, "middle"), (1.0, "end"))]
    question = f"What does it lose at {length_label(length)}, by place in the text?"
    return _panel("by-place", question, [_frame(ticks, "Place of the answer"), _traces(traces, across)])


def _panel(name: str, question: str, parts: Sequence[str]) -> Panel:
    sketch = Sketch(_WIDE, _TALL, "".join(parts))
    legend = Sketch(_WIDE, 0, "")
    label = f"{question} The table below the picture has the numbers."
    svg = framed(sketch, kind="curve", title=question, caption="", legend=legend, label=label)
    return Panel(name=name, caption=question, svg=svg)


def _y(share: float) -> float:
    return _TOP + (_TALL - _TOP - _BOTTOM) * (1 - share)


def _frame(ticks: Sequence[tuple[float, str]], title: str) -> str:
    """Grid, bar and axes."""
    right, base = _WIDE - _RIGHT, _TALL - _BOTTOM
    parts = []
    for value, text in SHARES.ticks:
        parts.append(f'<path class="grid" d="M{_LEFT} {_y(value):.1f}H{right}"/>')
        parts.append(
            f'<text class="tick" x="{_LEFT - 6}" y="{_y(value) + 4:.1f}" text-anchor="end">{escape(text)}</text>'
        )
    parts.append(f'<path class="asked" d="M{_LEFT} {_y(BAR):.1f}H{right}"/>')
    free = -1.0
    for x, text in ticks:
        half = _LETTER * len(text) / 2
        parts.append(f'<path class="axis" d="M{x:.1f} {base}v4"/>')
        if x - half > free:
            parts.append(f'<text class="tick" x="{x:.1f}" y="{base + 17}" text-anchor="middle">{escape(text)}</text>')
            free = x + half + 4
    parts.append(
        f'<text class="title" x="{(_LEFT + right) / 2:.1f}" y="{_TALL - 6}" text-anchor="middle">{escape(title)}</text>'
    )
    return "".join(parts)


def _traces(traces: Sequence[_Trace], across: Callable[[float], float]) -> str:
    """Grey lines first, then those with colours; labels stand at their right ends, apart from each other."""
    parts: list[str] = []
    drawn = [trace for trace in reversed(traces) if trace.points]
    middle = (min(len(drawn), _NAMED) - 1) / 2
    for rank, trace in enumerate(drawn):
        shift = _APART * (rank % _NAMED - middle) if len(drawn) <= _NAMED else 0.0
        places = [(across(point.x) + shift, point) for point in trace.points]
        named = not trace.look.muted
        if len(places) > 1:
            line = "L".join(f"{x:.1f} {_y(point.rate.value):.1f}" for x, point in places)
            parts.append(f'<path class="line" d="M{line}" {trace.look.stroke}/>')
        for x, point in places:
            rate = point.rate
            words = (
                f"{trace.name}, {point.label}: {percent(rate.value)} right "
                f"(95 % CI {percent(rate.low)} to {percent(rate.high)}, n = {rate.of})"
            )
            mark = marker(trace.look, x, _y(rate.value)) if named else ""
            ends = f"M{x:.1f} {_y(rate.low):.1f}V{_y(rate.high):.1f}"
            mark = f'<path class="whisker {trace.look.colour}" d="{ends}"/>{mark}' if named else mark
            dot = mark or f'<circle class="marker m9" cx="{x:.1f}" cy="{_y(rate.value):.1f}" r="2"/>'
            parts.append(f"<g>{dot}<title>{escape(words)}</title></g>")
    return "".join(parts) + _labels([trace for trace in traces if trace.points])


def _shared_start(names: Sequence[str]) -> int:
    """Characters of the folder that all names begin with: 'openai/'."""
    folders = {name.rpartition("/")[0] for name in names}
    return len(folders.pop()) + 1 if len(names) > 1 and len(folders) == 1 and "" not in folders else 0


def _labels(traces: Sequence[_Trace]) -> str:
    """Names without what all begin with; each beside its last point, as far as there is room."""
    start = _shared_start([trace.name for trace in traces])
    named = [trace for trace in traces if not trace.look.muted]
    wanted = sorted(named, key=lambda trace: -trace.points[-1].rate.value)
    ys: list[float] = []
    for trace in wanted:
        ys.append(max(_y(trace.points[-1].rate.value) + 4, ys[-1] + _LINE if ys else 0.0))
    over = max(0.0, ys[-1] - (_TALL - _BOTTOM)) if ys else 0.0
    ys = [y - over for y in ys]
    most = int((_RIGHT - 8) / _LABEL_LETTER)
    parts = [
        f'<text class="label" style="fill:var(--{trace.look.colour})" x="{_WIDE - _RIGHT + 8}" y="{y:.1f}">'
        f"{escape(middle_ellipsis(trace.name[start:], most))}</text>"
        for trace, y in zip(wanted, ys, strict=True)
    ]
    rest = len(traces) - len(named)
    if rest:
        y = min(ys[-1] + _LINE, _TALL - _BOTTOM + _LINE) if ys else _y(0.5)
        parts.append(f'<text class="small" x="{_WIDE - _RIGHT + 8}" y="{y:.1f}">grey: {rest} more</text>')
    return "".join(parts)
