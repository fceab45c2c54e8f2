"""Types for a language's words: pools of names, units, ranges and sentence templates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from longreach.core.files import sections, yaml_table

POOLS = ("surnames", "places", "things", "rooms", "trades", "vehicles", "goods")
"""Fields of a lexicon that are pools."""


@dataclass(frozen=True)
class Pool:
    """Words made of two parts, in every combination of `left` and `right`."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    distinct: Literal["left", "right", "both"]
    """The part that is used at most once per fact set, so that its members are clearly distinct."""
    joint: str = ""

    def join(self, left: str, right: str) -> str:
        """One of them."""
        return f"{left}{self.joint}{right}"


@dataclass(frozen=True)
class UnitWords:
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
    legal papers."""
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
    units: Mapping[str, UnitWords]
    ranges: Mapping[str, Range]
    spare_surnames: Pool | None = None
    """Used where all others occur in the haystack or in other sets."""


@dataclass(frozen=True)
class ThemeSentences:
    """The sentences of one theme: one per fact, one per question."""

    facts: tuple[str, str]
    literal: tuple[str, str]
    inference: tuple[str, str]


def words(text: str) -> tuple[str, ...]:
    """A word list, written as one text."""
    return tuple(text.split())


def pool_of(given: Mapping[str, str]) -> Pool:
    """A pool as the tables write it."""
    joint = given.get("joint", "")
    return Pool(words(given["left"]), words(given["right"]) or ("",), given["distinct"], joint)  # type: ignore[arg-type]


@cache
def load_lexicon(language: str, register: str) -> Lexicon:
    """The words of a register."""
    given: dict[str, Any] = yaml_table(__package__, f"words/{language}.yaml")[register]
    units = {
        name: UnitWords(*unit) if isinstance(unit, list) else UnitWords(unit, unit)
        for name, unit in given["units"].items()
    }
    return Lexicon(
        style=given["style"],
        women=words(given["women"]),
        men=words(given["men"]),
        units=units,
        ranges={name: Range(*span) for name, span in given["ranges"].items()},
        **{name: pool_of(given[name]) for name in POOLS},
    )


@cache
def load_wordings(language: str, register: str) -> dict[str, ThemeSentences]:
    """The sentences of a register by theme, without those it takes from another."""
    found: dict[str, ThemeSentences] = {}
    for name, lines in sections(__package__, f"words/{language}-themes.txt").items():
        of, _, theme = name.partition(".")
        if of == register:
            fact1, fact2, literal1, literal2, inference1, inference2 = lines
            found[theme] = ThemeSentences((fact1, fact2), (literal1, literal2), (inference1, inference2))
    return found
