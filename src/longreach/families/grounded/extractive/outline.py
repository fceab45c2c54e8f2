"""The headings of a document with their levels, where they are marked: as in Markdown, or by numbers."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .sections import COMMON_TITLE, INDEXED, NEWS, Sections, count_words
from .terms import Sentence

__all__ = ["Heading", "Outline"]

_MARK = re.compile(
    r"(?:> ?)?(?P<marks>#{1,6})[ \t]+(?=\S)|(?P<number>(?:\d{1,2}|[A-Z])(?:\.\d{1,2})+)\.?\s+(?=[A-ZÄÖÜ\u4e00-\u9fff])"
)
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})[^\n]*\n.*?(?:^ {0,3}\1[^\n]*$|\Z)", re.M | re.S)
_ANCHOR = re.compile(r"\s*\\?\{#[^{}]*\}$|[¶#\s]+$")
_TITLE = re.compile(r"(?!.*(?:\w\(\)|''|``))[\dA-ZÄÖÜ\u4e00-\u9fff»“„][^=<>{}|\\$;@_*\[\]]{3,79}(?<![.:：。,，!])")
_PARTS = re.compile(r"(?:\d{1,2}|[A-Z])(?:\.\d{1,2})+\.?(?=\s)")
_CODE = re.compile(r"(?<!`)`([^`]+)`(?!`)")
_NUMBER = re.compile(r"^(?:[\d.]+|\d+-\d+|[A-Z](?:\.\d+)+\.?)\s+")
_ANY_NUMBER = re.compile(r"(?<![\w.,/-])(?:\d{1,2}|[A-Z])(?:\.\d{1,2})+\.?[ \t]+(?=[^\W\d_]{2})")
_LINE = re.compile(r"^[^\n]+", re.M)
_UNDERLINED = re.compile(r"\n(?:={3,}|-{3,})[ \t]*(?=\n|$)")
"""Below a heading that is marked by a line under it."""
_LINE_BESIDE = re.compile(r"[^\n]\n\||\|\n[^\n]")
_NUMBERED = re.compile(r"[#>]* *(?:\d|[A-Z]\.\d)")
_FEWEST = 8
"""Headings of a document that has marked ones."""
_FEWEST_WORDS, _MOST_WORDS = 1.5, 10
_LONGEST = 90


@dataclass(frozen=True)
class Heading:
    """A heading, and the text up to the next one."""

    title: str
    level: int
    start: int
    end: int
    """Where the next heading begins, or a line that may be one without a number."""

    @property
    def number(self) -> str:
        """Its number; empty where it has none."""
        found = _NUMBER.match(self.title)
        return found[0].strip().rstrip(".") if found else ""

    @property
    def bare(self) -> str:
        """Its words without a number."""
        return _NUMBER.sub("", self.title).lstrip("-–—:. ")

    @property
    def depth(self) -> int:
        """Parts of its number; 0 where it has none."""
        return self.number.count(".") + 1 if "." in self.number else 0

    @property
    def form(self) -> tuple[bool, bool]:
        """Whether it is in capitals, and a question: headings of one form can be options together."""
        return self.bare.isupper(), self.bare.endswith(("?", "？"))


class Outline:
    """The headings of a document that is cut into passages; none where too few are marked."""

    def __init__(self, sections: Sections, begins: Sequence[tuple[int, int]] = ()) -> None:
        self._sections = sections
        found = list(_find(sections.text))
        found = found if len(found) >= _FEWEST else []
        self._at = [start for start, _, _ in found]
        ends = _ends(sections, self._at) if found else []
        self.headings = [
            Heading(title, level, start, end) for (start, level, title), end in zip(found, ends, strict=True)
        ]
        files = (sections.starts[passage] + offset for passage, offset in begins)
        self._begins = {bisect_left(self._at, start) for start in files}
        """The first headings of files."""
        self._often = Counter(one.bare.casefold() for one in self.headings)
        self._numbers = Counter(one.number for one in self.headings)

    def above(self, sentence: Sentence) -> int | None:
        """The number of the heading above a sentence."""
        at = self._sections.find(sentence.passage, sentence.raw)
        number = bisect_right(self._at, at) - 1
        return number if number >= 0 and at < self.headings[number].end else None

    def passage(self, number: int) -> int:
        """The passage that holds a heading."""
        return bisect_right(self._sections.starts, self.headings[number].start) - 1

    def line(self, number: int) -> str:
        """A heading as it stands in the text."""
        start = self.headings[number].start
        return self._sections.text[start : _line_end(self._sections.text, start)]

    def is_clear(self, number: int) -> bool:
        """Whether a heading is the only one of its words, and tells what its section is about."""
        title, bare = self.headings[number].title, self.headings[number].bare
        return (
            self._often[bare.casefold()] == 1
            and _FEWEST_WORDS < count_words(title) <= _MOST_WORDS
            and (" " in bare or not bare.isascii())
            and not COMMON_TITLE.fullmatch(bare)
            and not INDEXED.fullmatch(bare)
            and not NEWS.match(title)
            and _TITLE.fullmatch(title) is not None
        )

    def is_unique(self, number: int) -> bool:
        """Whether no other heading has its number."""
        return self._numbers[self.headings[number].number] == 1

    def siblings(self, number: int) -> list[int]:
        """The other headings of its form in its chapter; none for one that begins a chapter."""
        first, last = number, number + 1
        while first > 0 and not self._begins_chapter(first):
            first -= 1
        while last < len(self.headings) and not self._begins_chapter(last):
            last += 1
        form = self.headings[number].form
        inside = () if self._begins_chapter(number) else range(first, last)
        return [
            one for one in inside if one != number and not self._begins_chapter(one) and self.headings[one].form == form
        ]

    def _begins_chapter(self, number: int) -> bool:
        return self.headings[number].level == 1 or number in self._begins


def _line_end(text: str, start: int) -> int:
    end = text.find("\n", start)
    return end if end >= 0 else len(text)


def _ends(sections: Sections, starts: Sequence[int]) -> list[int]:
    """Where each section ends: at the next heading; below one with a number, also at what may be one: a title without a
    number, or a number within a paragraph.
    """
    text = sections.text
    lines = sorted({*sections.titles, *(match.start() for match in _ANY_NUMBER.finditer(text))})
    ends = []
    for start, following in zip(starts, [*starts[1:], len(text)], strict=True):
        after = bisect_right(lines, _line_end(text, start))
        line = lines[after] if _NUMBERED.match(text, start) and after < len(lines) else following
        ends.append(min(line, following))
    return ends


def _find(text: str) -> Iterator[tuple[int, int, str]]:
    """Where each heading begins, its level and its title; comments in code look like headings."""
    fenced = [match.span() for match in _FENCE.finditer(text)]
    starts = [start for start, _ in fenced]
    deep = len(re.findall(r"^#{2,6}[ \t]+\S|^[^\n|]+\n-{3,}[ \t]*$", text, re.M)) >= _FEWEST // 2
    for found in _LINE.finditer(text):
        line, start = found[0], found.start()
        mark, under = _MARK.match(line), _UNDERLINED.match(text, found.end())
        if under and len(line) <= _LONGEST and "|" not in line and text[max(0, start - 2) : start] in {"", "\n\n"}:
            marks = "##" if "-" in under[0] else "#"
        elif mark is None or len(line) > _LONGEST or (mark["marks"] and not deep):
            continue
        else:
            marks = mark["marks"] or ""
        if (
            mark
            and mark["number"]
            and not under
            and _LINE_BESIDE.search(text[max(0, start - 2) : start] + "|" + text[found.end() :][:2])
        ):
            continue  # not a paragraph of its own
        inside = bisect_right(starts, start) - 1
        if inside >= 0 and start < fenced[inside][1]:
            continue
        title = " ".join(_CODE.sub(r"\1", _ANCHOR.sub("", line)).lstrip("#> ").replace("**", "").split())
        number = _PARTS.match(title)
        yield start, number[0].rstrip(".").count(".") + 1 if number else len(marks), title
