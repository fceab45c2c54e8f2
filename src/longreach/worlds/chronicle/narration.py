"""Narrates a unit: scenes in the order of events, with dialogue, town, weather and memories between them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from random import Random

from .simulation import OUTDOORS
from .template import Decks, Pattern, expand, load_stock, parse
from .voices import Voice
from .world import KINDS, RELATIONS, Act, Event, Person, Register, Relation, causes, day_of_month, season

# The slots of one scene or sentence: people, amounts, and their current names.


def act_of(event: Event) -> Act:
    """An event as a full description."""
    return Act.model_construct(**{name: getattr(event, name) for name in Act.__dataclass_fields__})


def people_of(act: Act | Event) -> dict[str, str]:
    """The participants, by letter."""
    roles = (act.subject, act.object, act.other)
    return {letter: who for letter, who in zip("ABC", roles, strict=True) if who is not None}


class Names:
    """Tracks who has been named: the full name comes first, then mostly the given name."""

    def __init__(self, voice: Voice, again: float = 0.0, random: Callable[[], float] | None = None) -> None:
        self._voice = voice
        self._again = again
        """Probability that the full name is used again in a new scene."""
        self._random = random or (lambda: 1.0)
        self._introduced: set[str] = set()
        self._here: set[str] = set()
        self._log: list[tuple[set[str], str]] = []
        """Undo log: who was added to which of the two sets since the scene began."""

    def scene(self) -> None:
        """Start a new scene."""
        self._here.clear()
        self._log.clear()

    def mark(self) -> int:
        """A mark of this point in the scene, to roll `back` to when a text is discarded."""
        return len(self._log)

    def back(self, mark: int) -> None:
        """Roll back to the mark."""
        while len(self._log) > mark:
            where, who = self._log.pop()
            where.discard(who)

    def since(self, mark: int) -> list[tuple[set[str], str]]:
        """People named since the mark, to be named `again` after a rollback."""
        return self._log[mark:]

    def again(self, named: list[tuple[set[str], str]]) -> None:
        """Mark these people as just named."""
        for where, who in named:
            self._add(where, who)

    def name(self, person: Person) -> str:
        """What to call this person now."""
        who = person.id
        if who in self._here:
            return self._voice.short(person)
        self._add(self._here, who)
        if who in self._introduced and self._random() >= self._again:
            return self._voice.short(person)
        if who not in self._introduced:
            self._add(self._introduced, who)
        return self._voice.full(person)

    def _add(self, where: set[str], who: str) -> None:
        where.add(who)
        self._log.append((where, who))


_TRIES = 8


class Scene:
    """Fills patterns about one act."""

    def __init__(
        self,
        voice: Voice,
        people: Mapping[str, Person],
        names: Names,
        decks: Decks,
        rng: Random,
        used: set[str] | None = None,
    ) -> None:
        self.voice = voice
        self._used = set() if used is None else used
        """Recently used sentences, which must not be repeated yet."""
        self.names = names
        self._people = people
        self._decks = decks
        self._rng = rng
        self._roles: dict[str, Person] = {}
        self.values: dict[str, str] = {}
        self.outdoors = False
        """Whether patterns with doors, tables and the like do not fit."""

    def about(self, act: Act, day: int) -> Scene:
        """Set the act that patterns refer to."""
        self.values |= self.voice.act(act)
        for letter, who in people_of(act).items():
            self.cast(letter, who, day)
        return self

    def cast(self, letter: str, who: str, day: int) -> None:
        """Bind a letter to a person."""
        person = self._people[who]
        self._roles[letter] = person
        self.values |= self.voice.person(letter, person, day)

    def tell(self, pool: str) -> str:
        """A filled pattern of a pool; another one if it would repeat a recent sentence."""
        text = self._fitting(lambda: self._decks.draw(pool), self._used)
        self._used.add(text)
        return text

    def tell_other(self, pool: str) -> str:
        """A pattern of the pool other than the last one."""
        others = [pattern for pattern in self._decks.stock[pool] if pattern is not self._decks.last(pool)]
        return self._fitting(lambda: others[int(self._rng.random() * len(others))], set())

    def _fitting(self, draw: Callable[[], Pattern], known: set[str]) -> str:
        """The first of some drawn patterns that is not known and, in an outdoor scene, mentions no room; else the
        last."""
        text, mark = "", self.names.mark()
        for _ in range(_TRIES):
            self.names.back(mark)
            text = self.fill(draw())
            if text not in known and not (self.outdoors and self.voice.is_indoors(text)):
                break
        return text

    def fill(self, pattern: Pattern) -> str:
        """A given pattern, filled."""
        return expand(pattern, self.slot, self._decks.draw, self._rng.random)

    def clause(self, act: Act, pattern: Pattern) -> str:
        """A clause about another act, which names people as the text around it does; `at` brings its own space."""
        inner = Scene(self.voice, self._people, self.names, self._decks, self._rng).about(act, act.day or 0)
        at = inner.values.get("at", "")
        inner.values["at"] = self.voice.space + at if at and KINDS[act.action].place != "home" else ""
        return inner.fill(pattern)

    def slot(self, name: str) -> str:
        """The value of a slot."""
        value = self.values.get(name)
        if value is not None:
            return value if "{" not in value else self.fill(parse(value))
        if name.endswith("'s"):
            return self.voice.owner(self.names.name(self._roles[name[0]]))
        return self.names.name(self._roles[name])


# The state of a book's narration: paragraphs and sentences used, people introduced, and the next patterns.

_REMEMBERED = 4
"""Units after which a person is introduced again."""
_BREAK = "¶"
_BEAT = "beat"
"""The pool of background sentences."""
_BEATS = 0.12
"""Share of dialogue lines with a background sentence; higher where a line repeats an earlier one."""


class NarrationState:
    """The state of one book's narration."""

    def __init__(self, voice: Voice, seed: int, count: Callable[[str], float], low: int, high: int) -> None:
        self.voice = voice
        self.rng = Random(f"chronicle narrator {voice.language} {seed}")
        self.decks = Decks(load_stock(voice.language), self.rng)
        self.count = count
        self.low, self.high = low, high
        """Minimum and maximum tokens per unit."""
        self.used: set[str] = set()
        """Sentences of this unit and of the one before."""
        self._before: set[str] = set()
        self._used: set[str] = set()
        """Paragraphs of the book with the names masked."""
        self._introduced: dict[str, int] = {}

    def next_unit(self) -> None:
        """Forget the sentences of the unit before the last."""
        fresh = self.used - self._before
        self._before, self.used = fresh, set(fresh)

    def introduce(self, who: str, number: int) -> bool:
        """Whether a person must be introduced in this unit: again after a few units, for readers who forget."""
        due = number - self._introduced.get(who, -_REMEMBERED) >= _REMEMBERED
        if due:
            self._introduced[who] = number
        return due

    def fresh(self, make: Callable[[], str], names: Names) -> list[str]:
        """Paragraphs whose wording, names masked, is new in the book."""
        mark = names.mark()
        best: list[str] = []
        kept: list[tuple[set[str], str]] = []
        fewest = -1
        for _ in range(_TRIES):
            names.back(mark)
            found = [self.voice.finish(part.strip()) for part in make().split(_BREAK)]
            repeated = self._repeated(found)
            if fewest < 0 or repeated < fewest:
                best, fewest, kept = found, repeated, names.since(mark)
            if not repeated:
                break
        names.back(mark)
        names.again(kept)
        if len(best) > 1:
            best = [part if self.rng.random() > _BEATS else self._with_beat(part) for part in best]
        return self._varied(best)

    def _repeated(self, paragraphs: list[str]) -> int:
        shapes = [self.voice.mask(paragraph) for paragraph in paragraphs]
        return sum(shape in self._used for shape in shapes) + len(shapes) - len(set(shapes))

    def _varied(self, paragraphs: list[str]) -> list[str]:
        """The paragraphs; one that repeats an earlier wording gets a background sentence or two."""
        done: list[str] = []
        for paragraph in paragraphs:
            while (shape := self.voice.mask(paragraph)) in self._used:
                paragraph = self._with_beat(paragraph)
            self._used.add(shape)
            done.append(paragraph)
        return done

    def _with_beat(self, paragraph: str) -> str:
        scene = Scene(self.voice, {}, Names(self.voice), self.decks, self.rng, self.used)
        return self.voice.finish(paragraph + self.voice.space + scene.tell(_BEAT))


# Narrates a unit: scenes in the order of events, with dialogue, town, weather and memories between them.

_SEEN_BY_OTHER = ("write", "bequeath", "nurse")
"""Events whose scene is set where the object is: the reader of a letter, an heir, a patient."""
_ABSENT = {"bequeath": "A", "write": "A", "answer": "B", "cheat": "B"}
"""Participants of an event who are not present."""
_INDOORS = ("sick", "letter")
_MOST_DRAWS = 2
_NO_HOME = ("depart", "return", "arrive", "marry")
"""Events after which nobody simply goes home."""
_AT_EASE = ("lend", "repay", "buy", "sell", "partner", "rent", "give", "apprentice", "wager", "arrive", "find")
"""Kinds of event that small talk may precede."""
_MOST = {"small": 3, "said": 1, "tale": 1, "recall": 4, "report": 3, "town": 3, "muse": 2}
"""Maximum paragraphs of each kind between the scenes of a unit."""
_SCENES_ONLY = 600
"""Units of at most so many tokens have no heading, opening or closing."""
_BARE = 280
"""Scenes of units of at most so many tokens have neither introductions nor talk."""
_RECENT = 6
"""Number of a person's events that are still remembered."""


class UnitNarration:
    """One unit."""

    def __init__(
        self, state: NarrationState, world: Register, number: int, events: list[Event], relation: Relation | None
    ) -> None:
        state.next_unit()
        self.state = state
        self.voice = state.voice
        self.rng = state.rng
        self.world = world
        self.number = number
        self.events = events
        self.names = Names(self.voice, 0.35, self.rng.random)
        self._relation = relation
        self._met: set[str] = set()
        """People who have appeared in this unit."""
        self._day: int | None = None
        self._month_named = False
        self._drawn: Counter[str] = Counter()

    def text(self) -> str:
        """The whole unit, with its heading."""
        main = [event for event in self.events if event.action != "feel"]
        if self.state.high <= _SCENES_ONLY:
            return "\n\n".join(part for event in main for part in self.scene_of(event))
        filler = _Filler(self)
        blocks = [filler.plain(main[0], "open"), *(self.scene_of(event) for event in main)]
        blocks.append(filler.plain(main[-1], "close"))
        filler.fill_up(blocks, main)
        return "\n\n".join([self._heading(main), *(part for block in blocks for part in block)])

    def fresh(self, make: Callable[[], str]) -> list[str]:
        """Paragraphs that no unit has used before."""
        return self.state.fresh(make, self.names)

    def scene(self, event: Event) -> Scene:
        """An empty scene about an event."""
        scene = Scene(self.voice, self.world.person, self.names, self.state.decks, self.rng, self.state.used)
        scene.values |= {
            "town": self.voice.town,
            "Town": self.voice.town,
            "river": self.voice.river,
            "inn.the": self.voice.spot("inn")["p"],
            **self.voice.time(event.day),
        }
        scene.outdoors = event.place in OUTDOORS and KINDS[event.action].stage == "meet"
        return scene.about(act_of(event), event.day)

    def sky(self, day: int) -> str:
        """The pool of sentences about the weather or, once per unit, about the month."""
        if not self._month_named and self.rng.random() < 0.2:
            self._month_named = True
            return f"month.{day_of_month(day)[1]}"
        return f"sky.{season(day)}"

    def join(self, *sentences: str) -> str:
        """Sentences as one paragraph."""
        return self.voice.space.join(sentence for sentence in sentences if sentence)

    def _heading(self, main: list[Event]) -> str:
        chosen = (main[self.rng.randrange(len(main) - 1)], main[-1]) if len(main) > 1 else main[:1]
        titles = [self.scene(event).tell(f"{event.action}{self._not(event)}.title") for event in chosen]
        return self.voice.heading(self.number, main[0].day, titles)

    def _not(self, event: Event) -> str:
        """The pool-name suffix for an event that did not happen, where the pool has one."""
        return "" if event.done or f"{event.action}.not.title" not in self.state.decks.stock else ".not"

    def scene_of(self, event: Event) -> list[str]:
        """The paragraphs about one event: place, people, what happens, what follows."""
        self.names.scene()
        scene, place = self._open(event)
        stage = KINDS[event.action].stage
        pool = event.action if event.done else f"{event.action}.not"
        stock = self.state.decks.stock
        parts = self.fresh(lambda: self._setting(scene, event, stage, place))
        if self.state.high <= _BARE:
            self._day = event.day
            parts += self.fresh(lambda: self._core(scene, event, pool))
            return parts + self.fresh(lambda: self._after(scene, event, pool, stage))
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
        """A scene for the event, with its focal person and place."""
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
        """Introduce people who are new to this unit; show the others in their habits."""
        parts: list[str] = []
        for letter, who in people_of(event).items():
            if _ABSENT.get(event.action) == letter:
                continue
            # Nobody hums over work in bed or in the water.
            helpless = stage in ("sick", "water") and not (event.action == "nurse" and letter == "A")
            if who not in self._met and self.state.introduce(who, self.number):
                self._met.add(who)
                parts += self.fresh(lambda who=who, helpless=helpless: self._introduce(scene, who, event, helpless))  # type: ignore[misc]
            elif not helpless and stage not in _INDOORS and self.rng.random() < (0.3 if who in self._met else 0.8):
                self._met.add(who)
                parts += self.fresh(lambda who=who: self._habit(scene, who, event))  # type: ignore[misc]
        return parts

    def _introduce(self, scene: Scene, who: str, event: Event, helpless: bool) -> str:
        scene.cast("X", who, event.day)
        person = self.world.person[who]
        sentences = [scene.tell("who")]
        if not helpless:
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
        """Pools of this person's habits, without those that this unit has used enough."""
        habit = person.habits[self.rng.random() < 0.5]
        pools = [f"habit.{habit}", f"work.{person.trade}"]
        pools = [pool for pool in pools if self._drawn[pool] < _MOST_DRAWS] or [f"habit.{person.habits[0]}"]
        self._drawn.update(pools)
        return pools

    def _core(self, scene: Scene, event: Event, pool: str) -> str:
        text = scene.tell(f"{pool}.core")
        if event.cause is None and event.reason is None:
            return text
        because = self._because(scene, event)
        scene.values |= {"because": because, "Because": self.voice.capital(because)}
        why = scene.tell("why")
        return f"{text} ¶ {why}" if "¶" in text else self.join(text, why)

    def _because(self, scene: Scene, event: Event) -> str:
        if event.cause is not None:
            cause = self.world.events[event.cause]
            pool = f"{cause.action}.{'had' if cause.done else 'hadnot'}"
            return scene.clause(act_of(cause), self.state.decks.draw(pool))
        return scene.clause(act_of(event), self.state.decks.stock[f"{event.action}.because.{event.reason}"][0])

    def _after(self, scene: Scene, event: Event, pool: str, stage: str) -> str:
        sentences = [scene.tell(f"{pool}.after")]
        if stage in ("meet", "court") and self.rng.random() < 0.5:
            sentences.insert(0, scene.tell("bystander"))
        for felt in self.events:
            if felt.action == "feel" and felt.cause == event.id:
                sentences.append(self.scene(felt).tell(f"feel.{felt.item}"))
        if self._relation is not None and self._first_with(self._relation) is event:
            sentences.append(self._kin(self._relation, event))
        elif stage not in ("sick", "water") and event.action not in _NO_HOME and self.rng.random() < 0.4:
            sentences.append(scene.tell("homeward"))
        return self.join(*sentences)

    def _first_with(self, relation: Relation) -> Event:
        pair = {relation.subject, relation.object}
        return next(event for event in self.events if pair & set(people_of(event).values()))

    def _kin(self, relation: Relation, event: Event) -> str:
        scene = self.scene(event)
        scene.cast("A", relation.subject, event.day)
        scene.cast("B", relation.object, event.day)
        scene.values |= self.voice.relation(relation, self.world)
        return scene.tell("kin" if RELATIONS[relation.name].bond or self.rng.random() < 0.5 else "kin.blood")


class _Filler:
    """Fills a unit up to its length, mostly with what belongs to its plots."""

    def __init__(self, narration: UnitNarration) -> None:
        self._of = narration
        self._had = dict.fromkeys(_MOST, 0)
        self._recalled: set[int] = set()

    def plain(self, event: Event, pool: str) -> list[str]:
        """The first or the last paragraph."""
        of = self._of
        scene = of.scene(event)
        return of.fresh(lambda: of.join(scene.tell(pool), scene.tell(of.sky(event.day))))

    def fill_up(self, blocks: list[list[str]], main: list[Event]) -> None:
        """Add paragraphs after scenes (or talk inside them) until the unit has its length."""
        of, by = self._of, self._of.state
        size = sum(by.count(part) + 2 for block in blocks for part in block)
        span = by.high - by.low
        target = by.low + span * (0.05 + 0.3 * of.rng.random())
        order = of.rng.sample(range(len(main)), len(main))
        turn = 0
        while size < target:
            at = order[turn % len(order)]
            kind = self._choose(main[at], spare=turn >= 3 * len(order))
            turn += 1
            if kind is None:
                continue
            of.names.scene()
            added = self._write(kind, main, at)
            cost = sum(by.count(part) + 2 for part in added)
            if size + cost > by.high - 0.02 * span:
                break
            block = blocks[at + 1]
            if kind in ("small", "said"):
                block[1:1] = added
            else:
                block += added
            size += cost

    def _choose(self, event: Event, *, spare: bool) -> str | None:
        """A kind of paragraph that fits this event and is not too frequent yet."""
        kinds = [kind for kind, had in self._had.items() if had < _MOST[kind] or (spare and kind in ("town", "muse"))]
        if event.action not in _AT_EASE:
            kinds = [kind for kind in kinds if kind not in ("small", "said")]
        if "recall" in kinds and not self._memories(event):
            kinds.remove("recall")
        if not kinds:
            return None
        kind = kinds[int(self._of.rng.random() * len(kinds))]
        self._had[kind] += 1
        return kind

    def _write(self, kind: str, main: list[Event], at: int) -> list[str]:
        of = self._of
        scene = of.scene(main[at])
        if kind == "recall":
            memory = of.rng.choice(self._memories(main[at]))
            self._recalled.add(memory.id)
            for name, tense in (("had", "had"), ("past", "past")):
                pool = f"{memory.action}.{tense if memory.done else {'had': 'hadnot', 'past': 'not'}[tense]}"
                pattern = of.state.decks.draw(pool)
                mark = of.names.mark()
                scene.values[name] = scene.clause(act_of(memory), pattern)
                of.names.back(mark)
            return of.fresh(lambda: of.join(scene.tell("recall"), scene.tell("muse")))
        if kind == "report":
            event = main[at]
            pattern = of.state.decks.draw(f"{event.action}.{'past' if event.done else 'not'}")
            past = scene.clause(act_of(event), pattern)
            scene.values |= {"past": past, "Past": of.voice.capital(past)}
            return of.fresh(lambda: of.join(scene.tell("report"), scene.tell("town")))
        if kind == "town":
            return of.fresh(lambda: of.join(scene.tell("town"), scene.tell("muse")))
        if kind == "muse":
            return of.fresh(lambda: of.join(scene.tell(of.sky(main[at].day)), scene.tell("muse")))
        return of.fresh(lambda: scene.tell(kind))

    def _memories(self, event: Event) -> list[Event]:
        """What these people last did in earlier units, apart from the causes of this event."""
        of = self._of
        known = {event.id, *self._recalled, *(cause.id for cause in causes(of.world, event))}
        found = {
            past.id: past
            for who in people_of(event).values()
            for past in of.world.by_person.get(who, ())[-_RECENT:]
            if past.unit < of.number and past.action != "feel" and past.id not in known
        }
        return [found[key] for key in sorted(found)]
