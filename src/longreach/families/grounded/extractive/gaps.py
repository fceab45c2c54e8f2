"""What a question can leave out of a statement that it quotes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

__all__ = ["Gap"]


@dataclass(frozen=True)
class Gap:
    """A part of a text, and how to ask for it."""

    kind: str
    text: str
    start: int
    asked: str
    """'how many days'; empty where it is only an option."""
    form: tuple[Hashable, ...] = ()
    """Only parts of the same kind and form are options for each other."""
    size: float | None = None
    near: tuple[str, ...] = ()
