"""Which request may be sent next: the first of each context alone, its others in parallel once it is answered.

A prefix cache can serve a context only after one request has filled it. So each branch is a chain: the first request
over a context waits for the first over the context before it, which shares the most with it; all others over a context
wait for its first and then run together."""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heappop, heappush

from .tree import PrefixTree

__all__ = ["Turns", "waits_for"]


def waits_for(tree: PrefixTree, parts: Sequence[range]) -> list[int]:
    """For each prompt, by its number in the tree, the one whose answer it waits for; -1 where it waits for none."""
    before = [-1] * len(tree)
    for part in parts:
        first = part.start
        for at in part:
            if at == part.start:
                continue
            same = tree.prompts[at].head == tree.prompts[first].head and (
                tree.prompts[at].story.key == tree.prompts[first].story.key
            )
            before[at] = first
            if not same:
                first = at
    return before


class Turns:
    """Hands out prompts by number, each once, as soon as what it waits for is answered."""

    def __init__(self, tree: PrefixTree, parts: Sequence[range], *, waiting: bool = True) -> None:
        """`parts` come in the order in which they are begun. Without `waiting` everything may be sent at once."""
        before = waits_for(tree, parts) if waiting else [-1] * len(tree)
        self._rank = {at: (branch, at) for branch, part in enumerate(parts) for at in part}
        self._after: dict[int, list[int]] = {}
        self._ready: list[tuple[int, int]] = []
        for at, first in enumerate(before):
            if first < 0:
                heappush(self._ready, self._rank[at])
            else:
                self._after.setdefault(first, []).append(at)

    def take(self) -> int | None:
        """The next prompt to send; None where none may be sent now."""
        return heappop(self._ready)[1] if self._ready else None

    def done(self, at: int) -> None:
        """A prompt is answered, or has failed for good."""
        for freed in self._after.pop(at, ()):
            heappush(self._ready, self._rank[freed])
