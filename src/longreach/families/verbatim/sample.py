"""One input with the keys of its questions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import TypeVar

from longreach.core.question import Key

__all__ = ["NEWLINE", "Sample", "shuffled"]

T = TypeVar("T")
NEWLINE = "\n"


@dataclass(frozen=True)
class Sample:
    """An input; all its questions share it, so that its tokens are prefilled once."""

    id: str
    task: str
    items: Sequence[str]
    separator: str
    shown: int
    """Number of the first items, which the page shows."""
    size: int
    """Requested number of items."""
    corpus: str
    keys: dict[str, Key]
    """By the requested order, which is the suffix of the item's id."""
    about: dict[str, str | int]
    """Its origin, for the build record."""
    digits: int = 0
    categories: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The items as given."""
        return self.separator.join(self.items)


def shuffled(items: Sequence[T], rng: Random) -> list[T]:
    """The items in another order; never the same one if another exists."""
    mixed = list(items)
    while True:
        rng.shuffle(mixed)
        if mixed != list(items) or len(set(map(repr, items))) < 2:
            return mixed
