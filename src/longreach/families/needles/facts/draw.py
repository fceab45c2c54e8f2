"""Draws names, things and numbers that are new to the context and distinct within a set."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from random import Random
from typing import Literal

from longreach.errors import BadInput

from .lexicon import Pool
from .values import Value
from .voice import Voice

_QUICK_TRIES = 40


class Draw:
    """Draws values for one fact set; nothing is drawn twice, and nothing that is `taken`."""

    def __init__(self, rng: Random, voice: Voice, taken: Callable[[str], bool]) -> None:
        self.rng = rng
        self.voice = voice
        self._taken = taken
        self._used: set[tuple[str, str]] = set()
        """(category, part) of everything drawn."""
        self.names: list[str] = []
        """Persons and places drawn so far."""
        self.guest: str | None = None
        """Somebody of another set, who is the next person of either sex."""

    def person(self, woman: bool | None = None) -> Value:
        """Somebody new, of either sex unless given."""
        lexicon = self.voice.lexicon
        if woman is None and self.guest is not None:
            name, self.guest = self.guest, None
            return Value(raw=name, category="person", kind="text", answer=name, text=name)
        if woman is None:
            woman = self.rng.random() < 0.5
        firsts = [first for first in (lexicon.women if woman else lexicon.men) if ("first", first) not in self._used]
        self.rng.shuffle(firsts)
        for pool in filter(None, (lexicon.surnames, lexicon.spare_surnames)):
            for left, right in self._pairs(pool):
                marks = self._marks("person", pool, left, right)
                if marks & self._used:
                    continue
                for first in firsts:
                    value = self.voice.person(first, pool.join(left, right))
                    if not self._taken(value.short) and not self._taken(value.answer):
                        self._used |= marks | {("first", first)}
                        self.names.append(value.answer)
                        return value
        raise self._exhausted("people's names")

    def place(self) -> Value:
        """A village, town or site."""
        value = self.noun("place")
        self.names.append(value.answer)
        return value

    def goods(self) -> str:
        """Goods, in the plural."""
        return self.voice.plural(self._from("goods", self.voice.lexicon.goods).answer)

    def noun(self, category: Literal["place", "thing", "room", "trade", "vehicle"]) -> Value:
        """A place, a thing to hold or buy, a room, an occupation or a vehicle."""
        return self._from(category, getattr(self.voice.lexicon, f"{category}s"))

    def amount(self, of: str, below: int | None = None) -> Value:
        """A number from the register's range of this name, below a bound where one is given."""
        span = self.voice.lexicon.ranges[of]
        high = span.high if below is None else min(span.high, below - 1)
        return self.voice.amount(self.rng.randrange(span.low, high + 1, span.step), span.unit)

    def year(self) -> Value:
        """A calendar year that fits the register."""
        span = self.voice.lexicon.ranges["year"]
        return self.voice.year(self.rng.randint(span.low, span.high))

    def weekday(self) -> Value:
        """A day of the week, each at most once per set."""
        free = [index for index in range(7) if ("weekday", str(index)) not in self._used]
        index = self.rng.choice(free)
        self._used.add(("weekday", str(index)))
        return self.voice.weekday(index)

    def _from(self, category: str, pool: Pool) -> Value:
        for left, right in self._pairs(pool):
            marks = self._marks(category, pool, left, right)
            word = pool.join(left, right)
            if not marks & self._used and not self._taken(word):
                self._used |= marks
                return self.voice.noun(category, word, right)
        raise self._exhausted(f"{category} words")

    @staticmethod
    def _marks(category: str, pool: Pool, left: str, right: str) -> set[tuple[str, str]]:
        """What drawing this pair uses up for the rest of the set."""
        parts = {"left": {f"{left}-"}, "right": {f"-{right}"}, "both": {f"{left}-", f"-{right}"}}[pool.distinct]
        return {(category, part) for part in parts}

    def _pairs(self, pool: Pool) -> Iterator[tuple[str, str]]:
        """Random pairs for a while, then every possible pair."""
        for _ in range(_QUICK_TRIES):
            yield self.rng.choice(pool.left), self.rng.choice(pool.right)
        for left in self._order(pool.left):
            for right in self._order(pool.right):
                yield left, right

    def _order(self, items: tuple[str, ...]) -> list[str]:
        return self.rng.sample(items, len(items))

    @staticmethod
    def _exhausted(what: str) -> BadInput:
        return BadInput(
            f"planted facts: all {what} on the list already occur in the haystack; "
            "plant fewer fact sets or decoys, or use another register"
        )
