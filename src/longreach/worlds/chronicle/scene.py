"""The slots of one scene or sentence: who is meant, what is counted, and what each is called at this point."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from .kinds import KINDS
from .template import Decks, Pattern, expand, parse
from .voice import Voice
from .world import Act, Event, Person

__all__ = ["Names", "Scene", "act_of", "people_of"]


def act_of(event: Event) -> Act:
    """All that an event is, as a description of it."""
    return Act(
        action=event.action,
        subject=event.subject,
        object=event.object,
        other=event.other,
        amount=event.amount,
        item=event.item,
        place=event.place,
        day=event.day,
        manner=event.manner,
        done=event.done,
    )


def people_of(act: Act | Event) -> dict[str, str]:
    """Who takes part, by letter."""
    roles = (act.subject, act.object, act.other)
    return {letter: who for letter, who in zip("ABC", roles, strict=True) if who is not None}


class Names:
    """Who was named already: the whole name comes first, then mostly the given name."""

    def __init__(self, voice: Voice, again: float = 0.0, random: Callable[[], float] | None = None) -> None:
        self._voice = voice
        self._again = again
        """How often the whole name comes back when a new scene begins."""
        self._random = random or (lambda: 1.0)
        self._told: set[str] = set()
        self._here: set[str] = set()
        self._log: list[tuple[set[str], str]] = []
        """Who was added to which of the two since the scene began, so that it can be taken back."""

    def scene(self) -> None:
        """A new scene begins."""
        self._here.clear()
        self._log.clear()

    def mark(self) -> int:
        """This point of the scene, to come `back` to where a text is thrown away."""
        return len(self._log)

    def back(self, mark: int) -> None:
        """As if nobody had been named since the mark."""
        while len(self._log) > mark:
            where, who = self._log.pop()
            where.discard(who)

    def since(self, mark: int) -> list[tuple[set[str], str]]:
        """Who was named since the mark, to be named `again` after a return to it."""
        return self._log[mark:]

    def again(self, named: list[tuple[set[str], str]]) -> None:
        """As if these had just been named."""
        for where, who in named:
            self._add(where, who)

    def name(self, person: Person) -> str:
        """What to call this person now."""
        who = person.id
        if who in self._here:
            return self._voice.short(person)
        self._add(self._here, who)
        if who in self._told and self._random() >= self._again:
            return self._voice.short(person)
        if who not in self._told:
            self._add(self._told, who)
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
        said: set[str] | None = None,
    ) -> None:
        self.voice = voice
        self._said = set() if said is None else said
        """Sentences that were used not long ago, and are not to be used again yet."""
        self.names = names
        self._people = people
        self._decks = decks
        self._rng = rng
        self._roles: dict[str, Person] = {}
        self.values: dict[str, str] = {}
        self.outdoors = False
        """Whether patterns with doors, tables and the like do not fit."""

    def about(self, act: Act, day: int) -> Scene:
        """The act that patterns speak of from now on."""
        self.values |= self.voice.act(act)
        for letter, who in people_of(act).items():
            self.cast(letter, who, day)
        return self

    def cast(self, letter: str, who: str, day: int) -> None:
        """Let a letter stand for somebody."""
        person = self._people[who]
        self._roles[letter] = person
        self.values |= self.voice.person(letter, person, day)

    def role(self, letter: str) -> str | None:
        """Who a letter stands for."""
        return self._roles[letter].id if letter in self._roles else None

    def tell(self, pool: str) -> str:
        """One pattern of a pool, filled; another one where it would say what was just said."""
        text = ""
        mark = self.names.mark()
        for _ in range(_TRIES):
            self.names.back(mark)
            text = expand(self._decks.draw(pool), self.slot, self._decks.draw, self._rng.random)
            if text not in self._said and not self._misplaced(text):
                break
        self._said.add(text)
        return text

    def _misplaced(self, text: str) -> bool:
        """Whether a sentence speaks of a room and the scene is in the open."""
        return self.outdoors and self.voice.is_indoors(text)

    def tell_other(self, pool: str) -> str:
        """A pattern of the pool other than the last one."""
        others = [pattern for pattern in self._decks.stock[pool] if pattern is not self._decks.last(pool)]
        text = ""
        mark = self.names.mark()
        for _ in range(_TRIES):
            self.names.back(mark)
            text = self.fill(others[int(self._rng.random() * len(others))])
            if not self._misplaced(text):
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
        """What a slot holds."""
        value = self.values.get(name)
        if value is not None:
            return value if "{" not in value else self.fill(parse(value))
        if name.endswith("'s"):
            return self.voice.owner(self.names.name(self._roles[name[0]]))
        return self.names.name(self._roles[name])
