"""Which request may be sent next: the first of each context alone, its others in parallel once it is answered.

A prefix cache can serve a context only after one request has filled it. So each branch is a chain: the first request
over a context waits for the first over the context before it, which shares the most with it; all others over a context
wait for its first and then run together."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from .tree import PrefixTree

__all__ = ["Simulated", "Turns", "simulate", "waits_for"]

_WORTH_WAITING = 0.02
"""A request waits for another only if they share more than this part of it."""


def waits_for(tree: PrefixTree, parts: Sequence[range]) -> list[int]:
    """For each prompt, by its index in the tree, the one whose answer it waits for; -1 if it waits for none."""
    before = [-1] * len(tree)
    for part in parts:
        first = part.start
        for at in part:
            if at == part.start:
                continue
            same = tree.prompts[at].head == tree.prompts[first].head and (
                tree.prompts[at].context.key == tree.prompts[first].context.key
            )
            if same or tree.common(first, at) > _WORTH_WAITING * tree.tokens[at]:
                before[at] = first
            if not same:
                first = at
    return before


class Turns:
    """Hands out prompts by index, each once, as soon as the one it waits for is answered."""

    def __init__(
        self, tree: PrefixTree, parts: Sequence[range], *, waiting: bool = True, per_branch: int | None = None
    ) -> None:
        """`parts` are in the order in which they are started. Without `waiting` everything may be sent at once.
        `per_branch` limits the requests in flight of one branch, and so those that one replica has to queue."""
        self._per_branch = per_branch or len(tree)
        self._in_flight = [0] * len(parts)
        before = waits_for(tree, parts) if waiting else [-1] * len(tree)
        self._branch = {at: branch for branch, part in enumerate(parts) for at in part}
        self._after: dict[int, list[int]] = {}
        self._ready: list[list[int]] = [[] for _ in parts]
        self._fresh = list(range(len(parts)))[::-1]
        self._open: list[int] = []
        """Branches that are started and may have something ready."""
        for at, first in enumerate(before):
            if first < 0:
                heappush(self._ready[self._branch[at]], at)
            else:
                self._after.setdefault(first, []).append(at)

    def take(self, last: int | None = None) -> int | None:
        """The next prompt for a worker whose last one is given: of the same branch, whose prefix is most likely cached;
        else of a branch not yet started; else of any. None if none may be sent now."""
        branch = self._branch[last] if last is not None else -1
        if branch < 0 or not self._free(branch):
            branch = self._fresh.pop() if self._fresh else self._any()
        if branch < 0 or not self._free(branch):
            return None
        heappush(self._open, branch)
        self._in_flight[branch] += 1
        return heappop(self._ready[branch])

    def _free(self, branch: int) -> bool:
        """Whether a branch has something ready and may have one more in flight."""
        return bool(self._ready[branch]) and self._in_flight[branch] < self._per_branch

    def _any(self) -> int:
        """A started branch that has something ready."""
        while self._open and not self._free(self._open[0]):
            heappop(self._open)  # `done` puts it back
        return self._open[0] if self._open else -1

    def done(self, at: int) -> None:
        """A prompt is answered, or has failed for good."""
        self._in_flight[self._branch[at]] -= 1
        if self._ready[self._branch[at]]:
            heappush(self._open, self._branch[at])
        for freed in self._after.pop(at, ()):
            heappush(self._ready[self._branch[freed]], freed)
            heappush(self._open, self._branch[freed])


class Simulated(NamedTuple):
    """A simulated run."""

    workers: list[list[int]]
    """For each worker the prompts it sends, in order."""
    order: list[int]
    """All prompts in sending order."""
    end: float
    """When the last one is answered."""


def simulate(
    tree: PrefixTree,
    parts: Sequence[range],
    workers: int,
    duration: Callable[[int], float],
    *,
    per_branch: int | None = None,
) -> Simulated:
    """Which worker sends what when, if a prompt takes `duration` and the next is sent as soon as one may be."""
    turns = Turns(tree, parts, per_branch=per_branch)
    lists: list[list[int]] = [[] for _ in range(max(1, workers))]
    idle = list(range(len(lists)))[::-1]
    order: list[int] = []
    running: list[tuple[float, int, int]] = []
    now = 0.0
    while True:
        # The worker that became free last goes first: its own branch continues.
        for worker in reversed(list(idle)):
            at = turns.take(lists[worker][-1] if lists[worker] else None)
            if at is None:
                continue
            idle.remove(worker)
            lists[worker].append(at)
            order.append(at)
            heappush(running, (now + duration(at), at, worker))
        if not running:
            return Simulated([one for one in lists if one], order, now)
        now, at, worker = heappop(running)
        turns.done(at)
        idle.append(worker)
