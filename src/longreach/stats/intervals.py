"""Intervals for everything the report shows, so that no score stands alone.

One cell is a share: Wilson. A mean over many cells is not: questions about one story rise and fall together, so whole
stories are resampled. A bootstrap of few or unanimous stories is far too sure of itself, so the interval of a pooled
mean is the wider of the two.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from longreach.core.estimate import EffectiveLength, Estimate, Sample, Spread
from longreach.errors import BadInput

__all__ = [
    "RESAMPLES",
    "bootstrap_mean",
    "effective_length",
    "paired_difference",
    "pooled_mean",
    "spread",
    "wilson",
]

RESAMPLES = 2000
_Z = 1.959963984540054  # two-sided 95 %
_TAIL = 0.025
_CHUNK = 2_000_000  # weights drawn at once: bounds memory where there are very many clusters
_Floats = NDArray[np.float64]


def wilson(right: float, n: int) -> Estimate:
    """Wilson's 95 % interval of a share; `right` may be fractional where there is partial credit."""
    if n < 1 or not 0 <= right <= n:
        raise BadInput(f"Wilson interval: {right} right of {n} is not a share; give 0 <= right <= n and n >= 1")
    share = right / n
    centre = (share + _Z * _Z / (2 * n)) / (1 + _Z * _Z / n)
    half = _Z * math.sqrt(share * (1 - share) / n + _Z * _Z / (4 * n * n)) / (1 + _Z * _Z / n)
    # At 0 and n the formula gives the bound exactly; rounding must not put the interval beside its value.
    low = 0.0 if right == 0 else max(0.0, centre - half)
    high = 1.0 if right == n else min(1.0, centre + half)
    return Estimate(value=share, low=min(low, share), high=max(high, share), n=n)


def bootstrap_mean(
    values: Sequence[float], clusters: Sequence[str], *, seed: int = 0, resamples: int = RESAMPLES
) -> Estimate:
    """Mean with a percentile interval from resampling whole clusters."""
    means = _resampled_means(values, clusters, np.random.default_rng(seed), resamples)
    low, high = np.quantile(means, [_TAIL, 1 - _TAIL])
    return Estimate(value=float(np.mean(values)), low=float(low), high=float(high), n=len(values))


def pooled_mean(values: Sequence[float], clusters: Sequence[str], *, seed: int = 0) -> Estimate:
    """Mean over many cells: the wider of the clustered bootstrap and Wilson, at each end."""
    by_cluster = bootstrap_mean(values, clusters, seed=seed)
    alone = wilson(min(math.fsum(values), len(values)), len(values))
    value = by_cluster.value
    return Estimate(
        value=value,
        low=min(by_cluster.low, alone.low, value),
        high=max(by_cluster.high, alone.high, value),
        n=len(values),
    )


def paired_difference(
    first: Sequence[float], second: Sequence[float], clusters: Sequence[str] | None = None, *, seed: int = 0
) -> Estimate:
    """Mean of `first - second`, pair by pair.

    The interval is Agresti and Min's (a half added to both kinds of disagreement), which stays honest for few pairs;
    with `clusters` it is widened to the clustered bootstrap where that is wider.
    """
    if not first or len(first) != len(second):
        raise BadInput(f"paired difference: {len(first)} and {len(second)} values; give as many of each, at least one")
    gaps = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    n = len(gaps)
    value = float(gaps.mean())
    better = float(gaps[gaps > 0].sum())
    worse = float(-gaps[gaps < 0].sum())
    centre = (better - worse) / (n + 2)
    half = _Z * math.sqrt(max(0.0, better + worse + 1 - (better - worse) ** 2 / (n + 2))) / (n + 2)
    low, high = max(-1.0, centre - half), min(1.0, centre + half)
    if clusters is not None:
        by_cluster = bootstrap_mean(gaps.tolist(), clusters, seed=seed)
        low, high = min(low, by_cluster.low), max(high, by_cluster.high)
    return Estimate(value=value, low=min(low, value), high=max(high, value), n=n)


def effective_length(
    samples: Mapping[float, Sample], share: float = 0.85, *, seed: int = 0, resamples: int = RESAMPLES
) -> EffectiveLength:
    """The longest length at which, and at every shorter one, the score is at least `share` of that at the shortest.

    A length where less than half of what was asked could be scored does not count as held: there is no telling. The
    interval resamples clusters within each length.
    """
    if not samples:
        raise BadInput("effective length: no length was tested; give at least one")
    if not 0 < share <= 1:
        raise BadInput(f"effective length: threshold {share} is not a share; give a number above 0 and up to 1")
    lengths = sorted(samples)
    rng = np.random.default_rng(seed)
    observed: list[_Floats] = []
    drawn: list[_Floats] = []
    for length in lengths:
        sample = samples[length]
        if not sample.values or 2 * len(sample.values) < sample.asked:
            observed.append(np.array([np.nan]))
            drawn.append(np.full(resamples, np.nan))
            continue
        observed.append(np.array([np.mean(sample.values)]))
        drawn.append(_resampled_means(sample.values, sample.clusters, rng, resamples))
    reached = _held_to(lengths, np.stack(drawn), share)
    length = float(_held_to(lengths, np.stack(observed), share)[0])
    low = float(np.quantile(reached, _TAIL, method="lower"))
    high = float(np.quantile(reached, 1 - _TAIL, method="higher"))
    base = float(observed[0][0])
    return EffectiveLength(
        length=length,
        low=min(low, length),
        high=max(high, length),
        base=None if math.isnan(base) else base,
        share=share,
    )


def spread(groups: Mapping[str, Sample], *, seed: int = 0) -> Spread | None:
    """Best minus worst group, the two as observed; None with fewer than two groups that have scores."""
    scored = {name: sample for name, sample in groups.items() if sample.values}
    if len(scored) < 2:
        return None
    means = {name: float(np.mean(sample.values)) for name, sample in scored.items()}
    best = max(means, key=lambda name: means[name])
    worst = min(means, key=lambda name: means[name])
    rng = np.random.default_rng(seed)
    high_end = _resampled_means(scored[best].values, scored[best].clusters, rng, RESAMPLES)
    low_end = _resampled_means(scored[worst].values, scored[worst].clusters, rng, RESAMPLES)
    low, high = (float(end) for end in np.quantile(high_end - low_end, [_TAIL, 1 - _TAIL]))
    value = means[best] - means[worst]
    n = len(scored[best].values) + len(scored[worst].values)
    # Unanimous groups leave the bootstrap no doubt at all; Newcombe's interval from the two Wilson ones has some.
    top, bottom = (
        wilson(min(math.fsum(scored[name].values), len(scored[name].values)), len(scored[name].values))
        for name in (best, worst)
    )
    low = min(low, value - math.hypot(top.value - top.low, bottom.high - bottom.value))
    high = max(high, min(1.0, value + math.hypot(top.high - top.value, bottom.value - bottom.low)))
    return Spread(
        best=best, worst=worst, difference=Estimate(value=value, low=min(low, value), high=max(high, value), n=n)
    )


def _held_to(lengths: Sequence[float], means: _Floats, share: float) -> _Floats:
    """For each column of `means` (lengths x resamples), the longest length held, or 0. NaN never holds."""
    # The allowance keeps a score that equals the bar from failing it by rounding.
    above = means >= share * means[0] - 1e-12
    above[0] &= means[0] > 0
    steps = np.logical_and.accumulate(above, axis=0).sum(axis=0)
    reached: _Floats = np.array([0.0, *lengths])[steps]
    return reached


def _resampled_means(
    values: Sequence[float], clusters: Sequence[str], rng: np.random.Generator, resamples: int
) -> _Floats:
    """Means of `resamples` draws of whole clusters with replacement."""
    if not values or len(values) != len(clusters):
        raise BadInput(f"bootstrap: {len(values)} values in {len(clusters)} clusters; give one cluster for each value")
    _, which = np.unique(np.asarray(clusters), return_inverse=True)
    sizes = np.bincount(which).astype(np.float64)
    sums = np.bincount(which, weights=np.asarray(values, dtype=np.float64))
    count = len(sizes)
    means = np.empty(resamples)
    step = max(1, _CHUNK // count)
    for start in range(0, resamples, step):
        rows = min(step, resamples - start)
        weights = rng.multinomial(count, np.full(count, 1 / count), size=rows)
        means[start : start + rows] = (weights @ sums) / (weights @ sizes)
    return means
