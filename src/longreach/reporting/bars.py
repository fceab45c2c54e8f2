"""Bars as inline SVG: side by side or stacked, with whiskers where a value has an interval."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from .chart_axes import HEIGHT, LEFT, RIGHT, WIDTH, Ruler, grid, x_axis
from .svg import Dot, Trace, colour

__all__ = ["draw_bars", "draw_swatch"]

_WIDEST = 34.0
_FEW = 12


def draw_bars(
    traces: Sequence[Trace],
    ticks: Sequence[tuple[float, str]],
    *,
    names: bool,
    stacked: bool,
    title: str,
    x_title: str,
    ruler: Ruler,
) -> str:
    """One panel; `at` of a dot is the rank of its name or bin."""
    room = (WIDTH - LEFT - RIGHT) / len(ticks)
    side = 1 if stacked else len(traces)
    wide = min(_WIDEST, room * (0.9 if len(ticks) > _FEW else 0.72) / max(1, side))

    def centre(rank: float) -> float:
        return LEFT + room * (rank + 0.5)

    parts = [grid(ruler), x_axis([(centre(rank), text) for rank, text in ticks], x_title, names=names)]
    above: dict[float, float] = {}
    below: dict[float, float] = {}
    for order, trace in enumerate(traces):
        shift = 0.0 if stacked else (order - (len(traces) - 1) / 2) * wide
        for dot in trace.dots:
            if dot.score is None:
                continue
            start = 0.0
            if stacked:
                pile = above if dot.score >= 0 else below
                start = pile.get(dot.at, 0.0)
                pile[dot.at] = start + dot.score
            # A measured zero is drawn as a hairline; in a histogram it is just an empty bin.
            least = 1.0 if len(ticks) <= _FEW else 0.0
            parts.append(_bar(trace, dot, centre(dot.at) + shift, wide, start, ruler, least, whisker=not stacked))
    return (
        f'<svg class="curve" viewBox="0 0 {WIDTH:.0f} {HEIGHT:.0f}" role="img" aria-label="{escape(title)}">'
        f"{''.join(parts)}</svg>"
    )


def draw_swatch(style: int, *, muted: bool = False) -> str:
    """The sample of a bar for the legend."""
    return (
        f'<svg class="key" viewBox="0 0 34 14" aria-hidden="true">'
        f'<rect class="{_look(style, muted)}" x="9" y="1" width="16" height="12"/></svg>'
    )


def _bar(
    trace: Trace, dot: Dot, x: float, wide: float, start: float, ruler: Ruler, least: float, *, whisker: bool
) -> str:
    score = dot.score or 0.0
    ends = sorted((ruler.at(start), ruler.at(start + score)))
    tall = max(ends[1] - ends[0], least)
    mark = (
        f'<rect class="{_look(trace.style, trace.muted)}" x="{x - wide / 2:.1f}" y="{ends[1] - tall:.1f}" '
        f'width="{wide:.1f}" height="{tall:.1f}"/>'
    )
    if whisker and dot.low is not None and dot.high is not None:
        mark += f'<path class="whisker over" d="M{x:.1f} {ruler.at(dot.low):.1f}V{ruler.at(dot.high):.1f}"/>'
    return f"<g>{mark}<title>{escape(dot.note)}</title></g>"


def _look(style: int, muted: bool) -> str:
    return f"bar {colour(style, muted=muted)}{' outlined' if muted else ''}"
