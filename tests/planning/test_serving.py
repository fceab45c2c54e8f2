"""Runs against a simulated server (one prefill at a time, decoding in parallel, a cache of blocks that evicts): tokens
prefilled, time, and whether a place was left free while a request waited that could have used it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import pairwise
from random import Random

import pytest
from tests.planning.test_schedule import documents, grid

from longreach.planning.cost import BlockCache
from longreach.planning.prefix_tree import PrefixTree
from longreach.planning.schedule import Scheduler, cut, lanes, schedule

PREFILL = 20_000.0
DECODE = 40.0
ANSWER = 200
BLOCK = 16


@dataclass
class Server:
    """A server that admits requests in the order they come, as many as its cache holds."""

    tree: PrefixTree
    room: int | None = None
    now: float = 0.0
    prefilled: int = 0
    first: Callable[[int], None] = lambda _: None
    running: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.cache = BlockCache(self.tree, block=BLOCK, room=self.room)
        self.queue: list[int] = []
        self.events: list[tuple[float, int, int]] = []
        self.busy = 0.0
        """Until then the prefills that were admitted take."""

    def send(self, at: int) -> None:
        self.queue.append(at)
        self._admit()

    def step(self) -> int | None:
        """The next event; the prompt that is answered, or None if an answer has begun."""
        self.now, begins, at = heappop(self.events)
        if begins:
            heappush(self.events, (self.now + ANSWER / DECODE, 0, at))
            self.first(at)
            return None
        self.running.remove(at)
        self._admit()
        return at

    def _admit(self) -> None:
        while self.queue and (not self.running or self._held(self.queue[0]) <= (self.room or 10**12)):
            at = self.queue.pop(0)
            self.running.append(at)
            fresh = self.tree.tokens[at] - min(self.cache.serve(at), self.tree.tokens[at] - 1)
            self.prefilled += fresh
            self.busy = max(self.busy, self.now) + fresh / PREFILL
            heappush(self.events, (self.busy, 1, at))

    def _held(self, more: int) -> int:
        held = sorted([*self.running, more])
        shared = sum(self.tree.common(one, other) for one, other in pairwise(held))
        return sum(self.tree.tokens[at] + ANSWER for at in held) - shared


def in_order(tree: PrefixTree, order: Sequence[int], workers: int, room: int | None) -> Server:
    """A bare client: so many in flight, in this order."""
    server, left = Server(tree, room), list(order)[::-1]
    for _ in range(min(workers, len(left))):
        server.send(left.pop())
    while server.events:
        if server.step() is not None and left:
            server.send(left.pop())
    return server


def by_schedule(tree: PrefixTree, workers: int, room: int | None, *, streamed: bool = True) -> tuple[Server, int]:
    """A run of Longreach, and how often a place was free while a request waited that needs no long prefix and fits."""
    parts = cut(tree, lanes(tree, workers, room=room))
    turns = Scheduler(tree, parts, room=room, answers=[ANSWER] * len(tree), prefills=1)
    server = Server(tree, room)
    flying, idle = 0, 0

    def fill(last: int | None) -> None:
        nonlocal flying
        while flying < workers and (at := turns.take(last)) is not None:
            flying += 1
            server.send(at)
            last = None

    def first(at: int) -> None:
        turns.begun(at)
        fill(None)

    server.first = first if streamed else lambda _: None
    fill(None)
    while server.events:
        at = server.step()
        if at is not None:
            flying -= 1
            turns.done(at)
            fill(at)
        while flying < workers and (at := turns.take(None)) is not None:
            flying, idle = flying + 1, idle + 1
            server.send(at)
    return server, idle


TREES = {
    "a grid of lengths and depths": grid(range(8_000, 104_000, 8_000), range(0, 100_000, 20_000)),
    "documents with ten questions": documents(12, size=20_000, asked=10),
}


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("workers", [8, 16])
def test_with_a_large_cache_nothing_is_prefilled_twice_and_no_time_is_lost(name: str, workers: int) -> None:
    tree = PrefixTree(TREES[name], None)
    ours, idle = by_schedule(tree, workers, None)
    waiting, _ = by_schedule(tree, workers, None, streamed=False)
    order = list(range(len(tree)))
    rivals = [in_order(tree, Random(seed).sample(order, len(order)), workers, None) for seed in range(3)]
    rivals.append(in_order(tree, sorted(order, key=lambda at: tree.tokens[at]), workers, None))
    assert idle == 0
    assert ours.prefilled <= 1.02 * schedule(tree, workers, block=BLOCK).prefill_tokens
    assert ours.now <= 1.03 * min(rival.now for rival in rivals)
    assert ours.now <= waiting.now


@pytest.mark.parametrize("name", TREES)
def test_a_small_cache_is_not_overrun(name: str) -> None:
    """A tenth of the tokens, or room for two of the longest prompts."""
    tree, workers = PrefixTree(TREES[name], None), 8
    room = max(tree.distinct_tokens // 10, 2 * max(tree.tokens) + 10 * ANSWER)
    ours, idle = by_schedule(tree, workers, room)
    order = list(range(len(tree)))
    rivals = [in_order(tree, Random(seed).sample(order, len(order)), workers, room) for seed in range(3)]
    plan = schedule(tree, workers, block=BLOCK, room=room, answers=[ANSWER] * len(tree))
    assert idle == 0
    assert ours.prefilled <= 1.1 * plan.prefill_tokens
    assert ours.now <= 0.7 * min(rival.now for rival in rivals)
