"""Figures as plain text and a report as Markdown. Model output is never markup."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from longreach.core.figure import Drawing, Figure, Maps, Table, columns
from longreach.core.formatting import interval_text, value_label
from longreach.core.types import AxisValue, Estimate
from longreach.stats.series import ordered

from .drawing.drawings import DrawnFigure, cell_text, fine_columns, table_cells
from .drawing.plots import PUBLISHED
from .lengths import relations
from .page import Contents
from .ranking import ranking_table

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
    if isinstance(figure, Maps):
        heads = columns(*figure.data.head)
        return Table(id=figure.id, title=figure.title, note=figure.note, columns=heads, rows=figure.data.rows)
    return _pivoted(figure)


def _heads(titles: list[str]) -> list[list[str]]:
    """Titles on one line, or on two if any has a comma: they are wider than the cells below."""
    parted = [title.rpartition(", ") for title in titles]
    if not any(comma for _, comma, _ in parted):
        return [titles]
    return [[f"{first}," if comma else "" for first, comma, _ in parted], [last for _, _, last in parted]]


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


_MOST = 40
"""Rows of a chart's table that are shown if there is no image."""
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~$^:@])")
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_PICTURES = ("png", "svg")


def plain(text: Any) -> str:
    """Text escaped so that no Markdown renderer takes it for markup, without characters that reverse the direction of a
    line."""
    shown = _STEERING.sub("\N{REPLACEMENT CHARACTER}", " ".join(str(text).split()))
    return _MARKUP.sub(r"\\\1", shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


class Link(NamedTuple):
    caption: str
    kind: str
    path: str


def report_markdown(contents: Contents, links: Mapping[str, Sequence[Link]]) -> str:
    """The whole report; `links` are the files of each chart, by its id."""
    parts = [f"# {plain(contents.title)}", plain(contents.lead)]
    parts.append("\n".join(f"- **{plain(each.text)}**" for each in contents.broken))
    parts += [plain(each.text) for each in contents.leading]
    for family in contents.families:
        parts += [f"## {plain(family.title)}", plain(family.about)]
        if family.ranking:
            where = f" at {family.at.label} tokens" if family.at else ""
            parts += [f"### Ranking{where}", plain(family.at_note), _table(table_cells(ranking_table(family.ranking)))]
            parts.append(plain(relations(family.ranking.pairs)))
        for each in family.verdicts:
            parts.append(f"**{plain(each.model)}**: {plain(each.sentence)}")
            parts.append(plain(f"{each.conditions}.") if each.conditions else "")
        for figure in (*filter(None, (family.cost,)), *family.figures):
            parts += _figure(figure, links.get(figure.id, ()))
    for section in contents.sections:
        parts += [f"## {plain(section.title)}", plain(section.about)]
        parts.append("\n".join(f"- {plain(sentence)}" for sentence in section.sentences))
        for figure in section.figures:
            parts += _figure(figure, links.get(figure.id, ()), titled=len(section.figures) > 1)
    if contents.warnings:
        parts += ["## Watch out", "\n".join(f"- {plain(each.text)}" for each in contents.warnings)]
    if contents.notes:
        parts += ["## Notes", "\n".join(f"- {plain(note)}" for note in contents.notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _figure(figure: DrawnFigure, files: Sequence[Link], *, titled: bool = True) -> list[str]:
    parts = [f"### {plain(figure.title)}" if titled else "", plain(figure.note)]
    kind = next((kind for kind in _PICTURES if any(each.kind == kind for each in files)), None)
    if kind:
        parts += [f"![{plain(each.caption or figure.title)}]({each.path})" for each in files if each.kind == kind]
    elif figure.kind == "table":
        parts.append(_table(figure.table))
    else:
        parts.append(_rows(figure.table))
    return [*parts, _files(files)]


def _table(table: dict[str, Any]) -> str:
    """A table with its intervals in brackets."""
    numeric = [cell["numeric"] for cell in table["lines"][0]] if table["lines"] else [False] * len(table["head"])
    marked = table.get("marked", ())
    body = []
    for number, line in enumerate(table["lines"]):
        cells = []
        for place, cell in enumerate(line):
            small = f" ({cell['small']})" if cell.get("small") else ""
            tag = " (published)" if number in marked and place == 0 else ""
            cells.append(plain(f"{cell['text']}{small}{tag}"))
        body.append(cells)
    return _lined([plain(name) for name in table["head"]], body, numeric)


def _rows(table: dict[str, Any]) -> str:
    """The first rows of a chart's data, as in the page's download."""
    rows = table["rows"][:_MOST]
    numeric = [
        all(isinstance(row[place], int | float) or row[place] == "" for row in rows)
        for place in range(len(table["head"]))
    ]
    body = [[plain(value) for value in row] for row in rows]
    more = len(table["rows"]) - len(rows)
    text = _lined([plain(name) for name in table["head"]], body, numeric)
    return f"{text}\n\n{more} rows more: make the report with csv to have them all." if more else text


def _lined(head: Sequence[str], body: Sequence[Sequence[str]], numeric: Sequence[bool]) -> str:
    rule = ["---:" if right else "---" for right in numeric]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in (head, rule, *body))


def _files(files: Sequence[Link]) -> str:
    """Links to a chart's numbers and, if it is one panel, to its pictures."""
    one = len({each.caption for each in files if each.kind != "csv"}) <= 1
    links = [f"[{each.kind}]({each.path})" for each in files if one or each.kind == "csv"]
    return f"Files: {', '.join(links)}" if links else ""
