"""The ranking as one drawing with its numbers, for files."""

from __future__ import annotations

import textwrap
from html import escape
from typing import Any

from .drawing.chart_axes import WIDTH, Sketch
from .drawing.drawn import Drawn, Panel
from .drawing.panel_svg import framed
from .ranking import BAR, HALLUCINATION, Ranking

__all__ = ["draw_ranking"]


def draw_ranking(found: Ranking) -> Drawn:
    """The ranking as one drawing, for files: a row per model, its number and interval beside its name."""
    row, top, left = 38.0, 4.0, 10.0
    wide = WIDTH - 2 * left
    bottom = top + row * len(found.lines)
    parts = []
    for at, label in found.ticks:
        x = left + wide * at / 100
        parts.append(f'<path class="grid" d="M{x:.1f} {top}V{bottom:.1f}"/>')
        parts.append(f'<text class="tick" x="{x:.1f}" y="{bottom + 14:.1f}" text-anchor="middle">{label}</text>')
    for number, line in enumerate(found.lines):
        first, *others = line.cells
        rate = next((f"; hallucinates {cell.text}" for cell, column in zip(others, found.columns[1:], strict=True)
                     if line.hallucinates and column.title == HALLUCINATION), "")  # fmt: skip
        name = textwrap.shorten(f"{line.place} {line.name}", 34, placeholder=" …")
        y = top + row * number
        parts.append(f'<text class="panel halo" x="{left}" y="{y + 14:.1f}">{escape(name)}</text>')
        value = escape(f"{first.text}{f' ({first.small})' if first.small else ''}{rate}")
        parts.append(f'<text class="halo" x="{WIDTH - left}" y="{y + 14:.1f}" text-anchor="end">{value}</text>')
        parts.append(f'<g transform="translate({left} {y + 13:.1f}) scale({wide / BAR:.4f} 1)">{line.svg}</g>')
    sketch = Sketch(WIDTH, bottom + 22, "".join(parts))
    label = f"Ranking by {found.by[:1].lower()}{found.by[1:]}"
    svg = framed(sketch, kind="curve", title=label, caption="", legend=Sketch(WIDTH, 0, ""), label=label)
    head, rows = ["place", "model"], [[line.place, line.name] for line in found.lines]
    for number, column in enumerate(found.columns):
        cells = [line.cells[number] for line in found.lines]
        head.append(column.title.lower())
        values: list[list[Any]] = [["" if cell.raw is None else round(cell.raw, 6)] for cell in cells]
        if any(cell.ends for cell in cells):
            head += [f"{column.title.lower()} low", f"{column.title.lower()} high"]
            values = [
                [*value, *(round(end, 4) for end in cell.ends)] if cell.ends else [*value, "", ""]
                for value, cell in zip(values, cells, strict=True)
            ]
        rows = [[*row, *value] for row, value in zip(rows, values, strict=True)]
    table = {"head": head, "rows": rows}
    return Drawn(kind="panels", id="ranking", title="Ranking", panels=(Panel(caption="", svg=svg),), table=table)
