"""The words of a PDF page with their positions, in lines as the page draws them."""

from __future__ import annotations

import ctypes
import re
import unicodedata
from typing import Any

from .pdf_layout import Line, Page, Word

__all__ = ["page_lines"]

_SPACES = frozenset((0x20, 0xA0, 0x09, 0x3000, 0x2002, 0x2003, 0x2009))
_BREAKS = frozenset((0x0A, 0x0D, 0x0C))
_HYPHEN = 0x02
"""What the library reports for a hyphen at the end of a line, in place of hyphen and line break."""
_IGNORED = frozenset((0x00, 0xFFFE, 0xFFFF, 0xFEFF))
_LIGATURES = {"ﬀ": "ff", "ﬁ": "fi", "ﬂ": "fl", "ﬃ": "ffi", "ﬄ": "ffl", "ﬅ": "st", "ﬆ": "st"}
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

    def lines(self) -> list[Line]:
        lines: list[Line] = []
        words: list[Word] = []
        start = -1

        def end_word(end: int, text: str = "") -> None:
            nonlocal start
            if start >= 0:
                word = self._word(start, end, text)
                if word is not None:
                    if words and abs(word.y - words[-1].y) > _NEW_LINE * max(word.size, words[-1].size):
                        end_line()
                    words.append(word)
            start = -1

        def end_line() -> None:
            if words:
                fixed, bold = self._font(words[0])
                bold = bold and self._font(words[-1])[1]
                lines.append(Line(tuple(words), fixed=fixed, bold=bold))
                words.clear()

        for index, code in enumerate(self._codes):
            if code in _IGNORED:
                continue
            if code in _SPACES:
                end_word(index)
            elif code in _BREAKS:
                end_word(index)
                end_line()
            elif code == _HYPHEN:
                if start < 0:
                    start = index
                end_word(index, "-")
                end_line()
            elif start < 0:
                start = index
        end_word(self._count)
        end_line()
        return lines

    def _word(self, start: int, end: int, tail: str) -> Word | None:
        if abs(self._angle(start)) > _UPRIGHT:
            return None
        codes = self._codes[start:end]
        text = "".join(chr(code) for code in codes if code not in _IGNORED and code not in _BREAKS and code != _HYPHEN)
        for ligature, letters in _LIGATURES.items():
            if ligature in text:
                text = text.replace(ligature, letters)
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
        return Word(text, float(x.value), max(right, float(x.value)), float(y.value), size, start)

    def _angle(self, index: int) -> float:
        angle = float(self._raw.FPDFText_GetCharAngle(self._page, index))
        return min(angle, abs(angle - 6.283185307)) if angle > 0 else 0.0

    def _font(self, word: Word) -> tuple[bool, bool]:
        """Whether a word is in a font of fixed pitch, as code is, and in a bold one."""
        flags = ctypes.c_int()
        name = ctypes.create_string_buffer(128)
        self._raw.FPDFText_GetFontInfo(self._page, word.index, name, 128, flags)
        font = name.value.lower()
        fixed = bool(flags.value & _FIXED_PITCH) or any(part in font for part in (b"mono", b"courier", b"typewriter"))
        return fixed, any(part in font for part in _BOLD)
