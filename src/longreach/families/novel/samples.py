"""Stories of consecutive units, and pairs of summaries over them: one with an error, one without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import zip_longest
from random import Random

from longreach.worlds import FAITHFUL, HALLUCINATED, NO_TYPE, POSITIONS, ErrorType, Truth

from .books import Book, Unit, Version

_TOLERANCE = 0.25
"""Tolerance of a story's tokens around the target."""
BETWEEN_UNITS = "\n\n"
"""Separates the summaries of two units."""
_DRAWS = 20
"""Attempts at a faithful summary of a story that no other sample has."""


@dataclass(frozen=True)
class Story:
    """Consecutive units of a book."""

    book: str
    first: int
    count: int


@dataclass(frozen=True)
class SummarySample:
    """One summary of one story, at most one of its units with an error: every unit reworded by one process, or the
    others as they were summarised."""

    id: str
    size: str
    story: Story
    units: tuple[Unit, ...]
    place: int
    """The unit whose summary has the error, or has it in the faithful sample's partner."""
    versions: tuple[Version, ...]
    """One per unit."""
    position: str
    evidence: str
    """A faithful sentence of the unit at `place`: the paragraph that supports it is displayed."""

    @property
    def version(self) -> Version:
        """The version at `place`."""
        return self.versions[self.place]

    @property
    def truth(self) -> Truth:
        return HALLUCINATED if self.version.type else FAITHFUL

    @property
    def type(self) -> str:
        return self.version.type or NO_TYPE

    def summary(self) -> str:
        """The units' summaries joined."""
        return BETWEEN_UNITS.join(version.text for version in self.versions)

    def wrong_at(self) -> tuple[int, int] | None:
        """Start and end of the wrong sentence in the summary, in characters."""
        if not self.version.type:
            return None
        before = sum(len(version.text) + len(BETWEEN_UNITS) for version in self.versions[: self.place])
        start = before + self.version.text.find(self.version.sentence)
        return start, start + len(self.version.sentence)


def candidate_stories(
    books: Sequence[Book], tokens: Mapping[str, int], target: int, *, one_unit: bool, rng: Random
) -> Iterator[Story]:
    """Stories of about `target` tokens, books in turn; disjoint ones come first."""
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
    # Where the book is longer than its stories together, the first one begins at a random unit.
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
    """The number of units nearest to the target; 0 where none is near enough."""
    total, best, distance = 0, 0, float(target)
    for number, count in enumerate(counts, 1):
        total += count
        if abs(total - target) < distance:
            best, distance = number, abs(total - target)
        if total > target:
            break
    return best if distance <= _TOLERANCE * target else 0


def _left_over(fitting: Mapping[int, int], first: int, units: int) -> int:
    """Units left after the last of the adjacent stories that begin at `first`."""
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
    faithful: Version
    """The wording that the wrong version was made from, or another one of the same process."""
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
    *,
    kept: bool = False,
) -> list[SummarySample]:
    """Pairs over the stories, types and positions as balanced as the versions allow; at most `per_story` per story
    while others have some left, and no faithful summary of a story twice. Ties go to the type that is rarest
    `elsewhere`, so that few pairs at several sizes still cover all types. `kept`: the other units of a story have their
    own summaries, whatever process made the pair."""
    others = elsewhere or Counter()
    if kept:
        units = {story: tuple(map(_as_summarised, own)) for story, own in units.items()}
    open_pairs = {story: list(_pairs(units[story], types, kept)) for story in stories}
    used: Counter[Story] = Counter()
    seen: Counter[str] = Counter()
    asked: set[str] = set()
    samples: list[SummarySample] = []
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
            open_pairs[story].remove(chosen)
            made = _worded(f"{size}-{number + 1:03}", size, story, units[story], chosen, rng, asked, kept)
            if made is None:
                continue
            used[story] += 1
            number += 1
            _note(chosen, seen, story)
            samples += made
    return samples


_SUMMARY = "summary"
"""The way of a unit's own summary."""


def _as_summarised(unit: Unit) -> Unit:
    """The unit with its own summary among its faithful versions."""
    return unit.model_copy(update={"faithful": (*unit.faithful, Version(text=unit.summary, way=_SUMMARY))})


def _pairs(units: Sequence[Unit], types: Sequence[ErrorType], kept: bool) -> Iterable[_Pair]:
    """Every wrong version with a faithful one of the same process, where all other units have that process too, or
    their own summaries."""
    for place, unit in enumerate(units):
        for wrong in unit.wrong:
            faithful = _base(unit, wrong) if wrong.type in types else None
            if faithful is not None and all(_wordings(other, _SUMMARY if kept else faithful.way) for other in units):
                yield _Pair(place, wrong, faithful, position_of(place, len(units), wrong.place))


def _base(unit: Unit, wrong: Version) -> Version | None:
    """The wording that the wrong version was made from; else one of the unit's that was made the same way."""
    whole = wrong.corrected()
    made_from = [version for version in unit.faithful if version.text == whole]
    return next(iter([*made_from, *_wordings(unit, wrong.way)]), None)


def _wordings(unit: Unit, way: str) -> list[Version]:
    return [version for version in unit.faithful if version.way == way]


def _worded(
    name: str, size: str, story: Story, units: tuple[Unit, ...], pair: _Pair, rng: Random, asked: set[str], kept: bool
) -> list[SummarySample] | None:
    """The two samples of a pair, equal except for the wrong sentence: each other unit in a random wording. None where
    the story has no faithful summary left."""
    for _ in range(_DRAWS):
        drawn = [rng.choice(_wordings(unit, _SUMMARY if kept else pair.faithful.way)) for unit in units]
        drawn[pair.place] = pair.faithful
        key = f"{story} {[version.text for version in drawn]}"
        # The wrong sentence may be true of another unit: then it must not occur there too.
        if key not in asked and not any(pair.wrong.sentence in version.text for version in drawn):
            break
    else:
        return None
    asked.add(key)
    shown = pair.wrong.correction or pair.wrong.sentence
    wrong = [*drawn[: pair.place], pair.wrong, *drawn[pair.place + 1 :]]
    return [
        SummarySample(f"{name}-{label}", size, story, units, pair.place, tuple(versions), pair.position, shown)
        for label, versions in (("h", wrong), ("f", drawn))
    ]


def _crowding(pair: _Pair, seen: Counter[str], types: int, story: Story) -> tuple[float, ...]:
    """How common this pair's position, type and unit are already. In a story of several units any type can be anywhere,
    so positions come first; in one unit a position allows few types, so both have their expected weight."""
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
