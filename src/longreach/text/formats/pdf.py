"""PDF files: the text layer in reading order, without running heads, page numbers and the table of contents."""

from __future__ import annotations

import ctypes
import re
import threading
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise
from statistics import median
from types import MappingProxyType
from typing import Any

from longreach.core.language import HAN, WIDE
from longreach.text.line_layout import contents_lines

from .plain import FileText, Unreadable, Warn, like_heading

# The layout of a page: columns found by the white space between them, and lines in reading order.

_SAME_LINE = 0.4
"""Share of the font size by which baselines of one line may differ."""
_CELL_GAP = 2.0
"""Font sizes between two words from which they are cells of a row."""
_LEAST_LINES = 8
"""Lines that each of two columns must have."""
_GUTTER = 0.6
"""Font sizes that the space between two columns must have."""
_CROSSING = 0.12
"""Share of lines that may cross it: titles and figures above both columns."""
_FULL = 0.7
"""Share of a column that its lines fill: less in tables and lists."""
_STEPS = 80


@dataclass(frozen=True)
class PageWord:
    """A word at its position, in points from the lower left corner."""

    text: str
    left: float
    right: float
    y: float
    """Its baseline."""
    size: float
    """The height of its font."""
    index: int = 0
    """Its first character on the page."""


@dataclass(frozen=True)
class PageLine:
    """Words on one baseline, from left to right."""

    words: tuple[PageWord, ...]
    fixed: bool = False
    """Whether it is in a font of fixed pitch."""
    bold: bool = False
    """Whether it begins and ends in a bold font."""
    column: tuple[float, float] = (0.0, 0.0)
    """Left and right edge of the column that it is in."""

    @property
    def left(self) -> float:
        return self.words[0].left

    @property
    def right(self) -> float:
        return self.words[-1].right

    @cached_property
    def lefts(self) -> list[float]:
        """Left edges of its words."""
        return [word.left for word in self.words]

    @cached_property
    def y(self) -> float:
        return median(word.y for word in self.words)

    @cached_property
    def size(self) -> float:
        return median(word.size for word in self.words)

    @cached_property
    def text(self) -> str:
        """Words with a space between them; cells with a tab."""
        parts = [self.words[0].text]
        for before, word in zip(self.words, self.words[1:], strict=False):
            parts += ["\t" if word.left - before.right > _CELL_GAP * self.size else " ", word.text]
        return "".join(parts)


@dataclass(frozen=True)
class Page:
    """A page's height and its lines."""

    height: float
    lines: list[PageLine]


def reading_order(page: Page) -> Page:
    """The page's lines from top to bottom, one column after the other."""
    fonts = {word.index: line for line in page.lines for word in line.words}
    return replace(page, lines=_ordered(_rows([word for line in page.lines for word in line.words], fonts)))


def _rows(words: Sequence[PageWord], fonts: dict[int, PageLine]) -> list[PageLine]:
    """Words grouped by baseline, from the top of the page."""
    rows: list[list[PageWord]] = []
    for word in sorted(words, key=lambda one: (-one.y, one.left)):
        # A superscript is above its line and smaller, so the line is compared by its largest word.
        row = rows[-1] if rows else []
        largest = max(row, key=lambda one: one.size) if row else word
        if row and abs(largest.y - word.y) <= _SAME_LINE * max(largest.size, word.size):
            row.append(word)
        else:
            rows.append([word])
    made = []
    for row in rows:
        row.sort(key=lambda one: (one.left, one.index))
        fixed = sum(fonts[word.index].fixed for word in row) * 2 > len(row)
        made.append(PageLine(tuple(row), fixed=fixed, bold=all(fonts[word.index].bold for word in row)))
    return made


def _ordered(lines: list[PageLine]) -> list[PageLine]:
    if not lines:
        return []
    gutter = _gutter(lines)
    if gutter is None:
        edges = (min(line.left for line in lines), max(line.right for line in lines))
        return [replace(line, column=edges) for line in lines]
    ordered: list[PageLine] = []
    left: list[PageLine] = []
    right: list[PageLine] = []

    def end_band() -> None:
        ordered.extend(_ordered(left[:]) + _ordered(right[:]))
        left.clear()
        right.clear()

    for line in lines:
        if _crosses(line, gutter):
            end_band()
            ordered.append(replace(line, column=(line.left, line.right)))
            continue
        for side, words in (
            (left, [word for word in line.words if word.right <= gutter]),
            (right, [word for word in line.words if word.left >= gutter]),
        ):
            if words:
                side.append(replace(line, words=tuple(words)))
    end_band()
    return ordered


def _gutter(lines: Sequence[PageLine]) -> float | None:
    """The middle of the white space between two columns of prose; None where there is one column."""
    size = median(line.size for line in lines)
    start, end = min(line.left for line in lines), max(line.right for line in lines)
    if len(lines) < _LEAST_LINES or end - start < 20 * size:
        return None
    step = (end - start) / _STEPS
    free: list[int] = []
    for place in range(_STEPS // 5, _STEPS * 4 // 5 + 1):
        x = start + place * step
        if sum(_crosses(line, x) for line in lines) <= _CROSSING * len(lines):
            free.append(place)
    runs: list[list[int]] = []
    for place in free:
        if runs and place == runs[-1][-1] + 1:
            runs[-1].append(place)
        else:
            runs.append([place])
    middles = [_fits(lines, start + run[0] * step, start + run[-1] * step, size) for run in runs]
    fitting = [middle for middle in middles if middle is not None]
    return min(fitting, key=lambda middle: abs(middle - (start + end) / 2)) if fitting else None


def _crosses(line: PageLine, x: float) -> bool:
    """Whether a line's text runs across a place, in a word or in the usual space between two words."""
    at = bisect_right(line.lefts, x)
    if at and line.words[at - 1].right > x:
        return True
    return 0 < at < len(line.words) and line.lefts[at] - line.words[at - 1].right < _GUTTER * line.size


def _fits(lines: Sequence[PageLine], low: float, high: float, size: float) -> float | None:
    """The middle of a strip of white space if there are lines of prose on both of its sides."""
    x = (low + high) / 2
    sides: tuple[list[tuple[float, float]], list[tuple[float, float]]] = ([], [])
    for line in lines:
        if _crosses(line, x):
            continue
        at = bisect_right(line.lefts, x)
        if at:
            sides[0].append((line.words[0].left, line.words[at - 1].right))
        if at < len(line.words):
            sides[1].append((line.words[at].left, line.words[-1].right))
    if min(map(len, sides)) < _LEAST_LINES:
        return None
    inner = [max(right for _, right in sides[0]), min(left for left, _ in sides[1])]
    if inner[1] - inner[0] < _GUTTER * size:
        return None
    for side in sides:
        width = max(right for _, right in side) - min(left for left, _ in side)
        if width < 8 * size or median(right - left for left, right in side) < _FULL * width:
            return None
    return sum(inner) / 2


# The words of a PDF page with their positions, in lines as the page draws them.

_SPACES = frozenset((0x20, 0xA0, 0x09, 0x3000, 0x2002, 0x2003, 0x2009))
_BREAKS = frozenset((0x0A, 0x0D, 0x0C))
_HYPHEN = 0x02
"""What the library reports for a hyphen at the end of a line, in place of hyphen and line break."""
_IGNORED = frozenset((0x00, 0xFFFE, 0xFFFF, 0xFEFF))
_LIGATURE = re.compile("[ﬀ-ﬆ]")
_ACCENTS = {"¨": "\u0308", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "ˇ": "\u030c", "˚": "\u030a"}
_ACCENT = re.compile(r"([¨´ˆ˜ˇ˚])([A-Za-z])")
"""Old fonts draw an accent and then its letter."""
_FIXED_PITCH = 1
_BOLD = (b"bold", b"black", b"heavy", b"cmbx", b"sfbx")
"""In the names of bold fonts."""
_UPRIGHT = 0.1
"""Radians by which text may be rotated; more is a watermark or a note along the margin."""
_NEW_LINE = 0.6
"""Share of the font size by which a baseline must differ for a new line; a superscript differs less."""


def page_lines(document: Any, number: int) -> Page:
    """The page's words; a page that cannot be read has none."""
    import pypdfium2

    try:
        page = document[number]
        textpage = page.get_textpage()
    except pypdfium2.PdfiumError:
        return Page(0.0, [])
    try:
        return Page(float(page.get_height()), _Reader(textpage).lines())
    finally:
        textpage.close()
        page.close()


class _Reader:
    """Reads one text page: a few calls per word, none per character beyond its code."""

    def __init__(self, textpage: Any) -> None:
        import pypdfium2.raw as raw

        self._raw = raw
        self._page = textpage.raw
        self._count = textpage.count_chars()
        self._codes = [raw.FPDFText_GetUnicode(self._page, index) for index in range(self._count)]

    def lines(self) -> list[PageLine]:
        lines: list[PageLine] = []
        words: list[PageWord] = []
        for start, end, tail, ends_line in self._runs():
            word = self._word(start, end, tail) if start >= 0 else None
            if word is not None:
                if words and abs(word.y - words[-1].y) > _NEW_LINE * max(word.size, words[-1].size):
                    lines.append(self._line(words))
                    words = []
                words.append(word)
            if ends_line and words:
                lines.append(self._line(words))
                words = []
        return lines

    def _runs(self) -> Iterator[tuple[int, int, str, bool]]:
        """Runs of characters of one word each: start (-1 for none) and end, what is added, whether the line ends."""
        start = -1
        for index, code in enumerate(self._codes):
            if code in _IGNORED:
                continue
            if code in _SPACES or code in _BREAKS:
                yield start, index, "", code in _BREAKS
                start = -1
            elif code == _HYPHEN:
                yield start if start >= 0 else index, index, "-", True
                start = -1
            elif start < 0:
                start = index
        yield start, self._count, "", True

    def _line(self, words: list[PageWord]) -> PageLine:
        fixed, bold = self._font(words[0])
        return PageLine(tuple(words), fixed=fixed, bold=bold and self._font(words[-1])[1])

    def _word(self, start: int, end: int, tail: str) -> PageWord | None:
        if abs(self._angle(start)) > _UPRIGHT:
            return None
        codes = self._codes[start:end]
        text = "".join(chr(code) for code in codes if code not in _IGNORED and code not in _BREAKS and code != _HYPHEN)
        text = _LIGATURE.sub(lambda match: unicodedata.normalize("NFKC", match[0]), text)
        text = _ACCENT.sub(lambda match: unicodedata.normalize("NFC", match[2] + _ACCENTS[match[1]]), text) + tail
        if not text:
            return None
        x, y = ctypes.c_double(), ctypes.c_double()
        self._raw.FPDFText_GetCharOrigin(self._page, start, x, y)
        box = self._raw.FS_RECTF()
        self._raw.FPDFText_GetLooseCharBox(self._page, start, box)
        size = float(abs(box.top - box.bottom)) or 1.0
        self._raw.FPDFText_GetLooseCharBox(self._page, max(start, end - 1), box)
        right = float(max(box.right, box.left))
        return PageWord(text, float(x.value), max(right, float(x.value)), float(y.value), size, start)

    def _angle(self, index: int) -> float:
        angle = float(self._raw.FPDFText_GetCharAngle(self._page, index))
        return min(angle, abs(angle - 6.283185307)) if angle > 0 else 0.0

    def _font(self, word: PageWord) -> tuple[bool, bool]:
        """Whether a word is in a font of fixed pitch, as code is, and in a bold one."""
        flags = ctypes.c_int()
        name = ctypes.create_string_buffer(128)
        self._raw.FPDFText_GetFontInfo(self._page, word.index, name, 128, flags)
        font = name.value.lower()
        fixed = bool(flags.value & _FIXED_PITCH) or any(part in font for part in (b"mono", b"courier", b"typewriter"))
        return fixed, any(part in font for part in _BOLD)


# Lines of pages to paragraphs: page furniture removed, wrapped lines and hyphenated words joined, headings marked.

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
_WIDE_EDGE = re.compile(f"[{WIDE}]")
_EDGE_LINES = 3
"""Lines at the top and at the bottom of a page that may be furniture."""
_FEWEST = 3
"""Pages that must share a line, or its position."""
_HEADING = re.compile(rf"(?=.*[^\W\d_]{{3}}|.*[{HAN}]{{2}})[^\W_“„»(][^\t]{{2,99}}(?<![.,;:。，；：])")
_CAPTION = re.compile(
    r"(?:Figure|Fig\.|Table|Equation|Example|Listing|Abbildung|Abb\.|Tabelle|Gleichung|[图表圖])\s*\d", re.I
)
_DEEPEST = 6
_APART = 1.35
"""PageLine distances from which a new paragraph begins."""
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
    lines: list[tuple[PageLine, bool]] = []
    notes: list[PageLine] = []
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


def _levels(lines: Sequence[PageLine], usual: float) -> dict[int, int]:
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
    their numbers, numbers alone, and lines that stand apart at a position that most pages share."""
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


def masked(line: PageLine) -> str:
    """A line with its numbers replaced."""
    return _DIGITS.sub("#", line.text.lower())


def _edges(page: Page, *, top: bool) -> list[PageLine]:
    """The first lines from the top or the bottom, outermost first; short pages have no edges."""
    if len(page.lines) < 2:
        return []
    return sorted(page.lines, key=lambda line: -line.y if top else line.y)[:_EDGE_LINES]


def _spacing(lines: Sequence[PageLine]) -> float:
    """The usual distance between two lines."""
    gaps = [above.y - line.y for above, line in pairwise(lines) if above.y > line.y]
    return median(gaps) if gaps else 12.0


def _paragraphs(lines: Sequence[tuple[PageLine, bool]], levels: Mapping[int, int] = MappingProxyType({})) -> str:
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
        if not parts or parts[-1].endswith("\n"):
            parts.append(f"{'#' * levels[id(line)]} " if id(line) in levels else "\\" * like_heading(line.text))
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


def same_size(one: PageLine, other: PageLine) -> bool:
    return max(one.size, other.size) <= _OTHER_SIZE * min(one.size, other.size)


def _continues(line: PageLine, following: PageLine, turned: bool, spacing: float) -> bool:
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


# PDF files: the text layer in reading order, without running heads, page numbers and the table of contents.

_PASSWORD_ERROR = "password"
_PDFIUM = threading.Lock()
"""The library must not be called from two threads at once."""


def read_pdf(data: bytes, warn: Warn) -> list[FileText]:
    """The text layer of a PDF; pages that are only pictures have none, and are counted in a warning."""
    if b"%PDF-" not in data[:1024]:
        raise Unreadable("not a PDF")
    with _PDFIUM:
        pages, title = _read(data)
    if not any(page.lines for page in pages):
        raise Unreadable("no text in this PDF, only pictures (run text recognition on it first)")
    if empty := sum(not page.lines for page in pages):
        warn(f"{empty} of {len(pages)} pages have no text (blank, or pictures)")
    text = flow([reading_order(page) for page in pages])
    if not text.strip():
        raise Unreadable("no text in this PDF beside running heads and contents")
    return [FileText(text, title=title)]


def _read(data: bytes) -> tuple[list[Page], str]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        # Files with an empty user password, which only forbids printing, open without one.
        if _PASSWORD_ERROR in str(error).lower():
            raise Unreadable("encrypted (save a copy without a password)") from None
        raise Unreadable("damaged PDF") from None
    try:
        title = str(document.get_metadata_dict().get("Title", "")).strip()
        return [page_lines(document, number) for number in range(len(document))], title
    except pypdfium2.PdfiumError:
        raise Unreadable("damaged PDF") from None
    finally:
        document.close()
