"""One input with all its questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from longreach.core.question import Question

__all__ = ["NEWLINE", "Asked", "Sample", "shuffled"]

T = TypeVar("T")
NEWLINE = "\n"


@dataclass(frozen=True)
class Asked:
    """One question over an input."""

    name: str
    """The requested order, or `copy`; the suffix of the item's id."""
    prompt: str
    question: Question


@dataclass(frozen=True)
class Sample:
    """An input; `asked` all share it, so that its tokens are prefilled once."""

    id: str
    task: str
    text: str
    first: int
    """Length in characters of the first items, which the page shows."""
    size: int
    """Requested number of items."""
    items: int
    """Actual number of items."""
    corpus: str
    digits: int
    asked: tuple[Asked, ...]
    about: dict[str, str | int]
    """Its origin, for the build record."""


def shuffled(items: Sequence[T], rng: Random) -> list[T]:
    """The items in another order; never the same one if another exists."""
    mixed = list(items)
    while True:
        rng.shuffle(mixed)
        if mixed != list(items) or len(set(map(repr, items))) < 2:
            return mixed
