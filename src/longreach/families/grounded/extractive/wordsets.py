"""Sets of words as one line of text."""

from __future__ import annotations

__all__ = ["word_set"]


def word_set(words: str) -> frozenset[str]:
    """A set of words from a line of them."""
    return frozenset(words.split())
