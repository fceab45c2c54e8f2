"""Long documents, test documents cut out of them, and their contexts as recipes over the corpus."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from longreach.core.bench import Corpus, Prompt
from longreach.core.types import (
    Cell,
    Frozen,
    Insert,
    Item,
    Offsets,
    Piece,
    Placement,
    Planted,
    Question,
    Span,
    Tokenizer,
)
from longreach.errors import BadInput
from longreach.families.building import ItemMaker
from longreach.text.assemble import Assembler
from longreach.text.index import ends_between
from longreach.text.passages import Passage

# Long documents, and test documents cut out of them: an exact length, with the gold passage at a depth.

Layout = Literal["centred", "nested", "shared"]

_NEAR = 0.004
"""Share of the length by which a cut at a sentence end may miss before a clause or a word is cut."""
TOLERANCE = 0.015
"""Share of the text around a gold passage that may be missing on one side: its depth is off by as much."""
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


class DocumentWindow(Frozen):
    """Bytes `start` to `cut` of the corpus, then `gold` to `end`; without a gap where `cut` is `gold`."""

    start: int
    cut: int
    gold: int
    end: int

    def spans(self) -> tuple[tuple[int, int], ...]:
        """What is inside, in order."""
        if self.cut == self.gold:
            return ((self.start, self.end),)
        return tuple((one, other) for one, other in ((self.start, self.cut), (self.gold, self.end)) if one < other)


@dataclass(frozen=True)
class Stretch:
    """The text around a gold passage, as spans of bytes."""

    common: tuple[tuple[int, int], ...]
    """In every test document of a question."""
    inside: tuple[tuple[int, int], ...]
    """In any of them."""

    def holds(self, start: int, end: int) -> bool:
        """Whether some bytes are in every test document."""
        return any(one <= start and end <= other for one, other in self.common)

    def passages(self, document: LongDocument) -> list[int]:
        """The passages of which a part is in any test document."""
        return [
            number
            for number, passage in enumerate(document.passages)
            if any(passage.start < end and start < passage.end for start, end in self.inside)
        ]


def stretch(windows: Sequence[DocumentWindow]) -> Stretch:
    """What windows around one gold passage have in common, and all that they hold."""
    gold = windows[0].gold
    ends = min(one.end for one in windows), max(one.end for one in windows)
    if all(one.cut == gold for one in windows):
        starts = max(one.start for one in windows), min(one.start for one in windows)
        return Stretch(common=((starts[0], ends[0]),), inside=((starts[1], ends[1]),))
    start = windows[0].start
    cuts = min(one.cut for one in windows), max(one.cut for one in windows)
    common, inside = (((start, cut), (gold, end)) for cut, end in zip(cuts, ends, strict=True))
    return Stretch(common=common, inside=inside)


def lacking(document: LongDocument, gold: int, lengths: Iterable[int], depth: float) -> float:
    """The largest share of a test document around a gold passage that is missing on one side of it; above 1 where the
    passage itself does not fit.
    """
    before, after = document.edges[gold], document.edges[-1] - document.edges[gold + 1]
    worst = 0.0
    for length in lengths:
        rest = length - document.tokens(gold)
        if rest < 0:
            return 2.0
        wanted = depth / 100 * rest
        worst = max(worst, (wanted - before) / max(1, rest), (rest - wanted - after) / max(1, rest))
    return worst


def cut_window(
    document: LongDocument, gold: int, length: int, depth: float, layout: Layout, gap: int
) -> DocumentWindow | None:
    """About `length` tokens, cut at sentence ends, with `depth` percent of the other text before the gold passage; None
    where the passage is longer. Where a sentence is too long for that, it is cut at a line, a clause or a word. `gap`
    is the size of the mark for omitted text.
    """
    own, edges, passage = document.tokens(gold), document.edges, document.passages[gold]
    rest = length - own
    if rest < 0:
        return None
    # What is missing on one side is taken from the other.
    before = min(depth / 100 * rest, edges[gold])
    before = max(before, min(rest - (edges[-1] - edges[gold + 1]), edges[gold]))
    near = _NEAR * length
    if layout != "nested":
        start, tokens = document.place(edges[gold] - before, near, after=True)
        start, cut, held = min(start, passage.start), passage.start, edges[gold] - tokens
    else:
        start = document.passages[0].start
        cut, held = document.place(before - gap, near, after=False)
        if cut >= passage.start or edges[gold] - before < near:
            cut, held = passage.start, edges[gold]
        else:
            cut, held = (cut, held + gap) if cut > start else (start, 0)
    end, _ = document.place(edges[gold + 1] + rest - held, near, after=False)
    return DocumentWindow(
        start=document.skip_space(start), cut=cut, gold=passage.start, end=max(passage.end, document.strip_space(end))
    )


# Test documents as recipes over the corpus, and items over them.

BREAK = Planted(id="break", text="\n\n", facts=())
"""Marks where a test document omits text."""


class BenchDocuments:
    """Test documents of any length around the gold passages of long documents."""

    def __init__(self, corpus: Corpus, tokenizer: Tokenizer, layout: Layout, lengths: Sequence[int]) -> None:
        self.assembler = Assembler(corpus, {BREAK.id: BREAK.text})
        self.lengths = lengths
        self._maker = ItemMaker("grounded", self.assembler, tokenizer)
        self._tokenizer = tokenizer
        self.layout = layout
        self._gap = tokenizer.count(BREAK.text) + 1
        self._windows: dict[tuple[str, int, int, int, float], DocumentWindow] = {}

    def stretch(self, document: LongDocument, gold: int, depth: float) -> Stretch:
        """What the test documents of all lengths around a gold passage hold."""
        return stretch([self._window(document, gold, length, depth) for length in self.lengths])

    def around(self, document: LongDocument, gold: int, length: int, depth: float) -> list[Piece]:
        """At most `length` tokens, with the gold passage at `depth` percent."""
        return _pieces(self._window(document, gold, length, depth))

    @staticmethod
    def only_passages(document: LongDocument, needed: Iterable[tuple[int, int]]) -> list[Piece]:
        """Only the passages of the gold passage and of other texts that the question needs."""
        pieces: list[Piece] = []
        for number in sorted({document.at_byte(start) for start, _ in needed}):
            pieces += [Insert(insert=BREAK.id)] if pieces else []
            pieces.append(Span(start=document.passages[number].start, end=document.passages[number].end))
        return pieces

    def item(
        self,
        pieces: Sequence[Piece],
        places: Mapping[str, tuple[int, int]],
        question: Question,
        prompt: Prompt,
        *,
        id: str,
        cell: Cell,
    ) -> Item:
        """One question over a test document. `places` has bytes of the corpus by the ids of planted texts, the gold
        passage first.
        """
        context = self._maker.context(pieces)
        placed = [self._placement(name, _until(pieces, start)) for name, (start, _) in places.items()]
        realised: Cell = {}
        if "length" in cell:
            breaks = [place for place, piece in enumerate(pieces) if isinstance(piece, Insert)]
            placed += [self._placement(BREAK.id, pieces[:place]) for place in breaks]
            realised["length"] = context.tokens
            before = placed[0].token if places else 0
            end = next(iter(places.values()))[1] if places else None
            after = 0 if end is None else context.tokens - self._count(_until(pieces, end))
            if before + after:
                realised["depth"] = round(100 * before / (before + after), 2)
        values = {"questions": question.text}
        return self._maker.item(id, context, prompt, [question], values, cell=cell, realised=realised, placed=placed)

    def closed_book_item(self, question: Question, prompt: Prompt, about: Cell) -> Item:
        """The question alone: its context is empty."""
        cell: Cell = {"control": "closed_book", "prompt": prompt.id, **about}
        return self.item([], {}, question, prompt, id=question.id, cell=cell)

    def _window(self, document: LongDocument, gold: int, length: int, depth: float) -> DocumentWindow:
        """The fullest window of at most so many tokens, counted exactly."""
        key = (document.domain, document.number, gold, length, depth)
        room = length
        while key not in self._windows:
            window = cut_window(document, gold, room, depth, self.layout, self._gap)
            if window is None:
                raise BadInput(
                    f"length {length} cannot hold passage {gold} of domain '{document.domain}'; ask for longer lengths "
                    f"or give a smaller --set passage_words"
                )
            over = self._count(_pieces(window)) - length
            room -= max(over, 0)
            if over <= 0:
                self._windows[key] = window
        return self._windows[key]

    def _placement(self, name: str, ahead: Sequence[Piece]) -> Placement:
        return Placement(insert=name, start=len(self.assembler.text(ahead)), token=self._count(ahead))

    def _count(self, pieces: Sequence[Piece]) -> int:
        return self.assembler.count(self._tokenizer, pieces) if pieces else 0


def _pieces(window: DocumentWindow) -> list[Piece]:
    spans = [Span(start=start, end=end) for start, end in window.spans()]
    return [spans[0], Insert(insert=BREAK.id), spans[1]] if len(spans) > 1 else list(spans)


def _until(pieces: Sequence[Piece], at: int) -> list[Piece]:
    """The pieces before a byte of the corpus."""
    found: list[Piece] = []
    for piece in pieces:
        if isinstance(piece, Span) and piece.start <= at <= piece.end:
            return [*found, Span(start=piece.start, end=at)] if at > piece.start else found
        found.append(piece)
    raise BadInput(f"byte {at} is not in its context; the benchmark is damaged, build it again")
