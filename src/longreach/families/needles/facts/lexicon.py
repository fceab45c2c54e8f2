"""Types for a language's words: pools of names, units, ranges and sentence templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

__all__ = ["Lexicon", "Pool", "Range", "Unit", "Wording", "words"]


@dataclass(frozen=True)
class Pool:
    """Words made of two parts, in every combination of `left` and `right`."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    distinct: Literal["left", "right", "both"]
    """The part that is used at most once per fact set, so that its members are clearly distinct."""
    joint: str = ""

    def words(self) -> tuple[str, ...]:
        """All of them."""
        return tuple(self.join(left, right) for left in self.left for right in self.right)

    def join(self, left: str, right: str) -> str:
        """One of them."""
        return f"{left}{self.joint}{right}"


@dataclass(frozen=True)
class Unit:
    """A unit of measure; both empty for a bare count."""

    one: str
    many: str


@dataclass(frozen=True)
class Range:
    """Whole numbers from `low` to `high` by `step`, in a unit."""

    low: int
    high: int
    unit: str
    """Key of the lexicon's `units`."""
    step: int = 1


@dataclass(frozen=True)
class Lexicon:
    """The words of one register."""

    style: Literal["words", "figures", "legal"]
    """How numbers and times are written: all in words; all in figures, with a 24-hour clock; or as in the language's
    legal papers.
    """
    women: tuple[str, ...]
    """First names; in Chinese the given names that follow the family name."""
    men: tuple[str, ...]
    surnames: Pool
    """Family names; in Chinese they are common ones and only the full name is new."""
    places: Pool
    things: Pool
    rooms: Pool
    trades: Pool
    vehicles: Pool
    goods: Pool
    """Goods in the singular."""
    units: Mapping[str, Unit]
    ranges: Mapping[str, Range]
    spare_surnames: Pool | None = None
    """Used where all others occur in the haystack or in other sets."""


@dataclass(frozen=True)
class Wording:
    """The sentences of one theme: one per fact, one per question."""

    facts: tuple[str, str]
    literal: tuple[str, str]
    inference: tuple[str, str]


def words(text: str) -> tuple[str, ...]:
    """A word list, written as one text."""
    return tuple(text.split())
