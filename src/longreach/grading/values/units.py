"""Units: one name for all spellings of each, and exact factors between those of one kind."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from longreach.core.packaged import csv_lines

from .words import singular

__all__ = ["CLASSIFIERS", "HAN_UNITS", "MEASURES", "Unit", "unit_named"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit. Two quantities can be equal across units only where the factor is exact and timeless."""

    name: str
    kind: str
    """What it measures; quantities of different kinds are never equal."""
    factor: Fraction
    """In the kind's smallest unit."""


_TABLE = csv_lines("longreach.grading.values", "units.csv")
_BY_NAME = {
    alias: Unit(row["name"], row["kind"], Fraction(row["factor"]))
    for row in _TABLE
    for alias in (row["name"], *row["aliases"].split())
}
MEASURES = {
    measure: frozenset(row["kind"] for row in _TABLE if measure in row["measures"].split())
    for measure in ("time", "length", "weight", "area", "volume", "money")
}
"""Kinds of unit for one measure; what they are worth in each other depends on place, year or month."""
HAN_UNITS = tuple(sorted((name for name in _BY_NAME if "\u4e00" <= name[0] <= "\u9fff"), key=len, reverse=True))
"""Chinese unit names, longest first."""

CLASSIFIERS = frozenset("个名位只匹头条张把本件座间口家艘辆棵朵封枚颗桶瓶箱袋袭层扇盏支枝根双对群队人级幅")
"""Chinese measure words without information for a reader."""


def unit_named(word: str) -> Unit | None:
    """The unit a word names, in singular or plural, in full or in short."""
    word = word.casefold().strip(". ")
    return _BY_NAME.get(word) or _BY_NAME.get(singular(word))
