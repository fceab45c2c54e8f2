"""A report as Markdown: the verdicts, the tables, and links to the images. Model output is never markup."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from longreach.core.number_format import percent

from .contents import Contents

__all__ = ["plain", "report_markdown"]

_MOST = 40
"""Rows of a chart's table that are shown if there is no image."""
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+!|~$^:@])")
_STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_PICTURES = ("png", "svg")
_FILES = ("svg", "png", "pdf", "csv")


def plain(text: Any) -> str:
    """Text escaped so that no Markdown renderer takes it for markup, without characters that reverse the direction of a
    line."""
    shown = _STEERING.sub("\N{REPLACEMENT CHARACTER}", " ".join(str(text).split()))
    return _MARKUP.sub(r"\\\1", shown.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))


def report_markdown(contents: Contents, links: Mapping[str, Mapping[str, str]], threshold: float) -> str:
    """The whole report; `links` are the files of each chart, by its id and kind."""
    parts = [f"# {plain(contents.title)}", plain(contents.lead)]
    for family in contents.families:
        parts += [f"## {plain(family['title'])}", plain(family["about"])]
        for card in family["cards"]:
            parts += _card(card)
        parts += ["### Summary", _note(threshold), _table(family["summary"])]
        parts += [_files(links.get(f"{family['name']}-summary", {}))]
        for figure in family["figures"]:
            parts += _figure(figure, links.get(figure["id"], {}))
    parts += ["## Answer status", _table(contents.statuses), _files(links.get("statuses", {}))]
    parts += ["## The run"]
    parts += [_table(contents.runs), _files(links.get("run", {}))] if contents.runs["lines"] else []
    for figure in contents.figures:
        parts += _figure(figure, links.get(figure["id"], {}))
    if contents.notes:
        parts += ["## Notes", "\n".join(f"- {plain(note)}" for note in contents.notes)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _note(threshold: float) -> str:
    return (
        "Delivered: right of all asked. Answered: right of those that could be graded. With 95 % CI. Effective length: "
        f"the longest tested length up to which delivered accuracy, corrected for guessing, stays at or above "
        f"{percent(threshold)}."
    )


def _card(card: dict[str, Any]) -> list[str]:
    lines = [f"**{plain(card['model'])}**: {plain(card['sentence'])}"]
    if reach := card["reach"]:
        parts = [
            f"Effective length {reach['value']} (95 % CI {reach['interval']})",
            reach["tested"],
            reach["limit"],
        ]
        lines.append(plain("; ".join([*parts, *([reach["start"]] if reach["start"] else [])]) + "."))
    if card["conditions"]:
        lines.append(plain(f"{card['conditions']}."))
    return lines


def _figure(figure: dict[str, Any], files: Mapping[str, str]) -> list[str]:
    parts = [f"### {plain(figure['title'])}", plain(figure.get("note") or "")]
    picture = next((files[kind] for kind in _PICTURES if kind in files), None)
    if picture:
        parts.append(f"![{plain(figure['title'])}]({picture})")
    elif figure["kind"] == "table":
        parts.append(_table(figure["table"]))
    else:
        parts.append(_rows(figure["table"]))
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


def _files(files: Mapping[str, str]) -> str:
    links = [f"[{kind}]({files[kind]})" for kind in _FILES if kind in files]
    return f"Files: {', '.join(links)}" if links else ""
