"""Numbers in lines of text: between commas, signs or spaces, numbered, in tables, in a sentence."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from .list_marks import plain_lines, unmark
from .tables import tables

__all__ = ["numbers_of"]

_DRESSING = frozenset("""`*"'“”‘’[](){}<>|.$\\~。""")
_SEPARATORS = re.compile(
    r"[;、，；\t]|,(?=\s|$)|\s(?:[-–—/|<>≤≥→]|->|=>|<=|>=|\\leq?|\\geq?|\\to|then|and|&)\s|\s?(?:[<>≤≥→＜＞]|->"
    r"|=>)\s?|(?<=\d)\s?[和及与]\s?(?=\d)"
)
_BARE_COMMAS = re.compile(rf"{_SEPARATORS.pattern}|,")
_THOUSANDS = re.compile(r"[-+]?\d{1,3}(?:,\d{3})+,?")
_SPACED = re.compile(r"[-+]?\d{1,3}(?:[ \u00a0\u202f\u2009]\d{3})+")
_MATHS = re.compile(
    r"\\(?:left|right|boxed|text|mathrm|quad|qquad|displaystyle|begin\{\w+\*?\}|end\{\w+\*?\}"
    r"|[,;:!\[\](){}\\])|\$+|(?<=\d)\{,\}(?=\d)"
)
_AND = re.compile(r"^(?:and|then|&|finally|lastly|以及|和|及|与|最后)\s*(?=\d)", re.IGNORECASE)
_ASIDE = re.compile(r"\s*[(（][^()（）]*[^\W\d][^()（）]*[)）]$")
_NUMBERED = 2
_COLON = re.compile(r"[:：]")


def numbers_of(text: str, known: Collection[str]) -> Iterator[tuple[list[str], str, int]]:
    """Blocks of numbers: (numbers, layer, other pieces). A line of words separates two blocks."""
    at = 0
    for rows, heading, start, end in tables(text):
        yield from _blocks(text[at:start], known)
        yield _cells(rows[1:] if heading else rows, known), "list", 0
        at = end
    yield from _blocks(text[at:], known)


def _cells(rows: Sequence[Sequence[str]], known: Collection[str]) -> list[str]:
    """The numbers of a table, row by row, from the columns with expected ones; else from the last one with digits."""
    width = max(map(len, rows), default=0)
    columns = [[_bare(row[place]) for row in rows if place < len(row)] for place in range(width)]
    held = [sum(cell in known for cell in column) for column in columns]
    chosen = [place for place in range(width) if held[place] and 2 * held[place] >= max(held)]
    if not chosen:
        digits = [place for place, column in enumerate(columns) if sum(map(_has_digit, column)) * 2 > len(column)]
        chosen = digits[1:] if len(digits) > 1 and _counts_up(columns[digits[0]]) else digits
    cells = (_bare(row[place]) for row in rows for place in chosen if place < len(row))
    return [cell for cell in cells if _has_digit(cell)]


def _counts_up(cells: Sequence[str]) -> bool:
    """Whether cells number the rows: 1, 2, 3 or 0, 1, 2."""
    numbers = [int(cell) for cell in cells if cell.isdecimal() and len(cell) < 7]
    steps = all(number == numbers[0] + place for place, number in enumerate(numbers))
    return len(numbers) == len(cells) > 1 and numbers[0] in (0, 1) and steps


def _blocks(text: str, known: Collection[str]) -> Iterator[tuple[list[str], str, int]]:
    lines = plain_lines(_MATHS.sub(" ", text) if "\\" in text or "$" in text else text)
    if not lines:
        return
    lines, marked = unmark(lines, known)
    separator = _separator(lines)
    long = bool(known) and all(len(number) > 3 for number in known)
    split = [_line(line, separator, known, long) for line in lines]
    if _counts_up([numbers[0] if len(numbers) == 2 else "" for numbers, _, _ in split]):
        split = [(numbers[1:], rest, fresh) for numbers, rest, fresh in split]
        marked = True
    split = [(_without_numbering(numbers), rest, fresh) for numbers, rest, fresh in split]
    block: list[str] = []
    alone = True  # whether every line holds one number
    for numbers, rest, fresh in split:
        if block and (fresh or not numbers):
            yield block, _layer(alone, marked, block), 0
            block, alone = [], True
        if rest:
            yield [], "", rest
        block += numbers
        alone = alone and len(numbers) <= 1
    if block:
        yield block, _layer(alone, marked, block), 0


def _without_numbering(numbers: list[str]) -> list[str]:
    """Without the numbering of a list on one line: "(1) 52 (2) 67 (3) 81"; its first mark may already be removed."""
    for index, items in ((numbers[::2], numbers[1::2]), (["1", *numbers[1::2]], numbers[::2])):
        if len(items) > _NUMBERED and len(index) == len(items) and _counts_up(index):
            return items
    return numbers


def _layer(alone: bool, marked: bool, block: Sequence[str]) -> str:
    return "lines" if alone and not marked and len(block) > 1 else "list"


def _separator(lines: Sequence[str]) -> re.Pattern[str]:
    if len(lines) > 1 and all(_THOUSANDS.fullmatch(line) for line in lines if "," in line.rstrip(",")):
        return _SEPARATORS  # one number per line, with commas between its thousands
    return _SEPARATORS if any(_SEPARATORS.search(line.rstrip(",;")) for line in lines) else _BARE_COMMAS


def _line(line: str, separator: re.Pattern[str], known: Collection[str], long: bool) -> tuple[list[str], int, bool]:
    """The numbers of a line, the count of its other pieces, and whether a label begins a new list."""
    fresh = False
    rest = 0
    label, *after = _COLON.split(line)
    while after and _has_letter(label):
        fresh, rest = True, 1
        line = line[len(label) + 1 :].strip()
        label, *after = _COLON.split(line)
    if long and _SPACED.fullmatch(_bare(line)):
        return [_bare(line)], rest, fresh
    segments = [part for part in separator.split(line) if part.strip()]
    items: list[str] = []
    for segment, following in zip(segments, [*segments[1:], "x"], strict=False):
        found, other = _segment(segment, known, opens=not items and not _has_letter(_AND.sub("", following.strip())))
        items += found
        rest += other
    return items, rest, fresh


def _segment(segment: str, known: Collection[str], *, opens: bool) -> tuple[list[str], int]:
    """The numbers between two separators. `opens`: a sentence may lead up to its first number."""
    found = _bare(_ASIDE.sub("", _AND.sub("", segment.strip())))
    found = _bare(_AND.sub("", found))
    if not found or not _has_digit(found):
        return [], int(bool(found))
    parts = found.split()
    if len(parts) == 1:
        return [found], 0
    if all(_has_digit(part) and not _has_letter(part) for part in parts):
        return [_bare(part) for part in parts], 0
    last = _bare(parts[-1])
    leads_up = opens and _has_digit(last) and not _has_letter(last) and not any(map(_has_digit, parts[:-1]))
    if leads_up:
        return [last], 1
    # "104729863 is the first": only a given number can be meant.
    given = [bare for part in parts if (bare := _bare(part)) in known]
    return (given, 1) if len(given) > 1 else ([], 1)


def _bare(text: str) -> str:
    """Without markup at both ends. No pattern: it would be slow on long gaps inside."""
    start, end = 0, len(text)
    while start < end and (text[start] in _DRESSING or text[start].isspace()):
        start += 1
    while end > start and (text[end - 1] in _DRESSING or text[end - 1] in ",;" or text[end - 1].isspace()):
        end -= 1
    return text[start:end]


def _has_digit(text: str) -> bool:
    return any(character.isdigit() for character in text)


def _has_letter(text: str) -> bool:
    return any(character.isalpha() for character in text)
