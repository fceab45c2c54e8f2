"""Test documents as recipes over the corpus, and items over them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from longreach.core.context import Context, Insert, Piece, Span
from longreach.core.corpus import Corpus
from longreach.core.item import Cell, Item, Placement
from longreach.core.prompt import Prompt
from longreach.core.question import Planted, Question
from longreach.core.tokenizer import Tokenizer
from longreach.errors import BadInput
from longreach.families.item_maker import ItemMaker
from longreach.text.assemble import Assembler

from .passages import LongDocument
from .windows import Layout, cut_window

__all__ = ["BREAK", "BenchDocument", "BenchDocuments", "closed_book_item", "make_item"]

BREAK = Planted(id="break", text="\n\n", facts=())
"""Marks where a test document omits text."""

_NONE: Mapping[str, int] = {}


@dataclass(frozen=True)
class BenchDocument:
    """A context that contains its gold passage."""

    __test__ = False  # not a test for pytest to collect

    context: Context
    placed: tuple[Placement, ...]
    before: int
    """Tokens before the gold passage."""


class BenchDocuments:
    """Test documents of any length around the gold passages of long documents."""

    __test__ = False

    def __init__(self, corpus: Corpus, tokenizer: Tokenizer, layout: Layout, planted: Sequence[Planted]) -> None:
        self.assembler = Assembler(corpus, {each.id: each.text for each in planted})
        self._tokenizer = tokenizer
        self._layout = layout

    def around(
        self, document: LongDocument, gold: int, length: int, depth: float, name: str, also: Mapping[str, int] = _NONE
    ) -> BenchDocument:
        """At most `length` tokens, with the gold passage at `depth` percent. `name` is the id of its planted text,
        `also` has those of other passages that the question needs.
        """
        room = length
        while True:
            window = cut_window(document.edges, gold, room, depth, self._layout)
            if window is None:
                raise BadInput(
                    f"length {length} cannot hold passage {gold} of domain '{document.domain}'; ask for longer lengths "
                    f"or for fewer --passage-words"
                )
            passages = document.passages
            end = passages[window.last - 1].end
            pieces: list[Piece] = [Span(start=passages[gold].start, end=end)]
            opening: list[Piece] = []
            broken = window.cut < gold and window.cut > window.first
            if window.cut == gold:
                pieces = [Span(start=passages[window.first].start, end=end)]
                # White space between two passages is counted with the text before it.
                if window.first < gold:
                    opening = [Span(start=passages[window.first].start, end=passages[gold].start)]
            elif broken:
                opening = [
                    Span(start=passages[window.first].start, end=passages[window.cut - 1].end),
                    Insert(insert=BREAK.id),
                ]
                pieces = [*opening, *pieces]
            context = self.assembler.context(self._tokenizer, pieces)
            if context.tokens <= length:
                break
            room -= context.tokens - length
        before = self.assembler.count(self._tokenizer, opening)
        start = len(self.assembler.text(opening))
        placed = [Placement(insert=name, start=start, token=before)]
        if broken:
            head = opening[:1]
            token = self.assembler.count(self._tokenizer, head)
            placed.append(Placement(insert=BREAK.id, start=len(self.assembler.text(head)), token=token))
        for other, number in sorted(also.items(), key=lambda one: one[1]):
            if number not in window.passages():
                raise BadInput(f"length {length} cannot hold passage {number} beside {gold}; build again")
            ahead = [*opening, Span(start=passages[gold].start, end=passages[number].start)]
            if number < gold:
                ahead = [Span(start=passages[window.first].start, end=passages[number].start)]
            ahead = [piece for piece in ahead if not isinstance(piece, Span) or piece.end > piece.start]
            token = self.assembler.count(self._tokenizer, ahead)
            placed.append(Placement(insert=other, start=len(self.assembler.text(ahead)), token=token))
        return BenchDocument(context, tuple(placed), before)

    def alone(self, document: LongDocument, gold: int, name: str, also: Mapping[str, int] = _NONE) -> BenchDocument:
        """Only the gold passage and others that the question needs."""
        names = {gold: name} | {number: other for other, number in also.items()}
        pieces: list[Piece] = []
        placed: list[Placement] = []
        for number in sorted(names):
            if pieces:
                pieces.append(Insert(insert=BREAK.id))
            token = self.assembler.count(self._tokenizer, pieces)
            placed.append(Placement(insert=names[number], start=len(self.assembler.text(pieces)), token=token))
            pieces.append(Span(start=document.passages[number].start, end=document.passages[number].end))
        return BenchDocument(self.assembler.context(self._tokenizer, pieces), tuple(placed), 0)


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
    if made.context.tokens:
        actual["depth"] = round(100 * made.before / made.context.tokens, 2)
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
    made = BenchDocument(assembler.context(tokenizer, []), (), 0)
    cell: Cell = {"control": "closed_book", "domain": domain, "prompt": prompt.id}
    return make_item(assembler, tokenizer, made, question, prompt, id=question.id, cell=cell)
