"""A share corrected for judge errors: the share that an error-free judge would have found.

The point estimate is Rogan and Gladen's; the interval is Lang and Reiczigel's, which includes the uncertainty of the
judge's own sensitivity and specificity and has 95 % coverage down to small audits.
"""

from __future__ import annotations

import math

from longreach.core.estimate import Estimate

__all__ = ["combined_share", "corrected_share"]

_Z = 1.959963984540054  # two-sided 95 %


def corrected_share(observed: Estimate, sensitivity: Estimate, specificity: Estimate) -> Estimate | None:
    """The share of right answers behind an observed share; None where the judge is no better than a coin.

    `observed` may have a wider interval than its n alone would give (answers about one context are correlated): the
    wider of the two counts.
    """
    power = sensitivity.value + specificity.value - 1
    se, se_n = _softened(sensitivity)
    sp, sp_n = _softened(specificity)
    if power <= 0 or se + sp <= 1:
        return None
    value = min(1.0, max(0.0, (observed.value + specificity.value - 1) / power))
    n = observed.n + _Z * _Z
    seen = (observed.n * observed.value + _Z * _Z / 2) / n
    true = min(1.0, max(0.0, (seen + sp - 1) / (se + sp - 1)))
    from_se, from_sp = se * (1 - se) / se_n, sp * (1 - sp) / sp_n
    from_seen = max(seen * (1 - seen) / n, ((observed.high - observed.low) / (2 * _Z)) ** 2)
    half = _Z * math.sqrt(from_seen + true**2 * from_se + (1 - true) ** 2 * from_sp) / (se + sp - 1)
    centre = true + 2 * _Z * _Z * (true * from_se - (1 - true) * from_sp)
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return Estimate(value=value, low=min(low, value), high=max(high, value), n=observed.n)


def _softened(rate: Estimate) -> tuple[float, float]:
    """A rate with one success and one failure added, so that 20 of 20 is not certain; and its weight."""
    return (rate.n * rate.value + 1) / (rate.n + 2), rate.n + 2


def combined_share(first: Estimate | None, second: Estimate | None) -> Estimate | None:
    """The share over two groups of answers, each with its own estimate; their variances add up as if independent."""
    if first is None or second is None:
        return first or second
    n = first.n + second.n
    weights = (first.n / n, second.n / n)
    value = weights[0] * first.value + weights[1] * second.value
    below = math.hypot(weights[0] * (first.value - first.low), weights[1] * (second.value - second.low))
    above = math.hypot(weights[0] * (first.high - first.value), weights[1] * (second.high - second.value))
    return Estimate(value=value, low=max(0.0, value - below), high=min(1.0, value + above), n=n)
