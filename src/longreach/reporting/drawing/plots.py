"""The kinds of chart (lines, bars, dots, radars, maps) and the looks of their series."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby

from longreach.core.figure import Bars, Dot, Drawing, Map, MapCell, Maps, Trace
from longreach.core.formatting import interval_text, number_text, value_label
from longreach.core.types import AxisValue, Estimate, Frozen

from .canvas import (
    BOTTOM,
    HEIGHT,
    LEFT,
    RIGHT,
    WIDTH,
    Ruler,
    Sketch,
    axis_title,
    clipped,
    difference_paint,
    grid,
    is_named,
    score_paint,
    x_axis,
)

PUBLISHED = "published"
"""How a figure from a paper is labelled, wherever it is shown."""
COLOURS = 10
"""Models with colours of their own; the next ones share them and differ in their markers."""
_SERIES = 8
_GREY = 9
_FEW = 6
"""How many published series can be distinguished; more are drawn in one grey, named on hover."""
_DASHES = ("", "7 4", "2 3.5", "9 3 2 3", "4 2")
_MUTED_DASHES = ("3 3", "7 3", "1.5 2.5", "9 3 1.5 3", "5 2 1.5 2")
_MARKERS = 5


class Look(Frozen):
    """Colour, dash and marker of a series."""

    colour: str
    """`c0` to `c9` for models, `s0` to `s5` for other series, `m0` to `m9` for published ones."""
    dash: int = 0
    shape: int = 0

    @property
    def muted(self) -> bool:
        """Whether it is secondary: thin, pale and always dashed."""
        return self.colour.startswith("m")

    @property
    def stroke(self) -> str:
        dash = (_MUTED_DASHES if self.muted else _DASHES)[self.dash % len(_DASHES)]
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        thin = ";stroke-width:1.5" if self.muted else ""
        return f'style="stroke:var(--{self.colour}){thin}"{dashed}'


Styled = tuple[Look, Sequence[tuple[Dot, str]]]
"""A trace of one panel, ready to draw: its look, and its dots with their tooltips."""


def series_name(trace: Trace, *, apart: bool) -> str:
    """Its name; a published one beside results says so."""
    return f"{PUBLISHED}: {trace.name}" if apart and trace.reference else trace.name


def looks_of(figure: Drawing, colours: Mapping[str, int]) -> tuple[dict[tuple[str, bool], Look], int]:
    """The look of each trace by name and whether it is published beside results, and how many published series share
    one grey. `colours` are the numbers of the models; others are numbered in order of appearance."""
    apart = {trace.reference for trace in figure.traces} == {True, False}
    ours = [trace for trace in figure.traces if not (apart and trace.reference)]
    models = list(dict.fromkeys(trace.model for trace in ours if trace.model))
    numbers = dict(colours)
    for model in models:
        numbers.setdefault(model, len(numbers))
    variants = list(dict.fromkeys(trace.variant for trace in ours))
    # The variants of a single model are the series of its chart.
    by_variant = len(models) == 1 and len(variants) > 1
    looks: dict[tuple[str, bool], Look] = {}
    others = 0
    for trace in ours:
        if (trace.name, False) in looks:
            continue
        if trace.model and not by_variant:
            number = numbers[trace.model]
            kind = variants.index(trace.variant) if len(variants) > 1 else None
            shape = number if kind is None else kind
            looks[trace.name, False] = Look(
                colour=f"c{number % COLOURS}", dash=number // COLOURS if kind is None else kind, shape=shape
            )
        else:
            looks[trace.name, False] = Look(colour=f"s{others % _SERIES}", dash=others, shape=others)
            others += 1
    published = list(dict.fromkeys(trace.name for trace in figure.traces if apart and trace.reference))
    crowd = len(published) if len(published) > _FEW else 0
    for number, name in enumerate(published):
        looks[name, True] = Look(colour=f"m{_GREY if crowd else number % COLOURS}", dash=number, shape=number)
    return looks, crowd


def tip(figure: Drawing, name: str, dot: Dot, *, ours: bool) -> str:
    """Name, place, value, interval and note of a point."""
    if dot.words:
        return dot.words
    text = "no value" if dot.y is None else number_text(dot.y, figure.unit)
    if dot.y is not None and dot.low is not None and dot.high is not None:
        interval = interval_text(Estimate(value=dot.y, low=dot.low, high=dot.high, n=0), figure.unit)
        # A paper's range is as the paper defines it, perhaps a standard deviation.
        text += f" (95 % CI {interval})" if ours else f" ({interval})"
    where = ", ".join(part for part in (name, value_label(figure.x, dot.x)) if part)
    return f"{where}: {text}{', ' + dot.note if dot.note else ''}"


def draw_key(look: Look) -> str:
    """The legend's sample of a line."""
    return f'<path class="line" d="M1 7H33" {look.stroke}/>{marker(look, 17, 7)}'


def draw_swatch(look: Look) -> str:
    """The legend's sample of a bar."""
    outlined = " outlined" if look.muted else ""
    return f'<rect class="bar {look.colour}{outlined}" x="9" y="1" width="16" height="12"/>'


def draw_dot(look: Look) -> str:
    """The legend's sample of a dot with its whisker."""
    return f'<path class="whisker {look.colour}" d="M5 7H29"/>{marker(look, 17, 7)}'


def marker(look: Look, x: float, y: float, *, hollow: bool = False) -> str:
    """The marker of a series at one point."""
    kind = f'class="marker {look.colour}{" hollow" if hollow else ""}"'
    size = 0.7 if look.muted else 1.0
    r, s, t, d = 4 * size, 3.6 * size, 4.8 * size, 5 * size
    shapes = (
        f'<circle {kind} cx="{x:.1f}" cy="{y:.1f}" r="{r:g}"/>',
        f'<rect {kind} x="{x - s:.1f}" y="{y - s:.1f}" width="{2 * s:g}" height="{2 * s:g}"/>',
        f'<path {kind} d="M{x:.1f} {y - t:.1f}l{4.6 * size:g} {8.2 * size:g}h{-9.2 * size:g}Z"/>',
        f'<path {kind} d="M{x:.1f} {y - d:.1f}l{d:g} {d:g}l{-d:g} {d:g}l{-d:g} {-d:g}Z"/>',
        f'<path {kind} d="M{x:.1f} {y + t:.1f}l{4.6 * size:g} {-8.2 * size:g}h{-9.2 * size:g}Z"/>',
    )
    return shapes[look.shape % _MARKERS]


def styled(
    figure: Drawing, members: Sequence[Trace], looks: Mapping[tuple[str, bool], Look], *, apart: bool
) -> list[Styled]:
    """The traces of one panel with their looks and tooltips."""
    found: list[Styled] = []
    for trace in members:
        name, ours = series_name(trace, apart=apart), not trace.reference
        dots = [(dot, tip(figure, name, dot, ours=ours)) for dot in trace.dots]
        found.append((looks[trace.name, apart and trace.reference], dots))
    return found


def draw_lines(figure: Drawing, series: Sequence[Styled], xs: Sequence[AxisValue], ruler: Ruler) -> Sketch:
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
    for order, (look, dots) in enumerate(series):
        # Several series at the only value are drawn side by side.
        shift = (order - (len(series) - 1) / 2) * min(14.0, 40.0 / len(series)) if len(xs) == 1 else 0.0
        points = sorted(dots, key=lambda point: rank[point[0].x])
        parts.append(_line_trace(look, [(place(dot.x) + shift, dot, tip) for dot, tip in points], ruler))
    return Sketch(WIDTH, HEIGHT, "".join(parts))


def _line_trace(look: Look, dots: Sequence[tuple[float, Dot, str]], ruler: Ruler) -> str:
    parts: list[str] = []
    for run in _runs(dots, lambda dot: dot.y is not None):
        for part in _runs(run, _bounded) if len(run) > 1 else ():
            if len(part) > 1:
                edge = [f"{x:.1f} {ruler.at(dot.high or 0.0):.1f}" for x, dot, _ in part]
                edge += [f"{x:.1f} {ruler.at(dot.low or 0.0):.1f}" for x, dot, _ in reversed(part)]
                parts.append(f'<path class="band {look.colour}" d="M{"L".join(edge)}Z"/>')
        if len(run) > 1:
            line = "L".join(f"{x:.1f} {ruler.at(dot.y or 0.0):.1f}" for x, dot, _ in run)
            parts.append(f'<path class="line" d="M{line}" {look.stroke}/>')
    for x, dot, tip in dots:
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


def _runs(dots: Sequence[tuple[float, Dot, str]], there: Callable[[Dot], bool]) -> list[list[tuple[float, Dot, str]]]:
    """Runs of dots without a gap."""
    return [list(run) for kept, run in groupby(dots, lambda point: there(point[1])) if kept]


def _bounded(dot: Dot) -> bool:
    return dot.low is not None and dot.high is not None


_WIDEST = 34.0
_FEW_BARS = 12


def draw_bars(figure: Drawing, series: Sequence[Styled], xs: Sequence[AxisValue], ruler: Ruler) -> Sketch:
    """One panel, with whiskers where side by side values have an interval."""
    stacked = isinstance(figure, Bars) and figure.stacked
    room = (WIDTH - LEFT - RIGHT) / len(xs)
    side = 1 if stacked else len(series)
    wide = min(_WIDEST, room * (0.9 if len(xs) > _FEW_BARS else 0.72) / max(1, side))
    centre = {x: LEFT + room * (rank + 0.5) for rank, x in enumerate(xs)}
    ticks = [(centre[x], value_label(figure.x, x)) for x in xs]
    parts = [grid(ruler), x_axis(ticks, axis_title(figure.x), names=is_named(figure.x, xs))]
    # A measured zero is drawn as a hairline; in a histogram it is just an empty bin.
    least = 1.0 if len(xs) <= _FEW_BARS else 0.0
    piles: dict[tuple[AxisValue, bool], float] = {}
    for order, (style, dots) in enumerate(series):
        for dot, tip in dots:
            if dot.y is None:
                continue
            x = centre[dot.x] + (0.0 if stacked else (order - (len(series) - 1) / 2) * wide)
            start = piles.get((dot.x, dot.y < 0), 0.0) if stacked else 0.0
            piles[dot.x, dot.y < 0] = start + dot.y
            mark = _bar(style, x, wide, (ruler.at(start), ruler.at(start + dot.y)), least)
            if not stacked and dot.low is not None and dot.high is not None:
                mark += f'<path class="whisker over" d="M{x:.1f} {ruler.at(dot.low):.1f}V{ruler.at(dot.high):.1f}"/>'
            parts.append(f"<g>{mark}<title>{escape(tip)}</title></g>")
    return Sketch(WIDTH, HEIGHT, "".join(parts))


def _bar(style: Look, x: float, wide: float, ends: tuple[float, float], least: float) -> str:
    """A bar between two heights, in either order, around a middle."""
    top, bottom = sorted(ends)
    tall = max(bottom - top, least)
    return (
        f'<rect class="bar {style.colour}{" outlined" if style.muted else ""}" x="{x - wide / 2:.1f}" '
        f'y="{bottom - tall:.1f}" width="{wide:.1f}" height="{tall:.1f}"/>'
    )


_ROW_LETTER = 6.4
_LONGEST = 24
_ROW_STEP, _ROW = 9.0, 22.0
_ROW_TOP, _ROW_BOTTOM, _ROW_RIGHT = 6.0, 26.0, 22.0


def draw_dots(figure: Drawing, series: Sequence[Styled], xs: Sequence[AxisValue], ruler: Ruler) -> Sketch:
    """One panel."""
    labels = [clipped(value_label(figure.x, x), _LONGEST) for x in xs]
    left = max(46.0, _ROW_LETTER * max(map(len, labels), default=0) + 14)
    row = max(_ROW, _ROW_STEP * len(series) + 8)
    bottom = _ROW_TOP + row * len(xs)

    def across(value: float) -> float:
        return left + (WIDTH - _ROW_RIGHT - left) * ruler.share(value)

    parts = []
    for value, text in ruler.ticks:
        kind = "axis" if value == 0 and ruler.low < 0 else "grid"
        parts.append(f'<path class="{kind}" d="M{across(value):.1f} {_ROW_TOP}V{bottom:.1f}"/>')
        at = f'x="{across(value):.1f}" y="{bottom + 16:.1f}"'
        parts.append(f'<text class="tick" {at} text-anchor="middle">{escape(text)}</text>')
    for rank, label in enumerate(labels):
        y = _ROW_TOP + row * (rank + 0.5)
        parts.append(f'<text class="tick" x="{left - 8:.1f}" y="{y + 4:.1f}" text-anchor="end">{escape(label)}</text>')
        if rank:
            parts.append(f'<path class="grid" d="M{left:.1f} {_ROW_TOP + row * rank:.1f}H{WIDTH - _ROW_RIGHT}"/>')
    place = {x: rank for rank, x in enumerate(xs)}
    for order, (look, dots) in enumerate(series):
        for dot, tip in dots:
            y = _ROW_TOP + row * (place[dot.x] + 0.5) + (order - (len(series) - 1) / 2) * _ROW_STEP
            if dot.y is None:
                mark = f'<path class="nothing {look.colour}" d="M{left + 4:.1f} {y - 3:.1f}l6 6m0 -6l-6 6"/>'
            else:
                mark = marker(look, across(dot.y), y, hollow=dot.hollow)
                if dot.low is not None and dot.high is not None:
                    ends = f"M{across(dot.low):.1f} {y:.1f}H{across(dot.high):.1f}"
                    mark = f'<path class="whisker {look.colour}" d="{ends}"/>{mark}'
            parts.append(f"<g>{mark}<title>{escape(tip)}</title></g>")
    return Sketch(WIDTH, bottom + _ROW_BOTTOM, "".join(parts))


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
    series: Sequence[Styled],
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
    filled = sum(not look.muted for look, _ in series) <= _FILLED
    for look, dots in sorted(series, key=lambda each: not each[0].muted):
        parts.append(_radar_trace(look, dots, ranks, place, filled=filled))
    for ring in (0.5, 1.0):
        # Numbers last and with a halo, so that no line crosses them.
        x, y = place(0, ring)
        text = "100 %" if ring == 1 else f"{100 * ring:g}"
        parts.append(f'<text class="tick halo" x="{x + 5:.1f}" y="{y + (13 if ring == 1 else 4):.1f}">{text}</text>')
    for rank, lines in enumerate(labels):
        parts.append(_label(x0, y0, _turn(rank, len(spokes)), lines))
    return Sketch(_WIDTH, size, "".join(parts))


def _radar_trace(
    look: Look, dots: Sequence[tuple[Dot, str]], ranks: Mapping[AxisValue, int], place: _Place, *, filled: bool
) -> str:
    spokes = len(ranks)
    scored = {ranks[dot.x]: (dot, tip) for dot, tip in dots if dot.y is not None}
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
    outwards = "start" if across > 0 else "end"
    anchor = "middle" if abs(across) < 0.2 else outwards
    x, first = x0 + (_RADIUS + _GAP) * across, y0 + _first_line(angle, lines)
    texts = "".join(
        f'<tspan x="{x:.1f}" y="{first + _LINE * number:.1f}">{escape(line)}</tspan>'
        for number, line in enumerate(lines)
    )
    return f'<text class="spoke" text-anchor="{anchor}">{texts}</text>'


def _lines(name: str) -> list[str]:
    """A label on one line, or on two if it is long and has a space."""
    gaps = [place for place, letter in enumerate(name) if letter == " "] if len(name) > _LETTERS else []
    if not gaps:
        return [clipped(name, _LETTERS + 2)]
    gap = min(gaps, key=lambda place: abs(place - len(name) / 2))
    return [clipped(name[:gap], _LETTERS + 2), clipped(name[gap + 1 :], _LETTERS + 2)]


def _point(x: float, y: float) -> str:
    return f"{x:.1f} {y:.1f}"


WIDE = 2 * WIDTH + 20
"""The width of a map with many columns: two columns of a paper."""
_MANY = 12
_LETTER = 6.4
_HEAD, _FOOT = 20.0, 22.0
_TALL, _SHORT = 28.0, 20.0


def is_wide(shown: Map) -> bool:
    """Whether a map has too many columns for the usual width."""
    return len(shown.xs) > _MANY


def scale_of(figure: Maps) -> tuple[tuple[str, ...], tuple[str, str]]:
    """The colours from low to high, and the words at both ends."""
    if not figure.limit:
        return tuple(score_paint(step / 20).ground for step in range(21)), ("0 % right", "100 %")
    colours = tuple(difference_paint((step / 10 - 1) * figure.limit, figure.limit).ground for step in range(21))
    mark = f"{figure.limit * 100:.0f}"
    return colours, (f"\N{MINUS SIGN}{mark} points", f"+{mark} points")


@dataclass(frozen=True)
class _MapLayout:
    """Where the rows and columns of a map are."""

    width: float
    left: float
    """Where the first column begins, behind the titles of rows."""
    wide: float
    tall: float

    @classmethod
    def of(cls, shown: Map, row_titles: Sequence[str]) -> _MapLayout:
        width = WIDE if is_wide(shown) else WIDTH
        left = min(150.0, _LETTER * max(map(len, row_titles)) + 12)
        return cls(width, left, min(64.0, (width - left) / len(shown.xs)), _TALL if len(shown.ys) <= _MANY else _SHORT)

    def across(self, column: float) -> float:
        return self.left + self.wide * column

    def down(self, row: int) -> float:
        return _HEAD + self.tall * row


def draw_map(figure: Maps, shown: Map, first: int) -> Sketch:
    """One map, as a table for screen readers; its cells are numbered from `first`."""
    titles = [value_label(figure.y, y) for y in shown.ys]
    layout = _MapLayout.of(shown, [figure.y.title, *titles])
    cells = {(cell.x, cell.y): (first + number, cell) for number, cell in enumerate(shown.cells)}
    size = "small" if layout.wide < 30 else "value"
    parts = [f'<g role="row">{_column_heads(figure, shown, layout)}</g>']
    for row, (y, title) in enumerate(zip(shown.ys, titles, strict=True)):
        top = layout.down(row)
        own = [
            f'<g role="rowheader"><text class="small" x="{layout.left - 6:.1f}" y="{top + layout.tall / 2 + 4:.1f}" '
            f'text-anchor="end">{escape(title)}</text></g>'
        ]
        for column, x in enumerate(shown.xs):
            box = (layout.across(column), top, layout.wide, layout.tall)
            number, cell = cells.get((x, y), (0, None))
            own.append(f'<g role="cell">{_cell(figure, cell, number, (row, column), box, size)}</g>')
        parts.append(f'<g role="row">{"".join(own)}</g>')
    bottom = layout.down(len(shown.ys))
    parts.append(
        f'<text class="small" x="{(layout.left + layout.across(len(shown.xs))) / 2:.1f}" y="{bottom + 15:.1f}" '
        f'text-anchor="middle" aria-hidden="true">{escape(figure.x.title)}</text>'
    )
    return Sketch(layout.width, bottom + _FOOT, "".join(parts))


def _column_heads(figure: Maps, shown: Map, layout: _MapLayout) -> str:
    """The title of the rows and the labels of columns; one that would touch the last is hidden, not left out."""
    title = escape(figure.y.title)
    head = [f'<text class="small" x="{layout.left - 6:.1f}" y="{_HEAD - 7}" text-anchor="end">{title}</text>']
    free_from = -1.0
    for column, x in enumerate(shown.xs):
        label, middle = value_label(figure.x, x), layout.across(column + 0.5)
        half = 3.1 * len(label)
        hidden = ' visibility="hidden"' if middle - half < free_from else ""
        free_from = free_from if hidden else middle + half + 2
        head.append(
            f'<g role="columnheader"><text class="small" x="{middle:.1f}" y="{_HEAD - 7}" '
            f'text-anchor="middle"{hidden}>{escape(label)}</text></g>'
        )
    return "".join(head)


def _cell(
    figure: Maps,
    cell: MapCell | None,
    number: int,
    place: tuple[int, int],
    box: tuple[float, float, float, float],
    size: str,
) -> str:
    x, y, wide, tall = box
    frame = f'x="{x + 1:.1f}" y="{y + 1:.1f}" width="{wide - 2:.1f}" height="{tall - 2:.1f}" rx="3"'
    if cell is None:
        return f'<rect {frame} class="untested"><title>not tested</title></rect>'
    look, ink = 'class="unscored"', ""
    if cell.value is not None:
        paint = difference_paint(cell.value, figure.limit) if figure.limit else score_paint(cell.value)
        look, ink = f'fill="{paint.ground}"', f' style="fill:{paint.ink}"'
    notched = cell.partial and cell.value is not None
    notch = f'<path class="notch" d="M{x + wide - 9:.1f} {y + 1:.1f}h8v8Z"/>' if notched else ""
    unscored = " none" if cell.value is None else ""
    kind = " partial" if notched else unscored
    return (
        f'<g class="cell{kind}" role="button" tabindex="-1" data-open="{number}" data-at="{place[0]} {place[1]}" '
        f'aria-haspopup="dialog" aria-label="{escape(cell.words)}"><rect {frame} {look}/>{notch}'
        f'<text class="{size}" x="{x + wide / 2:.1f}" y="{y + tall / 2 + 4:.1f}" text-anchor="middle"{ink}>'
        f"{escape(cell.text)}</text></g>"
    )
