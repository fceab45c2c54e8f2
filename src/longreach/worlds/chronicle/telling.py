"""Tells a unit: scenes in the order of events, with what was seen, said and thought between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING

from .between import Between
from .kin import BONDS
from .scene import Names, Scene, act_of, people_of
from .world import Event, Person, Register, Relation

if TYPE_CHECKING:
    from .narrator import Narrator

__all__ = ["Telling"]

_STAGES = {
    "ill": "sick",
    "recover": "sick",
    "die": "sick",
    "nurse": "sick",
    "birth": "sick",
    "depart": "road",
    "return": "road",
    "write": "letter",
    "answer": "letter",
    "sue": "court",
    "elect": "court",
    "resign": "court",
    "bequeath": "court",
    "rescue": "water",
}
"""How a scene of this kind begins; the rest begin with somebody somewhere."""

_SEEN_BY_OTHER = ("write", "bequeath", "nurse")
"""Events whose scene stands where the object is: the reader of a letter, an heir, the sick."""
_ABSENT = {"bequeath": "A", "write": "A", "answer": "B", "cheat": "B"}
"""Who takes part in an event without being there."""
_INDOORS = ("sick", "letter")
_MOST_DRAWS = 2
_NO_HOME = ("depart", "return", "arrive", "marry")
"""Events after which nobody simply goes home."""


class Telling:
    """One unit being told."""

    def __init__(
        self, narrator: Narrator, world: Register, number: int, told: list[Event], relation: Relation | None
    ) -> None:
        self.by = narrator
        self.voice = narrator.voice
        self.rng = narrator.rng
        self.world = world
        self.number = number
        self.told = told
        self.names = Names(self.voice, 0.35, self.rng.random)
        self._relation = relation
        self._met: set[str] = set()
        """Who has stood on the stage of this unit."""
        self._day: int | None = None
        self._month_told = False
        self._drawn: Counter[str] = Counter()

    def text(self) -> str:
        """The whole unit, with its heading."""
        main = [event for event in self.told if event.action != "feel"]
        between = Between(self)
        blocks = [between.opening(main[0]), *(self._tell(event) for event in main)]
        blocks.append(between.closing(main[-1]))
        between.fill_up(blocks, main)
        return "\n\n".join([self._heading(main), *(part for block in blocks for part in block)])

    def fresh(self, make: Callable[[], str]) -> list[str]:
        """Paragraphs that no unit has had before."""
        return self.by.fresh(make, self.names)

    def scene(self, event: Event) -> Scene:
        """An empty scene about an event."""
        scene = Scene(self.voice, self.world.person, self.names, self.by.decks, self.rng, self.by.said)
        scene.values |= {
            "town": self.voice.town,
            "Town": self.voice.town,
            "river": self.voice.river,
            "inn.the": self.voice.spot("inn")["p"],
            **self.voice.time(event.day),
        }
        return scene.about(act_of(event), event.day)

    def sky(self, day: int) -> str:
        """The pool of sentences about the weather or, once a unit, about the month."""
        if not self._month_told and self.rng.random() < 0.2:
            self._month_told = True
            return f"month.{self.voice.month(day)}"
        return f"sky.{self.voice.season(day)}"

    def join(self, *sentences: str) -> str:
        """Sentences as one paragraph."""
        return self.voice.space.join(sentence for sentence in sentences if sentence)

    def _heading(self, main: list[Event]) -> str:
        chosen = main[self.rng.randrange(len(main) - 1)], main[-1]
        titles = [self.scene(event).tell(f"{event.action}{self._not(event)}.title") for event in chosen]
        return self.voice.heading(self.number, main[0].day, titles)

    def _not(self, event: Event) -> str:
        """The part of a pool's name for what did not happen, where the pool has it."""
        return "" if event.done or f"{event.action}.not.title" not in self.by.decks.stock else ".not"

    def _tell(self, event: Event) -> list[str]:
        """What happened, from where it happened to what stayed of it."""
        self.names.scene()
        scene, place = self._open(event)
        stage = _STAGES.get(event.action, "meet")
        pool = event.action if event.done else f"{event.action}.not"
        stock = self.by.decks.stock
        parts = self.fresh(lambda: self._setting(scene, event, stage, place))
        parts += self._people(scene, event, stage)
        together = event.object is not None and event.action not in (*_ABSENT, "marry")
        if together and stage == "meet" and self.rng.random() < 0.6:
            parts += self.fresh(lambda: scene.tell("approach"))
        if f"{pool}.pre" in stock and self.rng.random() < 0.6:
            parts += self.fresh(lambda: scene.tell(f"{pool}.pre"))
        parts += self.fresh(lambda: self._core(scene, event, pool))
        parts += self.fresh(lambda: scene.tell(f"{pool}.talk"))
        if len(stock[f"{pool}.talk"]) > 2 and self.rng.random() < 0.25:
            parts += self.fresh(lambda: scene.tell_other(f"{pool}.talk"))
        parts += self.fresh(lambda: self._after(scene, event, pool, stage))
        self._day = event.day
        return parts

    def _open(self, event: Event) -> tuple[Scene, str]:
        """A scene for the event, with the person it looks at and the place it stands in."""
        scene = self.scene(event)
        lead = event.object if event.action in _SEEN_BY_OTHER and event.object else event.subject
        scene.cast("L", lead, event.day)
        place = event.place
        if place.startswith("town"):
            host = event.object if event.action == "arrive" and event.object else lead
            place = self.world.person[host].home
            spot = self.voice.spot(place)
            scene.values |= {"at": spot["at"], "At": spot["At"]}
        when = self.voice.when(event.day, self._day, event.dated, self.rng)
        scene.values |= {"when": when, "When": self.voice.capital(when)}
        return scene, place

    def _setting(self, scene: Scene, event: Event, stage: str, place: str) -> str:
        sights = []
        if stage not in ("road", "letter", "sick"):
            sights.append(scene.tell(f"place.{place}"))
        if stage != "sick" and self.rng.random() < 0.4:
            sights.append(scene.tell(self.sky(event.day)))
        if self.rng.random() < 0.3:
            sights.reverse()
        return self.join(scene.tell(f"begin.{stage}"), *sights)

    def _people(self, scene: Scene, event: Event, stage: str) -> list[str]:
        """Those who are new to this unit are introduced; the others do what they always do."""
        parts: list[str] = []
        for letter, who in people_of(event).items():
            if _ABSENT.get(event.action) == letter:
                continue
            # Nobody hums at his work who lies abed or is in the water.
            lame = stage in ("sick", "water") and not (event.action == "nurse" and letter == "A")
            if who not in self._met and self.by.introduce(who, self.number):
                self._met.add(who)
                parts += self.fresh(lambda who=who, lame=lame: self._introduce(scene, who, event, lame))  # type: ignore[misc]
            elif not lame and stage not in _INDOORS and self.rng.random() < (0.3 if who in self._met else 0.8):
                self._met.add(who)
                parts += self.fresh(lambda who=who: self._habit(scene, who, event))  # type: ignore[misc]
        return parts

    def _introduce(self, scene: Scene, who: str, event: Event, lame: bool) -> str:
        scene.cast("X", who, event.day)
        person = self.world.person[who]
        sentences = [scene.tell("who")]
        if not lame:
            pools = self._ways(person)[: 2 if self.rng.random() < 0.35 else 1]
            sentences += [scene.tell(pool) for pool in pools]
        return self.join(*self.voice.flow(sentences, person))

    def _habit(self, scene: Scene, who: str, event: Event) -> str:
        scene.cast("X", who, event.day)
        person = self.world.person[who]
        pools = self._ways(person)
        if self.rng.random() < 0.5:
            pools.reverse()
        return self.join(*self.voice.flow([scene.tell(pool) for pool in pools], person))

    def _ways(self, person: Person) -> list[str]:
        """Pools of what this person is always seen doing, less those that this unit has drawn from enough."""
        habit = person.habits[self.rng.random() < 0.5]
        pools = [f"habit.{habit}", f"work.{person.trade}"]
        pools = [pool for pool in pools if self._drawn[pool] < _MOST_DRAWS] or [f"habit.{person.habits[0]}"]
        self._drawn.update(pools)
        return pools

    def _core(self, scene: Scene, event: Event, pool: str) -> str:
        told = scene.tell(f"{pool}.core")
        if event.cause is None and event.reason is None:
            return told
        because = self._because(scene, event)
        scene.values |= {"because": because, "Because": self.voice.capital(because)}
        why = scene.tell("why")
        return f"{told} ¶ {why}" if "¶" in told else self.join(told, why)

    def _because(self, scene: Scene, event: Event) -> str:
        if event.cause is not None:
            cause = self.world.events[event.cause]
            pool = f"{cause.action}.{'had' if cause.done else 'hadnot'}"
            return scene.clause(act_of(cause), self.by.decks.draw(pool))
        return scene.clause(act_of(event), self.by.decks.stock[f"{event.action}.because.{event.reason}"][0])

    def _after(self, scene: Scene, event: Event, pool: str, stage: str) -> str:
        sentences = [scene.tell(f"{pool}.after")]
        if stage in ("meet", "court") and self.rng.random() < 0.5:
            sentences.insert(0, scene.tell("bystander"))
        for felt in self.told:
            if felt.action == "feel" and felt.cause == event.id:
                sentences.append(self.scene(felt).tell(f"feel.{felt.item}"))
        if self._relation is not None and self._first_with(self._relation) is event:
            sentences.append(self._kin(self._relation, event))
        elif stage not in ("sick", "water") and event.action not in _NO_HOME and self.rng.random() < 0.4:
            sentences.append(scene.tell("homeward"))
        return self.join(*sentences)

    def _first_with(self, relation: Relation) -> Event:
        pair = {relation.subject, relation.object}
        return next(event for event in self.told if pair & set(people_of(event).values()))

    def _kin(self, relation: Relation, event: Event) -> str:
        scene = self.scene(event)
        scene.cast("A", relation.subject, event.day)
        scene.cast("B", relation.object, event.day)
        scene.values |= self.voice.relation(relation, self.world)
        return scene.tell("kin" if relation.name in BONDS or self.rng.random() < 0.5 else "kin.blood")
