"""Stories of consecutive units, and pairs of summaries over them: one with an error, one without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from random import Random

from longreach.worlds.error_types import FAITHFUL, HALLUCINATED, NO_TYPE, POSITIONS, ErrorType, Truth

from .books import Book, Unit, Version

__all__ = ["Sample", "Story", "candidate_stories", "pair_up", "position_of"]

_TOLERANCE = 0.25
"""A story may have so much more or less than the tokens asked for."""
_JOIN = "\n\n"
"""Between the summaries of two units."""


@dataclass(frozen=True)
class Story:
    """Consecutive units of a book."""

    book: str
    first: int
    count: int


@dataclass(frozen=True)
class Sample:
    """One summary of one story."""

    id: str
    size: str
    story: Story
    units: tuple[Unit, ...]
    place: int
    """Which unit's summary is replaced."""
    version: Version
    position: str
    evidence: str
    """A faithful sentence of the replaced part: the text that bears it out is shown to readers."""

    @property
    def truth(self) -> Truth:
        return HALLUCINATED if self.version.type else FAITHFUL

    @property
    def type(self) -> str:
        return self.version.type or NO_TYPE

    def summary(self) -> str:
        """The units' summaries joined, one of them replaced."""
        parts = [unit.summary for unit in self.units]
        parts[self.place] = self.version.text
        return _JOIN.join(parts)

    def wrong_at(self) -> tuple[int, int] | None:
        """Where the wrong sentence stands in the summary, in characters."""
        if not self.version.type:
            return None
        before = sum(len(unit.summary) + len(_JOIN) for unit in self.units[: self.place])
        start = before + self.version.text.find(self.version.sentence)
        return start, start + len(self.version.sentence)


def candidate_stories(
    books: Sequence[Book], tokens: Mapping[str, int], target: int, *, one_unit: bool, rng: Random
) -> Iterator[Story]:
    """Stories of about `target` tokens, books in turn; those that share no unit come first."""
    order = list(books)
    rng.shuffle(order)
    by_book = [_stories(book, tokens, target, one_unit, rng) for book in order]
    for turn in zip_longest(*by_book):
        yield from (story for story in turn if story is not None)


def _stories(book: Book, tokens: Mapping[str, int], target: int, one_unit: bool, rng: Random) -> list[Story]:
    counts = [tokens[unit.id] for unit in book.units]
    fitting: dict[int, int] = {}
    for first in range(len(counts)):
        found = 1 if one_unit else _units_for(counts[first:], target)
        if found:
            fitting[first] = found
    if not fitting:
        return []
    # Where the book is longer than its stories side by side, luck decides where the first begins.
    spare = _left_over(fitting, 0, len(counts))
    first = rng.randrange(spare + 1)
    apart: list[int] = []
    while first < len(counts):
        if first in fitting:
            apart.append(first)
            first += fitting[first]
        else:
            first += 1
    others = [start for start in fitting if start not in apart]
    rng.shuffle(others)
    return [Story(book.id, start, fitting[start]) for start in [*apart, *others]]


def _units_for(counts: Sequence[int], target: int) -> int:
    """How many units come nearest to the target; 0 where none come near."""
    total, best, distance = 0, 0, float(target)
    for number, count in enumerate(counts, 1):
        total += count
        if abs(total - target) < distance:
            best, distance = number, abs(total - target)
        if total > target:
            break
    return best if distance <= _TOLERANCE * target else 0


def _left_over(fitting: Mapping[int, int], first: int, units: int) -> int:
    """Units behind the last of the stories that begin at `first` and lie side by side."""
    while first in fitting:
        first += fitting[first]
    return max(0, units - first)


def position_of(place: int, count: int, within: float) -> str:
    """The third of the story: by the unit, and inside it by the place in its summary."""
    share = (place + within) / count
    return POSITIONS[min(2, int(3 * share))]


@dataclass(frozen=True)
class _Pair:
    place: int
    wrong: Version
    faithful_place: int
    faithful: Version
    position: str


def pair_up(
    size: str,
    stories: Sequence[Story],
    units: Mapping[Story, tuple[Unit, ...]],
    wanted: int,
    per_story: int,
    types: Sequence[ErrorType],
    rng: Random,
    elsewhere: Counter[str] | None = None,
) -> list[Sample]:
    """Pairs over the stories, types and positions as even as the versions allow; no more than `per_story` over one
    while others have some left, and no faithful summary of a story twice. Where all else is equal, the type comes
    that is rarest `elsewhere`, so that few pairs at several sizes still show all types."""
    others = elsewhere or Counter()
    open_pairs = {story: list(_pairs(units[story], types)) for story in stories}
    used: Counter[Story] = Counter()
    seen: Counter[str] = Counter()
    samples: list[Sample] = []
    number = 0
    most = per_story
    while number < wanted and any(open_pairs.values()):
        ready = [story for story in stories if open_pairs[story] and used[story] < most]
        if not ready:
            most += 1
            continue
        for story in ready[: wanted - number]:
            crowding = partial(_crowding, seen=seen, types=len(types), story=story)
            chosen = min(
                open_pairs[story], key=lambda pair: (crowding(pair), others[f"{pair.wrong.type}"], rng.random())
            )
            # The same faithful summary twice would be the same request twice.
            open_pairs[story] = [pair for pair in open_pairs[story] if pair.faithful.text != chosen.faithful.text]
            used[story] += 1
            number += 1
            _note(chosen, seen, story)
            samples += _samples(f"{size}-{number:03}", size, story, units[story], chosen)
    return samples


def _pairs(units: Sequence[Unit], types: Sequence[ErrorType]) -> Iterable[_Pair]:
    for place, unit in enumerate(units):
        for wrong in unit.wrong:
            if wrong.type not in types:
                continue
            partner = _partner(units, place, wrong)
            if partner is not None:
                position = position_of(place, len(units), wrong.place)
                yield _Pair(place, wrong, partner[0], partner[1], position)


def _partner(units: Sequence[Unit], place: int, wrong: Version) -> tuple[int, Version] | None:
    """The faithful version that the wrong one was made from; else one made the same way, of the same unit or the
    nearest that has one; else any of the unit."""
    own = units[place].faithful
    whole = wrong.text.replace(wrong.sentence, wrong.correction)
    near = sorted(range(len(units)), key=lambda other: abs(other - place))
    choices = (
        *((place, version) for version in own if version.text == whole),
        *((other, version) for other in near for version in units[other].faithful if version.way == wrong.way),
        *((place, version) for version in own),
    )
    return next(iter(choices), None)


def _crowding(pair: _Pair, seen: Counter[str], types: int, story: Story) -> tuple[float, ...]:
    """How much of this there is already. In a story of several units any type can stand anywhere, so places come
    first; in one unit a place leaves few types to choose from, so both weigh as much as they are to be expected."""
    place, kind = seen[pair.position], seen[f"type {pair.wrong.type}"]
    other = (
        2 * seen[f"way {pair.wrong.way}"]
        + 2 * seen[f"unit {story.book} {story.first + pair.place}"]
        + seen[f"both {pair.position} {pair.wrong.type}"]
    )
    if story.count < len(POSITIONS):
        return (3 * place + types * kind + other,)
    return (seen[f"here {story} {pair.position}"], place, kind, other)


def _note(pair: _Pair, seen: Counter[str], story: Story) -> None:
    seen[pair.position] += 1
    seen[f"type {pair.wrong.type}"] += 1
    seen[f"way {pair.wrong.way}"] += 1
    seen[f"unit {story.book} {story.first + pair.place}"] += 1
    seen[f"both {pair.position} {pair.wrong.type}"] += 1
    seen[f"here {story} {pair.position}"] += 1


def _samples(name: str, size: str, story: Story, units: tuple[Unit, ...], pair: _Pair) -> list[Sample]:
    shown = pair.wrong.correction or pair.wrong.sentence
    other = shown if pair.faithful_place == pair.place else pair.faithful.text
    return [
        Sample(f"{name}-h", size, story, units, pair.place, pair.wrong, pair.position, shown),
        Sample(f"{name}-f", size, story, units, pair.faithful_place, pair.faithful, pair.position, other),
    ]
