"""Branches of the prefix tree for workers that send at the same time: whole stretches of the depth-first order, cut
where little is shared, so that workers hardly ever read the same beginning and have about as much to do each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

from longreach.core.context import Piece, Span
from longreach.core.item import Item
from longreach.core.model import Frozen, canonical_json

from .prefix import Story, Wording
from .tree import PrefixTree

__all__ = ["Branch", "Schedule", "branch_digest", "branches", "cut", "schedule", "sessions_of"]

_PER_WORKER = 4
"""Branches for each worker where cuts cost nothing, so that one who is done early takes another."""
_FREE = 0.01
"""A cut is free where what it computes again is less than this share of a branch."""
_SPARE = 0.10
"""Share of the tree that all other cuts together may compute again; where a story is asked many questions, one worker
asks them all rather than several reading it at once."""


class Branch(Frozen):
    """What one worker sends, in order."""

    digest: str
    """sha256 of the recipe of what all its prompts begin with: the session id that keeps it on one replica."""
    items: tuple[Item, ...]
    prefill_tokens: int
    """What must be computed when it starts with nothing kept."""


class Schedule(Frozen):
    """Branches given to workers, each time the largest left to the one with the least to do."""

    workers: tuple[tuple[int, ...], ...]
    """For each worker the prompts it sends, by their numbers in the tree's order."""
    branches: int
    prefill_tokens: int
    """What a server computes that keeps the last prompt of each worker."""


def sessions_of(tree: PrefixTree, parts: Iterable[range]) -> dict[str, str]:
    """The session id of each item: the digest of its branch."""
    return {tree.items[at].id: digest for part in parts for digest in [branch_digest(tree, part)] for at in part}


def branches(items: Iterable[Item], workers: int, wording: Wording | None = None) -> list[Branch]:
    """Items as branches for so many workers, the largest first. They come in depth-first order, whatever order they
    are given in."""
    tree = PrefixTree(items, wording)
    return [
        Branch(
            digest=branch_digest(tree, part),
            items=tuple(tree.items[at] for at in part),
            prefill_tokens=tree.fresh(part),
        )
        for part in cut(tree, workers)
    ]


def cut(tree: PrefixTree, workers: int) -> list[range]:
    """The tree's order cut into stretches, the largest first. Cut where nothing is shared into a few for each worker;
    where a stretch is still more than a worker's part, it is cut again at the price of reading its beginning twice, as
    long as that remains small."""
    if not len(tree):
        return []
    if workers <= 1:
        return [range(len(tree))]
    part = tree.distinct_tokens / workers
    spare = _SPARE * tree.distinct_tokens
    parts: list[range] = []
    for stretch in _free_cuts(tree, part / _PER_WORKER):
        pieces, again = _split(tree, stretch, part, spare)
        spare -= again
        parts += pieces
    return sorted(parts, key=lambda one: (-tree.fresh(one), one.start))


def schedule(tree: PrefixTree, workers: int) -> Schedule:
    """What each worker sends and what that leaves to compute."""
    lists: list[list[int]] = [[] for _ in range(max(1, workers))]
    loads = [0] * len(lists)
    parts = cut(tree, workers)
    for part in parts:
        worker = min(range(len(lists)), key=lambda one: loads[one])
        kept = tree.common(lists[worker][-1], part.start) if lists[worker] else 0
        loads[worker] += tree.fresh(part) - kept
        lists[worker] += part
    return Schedule(workers=tuple(tuple(one) for one in lists if one), branches=len(parts), prefill_tokens=sum(loads))


def _free_cuts(tree: PrefixTree, enough: float) -> list[range]:
    """The whole order cut where next to nothing is shared, into stretches of at least `enough` tokens."""
    starts = [0]
    load = 0
    for at in range(len(tree)):
        if at and load >= enough and tree.shared[at] <= _FREE * enough:
            starts.append(at)
            load = 0
        load += tree.tokens[at] - tree.shared[at]
    return [range(one, other) for one, other in pairwise([*starts, len(tree)])]


def _split(tree: PrefixTree, stretch: range, part: float, spare: float) -> tuple[list[range], int]:
    """A stretch cut into as many even pieces as it has parts, or fewer where that would read too much twice; with
    the tokens read again."""
    load = tree.fresh(stretch)
    for count in range(min(len(stretch), round(load / part)), 1, -1):
        pieces = _even(tree, stretch, count)
        again = sum(tree.shared[piece.start] for piece in pieces[1:])
        if again <= spare and max(tree.fresh(piece) for piece in pieces) < 0.9 * load:
            return pieces, again
    return [stretch], 0


def _even(tree: PrefixTree, stretch: range, count: int) -> list[range]:
    """A stretch cut into at most `count` pieces whose largest is as small as can be, to a hundredth."""
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
    """Pieces of at most `bound` tokens, each as long as it can be; None where one prompt alone is more."""
    starts = [stretch.start]
    for at in stretch:
        first = starts[-1]
        if own[at + 1 - stretch.start] - own[first - stretch.start] + tree.shared[first] > bound:
            if tree.tokens[at] > bound:
                return None
            starts.append(at)
    return [range(one, other) for one, other in pairwise([*starts, stretch.stop])]


def branch_digest(tree: PrefixTree, part: range) -> str:
    """sha256 of what all prompts of a stretch begin with."""
    first, last = tree.prompts[part.start], tree.prompts[part.stop - 1]
    pieces = [piece.model_dump() for piece in _both(first.story, last.story)] if first.head == last.head else []
    shared = [first.head, pieces] if pieces else [first.item.id, first.item.sha256]
    return hashlib.sha256(canonical_json(shared).encode()).hexdigest()


def _both(one: Story, other: Story) -> list[Piece]:
    """The pieces two stories begin with alike, the last of them perhaps in part."""
    found: list[Piece] = []
    for mine, theirs in zip(one.pieces, other.pieces, strict=False):
        if mine != theirs:
            if isinstance(mine, Span) and isinstance(theirs, Span) and mine.start == theirs.start:
                found.append(Span(start=mine.start, end=min(mine.end, theirs.end)))
            break
        found.append(mine)
    return found
