"""A plan replayed over many replicas, in simulation: prefill tokens, balance and makespan by routing policy.

Each replica serves one request at a time and has a cache of token blocks with room for four of the longest prompts.
Prints every figure against its bound: the prefill tokens of one endless cache, and an even share of that work per
replica. Run it on a benchmark of your own: python -m benchmarks.bench_fleet BENCH"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

from longreach.planning.cost import BlockCache
from longreach.planning.prefix_tree import PrefixTree, tree_of
from longreach.planning.schedule import Scheduler, cut, sessions_of

REPLICAS = (1, 2, 4, 8, 16, 32, 64)
BLOCKS = (16, 128)
IN_FLIGHT = 8
"""Requests in flight per replica."""
OVERHEAD = 500
"""Time per request besides prefill, as tokens prefilled in that time."""
ROOM = 4
"""Room of a replica's cache, in longest prompts."""

Route = Callable[[str, int, Sequence[float]], int]
"""Session, number of the request, when each replica will be free -> the replica."""


class Replayed(NamedTuple):
    """What a fleet did."""

    prefill: int
    balance: float
    """Work of the busiest replica over the mean."""
    makespan: float


def affine() -> Route:
    """A new session goes to the replica that is free first, and stays there."""
    pinned: dict[str, int] = {}
    return lambda session, _, free: pinned.setdefault(session, min(range(len(free)), key=free.__getitem__))


def hashed() -> Route:
    """A session's replica follows from its hash, as with consistent hashing."""
    return lambda session, _, free: int(hashlib.sha256(session.encode()).hexdigest(), 16) % len(free)


def round_robin() -> Route:
    """Each request goes to the next replica."""
    return lambda _, number, free: number % len(free)


POLICIES: dict[str, Callable[[], Route]] = {"affine": affine, "hashed": hashed, "round robin": round_robin}


def replay(tree: PrefixTree, replicas: int, route: Route, block: int, room: int | None) -> Replayed:
    """Send all prompts as a run would, each replica a first-in first-out queue."""
    parts = cut(tree, replicas)
    sessions = sessions_of(tree, parts)
    turns = Scheduler(tree, parts, per_branch=IN_FLIGHT if replicas > 1 else None)
    caches = [BlockCache(tree, block=block, room=room) for _ in range(replicas)]
    free, work = [0.0] * replicas, [0.0] * replicas
    running: list[tuple[float, int]] = []
    now, prefill, number = 0.0, 0, 0
    last: int | None = None
    while True:
        while len(running) < IN_FLIGHT * replicas and (at := turns.take(last)) is not None:
            last = None
            replica = route(sessions[tree.items[at].id], number, free)
            number += 1
            computed = tree.tokens[at] - caches[replica].serve(at)
            prefill += computed
            work[replica] += computed + OVERHEAD
            free[replica] = max(now, free[replica]) + computed + OVERHEAD
            heappush(running, (free[replica], at))
        if not running:
            assert number == len(tree), "every prompt is sent once"
            return Replayed(prefill, max(work) * replicas / sum(work), now)
        now, last = heappop(running)
        turns.done(last)


def main() -> int:
    """Print the table and compare it with what we promise."""
    from longreach.api import build, open_bench

    with tempfile.TemporaryDirectory() as scratch:
        if len(sys.argv) > 1:
            bench = open_bench(sys.argv[1])
        else:
            bench = build(
                "needles", Path(scratch) / "bench", lengths="4k,8k,16k,32k", depths="0..100/10", sets=8, seed=1
            )
        tree = tree_of(bench)
        room = ROOM * max(tree.tokens)
        print(f"{len(tree)} requests, {tree.input_tokens:,} input tokens, {tree.distinct_tokens:,} distinct")
        good = True
        for block in BLOCKS:
            bound = tree.prefill_tokens(block)
            print(f"\nblocks of {block} tokens; bound: {bound:,} prefill tokens")
            head = f"{'replicas':>8}  {'policy':<12} {'prefill':>12} {'x bound':>8} {'balance':>8}"
            print(f"{head} {'makespan':>12} {'x even':>7}")
            for replicas in REPLICAS:
                even = max((bound + OVERHEAD * len(tree)) / replicas, max(tree.tokens) + OVERHEAD)
                found = {name: replay(tree, replicas, policy(), block, room) for name, policy in POLICIES.items()}
                for name, one in found.items():
                    print(
                        f"{replicas:>8}  {name:<12} {one.prefill:>12,} {one.prefill / bound:>8.2f} {one.balance:>8.2f} "
                        f"{one.makespan:>12,.0f} {one.makespan / even:>7.2f}"
                    )
                kept, spread = found["affine"], found["round robin"]
                good = good and kept.prefill <= 1.3 * bound and kept.prefill <= spread.prefill
    print("\naffine: at most 1.3 x the bound, never more prefill than round robin:", "kept" if good else "BROKEN")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
