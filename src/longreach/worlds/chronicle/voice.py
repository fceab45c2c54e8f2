"""The language interface of the narrator and the summaries."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from random import Random

from .calendar import day_of_month, season
from .cast import YEAR
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

    def __init__(self, seed: int, places: dict[str, int]) -> None:
        self.seed = seed
        self.places = places
        pick = Random(f"chronicle names {seed}")
        self.town, self.river = self.name_town(pick)
        self._looks: dict[str, tuple[str, str]] = {}
        self._described: dict[tuple[str, str, int], dict[str, str]] = {}

    @abstractmethod
    def name_town(self, rng: Random) -> tuple[str, str]:
        """The town of the book and its river."""

    @abstractmethod
    def full(self, person: Person) -> str:
        """The whole name."""

    @abstractmethod
    def short(self, person: Person) -> str:
        """The given name."""

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

    @abstractmethod
    def act(self, act: Act) -> dict[str, str]:
        """Slots of an act: `n`, `i`, `p`, `at`, `m`, ...; a slot's value may itself be a pattern."""

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

    @abstractmethod
    def is_indoors(self, text: str) -> bool:
        """Whether a text mentions what only a room has: a door, a table, a ceiling."""

    @staticmethod
    def season(day: int) -> str:
        """The season, as the word lists name it."""
        return season(day)

    @staticmethod
    def month(day: int) -> int:
        """The month, from the first of spring."""
        return day_of_month(day)[1]

    def look(self, person: Person, looks: Sequence[str], more: Sequence[str], grown: Callable[[str], bool]) -> str:
        """This person's description, constant throughout the book and unique among the same sex."""
        if person.id not in self._looks:
            taken = {look for sex, look in self._looks.values() if sex == person.sex}
            rng = Random(f"chronicle look {self.seed} {person.id}")
            plain = [look for look in looks if look not in taken and (person.born < _BEARDED or not grown(look))]
            if not plain:
                plain = [f"{look}{also}" for look in looks for also in more if f"{look}{also}" not in taken]
            self._looks[person.id] = person.sex, rng.choice(plain or list(looks))
        return self._looks[person.id][1]
