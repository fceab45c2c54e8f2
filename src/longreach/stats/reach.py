"""How far a model reaches: effective length, and the length up to which it holds its own level."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from longreach.core.estimate import EffectiveLength, Estimate
from longreach.errors import BadInput

from .intervals import Floats, Sample, contrast, mean_estimate

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

    Accuracy is assumed not to rise with length: a dip that longer lengths contradict is smoothed unless it is clear
    (its whole interval below the threshold). The interval's upper end is where a length's own interval lies below the
    threshold, its lower end the longest length whose own interval lies above it."""
    _check(by_length, threshold, "effective length")
    found = {length: mean_estimate(sample) if len(sample) else None for length, sample in by_length.items()}
    bar = chance + threshold * (1 - chance)
    levels = {
        length: Estimate(value=each.value - bar, low=each.low - bar, high=each.high - bar, n=each.n) if each else None
        for length, each in found.items()
    }
    first = found[min(found)]
    return _frontier(levels, base=first.value if first else None, share=threshold)


def keeps_level(
    by_length: Mapping[float, Sample], *, chance: float = 0.0, share: float = THRESHOLD
) -> EffectiveLength | None:
    """The longest tested length that holds `share` of the model's own score at the shortest, both corrected for chance;
    None for a model that is not clearly better than chance there."""
    _check(by_length, share, "level")
    lengths = sorted(by_length)
    start = by_length[lengths[0]]
    if not len(start):
        return None
    base = mean_estimate(start)
    if base.low <= chance or base.value <= 0:
        return None
    # score(L) - chance >= share * (score(shortest) - chance)
    offset = chance * (1 - share)
    levels: dict[float, Estimate | None] = {lengths[0]: Estimate(value=1.0, low=1.0, high=1.0, n=base.n)}
    for length in lengths[1:]:
        own = by_length[length]
        gap = contrast(own, start, share) if len(own) else None
        levels[length] = (
            Estimate(value=gap.value - offset, low=gap.low - offset, high=gap.high - offset, n=gap.n) if gap else None
        )
    return _frontier(levels, base=base.value, share=share)


def _frontier(levels: Mapping[float, Estimate | None], *, base: float | None, share: float) -> EffectiveLength:
    """Where levels (0 is the threshold) stop being held. A length without any result ends what is known."""
    lengths: list[float] = []
    known: list[Estimate] = []
    for length in sorted(levels):
        level = levels[length]
        if level is None:
            break
        lengths.append(length)
        known.append(level)
    if not known:
        return EffectiveLength(length=0.0, low=0.0, high=0.0, base=base, share=share)
    ends = [0.0, *lengths]
    # The tolerance prevents a score equal to the threshold from failing by rounding.
    high = _first_false([level.high >= -1e-12 for level in known])
    sure = [place for place, level in enumerate(known, 1) if level.low >= -1e-12]
    low = min(max(sure, default=0), high)
    smooth = _falling(np.array([level.value for level in known]), np.array([float(level.n) for level in known]))
    point = min(max(_first_false([value >= -1e-12 for value in smooth.tolist()]), low), high)
    return EffectiveLength(length=ends[point], low=ends[low], high=ends[high], base=base, share=share)


def _first_false(held: Sequence[bool]) -> int:
    return next((place for place, holds in enumerate(held) if not holds), len(held))


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
