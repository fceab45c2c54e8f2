"""Hard-wrapped text: the width of its lines, and other text wrapped to it."""

from __future__ import annotations

import re
from collections.abc import Sequence

__all__ = ["line_width", "wrap"]

_SAMPLE = 40_000  # characters
_NARROWEST, _WIDEST = 30, 120
_LINES_PER_PARAGRAPH = 1.6
_BLANK = re.compile(r"\n\s*\n")
_NOT_FIRST = "，。、；：！？…”’」』）】》"


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

    Lines break at spaces; where there are none (Chinese), between characters and never before closing punctuation.
    """
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
