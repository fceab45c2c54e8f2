"""A figure as plain text, for a terminal: aligned columns, intervals in brackets."""

from __future__ import annotations

import textwrap

from longreach.core.estimate import Estimate
from longreach.core.figure import Drawing, Figure, Maps, Table, columns
from longreach.core.item import AxisValue
from longreach.core.number_format import interval_text, value_label
from longreach.stats.series import ordered

from .drawing.looks import PUBLISHED
from .drawing.table_cells import cell_text, fine_columns

__all__ = ["as_table", "figure_text"]

_WIDTH = 100


def figure_text(figure: Figure) -> str:
    """The title, the numbers in columns, the note. A drawing becomes a table of its numbers."""
    table = as_table(figure)
    fine = fine_columns(table)
    apart = 0 < len(set(table.references)) < len(table.rows)
    body: list[list[str]] = []
    for number, row in enumerate(table.rows):
        cells = []
        for place, (value, column) in enumerate(zip(row, table.columns, strict=True)):
            text = cell_text(value, column.unit, fine=place in fine and isinstance(value, float))
            if isinstance(value, Estimate):
                text += f" ({interval_text(value, column.unit)})"
            cells.append(f"{text} ({PUBLISHED})" if apart and place == 0 and number in table.references else text)
        body.append(cells)
    heads = _heads([column.title for column in table.columns])
    widths = [max(len(line[place]) for line in (*heads, *body)) for place in range(len(table.columns))]
    right = [all(not isinstance(row[place], str) for row in table.rows) for place in range(len(table.columns))]

    def laid(line: list[str]) -> str:
        cells = zip(line, widths, right, strict=True)
        return "  ".join(text.rjust(wide) if end else text.ljust(wide) for text, wide, end in cells).rstrip()

    rule = "  ".join("-" * wide for wide in widths)
    note = [textwrap.fill(table.note, _WIDTH)] if table.note else []
    return "\n".join([table.title, *map(laid, heads), rule, *map(laid, body), *note]) + "\n"


def as_table(figure: Figure) -> Table:
    """A drawing as a table: one row per series, one column per place on its axis."""
    if isinstance(figure, Table):
        return figure
    return _long(figure) if isinstance(figure, Maps) else _pivoted(figure)


def _heads(titles: list[str]) -> list[list[str]]:
    """Titles on one line, or on two if any has a comma: they are wider than the cells below."""
    parted = [title.rpartition(", ") for title in titles]
    if not any(comma for _, comma, _ in parted):
        return [titles]
    return [[f"{first}," if comma else "" for first, comma, _ in parted], [last for _, _, last in parted]]


def _long(figure: Maps) -> Table:
    heads = columns(*figure.data.head)
    return Table(id=figure.id, title=figure.title, note=figure.note, columns=heads, rows=figure.data.rows)


def _pivoted(figure: Drawing) -> Table:
    xs = ordered([dot.x for trace in figure.traces for dot in trace.dots], figure.x)
    panels = any(trace.panel for trace in figure.traces)
    rows = []
    for trace in figure.traces:
        found: dict[AxisValue, Estimate | float | None] = {}
        for dot in trace.dots:
            bounded = dot.y is not None and dot.low is not None and dot.high is not None
            found[dot.x] = (
                Estimate(value=dot.y or 0.0, low=dot.low or 0.0, high=dot.high or 0.0, n=0) if bounded else dot.y
            )
        rows.append(((trace.name, *((trace.panel,) if panels else ())), tuple(found.get(x) for x in xs)))
    heads = ["series", *(["panel"] if panels else [])]
    return Table(
        id=figure.id,
        title=figure.title,
        note=figure.note,
        columns=(*columns(*heads), *columns(*(value_label(figure.x, x) for x in xs), unit=figure.unit)),
        rows=tuple((*names, *values) for names, values in rows),
        references=tuple(i for i, trace in enumerate(figure.traces) if trace.reference),
    )
