"""The tokenizer protocol: building needs only counts and boundaries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from .offsets import Offsets

__all__ = ["Tokenizer"]


class Tokenizer(Protocol):
    """Special tokens are treated as plain text: documents are data."""

    name: str

    @property
    def fingerprint(self) -> str:
        """Changes whenever the tokenizer would split text differently."""
        ...

    def count(self, text: str) -> int:
        """How many tokens a text has."""
        ...

    def boundaries(self, texts: Sequence[str]) -> list[Offsets]:
        """For each text the byte offset (UTF-8) at which each token ends, ascending."""
        ...

    def __hash__(self) -> int:
        """Results about a tokenizer are kept by it."""
        ...
