"""Nine ways to scatter facts over a context: masses of equal bins, the facts of each, and their places."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from random import Random

import numpy as np

from longreach.errors import BadInput

from .placement import Haystack, Needle, NeedleContext, Pieces, too_short

# Masses that are equal, or add up to a step, differ from it in the last bits.
_DIGITS = 9
_TRIES = 20


@dataclass(frozen=True)
class Distribution:
    """A distribution over the context, from 0 at its start to 1 at its end."""

    shape: str
    """Its parameters, for display; mass outside 0 to 1 is cut off and the rest rescaled."""
    cumulative: Callable[[float], float]
    """The cumulative function, rising from start to end; only its differences matter."""


def _normal(x: float, mean: float, deviation: float) -> float:
    return 0.5 * math.erf((x - mean) / (deviation * math.sqrt(2)))


def _exponential(x: float) -> float:
    return -math.exp(-x / 0.2)


def _rayleigh(x: float) -> float:
    return -math.exp(-(x**2) / (2 * 0.2**2))


def _flipped(cumulative: Callable[[float], float]) -> Callable[[float], float]:
    """The mirror image, from end to start."""
    return lambda x: -cumulative(1 - x)


DISTRIBUTIONS: dict[str, Distribution] = {
    "uniform": Distribution("the same everywhere", lambda x: x),
    "normal": Distribution("mean 0.5, standard deviation 0.12", lambda x: _normal(x, 0.5, 0.12)),
    "exponential": Distribution("mean 0.2, falling from the start", _exponential),
    "exponential_flipped": Distribution("mean 0.2 from the end, rising towards it", _flipped(_exponential)),
    "bimodal": Distribution(
        "two equal normals, means 0.25 and 0.75, standard deviation 0.06",
        lambda x: _normal(x, 0.25, 0.06) + _normal(x, 0.75, 0.06),
    ),
    "arcsine": Distribution("density 1 / (pi sqrt(x (1 - x))), high at both ends", lambda x: math.asin(math.sqrt(x))),
    "lorentzian": Distribution(
        "Cauchy, centre 0.5, half width at half height 0.05", lambda x: math.atan((x - 0.5) / 0.05)
    ),
    "rayleigh": Distribution("peak at 0.2, long tail towards the end", _rayleigh),
    "rayleigh_flipped": Distribution("peak at 0.8, long tail towards the start", _flipped(_rayleigh)),
}
"""By name, in display order."""


def bin_masses(name: str, bins: int) -> tuple[float, ...]:
    """The share of a distribution that falls into each of `bins` equal parts of the context."""
    rises = [DISTRIBUTIONS[name].cumulative(edge / bins) for edge in range(bins + 1)]
    return tuple((after - before) / (rises[-1] - rises[0]) for before, after in pairwise(rises))


def allot(masses: Sequence[float], count: int) -> tuple[int, ...]:
    """The number of facts per bin out of `count`, at equal steps of the cumulative function: fact k belongs where the
    masses before it reach (k - 1/2) / count. One on the border of two bins goes to the later one, so that facts of
    equal masses stay evenly spaced."""
    rises = np.round(np.cumsum(masses), _DIGITS)[:-1]
    steps = np.round((np.arange(count) + 0.5) / count, _DIGITS)
    return tuple(np.bincount(np.searchsorted(rises, steps, side="right"), minlength=len(masses)).tolist())


def scatter(
    haystack: Haystack, needles: Sequence[Needle], shares: Sequence[int], length: int, rng_key: str, *, nested: bool
) -> NeedleContext:
    """A context of at most `length` tokens in which bin n, in tokens of the context with all its facts, has `shares[n]`
    of them. `rng_key` decides which fact goes where, and the sentence end inside the bin: in a short context, where a
    sentence may be longer than a bin, others are tried until the facts fit."""
    for tried in range(_TRIES):
        key = f"{rng_key} {tried}" if tried else rng_key
        if (found := _scattered(haystack, needles, shares, length, key, nested=nested)) is not None:
            return found
    raise too_short(length)


def _scattered(
    haystack: Haystack, needles: Sequence[Needle], shares: Sequence[int], length: int, rng_key: str, *, nested: bool
) -> NeedleContext | None:
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
            return None
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
    own tokens."""
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
    heading may be between two."""
    inside: list[int] = []
    others: list[int] = []
    for place in rng.sample(places, len(places)):
        (inside if haystack.inside_paragraph(place) else others).append(place)
        if len(inside) == count:
            break
    chosen = (inside + others)[:count]
    return sorted(chosen[number % len(chosen)] for number in range(count)) if chosen else []
