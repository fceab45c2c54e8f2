"""The data of a world, and the claims that a summary can make about it, independent of language."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Literal, Protocol

from longreach.core.model import Compact, Frozen, compact

__all__ = ["Act", "Claim", "Event", "Person", "Register", "Relation", "Sex", "World"]

Sex = Literal["f", "m"]


@compact
class Person(Compact):
    """A person of the town, alive or dead on day 0."""

    id: str
    sex: Sex
    born: int
    """In days; the book begins on day 0."""
    given: int
    """Index into the language's given names of that sex; unique in a world."""
    family: int
    """Index into the language's family names."""
    trade: str
    home: str
    """The place where the work is done."""
    habits: tuple[str, str]
    """This person's habits."""
    father: str | None = None
    mother: str | None = None
    wed: str | None = None
    """Husband or wife since before day 0."""
    stage: bool = True
    """False for dead people who only connect relatives."""


@compact
class Event(Compact):
    """Something that happened, or that was expected and did not."""

    id: int
    """Also the order in time: a later event has a greater id."""
    unit: int
    day: int
    action: str
    """A key of `KINDS`."""
    subject: str
    object: str | None = None
    other: str | None = None
    amount: int | None = None
    item: str | None = None
    place: str
    manner: str | None = None
    done: bool = True
    """False where it was refused or failed."""
    cause: int | None = None
    """The event that caused it, always an earlier one."""
    reason: str | None = None
    """A cause that is not an event."""
    dated: bool = False
    """Whether the text names the day."""


class Register(Protocol):
    """The query interface of a world, finished or still being simulated."""

    @property
    def person(self) -> dict[str, Person]:
        """People by id."""

    @property
    def events(self) -> Sequence[Event]:
        """All events, each at the place of its id."""

    @property
    def by_action(self) -> dict[str, list[Event]]:
        """Events by kind, in order."""

    @property
    def by_person(self) -> dict[str, list[Event]]:
        """Events by who took part, in order."""


class World(Frozen):
    """All people and all that happened, in order."""

    seed: int
    people: tuple[Person, ...]
    places: dict[str, int]
    """Places and towns: index into the language's names of each."""
    events: tuple[Event, ...]

    @cached_property
    def person(self) -> dict[str, Person]:
        """People by id."""
        return {person.id: person for person in self.people}

    @cached_property
    def by_action(self) -> dict[str, list[Event]]:
        """Events by kind, in order."""
        found: dict[str, list[Event]] = {}
        for event in self.events:
            found.setdefault(event.action, []).append(event)
        return found

    @cached_property
    def by_person(self) -> dict[str, list[Event]]:
        """Events by who took part, in order."""
        found: dict[str, list[Event]] = {}
        for event in self.events:
            for who in (event.subject, event.object, event.other):
                if who is not None:
                    found.setdefault(who, []).append(event)
        return found


@compact
class Act(Compact):
    """A description of an event; None means unspecified."""

    action: str
    subject: str
    object: str | None = None
    other: str | None = None
    amount: int | None = None
    item: str | None = None
    place: str | None = None
    day: int | None = None
    manner: str | None = None
    done: bool = True


@compact
class Relation(Compact):
    """`subject` is the `name` of `object`: father, niece, apprentice, ..."""

    subject: str
    name: str
    object: str


@compact
class Claim(Compact):
    """The content of one sentence of a summary."""

    id: str
    """`u12.c3`: unit 12, third sentence."""
    unit: int
    act: Act | None = None
    cause: Act | None = None
    """The event that caused the act."""
    reason: str | None = None
    """A cause that is not an event."""
    later: Act | None = None
    """Something that happened after the act."""
    relation: Relation | None = None
