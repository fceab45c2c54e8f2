"""How far a model reaches: effective length, and the length up to which it holds its own level."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile
from statistics import NormalDist

import numpy as np

from longreach.core.estimate import EffectiveLength, Estimate
from longreach.errors import BadInput

from .intervals import Floats, Sample, contrast, joined, mean_estimate

__all__ = ["THRESHOLD", "corrected", "effective_length", "keeps_level"]

THRESHOLD = 0.85
"""Delivered accuracy, corrected for chance, that counts as reliable."""


def corrected(estimate: Estimate, chance: float) -> Estimate:
    """Accuracy corrected for chance: 0 is guessing, 1 everything right."""
    low, value, high = ((end - chance) / (1 - chance) for end in (estimate.low, estimate.value, estimate.high))
    return Estimate(value=value, low=low, high=high, n=estimate.n)


def effective_length(
    by_length: Mapping[float, Sample], *, chance: float = 0.0, threshold: float = THRESHOLD
) -> EffectiveLength:
    """The longest tested length up to which accuracy, corrected for chance, stays at or above `threshold`.

    Accuracy is assumed not to rise with length: a dip that longer lengths contradict is smoothed unless it is clear.
    The interval ends before the first length that is clearly below the threshold, and starts at the longest that is
    clearly above it. The samples must be parts of one sample."""
    _check(by_length, threshold, "effective length")
    bar = chance + threshold * (1 - chance)
    known = _known(by_length)
    places = _frontier(known, lambda sample: _above(mean_estimate(sample), bar))
    base = mean_estimate(known[0]).value if known else None
    return _reach((0.0, *sorted(by_length)), places, base, threshold)


def keeps_level(
    by_length: Mapping[float, Sample], *, chance: float = 0.0, share: float = THRESHOLD
) -> EffectiveLength | None:
    """The longest tested length that holds `share` of the model's own score at the shortest, both corrected for chance;
    None for a model that is not clearly better than chance there."""
    _check(by_length, share, "level")
    known = _known(by_length)
    base = mean_estimate(known[0]) if known else None
    if base is None or base.low <= chance or base.value <= 0:
        return None
    # score(L) - chance >= share * (score(shortest) - chance)
    offset = chance * (1 - share)
    places = _frontier(known[1:], lambda sample: _above(contrast(sample, known[0], share), offset))
    return _reach(sorted(by_length), places, base.value, share)


def _known(by_length: Mapping[float, Sample]) -> list[Sample]:
    """Samples in order of length; a length without any result ends what is known."""
    return list(takewhile(len, (by_length[length] for length in sorted(by_length))))


def _above(estimate: Estimate, bar: float) -> Estimate:
    return Estimate(value=estimate.value - bar, low=estimate.low - bar, high=estimate.high - bar, n=estimate.n)


def _reach(ends: Sequence[float], places: tuple[int, int, int], base: float | None, share: float) -> EffectiveLength:
    low, point, high = (ends[place] for place in places)
    return EffectiveLength(length=point, low=low, high=high, base=base, share=share)


def _frontier(known: Sequence[Sample], level: Callable[[Sample], Estimate]) -> tuple[int, int, int]:
    """How many lengths hold a level (0 is the threshold): at least, the best guess, at most.

    Of several lengths one may be clearly below or above by chance. Being above counts if the mean with any number of
    shorter lengths is clearly above too; likewise being below, with longer lengths, unless the length alone is below
    with an interval wide enough for that many lengths: a dip."""
    if not known:
        return 0, 0, 0
    count = len(known)
    levels = [level(sample) for sample in known]
    wider = NormalDist().inv_cdf(1 - 0.025 / count) / NormalDist().inv_cdf(0.975)

    # The tolerance prevents a score equal to the threshold from failing by rounding.
    def above(first: int, end: int) -> bool:
        return level(joined(known[first:end])).low >= -1e-12

    def below(first: int, end: int) -> bool:
        return level(joined(known[first:end])).high < -1e-12

    def dips(own: Estimate) -> bool:
        return own.value + wider * (own.high - own.value) < -1e-12

    ends = (n for n in range(count) if dips(levels[n]) or all(below(n, end) for end in range(n + 1, count + 1)))
    high = next(ends, count)
    holds = (n for n in range(count, 0, -1) if all(above(first, n) for first in range(n - 1, -1, -1)))
    low = min(next(holds, 0), high)
    smooth = _falling(np.array([each.value for each in levels]), np.array([float(each.n) for each in levels]))
    point = int((smooth >= -1e-12).sum())
    return low, min(max(point, low), high), high


def _falling(values: Floats, weights: Floats) -> Floats:
    """The nearest sequence that never rises (pool adjacent violators)."""
    blocks: list[list[float]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            later = blocks.pop()
            before = blocks[-1]
            whole = before[1] + later[1]
            before[0] = (before[0] * before[1] + later[0] * later[1]) / whole
            before[1], before[2] = whole, before[2] + later[2]
    return np.concatenate([np.full(int(size), value) for value, _, size in blocks])


def _check(by_length: Mapping[float, Sample], threshold: float, what: str) -> None:
    if not by_length:
        raise BadInput(f"{what}: no length was tested; give at least one")
    if not 0 < threshold <= 1 or math.isnan(threshold):
        raise BadInput(f"{what}: threshold {threshold} is not a share; give a number above 0 and up to 1")
