"""A Project Gutenberg file as the book alone: without licence, credits and notes on the file, lines unwrapped."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from .formats import normalise

__all__ = ["Book", "read_book"]

_STARTS = (
    re.compile(
        r"^[ \t]*\*{2,3} ?START OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)(?:[^*\n]*\n?){1,5}?\*{2,3}[ \t]*$",
        re.I | re.M,
    ),
    re.compile(r"^[ \t]*\*{2,3} ?START OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT).*$", re.I | re.M),
    re.compile(r"^[ \t]*\*END\b.{0,12}THE SMALL PRINT!.*$", re.I | re.M),
)
_END = re.compile(
    r"^[ \t]*(?:\*{2,3} ?END OF (?:THE|THIS) PROJECT GUTENBERG E-?(?:BOOK|TEXT)"
    r"|\*{0,3} ?END OF (?:THE |THIS )?PROJECT GUTENBERG(?:'S|’S)? (?:E-?BOOK|E-?TEXT|EDITION)?\b"
    r"|\*{3} ?START: FULL LICENSE)",
    re.I | re.M,
)
# Maximum length of a licence before a book; later, the words could be the book's own.
_HEAD = 40_000
_TITLE = re.compile(r"^Title:[ \t]*(.+(?:\n[ \t]+\S.*)*)", re.M)
_OLD_TITLE = re.compile(
    r"\A\W*(?:The |This )?Project Gutenberg(?:'s|’s)?(?: E-?(?:text|book) of)? (.{2,200}?)(?:, by\b|$)", re.I | re.M
)
_BLANK = re.compile(r"\n[ \t]*\n\s*")
_ABOUT_THE_FILE = re.compile(
    r"""(?:\[|_|\*)*\s*(?:
        (?:the|this)?\ ?project\ gutenberg(?:'s|’s)?\ e-?(?:text|book)
        |(?:this\ )?e-?(?:text|book)\ (?:was\ |is\ )?(?:first\ )?(?:produced|prepared|transcribed|scanned|typed|created)
        |(?:produced|transcribed|scanned|digitized|proofread|html\ version)\b[^.]{0,80}\b(?:by|from)\b
        |note:\s+(?:project\ gutenberg|images\ of\ the\ original)
        |images\ of\ the\ original\ pages
        |original\ file\ includes|see\ \d+-h\.htm
        )""",
    re.I | re.X,
)
_NOTE = re.compile(r"(\[?)[_*\s]*transcriber(?:'|’)?s?(?:'|’)?\s+notes?\b[_*]*[:.]?[_*]*", re.I)
_OPENING = 14
"""Leading paragraphs that may be about the file."""
_LONGEST_NOTE = 12
_VERSE = 50
_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]")


@dataclass(frozen=True)
class Book:
    """The contents of a file."""

    title: str
    """From the file's header; empty where it has none."""
    text: str
    framed: bool
    """Whether the licence markers were found; without them the whole file is treated as the book."""


def read_book(data: bytes) -> Book:
    """The book in a file."""
    text = _decode(data).replace("\r\n", "\n").replace("\r", "\n")
    head = text[:_HEAD]
    starts = [match.end() for pattern in _STARTS for match in pattern.finditer(head)]
    start = max(starts, default=0)
    end = _END.search(text, start)
    title = _TITLE.search(head[:start] if starts else head[:2000]) or _OLD_TITLE.search(head)
    body = text[start : end.start() if end else len(text)]
    paragraphs = [_unwrap(paragraph) for paragraph in _without_notes(_BLANK.split(body.strip("\n")))]
    return Book(
        title=" ".join(title[1].split()) if title else "",
        text=normalise("\n\n".join(paragraphs)),
        framed=bool(starts or end),
    )


def _decode(data: bytes) -> str:
    """UTF-8, or the encodings of older files: Windows-1252 and, failing that, Latin-1."""
    for encoding in ("utf-8-sig", "cp1252"):
        try:
            return data.decode(encoding)
        except UnicodeDecodeError:
            continue
    return data.decode("latin-1")


def _without_notes(paragraphs: list[str]) -> Iterator[str]:
    """Paragraphs without the leading ones that are clearly about the file: credits and transcribers' notes."""
    place = 0
    while place < len(paragraphs):
        paragraph = paragraphs[place]
        if place < _OPENING:
            if (note := _NOTE.match(paragraph)) is not None:
                place = _after_note(paragraphs, place, note)
                continue
            if _ABOUT_THE_FILE.match(paragraph):
                place += 1
                continue
        yield paragraph
        place += 1


def _after_note(paragraphs: list[str], place: int, note: re.Match[str]) -> int:
    """The first paragraph after a transcriber's note: the one after its closing bracket, or the next one; where the
    note's first paragraph is but its heading, the one after that."""
    if note[1]:
        depth = 0
        for later in range(place, min(place + _LONGEST_NOTE, len(paragraphs))):
            depth += paragraphs[later].count("[") - paragraphs[later].count("]")
            if depth <= 0:
                return later + 1
    only_heading = not paragraphs[place][note.end() :].strip(" \t\n:._*=-")
    return place + (2 if only_heading else 1)


def _unwrap(paragraph: str) -> str:
    """A paragraph on one line; verse, tables and the like, which are short or indented, remain wrapped."""
    lines = [line.rstrip() for line in paragraph.split("\n") if line.strip()]
    if not lines:
        return ""
    indented = any(line.startswith(("  ", "\t")) for line in lines[1:])
    if indented or max(len(line) + len(_WIDE.findall(line)) for line in lines) < _VERSE:
        return "\n".join(lines)
    joined = lines[0].strip()
    for line in (later.strip() for later in lines[1:]):
        together = joined.endswith(("-", "—")) or (_WIDE.match(joined[-1]) and _WIDE.match(line[0]))
        joined += line if together else f" {line}"
    return joined
