"""A context is a recipe: pieces that are spans of a corpus or inserted text, never a long string."""

from __future__ import annotations

from pydantic import Field

from .model import Compact, compact

__all__ = ["Context", "Insert", "Piece", "Span"]


@compact
class Span(Compact):
    """Bytes `start` to `end` of the corpus; both are cut points of its token index."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)


@compact
class Insert(Compact):
    """A planted text, stored once in the benchmark under this id."""

    insert: str


Piece = Span | Insert


@compact
class Context(Compact):
    """What the model reads before the questions."""

    pieces: tuple[Piece, ...]
    tokens: int = Field(ge=0)
    """Exact count by the benchmark's tokenizer, including seams."""
    bytes: int = Field(ge=0)
    """Length of the text in UTF-8 bytes."""
    sha256: str
    """sha256 of the assembled text's UTF-8 bytes."""
