"""The data of a world: people, events, calendar, kinship, and whether an assertion about them holds."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol

from pydantic import TypeAdapter

from longreach.core.files import yaml_table
from longreach.core.types import Compact, Frozen, compact

# The data of a world, and the assertions that a summary can make about it, independent of language.

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
class Assertion(Compact):
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


# Days, months and seasons of a world; languages name them.

_LENGTHS = (31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 28)
"""Months from the first of spring on: March to February, or the first to the twelfth moon."""
_YEAR = sum(_LENGTHS)
_LAST_DAY = 28
"""Nothing happens on the 29th or later, so that every date exists in every calendar."""


def day_of_month(day: int) -> tuple[int, int, int]:
    """Year (from 0), month (from 0, the first of spring) and day (from 1)."""
    year, rest = divmod(day, _YEAR)
    month = 0
    while rest >= _LENGTHS[month]:
        rest -= _LENGTHS[month]
        month += 1
    return year, month, rest + 1


def is_dateable(day: int) -> bool:
    """Whether the date of a day exists in every calendar."""
    return day_of_month(day)[2] <= _LAST_DAY


def settle(day: int) -> int:
    """The day itself, or the first of the next month where its date does not exist in every calendar."""
    while not is_dateable(day):
        day += 1
    return day


def same_month(one: int, two: int) -> bool:
    """Whether two days are in one month: only then do all calendars count the same days between them."""
    return day_of_month(one)[:2] == day_of_month(two)[:2]


def season(day: int) -> str:
    """`spring`, `summer`, `autumn` or `winter`."""
    return ("spring", "summer", "autumn", "winter")[day_of_month(day)[1] // 3]


# The kinds of event in a chronicle: participants, what is counted, and possible replacements.


@dataclass(frozen=True)
class CauseKind:
    """A kind of event as a cause."""

    action: str
    done: bool
    roles: str
    """Who takes part, as roles of the caused event (`BA`: its object, then its subject); `?` for somebody else."""
    count: int
    """How often it is the cause."""


@dataclass(frozen=True)
class Kind:
    """One kind of event, independent of language."""

    people: int = 2
    """Number of participants: the subject, the object, the other."""
    measure: str = ""
    """What its amount counts: money, goods, nights, days, votes, years, age, weeks; empty for none."""
    item: str = ""
    """What its item is: thing, goods, illness, office, child, topic, feeling; empty for none."""
    place: str = "spot"
    """`spot` for a place in the town, `town` for another town; `home` where the place is uninformative."""
    stage: str = "meet"
    """The opening of its scene: sick, road, letter, court, water, or somebody somewhere."""
    spots: tuple[str, ...] = ()
    """The only places in the town where it can happen; empty for anywhere."""
    sums: tuple[int, int] = (5, 90)
    """Minimum and maximum of a likely amount."""
    manners: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    """Causes that are not events."""
    reasons_not: tuple[str, ...] = ()
    """The same for an event that did not happen."""
    symmetric: bool = False
    """Whether subject and object can be swapped without other changes."""
    polar: bool = False
    """Whether its negation can be narrated: a refusal, a failure."""
    also: tuple[str, ...] = ()
    """Kinds that make this one loosely true between the same people: a blow is also a quarrel."""
    replaceable_by: tuple[str, ...] = ()
    """Kinds with the same parts, which can stand for it without further changes."""
    counts: tuple[int, int] = (0, 0)
    """How often it happened and how often it did not, counted over 560 units of 14 worlds."""
    feelings: tuple[tuple[str, str], ...] = ()
    """Who may feel what towards the other after it."""
    feelings_not: tuple[tuple[str, str], ...] = ()
    """The same where it did not happen."""
    causes: tuple[CauseKind, ...] = ()
    """Kinds of event that can have caused it, where more than one cause is possible. Obvious ones (a letter before its
    answer, a loss before the accusation) are omitted: naming them is never wrong."""
    per_reason: int = 0
    """How often each of the reasons is the cause, counted over the same units."""

    def count(self, done: bool) -> int:
        """How often it happened, or did not."""
        return self.counts[not done]

    def felt(self, done: bool) -> tuple[tuple[str, str], ...]:
        """Who may feel what after it happened, or did not."""
        return self.feelings if done else self.feelings_not


KINDS: Mapping[str, Kind] = TypeAdapter(dict[str, Kind]).validate_python(yaml_table(__package__, "kinds.yaml"))
"""By name. The language's word lists name reasons under the same kind."""

ONLY_IN: Mapping[str, set[str]] = {
    "thaw": {"winter", "spring"},
    "lightning": {"spring", "summer"},
    "fog": {"autumn", "winter"},
    "snow": {"autumn", "winter"},
}
"""Causes and wagers restricted to seasons."""


# Kinship and other relations, derived from parents, marriages and indentures.


@dataclass(frozen=True)
class RelationKind:
    """One relation that a summary may state."""

    bond: bool = False
    """By agreement, not by blood."""
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)
    """How often it was to a man or a woman of the same family name, and to a man or a woman of another."""
    replaceable_by: tuple[str, ...] = ()
    """Plausible ones in its place: blood for blood, with fitting ages, and agreement for agreement."""

    def count(self, *, same_family: bool, to_woman: bool) -> int:
        """How often somebody was in this relation to a man or woman of the same or of another family name."""
        return self.counts[2 * (not same_family) + to_woman]


RELATIONS: Mapping[str, RelationKind] = TypeAdapter(dict[str, RelationKind]).validate_python(
    yaml_table(__package__, "relations.yaml")
)


class Kin:
    """Relations at the end of a unit; None means at any time."""

    def __init__(self, world: Register, unit: int | None = None) -> None:
        self._people = world.person
        self._events = world.by_action
        self._unit = unit
        self._children: dict[str, list[str]] = {}
        for person in self._people.values():
            for parent in (person.father, person.mother):
                if parent is not None:
                    self._children.setdefault(parent, []).append(person.id)
        self._spouses: dict[str, set[str]] = {}
        for person in self._people.values():
            if person.wed is not None:
                self._spouses.setdefault(person.id, set()).add(person.wed)
        for event in self._past("marry"):
            if event.object is not None:
                self._spouses.setdefault(event.subject, set()).add(event.object)
                self._spouses.setdefault(event.object, set()).add(event.subject)

    def _past(self, action: str) -> Iterator[Event]:
        for event in self._events.get(action, ()):
            if event.done and (self._unit is None or event.unit <= self._unit):
                yield event

    def parents(self, who: str) -> list[str]:
        """The known parents, father first."""
        person = self._people[who]
        return [parent for parent in (person.father, person.mother) if parent is not None]

    def spouses(self, who: str) -> list[str]:
        """Everyone this person has been married to, earliest first."""
        return sorted(self._spouses.get(who, ()))

    def siblings(self, who: str) -> list[str]:
        """Those who share a parent."""
        found = [child for parent in self.parents(who) for child in self.children(parent) if child != who]
        return list(dict.fromkeys(found))

    def children(self, who: str) -> list[str]:
        """Sons and daughters."""
        return self._children.get(who, [])

    def names(self, a: str, b: str) -> set[str]:
        """All relations of `a` to `b`."""
        return self.about(b).get(a, set())

    def about(self, who: str) -> dict[str, set[str]]:
        """Everybody related to this person, and how."""
        found: dict[str, set[str]] = {}
        for step, words in _BLOOD:
            for other in step(self, who):
                found.setdefault(other, set()).update(words[self._people[other].sex == "f"])
        for one, name in self._bonds.get(who, ()):
            found.setdefault(one, set()).add(name)
        found.pop(who, None)
        return found

    @cached_property
    def _bonds(self) -> dict[str, list[tuple[str, str]]]:
        """Relations by agreement per person; a dismissed apprentice has none."""
        taken = {(event.subject, event.object or ""): event.id for event in self._past("apprentice")}
        gone = [(event.subject, event.object or "", event.id) for event in self._past("dismiss")]
        if self._unit is not None:
            for master, boy, when in gone:
                if taken.get((master, boy), when) < when:
                    del taken[master, boy]
        found: dict[str, list[tuple[str, str]]] = {}
        for one, other in taken:
            found.setdefault(other, []).append((one, "master"))
            found.setdefault(one, []).append((other, "apprentice"))
        for action, first, second in (("partner", "partner", "partner"), ("rent", "landlord", "tenant")):
            for event in self._past(action):
                if event.object is not None:
                    found.setdefault(event.object, []).append((event.subject, first))
                    found.setdefault(event.subject, []).append((event.object, second))
        return found


def _each(step: Callable[[Kin, str], Iterable[str]], then: Callable[[Kin, str], Iterable[str]]) -> _Step:
    return lambda kin, who: [found for middle in step(kin, who) for found in then(kin, middle)]


_Step = Callable[[Kin, str], list[str]]


def _in_law(kin: Kin, who: str) -> list[str]:
    """A brother's wife, a husband's brother, and similar."""
    return [*_each(Kin.spouses, Kin.siblings)(kin, who), *_each(Kin.siblings, Kin.spouses)(kin, who)]


_BLOOD: tuple[tuple[_Step, tuple[tuple[str, ...], tuple[str, ...]]], ...] = (
    (Kin.parents, (("father",), ("mother",))),
    (Kin.children, (("son",), ("daughter",))),
    (Kin.siblings, (("brother",), ("sister",))),
    (Kin.spouses, (("husband",), ("wife",))),
    (_each(Kin.parents, Kin.siblings), (("uncle",), ("aunt",))),
    (_each(Kin.siblings, Kin.children), (("nephew",), ("niece",))),
    (_each(_each(Kin.parents, Kin.siblings), Kin.children), (("cousin",), ("cousin",))),
    (_each(Kin.spouses, Kin.parents), (("father_in_law",), ("mother_in_law",))),
    (_each(Kin.children, Kin.spouses), (("son_in_law",), ("daughter_in_law",))),
    (_in_law, (("brother_in_law",), ("sister_in_law",))),
)
"""Which relatives to search, and the term for a man or a woman found there."""


# Checks assertions against the world's events and kinship, independently of sentences and writers.

_PARTS = ("other", "amount", "item", "place", "day", "manner")


def holds(world: World, assertion: Assertion) -> bool:
    """Whether everything in the assertion is true; an act that happened anywhere in the book counts.

    Direct and indirect causes both count: the flood that caused the debt also caused the quarrel over it."""
    if assertion.relation is not None:
        relation = assertion.relation
        return relation.name in Kin(world, assertion.unit).names(relation.subject, relation.object)
    if assertion.act is None:
        return False
    for event in find(world, assertion.act):
        if assertion.cause is not None and not any(_fits(cause, assertion.cause) for cause in causes(world, event)):
            continue
        if assertion.reason is not None and not any(
            step.reason == assertion.reason for step in (event, *causes(world, event))
        ):
            continue
        if assertion.later is not None and not any(event.id < after.id for after in find(world, assertion.later)):
            continue
        return True
    return False


def happened(world: World, act: Act) -> bool:
    """Whether there is such an event."""
    return next(find(world, act), None) is not None


def find(world: World, act: Act) -> Iterator[Event]:
    """Every event that matches the description."""
    return (event for event in world.by_action.get(act.action, ()) if _fits(event, act))


def causes(world: Register, event: Event) -> list[Event]:
    """The direct and indirect causes of an event."""
    found: list[Event] = []
    while event.cause is not None:
        event = world.events[event.cause]
        found.append(event)
    return found


def core(act: Act) -> Act:
    """Who did what to whom, and nothing else."""
    return Act(action=act.action, subject=act.subject, object=act.object)


def loosely(world: World, act: Act) -> bool:
    """Whether a similar event between the same people might make a reader accept the act."""
    people = {act.subject, act.object} - {None}
    return any(
        people <= {event.subject, event.object, event.other} and (act.item is None or event.item in (None, act.item))
        for action in (act.action, *KINDS[act.action].also)
        for event in world.by_action.get(action, ())
        if event.done
    )


def _fits(event: Event, act: Act) -> bool:
    if event.action != act.action or event.done != act.done:
        return False
    straight = event.subject == act.subject and act.object in (None, event.object)
    if not straight and not (
        KINDS[act.action].symmetric and event.object == act.subject and act.object in (None, event.subject)
    ):
        return False
    return all(getattr(act, part) in (None, getattr(event, part)) for part in _PARTS)
