"""Radars: one spoke per name, from 0 at the centre to 1 at the rim."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from html import escape

from longreach.core.figure import Drawing
from longreach.core.item import AxisValue
from longreach.core.number_format import value_label

from .chart_axes import Ruler, Sketch
from .looks import Series, marker

__all__ = ["SPOKES", "draw_radar"]

SPOKES = 3
"""With fewer names than this there is no area, and no radar."""

_WIDTH, _RADIUS = 400.0, 112.0
_GAP = 11.0
_LINE = 14.0
_LETTERS = 12
"""A longer label is split into two lines."""
_FILLED = 3
"""With more areas than this only outlines are drawn."""

_Place = Callable[[float, float], tuple[float, float]]  # spoke and value to x and y


def draw_radar(
    figure: Drawing,
    series: Sequence[Series],
    xs: Sequence[AxisValue],
    ruler: Ruler,  # noqa: ARG001  (a radar always goes from 0 to 1)
) -> Sketch:
    """One panel. A trace without a value on a spoke is open there."""
    spokes = [value_label(figure.x, x) for x in xs]
    ranks = {x: rank for rank, x in enumerate(xs)}
    labels = [_lines(name) for name in spokes]
    # The drawing is as tall as its labels need.
    tops = [_first_line(_turn(rank, len(spokes)), lines) - _LINE for rank, lines in enumerate(labels)]
    feet = [top + _LINE * (len(lines) + 0.4) for top, lines in zip(tops, labels, strict=True)]
    x0, y0 = _WIDTH / 2, max(_RADIUS + 4, -min(tops))
    size = y0 + max(_RADIUS + 4, *feet)

    def place(rank: float, value: float) -> tuple[float, float]:
        angle = _turn(rank, len(spokes))
        return x0 + _RADIUS * value * math.sin(angle), y0 - _RADIUS * value * math.cos(angle)

    parts = []
    for ring in (0.25, 0.5, 0.75, 1.0):
        corners = "L".join(_point(*place(rank, ring)) for rank in range(len(spokes)))
        parts.append(f'<path class="grid" fill="none" d="M{corners}Z"/>')
    for rank in range(len(spokes)):
        parts.append(f'<path class="grid" d="M{_point(x0, y0)}L{_point(*place(rank, 1))}"/>')
    # Published figures are drawn under the results.
    filled = sum(not each.look.muted for each in series) <= _FILLED
    for each in sorted(series, key=lambda each: not each.look.muted):
        parts.append(_trace(each, ranks, place, filled=filled))
    for ring in (0.5, 1.0):
        # Numbers last and with a halo, so that no line crosses them.
        x, y = place(0, ring)
        text = "100 %" if ring == 1 else f"{100 * ring:g}"
        parts.append(f'<text class="tick halo" x="{x + 5:.1f}" y="{y + (13 if ring == 1 else 4):.1f}">{text}</text>')
    for rank, lines in enumerate(labels):
        parts.append(_label(x0, y0, _turn(rank, len(spokes)), lines))
    return Sketch(_WIDTH, size, "".join(parts))


def _trace(each: Series, ranks: Mapping[AxisValue, int], place: _Place, *, filled: bool) -> str:
    look, spokes = each.look, len(ranks)
    scored = {
        ranks[dot.x]: (dot, tip) for dot, tip in zip(each.trace.dots, each.tips, strict=True) if dot.y is not None
    }
    at = {rank: place(rank, min(1.0, max(0.0, dot.y or 0.0))) for rank, (dot, _) in scored.items()}
    parts = []
    if len(at) == spokes:
        path = f"M{'L'.join(_point(*at[rank]) for rank in range(spokes))}Z"
        if filled and not look.muted:
            parts.append(f'<path class="area {look.colour}" d="{path}"/>')
        parts.append(f'<path class="line" d="{path}" {look.stroke}/>')
    else:
        sides = [(rank, (rank + 1) % spokes) for rank in range(spokes)]
        path = "".join(f"M{_point(*at[a])}L{_point(*at[b])}" for a, b in sides if a in at and b in at)
        parts += [f'<path class="line" d="{path}" {look.stroke}/>'] if path else []
    for rank, (dot, tip) in scored.items():
        parts.append(f"<g>{marker(look, *at[rank], hollow=dot.hollow)}<title>{escape(tip)}</title></g>")
    return "".join(parts)


def _turn(rank: float, spokes: int) -> float:
    return 2 * math.pi * rank / spokes


def _first_line(angle: float, lines: Sequence[str]) -> float:
    """Offset of a label's first line from the centre: below its place at the bottom, above it at the top, centred at
    the sides."""
    up = math.cos(angle)
    return -(_RADIUS + _GAP) * up + 4 - _LINE * (len(lines) - 1) * (1 + up) / 2 + 4 * (1 - up) / 2


def _label(x0: float, y0: float, angle: float, lines: Sequence[str]) -> str:
    """A spoke's name at its end, aligned outwards from the circle."""
    across = math.sin(angle)
    anchor = "middle" if abs(across) < 0.2 else "start" if across > 0 else "end"
    x, first = x0 + (_RADIUS + _GAP) * across, y0 + _first_line(angle, lines)
    texts = "".join(
        f'<tspan x="{x:.1f}" y="{first + _LINE * number:.1f}">{escape(line)}</tspan>'
        for number, line in enumerate(lines)
    )
    return f'<text class="spoke" text-anchor="{anchor}">{texts}</text>'


def _lines(name: str) -> list[str]:
    """A label on one line, or on two if it is long and has a space."""
    if len(name) <= _LETTERS:
        return [name]
    gaps = [place for place, letter in enumerate(name) if letter == " "]
    if not gaps:
        return [_cut(name)]
    gap = min(gaps, key=lambda place: abs(place - len(name) / 2))
    return [_cut(name[:gap]), _cut(name[gap + 1 :])]


def _cut(text: str) -> str:
    return text if len(text) <= _LETTERS + 2 else text[: _LETTERS + 1] + "…"


def _point(x: float, y: float) -> str:
    return f"{x:.1f} {y:.1f}"
