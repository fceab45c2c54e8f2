"""The language interface of the narrator and the summaries."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from random import Random

from .cast import YEAR
from .kinds import KINDS
from .template import load_stock
from .vocabulary import load_vocabulary
from .world import Act, Person, Register, Relation

__all__ = ["Voice"]

_BEARDED = -22 * YEAR
"""Latest birthday of a man old enough for a beard on day 0."""


class Voice(ABC):
    """Names and numbers of one language in one world; one subclass per language."""

    language: str
    space: str
    """Separates two sentences."""
    per_token: float
    """Approximate characters of this prose per token, for use without a tokenizer."""

    comma: str
    after: str
    """Pattern of the days that somebody was away."""
    room: re.Pattern[str]
    """What only a room has: a door, a table, a ceiling."""
    grown: re.Pattern[str]
    """What only a grown man's description has."""

    def __init__(self, seed: int, places: dict[str, int]) -> None:
        self.seed = seed
        self.places = places
        self.words = load_vocabulary(self.language)
        pick = Random(f"chronicle names {seed}")
        self.town, self.river = pick.choice(self.words.town_names), pick.choice(self.words.rivers)
        self._looks: dict[str, tuple[str, str]] = {}
        self._described: dict[tuple[str, str, int], dict[str, str]] = {}

    @abstractmethod
    def full(self, person: Person) -> str:
        """The whole name."""

    def short(self, person: Person) -> str:
        """The given name."""
        return (self.words.men if person.sex == "m" else self.words.women)[person.given]

    @abstractmethod
    def owner(self, name: str) -> str:
        """The name as an owner: `Silas's`."""

    def person(self, key: str, person: Person, day: int) -> dict[str, str]:
        """Slots `key.he`, `key.trade`, ... of a person on a day."""
        age = (day - person.born) // YEAR
        known = self._described.get((key, person.id, age))
        if known is None:
            known = self._described[key, person.id, age] = self.describe(key, person, age)
        return known

    @abstractmethod
    def describe(self, key: str, person: Person, age: int) -> dict[str, str]:
        """The same at an age."""

    def act(self, act: Act) -> dict[str, str]:
        """Slots of an act: `n`, `i`, `p`, `at`, `m`, ...; a slot's value may itself be a pattern."""
        kind = KINDS[act.action]
        slots: dict[str, str] = {}
        if act.amount is not None:
            slots["n"] = self.amount(kind.measure, act.amount, act.item)
            slots["N"] = self.capital(slots["n"])
        slots["after"] = self.after.format(slots["n"]) if act.action == "return" and act.amount is not None else ""
        if act.item is not None:
            slots |= self._item(kind.item, act.item)
            slots["I"] = self.capital(slots["i"])
        if act.manner is not None:
            slots["m"] = self.words.manners[act.manner]
        slots["how"] = f"{self.comma}{slots['m']}" if act.manner is not None else ""
        if act.place is not None:
            slots |= self.spot(act.place)
        return slots

    def _item(self, kind: str, item: str) -> dict[str, str]:
        words = self.words
        if kind == "thing":
            one, thing = words.things[item]
            return {"a.i": f"{one}{self.space}{thing}", "i": thing, "one": one}
        if kind == "goods":
            return {"i": words.goods[item][-1], "g": words.goods[item][-1]}
        if kind == "feeling":
            return {"i": item, "f": words.feelings[item]}
        tables = {"illness": words.illnesses, "office": words.offices, "topic": words.topics, "child": words.children}
        return {"i": tables[kind][item]}

    @abstractmethod
    def amount(self, measure: str, n: int, item: str | None) -> str:
        """An amount with what it counts."""

    @abstractmethod
    def spot(self, place: str) -> dict[str, str]:
        """Slots `p`, `at`, ... of a place."""

    @abstractmethod
    def date(self, day: int) -> str:
        """`the fourteenth of March`."""

    @abstractmethod
    def on(self, day: int) -> str:
        """The date after a clause of a summary, with its own space."""

    @abstractmethod
    def lead(self, day: int) -> str:
        """The date before a clause of a summary."""

    @abstractmethod
    def when(self, day: int, before: int | None, dated: bool, rng: Random) -> str:
        """The time of a scene, relative to the day of the previous scene."""

    @abstractmethod
    def time(self, day: int) -> dict[str, str]:
        """Slots `season`, `month`, `year`."""

    @abstractmethod
    def relation(self, relation: Relation, world: Register) -> dict[str, str]:
        """Slots `rel`, `a.rel`."""

    @abstractmethod
    def title(self) -> str:
        """The title of the book."""

    @abstractmethod
    def heading(self, number: int, day: int, titles: list[str]) -> str:
        """The first line of a unit."""

    @abstractmethod
    def capital(self, text: str) -> str:
        """The text as it begins a sentence."""

    @abstractmethod
    def finish(self, paragraph: str) -> str:
        """Final corrections to a paragraph."""

    @abstractmethod
    def flow(self, sentences: list[str], person: Person) -> list[str]:
        """Sentences about one person, where those after the first need not begin with the name."""

    @abstractmethod
    def mask(self, text: str) -> str:
        """The text with every person's name replaced by the same mark, so that only the wording remains."""

    def is_indoors(self, text: str) -> bool:
        """Whether a text mentions what only a room has."""
        return bool(self.room.search(text))

    def look(self, person: Person) -> str:
        """This person's description, constant throughout the book and unique among the same sex."""
        if person.id not in self._looks:
            stock = load_stock(self.language)
            looks, more = ([str(look[0]) for look in stock[pool]] for pool in (f"look.{person.sex}", "look.more"))
            taken = {look for sex, look in self._looks.values() if sex == person.sex}
            rng = Random(f"chronicle look {self.seed} {person.id}")
            grown = person.born < _BEARDED
            plain = [look for look in looks if look not in taken and (grown or not self.grown.search(look))]
            if not plain:
                longer = [f"{look}{self.comma}{also}" for look in looks for also in more]
                plain = [look for look in longer if look not in taken]
            self._looks[person.id] = person.sex, rng.choice(plain or looks)
        return self._looks[person.id][1]
