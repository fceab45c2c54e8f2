"""Answers in a table: which cell of a row has its number, and which one the answer."""

from __future__ import annotations

import re

__all__ = ["is_table_row", "table_answers"]

_LINE = re.compile(r"[\s|:+-]+$")
_ANSWER = re.compile(r"\W*(?:(?:final|short|my|your) )?(?:answer|response|reply|答案|回答)s?\W*$", re.IGNORECASE)
_NUMBER = re.compile(
    r"\W*(?:(?:question|q|answer|问题|第)\s?(?:no\.?|number|#)?\s?)?\d{1,6}\s?题?\W*$|\W*(?:#|no\.?|number|question|q|问题|题号)\W*$",
    re.IGNORECASE,
)


def is_table_row(line: str) -> bool:
    """Whether a line is a row of cells between bars."""
    return line.count("|") >= 2 or (line.count("|") == 1 and _NUMBER.match(line.partition("|")[0]) is not None)


def table_answers(line: str, header: list[str]) -> tuple[list[str], tuple[str, str] | None]:
    """The current header, and the number and answer of this row; none where the line is a header or a rule."""
    if _LINE.match(line):
        return header, None
    cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    named = [place for place, cell in enumerate(header) if _ANSWER.match(cell)]
    numbered = [place for place, cell in enumerate(header) if place and _NUMBER.match(cell)]
    if named == [0] and numbered and len(cells) == len(header):  # the number comes after the answer
        return header, (cells[numbered[0]], cells[0])
    if len(cells) < 2 or not _NUMBER.match(cells[0]):
        return cells if len(cells) > 1 else header, None
    if not any(character.isdigit() for character in cells[0]):
        return cells, None
    if named and named[0] < len(cells):
        return header, (cells[0], cells[named[0]])
    answer = next((cell for cell in cells[1:] if cell and not cell.rstrip("*_ ").endswith(("?", "？"))), "")
    return header, (cells[0], answer)
