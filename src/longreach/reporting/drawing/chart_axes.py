"""A drawing's axes: its size, the value axis with its grid, and the labels below."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from itertools import pairwise
from typing import NamedTuple

from longreach.core.chart import Axis
from longreach.core.figure import Unit
from longreach.core.item import AxisValue
from longreach.core.model import Frozen
from longreach.core.number_format import number_text

__all__ = [
    "BOTTOM",
    "HEIGHT",
    "LEFT",
    "RIGHT",
    "SHARES",
    "TOP",
    "WIDTH",
    "Ruler",
    "Sketch",
    "axis_title",
    "grid",
    "is_named",
    "make_ruler",
    "x_axis",
]

WIDTH, HEIGHT = 440.0, 270.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 14.0, 12.0, 46.0
_LETTER = 7.2
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Sketch(NamedTuple):
    """A drawing without its frame: its size and its markup."""

    width: float
    height: float
    svg: str


class Ruler(Frozen):
    """A value axis: its ends and the labels of its grid lines."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1; values beyond them are clamped."""
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def at(self, value: float) -> float:
        """Height of a value in the drawing."""
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - self.share(value))


SHARES = Ruler(low=0, high=1, ticks=((0, "0"), (0.25, "25"), (0.5, "50"), (0.75, "75"), (1, "100 %")))


def make_ruler(values: Iterable[float], unit: Unit, *, whole: bool = True) -> Ruler:
    """A value axis that covers all values and zero, with round marks. Shares go to 100 %, unless `whole` is off and all
    of them are small."""
    known = [value for value in values if math.isfinite(value)]
    low, high = min([0.0, *known]), max([0.0, *known])
    if unit == "share" and (whole or high > 0.5) and low >= 0 and high <= 1:
        return SHARES
    if high == low:
        high = low + 1
    step = _step((high - low) / 4)
    if unit == "count":
        step = max(1.0, step)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    marks = [round(step * number, 12) for number in range(first, last + 1)]
    texts = [_mark(mark, unit) for mark in marks]
    if unit == "share":
        texts[-1] += " %"
    return Ruler(low=marks[0], high=marks[-1], ticks=tuple(zip(marks, texts, strict=True)))


def grid(ruler: Ruler) -> str:
    """Horizontal grid lines, each with its number."""
    lines = []
    for value, text in ruler.ticks:
        y = ruler.at(value)
        kind = "axis" if value == 0 and ruler.low < 0 else "grid"
        lines.append(f'<path class="{kind}" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        lines.append(f'<text class="tick" x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{escape(text)}</text>')
    return "".join(lines)


def x_axis(ticks: Sequence[tuple[float, str]], title: str, *, names: bool) -> str:
    """Marks and labels at the given places; labels that would overlap are left out, names that would are slanted."""
    base = HEIGHT - BOTTOM
    parts = []
    free_from = -1.0
    nearest = min((after[0] - before[0] for before, after in pairwise(ticks)), default=WIDTH)
    slanted = names and max(len(text) for _, text in ticks) * _LETTER + 4 > nearest
    for x, text in ticks:
        parts.append(f'<path class="axis" d="M{x:.1f} {base}v4"/>')
        half = _LETTER * len(text) / 2
        if slanted:
            turn = f'transform="rotate(-28 {x:.1f} {base + 14})"'
            label = text if len(text) <= 14 else text[:13] + "…"
            parts.append(
                f'<text class="tick" x="{x + 5:.1f}" y="{base + 16}" text-anchor="end" {turn}>{escape(label)}</text>'
            )
        elif x - half > free_from:
            parts.append(f'<text class="tick" x="{x:.1f}" y="{base + 18}" text-anchor="middle">{escape(text)}</text>')
            free_from = x + half + 4
    if not slanted:
        middle = (LEFT + WIDTH - RIGHT) / 2
        parts.append(f'<text class="title" x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{escape(title)}</text>')
    return "".join(parts)


def is_named(axis: Axis, xs: Sequence[AxisValue]) -> bool:
    """Whether the places on an axis are names, not numbers."""
    return axis.scale == "names" or any(isinstance(x, str) for x in xs)


def axis_title(axis: Axis) -> str:
    """The title with its unit."""
    return f"{axis.title} (tokens)" if axis.unit == "tokens" else axis.title


def _step(least: float) -> float:
    """The next round step that is not smaller."""
    size = 10.0 ** math.floor(math.log10(least))
    return next(size * step for step in _STEPS if size * step >= least * (1 - 1e-9))


def _mark(value: float, unit: Unit) -> str:
    return f"{100 * value:g}" if unit == "share" else number_text(value, unit)
