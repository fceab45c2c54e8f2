"""Protocol B: single facts scattered over one story, each in the bin that its distribution gives it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from longreach.errors import BadInput

from .placement import Haystack, Seed, Story

__all__ = ["scatter"]


def scatter(
    haystack: Haystack, seeds: Sequence[Seed], shares: Sequence[int], length: int, luck: str, *, nested: bool
) -> Story:
    """A story of at most `length` tokens in which bin n, counted in tokens of the story with all its facts, has
    `shares[n]` of them. `luck` decides which fact goes where, and the sentence end inside the bin."""
    order = Random(f"order {luck}").sample(seeds, len(seeds))
    ranks = np.concatenate([[0], np.cumsum(shares)])
    groups = [order[ranks[number] : ranks[number + 1]] for number in range(len(shares))]
    last = haystack.within(haystack.hold(length, sum(seed.tokens for seed in seeds), nested=nested))
    _hold_groups(groups, length)
    while last > 0:
        pieces = haystack.weave(_places(haystack, groups, last, Random(f"places {luck}")), last)
        if haystack.count(pieces) <= length:
            return haystack.story(pieces)
        last -= 1
    raise BadInput(f"length {length} is too short for one sentence beside the planted facts; ask for longer lengths")


def _hold_groups(groups: Sequence[Sequence[Seed]], length: int) -> None:
    """All facts of a bin must be able to begin inside it."""
    needed = len(groups) * max(1 + _before_last(group) for group in groups)
    if needed > length:
        fullest = max(len(group) for group in groups)
        raise BadInput(
            f"length {length} is too short to scatter facts over {len(groups)} bins, one of which gets {fullest}; "
            f"ask for at least {needed} tokens, fewer bins or fewer facts"
        )


def _before_last(group: Sequence[Seed]) -> int:
    return sum(seed.tokens for seed in group[:-1])


def _places(haystack: Haystack, groups: Sequence[Sequence[Seed]], last: int, rng: Random) -> list[tuple[int, Seed]]:
    """A place for every fact, ascending; facts that came before push the later ones on by their own tokens."""
    total = int(haystack.tokens[last]) + sum(seed.tokens for group in groups for seed in group)
    found: list[tuple[int, Seed]] = []
    pushed = 0
    # A fact follows a sentence, so the earliest place is after the first one.
    free = 1
    for number, group in enumerate(groups):
        if not group:
            continue
        low = total * number / len(groups) - pushed
        high = total * (number + 1) / len(groups) - pushed - _before_last(group)
        begin, end = (int(at) for at in np.searchsorted(haystack.tokens, [low, high]))
        places = _choose(haystack, range(max(begin, free), min(end, last + 1)), len(group), rng)
        if not places:
            # The whole bin lies inside one sentence, or earlier facts took its only end: the nearest there is.
            taken = found[-1][0] if found else 1
            places = [min(max(haystack.nearest((low + high) / 2), taken), last)] * len(group)
        found += zip(places, group, strict=True)
        pushed += sum(seed.tokens for seed in group)
        free = places[-1] + 1
    return found


def _choose(haystack: Haystack, places: range, count: int, rng: Random) -> list[int]:
    """`count` of the places, ascending: different ones where there are enough, and rather inside a paragraph than
    between two, where a heading may stand."""
    inside: list[int] = []
    others: list[int] = []
    for place in rng.sample(places, len(places)):
        (inside if haystack.inside_paragraph(place) else others).append(place)
        if len(inside) == count:
            break
    chosen = (inside + others)[:count]
    return sorted(chosen[number % len(chosen)] for number in range(count)) if chosen else []
