"""A report as Markdown: the verdicts, the tables, and links to the images. Model output is never markup."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from .contents import Contents
from .drawing.drawn import Drawn
from .drawing.table_cells import table_cells
from .ranking import ranking_table

__all__ = ["Link", "plain", "report_markdown"]

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
    """A file of a chart."""

    caption: str
    kind: str
    path: str


def report_markdown(contents: Contents, links: Mapping[str, Sequence[Link]]) -> str:
    """The whole report; `links` are the files of each chart, by its id."""
    parts = [f"# {plain(contents.title)}", plain(contents.lead)]
    for family in contents.families:
        parts += [f"## {plain(family.title)}", plain(family.about)]
        if family.ranking:
            parts += ["### Ranking", _table(table_cells(ranking_table(family.ranking)))]
        for each in family.verdicts:
            parts.append(f"**{plain(each.model)}**: {plain(each.sentence)}")
            parts.append(plain(f"{each.conditions}.") if each.conditions else "")
        for figure in family.figures:
            parts += _figure(figure, links.get(figure.id, ()))
    for section in contents.sections:
        parts += [f"## {plain(section.title)}", plain(section.about)]
        for figure in section.figures:
            parts += _figure(figure, links.get(figure.id, ()), titled=len(section.figures) > 1)
    if contents.notes:
        parts += ["## Notes", "\n".join(f"- {plain(note)}" for note in contents.notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _figure(figure: Drawn, files: Sequence[Link], *, titled: bool = True) -> list[str]:
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
