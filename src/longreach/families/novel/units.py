"""Documents cut into units at the ends of paragraphs, or of sentences where a paragraph is too long."""

from __future__ import annotations

import re

from longreach.core.document import Document
from longreach.core.tokenizer import Tokenizer
from longreach.text.sentences import sentence_ends

from .books import Book, Unit

__all__ = ["book_of"]

_BREAK = re.compile(r"\n\s*\n")
_SMALLEST = 2 / 3
"""A unit has at least this share of the tokens asked for (2k of 3k)."""


def book_of(document: Document, tokenizer: Tokenizer, tokens: int, language: str) -> Book | None:
    """A document as units of about so many tokens; None where it does not hold one."""
    pieces = [
        (start, end, tokenizer.count(document.text[start:end]))
        for start, end in _pieces(document.text, language, tokenizer, tokens)
    ]
    total = sum(count for _, _, count in pieces)
    if total < _SMALLEST * tokens:
        return None
    wanted = max(1, round(total / tokens))
    units: list[Unit] = []
    begin = before = 0
    for place, (_, end, count) in enumerate(pieces):
        before += count
        # Cut where adding the next piece would overshoot more than stopping here falls short.
        following = pieces[place + 1][2] if place + 1 < len(pieces) else 0
        edge = total * (len(units) + 1) / wanted
        last = place + 1 == len(pieces)
        if last or (len(units) + 1 < wanted and before + following / 2 > edge):
            text = document.text[pieces[begin][0] : end]
            name = f"{len(units) + 1:03}"
            units.append(Unit(book=document.id, name=name, language=language, text=text))
            begin = place + 1
    return Book(id=document.id, language=language, units=tuple(units))


def _pieces(text: str, language: str, tokenizer: Tokenizer, tokens: int) -> list[tuple[int, int]]:
    """Paragraphs, and the sentences of those that are long beside a unit."""
    pieces: list[tuple[int, int]] = []
    start = 0
    for match in [*_BREAK.finditer(text), None]:
        end = match.start() if match else len(text)
        paragraph = text[start:end]
        if paragraph.strip():
            if tokenizer.count(paragraph) * 4 <= tokens:
                pieces.append((start, end))
            else:
                at = start
                for stop in sentence_ends(paragraph, language):
                    pieces.append((at, start + stop))
                    at = start + stop
        start = match.end() if match else end
    return [_trimmed(text, start, end) for start, end in pieces]


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    piece = text[start:end]
    return start + len(piece) - len(piece.lstrip()), start + len(piece.rstrip())
