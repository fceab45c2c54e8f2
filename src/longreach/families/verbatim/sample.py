"""One input with all that is asked over it."""

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
    """The order asked for, or `copy`; ends the item's id."""
    prompt: str
    question: Question


@dataclass(frozen=True)
class Sample:
    """An input; `asked` all share it, so that its tokens are read once."""

    id: str
    task: str
    text: str
    first: int
    """Characters of the items at the beginning that the page shows."""
    size: int
    """Items as asked for."""
    items: int
    """Items as they came out."""
    corpus: str
    digits: int
    asked: tuple[Asked, ...]
    about: dict[str, str | int]
    """Where it came from, for the record of the build."""


def shuffled(items: Sequence[T], rng: Random) -> list[T]:
    """The items in another order; never the same one where there is another."""
    mixed = list(items)
    while True:
        rng.shuffle(mixed)
        if mixed != list(items) or len(set(map(repr, items))) < 2:
            return mixed
