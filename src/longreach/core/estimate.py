"""Numbers with their confidence intervals, and the samples they come from."""

from __future__ import annotations

from .model import Frozen

__all__ = ["EffectiveLength", "Estimate", "Sample", "Spread"]


class Estimate(Frozen):
    """A number with its 95 % interval."""

    value: float
    low: float
    high: float
    n: int
    """How many scored questions (or pairs of them) it stands on."""


class Sample(Frozen):
    """The scored questions at one place of an axis."""

    values: tuple[float, ...]
    """Scores between 0 and 1."""
    clusters: tuple[str, ...]
    """For each value, what it shares its luck with: the story or the item."""
    asked: int
    """Questions asked there, scored or not."""


class EffectiveLength(Frozen):
    """The longest length to which a score holds; 0 means that it does not even hold at the shortest."""

    length: float
    low: float
    high: float
    base: float | None
    """Score at the shortest length; None where too little could be scored there."""
    share: float
    """The part of `base` that a length must keep."""


class Spread(Frozen):
    """The distance between the best and the worst of several groups."""

    best: str
    worst: str
    difference: Estimate
