"""Dot plots: one row per name, one dot with its interval per series, values on a shared axis below."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from longreach.core.figure import Drawing
from longreach.core.item import AxisValue
from longreach.core.number_format import value_label

from .chart_axes import WIDTH, Ruler, Sketch
from .looks import Series, marker

__all__ = ["draw_dots"]

_LETTER = 6.4
_LONGEST = 24
_STEP, _ROW = 9.0, 22.0
_TOP, _BOTTOM, _RIGHT = 6.0, 26.0, 22.0


def draw_dots(figure: Drawing, series: Sequence[Series], xs: Sequence[AxisValue], ruler: Ruler) -> Sketch:
    """One panel."""
    labels = [_cut(value_label(figure.x, x)) for x in xs]
    left = max(46.0, _LETTER * max(map(len, labels), default=0) + 14)
    row = max(_ROW, _STEP * len(series) + 8)
    bottom = _TOP + row * len(xs)

    def across(value: float) -> float:
        return left + (WIDTH - _RIGHT - left) * ruler.share(value)

    parts = []
    for value, text in ruler.ticks:
        kind = "axis" if value == 0 and ruler.low < 0 else "grid"
        parts.append(f'<path class="{kind}" d="M{across(value):.1f} {_TOP}V{bottom:.1f}"/>')
        at = f'x="{across(value):.1f}" y="{bottom + 16:.1f}"'
        parts.append(f'<text class="tick" {at} text-anchor="middle">{escape(text)}</text>')
    for rank, label in enumerate(labels):
        y = _TOP + row * (rank + 0.5)
        parts.append(f'<text class="tick" x="{left - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{escape(label)}</text>')
        if rank:
            parts.append(f'<path class="grid" d="M{left:.1f} {_TOP + row * rank:.1f}H{WIDTH - _RIGHT}"/>')
    place = {x: rank for rank, x in enumerate(xs)}
    for order, each in enumerate(series):
        for dot, tip in zip(each.trace.dots, each.tips, strict=True):
            y = _TOP + row * (place[dot.x] + 0.5) + (order - (len(series) - 1) / 2) * _STEP
            if dot.y is None:
                mark = f'<path class="nothing {each.look.colour}" d="M{left + 4:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"/>'
            else:
                mark = marker(each.look, across(dot.y), y, hollow=dot.hollow)
                if dot.low is not None and dot.high is not None:
                    ends = f"M{across(dot.low):.1f} {y:.1f}H{across(dot.high):.1f}"
                    mark = f'<path class="whisker {each.look.colour}" d="{ends}"/>{mark}'
            parts.append(f"<g>{mark}<title>{escape(tip)}</title></g>")
    return Sketch(WIDTH, bottom + _BOTTOM, "".join(parts))


def _cut(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
