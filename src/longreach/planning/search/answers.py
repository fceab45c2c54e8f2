"""What answers are worth: how many are right at each length, and how much they repeat each other.

A search has few contexts per length, too few to show at one length how alike the answers over one context are. So that
is measured over all lengths together, around the curve."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from longreach.stats.intervals import Floats, Ints, Sample

from .grid import CONTEXT, QUESTION, Aim

__all__ = ["Answers"]

_SHOWING = 3.0
"""How many contexts of undecided answers weigh as much as the assumption."""


@dataclass(frozen=True)
class Answers:
    """The answers so far to the questions of one aim."""

    counts: Ints
    """By length."""
    shares: Floats
    """Right, by length; 0 where there is none."""
    questions: Floats
    """By length: how often a question repeats, on average over answers."""
    contexts: Floats
    """By length: the same for contexts."""
    values: Floats
    length: Ints
    context: Ints

    @classmethod
    def of(cls, sample: Sample, aim: Aim, values: Floats) -> Answers:
        """From the scores of a full run's rows; NaN where there is none."""
        known = ~np.isnan(values[aim.places])
        own, length = aim.places[known], aim.length[known]
        scores, size = values[own], len(aim.lengths)
        counts = np.bincount(length, minlength=size)
        most = np.maximum(counts, 1)
        return cls(
            counts=counts,
            shares=np.bincount(length, weights=scores, minlength=size) / most,
            questions=_repeats(sample.question[own], length, size) / most,
            contexts=_repeats(sample.context[own], length, size) / most,
            values=scores,
            length=length,
            context=sample.context[own],
        )

    def worths(self, context: float) -> Floats:
        """By length, how many independent answers these are worth, if answers over one context correlate so much."""
        design = 1 + QUESTION * np.maximum(self.questions - 1, 0) + context * np.maximum(self.contexts - 1, 0)
        return np.asarray(self.counts / design)

    def correlation(self, means: Floats) -> float:
        """The correlation of answers over one context, around a curve; near the assumed one where few answers show
        it."""
        if not len(self.values):
            return CONTEXT
        expected = np.clip(means[self.length], 0.005, 0.995)
        spread = expected * (1 - expected)
        residual = self.values - expected
        _, code, sizes = np.unique(self.context, return_inverse=True, return_counts=True)
        pairs = np.bincount(code, weights=residual) ** 2 - np.bincount(code, weights=residual**2)
        possible = np.bincount(code, weights=spread) * (sizes - 1)
        several = sizes > 1
        if not several.any():
            return CONTEXT
        shown = float(4 * (np.bincount(code, weights=spread) / sizes)[several].sum())
        found = float(pairs[several].sum() / possible[several].sum())
        return float(np.clip((_SHOWING * CONTEXT + shown * found) / (_SHOWING + shown), 0.02, 1.0))


def _repeats(labels: Ints, length: Ints, size: int) -> Floats:
    """By length, the sum of squares of the counts of each label."""
    if not len(labels):
        return np.zeros(size)
    pairs, counts = np.unique(labels * size + length, return_counts=True)
    squares = np.bincount(pairs % size, weights=counts.astype(np.float64) ** 2, minlength=size)
    return np.asarray(squares, dtype=np.float64)
