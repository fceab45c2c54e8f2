"""Lines with interval bands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from longreach.core.figure import Dot, Drawing
from longreach.core.item import AxisValue
from longreach.core.number_format import value_label

from .chart_axes import BOTTOM, HEIGHT, LEFT, RIGHT, WIDTH, Ruler, Sketch, axis_title, grid, is_named, x_axis
from .looks import Look, Series, marker

__all__ = ["draw_lines"]


def draw_lines(figure: Drawing, series: Sequence[Series], xs: Sequence[AxisValue], ruler: Ruler) -> Sketch:
    """One panel. A line never bridges a place without a value."""
    names = is_named(figure.x, xs)
    at = {x: float(rank) if names else float(x) for rank, x in enumerate(xs)}
    low, high = at[xs[0]], at[xs[-1]]
    log = figure.x.scale == "log" and not names and low > 0

    def place(x: AxisValue) -> float:
        room, value = WIDTH - LEFT - RIGHT, at[x]
        if names:
            return LEFT + room * (value + 0.5) / len(xs)
        if high == low:
            return LEFT + room / 2
        share = math.log(value / low) / math.log(high / low) if log else (value - low) / (high - low)
        return LEFT + 10 + (room - 20) * share

    ticks = [(place(x), value_label(figure.x, x)) for x in xs]
    parts = [grid(ruler), x_axis(ticks, axis_title(figure.x), names=names)]
    rank = {x: number for number, x in enumerate(xs)}
    for order, each in enumerate(series):
        # Several series at the only value are drawn side by side.
        shift = (order - (len(series) - 1) / 2) * min(14.0, 40.0 / len(series)) if len(xs) == 1 else 0.0
        points = sorted(zip(each.trace.dots, each.tips, strict=True), key=lambda point: rank[point[0].x])
        dots = [dot for dot, _ in points]
        parts.append(_trace(each.look, dots, [tip for _, tip in points], [place(d.x) + shift for d in dots], ruler))
    return Sketch(WIDTH, HEIGHT, "".join(parts))


def _trace(look: Look, dots: Sequence[Dot], tips: Sequence[str], xs: Sequence[float], ruler: Ruler) -> str:
    parts: list[str] = []
    for run in _runs([dot.y is not None for dot in dots]):
        if len(run) > 1:
            bounded = [dots[i].low is not None and dots[i].high is not None for i in run]
            for part in _runs(bounded):
                parts += [_band(dots, xs, [run[i] for i in part], ruler, look)] if len(part) > 1 else []
            line = "L".join(f"{xs[i]:.1f} {ruler.at(dots[i].y or 0.0):.1f}" for i in run)
            parts.append(f'<path class="line" d="M{line}" {look.stroke}/>')
    for x, dot, tip in zip(xs, dots, tips, strict=True):
        if dot.y is None:
            y = HEIGHT - BOTTOM - 5
            mark = f'<path class="nothing {look.colour}" d="M{x - 3:.1f} {y - 3}l6 6m0 -6l-6 6"/>'
        else:
            mark = marker(look, x, ruler.at(dot.y), hollow=dot.hollow)
            if len(dots) == 1 and dot.low is not None and dot.high is not None:
                ends = f"M{x:.1f} {ruler.at(dot.low):.1f}V{ruler.at(dot.high):.1f}"
                mark = f'<path class="whisker {look.colour}" d="{ends}"/>{mark}'
        parts.append(f"<g>{mark}<title>{escape(tip)}</title></g>")
    return "".join(parts)


def _runs(present: Sequence[bool]) -> list[list[int]]:
    """Runs of places without a gap."""
    found: list[list[int]] = [[]]
    for index, there in enumerate(present):
        if there:
            found[-1].append(index)
        else:
            found.append([])
    return [run for run in found if run]


def _band(dots: Sequence[Dot], xs: Sequence[float], run: Sequence[int], ruler: Ruler, look: Look) -> str:
    upper = [f"{xs[i]:.1f} {ruler.at(dots[i].high or 0.0):.1f}" for i in run]
    lower = [f"{xs[i]:.1f} {ruler.at(dots[i].low or 0.0):.1f}" for i in reversed(run)]
    return f'<path class="band {look.colour}" d="M{"L".join(upper + lower)}Z"/>'
