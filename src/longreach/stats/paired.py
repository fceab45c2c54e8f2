"""Results held against results: how far the same items, or fresh ones, moved between two sets of runs.

A plain paired t, and no guessed correlation: what answers over one context, or whole nights, have in common is measured
on the pairs themselves, all lengths together, and only weakly pulled towards what was measured on real models."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from longreach.core.statements import Outcome
from longreach.core.types import Estimate

from .intervals import POWERED, Floats, Ints, student

MARGIN = 5.0
"""A loss of so many points is `worse`, unless another margin is given."""
SETTINGS_MARGIN = 3.0
"""The same between settings of one server."""
_ASSUMED = 0.04
"""Correlation of answers over one context that is assumed until the pairs show their own: docs/validity.md."""
_WEIGHT = 5.0
"""How many degrees of freedom that assumption weighs."""
_EVEN = 3.0
"""The same of the assumption that one night is like another on the same items."""
_ADDED = 1.0
"""Half a pair on either side, so that few pairs that all agree are no certainty (Agresti and Min)."""
_WEEK = 7
_LOOKS = 36.0
"""Independent looks that are as many chances of a false alarm as a week of nights with six comparisons each, which
share most of their nights: simulated (tests/validity/test_gate_rates.py)."""
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Shared:
    """What values of one cluster have in common: how many times the variance of independent ones theirs is."""

    ratio: float = 1.0
    df: float = math.inf
    """Degrees of freedom behind what is above 1."""

    @classmethod
    def of(
        cls, sums: Floats | Ints, squares: float, df: float, *, assumed: float, weight: float, few: float = 1.0
    ) -> Shared:
        """From the sums of clusters of residuals and the squares of all residuals; `few` corrects for residuals that
        are around the mean of few clusters."""
        if squares <= 0 or df <= 0:
            return cls(max(1.0, assumed), weight) if weight else cls()
        found = float(sums @ sums) / squares * few
        return cls(max(1.0, (df * found + weight * assumed) / (df + weight)), df + weight)

    def combined(self, df: float) -> float:
        """Degrees of freedom of a variance of independent values that is multiplied by the ratio."""
        shaky = 1 / df + (self.ratio - 1) ** 2 / self.df / self.ratio**2
        return 1 / shaky if shaky > 0 else math.inf


@dataclass(frozen=True)
class Shift:
    """How far a score moved, as a share of 1, with its standard errors."""

    value: float
    error: float
    """Standard error of what is claimed: on these items, or for contexts of this kind."""
    df: float
    pairs: int
    spread: float = 0.0
    """Standard error over items, if the claim is about these items: which of them flipped may be chance too."""
    spread_df: float = math.inf
    skew: float = 0.0
    """Skewness of the change: below 0 where most answers are right, and chance losses are larger than chance gains."""

    def interval(self, confidence: float = 0.95) -> Estimate:
        half = student(self.df, confidence) * self.error
        low, high = max(-1.0, self.value - half), min(1.0, self.value + half)
        return Estimate(value=self.value, low=min(low, self.value), high=max(high, self.value), n=self.pairs)

    def adjusted(self, confidence: float) -> Estimate:
        """The interval that shows a change: at the level that many comparisons ask for, and never narrower than what
        the choice of the flipped items allows."""
        found, half = self.interval(confidence), student(self.spread_df) * self.spread
        quantile = student(self.df, confidence)
        # Cornish and Fisher: how much further the longer tail reaches.
        below, above = (
            self.error * (quantile + max(0.0, sign * self.skew) * (quantile**2 - 1) / 6) for sign in (1, -1)
        )
        low, high = min(self.value - below, self.value - half), max(self.value + above, self.value + half)
        return found.model_copy(update={"low": max(-1.0, low), "high": min(1.0, high)})

    def visible(self, confidence: float) -> float:
        """The smallest drop that 80 % of such comparisons show; at most 1."""
        quantile = student(self.df, confidence)
        least = quantile + max(0.0, -self.skew) * (quantile**2 - 1) / 6 + POWERED
        return min(1.0, max(least * self.error, (student(self.spread_df) + POWERED) * self.spread))


def outcome_of(shift: Shift, adjusted: Estimate, margin: float) -> Outcome:
    """The first that applies; `margin` is a share of 1. Whether it `passed` is up to the plain 95 % interval."""
    if adjusted.high < -_ROUNDING:
        return "worse" if shift.value <= -margin + _ROUNDING else "suspicious"
    if adjusted.low > _ROUNDING:
        return "better"
    return "passed" if shift.interval().low > -margin else "open"


_ORDER: tuple[Outcome, ...] = ("broken", "worse", "suspicious", "better", "open", "passed")


def worst(outcomes: Sequence[Outcome]) -> Outcome:
    """The outcome of several together: what is wrong comes first, and `passed` needs all. What is `better` somewhere
    and nowhere worse is better."""
    return min(outcomes, key=_ORDER.index, default="open")


def level(comparisons: float, chance: float = 0.05) -> float:
    """The confidence of a two-sided interval of which each of so many comparisons may miss on one side, so that all
    together raise a false alarm in 5 of 100."""
    return 1 - 2 * chance / max(2.0, comparisons)


def looks(per_night: int) -> float:
    """How many independent looks a week of nights is, with so many comparisons every night."""
    return min(_LOOKS, float(_WEEK * per_night))


@dataclass(frozen=True)
class Items:
    """The scores of the same items in several runs."""

    scores: Floats
    """One line per run, oldest first; nan where a fault left no score."""
    context: Ints
    strata: Ints
    """Lengths."""

    def at(self, places: Ints) -> Items:
        return Items(self.scores[:, places], self.context[places], self.strata[places])

    def nights(self, good: Sequence[int]) -> Shared:
        """What the items of one night have in common, from each good night to the next: a lasting change counts once,
        whatever it is."""
        steps = np.diff(self.scores[list(good)], axis=0) if len(good) > 1 else np.zeros((0, self.scores.shape[1]))
        steps = np.nan_to_num(steps)
        if not len(steps):
            return Shared()
        lengths = int(self.strata.max(initial=0)) + 1
        sums = np.array([np.bincount(self.strata, weights=each, minlength=lengths) for each in steps])
        squares = float((steps**2).sum())
        # Two differences in a row share a night: they are worth two thirds of independent ones. What all lengths of a
        # night have in common shows in their sum, as many times as there are lengths.
        found = []
        for each, of in ((sums.ravel(), 1), (sums.sum(axis=1), lengths)):
            df = 2 / 3 * each.size
            ratio = Shared.of(each, squares, df, assumed=1.0, weight=_EVEN).ratio
            found.append((ratio - 1 - math.sqrt(2 / df)) / of)
        # What chance alone would show is not taken for more.
        return Shared(max(1.0, 1.0 + max(found)), 2 / 3 * len(steps))

    def moved(self, after: Sequence[int], before: Sequence[int]) -> Moved:
        """The change of every item from some runs to others."""
        (now, many), (was, few) = (_means(self.scores[list(runs)]) for runs in (after, before))
        both = (many > 0) & (few > 0)
        gap = np.where(both, now - was, 0.0)
        squares = sum(
            np.nansum((self.scores[list(r)] - mean) ** 2, axis=0) for r, mean in ((after, now), (before, was))
        )
        size = np.maximum(many + few, 2)
        inverse = np.where(both, 1 / np.maximum(many, 1) + 1 / np.maximum(few, 1), 0.0)
        within = np.where(both, (squares + gap**2 * many * few / size) / (size - 1) * inverse, 0.0)
        mean = (many * now + few * was) / size
        squared = np.where(both, 1 / np.maximum(many, 1) ** 2 - 1 / np.maximum(few, 1) ** 2, 0.0)
        third = within * (1 - 2 * mean) * squared / np.maximum(inverse, 1e-12)
        df = len(after) + len(before) - 1
        return Moved(gap, within, both, inverse, self.context, self.strata, df, third)


def _means(scores: Floats) -> tuple[Floats, Ints]:
    there = (~np.isnan(scores)).sum(axis=0)
    return np.nansum(scores, axis=0) / np.maximum(there, 1), there


@dataclass(frozen=True)
class Moved:
    """Items, and how far each moved."""

    gap: Floats
    within: Floats
    """The variance of each gap, as the item varies from run to run."""
    both: NDArray[np.bool_]
    inverse: Floats
    context: Ints
    strata: Ints
    df: int
    """Of one item's variance."""
    third: Floats | None = None
    """The third moment of each gap, as of right-or-wrong answers."""

    @classmethod
    def between(cls, gap: Floats, context: Ints, strata: Ints) -> Moved:
        """Of two runs."""
        return cls(gap, gap**2, np.ones(len(gap), dtype=np.bool_), np.full(len(gap), 2.0), context, strata, 1)

    def contexts(self) -> Shared:
        """What gaps over one context have in common, all lengths together."""
        rest = np.where(self.both, self.gap - _within(self.gap, self.both, self.strata), 0.0)
        own = self.context[self.both]
        clusters, lengths = len(np.unique(own)), len(np.unique(self.strata[self.both]))
        per = clusters / max(1, lengths)
        assumed = 1 + (max(1, len(own)) / max(1, clusters) - 1) * _ASSUMED
        sums = np.bincount(self.context, weights=rest)
        few = per / (per - 1) if per > 1 else 1.0
        df = clusters - lengths
        return Shared.of(sums, float(rest @ rest), df, assumed=assumed, weight=_WEIGHT, few=few)

    def shift(self, places: Ints | None, contexts: Shared, nights: Shared | None) -> Shift | None:
        """The mean change of some items. With `nights`, on these items; without, for contexts of this kind. None where
        no item is in both."""
        chosen = self.both if places is None else self.both[places]
        gap, within, inverse = (
            (each if places is None else each[places])[chosen] for each in (self.gap, self.within, self.inverse)
        )
        n = len(gap)
        if not n:
            return None
        value, extra = float(gap.mean()), _ADDED * (1 - _partial(gap))
        apart = float(((gap - value) ** 2).sum())
        over = math.sqrt(contexts.ratio * (apart * n / max(1, n - 1) + extra)) / n
        over_df = contexts.combined(max(1, n - 1))
        if nights is None or self.df < 2:  # two runs show nothing of how an item varies from run to run
            return Shift(value, over, over_df, n)
        extra *= float(inverse.mean()) / 2
        error = math.sqrt(nights.ratio * (float(within.sum()) + extra)) / n
        df = nights.combined(float(max(1, n - 1) * self.df))
        third = 0.0
        if self.third is not None:
            third = float((self.third if places is None else self.third[places])[chosen].sum())
        skew = third / n**3 / error**3 if error else 0.0
        return Shift(value, error, df, n, spread=over, spread_df=over_df, skew=skew)


def _within(gap: Floats, both: NDArray[np.bool_], strata: Ints) -> Floats:
    sums = np.bincount(strata, weights=gap * both)
    return np.asarray((sums / np.maximum(1, np.bincount(strata, weights=both)))[strata])


def _partial(gap: Floats) -> float:
    """0 where right stands against wrong, near 1 where scores move in small steps."""
    size = np.abs(gap).sum()
    return max(0.0, 1 - float((gap**2).sum()) / float(size)) if size else 0.0


def spread_of(items: Items, runs: Sequence[int], nights: Shared, share: float) -> float:
    """The standard error of a change on some items, from how each varies over some runs; `share` is what the two sides
    add up to: 1 + 1/7 for one night against seven."""
    scores = items.scores[list(runs)]
    known = (~np.isnan(scores)).sum(axis=0) > 1
    within = np.nanvar(scores[:, known], axis=0, ddof=1)
    total = float(within.sum()) + _ADDED / 2
    return math.sqrt(nights.ratio * total * share) / max(1, int(known.sum()))


def fresh_shift(after: Sequence[tuple[Floats, Ints]], before: Sequence[tuple[Floats, Ints]]) -> Shift | None:
    """The change between runs that asked different items: over contexts. Each run is its scores and their contexts."""
    now, was = _FreshMean.of(after), _FreshMean.of(before)
    if now is None or was is None:
        return None
    both = now.variance + was.variance
    joint = both**2 / (now.variance**2 / now.df + was.variance**2 / was.df) if both > 0 else math.inf
    return Shift(now.mean - was.mean, math.sqrt(both), joint, min(now.n, was.n))


@dataclass(frozen=True)
class _FreshMean:
    """The mean score over all contexts of some runs, and how sure it is."""

    mean: float
    variance: float
    df: float
    n: int

    @classmethod
    def of(cls, runs: Sequence[tuple[Floats, Ints]]) -> _FreshMean | None:
        """None with fewer than two contexts."""
        means, sizes, night = [], [], []
        for number, (scores, contexts) in enumerate(runs):
            there = ~np.isnan(scores)
            own = np.bincount(contexts[there])
            has = own > 0
            means += (np.bincount(contexts[there], weights=scores[there])[has] / own[has]).tolist()
            sizes += own[has].tolist()
            night += [number] * int(has.sum())
        if len(means) < 2:
            return None
        return cls._over_contexts(np.asarray(means), np.asarray(sizes, dtype=np.float64), night, len(runs))

    @classmethod
    def _over_contexts(cls, means: Floats, weights: Floats, night: Sequence[int], nights: int) -> _FreshMean:
        mean = float(np.average(means, weights=weights))
        rest = (means - mean) * weights
        several = len(means) / (len(means) - 1)
        alone = float(rest @ rest) * several + _ADDED / 2
        by_night = np.bincount(night, weights=rest)
        shared = Shared.of(by_night, float(rest @ rest), nights - 1, assumed=1.0, weight=_EVEN)
        total = float(weights.sum())
        return cls(mean, shared.ratio * alone / total**2, shared.combined(len(means) - 1), int(total))
