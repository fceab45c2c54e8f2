"""Protocol B: single facts scattered over one context, each in the bin assigned by its distribution."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import numpy as np

from longreach.errors import BadInput

from .placement import Haystack, Needle, NeedleContext, Pieces, too_short


def scatter(
    haystack: Haystack, needles: Sequence[Needle], shares: Sequence[int], length: int, rng_key: str, *, nested: bool
) -> NeedleContext:
    """A context of at most `length` tokens in which bin n, in tokens of the context with all its facts, has `shares[n]`
    of them. `rng_key` decides which fact goes where, and the sentence end inside the bin.
    """
    order = Random(f"order {rng_key}").sample(needles, len(needles))
    ranks = np.concatenate([[0], np.cumsum(shares)])
    groups = [order[ranks[number] : ranks[number + 1]] for number in range(len(shares))]
    room = haystack.room(length, sum(needle.tokens for needle in needles), nested=nested)
    _check_groups(groups, length)
    last = haystack.within(room)
    total = int(haystack.tokens[last]) + length - room
    pieces: Pieces = ()
    # The bins depend on where the context ends, and its end on the facts' tokens: the second pass is consistent.
    for _ in range(2):
        planted = _places(haystack, groups, last, total, Random(f"places {rng_key}"))

        def build(end: int, planted: Sequence[tuple[int, Needle]] = planted) -> Pieces:
            return haystack.weave(planted, end)

        first = haystack.place_of(planted[-1][0])
        found = haystack.fit(build, length, last, first, haystack.end)
        if found is None:
            raise too_short(length)
        pieces, total = found, haystack.count(found)
    return haystack.place(pieces)


def _check_groups(groups: Sequence[Sequence[Needle]], length: int) -> None:
    """All facts of a bin must be able to begin inside it."""
    needed = len(groups) * max(1 + _before_last(group) for group in groups)
    if needed > length:
        fullest = max(len(group) for group in groups)
        raise BadInput(
            f"length {length} is too short to scatter facts over {len(groups)} bins, one of which gets {fullest}; "
            f"ask for at least {needed} tokens, fewer bins or fewer facts"
        )


def _before_last(group: Sequence[Needle]) -> int:
    return sum(needle.tokens for needle in group[:-1])


def _places(
    haystack: Haystack, groups: Sequence[Sequence[Needle]], last: int, total: int, rng: Random
) -> list[tuple[int, Needle]]:
    """A place for every fact, ascending, in a context of `total` tokens; earlier facts shift the later ones by their
    own tokens.
    """
    found: list[tuple[int, Needle]] = []
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
            # The whole bin is inside one sentence, or earlier facts took its only end: use the nearest place.
            places = [min(max(haystack.nearest((low + high) / 2), free - 1, 1), last)] * len(group)
        found += zip((haystack.at(place) for place in places), group, strict=True)
        pushed += sum(needle.tokens for needle in group)
        free = places[-1] + 1
    return found


def _choose(haystack: Haystack, places: range, count: int, rng: Random) -> list[int]:
    """`count` of the places, ascending: distinct ones where there are enough, preferably inside a paragraph, since a
    heading may be between two.
    """
    inside: list[int] = []
    others: list[int] = []
    for place in rng.sample(places, len(places)):
        (inside if haystack.inside_paragraph(place) else others).append(place)
        if len(inside) == count:
            break
    chosen = (inside + others)[:count]
    return sorted(chosen[number % len(chosen)] for number in range(count)) if chosen else []
