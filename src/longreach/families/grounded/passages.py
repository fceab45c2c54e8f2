"""A long document: the documents of one domain as one text in passages."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np

from longreach.core.bench import Corpus
from longreach.core.types import Offsets
from longreach.text.index import ends_between
from longreach.text.passages import Passage

_SPACE = 400
"""Bytes of the longest white space."""


@dataclass(frozen=True)
class LongDocument:
    """The documents of one domain, or a part of them, as one text in passages."""

    domain: str
    number: int
    """Counts from 1 within the domain."""
    corpus: Corpus
    base: int
    """Tokens of the corpus before it."""
    passages: tuple[Passage, ...]
    edges: tuple[int, ...]
    """Tokens before each passage, and in total: approximate where a passage ends between documents, else exact."""
    texts: tuple[str, ...]
    """Texts of the passages."""

    @cached_property
    def largest(self) -> int:
        """Tokens of its largest passage."""
        return max(after - before for before, after in pairwise(self.edges))

    @cached_property
    def _places(self) -> tuple[Offsets, Offsets]:
        """Bytes at which a context may begin or end, and the tokens before each."""
        start, end = self.passages[0].start, self.passages[-1].end
        cuts = self.corpus.cuts
        inside = slice(int(np.searchsorted(cuts, start, side="right")), int(np.searchsorted(cuts, end)))
        known = dict(zip(cuts[inside].tolist(), (self.corpus.counts[inside] - self.base).tolist(), strict=True))
        known |= {passage.start: tokens for passage, tokens in zip(self.passages, self.edges, strict=False)}
        known[end] = self.edges[-1]
        places = sorted(known)
        tokens = np.maximum.accumulate(np.array([known[place] for place in places], dtype=np.int64))
        return np.array(places, dtype=np.int64), tokens

    def place(self, tokens: float, near: float, *, after: bool) -> tuple[int, int]:
        """The byte at which a context can be cut that has at most (or, `after`, at least) so many tokens before it, and
        its tokens: a sentence end or, where none is near, the end of a line, a clause or a word.
        """
        places, counts = self._places
        low = max(0, int(np.searchsorted(counts, tokens, side="right")) - 1)
        high = min(len(places) - 1, int(np.searchsorted(counts, tokens)))
        best = (int(places[high]), int(counts[high])) if after else (int(places[low]), int(counts[low]))
        if abs(best[1] - tokens) <= near or low == high:
            return best
        start, end = int(places[low]), int(places[high])
        per_byte = (int(counts[high]) - int(counts[low])) / max(1, end - start)
        for offsets in ends_between(self.corpus.read(start, end)):
            for offset in offsets.tolist():
                size = int(counts[low]) + round(offset * per_byte)
                fits = tokens <= size < best[1] if after else best[1] < size <= tokens
                best = (start + offset, size) if fits else best
            if abs(best[1] - tokens) <= near:
                break
        return best

    def skip_space(self, at: int) -> int:
        """The byte of the next character that is no white space."""
        return at + len(raw := bytes(self.corpus.text[at : at + _SPACE])) - len(raw.lstrip())

    def strip_space(self, at: int) -> int:
        """The byte after the last character before it that is no white space."""
        return at - len(raw := bytes(self.corpus.text[max(0, at - _SPACE) : at])) + len(raw.rstrip())

    def tokens(self, passage: int) -> int:
        """Tokens of a passage."""
        return self.edges[passage + 1] - self.edges[passage]

    def at(self, tokens: float) -> int:
        """The passage at a token offset from the start."""
        return min(max(0, bisect_right(self.edges, tokens) - 1), len(self.passages) - 1)

    def at_byte(self, start: int) -> int:
        """The passage that holds a byte."""
        return max(0, bisect_right(self.passages, start, key=lambda passage: passage.start) - 1)

    def passage_of(self, start: int, end: int) -> int | None:
        """The passage that holds some bytes; None where they are in two."""
        number = self.at_byte(start)
        return number if end <= self.passages[number].end else None
