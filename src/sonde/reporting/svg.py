"""Curves as inline SVG. Colours are CSS variables, so light and dark are the page's business."""

from __future__ import annotations

import math
from collections.abc import Sequence
from html import escape

from sonde.core.noun import Noun
from sonde.core.statistics import EffectiveLength

__all__ = ["Dot", "Trace", "draw_curves", "draw_key", "draw_reach"]

_WIDTH, _HEIGHT = 440.0, 270.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 44.0, 14.0, 12.0, 46.0
_DASHES = ("", "7 4", "2 3.5", "9 3 2 3", "4 2")
_COLOURS = 6
_MARKERS = 5


class Dot(Noun):
    """A point of a curve; `score` is None where nothing could be scored."""

    at: float
    """Position on the x axis: a value for numeric axes, a rank for names."""
    score: float | None
    low: float = 0.0
    high: float = 0.0
    note: str
    """The tooltip."""
    partial: bool = False
    """Fewer scored than asked: drawn hollow."""


class Trace(Noun):
    """One line of a chart."""

    style: int
    """Number of its colour, dash and marker."""
    dots: tuple[Dot, ...]


def draw_curves(
    traces: Sequence[Trace], ticks: Sequence[tuple[float, str]], *, scale: str, title: str, x_title: str
) -> str:
    """One panel: lines with interval bands, or dots with whiskers where the axis holds names."""
    names = scale == "names"
    low, high = ticks[0][0], ticks[-1][0]
    log = scale == "log" and low > 0

    def place(value: float) -> float:
        room = _WIDTH - _LEFT - _RIGHT
        if names:
            return _LEFT + room * (value + 0.5) / len(ticks)
        if high == low:
            return _LEFT + room / 2
        share = math.log(value / low) / math.log(high / low) if log else (value - low) / (high - low)
        return _LEFT + 10 + (room - 20) * share

    parts = [_grid(), _x_axis([(place(value), text) for value, text in ticks], x_title, slanted=names)]
    for order, trace in enumerate(traces):
        # Several series on one name, or on the only value there is, stand side by side.
        apart = names or high == low
        shift = (order - (len(traces) - 1) / 2) * min(14.0, 40.0 / len(traces)) if apart else 0.0
        parts.append(_trace(trace, [place(dot.at) + shift for dot in trace.dots], joined=not names))
    return (
        f'<svg class="curve" viewBox="0 0 {_WIDTH:.0f} {_HEIGHT:.0f}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def draw_key(style: int) -> str:
    """The sample of a line for the legend."""
    return (
        f'<svg class="key" viewBox="0 0 34 14" aria-hidden="true"><path class="line" d="M1 7H33" {_stroke(style)}/>'
        f"{_marker(style, 17, 7, hollow=False)}</svg>"
    )


def draw_reach(held: EffectiveLength, lengths: Sequence[float], window: int | None) -> str:
    """A ruler on a log scale: tested lengths as ticks, the effective length filled in, its interval as a whisker."""
    end = max(lengths[-1], window or 0)
    start = lengths[0] / 2

    def place(value: float) -> float:
        return 0.0 if value <= start else 400 * math.log(value / start) / math.log(end / start)

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


def _y(score: float) -> float:
    return _TOP + (_HEIGHT - _TOP - _BOTTOM) * (1 - score)


def _grid() -> str:
    lines = []
    for step in (0, 25, 50, 75, 100):
        y = _y(step / 100)
        lines.append(f'<path class="grid" d="M{_LEFT} {y:.1f}H{_WIDTH - _RIGHT}"/>')
        lines.append(f'<text class="tick" x="{_LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{step}</text>')
    return "".join(lines)


def _x_axis(ticks: Sequence[tuple[float, str]], title: str, *, slanted: bool) -> str:
    base = _HEIGHT - _BOTTOM
    parts = []
    free_from = -1.0
    slanted = slanted and len(ticks) > 4
    for x, text in ticks:
        parts.append(f'<path class="axis" d="M{x:.1f} {base}v4"/>')
        half = 3.6 * len(text)
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
        middle = (_LEFT + _WIDTH - _RIGHT) / 2
        parts.append(f'<text class="title" x="{middle}" y="{_HEIGHT - 8}" text-anchor="middle">{escape(title)}</text>')
    return "".join(parts)


def _trace(trace: Trace, xs: Sequence[float], *, joined: bool) -> str:
    parts: list[str] = []
    style = trace.style
    for run in _runs(trace.dots) if joined else []:
        if len(run) > 1:
            upper = [f"{xs[i]:.1f} {_y(trace.dots[i].high):.1f}" for i in run]
            lower = [f"{xs[i]:.1f} {_y(trace.dots[i].low):.1f}" for i in reversed(run)]
            parts.append(f'<path class="band c{style % _COLOURS}" d="M{"L".join(upper + lower)}Z"/>')
            line = "L".join(f"{xs[i]:.1f} {_y(trace.dots[i].score or 0.0):.1f}" for i in run)
            parts.append(f'<path class="line" d="M{line}" {_stroke(style)}/>')
    for x, dot in zip(xs, trace.dots, strict=True):
        if dot.score is None:
            y = _HEIGHT - _BOTTOM - 5
            mark = f'<path class="nothing c{style % _COLOURS}" d="M{x - 3:.1f} {y - 3}l6 6m0 -6l-6 6"/>'
        else:
            whisker = f'<path class="whisker c{style % _COLOURS}" d="M{x:.1f} {_y(dot.low):.1f}V{_y(dot.high):.1f}"/>'
            lonely = not joined or len(trace.dots) == 1
            mark = (whisker if lonely else "") + _marker(style, x, _y(dot.score), hollow=dot.partial)
        parts.append(f"<g>{mark}<title>{escape(dot.note)}</title></g>")
    return "".join(parts)


def _runs(dots: Sequence[Dot]) -> list[list[int]]:
    """Stretches without a gap: a line never bridges a place that could not be scored."""
    runs: list[list[int]] = [[]]
    for index, dot in enumerate(dots):
        if dot.score is None:
            runs.append([])
        else:
            runs[-1].append(index)
    return [run for run in runs if run]


def _stroke(style: int) -> str:
    dash = _DASHES[style % len(_DASHES)]
    dashed = f' stroke-dasharray="{dash}"' if dash else ""
    return f'style="stroke:var(--c{style % _COLOURS})"{dashed}'


def _marker(style: int, x: float, y: float, *, hollow: bool) -> str:
    look = f'class="marker c{style % _COLOURS}{" hollow" if hollow else ""}"'
    shapes = (
        f'<circle {look} cx="{x:.1f}" cy="{y:.1f}" r="4"/>',
        f'<rect {look} x="{x - 3.6:.1f}" y="{y - 3.6:.1f}" width="7.2" height="7.2"/>',
        f'<path {look} d="M{x:.1f} {y - 4.8:.1f}l4.6 8.2h-9.2Z"/>',
        f'<path {look} d="M{x:.1f} {y - 5:.1f}l5 5l-5 5l-5 -5Z"/>',
        f'<path {look} d="M{x:.1f} {y + 4.8:.1f}l4.6 -8.2h-9.2Z"/>',
    )
    return shapes[style % _MARKERS]
