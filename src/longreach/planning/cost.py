"""Cost and duration of a run: tokens billed in full, what prefix caches serve, and time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from heapq import heappop, heappush
from itertools import pairwise
from typing import NamedTuple

from longreach.core.types import Frozen
from longreach.models.prices import Price
from longreach.models.providers import CacheRule

from .prefix_tree import PrefixTree
from .schedule import Schedule, simulate


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


class Speed(Frozen):
    """Speeds of one request in tokens per second."""

    prefill: float
    decode: float | None = None


class Pace(Frozen):
    """Rate limits of a run per minute, and its speed."""

    speed: Speed | None = None
    rpm: float | None = None
    """Requests a minute."""
    tpm: float | None = None
    """Tokens per minute, input and output together."""


class Billed(NamedTuple):
    """One request as a provider bills it."""

    tokens: int
    """All tokens of the prompt."""
    cached: int
    written: int
    """Written to the cache, at a separate price."""
    output: int
    late: bool = False
    """What it could have found in the cache had expired."""


def bill(
    tree: PrefixTree, plan: Schedule, answers: Sequence[int], rule: CacheRule | None, pace: Pace, *, sharing: bool
) -> list[Billed]:
    """Every request, in the tree's order, by a provider's cache rule. Best case: most providers do not guarantee a
    hit."""
    if rule is None or not sharing:
        return [
            Billed(tokens=tokens, cached=0, written=0, output=output)
            for tokens, output in zip(tree.tokens, answers, strict=True)
        ]
    hits = block_hits(tree, plan.order, block=rule.step)
    after = _following(tree, plan)
    waits = _waits(tree, plan, answers, hits, pace)
    found: list[Billed] = []
    for at, tokens in enumerate(tree.tokens):
        cached = hits[at] if hits[at] >= rule.minimum else 0
        late = bool(cached) and rule.lifetime is not None and waits[at] > rule.lifetime
        cached = 0 if late else cached
        # With marks, only what a later prompt shares is written; else everything that was not cached.
        reach = after[at] if rule.marked else tokens
        written = max(0, reach - cached) if reach >= rule.minimum else 0
        found.append(Billed(tokens=tokens, cached=cached, written=written, output=answers[at], late=late))
    return found


def dollars(requests: Sequence[Billed], price: Price) -> float:
    """Total cost."""
    return sum(price.cost(one.tokens, one.cached, one.output, one.written) for one in requests)


def seconds_needed(
    tree: PrefixTree,
    plan: Schedule,
    answers: Sequence[int],
    computed: Sequence[int],
    pace: Pace,
    *,
    counts_cached: bool = True,
) -> float | None:
    """Duration of a run: simulated at its serving speed, and at least what limits per minute allow. None if neither is
    known. `computed` are the tokens of each prompt that no cache serves."""
    known: list[float] = []
    if pace.speed is not None:
        workers = max(1, len(plan.workers))
        known.append(simulate(tree, plan.parts, workers, lambda at: _serving(at, answers, computed, pace)).end)
    if pace.rpm is not None:
        known.append(60 * len(tree) / pace.rpm)
    if pace.tpm is not None:
        known.append(60 * (sum(tree.tokens if counts_cached else computed) + sum(answers)) / pace.tpm)
    return max(known) if known else None


def _serving(at: int, answers: Sequence[int], computed: Sequence[int], pace: Pace) -> float:
    """Seconds to serve one request."""
    if pace.speed is None:
        return 0.0
    writing = answers[at] / pace.speed.decode if pace.speed.decode else 0.0
    return computed[at] / pace.speed.prefill + writing


def _following(tree: PrefixTree, plan: Schedule) -> list[int]:
    """Tokens of each prompt that a later one of the same branch shares."""
    after = [0] * len(tree)
    for part in plan.parts:
        for one, other in pairwise(part):
            after[one] = tree.common(one, other)
    return after


def _waits(tree: PrefixTree, plan: Schedule, answers: Sequence[int], hits: Sequence[int], pace: Pace) -> list[float]:
    """Seconds between each request and the one before it on the same worker, as far as speed and limits are known."""
    computed = [tokens - hit for tokens, hit in zip(tree.tokens, hits, strict=True)]
    waits = [0.0] * len(tree)
    workers = max(1, len(plan.workers))
    for worker in plan.workers:
        for before, at in pairwise(worker):
            least = [_serving(before, answers, computed, pace)]
            if pace.rpm is not None:
                least.append(60 * workers / pace.rpm)
            if pace.tpm is not None:
                least.append(60 * workers * (computed[before] + answers[before]) / pace.tpm)
            waits[at] = max(least)
    return waits
