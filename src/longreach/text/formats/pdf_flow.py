"""Lines of pages to paragraphs: page furniture removed, wrapped lines and hyphenated words joined, headings marked."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median
from types import MappingProxyType

from ..contents import contents_lines
from .pdf_layout import Line, Page

__all__ = ["flow", "without_furniture"]

_DIGITS = re.compile(r"\d+|\b[ivxlc]+\b")
_PAGE_NUMBER = re.compile(
    r"[-–—\[( ]*(?:(?:page|seite|p\.|第)\s*)?(?:\d{1,4}|[ivxlc]{1,7})"
    r"(?:\s*(?:/|of|von|页)\s*\d{0,4}(?:\s*页)?)?[-–—\]) ]*",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BROKEN_WORD = re.compile(r"([^\W\d_]+)[-\u2010]$")
_NEXT_WORD = re.compile(r"[^\W\d_]+")
_LIST_START = re.compile(r"(?:[•▪◦‣·●○■□✓*–—-]|\(?(?:\d{1,3}|[a-z])[.)])\s")
_SENTENCE_END = re.compile(r"[.!?:。！？：…][\"'”’」』)）\]]*$")
_WIDE_EDGE = re.compile(r"[\u2014\u2018-\u201d\u2026\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
_EDGE_LINES = 3
"""Lines at the top and at the bottom of a page that may be furniture."""
_FEWEST = 3
"""Pages that must share a line, or its position."""
_HEADING = re.compile(r"(?=.*[^\W\d_]{3}|.*[\u3400-\u9fff]{2})[^\W_“„»(][^\t]{2,99}(?<![.,;:。，；：])")
_CAPTION = re.compile(
    r"(?:Figure|Fig\.|Table|Equation|Example|Listing|Abbildung|Abb\.|Tabelle|Gleichung|[图表圖])\s*\d", re.I
)
_DEEPEST = 6
_APART = 1.35
"""Line distances from which a new paragraph begins."""
_INDENT = 0.8
"""Font sizes by which the first line of a paragraph is indented."""
_LABEL = 4
"""Words of a label that hangs to the left of its paragraph, at most."""
_OTHER_SIZE = 1.12
"""Ratio of font sizes from which two lines do not belong together."""
_SMALL = 0.9
"""Share of the usual font size below which lines at the bottom of a page are notes."""


def flow(pages: Sequence[Page]) -> str:
    """The text of all pages, one paragraph per block; headings, which are larger or bold, are marked as in Markdown."""
    kept = without_furniture(pages)
    listed = contents_lines([line.text for page in kept for line in page.lines], len(pages))
    lines: list[tuple[Line, bool]] = []
    notes: list[Line] = []
    usual = median([line.size for page in kept for line in page.lines] or [1.0])
    at = 0
    for page in kept:
        entries = page.lines
        marked = listed[at : at + len(entries)]
        at += len(entries)
        body = [line for line, skip in zip(entries, marked, strict=True) if not skip]
        last = len(body)
        while last > 0 and body[last - 1].size < _SMALL * usual and not body[last - 1].fixed:
            last -= 1
        if 0 < last < len(body):
            notes += body[last:]
            body = body[:last]
        lines += ((line, place == 0) for place, line in enumerate(body))
    levels = _levels([line for line, _ in lines], usual)
    return _paragraphs(lines, levels) + ("\n\n" + _paragraphs([(line, False) for line in notes]) if notes else "")


def _levels(lines: Sequence[Line], usual: float) -> dict[int, int]:
    """The level of each heading by the id of its line: the larger the font, the higher; bold lines come last."""
    prose = sum(line.bold for line in lines) * 2 < len(lines)
    heads = {
        id(line): round(max(line.size, usual))
        for line in lines
        if (line.size >= _OTHER_SIZE * usual or (line.bold and prose and line.size >= _SMALL * usual))
        and not line.fixed
        and _HEADING.fullmatch(line.text) is not None
        and _CAPTION.match(line.text) is None
        and line.text.count("(") == line.text.count(")")
    }
    often = Counter(heads.values())
    sizes = sorted((size for size, times in often.items() if times >= _FEWEST), reverse=True)
    level = {size: min(place, _DEEPEST) for place, size in enumerate(sizes, 1)}
    return {line: level[size] for line, size in heads.items() if size in level}


def without_furniture(pages: Sequence[Page]) -> list[Page]:
    """Pages without running heads, footers and page numbers: lines at the edges that recur on several pages but for
    their numbers, numbers alone, and lines that stand apart at a position that most pages share.
    """
    heads = [_edges(page, top=True) for page in pages]
    feet = [_edges(page, top=False) for page in pages]
    removed: list[set[int]] = [set() for _ in pages]
    for edges in (heads, feet):
        places = Counter(round(line.y / 2) for edge in edges for line in edge[:1])
        texts = Counter(masked(line) for edge in edges for line in edge)
        for number, edge in enumerate(edges):
            spacing = _spacing(pages[number].lines)
            for place, line in enumerate(edge):
                shared = sum(places[round(line.y / 2) + near] for near in (-1, 0, 1))
                after = edge[place + 1] if place + 1 < len(edge) else None
                alone = after is None or abs(after.y - line.y) > _APART * spacing
                recurs = texts[masked(line)] >= max(_FEWEST, len(pages) // 50)
                apart = alone and shared >= max(_FEWEST, len(pages) * 2 // 5) and len(line.text) < 100
                if (recurs and (alone or shared >= _FEWEST)) or apart or _PAGE_NUMBER.fullmatch(line.text):
                    removed[number].add(id(line))
                else:
                    break
    return [
        replace(page, lines=[line for line in page.lines if id(line) not in removed[number]])
        for number, page in enumerate(pages)
    ]


def masked(line: Line) -> str:
    """A line with its numbers replaced."""
    return _DIGITS.sub("#", line.text.lower())


def _edges(page: Page, *, top: bool) -> list[Line]:
    """The first lines from the top or the bottom, outermost first; short pages have no edges."""
    if len(page.lines) < 2:
        return []
    return sorted(page.lines, key=lambda line: -line.y if top else line.y)[:_EDGE_LINES]


def _spacing(lines: Sequence[Line]) -> float:
    """The usual distance between two lines."""
    gaps = [above.y - line.y for above, line in pairwise(lines) if above.y > line.y]
    return median(gaps) if gaps else 12.0


def _paragraphs(lines: Sequence[tuple[Line, bool]], levels: Mapping[int, int] = MappingProxyType({})) -> str:
    """Lines joined to paragraphs; `True` marks the first of a page, `levels` has those of headings."""
    words = _whole_words([line.text for line, _ in lines])
    gaps = [
        above.y - line.y
        for (above, _), (line, first) in pairwise(lines)
        if not first and 0 < above.y - line.y < 4 * line.size and same_size(above, line)
    ]
    spacing = median(gaps) if gaps else 12.0
    parts: list[str] = []
    for place, (line, _) in enumerate(lines):
        if id(line) in levels and (not parts or parts[-1].endswith("\n")):
            parts.append(f"{'#' * levels[id(line)]} ")
        following, turned = lines[place + 1] if place + 1 < len(lines) else (None, False)
        if following is None:
            parts.append(line.text)
        elif (id(line) in levels) == (id(following) in levels) and _continues(line, following, turned, spacing):
            parts.extend(_joined(line.text, following.text, words))
        else:
            close = not turned and 0 < line.y - following.y < _APART * spacing
            listed = close and ("\t" in line.text or line.fixed or bool(_LIST_START.match(following.text)))
            parts.extend((line.text, "\n" if listed else "\n\n"))
    return "".join(parts)


def same_size(one: Line, other: Line) -> bool:
    return max(one.size, other.size) <= _OTHER_SIZE * min(one.size, other.size)


def _continues(line: Line, following: Line, turned: bool, spacing: float) -> bool:
    """Whether the next line continues this line's paragraph."""
    ended = bool(_SENTENCE_END.search(line.text))
    if (
        (line.fixed and following.fixed)
        or "\t" in line.text
        or "\t" in following.text
        or not same_size(line, following)
    ):
        return False
    if _LIST_START.match(following.text) and (ended or following.left > line.left - line.size):
        return False
    lower = following.text[:1].islower()
    if turned or following.y >= line.y:  # another page or column
        return not ended or lower
    if line.y - following.y > max(_APART * spacing, 1.6 * line.size):
        return False
    label = following.left < line.left - _INDENT * line.size and len(following.words) <= _LABEL
    if ended and not lower and (label or line.text.endswith(":")):
        return False
    width = line.column[1] - line.column[0]
    short = line.right < line.column[1] - 0.25 * width
    if short and not lower:
        return False
    marked = _LIST_START.match(line.text)
    return (
        lower or marked is not None or following.left - line.left < _INDENT * line.size or following.left <= line.left
    )


def _whole_words(lines: Sequence[str]) -> set[str]:
    """The document's words in lower case, without the halves of those broken between lines."""
    words: set[str] = set()
    for before, line in zip(["", *lines], lines, strict=False):
        found = _WORD.findall(line.lower())
        words.update(found[bool(before.endswith("-")) : len(found) - line.endswith("-")])
    return words


def _joined(line: str, following: str, words: set[str]) -> tuple[str, str]:
    """A line and its separator from the next: usually a space, nothing after a broken word."""
    if line.endswith("\u00ad"):
        return line[:-1], ""
    broken, rest = _BROKEN_WORD.search(line), _NEXT_WORD.match(following)
    if broken and rest and rest[0].islower():
        head, tail = broken[1].lower(), rest[0].lower()
        compound = f"{head}-{tail}" in words or (head in words and tail in words)
        # The document itself distinguishes `exam-ple` from `well-known`: by the whole word, or by its halves.
        if head + tail in words or not compound:
            return line[:-1], ""
        return line, ""
    if line.endswith("-") or (_WIDE_EDGE.match(line[-1]) and _WIDE_EDGE.match(following[0])):
        return line, ""
    return line, " "
