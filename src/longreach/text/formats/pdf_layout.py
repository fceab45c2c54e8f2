"""The layout of a page: columns found by the white space between them, and lines in reading order."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from statistics import median

__all__ = ["Line", "Page", "Word", "reading_order"]

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
class Word:
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
class Line:
    """Words on one baseline, from left to right."""

    words: tuple[Word, ...]
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
    lines: list[Line]


def reading_order(page: Page) -> Page:
    """The page's lines from top to bottom, one column after the other."""
    fonts = {word.index: line for line in page.lines for word in line.words}
    return replace(page, lines=_ordered(_rows([word for line in page.lines for word in line.words], fonts)))


def _rows(words: Sequence[Word], fonts: dict[int, Line]) -> list[Line]:
    """Words grouped by baseline, from the top of the page."""
    rows: list[list[Word]] = []
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
        made.append(Line(tuple(row), fixed=fixed, bold=all(fonts[word.index].bold for word in row)))
    return made


def _ordered(lines: list[Line]) -> list[Line]:
    if not lines:
        return []
    gutter = _gutter(lines)
    if gutter is None:
        edges = (min(line.left for line in lines), max(line.right for line in lines))
        return [replace(line, column=edges) for line in lines]
    ordered: list[Line] = []
    left: list[Line] = []
    right: list[Line] = []

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


def _gutter(lines: Sequence[Line]) -> float | None:
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


def _crosses(line: Line, x: float) -> bool:
    """Whether a line's text runs across a place, in a word or in the usual space between two words."""
    at = bisect_right(line.lefts, x)
    if at and line.words[at - 1].right > x:
        return True
    return 0 < at < len(line.words) and line.lefts[at] - line.words[at - 1].right < _GUTTER * line.size


def _fits(lines: Sequence[Line], low: float, high: float, size: float) -> float | None:
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
