"""Numbers with their confidence intervals."""

from __future__ import annotations

from .model import Frozen

__all__ = ["EffectiveLength", "Estimate", "Spread"]


class Estimate(Frozen):
    """A number with its 95 % confidence interval."""

    value: float
    low: float
    high: float
    n: int
    """How many questions (or pairs of questions) it is based on."""


class EffectiveLength(Frozen):
    """The longest tested length up to which a model holds a level; 0 means that there is none."""

    length: float
    low: float
    """0: there may be none."""
    high: float
    base: float | None
    """Delivered accuracy at the shortest length, not corrected for chance; None if nothing was asked there."""
    share: float
    """The level: a share of what lies above chance, or of the model's own score at the shortest length."""


class Spread(Frozen):
    """The distance between the best and the worst of several groups."""

    best: str
    worst: str
    difference: Estimate
