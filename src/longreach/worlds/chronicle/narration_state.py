"""What a narrator remembers of a book: paragraphs and sentences used, who was introduced, which patterns come next."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .scene import Names, Scene
from .template import Decks, load_stock
from .voice import Voice

__all__ = ["NarrationState"]

_TRIES = 8
_REMEMBERED = 4
"""Units for which a reader remembers a face."""
_BREAK = "¶"
_BEAT = "beat"
"""The pool of sentences about what goes on meanwhile."""
_BEATS = 0.12
"""The share of lines of a dialogue that have one; more where a line repeats an earlier one."""


class NarrationState:
    """The memory of one book's narration."""

    def __init__(self, voice: Voice, seed: int, count: Callable[[str], float], low: int, high: int) -> None:
        self.voice = voice
        self.rng = Random(f"chronicle narrator {voice.language} {seed}")
        self.decks = Decks(load_stock(voice.language), self.rng)
        self.count = count
        self.low, self.high = low, high
        """The fewest and the most tokens of a unit."""
        self.said: set[str] = set()
        """Sentences of this unit and of the one before."""
        self._before: set[str] = set()
        self._used: set[str] = set()
        """Paragraphs of the book with the names masked."""
        self._introduced: dict[str, int] = {}

    def next_unit(self) -> None:
        """Forget the sentences of the unit before the last."""
        fresh = self.said - self._before
        self._before, self.said = fresh, set(fresh)

    def introduce(self, who: str, number: int) -> bool:
        """Whether somebody has to be introduced in this unit: again after a few units, for readers who forget."""
        due = number - self._introduced.get(who, -_REMEMBERED) >= _REMEMBERED
        if due:
            self._introduced[who] = number
        return due

    def fresh(self, make: Callable[[], str], names: Names) -> list[str]:
        """Paragraphs whose wording, names masked, the book has not had yet."""
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
        return self._told_apart(best)

    def _repeated(self, paragraphs: list[str]) -> int:
        shapes = [self.voice.mask(paragraph) for paragraph in paragraphs]
        return sum(shape in self._used for shape in shapes) + len(shapes) - len(set(shapes))

    def _told_apart(self, paragraphs: list[str]) -> list[str]:
        """The paragraphs, each that repeats an earlier wording with a sentence or two about what went on meanwhile."""
        done: list[str] = []
        for paragraph in paragraphs:
            while self.voice.mask(paragraph) in self._used:
                paragraph = self._with_beat(paragraph)
            self._used.add(self.voice.mask(paragraph))
            done.append(paragraph)
        return done

    def _with_beat(self, paragraph: str) -> str:
        scene = Scene(self.voice, {}, Names(self.voice), self.decks, self.rng, self.said)
        return self.voice.finish(paragraph + self.voice.space + scene.tell(_BEAT))
