"""Cuts test documents out of a long document: an exact length, with the gold passage at a depth."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from longreach.core.types import Frozen

from .passages import LongDocument

Layout = Literal["centred", "nested"]

_NEAR = 0.004
"""Share of the length by which a cut at a sentence end may miss before a clause or a word is cut."""
TOLERANCE = 0.015
"""Share of the text around a gold passage that may be missing on one side: its depth is off by as much."""


class Window(Frozen):
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


def stretch(windows: Sequence[Window]) -> Stretch:
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


def cut_window(document: LongDocument, gold: int, length: int, depth: float, layout: Layout, gap: int) -> Window | None:
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
    if layout == "centred":
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
    return Window(
        start=document.skip_space(start), cut=cut, gold=passage.start, end=max(passage.end, document.strip_space(end))
    )
