"""What prefix caches can serve: arrival times, and servers that cache blocks of recent prompts."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import heappop, heappush

from .tree import PrefixTree

__all__ = ["block_hits"]


def block_hits(tree: PrefixTree, order: Iterable[int], *, block: int, room: int | None = None) -> list[int]:
    """For prompts in order of arrival: the tokens served by a block cache with room for so many tokens (None:
    unlimited) that evicts the least recently used blocks, ends before prefixes.

    Blocks are not simulated one by one but as the tree's segments between forks, each cached up to some block. A
    segment is cached only if all before it is, so only the ends of what is cached can be evicted; when one is gone, the
    segment before it was last used when it was."""
    ends, above, leaves = tree.forks(block)
    limit = None if room is None else -(-room // block)
    size = [end - (ends[up] if up >= 0 else 0) for end, up in zip(ends, above, strict=True)]
    cached = [0] * len(ends)
    below = [0] * len(ends)
    last = [0] * len(ends)
    waiting: list[tuple[int, int]] = []
    used = 0
    hits = [0] * len(tree)
    for time, at in enumerate(order, 1):
        leaf = node = leaves[at]
        served = ends[node]
        while cached[node] < size[node]:
            served = ends[node] - size[node] + cached[node]
            used += size[node] - cached[node]
            if not cached[node] and above[node] >= 0:
                below[above[node]] += 1
            cached[node] = size[node]
            node = above[node]
        hits[at] = served * block
        last[leaf] = time
        if limit is None:
            continue
        heappush(waiting, (time, leaf))
        while used > limit:
            since, oldest = heappop(waiting)
            if below[oldest] or since != last[oldest] or not cached[oldest]:
                continue
            # The segment before an evicted end is next, unless another end depends on it or it was used since.
            while cached[oldest] <= used - limit:
                used -= cached[oldest]
                cached[oldest] = 0
                oldest = above[oldest]
                below[oldest] -= 1
                if last[oldest] < since:
                    last[oldest] = since
                if below[oldest] or last[oldest] != since or used <= limit:
                    break
            if used > limit and not below[oldest] and last[oldest] == since:
                cached[oldest] -= used - limit
                used = limit
            if not below[oldest]:
                heappush(waiting, (last[oldest], oldest))
    return hits
