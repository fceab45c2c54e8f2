"""Chooses the passages of a test document of a given length, so that the gold one is at a given depth."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Literal

from longreach.core.model import Frozen

__all__ = ["Layout", "Window", "cut_window"]

Layout = Literal["centred", "nested"]


class Window(Frozen):
    """Passages `first` to `cut`, then those from the gold one to `last` (ends exclusive). In a `centred` window there
    is no gap: `cut` is the gold passage.
    """

    first: int
    cut: int
    gold: int
    last: int
    before: int
    """Tokens before the gold passage."""
    tokens: int

    def passages(self) -> list[int]:
        """Numbers of all passages inside, in order; the gold one is always included."""
        return [*range(self.first, self.cut), *range(self.gold, self.last)]

    def off(self, depth: float) -> float:
        """Token distance of the gold passage from `depth` percent."""
        return abs(self.before - depth / 100 * self.tokens)


def cut_window(edges: Sequence[int], gold: int, length: int, depth: float, layout: Layout = "centred") -> Window | None:
    """Whole passages of at most `length` tokens, as full as possible with the start of the gold passage within half its
    own size of `depth` percent, or as near to it as possible. None where the gold passage alone is too long.

    `edges[i]` is the number of tokens before passage `i`; the last is the total.
    """
    tolerance = (edges[gold + 1] - edges[gold]) / 2
    if 2 * tolerance > length:
        return None
    largest = max(after - before for before, after in pairwise(edges))
    best: tuple[int, int, int, int, int] | None = None
    best_cost: tuple[float, int, float] | None = None
    for found in _candidates(edges, gold, length, layout, slack=2 * largest, wanted=depth / 100 * length):
        before, tokens = found[3:]
        off = abs(before - depth / 100 * tokens)
        cost = (off if off > tolerance else 0.0, length - tokens, off)
        if best_cost is None or cost < best_cost:
            best, best_cost = found, cost
    assert best is not None  # the gold passage alone is a candidate
    first, cut, last, before, tokens = best
    return Window(first=first, cut=cut, gold=gold, last=last, before=before, tokens=tokens)


def _candidates(
    edges: Sequence[int], gold: int, length: int, layout: Layout, *, slack: int, wanted: float
) -> Iterator[tuple[int, int, int, int, int]]:
    """First, cut, last, tokens before and total tokens of every window near the requested depth: each with as much
    after the gold passage as fits, and with a little less, which near the very end preserves the depth.
    """
    most = min(wanted + slack, length - (edges[gold + 1] - edges[gold]))
    least = min(wanted - slack, most)
    if layout == "centred":
        low = bisect_left(edges, edges[gold] - most, hi=gold)
        high = max(low, min(gold, bisect_right(edges, edges[gold] - least) - 1))
        openings = [(first, gold) for first in range(low, high + 1)]
    else:
        high = min(gold, bisect_right(edges, edges[0] + most) - 1)
        low = min(high, bisect_left(edges, edges[0] + least))
        openings = [(0, cut) for cut in range(low, high + 1)]
    for first, cut in openings:
        before = edges[cut] - edges[first]
        fullest = bisect_right(edges, edges[gold] + length - before) - 1
        for last in range(fullest, gold, -1):
            tokens = before + edges[last] - edges[gold]
            if last < fullest and tokens < length - slack:
                break
            yield first, cut, last, before, tokens
