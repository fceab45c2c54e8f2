"""The state of a book's narration: paragraphs and sentences used, people introduced, and the next patterns."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from .scene import Names, Scene
from .template import Decks, load_stock
from .voice import Voice

__all__ = ["NarrationState"]

_TRIES = 8
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
