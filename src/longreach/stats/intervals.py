"""Confidence intervals for every number shown.

One method for all of them. Answers to one question, and answers over one context, are alike, so that 100 answers carry
the information of fewer independent ones. How alike they are is estimated from the run itself, all lengths of a model
and question type together (`Correlations`); where nearly all answers agree, a run cannot show it, and what was measured
on real models is assumed instead. The correlations give the design effect, that the effective number of independent
answers, and Wilson's interval of a share is taken at that number with Student's quantile. Fewer than five contexts have
no interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, wraps
from statistics import NormalDist
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from longreach.core.formatting import count
from longreach.core.types import Estimate, Spread
from longreach.errors import BadInput

_Z = 1.959963984540054  # two-sided 95 %
_CONFIDENCE = 0.95
POWERED = 0.8416212335729143
"""Standard errors beyond a threshold that 80 % of runs reach."""
FEWEST_CONTEXTS, FEWEST_ANSWERS = 5, 20.0
"""With fewer contexts, or fewer effective answers per length, nothing is claimed."""
_USUAL = (0.3, 0.55, 0.7, 0.0)
"""Correlations where a run shows none: of answers to one question, over one context, to one question over one context
(under two prompts), and in one larger group. Measured: docs/validity.md."""
_SHOWING = (3.0, 1.0, 1.0, 5.0)
"""How many clusters of evenly right and wrong answers weigh as much as those."""
_PARTIAL = 0.3
"""Assumed variance of partial credit, as a share of that of right-or-wrong answers with the same mean."""
_PARTIAL_GAP = 0.02
"""Assumed variance of one difference in partial credit."""
_SPARSE = 1000
"""Codes up to this are counted as they are; renumbering them takes longer."""
_SMALL, _REMEMBERED = 256, 10_000
"""Numbers of so many samples are kept, if they have no more values than this."""
_OWN = ("values", "question", "context", "strata")
"""What a sample has for each value."""
T = TypeVar("T")
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
    run: Correlations | None = None
    """Those of the whole run that it is a part of; None: its own."""
    repeated: Ints | None = None
    """One code per item and question, where some were asked several times: an interval is about their means."""

    @classmethod
    def of(
        cls,
        values: Iterable[float],
        questions: Iterable[Hashable] | None = None,
        contexts: Iterable[Hashable] | None = None,
        groups: Sequence[Iterable[Hashable]] = (),
        strata: Iterable[Hashable] | None = None,
        repeated: Iterable[Hashable] | None = None,
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
            repeated=None if repeated is None else codes(repeated),
        )
        for labels in (made.question, made.context, *made.groups, made.strata):
            if len(labels) != len(numbers):
                raise BadInput(f"sample: {len(numbers)} values but {len(labels)} labels; give one label per value")
        return made

    def __len__(self) -> int:
        return len(self.values)

    def at(self, places: Ints) -> Sample:
        """Some of the values; codes are unchanged, so that parts of one sample can be compared."""
        repeated = None if self.repeated is None else self.repeated[places]
        groups = tuple(group[places] for group in self.groups)
        own: dict[str, Any] = {name: getattr(self, name)[places] for name in _OWN}
        return replace(self, **own, groups=groups, repeated=repeated)

    @cached_property
    def per_item(self) -> Sample:
        """The same with one value per item and question, the mean of its repeats: they are no independent answers."""
        if self.repeated is None:
            return self
        _, first, which, sizes = np.unique(self.repeated, return_index=True, return_inverse=True, return_counts=True)
        return replace(self.at(first), values=np.bincount(which, weights=self.values) / sizes, repeated=None)

    def pooled(self) -> Sample:
        return replace(self, run=Correlations.of(self))

    @cached_property
    def contexts(self) -> int:
        return len(_sizes(self.context))

    @cached_property
    def variance(self) -> tuple[float, float]:
        return (self.run or Correlations.of(self)).variance(self)

    @cached_property
    def sharing(self) -> tuple[_Pairs, ...]:
        """Pairs with the same question (about different contexts), the same context, both, the same larger group."""
        n, lengths = len(self), len(_sizes(self.strata))
        both = _pairs(self.question, self.context)

        def pairs(labels: Ints, *less: Ints) -> _Pairs:
            first = np.zeros(int(labels.max(initial=0)) + 1, dtype=np.int64)
            first[labels] = self.strata
            nested = bool((first[labels] == self.strata).all())
            each = len(_sizes(labels)) if nested else len(_sizes(_pairs(labels, self.strata)))
            return _Pairs(labels, less, nested, fixed=each <= lengths and n > lengths)

        found = [pairs(self.question, both), pairs(self.context, both), pairs(both)]
        group = next((each for each in self.groups if FEWEST_CONTEXTS <= len(_sizes(each)) < n), None)
        if group is None:
            return (*found, _Pairs(None, (), False, True))
        inner = self.question, self.context
        # A question or context inside one group shares it: those pairs are counted above.
        return (*found, _Pairs(group, tuple(_pairs(group, each) for each in inner), False, False))

    @cached_property
    def evenness(self) -> Floats:
        """For each value 1 where half of the answers of its length are right, 0 where all or none are."""
        share = np.clip(np.abs(_means(self.values, self.strata)), 0, 1)
        return np.asarray(4 * share * (1 - share))

    @cached_property
    def centred(self) -> Floats:
        return np.asarray(self.values - _means(self.values, self.strata))

    @cached_property
    def deviations(self) -> Floats:
        """For each value the standard deviation of its length."""
        sizes = np.bincount(self.strata)[self.strata]
        return np.sqrt(_means(self.centred**2, self.strata) * sizes / np.maximum(1, sizes - 1))

    @cached_property
    def key(self) -> Hashable:
        """Equal for samples with the same values in the same clusters."""
        arrays = *(getattr(self, name) for name in _OWN), *self.groups, self.repeated
        return self.run, len(self.groups), *(None if each is None else each.tobytes() for each in arrays)

    def with_values(self, values: Floats) -> Sample:
        return replace(self, values=values, run=None)


def _remembered(function: Callable[[Sample], T]) -> Callable[[Sample], T]:
    """The same number for small samples alike: many models answer the same few questions with the same result."""
    known: dict[Hashable, T] = {}

    @wraps(function)
    def found(sample: Sample) -> T:
        if len(sample) > _SMALL:
            return function(sample)
        if sample.key not in known:
            if len(known) >= _REMEMBERED:
                known.clear()
            known[sample.key] = function(sample)
        return known[sample.key]

    return found


def joined(samples: Sequence[Sample]) -> Sample:
    own: dict[str, Any] = {name: np.concatenate([getattr(each, name) for each in samples]) for name in _OWN}
    repeats = [each.repeated for each in samples if each.repeated is not None]
    groups = tuple(map(np.concatenate, zip(*(each.groups for each in samples), strict=True)))
    return replace(samples[0], **own, groups=groups, repeated=np.concatenate(repeats) if repeats else None)


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


def too_few(contexts: int) -> str:
    """'too few: 3 contexts'; empty if there are enough."""
    return "" if contexts >= FEWEST_CONTEXTS else f"too few: {count(contexts, 'context')}"


def claimed(estimate: Estimate, contexts: int, least: float = 0.0) -> Estimate:
    """An estimate about all contexts of this kind: without an interval if there are too few of them. `least` is the
    lowest possible value."""
    few = too_few(contexts)
    return estimate.model_copy(update={"low": least, "high": 1.0, "few": few}) if few else estimate


def mean_estimate(sample: Sample, weights: Floats | None = None) -> Estimate:
    """Mean score with its 95 % confidence interval over questions and contexts of this kind; about one context, over
    questions about it. `weights` have a mean of 1."""
    if not len(sample):
        raise BadInput("interval: there is no value to take a mean of")
    return _plain_mean(sample) if weights is None else _mean_estimate(sample, weights)


@_remembered
def _plain_mean(sample: Sample) -> Estimate:
    return _mean_estimate(sample, None)


def _mean_estimate(sample: Sample, weights: Floats | None) -> Estimate:
    sample, weights = _per_item(sample, weights)
    n = len(sample)
    share = _share(sample, weights)
    worth, quantile = effective_sample(sample, weights)
    low, high = _wilson_ends(share, worth, quantile)
    found = Estimate(value=share, low=min(low, share), high=max(high, share), n=n)
    return claimed(found, sample.contexts) if sample.contexts > 1 else found


def effective_sample(sample: Sample, weights: Floats | None = None) -> tuple[float, float]:
    """The effective number of independent right-or-wrong answers in a sample, and the quantile for its interval."""
    sample, weights = _per_item(sample, weights)
    n = len(sample)
    share = _share(sample, weights)
    run = sample.run or Correlations.of(sample)
    variance, df = run.variance(sample, weights)
    if share * (1 - share) <= 0 or variance <= 0:
        return max(1.0, n / run.design(sample, weights)), student(df)
    fractional = float(np.mean((sample.values > 0) & (sample.values < 1)))
    if fractional:  # few values in between do not show how they vary
        weight = n * fractional / (n * fractional + _SHOWING[0])
        usual = share * (1 - share) * (1 - fractional + fractional * _PARTIAL) * run.design(sample, weights) / n
        variance = weight * variance + (1 - weight) * max(variance, usual)
    return max(1.0, share * (1 - share) / variance), student(df)


def _per_item(sample: Sample, weights: Floats | None) -> tuple[Sample, Floats | None]:
    """One value per item and question, with its weight."""
    if sample.repeated is None or weights is None:
        return sample.per_item, weights
    chosen = weights[np.unique(sample.repeated, return_index=True)[1]]
    return sample.per_item, chosen / chosen.mean()


def _share(sample: Sample, weights: Floats | None) -> float:
    values = sample.values if weights is None else sample.values * weights
    return float(min(1.0, max(0.0, values.mean())))


@dataclass(frozen=True)
class Correlations:
    """How alike answers are that share a question, a context, both, or a larger group: 0 independent, 1 the same."""

    found: tuple[float, ...]
    clusters: tuple[float, ...]
    """Degrees of freedom behind each."""

    @classmethod
    def of(cls, sample: Sample) -> Correlations:
        return _correlations(sample)

    @classmethod
    def _of(cls, sample: Sample) -> Correlations:
        """From products of residuals around the mean of each length: those of two answers that share something against
        those of any answer with itself. Clusters where half of a length is right weigh more than where all are."""
        sample = sample.per_item
        rest, spread_, evenness = sample.centred, sample.deviations, sample.evenness
        found, clusters = list[float](), list[float]()
        lengths = len(_sizes(sample.strata))
        for pairs, usual, showing in zip(sample.sharing, _USUAL, _SHOWING, strict=True):
            labels, possible = pairs.labels, pairs.products(spread_)
            if labels is None or possible <= 0:
                found.append(usual)
                clusters.append(showing)
                continue
            sizes = np.bincount(labels)
            several = (sizes > 1)[labels]
            shown = float((evenness / sizes[labels])[several].sum())
            count_ = int((sizes > 1).sum())
            own = pairs.products(rest) / possible
            # The mean of a length follows its own few clusters: what they have in common is missing from the residuals.
            per = max(2.0, count_ / lengths) if pairs.nested else max(2.0, float(count_))
            own = min(1.0, own + (1 - own) * max(0.0, own) / (per - 1) + (1 - own) / max(2.0, len(rest) / lengths))
            found.append(min(1.0, max(0.0, (showing * usual + shown * own) / (showing + shown))))
            clusters.append(min(shown, max(1.0, count_ - (lengths if pairs.nested else 1))) + showing)
        return cls(tuple(found), tuple(clusters))

    def variance(self, sample: Sample, weights: Floats | None = None) -> tuple[float, float]:
        return self._variance(sample, sample.deviations * (1.0 if weights is None else weights))

    def design(self, sample: Sample, weights: Floats | None = None) -> float:
        """How many answers carry the information of one independent answer."""
        return self._variance(sample, np.ones(len(sample)) if weights is None else weights)[0] * len(sample)

    def _variance(self, sample: Sample, spread_: Floats) -> tuple[float, float]:
        n = len(sample)
        alone = float(spread_ @ spread_)
        # Partial credit near the top is skewed: its few low values show its spread.
        low = ((sample.values > 0) & (sample.values < 1)).any() and spread_.any()
        parts = [(alone, max(2.0, float(sample.evenness.sum())) if low else float(max(1, n - 1)))]
        for pairs, found, df in zip(sample.sharing, self.found, self.clusters, strict=True):
            if pairs.labels is not None and not pairs.fixed:
                parts.append((found * pairs.products(spread_), df))
        total = sum(part for part, _ in parts)
        shaky = sum(part**2 / df for part, df in parts)
        return total / n**2, total**2 / shaky if shaky > 0 else float(n)


_correlations = _remembered(Correlations._of)


@dataclass(frozen=True)
class _Pairs:
    """Pairs of different answers that share something and nothing closer."""

    labels: Ints | None
    less: tuple[Ints, ...]
    """Pairs that also share one of these are counted elsewhere."""
    nested: bool
    """Whether each cluster is of one length."""
    fixed: bool
    """One cluster per length: the interval is about these, not about all of their kind."""

    def products(self, values: Floats) -> float:
        """The sum over these ordered pairs of the product of both values."""
        if self.labels is None:
            return 0.0
        return _within(values, self.labels) - sum(_within(values, labels) for labels in self.less)


def _within(values: Floats, labels: Ints) -> float:
    sums = np.bincount(labels, weights=values)
    return float(sums @ sums - values @ values)


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


def _means(values: Floats, strata: Ints) -> Floats:
    return np.asarray((np.bincount(strata, weights=values) / np.maximum(1, np.bincount(strata)))[strata])


@dataclass(frozen=True)
class _Moments:
    """What paired differences show of a single one."""

    value: float
    square: float
    alone: float
    """Variance of one difference."""
    apart: float
    """Share of pairs that differ."""
    partial: float
    """0: right against wrong; near 1: small steps."""

    @classmethod
    def of(cls, gaps: Sample, weights: Floats | None, each: Floats) -> _Moments:
        size = np.abs(gaps.values)
        value, square = float((each * gaps.values).mean()), float((each * size**2).mean())
        apart = float((each * (size > 0)).mean())
        partial = max(0.0, 1 - square / float((each * size).mean())) if apart else 0.0
        # With weights, kinds are fixed by design: their means differ without adding to the variance of one difference.
        middle = value * value if weights is None else float((each * _means(gaps.values, gaps.strata) ** 2).mean())
        return cls(value, square, max(square - middle, 0.0), apart, partial)


@dataclass(frozen=True)
class _Differences(_Moments):
    """What paired differences show: their mean, their spread, and how many independent pairs they are worth."""

    combined: float
    """Variance of the mean."""
    worth: float
    df: float
    """Degrees of freedom of that variance; infinite if no pair differs."""

    @classmethod
    def of_pairs(cls, gaps: Sample, weights: Floats | None = None) -> _Differences:
        gaps, weights = _per_item(gaps, weights)
        n = len(gaps)
        each = np.ones(n) if weights is None else weights
        one = _Moments.of(gaps, weights, each)
        run = gaps.run or Correlations.of(gaps)
        variance, df = run.variance(gaps, weights)
        design = run.design(gaps, weights)
        weight = n * one.apart / (n * one.apart + _SHOWING[0])
        usual = design * ((1 - one.partial) * one.alone + one.partial * _PARTIAL_GAP) / n
        combined = max(weight * variance + (1 - weight) * usual, one.alone * float((each**2).mean()) / n)
        worth = one.alone / combined if one.alone > 0 else n / design
        worth = worth if one.partial else max(1.0, worth)
        return cls(**vars(one), combined=combined, worth=worth, df=df if one.apart else math.inf)


def simultaneous(comparisons: int) -> float:
    """The confidence of each interval of several comparisons that hold together with 95 % (Bonferroni)."""
    return 1 - 0.05 / max(1, comparisons)


def balance(kinds: Ints) -> Floats:
    """Weights with a mean of 1 under which every kind has the same."""
    sizes = np.bincount(kinds)
    return np.asarray(len(kinds) / (np.count_nonzero(sizes) * sizes[kinds]))


def difference_estimate(gaps: Sample, confidence: float = _CONFIDENCE, weights: Floats | None = None) -> Estimate:
    """Mean of paired differences (between -1 and 1) with its interval: Agresti and Min's for matched pairs, at the
    effective number of independent pairs; Student's as far as the differences are partial credit. `weights` have a mean
    of 1."""
    if not len(gaps):
        raise BadInput("paired difference: there is no pair; give at least one")
    usual = weights is None and confidence == _CONFIDENCE
    return _plain_difference(gaps) if usual else _difference_estimate(gaps, confidence, weights)


@_remembered
def _plain_difference(gaps: Sample) -> Estimate:
    return _difference_estimate(gaps, _CONFIDENCE, None)


def _difference_estimate(gaps: Sample, confidence: float, weights: Floats | None) -> Estimate:
    seen = _Differences.of_pairs(gaps, weights)
    if gaps.contexts > 1 and (few := too_few(gaps.contexts)):
        return Estimate(value=seen.value, low=-1.0, high=1.0, n=len(gaps.per_item), few=few)
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
    return Estimate(value=value, low=min(low, value), high=max(high, value), n=len(gaps.per_item))


def smallest_drop(gaps: Sample, margin: float = 0.0, confidence: float = 0.95) -> float:
    """The smallest drop that 80 % of such runs show to be beyond `margin`; at most 1. Beside what the pairs vary by
    now, those that are lost vary too."""
    seen = _Differences.of_pairs(gaps)
    needed = student(seen.df, confidence) + POWERED

    def shown(drop: float) -> bool:
        spread_ = seen.combined + (1 - seen.partial) * drop * (1 - drop) / seen.worth
        return drop - margin >= needed * math.sqrt(spread_)

    return smallest(shown, margin)


def smallest(shown: Callable[[float], bool], low: float = 0.0) -> float:
    """The smallest number from `low` to 1 that is shown; 1 if none is."""
    high = 1.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (low, middle) if shown(middle) else (middle, high)
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
    first, second = first.per_item, second.per_item
    top, bottom = mean_estimate(first), mean_estimate(second)
    value = top.value - factor * bottom.value
    shared = _correlation(first, second)
    falls = top.value - top.low, factor * (bottom.high - bottom.value)
    rises = top.high - top.value, factor * (bottom.value - bottom.low)
    below, above = (math.sqrt(max(0.0, a * a + b * b - 2 * shared * a * b)) for a, b in (falls, rises))
    return Estimate(value=value, low=value - below, high=value + above, n=top.n + bottom.n)


def parted(sample: Sample, kinds: Ints) -> Sample:
    """The same with each kind as a design of its own at every length, so that differences between kinds are no
    uncertainty."""
    return replace(sample, strata=(int(kinds.max(initial=0)) + 1) * sample.strata + kinds)


def mean_of(estimates: Sequence[Estimate]) -> Estimate:
    """The mean of some estimates, each with the same weight, and of the ends of their intervals: wide enough however
    much they have in common."""
    value, low, high = (
        sum(getattr(each, end) for each in estimates) / len(estimates) for end in ("value", "low", "high")
    )
    few = next((each.few for each in estimates if each.few), "")
    ends = {"low": 0.0, "high": 1.0} if few else {"low": low, "high": high}
    return Estimate(value=value, **ends, n=sum(each.n for each in estimates), few=few)


def balanced_mean(sample: Sample, kinds: Ints) -> Estimate:
    """The mean of the means of some kinds, each with the same weight: balanced accuracy."""
    own = parted(sample, kinds).per_item
    return mean_estimate(own, balance(own.strata % (int(kinds.max(initial=0)) + 1)))


def _correlation(first: Sample, second: Sample) -> float:
    alone = first.variance[0], second.variance[0]
    if min(alone) <= 0:
        return 0.0
    residuals = np.concatenate((first.centred / len(first), second.centred / len(second)))
    sides = np.concatenate((np.zeros(len(first), dtype=np.int64), np.ones(len(second), dtype=np.int64)))
    question = np.concatenate((first.question, second.question))
    context = np.concatenate((first.context, second.context))
    pair = _pairs(question, context)
    shared = sum(sign * _covariance(residuals, sides, by) for sign, by in ((1, question), (1, context), (-1, pair)))
    return min(0.95, max(-0.95, shared / math.sqrt(alone[0] * alone[1])))


def _covariance(residuals: Floats, sides: Ints, clusters: Ints) -> float:
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
