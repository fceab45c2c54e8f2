"""Frequencies of relations, counted over 560 units of 14 worlds. Wrong claims are drawn so that they
are as common as what they replace: a rare word is then no sign of an error.
"""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

__all__ = ["accepted", "kin_count"]

_KIN: Mapping[str, tuple[int, int, int, int]] = {
    "father": (14, 13, 0, 0),
    "mother": (0, 0, 10, 12),
    "brother": (22, 34, 0, 0),
    "sister": (30, 19, 0, 0),
    "son": (19, 0, 0, 22),
    "daughter": (11, 0, 0, 9),
    "uncle": (8, 3, 21, 9),
    "aunt": (19, 8, 3, 2),
    "nephew": (8, 21, 18, 5),
    "niece": (5, 9, 11, 2),
    "cousin": (0, 0, 58, 51),
    "landlord": (0, 0, 5, 7),
    "tenant": (0, 0, 5, 4),
    "partner": (0, 0, 3, 3),
}
"""Relation -> how often it was to a man or a woman of the same family name, and to a man or a woman of another."""


def kin_count(name: str, *, same_family: bool, to_woman: bool) -> int:
    """How often somebody was in this relation to a man or woman of the same or of another family name."""
    return _KIN.get(name, (0, 0, 0, 0))[2 * (not same_family) + to_woman]


def accepted(new: int, old: int, rng: Random) -> bool:
    """Whether an item of frequency `old` may be replaced by one of frequency `new`: always if more common, else with
    proportional probability. Replacements then go equally often in both directions.
    """
    return old > 0 and rng.random() * old < new
