"""Simulates a town: its people and places, and threads of events that progress day by day."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from random import Random
from typing import Any, Literal, TypeVar

from longreach.core.files import yaml_table

from .world import KINDS, ONLY_IN, Event, Kin, Person, Sex, World, same_month, season, settle

# The people and places a world begins with.

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
ILLNESSES = ("fever", "ague", "lungs", "leg", "throat")
OFFICES = ("warden", "bailiff", "treasurer", "ferrymaster")
FAMILIES = 40
GIVEN = 80
"""Given names of each sex that every language has."""

YEAR = 365
_FIRST_HOUSES = 8


def fits_place(manner: str | None, place: str | None) -> bool:
    """Whether this manner is possible at this place: nothing happens behind closed doors outdoors."""
    return manner != "private" or place not in OUTDOORS


def likely_sum(low: int, high: int, rng: Random) -> int:
    """An amount of money, mostly round."""
    n = rng.randint(low, high)
    return n if n < 20 or rng.random() < 0.4 else n // 5 * 5


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
                self._sex(), -age * YEAR - rng.randrange(YEAR), house, father=father.id, mother=mother.id, trade=trade
            )
            age -= rng.randint(2, 5)
        if rng.random() < 0.6:
            self._add(self._sex(), born + rng.randint(2, 9) * YEAR, house, father=own[0].id, mother=own[1].id)

    def _sex(self) -> Sex:
        return "f" if self.rng.random() < 0.45 else "m"

    def _add(self, sex: Sex, born: int, family: int, *, trade: str | None = None, **fields: Any) -> Person:
        if trade is None or sex not in TRADES[trade][2]:
            trade = self.rng.choice([name for name, (_, _, sexes) in TRADES.items() if sex in sexes])
        # People who died before the first event need no name: they are never mentioned.
        given = self._given[sex].pop() if fields.get("stage", True) else -1
        who, habits = f"p{len(self.people)}", (self._habit(), self._habit())
        fields |= {"id": who, "sex": sex, "born": born, "given": given, "family": family, "trade": trade}
        self.people[who] = Person(**fields, home=TRADES[trade][0], habits=habits)
        return self.people[who]

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


# Simulates a town: threads of events progress day by day and unit by unit.

T = TypeVar("T")
Late = dict[str, int | str | None]
"""Fields of an event that are known only when it happens."""
_OPEN = 10
"""Approximate number of open threads."""
_SOON = 40
"""Days within which a planned event will most likely have happened."""
_PATIENCE = 6
"""How often a step may be postponed, because somebody is away or ill, before the thread is dropped."""


@dataclass
class EventDraft:
    """The next step of a thread."""

    action: str
    people: tuple[str, ...]
    fields: dict[str, Any]
    """What else is known of the event."""
    wait: int
    """Minimum days since the thread's last step."""
    abed: bool
    """Whether it may happen at a sickbed, or with somebody who is away."""
    late: Callable[[], Late]
    """Values known only on the day: an age, the days of an absence, which of two causes applied."""
    check: Callable[[], bool]
    """Whether the step still makes sense; if not, the thread is dropped."""


@contextmanager
def during(held: set[T], *members: T) -> Iterator[None]:
    """Members of a set while a thread goes on; no longer when it ends or is dropped."""
    held.update(members)
    try:
        yield
    finally:
        held.difference_update(members)


Thread = Generator[EventDraft, Event, None]
Plot = Callable[["Simulation"], Thread]


@dataclass
class _Open:
    """A thread with its pending step."""

    thread: Thread
    draft: EventDraft
    since: int
    put_off: int = 0


class Simulation:
    """The state of the town; `unit` advances it and returns what happened."""

    def __init__(self, seed: int, plots: Sequence[Plot], names: Names = "all") -> None:
        self.seed = seed
        self.rng = Random(f"chronicle world {seed}")
        self.cast = Cast(self.rng, names)
        self.places = {place: self.rng.randrange(4) for place in SPOTS}
        self.places |= dict(zip(TOWNS, self.rng.sample(range(12), len(TOWNS)), strict=True))
        self.day = self.rng.randrange(40)
        self.events: list[Event] = []
        self.by_action: dict[str, list[Event]] = {}
        self.by_person: dict[str, list[Event]] = {}
        self.dead: set[str] = set()
        self.away: set[str] = set()
        self.ill: set[str] = set()
        self.courting: set[str] = set()
        self.feuds: set[frozenset[str]] = set()
        self.offices: dict[str, str] = {}
        self.contested: set[str] = set()
        """Offices about to be vacated or won."""
        self.owned: set[str] = set()
        """Owned things that an open thread is about."""
        self._plots = list(plots)
        self._deck: list[Plot] = []
        self._open: list[_Open] = []
        self._number = 0
        self._kin: tuple[tuple[int, ...], Kin] = ((), Kin(self))
        grown = [p.id for p in self.adults(24, sex="m")]
        for office in OFFICES:
            self.offices[office] = self.pick([p for p in grown if p not in self.offices.values()])

    # Queries for plots.

    @property
    def person(self) -> dict[str, Person]:
        """People by id."""
        return self.cast.people

    def world(self) -> World:
        """Everything that has happened so far."""
        return World(seed=self.seed, people=tuple(self.person.values()), places=self.places, events=tuple(self.events))

    def kin(self) -> Kin:
        """Current kinship."""
        bonds = tuple(
            len(self.by_action.get(kind, ())) for kind in ("marry", "partner", "rent", "apprentice", "dismiss")
        )
        state = (len(self.person), *bonds)
        if state != self._kin[0]:
            self._kin = state, Kin(self)
        return self._kin[1]

    def age(self, who: str) -> int:
        """In years."""
        return (self.day - self.person[who].born) // YEAR

    def pick(self, among: Iterable[T]) -> T:
        """A random choice."""
        return self.rng.choice(list(among))

    def chance(self, share: float) -> bool:
        """True with this probability."""
        return self.rng.random() < share

    def adults(self, low: int = 18, high: int = 75, sex: str = "mf") -> list[Person]:
        """People who can take part in something, sampled with preference for the least busy."""
        busy = Counter(who for one in self._open for who in one.draft.people)
        out = self.dead | self.away | self.ill
        oldest, youngest = self.day - (high + 1) * YEAR, self.day - low * YEAR
        found = [
            p
            for p in self.person.values()
            if p.stage and p.sex in sex and oldest < p.born <= youngest and p.id not in out and busy[p.id] < 2
        ]
        self.rng.shuffle(found)
        return found

    def pair(self, low: int = 18, high: int = 75, sex: str = "mf", *, friendly: bool = True) -> tuple[str, str] | None:
        """Two people who may deal with each other."""
        found = self.adults(low, high, sex)
        for one in found[:6]:
            for two in found:
                if one is not two and not (friendly and frozenset((one.id, two.id)) in self.feuds):
                    return one.id, two.id
        return None

    def third(self, *others: str | None) -> str | None:
        """Somebody else."""
        return next((p.id for p in self.adults() if p.id not in others), None)

    def spouse(self, who: str) -> str | None:
        """The living husband or wife."""
        return next((one for one in self.kin().spouses(who) if one not in self.dead), None)

    def thing(self) -> str | None:
        """A thing that no open thread is about."""
        free = [thing for thing in THINGS if thing not in self.owned]
        if not free:
            return None
        thing = self.pick(free)
        self.owned.add(thing)
        return thing

    def town(self) -> str:
        """Another town."""
        return self.pick(sorted(TOWNS))

    def money(self, low: int = 12, high: int = 96) -> int:
        """A round or an odd sum."""
        return likely_sum(low, high, self.rng)

    def count(self, low: int, high: int) -> int:
        """A number of anything."""
        return self.rng.randint(low, high)

    def goods(self, who: str) -> str:
        """The goods this person trades in."""
        return TRADES[self.person[who].trade][1]

    def spot(self, *people: str) -> str:
        """Where these people would meet: at one's work or in public."""
        return self.pick([*(self.person[p].home for p in people), *PUBLIC])

    def reason(self, action: str, done: bool = True) -> str:
        """A cause that is not an event."""
        kind = KINDS[action]
        return self.pick(self._in_season(kind.reasons if done else kind.reasons_not))

    def manner(self, action: str) -> str:
        """One of the ways to do it."""
        return self.pick(self._in_season(KINDS[action].manners))

    def _in_season(self, names: Sequence[str]) -> list[str]:
        near = {season(self.day), season(self.day + _SOON)}
        return [name for name in names if near <= ONLY_IN.get(name, near)]

    def draft(
        self,
        action: str,
        *people: str,
        manner: str | bool = False,
        done: bool = True,
        why: Event | bool | None = None,
        wait: tuple[int, int] | int = 0,
        abed: bool = False,
        late: Callable[[], Late] = dict,
        check: Callable[[], bool] = lambda: True,
        **fields: Any,
    ) -> EventDraft:
        """The next step of a thread. `why` is the event that caused it, or True for a reason that is not an event; a
        `manner` of True is one of the usual; `wait` are days, or the fewest and most of them."""
        fields["manner"] = self.manner(action) if manner is True else manner or None
        fields["cause"] = why.id if isinstance(why, Event) else None
        fields["reason"] = self.reason(action, done) if why is True else None
        days = wait if isinstance(wait, int) else self.count(*wait)
        return EventDraft(action, people, fields | {"done": done}, days, abed, late, check)

    # The passage of time.

    def unit(self, wanted: int | None = None) -> list[Event]:
        """The events of the next unit: seven or eight, or as many as wanted, with feelings about one or two of them."""
        self._number += 1
        wanted = wanted or self.pick((7, 7, 8))
        self.day = settle(self.day + self.rng.randint(2, 9))
        happened: list[Event] = []
        main = 0
        while main < wanted:
            event = self._step({e.action for e in happened})
            happened.append(event)
            main += 1
            felt = self._feeling(event) if sum(e.action == "feel" for e in happened) < 2 else None
            if felt is not None:
                happened.append(felt)
            self.day = settle(self.day + self.pick((0, 1, 1, 2, 2, 3)))
        return happened

    def _step(self, happened: set[str]) -> Event:
        """Take the next step of a thread that is ready, or of a new one. Every turn opens a thread or advances a day,
        so that there is always an event before long."""
        while True:
            if len(self._open) < _OPEN:
                self._begin()
            ready = [one for one in self._open if self._ready(one) and one.draft.action not in happened]
            if ready:
                # Threads that have waited longest come first, so that a reader still remembers them.
                ready.sort(key=lambda one: one.since)
                return self._take(ready[0] if self.chance(0.5) else self.pick(ready))
            if len(self._open) >= _OPEN and self.chance(0.5):
                self.day = settle(self.day + 1)
            else:
                self._begin()

    def _begin(self) -> None:
        if not self._deck:
            self._deck = self.rng.sample(self._plots, len(self._plots))
        self.spawn(self._deck.pop()(self))

    def spawn(self, thread: Thread) -> None:
        """Open a thread beside the others."""
        draft = next(thread, None)
        if draft is not None:
            self._open.append(_Open(thread, draft, self.day))

    def _ready(self, one: _Open) -> bool:
        draft = one.draft
        gone = [p for p in draft.people if p in self.dead and draft.action != "bequeath"]
        if gone or not draft.check():
            self._drop(one)
            return False
        if self.day < one.since + draft.wait:
            return False
        if not draft.abed and any(p in self.away or p in self.ill for p in draft.people):
            one.put_off += 1
            if one.put_off > _PATIENCE:
                self._drop(one)
            return False
        return True

    def _drop(self, one: _Open) -> None:
        """Abandon a thread; it cleans up after itself."""
        self._open.remove(one)
        one.thread.close()

    def _take(self, one: _Open) -> Event:
        draft = one.draft
        people = dict(zip(("subject", "object", "other"), draft.people, strict=False))
        event = self._record(action=draft.action, **people, **draft.fields | draft.late())
        try:
            one.draft = one.thread.send(event)
            one.since = self.day
        except StopIteration:
            self._open.remove(one)
        return event

    def _record(self, **fields: object) -> Event:
        given = {"id": len(self.events), "unit": self._number, "day": self.day, "dated": self._dated(), **fields}
        event = Event.parse(given, "event")
        self.events.append(event)
        self.by_action.setdefault(event.action, []).append(event)
        for who in (event.subject, event.object, event.other):
            if who is not None:
                self.by_person.setdefault(who, []).append(event)
        return event

    def _dated(self) -> bool:
        """Whether to name the day: for the first event of a unit, and sometimes for a new day."""
        if not self.events or self.events[-1].unit != self._number:
            return True
        return self.events[-1].day != self.day and self.chance(0.4)

    def days_since(self, event: Event) -> int | None:
        """Days since an event, where they do not depend on the length of a month."""
        return self.day - event.day if same_month(event.day, self.day) and self.day > event.day else None

    def _feeling(self, event: Event) -> Event | None:
        """Somebody's feeling about an event, narrated in the same scene."""
        if event.object is None or self.chance(0.45):
            return None
        choices = KINDS[event.action].felt(event.done)
        if not choices:
            return None
        who, feeling = self.pick(choices)
        people = (event.subject, event.object) if who == "A" else (event.object, event.subject)
        if people[0] in self.dead:
            return None
        return self._record(
            action="feel",
            subject=people[0],
            object=people[1],
            item=feeling,
            place=self.person[people[0]].home,
            cause=event.id,
            dated=False,
        )
