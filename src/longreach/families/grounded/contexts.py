"""Test documents as recipes over the corpus, and items over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longreach.core.bench import Corpus, Prompt
from longreach.core.types import Cell, Context, Insert, Item, Piece, Placement, Planted, Question, Span, Tokenizer
from longreach.errors import BadInput
from longreach.families.building import ItemMaker
from longreach.text.assemble import Assembler

from .windows import Layout, LongDocument, Stretch, Window, cut_window, stretch

BREAK = Planted(id="break", text="\n\n", facts=())
"""Marks where a test document omits text."""

_NONE: Mapping[str, tuple[int, int]] = {}


@dataclass(frozen=True)
class BenchDocument:
    """A context that contains its gold passage."""

    context: Context
    placed: tuple[Placement, ...]
    before: int
    """Tokens before the gold passage."""
    after: int
    """Tokens after it."""


class BenchDocuments:
    """Test documents of any length around the gold passages of long documents."""

    def __init__(self, corpus: Corpus, tokenizer: Tokenizer, layout: Layout, lengths: Sequence[int]) -> None:
        self.assembler = Assembler(corpus, {BREAK.id: BREAK.text})
        self.lengths = lengths
        self._tokenizer = tokenizer
        self._layout = layout
        self._gap = tokenizer.count(BREAK.text) + 1
        self._windows: dict[tuple[str, int, int, int, float], Window] = {}

    def stretch(self, document: LongDocument, gold: int, depth: float) -> Stretch:
        """What the test documents of all lengths around a gold passage hold."""
        return stretch([self._window(document, gold, length, depth) for length in self.lengths])

    def around(
        self,
        document: LongDocument,
        gold: int,
        length: int,
        depth: float,
        name: str,
        also: Mapping[str, tuple[int, int]] = _NONE,
    ) -> BenchDocument:
        """At most `length` tokens, with the gold passage at `depth` percent. `name` is the id of its planted text,
        `also` has the bytes of other texts that the question needs.
        """
        window = self._window(document, gold, length, depth)
        pieces = _pieces(window)
        passage = document.passages[gold]
        places = {name: (passage.start, passage.end), **also}
        placed = [self._placement(pieces, one, start) for one, (start, _) in places.items()]
        if window.cut != window.gold and len(pieces) > 1:
            size = sum(len(view) for view in self.assembler.views(pieces[:1]))
            placed.append(Placement(insert=BREAK.id, start=size, token=self._count(pieces[:1])))
        context = self.assembler.context(self._tokenizer, pieces)
        through = self._count(_until(pieces, passage.end))
        return BenchDocument(context, tuple(placed), placed[0].token, context.tokens - through)

    def alone(
        self, document: LongDocument, gold: int, name: str, also: Mapping[str, tuple[int, int]] = _NONE
    ) -> BenchDocument:
        """Only the gold passage, and those of other texts that the question needs."""
        needed = {gold, *(document.at_byte(start) for start, _ in also.values())}
        pieces: list[Piece] = []
        for number in sorted(needed):
            pieces += [Insert(insert=BREAK.id)] if pieces else []
            pieces.append(Span(start=document.passages[number].start, end=document.passages[number].end))
        passage = document.passages[gold]
        places = {name: (passage.start, passage.end), **also}
        placed = [self._placement(pieces, one, start) for one, (start, _) in places.items()]
        return BenchDocument(self.assembler.context(self._tokenizer, pieces), tuple(placed), 0, 0)

    def _window(self, document: LongDocument, gold: int, length: int, depth: float) -> Window:
        """The fullest window of at most so many tokens, counted exactly."""
        key = (document.domain, document.number, gold, length, depth)
        room = length
        while key not in self._windows:
            window = cut_window(document, gold, room, depth, self._layout, self._gap)
            if window is None:
                raise BadInput(
                    f"length {length} cannot hold passage {gold} of domain '{document.domain}'; ask for longer lengths "
                    f"or for fewer --passage-words"
                )
            over = self._count(_pieces(window)) - length
            room -= max(over, 0)
            if over <= 0:
                self._windows[key] = window
        return self._windows[key]

    def _placement(self, pieces: Sequence[Piece], name: str, at: int) -> Placement:
        """Where a byte of the corpus is in a context."""
        ahead = _until(pieces, at)
        return Placement(insert=name, start=len(self.assembler.text(ahead)), token=self._count(ahead))

    def _count(self, pieces: Sequence[Piece]) -> int:
        return self.assembler.count(self._tokenizer, pieces) if pieces else 0


def _pieces(window: Window) -> list[Piece]:
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


def make_item(
    assembler: Assembler,
    tokenizer: Tokenizer,
    made: BenchDocument,
    question: Question,
    prompt: Prompt,
    *,
    id: str,
    cell: Cell,
) -> Item:
    """One question over one test document."""
    actual: Cell = {"length": made.context.tokens}
    if made.before + made.after:
        actual["depth"] = round(100 * made.before / (made.before + made.after), 2)
    return ItemMaker("grounded", assembler, tokenizer).item(
        id,
        made.context,
        prompt,
        [question],
        {"questions": question.text},
        cell=cell,
        realised={name: value for name, value in actual.items() if name in cell},
        placed=made.placed,
    )


def closed_book_item(
    assembler: Assembler, tokenizer: Tokenizer, question: Question, prompt: Prompt, domain: str
) -> Item:
    """The question alone: its context is empty."""
    made = BenchDocument(assembler.context(tokenizer, []), (), 0, 0)
    cell: Cell = {"control": "closed_book", "domain": domain, "prompt": prompt.id}
    return make_item(assembler, tokenizer, made, question, prompt, id=question.id, cell=cell)
