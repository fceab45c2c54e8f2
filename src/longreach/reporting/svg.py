"""Curves as inline SVG. Colours are CSS variables, so that the page controls light and dark."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from longreach.core.estimate import EffectiveLength
from longreach.core.model import Frozen

from .chart_axes import BOTTOM, HEIGHT, LEFT, RIGHT, SHARES, WIDTH, Ruler, grid, x_axis

__all__ = [
    "Dot",
    "Trace",
    "colour",
    "draw_curves",
    "draw_key",
    "draw_reach",
    "marker",
    "reach_place",
    "stroke",
]

_DASHES = ("", "7 4", "2 3.5", "9 3 2 3", "4 2")
_MUTED_DASHES = ("3 3", "7 3", "1.5 2.5", "9 3 1.5 3", "5 2 1.5 2")
_COLOURS = 6
_MARKERS = 5


class Dot(Frozen):
    """A point of a drawing; `score` is None if there is nothing to draw."""

    at: float
    """Position on the x axis: a value for numeric axes, a rank for names."""
    score: float | None
    low: float | None = None
    high: float | None = None
    note: str
    """The tooltip."""
    partial: bool = False
    """Fewer scored than asked: drawn hollow."""


class Trace(Frozen):
    """One line of a chart."""

    style: int
    """Number of its colour, dash and marker."""
    dots: tuple[Dot, ...]
    muted: bool = False
    """A secondary series, such as a published figure: always dashed, thin and pale."""


def draw_curves(
    traces: Sequence[Trace],
    ticks: Sequence[tuple[float, str]],
    *,
    scale: str,
    title: str,
    x_title: str,
    ruler: Ruler = SHARES,
    joined: bool | None = None,
) -> str:
    """One panel: lines with interval bands, or dots with whiskers if they are not `joined` (the default on an axis of
    names)."""
    names = scale == "names"
    joined = not names if joined is None else joined
    low, high = ticks[0][0], ticks[-1][0]
    log = scale == "log" and low > 0

    def place(value: float) -> float:
        room = WIDTH - LEFT - RIGHT
        if names:
            return LEFT + room * (value + 0.5) / len(ticks)
        if high == low:
            return LEFT + room / 2
        share = math.log(value / low) / math.log(high / low) if log else (value - low) / (high - low)
        return LEFT + 10 + (room - 20) * share

    parts = [grid(ruler), x_axis([(place(value), text) for value, text in ticks], x_title, names=names)]
    for order, trace in enumerate(traces):
        # Several series at one name, or at the only value, are drawn side by side.
        apart = not joined or high == low
        shift = (order - (len(traces) - 1) / 2) * min(14.0, 40.0 / len(traces)) if apart else 0.0
        parts.append(_trace(trace, [place(dot.at) + shift for dot in trace.dots], ruler, joined=joined))
    return (
        f'<svg class="curve" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def draw_key(style: int, *, muted: bool = False) -> str:
    """The legend's sample of a line."""
    return (
        f'<svg class="key" viewBox="0 0 34 14" aria-hidden="true"><path class="line" d="M1 7H33" '
        f"{stroke(style, muted=muted)}/>{marker(style, 17, 7, hollow=False, muted=muted)}</svg>"
    )


_REACH_WIDTH = 400


def reach_place(value: float, start: float, end: float) -> float:
    """Where a length lies on the log axis of a reach bar, as a share of it."""
    return 0.0 if value <= start else math.log(value / start) / math.log(end / start)


def draw_reach(
    held: EffectiveLength, lengths: Sequence[float], window: int | None, axis: Sequence[float] | None = None
) -> str:
    """A ruler on a log scale: tested lengths as ticks, the effective length filled in, its interval as a whisker.
    `axis` are the lengths of an axis that several rulers share."""
    shared = axis or lengths
    end = max(shared[-1], window or 0)
    start = shared[0] / 2

    def place(value: float) -> float:
        return _REACH_WIDTH * reach_place(value, start, end)

    y = 11
    parts = [f'<rect class="track" x="0" y="{y - 5}" width="{place(lengths[-1]):.1f}" height="10"/>']
    if window and window > lengths[-1]:
        parts.append(f'<path class="untested" d="M{place(lengths[-1]):.1f} {y}H400"/>')
    parts.append(f'<rect class="fill" x="0" y="{y - 5}" width="{place(held.length):.1f}" height="10"/>')
    parts += [f'<path class="tick" d="M{place(length):.1f} {y + 8}v5"/>' for length in lengths]
    if held.low < held.high:
        left, right = place(held.low), place(held.high)
        parts.append(
            f'<path class="whisker" d="M{left:.1f} {y}H{right:.1f}M{left:.1f} {y - 4}v8M{right:.1f} {y - 4}v8"/>'
        )
    return (
        f'<svg class="reach" viewBox="-2 0 404 26" preserveAspectRatio="none" aria-hidden="true">{"".join(parts)}</svg>'
    )


def colour(style: int, *, muted: bool = False) -> str:
    """The class that sets a series' colour."""
    return f"{'m' if muted else 'c'}{style % _COLOURS}"


def stroke(style: int, *, muted: bool = False) -> str:
    """Colour and dash of a series' line, as attributes."""
    dash = (_MUTED_DASHES if muted else _DASHES)[style % len(_DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    thin = ";stroke-width:1.5" if muted else ""
    return f'style="stroke:var(--{colour(style, muted=muted)}){thin}"{dashed}'


def marker(style: int, x: float, y: float, *, hollow: bool, muted: bool = False) -> str:
    """The marker of a series at one point."""
    look = f'class="marker {colour(style, muted=muted)}{" hollow" if hollow else ""}"'
    size = 0.7 if muted else 1.0
    r, s, t, d = 4 * size, 3.6 * size, 4.8 * size, 5 * size
    shapes = (
        f'<circle {look} cx="{x:.1f}" cy="{y:.1f}" r="{r:g}"/>',
        f'<rect {look} x="{x - s:.1f}" y="{y - s:.1f}" width="{2 * s:g}" height="{2 * s:g}"/>',
        f'<path {look} d="M{x:.1f} {y - t:.1f}l{4.6 * size:g} {8.2 * size:g}h{-9.2 * size:g}Z"/>',
        f'<path {look} d="M{x:.1f} {y - d:.1f}l{d:g} {d:g}l{-d:g} {d:g}l{-d:g} {-d:g}Z"/>',
        f'<path {look} d="M{x:.1f} {y + t:.1f}l{4.6 * size:g} {-8.2 * size:g}h{-9.2 * size:g}Z"/>',
    )
    return shapes[style % _MARKERS]


def _trace(trace: Trace, xs: Sequence[float], ruler: Ruler, *, joined: bool) -> str:
    parts: list[str] = []
    dots, style, muted = trace.dots, trace.style, trace.muted
    tint = colour(style, muted=muted)
    for run in _runs(dots) if joined else []:
        if len(run) > 1:
            parts += [_band(dots, xs, bounded, ruler, tint) for bounded in _bounded(dots, run)]
            line = "L".join(f"{xs[i]:.1f} {ruler.at(dots[i].score or 0.0):.1f}" for i in run)
            parts.append(f'<path class="line" d="M{line}" {stroke(style, muted=muted)}/>')
    for x, dot in zip(xs, dots, strict=True):
        if dot.score is None:
            y = HEIGHT - BOTTOM - 5
            mark = f'<path class="nothing {tint}" d="M{x - 3:.1f} {y - 3}l6 6m0 -6l-6 6"/>'
        else:
            mark = marker(style, x, ruler.at(dot.score), hollow=dot.partial, muted=muted)
            if (not joined or len(dots) == 1) and dot.low is not None and dot.high is not None:
                ends = f"M{x:.1f} {ruler.at(dot.low):.1f}V{ruler.at(dot.high):.1f}"
                mark = f'<path class="whisker {tint}" d="{ends}"/>{mark}'
        parts.append(f"<g>{mark}<title>{escape(dot.note)}</title></g>")
    return "".join(parts)


def _runs(dots: Sequence[Dot]) -> list[list[int]]:
    """Runs without a gap: a line never bridges a place without a score."""
    found: list[list[int]] = [[]]
    for index, dot in enumerate(dots):
        if dot.score is None:
            found.append([])
        else:
            found[-1].append(index)
    return [run for run in found if run]


def _bounded(dots: Sequence[Dot], run: Sequence[int]) -> list[list[int]]:
    """Parts of a run, of two points or more, that have an interval."""
    found: list[list[int]] = [[]]
    for index in run:
        if dots[index].low is None or dots[index].high is None:
            found.append([])
        else:
            found[-1].append(index)
    return [part for part in found if len(part) > 1]


def _band(dots: Sequence[Dot], xs: Sequence[float], run: Sequence[int], ruler: Ruler, tint: str) -> str:
    upper = [f"{xs[i]:.1f} {ruler.at(dots[i].high or 0.0):.1f}" for i in run]
    lower = [f"{xs[i]:.1f} {ruler.at(dots[i].low or 0.0):.1f}" for i in reversed(run)]
    return f'<path class="band {tint}" d="M{"L".join(upper + lower)}Z"/>'
