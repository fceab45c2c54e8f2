"""Confidence intervals for every number shown.

One method for all of them. Answers to one question, and answers over one context, are correlated, so the variance of a
mean is computed over questions and contexts (two-way clustered, within each length), not over answers. The variance
gives the effective number of independent answers, and Wilson's interval of a share is taken at that number with
Student's quantile. If nearly all answers agree, the data cannot show the correlation; then a moderate one is assumed
instead of none.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from longreach.core.types import Estimate, Spread
from longreach.errors import BadInput

_Z = 1.959963984540054  # two-sided 95 %
POWERED = 0.8416212335729143
"""Standard errors beyond a threshold that 80 % of runs reach."""
_ENOUGH_GROUPS = 5
"""With fewer sets, documents or books than this, their own variance is not usable."""
_CLEARLY = 1.5
"""Their variance counts only if it is this much larger than that of questions and contexts: with few groups it is
noisy."""
_SHARED = (0.3, 0.1)
"""Assumed correlation of answers to one question, and over one context, if the answers themselves cannot show it."""
_SHOWING = 3.0
"""How many answers of the rarer kind weigh as much as that assumption."""
_PARTIAL = 0.3
"""Assumed variance of partial credit, as a share of that of right-or-wrong answers with the same mean."""
_SPARSE = 1000
"""Codes up to this are counted as they are; renumbering them takes longer."""
_PARTIAL_GAP = 0.02
"""Assumed variance of one difference in partial credit."""
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Sample:
    """Scores with their clusters: one code per value for its question, its context and its larger groups."""

    values: Floats
    question: Ints
    context: Ints
    groups: tuple[Ints, ...] = ()
    """Fact set, document, story, book: each groups several questions."""
    strata: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    """Lengths: fixed by design, so differences between them are no uncertainty."""

    @classmethod
    def of(
        cls,
        values: Iterable[float],
        questions: Iterable[Hashable] | None = None,
        contexts: Iterable[Hashable] | None = None,
        groups: Sequence[Iterable[Hashable]] = (),
        strata: Iterable[Hashable] | None = None,
    ) -> Sample:
        """From labels; without questions or contexts every value is its own cluster."""
        numbers = np.fromiter(values, dtype=np.float64)
        alone = np.arange(len(numbers), dtype=np.int64)
        made = cls(
            values=numbers,
            question=alone if questions is None else codes(questions),
            context=alone if contexts is None else codes(contexts),
            groups=tuple(codes(group) for group in groups),
            strata=np.zeros(len(numbers), dtype=np.int64) if strata is None else codes(strata),
        )
        for labels in (made.question, made.context, *made.groups, made.strata):
            if len(labels) != len(numbers):
                raise BadInput(f"sample: {len(numbers)} values but {len(labels)} labels; give one label per value")
        return made

    def __len__(self) -> int:
        return len(self.values)

    def at(self, places: Ints) -> Sample:
        """Some of the values; codes are unchanged, so that parts of one sample can be compared."""
        groups = tuple(group[places] for group in self.groups)
        return Sample(self.values[places], self.question[places], self.context[places], groups, self.strata[places])

    @cached_property
    def variance(self) -> tuple[float, float]:
        """`clustered_variance`, computed once: an interval and a correlation both need it."""
        return clustered_variance(self)

    def with_values(self, values: Floats) -> Sample:
        """The same clusters with other values."""
        return Sample(values, self.question, self.context, self.groups, self.strata)


def joined(samples: Sequence[Sample]) -> Sample:
    """Parts of one sample together."""
    values, question, context, strata = (
        np.concatenate([getattr(each, name) for each in samples])
        for name in ("values", "question", "context", "strata")
    )
    groups = zip(*(each.groups for each in samples), strict=True)
    return Sample(values, question, context, tuple(np.concatenate(group) for group in groups), strata)


def codes(labels: Iterable[Hashable]) -> Ints:
    """Labels as small numbers, in order of appearance."""
    known: dict[Hashable, int] = {}
    return np.fromiter((known.setdefault(label, len(known)) for label in labels), dtype=np.int64)


def student(df: float, confidence: float = 0.95) -> float:
    """Two-sided quantile of Student's t."""
    upper = (1 + confidence) / 2
    if df >= 3:
        z, g = _Z if confidence == 0.95 else NormalDist().inv_cdf(upper), 1 / df
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
            (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160,
        )
        return z + sum(term * g**power for power, term in enumerate(terms, 1))
    one, two = math.tan(math.pi * (upper - 0.5)), (2 * upper - 1) / math.sqrt(2 * upper * (1 - upper))
    logs = [math.log(t) for t in (student(3.0, confidence), two, one)]
    return math.exp(float(np.interp(1 / max(df, 1.0), [1 / 3, 1 / 2, 1], logs)))


def wilson(right: float, n: int) -> Estimate:
    """Wilson's 95 % CI of a share of independent answers; `right` may be fractional (partial credit)."""
    if n < 1 or not 0 <= right <= n:
        raise BadInput(f"Wilson interval: {right} right of {n} is not a share; give 0 <= right <= n and n >= 1")
    low, high = _wilson_ends(right / n, n, _Z)
    return Estimate(value=right / n, low=min(low, right / n), high=max(high, right / n), n=n)


def _wilson_ends(share: float, n: float, quantile: float) -> tuple[float, float]:
    """`n` may be fractional if answers are worth less than independent ones."""
    q = quantile * quantile
    centre = (share + q / (2 * n)) / (1 + q / n)
    half = quantile * math.sqrt(share * (1 - share) / n + q / (4 * n * n)) / (1 + q / n)
    # At 0 and n the formula gives the bound exactly; rounding must not exclude the value from its interval.
    return (0.0 if share == 0 else max(0.0, centre - half)), (1.0 if share == 1 else min(1.0, centre + half))


def mean_estimate(sample: Sample, weights: Floats | None = None) -> Estimate:
    """Mean score with its 95 % confidence interval over questions and contexts of this kind. `weights` have a mean of
    1."""
    n = len(sample)
    if n == 0:
        raise BadInput("interval: there is no value to take a mean of")
    share = _share(sample, weights)
    worth, quantile = effective_sample(sample, weights)
    low, high = _wilson_ends(share, worth, quantile)
    return Estimate(value=share, low=min(low, share), high=max(high, share), n=n)


def effective_sample(sample: Sample, weights: Floats | None = None) -> tuple[float, float]:
    """The effective number of independent right-or-wrong answers in a sample, and the quantile for its interval."""
    n = len(sample)
    share = _share(sample, weights)
    spread_ = share * (1 - share)
    assumed = _assumed_design(sample)
    if spread_ <= 0:
        return max(1.0, n / assumed), _Z
    fractional = float(np.mean((sample.values > 0) & (sample.values < 1)))
    weighted = sample if weights is None else sample.with_values(sample.values * weights)
    variance, df = weighted.variance
    weight = _weight(n * spread_ + n * fractional)
    prior = assumed * spread_ * (1 - fractional + fractional * _PARTIAL) / n
    combined = weight * variance + (1 - weight) * prior
    floor = spread_ / n if fractional == 0 else 0.0
    return max(1.0, spread_ / max(combined, floor)), student(df / weight)


def _share(sample: Sample, weights: Floats | None) -> float:
    values = sample.values if weights is None else sample.values * weights
    return float(min(1.0, max(0.0, values.mean())))


def clustered_variance(sample: Sample) -> tuple[float, float]:
    """Variance of the mean, two-way clustered by question and context within each stratum, and its degrees of freedom.
    Larger groups (fact sets, documents) replace it where their own variance is larger."""
    residuals = _centred(sample) / len(sample)
    alone = bool((sample.context == sample.context[0]).all())  # one context, as in a cell of a map
    pair = sample.question if alone else _pairs(sample.question, sample.context)
    # Squared, as in a jackknife: few questions of very unequal difficulty are the usual case.
    by_question = _one_way(residuals, sample.question, sample.strata, power=2)
    by_context = None if alone else _one_way(residuals, sample.context, sample.strata)
    both = _one_way(residuals, pair, sample.strata) or (0.0, float(len(sample) - 1))
    found = [part for part in (by_question, by_context) if part is not None]
    if not found:
        return both
    total = sum(part[0] for part in found) - (both[0] if len(found) == 2 else 0.0)
    if total <= both[0]:
        best = both
    else:
        spread_ = sum(part[0] ** 2 / part[1] for part in (*found, both))
        best = total, max(min(part[1] for part in found), total**2 / max(1e-300, spread_))
    for group in sample.groups:
        if len(_sizes(group)) >= _ENOUGH_GROUPS:
            one = _one_way(residuals, group, sample.strata)
            if one is not None and one[0] > _CLEARLY * best[0]:
                best = one
    return best


def _one_way(residuals: Floats, clusters: Ints, strata: Ints, power: int = 1) -> tuple[float, float] | None:
    """Variance from cluster sums; None if no stratum has two clusters."""
    sums: Floats = np.bincount(clusters, weights=residuals).astype(np.float64, copy=False)
    if strata[0] == strata[-1] and (strata == strata[0]).all():
        return _from_sums(sums, int(np.count_nonzero(np.bincount(clusters))), power)
    first = np.full(len(sums), -1, dtype=np.int64)
    first[clusters[::-1]] = strata[::-1]
    nested = bool((first[clusters] == strata).all())
    occurs = first >= 0
    sums, first, count = sums[occurs], first[occurs], int(np.count_nonzero(occurs))
    if not nested:
        return _from_sums(sums, count, power)
    sizes = np.bincount(first)
    squares = np.bincount(first, weights=sums**2)
    several = sizes > 1
    if not several.any():
        return None
    factor = (sizes[several] / (sizes[several] - 1)) ** power
    return float((squares[several] * factor).sum()), float((sizes[several] - 1).sum())


def _from_sums(sums: Floats, count: int, power: int) -> tuple[float, float] | None:
    """The same for clusters of one stratum, or across strata."""
    return (float(sums @ sums) * (count / (count - 1)) ** power, float(count - 1)) if count > 1 else None


def _sizes(labels: Ints) -> Ints:
    """How often each label that occurs does: as `np.unique`, without sorting."""
    counted = np.bincount(labels)
    return counted[counted > 0]


def _pairs(first: Ints, second: Ints) -> Ints:
    """One code per combination of two."""
    both: Ints = first * (int(second.max(initial=0)) + 1) + second
    if both.max(initial=0) > _SPARSE + 2 * len(both):
        both = np.unique(both, return_inverse=True)[1]
    return both


def _centred(sample: Sample) -> Floats:
    sizes = np.bincount(sample.strata)
    means = np.bincount(sample.strata, weights=sample.values) / np.maximum(1, sizes)
    return np.asarray(sample.values - means[sample.strata])


def _assumed_design(sample: Sample) -> float:
    """How much wider than for independent answers, under the assumed correlations."""
    n = len(sample)
    lengths = len(_sizes(sample.strata))
    design = 1.0
    for labels, shared in zip((sample.question, sample.context), _SHARED, strict=True):
        sizes = _sizes(labels)
        if len(sizes) <= lengths and n > lengths:
            continue  # one per length: the interval covers these, not all of their kind
        design += shared * (float((sizes.astype(np.float64) ** 2).sum()) / n - 1)
    return design


def _weight(information: float) -> float:
    return information / (information + _SHOWING)


@dataclass(frozen=True)
class _Differences:
    """What paired differences show: their mean, their spread, and how many independent pairs they are worth."""

    value: float
    square: float
    apart: float
    """Share of pairs that differ."""
    partial: float
    """0: right against wrong; near 1: small steps."""
    combined: float
    """Variance of the mean."""
    worth: float
    df: float
    """Degrees of freedom of that variance; infinite if no pair differs."""

    @classmethod
    def of(cls, gaps: Sample) -> _Differences:
        n = len(gaps)
        size = np.abs(gaps.values)
        value, square = float(gaps.values.mean()), float((size**2).mean())
        apart = float(np.mean(size > 0))
        partial = max(0.0, 1 - square / float(size.mean())) if apart else 0.0
        alone = max(square - value * value, 0.0)
        assumed = _assumed_design(gaps)
        variance, df = clustered_variance(gaps)
        weight = _weight(n * apart)
        prior = assumed * ((1 - partial) * alone + partial * _PARTIAL_GAP) / n
        combined = max(weight * variance + (1 - weight) * prior, alone / n)
        worth = alone / combined if alone > 0 else n / assumed
        worth = worth if partial else max(1.0, worth)
        return cls(value, square, apart, partial, combined, worth, df / weight if weight else math.inf)

    @property
    def alone(self) -> float:
        """Variance of one difference."""
        return max(self.square - self.value * self.value, 0.0)


def difference_estimate(gaps: Sample, confidence: float = 0.95) -> Estimate:
    """Mean of paired differences (between -1 and 1) with its interval: Agresti and Min's for matched pairs, at the
    effective number of independent pairs; Student's as far as the differences are partial credit."""
    if not len(gaps):
        raise BadInput("paired difference: there is no pair; give at least one")
    seen = _Differences.of(gaps)
    value, worth, partial = seen.value, seen.worth, seen.partial
    # Half of the usual pseudo-count, added to both kinds of disagreement, prevents certainty from few or one-sided
    # pairs; partial credit shows its own spread.
    pseudo = 2 * (1 - partial)
    added = (seen.square / seen.apart if seen.apart else 1.0) * pseudo / 2
    centre = value * worth / (worth + pseudo)
    within = seen.combined * worth**2 if partial else seen.alone * worth
    between = worth * value**2 - (value * worth) ** 2 / (worth + pseudo)
    half = student(seen.df, confidence) * math.sqrt(within + between + added) / (worth + pseudo)
    low, high = max(-1.0, centre - half), min(1.0, centre + half)
    return Estimate(value=value, low=min(low, value), high=max(high, value), n=len(gaps))


def smallest_drop(gaps: Sample, margin: float = 0.0, confidence: float = 0.95) -> float:
    """The smallest drop that 80 % of such runs show to be beyond `margin`; at most 1. Beside what the pairs vary by
    now, those that are lost vary too."""
    seen = _Differences.of(gaps)
    needed = student(seen.df, confidence) + POWERED
    low, high = margin, 1.0
    for _ in range(40):
        drop = (low + high) / 2
        spread_ = seen.combined + (1 - seen.partial) * drop * (1 - drop) / seen.worth
        low, high = (low, drop) if drop - margin >= needed * math.sqrt(spread_) else (drop, high)
    return high


def paired_difference(first: Sequence[float], second: Sequence[float], places: Sample | None = None) -> Estimate:
    """Mean of `first - second`, pair by pair; `places` holds the pairs' clusters."""
    if not first or len(first) != len(second):
        raise BadInput(f"paired difference: {len(first)} and {len(second)} values; give as many of each, at least one")
    gaps = np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)
    return difference_estimate(places.with_values(gaps) if places is not None else Sample.of(gaps.tolist()))


def contrast(first: Sample, second: Sample, factor: float = 1.0) -> Estimate:
    """`first` less `factor` times `second`: both intervals combined (Newcombe) with the correlation that shared
    questions and contexts cause; the codes of both must come from one sample."""
    top, bottom = mean_estimate(first), mean_estimate(second)
    value = top.value - factor * bottom.value
    shared = _correlation(first, second)
    falls = top.value - top.low, factor * (bottom.high - bottom.value)
    rises = top.high - top.value, factor * (bottom.value - bottom.low)
    below, above = (math.sqrt(max(0.0, a * a + b * b - 2 * shared * a * b)) for a, b in (falls, rises))
    return Estimate(value=value, low=value - below, high=value + above, n=top.n + bottom.n)


def balanced_mean(sample: Sample, side: Ints) -> Estimate:
    """The mean of the means of two sides (0 and 1), each with the same weight: balanced accuracy."""
    sizes = np.bincount(side)
    parted = replace(sample, strata=2 * sample.strata + side)
    return mean_estimate(parted, len(sample) / (2 * sizes[side]))


def _correlation(first: Sample, second: Sample) -> float:
    """Correlation of two means, from the questions and contexts that both have."""
    alone = first.variance[0], second.variance[0]
    if min(alone) <= 0:
        return 0.0
    residuals = np.concatenate((_centred(first) / len(first), _centred(second) / len(second)))
    sides = np.concatenate((np.zeros(len(first), dtype=np.int64), np.ones(len(second), dtype=np.int64)))
    question = np.concatenate((first.question, second.question))
    context = np.concatenate((first.context, second.context))
    pair = _pairs(question, context)
    shared = sum(sign * _covariance(residuals, sides, by) for sign, by in ((1, question), (1, context), (-1, pair)))
    return min(0.95, max(-0.95, shared / math.sqrt(alone[0] * alone[1])))


def _covariance(residuals: Floats, sides: Ints, clusters: Ints) -> float:
    """Covariance of the cluster sums of both sides."""
    sums = [np.bincount(clusters, weights=residuals * (sides == side)) for side in (0, 1)]
    met = int(((np.bincount(clusters, weights=sides) > 0) & (np.bincount(clusters, weights=1 - sides) > 0)).sum())
    return float((sums[0] * sums[1]).sum()) * met / (met - 1) if met > 1 else 0.0


def spread(sample: Sample, names: Sequence[str]) -> Spread | None:
    """Best minus worst of several groups (one name per value), as observed; None with fewer than two groups. These two
    were chosen for being extreme: the lower end is as far away as it must be for any of the possible pairs."""
    groups = np.array(names)
    parts = {name: sample.at(np.flatnonzero(groups == name)) for name in dict.fromkeys(names)}
    if len(parts) < 2:
        return None
    best = max(parts, key=lambda name: parts[name].values.mean())
    worst = min(parts, key=lambda name: parts[name].values.mean())
    gap = contrast(parts[best], parts[worst])
    wider = NormalDist().inv_cdf(1 - 0.025 / math.comb(len(parts), 2)) / _Z
    low, high = gap.value - wider * (gap.value - gap.low), min(1.0, gap.high)
    return Spread(best=best, worst=worst, difference=gap.model_copy(update={"low": max(-1.0, low), "high": high}))
