"""What prefix caches can serve: arrival times, and servers that cache blocks of recent prompts."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush

from .tree import PrefixTree

__all__ = ["BlockCache", "block_hits"]


class BlockCache:
    """A server's cache of token blocks with room for so many tokens (None: unlimited) that evicts the least recently
    used blocks, ends before prefixes.

    Blocks are not simulated one by one but as the tree's segments between forks, each cached up to some block. A
    segment is cached only if all before it is, so only the ends of what is cached can be evicted; when one is gone, the
    segment before it was last used when it was."""

    def __init__(self, tree: PrefixTree, *, block: int, room: int | None = None) -> None:
        self._block = block
        self._ends, self._above, self._leaves = tree.forks(block)
        self._limit = None if room is None else -(-room // block)
        self._size = [end - (self._ends[up] if up >= 0 else 0) for end, up in zip(self._ends, self._above, strict=True)]
        self._cached = [0] * len(self._ends)
        self._below = [0] * len(self._ends)
        self._last = [0] * len(self._ends)
        self._waiting: list[tuple[int, int]] = []
        self._used = 0
        self._time = 0

    def serve(self, at: int) -> int:
        """Tokens of a prompt that the cache holds; afterwards it holds the whole prompt."""
        self._time += 1
        leaf = node = self._leaves[at]
        served = self._ends[node]
        while self._cached[node] < self._size[node]:
            served = self._ends[node] - self._size[node] + self._cached[node]
            self._used += self._size[node] - self._cached[node]
            if not self._cached[node] and self._above[node] >= 0:
                self._below[self._above[node]] += 1
            self._cached[node] = self._size[node]
            node = self._above[node]
        self._last[leaf] = self._time
        if self._limit is not None:
            heappush(self._waiting, (self._time, leaf))
            self._evict(self._limit)
        return served * self._block

    def _evict(self, limit: int) -> None:
        cached, below, last = self._cached, self._below, self._last
        while self._used > limit:
            since, oldest = heappop(self._waiting)
            if below[oldest] or since != last[oldest] or not cached[oldest]:
                continue
            # The segment before an evicted end is next, unless another end depends on it or it was used since.
            while cached[oldest] <= self._used - limit:
                self._used -= cached[oldest]
                cached[oldest] = 0
                oldest = self._above[oldest]
                below[oldest] -= 1
                if last[oldest] < since:
                    last[oldest] = since
                if below[oldest] or last[oldest] != since or self._used <= limit:
                    break
            if self._used > limit and not below[oldest] and last[oldest] == since:
                cached[oldest] -= self._used - limit
                self._used = limit
            if not below[oldest]:
                heappush(self._waiting, (last[oldest], oldest))


def block_hits(tree: PrefixTree, order: Iterable[int], *, block: int, room: int | None = None) -> list[int]:
    """For prompts in order of arrival: the tokens that a block cache serves of each."""
    cache = BlockCache(tree, block=block, room=room)
    hits = [0] * len(tree)
    for at in order:
        hits[at] = cache.serve(at)
    return hits
