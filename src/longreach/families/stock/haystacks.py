"""Needles and haystacks: what is put into a book, and where it goes, in tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from longreach.core.types import Tokenizer
from longreach.errors import BadInput, one_line

from .sources import ReleasedSource

LENGTHS = (250, 500, 1000, 2000, 4000, 8000, 16000, 32000)
"""The published lengths."""
DEPTHS = tuple(range(0, 101, 4))
CHARACTER = "{CHAR}"


class NeedleTest(NamedTuple):
    """A needle of the set with a question about it."""

    id: str
    kind: str
    needle: str
    question: str
    template: str
    """The set's own prompt; empty where it has none."""
    system: str
    """The set's own system message; empty where it has none."""
    characters: tuple[str, ...]
    gold: tuple[str, ...]

    def character(self, seed: int, *key: object) -> str:
        """The character that the needle is about, drawn; empty where the needle names its own."""
        return Random(repr((seed, self.id, *key))).choice(self.characters) if self.characters else ""


class HaystackText:
    """A haystack with the places between its lines, in tokens."""

    def __init__(self, name: str, content: str, tokenizer: Tokenizer) -> None:
        self.name, self.data = name, content.encode()
        ends, data = tokenizer.boundaries([content])[0], np.frombuffer(self.data, dtype=np.uint8)
        whole = np.append(np.flatnonzero(data & 0xC0 != 0x80), len(data))  # between characters
        self._starts = whole[np.searchsorted(whole, np.append(0, ends))]
        self._lines = np.unique(np.append(0, np.searchsorted(ends, np.flatnonzero(data == 10), side="right")))

    def place(self, length: int, depth: int) -> tuple[int, int, int, int] | None:
        """Where a stretch of `length` tokens starts, has the needle put in, goes on after it and ends, in bytes: at the
        first line break that can be `depth` percent into it, as published. None where the book is too short."""
        late = self._lines[self._lines / (length + 1) >= depth / 100]
        start = int(late[0]) - round(length * depth / 100) if len(late) else -1
        ends = start, int(late[0]) + 1 if len(late) else 0, start + length
        if start < 0 or max(ends) >= len(self._starts):
            return None
        first, after, end = (int(self._starts[each]) for each in ends)
        return first, max(self.data.rfind(b"\n", first, after), first), after, max(end, after)


def books_of(sources: Sequence[ReleasedSource], tokenizer: Tokenizer) -> Iterator[HaystackText]:
    """The haystacks among the files."""
    for source in sources:
        if source.where.endswith(".txt"):
            try:
                yield HaystackText(Path(source.where).stem, Path(source.where).read_text(encoding="utf-8"), tokenizer)
            except (OSError, UnicodeDecodeError) as error:
                raise BadInput(f"{source.where}: {one_line(str(error), 80)}; give a book as a UTF-8 text") from None
