"""Sentence patterns with slots, choices and pools, and the names of people, places and things in a language."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from random import Random
from typing import Annotated

from pydantic import BeforeValidator, Field

from longreach.core.files import sections, yaml_table
from longreach.core.types import Frozen

# Sentence patterns: `{slot}`, `[this|or that]`, `<pool>`; and decks that deal them without early repeats.


@dataclass(frozen=True, slots=True)
class Slot:
    """A reference to something in the scene."""

    name: str


@dataclass(frozen=True, slots=True)
class Pool:
    """A reference to a pattern of another pool."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several wordings."""

    options: tuple[Pattern, ...]


Pattern = tuple[str | Slot | Pool | Choice, ...]
Stock = Mapping[str, tuple[Pattern, ...]]


def parse(text: str) -> Pattern:
    """Parse a pattern."""
    return _parse(text, 0, closing="")[0]


def _parse(text: str, at: int, closing: str) -> tuple[Pattern, int]:
    parts: list[str | Slot | Pool | Choice] = []
    while at < len(text) and text[at] not in closing:
        mark = text[at]
        if mark in "{<":
            end = text.index("}" if mark == "{" else ">", at)
            parts.append((Slot if mark == "{" else Pool)(text[at + 1 : end]))
            at = end + 1
        elif mark == "[":
            options: list[Pattern] = []
            while at < len(text) and text[at] != "]":
                option, at = _parse(text, at + 1, closing="|]")
                options.append(option)
            parts.append(Choice(tuple(options)))
            at += 1
        else:
            plain = (_PLAIN_OPTION if closing else _PLAIN).match(text, at)
            if plain is None:
                raise ValueError(f"unbalanced bracket in pattern: {text}")
            parts.append(plain[0])
            at = plain.end()
    if closing and at >= len(text):
        raise ValueError(f"unbalanced bracket in pattern: {text}")
    return tuple(parts), at


_PLAIN, _PLAIN_OPTION = re.compile(r"[^][{}<>]+"), re.compile(r"[^][{}<>|]+")


def slots_always(pattern: Pattern) -> set[str]:
    """Slots that are filled whichever wording is chosen."""
    found: set[str] = set()
    for part in pattern:
        if isinstance(part, Slot):
            found.add(part.name)
        elif isinstance(part, Choice):
            found |= set.intersection(*(slots_always(option) for option in part.options))
    return found


@lru_cache(maxsize=4)
def load_stock(language: str) -> Stock:
    """All patterns of a language, by pool."""
    folder = f"words/{language}"
    lines: dict[str, list[str]] = {}
    for name in sorted(file.name for file in resources.files(__package__).joinpath(folder).iterdir()):
        if name.endswith(".txt"):
            for pool, own in sections(__package__, f"{folder}/{name}").items():
                lines.setdefault(pool, []).extend(own)
    tags = {name: "|".join(lines.pop(f"tag.{name}", ())) for name in ("said", "asked")}
    return {name: tuple(parse(_tagged(line, tags)) for line in own) for name, own in lines.items()}


def _tagged(line: str, tags: Mapping[str, str]) -> str:
    """The pattern with every plain `said {A}` after quoted words replaced by a choice of verbs."""

    def choice(match: re.Match[str]) -> str:
        verb, who = match["verb"] or match["verb_zh"], match["who"] or match["who_zh"]
        question = line[: match.start()].rstrip().endswith(("?”", "？”"))
        wordings = tags["asked" if question or verb in ("asked", "问") else "said"]
        return f"[{wordings.replace('{X}', who)}]" if wordings else match[0]

    return _SPEAKER.sub(choice, line)


_SPEAKER = re.compile(
    r"(?<=” )(?P<verb>said|asked) (?P<who>\{[ABC]\})(?=[.,] “|\.(?: ¶|$))"
    r"|(?<=”)(?P<who_zh>\{[ABC]\})(?P<verb_zh>[说道问])(?=[。，]“|。(?: ¶|$))"
)
"""A speech tag in its plainest form, in English or in Chinese."""


class Decks:
    """Deals the patterns of each pool; a pattern repeats only after at least half of its pool was dealt."""

    def __init__(self, stock: Stock, rng: Random) -> None:
        self.stock = stock
        self.rng = rng
        self._left: dict[str, list[Pattern]] = {}
        self._dealt: dict[str, list[Pattern]] = {}

    def draw(self, pool: str) -> Pattern:
        """The next pattern of a pool."""
        left = self._left.get(pool)
        if not left:
            left = self._shuffle(pool)
        pattern = left.pop()
        self._dealt[pool].append(pattern)
        return pattern

    def last(self, pool: str) -> Pattern:
        """The pattern of this pool that was dealt last."""
        return self._dealt[pool][-1]

    def _shuffle(self, pool: str) -> list[Pattern]:
        order = self._dealt.get(pool) or list(self.stock[pool])
        if pool not in self._dealt:
            self.rng.shuffle(order)
        else:
            # The most recently dealt must wait longest: each half is shuffled separately.
            half = len(order) // 2
            early, late = order[:half], order[half:]
            self.rng.shuffle(early)
            self.rng.shuffle(late)
            order = [*late, *early]
        self._left[pool], self._dealt[pool] = order, []
        return order


def expand(
    pattern: Pattern, slot: Callable[[str], str], draw: Callable[[str], Pattern], random: Callable[[], float]
) -> str:
    """The pattern as text."""
    out: list[str] = []
    for part in pattern:
        if isinstance(part, str):
            out.append(part)
        elif isinstance(part, Slot):
            out.append(slot(part.name))
        else:
            chosen = draw(part.name) if isinstance(part, Pool) else part.options[int(random() * len(part.options))]
            out.append(expand(chosen, slot, draw, random))
    return "".join(out)


# Names of people, places, things and measures in a language.

Words = Annotated[tuple[str, ...], BeforeValidator(str.split)]


class Vocabulary(Frozen):
    """The names, by the keys of people, places and events."""

    men: Words
    women: Words
    families: Words
    town_names: Words
    rivers: Words
    towns: Words
    """Other towns."""
    spots: dict[str, tuple[str, ...]]
    """Places in the town: four names, of which a world uses one; in English a preposition before them."""
    trades: dict[str, str]
    address: dict[str, str] = Field(default_factory=dict)
    """Form of address for a man of the trade, after his family name."""
    goods: dict[str, tuple[str, ...]]
    """Measure and name: in English the measure in singular and plural."""
    things: dict[str, tuple[str, str]]
    """Article or measure, and name."""
    illnesses: dict[str, str]
    offices: dict[str, str]
    topics: dict[str, str]
    feelings: dict[str, str]
    manners: dict[str, str]
    children: dict[str, str]
    relations: dict[str, str]
    """Those with one name whoever they are between; in English only where it differs from the key."""


@cache
def load_vocabulary(language: str) -> Vocabulary:
    """The names in a language."""
    return Vocabulary.model_validate(yaml_table(__package__, f"words/{language}/names.yaml"))
