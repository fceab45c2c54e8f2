"""Where sentences end.

The splitting is sentencex's; this module feeds it pieces it handles well and works around five defects, measured on
sentencex 1.0.32:

- it panics on a capital letter, a wide space and a full stop (``A\\u3000.``), so wide spaces go in as plain ones;
- on text of several megabytes it drops some blank lines from what it returns, and its cost grows with the square of
  text without white space (a 240,000 character line of Chinese takes half a minute), so it gets one paragraph at a time
  and long Chinese paragraphs in parts;
- it ends a sentence after a bare list mark (``1.``, ``IV.``) and before a closing ``』``;
- it ends a German sentence after an ordinal number;
- it sees no end after a sentence in brackets: ``(It was late.) They slept.``
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import sentencex

__all__ = ["sentence_ends"]

_WIDE_SPACE = re.compile("[\x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]")
_BLANK_LINE = re.compile(r"\n[^\S\n]*\n\s*")
_CLOSERS = re.compile("[”’」』）】》〉〕］]+")
_LONG = 1000
# Up to the next Chinese full stop if one is near, else up to the next comma, else (no Chinese) all of it.
_CHINESE_PART = re.compile(r".{500,5000}?[。！？]+[”’」』）]*|.{5000,}?[，、；：。！？]|.+", re.DOTALL)
_LIST_MARK = re.compile(r"\(?(?:\d{1,3}|[A-Za-z]|[ivxlc]{2,6}|[IVXLC]{2,6})[.)]")
_ORDINAL = re.compile(r"(?<![\d.,])\d{1,2}\.$")
"""'Im 19. Jahrhundert', in German."""
# A bracket that opens a sentence, holds more than one word (or Chinese) and closes after final punctuation.
_BRACKETED = re.compile(
    r"""\((?=[^()\s]+\s)[^()]{1,600}[.!?…]["”’']*\)(?=\s)"""
    r"""|\[(?=[^][\s]+\s)[^][]{1,600}[.!?…]["”’']*\](?=\s)"""
    r"""|（[^（）]{1,600}[。！？…][”’」』]*）"""
)


def sentence_ends(text: str, language: str) -> list[int]:
    """The character offsets at which sentences end, strictly increasing.

    An end lies after the final punctuation and its closing quotes, before the white space that follows. The end of a
    paragraph (before a blank line, and at the end of the text) counts too; a single newline does not, because lines
    of prose may be wrapped. `language` is a document's: `en` or `zh`.
    """
    ends: list[int] = []
    start = 0
    for blank in _BLANK_LINE.finditer(text):
        _add_paragraph(ends, text[start : blank.start()], start, language)
        start = blank.end()
    _add_paragraph(ends, text[start:], start, language)
    return ends


def _add_paragraph(ends: list[int], paragraph: str, start: int, language: str) -> None:
    """Append the ends of one paragraph that begins at `start`; its last visible character is always one."""
    if not paragraph.isascii():
        paragraph = _WIDE_SPACE.sub(" ", paragraph)
    last = start + len(paragraph.rstrip())
    position = start
    for part in _parts(paragraph):
        for sentence in sentencex.segment(language, part):
            end = position + len(sentence.rstrip())
            if ends and ends[-1] == position and (closers := _CLOSERS.match(sentence)):
                ends[-1] += closers.end()  # a closing quote belongs to the sentence before
            elif sentence[0] in "([（":
                bracketed = _BRACKETED.match(sentence)
                if bracketed and position + bracketed.end() < end:
                    ends.append(position + bracketed.end())
            is_mark = end - position < 10 and end < last and _LIST_MARK.fullmatch(sentence.strip())
            is_ordinal = language == "de" and end < last and _ORDINAL.search(sentence.rstrip())
            if end > position and not is_mark and not is_ordinal and (not ends or end > ends[-1]):
                ends.append(end)
            position += len(sentence)
        if ends and ends[-1] == position < last and part[-1] in "，、；：":
            ends.pop()  # only where the part was cut, not where a sentence ends
    if last > start and (not ends or ends[-1] < last):
        ends.append(last)


def _parts(paragraph: str) -> Iterator[str]:
    """The paragraph whole or, where it is long and not plain English, in parts that end at a Chinese full stop."""
    if len(paragraph) <= _LONG or paragraph.isascii():
        yield paragraph
    else:
        yield from _CHINESE_PART.findall(paragraph)
