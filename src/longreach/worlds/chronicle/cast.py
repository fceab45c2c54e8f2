"""The people and places a world begins with."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Literal

from longreach.core.packaged import yaml_table

from .world import Person, Sex

__all__ = [
    "FAMILIES",
    "GIVEN",
    "GOODS",
    "HABITS",
    "OUTDOORS",
    "SPOTS",
    "THINGS",
    "TOWNS",
    "TRADES",
    "Cast",
    "Names",
    "fits_place",
]

Names = Literal["all", "train", "test"]
"""Which names a world uses: all, or those set aside for training or testing, which have none in common."""

_TABLE = yaml_table(__package__, "cast.yaml")
TRADES: Mapping[str, tuple[str, str, str]] = {name: tuple(trade) for name, trade in _TABLE["trades"].items()}
"""Trade -> workplace, goods, and the sexes that practise it."""

SPOTS = (*(home for home, _, _ in TRADES.values()), "church", "market", "bridge", "hall")
OUTDOORS = ("market", "bridge", "quay")
PUBLIC = ("inn", "church", "market", "bridge", "hall", "quay")
TOWNS = ("town1", "town2", "town3", "town4", "town5", "town6")
GOODS = tuple(goods for _, goods, _ in TRADES.values())
THINGS: tuple[str, ...] = tuple(_TABLE["things"].split())
HABITS: tuple[str, ...] = tuple(_TABLE["habits"].split())
FAMILIES = 40
GIVEN = 80
"""Given names of each sex that every language has."""

YEAR = 365
_FIRST_HOUSES = 8


def fits_place(manner: str | None, place: str | None) -> bool:
    """Whether this manner is possible at this place: nothing happens behind closed doors outdoors."""
    return manner != "private" or place not in OUTDOORS


class Cast:
    """All people so far; no two share a given name."""

    def __init__(self, rng: Random, names: Names = "all") -> None:
        self.rng = rng
        self._names = names
        self.people: dict[str, Person] = {}
        self._given: dict[Sex, list[int]] = {"m": self._pool(GIVEN), "f": self._pool(GIVEN)}
        self._families = self._pool(FAMILIES)
        self._habits: list[str] = []
        houses = [self._families.pop() for _ in range(_FIRST_HOUSES)]
        roots = [self._elders(house) for house in houses]
        for number, house in enumerate(houses):
            self._household(house, roots[number], roots[number - 1], houses[number - 1])

    def names_left(self) -> bool:
        """Whether names are left for a new person."""
        return min(len(self._given["m"]), len(self._given["f"])) > 4 and bool(self._families)

    def stranger(self, day: int) -> Person:
        """A grown-up newcomer without family."""
        sex = self._sex()
        return self._add(sex, day - self.rng.randint(22, 48) * YEAR, self._families.pop())

    def child(self, sex: Sex, day: int, father: Person, mother: Person) -> Person | None:
        """A child born now; None if no names are left."""
        if len(self._given[sex]) <= 4:
            return None
        return self._add(sex, day, father.family, father=father.id, mother=mother.id, trade=father.trade)

    def _elders(self, house: int) -> tuple[Person, Person]:
        """A dead couple whose children are characters."""
        mother = self._add("f", -78 * YEAR, self._families[0], stage=False)
        father = self._add("m", -80 * YEAR, house, wed=mother.id, stage=False)
        self.people[mother.id] = mother.model_copy(update={"wed": father.id})
        return father, mother

    def _household(self, house: int, own: tuple[Person, Person], other: tuple[Person, Person], kin: int) -> None:
        """A couple with grown and growing children, and sometimes the husband's brother or sister."""
        rng = self.rng
        born = -rng.randint(42, 60) * YEAR - rng.randrange(YEAR)
        father = self._add("m", born, house, father=own[0].id, mother=own[1].id)
        mother = self._add(
            "f", born + rng.randint(1, 6) * YEAR, kin, father=other[0].id, mother=other[1].id, wed=father.id
        )
        self.people[father.id] = father = father.model_copy(update={"wed": mother.id})
        age = -born // YEAR - rng.randint(22, 26)
        for _ in range(rng.randint(2, 3)):
            if age < 14:
                break
            trade = father.trade if rng.random() < 0.5 else None
            self._add(
                self._sex(),
                -age * YEAR - rng.randrange(YEAR),
                house,
                father=father.id,
                mother=mother.id,
                trade=trade,
            )
            age -= rng.randint(2, 5)
        if rng.random() < 0.6:
            self._add(self._sex(), born + rng.randint(2, 9) * YEAR, house, father=own[0].id, mother=own[1].id)

    def _sex(self) -> Sex:
        return "f" if self.rng.random() < 0.45 else "m"

    def _add(
        self,
        sex: Sex,
        born: int,
        family: int,
        *,
        father: str | None = None,
        mother: str | None = None,
        wed: str | None = None,
        trade: str | None = None,
        stage: bool = True,
    ) -> Person:
        if trade is None or sex not in TRADES[trade][2]:
            trade = self.rng.choice([name for name, (_, _, sexes) in TRADES.items() if sex in sexes])
        # People who died before the first event need no name: they are never mentioned.
        given = self._given[sex].pop() if stage else -1
        first = self._habit()
        second = self._habit()
        person = Person(
            id=f"p{len(self.people)}",
            sex=sex,
            born=born,
            given=given,
            family=family,
            trade=trade,
            home=TRADES[trade][0],
            habits=(first, second),
            father=father,
            mother=mother,
            wed=wed,
            stage=stage,
        )
        self.people[person.id] = person
        return person

    def _habit(self) -> str:
        if not self._habits:
            self._habits = [HABITS[i] for i in self._shuffled(len(HABITS))]
        return self._habits.pop()

    def _pool(self, size: int) -> list[int]:
        """Names in random order; two in five are for testing."""
        order = self._shuffled(size)
        return order if self._names == "all" else [i for i in order if (i % 5 < 2) == (self._names == "test")]

    def _shuffled(self, size: int) -> list[int]:
        return self.rng.sample(range(size), size)
