"""How a document's lines are laid out: hard-wrapped prose, code with comments, tables of contents."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from longreach.core.language import COMMON_HAN

# Tables of contents: runs of lines that end in page numbers.

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
    not fall, each with leaders or a section number. `pages` is the largest number allowed, with some margin."""
    found = [False] * len(lines)
    run: list[int] = []
    last = 0

    def end_run() -> None:
        if len(run) >= _FEWEST:
            found[run[0] : run[-1] + 1] = [True] * (run[-1] + 1 - run[0])
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


# How a document's lines are laid out (hard-wrapped prose, code with comments), and other text laid out like it.

_SAMPLE = 40_000  # characters
_NARROWEST, _WIDEST = 30, 120
_LINES_PER_PARAGRAPH = 1.6
_BLANK = re.compile(r"\n\s*\n")
_CODE_WIDTHS = (60, 100)
_SIGNS = re.compile(r"[{}();=<>\[\]#_]")
_MANY_SIGNS = 0.03
_CODE_LINE = re.compile(
    r"\s*(?:[\w.\[\]'\"]+\s*(?:[-+*/|]?=|\()|(?:async |export |static )?(?:def|class|import|from|return|if|elif|else"
    r"|for|while|try|function|const|let|var|public|private|fn|func|struct|package|using|namespace|end)\b|[})\]]+[;,)]*\s*$"
    r"|#|//|/?\*)|.*[{;]\s*$"
)
_CODE_SHARE = 0.4
_PROSE_LINE = re.compile(
    r"(?:[-*>] |\d+\. )?[^\W\d_](?:[^\W\d_]|[’'-])*,?(?: [^\W\d_](?:[^\W\d_]|[’'-])*[,;:]?){5}"
    rf"|.*[{COMMON_HAN}]{{6}}"
)
"""A line, not indented, that begins with six words."""
_PROSE_SHARE = 0.15  # of the characters: manuals that quote much code have 0.23 to 0.9, source files up to 0.05
_COMMENT = re.compile(r"\s*(#|//|--|%|;)(?= )")
_NAMES = {"#": "hash", "//": "slash", "--": "dash", "%": "percent", ";": "semicolon"}
_NOT_FIRST = "，。、；：！？…”’」』）】》"


class Layout(NamedTuple):
    """The lines of a document."""

    width: int = 0
    """Characters per line; 0 where a paragraph is one line."""
    marker: str = ""
    """What starts a comment line of code; empty for prose."""
    indent: int = 0
    """Spaces before the marker."""

    @property
    def suffix(self) -> str:
        """A suffix for ids: `-w72`, `-hash4-w88`; empty for plain lines."""
        comment = f"-{_NAMES[self.marker]}{self.indent}" if self.marker else ""
        return f"{comment}-w{self.width}" if self.width else comment


PLAIN = Layout()


def layout_of(text: str) -> Layout:
    """The layout of a document: code has a comment marker, hard-wrapped prose a width, also where it quotes code."""
    start = max(0, (len(text) - _SAMPLE) // 2)
    lines = [line for line in text[start : start + _SAMPLE].split("\n") if line.strip()]
    size = sum(map(len, lines))
    code = sum(_CODE_LINE.match(line) is not None for line in lines)
    signs = sum(len(_SIGNS.findall(line)) for line in lines)
    prose = sum(len(line) for line in lines if _PROSE_LINE.match(line))
    if code < _CODE_SHARE * len(lines) or signs < _MANY_SIGNS * size or prose >= _PROSE_SHARE * size:
        return Layout(width=line_width(text))
    found = Counter(match[1] for line in lines if (match := _COMMENT.match(line)))
    closed = sum(line.rstrip().endswith((";", "{", "}")) for line in lines)
    usual = "//" if 5 * closed > len(lines) else "#"
    marker = found.most_common(1)[0][0] if found.total() > 1 else usual
    longest = sorted(map(len, lines))[len(lines) * 97 // 100]
    return Layout(width=min(max(longest, _CODE_WIDTHS[0]), _CODE_WIDTHS[1]), marker=marker)


def lay_out(text: str, layout: Layout, marks: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """Wrap a one-line text like a document, as comment lines in code, and map spans of it to their new offsets."""
    prefix = f"{' ' * layout.indent}{layout.marker} " if layout.marker else ""
    width = max(_NARROWEST, layout.width - len(prefix)) if layout.width else 0
    wrapped, places = wrap(text, width, marks)
    if not prefix:
        return wrapped, places

    def moved(at: int) -> int:
        return at + len(prefix) * (1 + wrapped.count("\n", 0, at))

    return prefix + wrapped.replace("\n", f"\n{prefix}"), [(moved(one), moved(other)) for one, other in places]


def line_width(text: str) -> int:
    """The line width of a hard-wrapped document; 0 where a paragraph is one line."""
    start = max(0, (len(text) - _SAMPLE) // 2)
    paragraphs = [part.split("\n") for part in _BLANK.split(text[start : start + _SAMPLE]) if part.strip()]
    lines = sorted(len(line.rstrip()) for part in paragraphs for line in part)
    if not lines or len(lines) < _LINES_PER_PARAGRAPH * len(paragraphs):
        return 0
    width = lines[len(lines) * 97 // 100]
    return max(width, _NARROWEST) if width <= _WIDEST else 0


def wrap(text: str, width: int, marks: Sequence[tuple[int, int]]) -> tuple[str, list[tuple[int, int]]]:
    """Wrap a one-line text to at most `width` characters, and map spans of it (in characters) to their new offsets.

    Lines break at spaces; where there are none (Chinese), between characters and never before closing punctuation."""
    if width <= 0:
        return text, list(marks)
    out: list[str] = []
    moved = [0] * (len(text) + 1)
    start = size = 0
    while len(text) - start > width:
        end = text.rfind(" ", start, start + width + 1)
        spaced = end > start
        if not spaced:
            end = start + width
            while end < len(text) and text[end] in _NOT_FIRST:
                end += 1
            following = text.find(" ", start)
            if text[start:end].isascii():  # one long word
                end, spaced = (following, True) if following >= 0 else (len(text), False)
        for at in range(start, end):
            moved[at] = size + at - start
        out.append(text[start:end])
        size += end - start + 1
        if spaced:
            moved[end] = size - 1
            end += 1
        start = end
    for at in range(start, len(text) + 1):
        moved[at] = size + at - start
    wrapped = "\n".join([*out, text[start:]] if start < len(text) else out)
    # A span ends after its last character, before a line break that follows it.
    return wrapped, [(moved[one], moved[other - 1] + 1 if other > one else moved[one]) for one, other in marks]
