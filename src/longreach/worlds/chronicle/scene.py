"""The slots of one scene or sentence: people, amounts, and their current names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from .kinds import KINDS
from .template import Decks, Pattern, expand, parse
from .voice import Voice
from .world import Act, Event, Person

__all__ = ["Names", "Scene", "act_of", "people_of"]


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
        text = ""
        mark = self.names.mark()
        for _ in range(_TRIES):
            self.names.back(mark)
            text = expand(self._decks.draw(pool), self.slot, self._decks.draw, self._rng.random)
            if text not in self._used and not self._misplaced(text):
                break
        self._used.add(text)
        return text

    def _misplaced(self, text: str) -> bool:
        """Whether a sentence mentions a room in an outdoor scene."""
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
        """The value of a slot."""
        value = self.values.get(name)
        if value is not None:
            return value if "{" not in value else self.fill(parse(value))
        if name.endswith("'s"):
            return self.voice.owner(self.names.name(self._roles[name[0]]))
        return self.names.name(self._roles[name])
