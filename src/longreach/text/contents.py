"""Tables of contents: runs of lines that end in page numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["contents_lines", "contents_share"]

_LEADERS = re.compile(r"(?:\.\s?){4,}|…{2,}|·{4,}|_{4,}")
_ENTRY = re.compile(r"(?P<title>.*?\S)(?P<gap>[\s.…·_]+)(?P<page>\d{1,4}|[ivxlc]{1,7})\s*", re.IGNORECASE)
_NUMBERED = re.compile(
    r"(?:\d+(?:\.\d+)*\.?|[A-Z](?:\.\d+)+|chapter\b|part\b|appendix\b|第.{1,4}[章节])", re.IGNORECASE
)
_FEWEST = 4
"""Entries in a row that make a table of contents."""
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


def contents_lines(lines: Sequence[str], pages: int | None = None) -> list[bool]:
    """For each line whether it is an entry of a table of contents: in a run of lines that end in page numbers which do
    not fall, each with leaders or a section number. `pages` is the largest number allowed, with some margin.
    """
    found = [False] * len(lines)
    run: list[int] = []
    last = 0

    def end_run() -> None:
        if len(run) >= _FEWEST:
            first, final = run[0], run[-1]
            for place in range(first, final + 1):
                found[place] = True
        run.clear()

    missed = 0
    for place, line in enumerate(lines):
        if not line.strip():
            continue
        page = _page_of(line, pages)
        if page is None:
            missed += 1
            # A long title wraps to a second line without a number.
            if missed > 1 or len(line) > 120:
                end_run()
            continue
        missed = 0
        if run and page < last and not (page == 1 and last < 40):
            end_run()
        run.append(place)
        last = page
    end_run()
    return found


def contents_share(text: str) -> float:
    """Share of a text's lines that are entries of a table of contents."""
    lines = [line for line in text.split("\n") if line.strip()]
    return sum(contents_lines(lines)) / len(lines) if lines else 0.0


def _page_of(line: str, pages: int | None) -> int | None:
    """The page number of an entry; None where the line is none."""
    match = _ENTRY.fullmatch(line.strip())
    if match is None or len(line) > 200:
        return None
    leaders = bool(_LEADERS.search(match["gap"]))
    apart = "\t" in match["gap"] or len(match["gap"]) >= 3
    if not leaders and not (apart or _NUMBERED.match(match["title"])):
        return None
    number = match["page"].lower()
    page = int(number) if number.isdigit() else _roman(number)
    return None if pages is not None and page > pages * 3 // 2 + 20 else page


def _roman(numeral: str) -> int:
    values = [_ROMAN[letter] for letter in numeral]
    return sum(-value if value < max(values[place:]) else value for place, value in enumerate(values))
