"""Heatmaps: one table of coloured cells, each a button that opens its answers."""

from __future__ import annotations

from html import escape

from longreach.core.figure import Map, MapCell, Maps
from longreach.core.number_format import value_label

from .chart_axes import WIDTH, Sketch
from .colour import difference_paint, score_paint

__all__ = ["WIDE", "draw_map", "is_wide", "scale_of"]

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


def draw_map(figure: Maps, shown: Map, first: int) -> Sketch:
    """One map, as a table for screen readers; its cells are numbered from `first`."""
    width = WIDE if is_wide(shown) else WIDTH
    tall = _TALL if len(shown.ys) <= _MANY else _SHORT
    titles = [value_label(figure.y, y) for y in shown.ys]
    left = min(150.0, _LETTER * max(len(figure.y.title), *map(len, titles)) + 12)
    wide = min(64.0, (width - left) / len(shown.xs))
    cells = {(cell.x, cell.y): (first + number, cell) for number, cell in enumerate(shown.cells)}
    size = "small" if wide < 30 else "value"
    head = [f'<text class="small" x="{left - 6:.1f}" y="{_HEAD - 7}" text-anchor="end">{escape(figure.y.title)}</text>']
    free_from = -1.0
    for column, x in enumerate(shown.xs):
        label, middle = value_label(figure.x, x), left + wide * (column + 0.5)
        half = 3.1 * len(label)
        hidden = ' visibility="hidden"' if middle - half < free_from else ""
        free_from = free_from if hidden else middle + half + 2
        head.append(
            f'<g role="columnheader"><text class="small" x="{middle:.1f}" y="{_HEAD - 7}" '
            f'text-anchor="middle"{hidden}>{escape(label)}</text></g>'
        )
    parts = [f'<g role="row">{"".join(head)}</g>']
    for row, (y, title) in enumerate(zip(shown.ys, titles, strict=True)):
        top = _HEAD + tall * row
        own = [
            f'<g role="rowheader"><text class="small" x="{left - 6:.1f}" y="{top + tall / 2 + 4:.1f}" '
            f'text-anchor="end">{escape(title)}</text></g>'
        ]
        for column, x in enumerate(shown.xs):
            box = (left + wide * column, top, wide, tall)
            number, cell = cells.get((x, y), (0, None))
            own.append(f'<g role="cell">{_cell(figure, cell, number, (row, column), box, size)}</g>')
        parts.append(f'<g role="row">{"".join(own)}</g>')
    right, bottom = left + wide * len(shown.xs), _HEAD + tall * len(shown.ys)
    parts.append(
        f'<text class="small" x="{(left + right) / 2:.1f}" y="{bottom + 15:.1f}" '
        f'text-anchor="middle" aria-hidden="true">{escape(figure.x.title)}</text>'
    )
    return Sketch(width, bottom + _FOOT, "".join(parts))


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
    kind = " partial" if notched else " none" if cell.value is None else ""
    return (
        f'<g class="cell{kind}" role="button" tabindex="-1" data-open="{number}" data-at="{place[0]} {place[1]}" '
        f'aria-haspopup="dialog" aria-label="{escape(cell.words)}"><rect {frame} {look}/>{notch}'
        f'<text class="{size}" x="{x + wide / 2:.1f}" y="{y + tall / 2 + 4:.1f}" text-anchor="middle"{ink}>'
        f"{escape(cell.text)}</text></g>"
    )
