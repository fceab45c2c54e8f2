"""Stories cut from a stretch of the corpus, with planted texts woven in at sentence ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from longreach.core.context import Insert, Piece, Span
from longreach.core.item import Placement
from longreach.core.offsets import Offsets
from longreach.core.tokenizer import Tokenizer
from longreach.errors import BadInput
from longreach.text.assemble import Assembler

__all__ = ["Haystack", "Seed", "Story", "bury"]


@dataclass(frozen=True)
class Seed:
    """A planted text that waits for its place."""

    insert: str
    """Id of the planted text."""
    tokens: int
    """Its own, counted alone."""
    apart: bool
    """Whether it is a paragraph of its own, which takes the place of the white space where it stands; else it follows
    the sentence before it, and the white space stays after it."""


@dataclass(frozen=True)
class Story:
    """A recipe and where its planted texts begin, in their order."""

    pieces: tuple[Piece, ...]
    placed: tuple[Placement, ...]


class Haystack:
    """A stretch of the corpus to cut stories from, with the places where it may be cut: its start, every cut inside
    it, its end. A place is named by its number."""

    def __init__(self, assembler: Assembler, tokenizer: Tokenizer, start: int = 0, end: int | None = None) -> None:
        corpus = assembler.corpus
        end = len(corpus) if end is None else end
        self._assembler = assembler
        self._tokenizer = tokenizer
        first, last = np.searchsorted(corpus.cuts, [start, end], side="right")
        inside = slice(int(first), int(last) - int(last > first and corpus.cuts[last - 1] == end))
        cuts, counts = corpus.cuts[inside].astype(np.int64), corpus.counts[inside].astype(np.int64)
        if len(cuts):
            counts = counts - counts[0] + self.count([Span(start=start, end=int(cuts[0]))])
        self.bytes: Offsets = np.concatenate([[start], cuts, [end]])
        """Where each place is in the corpus."""
        self.size = self.count([Span(start=start, end=end)])
        """Tokens of the whole stretch."""
        self.tokens: Offsets = np.concatenate([[0], counts, [self.size]])
        """Tokens of the stretch before each place."""

    @property
    def end(self) -> int:
        """The last place."""
        return len(self.bytes) - 1

    def count(self, pieces: Sequence[Piece]) -> int:
        """Exact tokens of a recipe."""
        return self._assembler.count(self._tokenizer, pieces)

    def nearest(self, tokens: float) -> int:
        """The place nearest to so many tokens from the start."""
        after = min(int(np.searchsorted(self.tokens, tokens)), self.end)
        before = after > 0 and tokens - int(self.tokens[after - 1]) <= int(self.tokens[after]) - tokens
        return after - 1 if before else after

    def within(self, tokens: float) -> int:
        """The last place with at most so many tokens before it; -1 where there is none."""
        return int(np.searchsorted(self.tokens, tokens, side="right")) - 1

    def sides(self, place: int) -> tuple[int, int]:
        """Where the sentence before a place ends and the one after it begins, white space left out."""
        text, at = self._assembler.corpus.text, int(self.bytes[place])
        before = bytes(text[max(int(self.bytes[0]), at - 8) : at])
        after = bytes(text[at : min(int(self.bytes[-1]), at + 8)])
        return at - (len(before) - len(before.rstrip())), at + (len(after) - len(after.lstrip()))

    def inside_paragraph(self, place: int) -> bool:
        """Whether a sentence of the same paragraph follows."""
        left, right = self.sides(place)
        return place < self.end and b"\n" not in bytes(self._assembler.corpus.text[left:right])

    def weave(self, planted: Sequence[tuple[int, Seed]], last: int) -> tuple[Piece, ...]:
        """The stretch up to place `last`, with planted texts at their places, which ascend."""
        at = int(self.bytes[0])
        pieces: list[Piece] = []
        for place, seed in planted:
            left, right = self.sides(place)
            if left > at:
                pieces.append(Span(start=at, end=left))
            pieces.append(Insert(insert=seed.insert))
            at = right if seed.apart else left
        end = self.sides(last)[0]
        if at < end:
            pieces.append(Span(start=at, end=end))
        return tuple(pieces)

    def story(self, pieces: tuple[Piece, ...]) -> Story:
        """A recipe with its planted texts found in it."""
        placed: list[Placement] = []
        start = 0
        for number, (piece, view) in enumerate(zip(pieces, self._assembler.views(pieces), strict=True)):
            if isinstance(piece, Insert):
                before = self.count(pieces[:number]) if number else 0
                placed.append(Placement(insert=piece.insert, start=start, token=before))
            start += len(view)
        return Story(pieces=pieces, placed=tuple(placed))

    def hold(self, length: int, own: int, *, nested: bool) -> int:
        """The tokens that a story of this length has beside `own` planted ones, if there are as many."""
        room = length - own
        if room < 1:
            raise BadInput(
                f"length {length} cannot hold the planted facts, which alone take {own} tokens; "
                f"ask for longer lengths or fewer facts"
            )
        if nested and (missing := room - self.size) > 0:
            raise BadInput(
                f"the corpus has {self.size} tokens, length {length} needs {missing} more; "
                f"add documents or ask for shorter lengths"
            )
        return room


def bury(haystack: Haystack, seed: Seed, length: int, depth: float, *, nested: bool) -> Story:
    """A story of at most `length` tokens with one text after `depth` percent of it. The place is depth x length, so
    that stories of several lengths share their beginning; at the very end it moves up by the text's own tokens."""
    last = haystack.within(haystack.hold(length, seed.tokens, nested=nested))
    asked = haystack.nearest(length * depth / 100)
    while last > 0:
        pieces = haystack.weave([(min(asked, last), seed)], last)
        if haystack.count(pieces) <= length:
            return haystack.story(pieces)
        last -= 1
    raise BadInput(f"length {length} is too short for one sentence beside the planted facts; ask for longer lengths")
