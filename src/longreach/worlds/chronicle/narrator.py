"""The teller of a whole book, who never uses a paragraph twice."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .scene import Names, Scene
from .telling import Telling
from .template import Decks, load_stock
from .voice import Voice
from .world import Event, Register, Relation

__all__ = ["Narrator"]

_TRIES = 6
_REMEMBERED = 4
"""Units that a reader remembers a face for."""
_BREAK = "¶"


class Narrator:
    """Tells one unit after another."""

    def __init__(self, voice: Voice, seed: int, count: Callable[[str], float], low: int, high: int) -> None:
        self.voice = voice
        self.rng = Random(f"chronicle narrator {voice.language} {seed}")
        self.decks = Decks(load_stock(voice.language), self.rng)
        self.count = count
        self.low, self.high = low, high
        """Tokens that a unit must lie between."""
        self._used: set[str] = set()
        self._introduced: dict[str, int] = {}
        self.said: set[str] = set()
        """Sentences of this unit and of the one before."""
        self._before: set[str] = set()

    def unit(self, world: Register, number: int, told: list[Event], relation: Relation | None) -> str:
        """The text of a unit."""
        fresh = self.said - self._before
        self._before, self.said = fresh, set(fresh)
        return Telling(self, world, number, told, relation).text()

    def introduce(self, who: str, number: int) -> bool:
        """Whether somebody has to be introduced in this unit: again after a few units, for those who forget."""
        due = number - self._introduced.get(who, -_REMEMBERED) >= _REMEMBERED
        if due:
            self._introduced[who] = number
        return due

    def fresh(self, make: Callable[[], str], names: Names) -> list[str]:
        """Paragraphs that were never used before."""
        mark = names.mark()
        found: list[str] = []
        for _ in range(_TRIES):
            names.back(mark)
            found = [self.voice.finish(part.strip()) for part in make().split(_BREAK)]
            if self._used.isdisjoint(found) and len(set(found)) == len(found):
                break
        else:
            found = self._joined(found)
        self._used.update(found)
        return found

    def _joined(self, lines: list[str]) -> list[str]:
        """Lines of a dialogue of which some were used before: each of these stands in one paragraph with the next."""
        found: list[str] = []
        for line in lines:
            if found and (found[-1] in self._used or found[-1] in found[:-1]):
                found[-1] += self.voice.space + line
            else:
                found.append(line)
        while len(found) > 1 and (found[-1] in self._used or found[-1] in found[:-1]):
            found[-2:] = [self.voice.space.join(found[-2:])]
        scene = Scene(self.voice, {}, Names(self.voice), self.decks, self.rng)
        scene.values = {"town": self.voice.town, "Town": self.voice.town, "river": self.voice.river}
        for at, line in enumerate(found):
            while found[at] in self._used or found[at] in found[:at]:
                found[at] = line + self.voice.space + scene.tell("muse")
        return found
