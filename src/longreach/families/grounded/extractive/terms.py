"""A term that can be left out of a sentence, and which others can stand in its place."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Literal

__all__ = ["MOST_OFTEN", "MOST_OFTEN_PERSON", "Kind", "Term"]

Kind = Literal["amount", "percentage", "number", "year", "date", "name", "abbreviation", "title", "word", "code"]

MOST_OFTEN: dict[Kind, int] = {
    "amount": 3,
    "percentage": 3,
    "number": 4,
    "year": 8,
    "date": 3,
    "name": 12,
    "abbreviation": 8,
    "title": 6,
    "word": 4,
    "code": 6,
}
"""How many times a term of a kind may stand in a document and still be asked for."""
MOST_OFTEN_PERSON = 150
"""The same for a name that takes no article: who did what can be asked of the people in every chapter."""


@dataclass(frozen=True)
class Term:
    """A term in its sentence."""

    kind: Kind
    text: str
    start: int
    """Character offset in the sentence."""
    shapes: tuple[tuple[Hashable, ...], ...]
    """What it looks like and what stands around it, from the closest description to the loosest: others with the same
    shape read as well in its place."""
    bare: bool = False
    """For names: no article before it, and no noun after it that it describes."""
    size: float | None = None
    """For numbers and years: the value; near ones make the better wrong answers."""

    @property
    def end(self) -> int:
        return self.start + len(self.text)
