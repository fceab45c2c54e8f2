"""Bars: side by side or stacked."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from longreach.core.figure import Bars, Drawing
from longreach.core.item import AxisValue
from longreach.core.number_format import value_label

from .chart_axes import HEIGHT, LEFT, RIGHT, WIDTH, Ruler, Sketch, axis_title, grid, is_named, x_axis
from .looks import Series

__all__ = ["draw_bars"]

_WIDEST = 34.0
_FEW = 12


def draw_bars(figure: Drawing, series: Sequence[Series], xs: Sequence[AxisValue], ruler: Ruler) -> Sketch:
    """One panel, with whiskers where side by side values have an interval."""
    stacked = isinstance(figure, Bars) and figure.stacked
    room = (WIDTH - LEFT - RIGHT) / len(xs)
    side = 1 if stacked else len(series)
    wide = min(_WIDEST, room * (0.9 if len(xs) > _FEW else 0.72) / max(1, side))
    centre = {x: LEFT + room * (rank + 0.5) for rank, x in enumerate(xs)}
    ticks = [(centre[x], value_label(figure.x, x)) for x in xs]
    parts = [grid(ruler), x_axis(ticks, axis_title(figure.x), names=is_named(figure.x, xs))]
    # A measured zero is drawn as a hairline; in a histogram it is just an empty bin.
    least = 1.0 if len(xs) <= _FEW else 0.0
    piles: dict[tuple[AxisValue, bool], float] = {}
    for order, each in enumerate(series):
        look = f"bar {each.look.colour}{' outlined' if each.look.muted else ''}"
        for dot, tip in zip(each.trace.dots, each.tips, strict=True):
            if dot.y is None:
                continue
            x = centre[dot.x] + (0.0 if stacked else (order - (len(series) - 1) / 2) * wide)
            pile = (dot.x, dot.y < 0)
            start = piles.get(pile, 0.0) if stacked else 0.0
            piles[pile] = start + dot.y
            ends = sorted((ruler.at(start), ruler.at(start + dot.y)))
            tall = max(ends[1] - ends[0], least)
            mark = (
                f'<rect class="{look}" x="{x - wide / 2:.1f}" y="{ends[1] - tall:.1f}" '
                f'width="{wide:.1f}" height="{tall:.1f}"/>'
            )
            if not stacked and dot.low is not None and dot.high is not None:
                mark += f'<path class="whisker over" d="M{x:.1f} {ruler.at(dot.low):.1f}V{ruler.at(dot.high):.1f}"/>'
            parts.append(f"<g>{mark}<title>{escape(tip)}</title></g>")
    return Sketch(WIDTH, HEIGHT, "".join(parts))
