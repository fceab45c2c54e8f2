"""Which request is sent when and by whom: branches of the prefix tree for parallel requests, and their turns."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np

from longreach.core.types import Piece, Span, canonical_json

from .prefix_tree import ContextPath, PrefixTree

_WORTH_WAITING = 0.02
"""A request waits for another only if they share more than this part of it."""


_LONG = 512
"""Tokens: to compute so many takes a server long enough that another long prefix would only queue."""
_LONG_ANSWERS = 4
"""Requests with a long prefix, and twice as many of any kind, that show how long prefill takes; with a margin."""
_MARGIN = 1.5
_SOON = 2.0
"""Seconds to a first token under which one long prefix more is sent ahead, and above which half as many: where prefill
is quick, the way to the server takes longer, and its queue would run empty."""
_THOUSANDS = np.array([1.0, 1e3, 1e3, 1e3])


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


class PrefillTimes:
    """What prefill takes, learned from answers whose first token nobody saw: their seconds are regressed on their own
    prefill tokens, on those of others that a server may have computed meanwhile, and on their output tokens."""

    def __init__(self) -> None:
        self._seen: deque[tuple[float, ...]] = deque(maxlen=256)
        self._rates: tuple[float, float] | None = None
        self._free = 0.0
        """When the server is expected to have computed all that was sent."""

    def learn(self, own: int, others: int, written: int, seconds: float) -> None:
        """Add an answer."""
        self._seen.append((1.0, own, others, written, seconds))
        self._rates = None

    def expected(self, tokens: int, now: float) -> float | None:
        """Seconds until so many prefill tokens that are sent now are computed; None if that is not known."""
        if self._rates is None:
            if sum(each[1] >= _LONG for each in self._seen) < _LONG_ANSWERS or len(self._seen) < 2 * _LONG_ANSWERS:
                return None
            *given, seconds = np.array(self._seen).T
            table = np.stack(given, axis=1) / _THOUSANDS
            inverse = np.linalg.pinv(table.T @ table)
            found = inverse @ table.T @ seconds
            error = np.sqrt(np.sum((seconds - table @ found) ** 2) / (len(table) - 4) * inverse.diagonal())
            rates = _MARGIN * np.maximum(0.0, found + 2 * error) / _THOUSANDS
            self._rates = float(rates[1]), float(rates[2])
        own, queued = self._rates
        self._free = max(self._free, now) + queued * tokens
        return max(own * tokens, queued * tokens, self._free - now) if own else None


class Scheduler:
    """Hands out prompts by index, each once, as soon as the one it waits for is in the server's cache."""

    def __init__(
        self,
        tree: PrefixTree,
        parts: Sequence[range],
        *,
        waiting: bool = True,
        per_branch: int | None = None,
        room: int | None = None,
        answers: Sequence[int] | None = None,
        prefills: int | None = None,
        ahead: bool = False,
    ) -> None:
        """`parts` are in the order in which they are started. Without `waiting` everything may be sent at once.
        `per_branch` limits the requests in flight of one branch, and so those that one replica has to queue. `room` is
        how many tokens the server's cache holds: what is in flight, with its answers, and the prefixes that started
        branches still need stay within it. `prefills`: long prefixes that may be in flight at once before their answers
        begin, at first: a server computes one after the other, and what comes behind them waits. `ahead`: the server
        queues what its cache has no room for, so that as many are sent before they fit: they are there, tokenized, when
        they do."""
        self._tree = tree
        self._room = room
        self._answers = answers or [0] * len(tree)
        self._needed: dict[int, int] = {}
        """Prompts that were sent, with how many of those that wait for them were not."""
        self._sent: set[int] = set()
        """In flight."""
        self._heavy: set[int] = set()
        """In flight, with a long prefix to compute."""
        self._ahead = ahead
        self._quiet: set[int] = set()
        """In flight, whose answers have not begun."""
        self._started = [False] * len(parts)
        self._prefills = self._fewest = prefills or len(tree)
        self._times = PrefillTimes()
        self._tokens_sent = 0
        self._sending: dict[int, tuple[int, int]] = {}
        """Of each prompt in flight its prefill tokens, and those of all that were sent up to it."""
        self._per_branch = per_branch or len(tree)
        self._in_flight = [0] * len(parts)
        self._before = before = waits_for(tree, parts) if waiting else [-1] * len(tree)
        self._branch = {at: branch for branch, part in enumerate(parts) for at in part}
        self._after: dict[int, list[int]] = {}
        self._ready: list[list[int]] = [[] for _ in parts]
        self._fresh = list(range(len(parts)))[::-1]
        self._open: set[int] = set()
        """Branches that are started and may have something ready."""
        for at, first in enumerate(before):
            if first < 0:
                heappush(self._ready[self._branch[at]], at)
            else:
                self._after.setdefault(first, []).append(at)

    def take(self, last: int | None = None) -> int | None:
        """The next prompt for a worker whose last one is given: of the same branch, whose prefix is most likely cached;
        else of the next in `_candidates`. None if none may be sent now."""
        for branch in self._candidates(self._branch[last] if last is not None else -1):
            if self._free(branch):
                if self._fresh and self._fresh[-1] == branch:
                    self._fresh.pop()
                at = heappop(self._ready[branch])
                # `begun` and `done` put it back.
                (self._open.add if self._ready[branch] else self._open.discard)(branch)
                self._in_flight[branch] += 1
                self._sent.add(at)
                self._quiet.add(at)
                if (first := self._before[at]) in self._needed:
                    self._needed[first] -= 1
                    if not self._needed[first]:
                        del self._needed[first]
                if at in self._after:
                    self._needed[at] = len(self._after[at])
                fresh = self._fresh_tokens(at)
                ahead = sum(self._sending[one][0] for one in self._heavy)
                if fresh >= _LONG:
                    self._heavy.add(at)
                self._tokens_sent += fresh
                self._sending[at] = fresh, self._tokens_sent - ahead
                self._started[branch] = True
                return at
        return None

    def _candidates(self, own: int) -> Iterator[int]:
        """Branches to take from, best first: where a server is known, what is started is finished first."""
        fresh = self._fresh[-1:]
        if own >= 0:
            yield own
        if self._room is None and self._fewest >= len(self._tree):
            yield from fresh
        yield from sorted(self._open)
        yield from fresh

    def resident(self) -> list[int]:
        """The prompts that are in flight or whose prefix others still need, in the tree's order."""
        return sorted(self._sent | self._needed.keys())

    def _fits(self, at: int) -> bool:
        """Whether a prompt fits the cache beside what must stay there; alone, any does."""
        if self._room is None or not self._sent:
            return True
        tree, kept = self._tree, self._sent | self._needed.keys() | {at}
        if self._needed.get(self._before[at]) == 1 and self._before[at] not in self._sent:
            kept.discard(self._before[at])
        total, before, depth = sum(self._answers[one] for one in (*self._sent, at)), -1, 0
        for one in sorted(kept):
            # Of a prompt that is answered only the prefix is needed that others share with it.
            whole = one == at or one in self._sent
            size = tree.tokens[one] if whole else min(tree.tokens[one], tree.shared[one + 1])
            shared = min(depth, tree.common(before, one)) if before >= 0 else 0
            if size > shared:
                total, before, depth = total + size - shared, one, size
        return total <= self._room

    def _free(self, branch: int) -> bool:
        """Whether a branch has something ready, may have one more in flight, and the server can take it."""
        ready = self._ready[branch]
        if not ready or self._in_flight[branch] >= self._per_branch:
            return False
        if len(self._heavy) >= self._prefills and self._fresh_tokens(ready[0]) >= _LONG:
            return False
        return (self._ahead and len(self._quiet) < self._prefills) or self._fits(ready[0])

    def _fresh_tokens(self, at: int) -> int:
        """Tokens of a prompt that are to be computed."""
        started = self._started[self._branch[at]]
        return self._tree.tokens[at] - (self._tree.shared[at] if started else 0)

    def expected(self, at: int, now: float) -> float | None:
        """In how many seconds a prompt that is sent now is in the server's cache, where its answers come as a whole;
        None if that is not known, or if nothing waits for it."""
        if at not in self._after and at not in self._heavy:
            return None
        seconds = self._times.expected(self._sending[at][0], now)
        return seconds if at in self._after else None

    def done(self, at: int, seconds: float = 0.0, written: int = 0) -> None:
        """A prompt is answered, or has failed for good. The `seconds` that an answer took and its output tokens show
        how long a prefill takes."""
        self._in_flight[self._branch[at]] -= 1
        self._sent.discard(at)
        own, until = self._sending.pop(at)
        if seconds:
            self._times.learn(own, self._tokens_sent - until, written, seconds)
        if at in self._heavy:
            self._prefills, self._ahead = len(self._tree), False  # the server does not say when an answer begins
        self.begun(at)

    def begun(self, at: int, seconds: float | None = None) -> None:
        """The first token of an answer is there, so many seconds after it was sent, or expected to be, and so its
        prompt is in the server's cache."""
        if at in self._heavy and seconds is not None:
            self._prefills = self._prefills + 1 if seconds < _SOON else max(self._fewest, self._prefills // 2)
        self._heavy.discard(at)
        self._quiet.discard(at)
        for freed in self._after.pop(at, ()):
            heappush(self._ready[self._branch[freed]], freed)
            self._open.add(self._branch[freed])


class SimulatedRun(NamedTuple):
    """A simulated run."""

    workers: list[list[int]]
    """For each worker the prompts it sends, in order."""
    order: list[int]
    """All prompts in sending order."""
    end: float
    """When the last one is answered."""
    cached: list[int]
    """For each prompt the one in the cache that shares most with it when it is sent, by the scheduler's own account; -1
    if there is none."""


def simulate(
    tree: PrefixTree,
    parts: Sequence[range],
    workers: int,
    duration: Callable[[int], float],
    *,
    per_branch: int | None = None,
    room: int | None = None,
    answers: Sequence[int] | None = None,
) -> SimulatedRun:
    """Which worker sends what when, if a prompt takes `duration` and the next is sent as soon as one may be."""
    turns = Scheduler(tree, parts, per_branch=per_branch, room=room, answers=answers)
    cached = [-1] * len(tree)
    lists: list[list[int]] = [[] for _ in range(max(1, workers))]
    idle = list(range(len(lists)))[::-1]
    order: list[int] = []
    running: list[tuple[float, int, int]] = []
    now = 0.0
    while True:
        # The worker that became free last goes first: its own branch continues.
        for worker in reversed(list(idle)):
            there = turns.resident() if room is not None else []
            at = turns.take(lists[worker][-1] if lists[worker] else None)
            if at is None:
                continue
            cached[at] = max((tree.common(one, at), one) for one in there)[1] if there else -1
            idle.remove(worker)
            lists[worker].append(at)
            order.append(at)
            heappush(running, (now + duration(at), at, worker))
        if not running:
            return SimulatedRun([one for one in lists if one], order, now, cached)
        now, at, worker = heappop(running)
        turns.done(at)
        idle.append(worker)


_PER_WORKER = 4
"""Branches per worker where cuts cost nothing, so that a worker that finishes early takes another."""
_FREE = 0.01
"""A cut is free if it recomputes less than this share of a branch."""
_SPARE = 0.10
"""Share of the tree that all other cuts together may recompute; all questions over a context stay in one branch rather
than have several workers prefill it."""
_SPARE_IDLE = 0.25
"""The same if workers would otherwise idle."""
_BUSY = 0.7
"""Workers idle if they are busy for less than this share of the run."""
_SHORTER = 0.9
"""A higher cost is acceptable if the run takes at most this share of the time."""
_REQUEST = 500
"""Overhead per request, as tokens prefilled in that time."""


@dataclass(frozen=True)
class Schedule:
    """What each worker sends, and the resulting prefill tokens."""

    workers: list[list[int]]
    """Per worker the prompts that it sends, by index in the tree's order."""
    order: list[int]
    """All prompts in the order in which they reach the server."""
    computed: list[int]
    """Prefill tokens of each prompt on a server that caches the last prompt of each worker."""
    parts: list[range]
    """The branches, as ranges of the tree's order."""

    @property
    def prefill_tokens(self) -> int:
        """Total prefill tokens on a server that caches the last prompt of each worker."""
        return sum(self.computed)


def sessions_of(tree: PrefixTree, parts: Iterable[range]) -> dict[str, str]:
    """The session id of each item: the digest of its branch's shared prefix. Branches that were cut out of one prefix
    have different ids, because a router would send them all to the same replica."""
    found: dict[str, str] = {}
    used: set[str] = set()
    for part in sorted(parts, key=lambda one: one.start):
        session = branch_digest(tree, part)
        if session in used:
            session = hashlib.sha256(f"{session}\n{tree.items[part.start].id}".encode()).hexdigest()
        used.add(session)
        found |= dict.fromkeys((tree.items[at].id for at in part), session)
    return found


def cut(tree: PrefixTree, workers: int) -> list[range]:
    """The tree's order cut into ranges, the largest first. It is cut where nothing is shared, into a few ranges per
    worker. A range that is still more than a worker's part is cut again, at the cost of computing its prefix twice, as
    long as that cost stays small. If workers would idle, a higher cost is accepted if it shortens the run."""
    if not len(tree):
        return []
    if workers <= 1:
        return [range(len(tree))]
    parts = _cut(tree, workers, _SPARE)
    end = _played(tree, parts, workers).end
    if end * workers * _BUSY > tree.distinct_tokens + _REQUEST * len(tree):
        more = _cut(tree, workers, _SPARE_IDLE)
        if len(more) > len(parts) and _played(tree, more, workers).end < _SHORTER * end:
            return more
    return parts


def _cut(tree: PrefixTree, workers: int, spare_share: float) -> list[range]:
    part = tree.distinct_tokens / workers
    spare = spare_share * tree.distinct_tokens
    parts: list[range] = []
    for stretch in _free_cuts(tree, part / _PER_WORKER):
        pieces, again = _split(tree, stretch, part, spare)
        spare -= again
        parts += pieces
    return sorted(parts, key=lambda one: (-tree.fresh(one), one.start))


def most_per_branch(workers: int, replicas: int) -> int | None:
    """Requests of one branch in flight at most: routers give up affinity when one replica's queue is much longer than
    the others'. None: no limit."""
    return -(-workers // replicas) if replicas > 1 else None


def _played(tree: PrefixTree, parts: Sequence[range], workers: int, **limits: Any) -> SimulatedRun:
    """A simulated run, in prefill tokens: each prompt takes what it adds to the one before it in its branch."""
    starts = {part.start for part in parts}
    own = [tree.tokens[at] - (0 if at in starts else tree.shared[at]) + _REQUEST for at in range(len(tree))]
    return simulate(tree, parts, workers, lambda at: own[at], **limits)


def lanes(tree: PrefixTree, workers: int, replicas: int = 1, room: int | None = None) -> int:
    """Into how many branches' worth of work a tree is cut: one per replica where the whole tree does not fit the cache,
    because branches beside each other need all their prefixes there."""
    return replicas if replicas > 1 or (room is not None and room < tree.distinct_tokens) else workers


def schedule(
    tree: PrefixTree,
    workers: int,
    *,
    replicas: int = 1,
    block: int = 1,
    room: int | None = None,
    answers: Sequence[int] | None = None,
) -> Schedule:
    """What each worker sends and the resulting prefill tokens: the first of each context alone, then the others. A
    server caches whole blocks of the last prompt of each worker, or, where its room is known, of what is in flight and
    what started branches still need; behind a router with several replicas, a branch finds only its own prompts."""
    parts = cut(tree, lanes(tree, workers, replicas, room))
    branch = {at: number for number, part in enumerate(parts) for at in part}
    limits = {"room": room and room * replicas, "answers": answers}
    done = _played(tree, parts, workers, per_branch=most_per_branch(workers, replicas), **limits)
    sender = {at: worker for worker, sent in enumerate(done.workers) for at in sent}
    computed = list(tree.tokens)
    last: dict[int, int] = {}
    for at in done.order:
        there = last.values() if room is None else [done.cached[at]]
        found = [one for one in there if one >= 0 and (replicas <= 1 or branch[one] == branch[at])]
        computed[at] -= max((tree.common(before, at) for before in found), default=0) // block * block
        last[sender[at]] = at
    return Schedule(done.workers, done.order, computed, parts)


def _free_cuts(tree: PrefixTree, enough: float) -> list[range]:
    """The whole order cut where almost nothing is shared, into ranges of at least `enough` tokens."""
    starts = [0]
    load = 0
    for at in range(len(tree)):
        if at and load >= enough and tree.shared[at] <= _FREE * enough:
            starts.append(at)
            load = 0
        load += tree.tokens[at] - tree.shared[at]
    return [range(one, other) for one, other in pairwise([*starts, len(tree)])]


def _split(tree: PrefixTree, stretch: range, part: float, spare: float) -> tuple[list[range], int]:
    """A range cut into as many even pieces as it has parts, or fewer if that would recompute too much; with the
    recomputed tokens."""
    load = tree.fresh(stretch)
    for count in range(min(len(stretch), round(load / part)), 1, -1):
        pieces = _even(tree, stretch, count)
        again = sum(tree.shared[piece.start] for piece in pieces[1:])
        if again <= spare and max(tree.fresh(piece) for piece in pieces) < 0.9 * load:
            return pieces, again
    return [stretch], 0


def _even(tree: PrefixTree, stretch: range, count: int) -> list[range]:
    """A range cut into at most `count` pieces whose largest is as small as possible, to a hundredth."""
    own = [0, *accumulate(tree.tokens[at] - tree.shared[at] for at in stretch)]
    low, high = 0.0, float(tree.fresh(stretch))
    best = [stretch]
    while high - low > own[-1] / 100:
        bound = (low + high) / 2
        pieces = _filled(tree, stretch, own, bound)
        if pieces is not None and len(pieces) <= count:
            best, high = pieces, bound
        else:
            low = bound
    return best


def _filled(tree: PrefixTree, stretch: range, own: Sequence[int], bound: float) -> list[range] | None:
    """Pieces of at most `bound` tokens, each as long as possible; None if a single prompt is longer."""
    starts = [stretch.start]
    for at in stretch:
        first = starts[-1]
        if own[at + 1 - stretch.start] - own[first - stretch.start] + tree.shared[first] > bound:
            if tree.tokens[at] > bound:
                return None
            starts.append(at)
    return [range(one, other) for one, other in pairwise([*starts, stretch.stop])]


def branch_digest(tree: PrefixTree, part: range) -> str:
    """sha256 of the prefix that all prompts of a range share."""
    first, last = tree.prompts[part.start], tree.prompts[part.stop - 1]
    pieces = (
        [piece.model_dump() for piece in _common_pieces(first.context, last.context)] if first.head == last.head else []
    )
    shared = [first.head, pieces] if pieces else [first.item.id, first.item.sha256]
    return hashlib.sha256(canonical_json(shared).encode()).hexdigest()


def _common_pieces(one: ContextPath, other: ContextPath) -> list[Piece]:
    """The pieces that two contexts start with, the last one possibly in part."""
    found: list[Piece] = []
    for mine, theirs in zip(one.pieces, other.pieces, strict=False):
        if mine != theirs:
            if isinstance(mine, Span) and isinstance(theirs, Span) and mine.start == theirs.start:
                found.append(Span(start=mine.start, end=min(mine.end, theirs.end)))
            break
        found.append(mine)
    return found
