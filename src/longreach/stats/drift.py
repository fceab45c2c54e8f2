"""Whether accuracy changed while a run went on."""

from __future__ import annotations

import math
from collections.abc import Sequence

from longreach.core.statements import Rate

from .evidence import CORRELATION, ContextScore

__all__ = ["drift_of"]

_FEWEST = 4
"""Contexts of a length before its halves are compared."""
_Z = 3.0
"""Standard errors: a drift is looked for in every run, and said in about 3 of 1,000 without one."""
_DOUBT = 0.5
"""Answers added to both sides of each half, so that halves without errors are not taken for certain."""


def drift_of(lengths: Sequence[Sequence[ContextScore]], correlation: float = CORRELATION) -> Rate | None:
    """The accuracy of the second half of each length's contexts less that of the first, as the mean over lengths; None
    unless the two are shown to differ. Contexts stand in the order in which they were asked."""
    gaps, asked = list[tuple[float, float, float]](), 0
    for scores in lengths:
        if len(scores) < _FEWEST:
            continue
        half = len(scores) // 2
        before, after = _half(scores[:half], correlation), _half(scores[-half:], correlation)
        weight = 1 / (before[1] + after[1])
        gaps.append((after[0] - before[0], before[1] + after[1], weight))
        asked += sum(score.asked for score in (*scores[:half], *scores[-half:]))
    if not gaps:
        return None
    total = sum(weight for *_, weight in gaps)
    gap = sum(value * weight for value, _, weight in gaps) / total
    error = math.sqrt(sum(variance * weight**2 for _, variance, weight in gaps)) / total
    if abs(gap) < _Z * error:
        return None
    return Rate(value=gap, low=max(-1.0, gap - 1.96 * error), high=min(1.0, gap + 1.96 * error), of=asked)


def _half(scores: Sequence[ContextScore], correlation: float) -> tuple[float, float]:
    """Its accuracy, and the variance of that."""
    right, asked = sum(score.right for score in scores), sum(score.asked for score in scores)
    share = (right + _DOUBT) / (asked + 2 * _DOUBT)
    design = 1 + (asked / len(scores) - 1) * correlation
    return right / asked, share * (1 - share) * design / asked
