"""Questions about the place of a statement: the number of its section, and the heading after it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from ..questions import Candidate, wording_fault
from .options import alike, choose_around, repeated
from .phrases import PHRASES
from .quotable import unstopped
from .reading import Reading, Stretch
from .terms import Sentence

__all__ = ["section_questions"]

_SAME_CHAPTER = 3
"""Wrong sections that must be of the same chapter."""
_RESTATED = 0.5
"""Share of a statement's words in another sentence from which it states the same."""


def section_questions(
    reading: Reading, passage: int, stretch: Stretch, options: int, rng: Random
) -> Iterator[Candidate]:
    """Questions for the place of each statement of a passage: the number of its section, and the heading after it."""
    outline = reading.outline
    if not outline.headings:
        return
    common = set(stretch.common)
    near = [number for number in range(len(outline.headings)) if outline.passage(number) in common]
    statements = [
        (sentence, number)
        for sentence in reading.by_passage[passage]
        if reading.quotable(sentence, telling=True) and (number := outline.above(sentence)) is not None
    ]
    rng.shuffle(statements)
    for sentence, number in statements:
        if _is_restated(reading, sentence, stretch):
            continue
        if outline.headings[number].depth:
            stem, found, place = _numbered(reading, sentence, number, near, options, rng)
        else:
            stem, found, place = _followed(reading, sentence, number, near, options)
        candidate = Candidate(
            question=stem,
            options=found,
            evidence=sentence.raw,
            also=() if outline.passage(place) == passage else ((outline.passage(place), outline.line(place)),),
            kind="section",
        )
        if len(found) == options and not wording_fault(candidate, options):
            yield candidate


def _numbered(
    reading: Reading, sentence: Sentence, number: int, near: Sequence[int], options: int, rng: Random
) -> tuple[str, tuple[str, ...], int]:
    """The number of the section, among those of near sections of its depth: it may be the first of them or the last."""
    outline = reading.outline
    right = outline.headings[number]
    stem = PHRASES[reading.language]["section"].format(unstopped(sentence.text))
    if number not in near or not outline.is_unique(number) or repeated(right.title, sentence.text):
        return stem, (), number
    chapter = right.number.split(".")[0]
    found = sorted(
        (one for one in near if outline.headings[one].depth == right.depth and outline.is_unique(one)),
        key=lambda one: (-_shared(outline.headings[one].number, right.number), abs(one - number)),
    )
    if sum(outline.headings[one].number.split(".")[0] == chapter for one in found) <= _SAME_CHAPTER:
        return stem, (), number
    wrong = choose_around(number, [one for one in found if one != number], options - 1, rng)
    return stem, tuple(outline.headings[one].number for one in (number, *wrong)), number


def _shared(one: str, other: str) -> int:
    """How many parts two numbers of one depth have in common from the first on."""
    parts = zip(one.split("."), other.split("."), strict=True)
    return next((place for place, (mine, theirs) in enumerate(parts) if mine != theirs), len(one.split(".")))


def _followed(
    reading: Reading, sentence: Sentence, number: int, near: Sequence[int], options: int
) -> tuple[str, tuple[str, ...], int]:
    """The heading after a statement, among its nearest siblings."""
    outline = reading.outline
    stem = PHRASES[reading.language]["heading"].format(unstopped(sentence.text))
    right = number + 1
    if right not in near or not outline.is_clear(right) or repeated(sentence.text, outline.headings[right].bare):
        return stem, (), number
    own = repeated(outline.headings[number].bare, sentence.text)
    chosen = [right]
    for other in sorted(outline.siblings(right), key=lambda one: abs(one - number)):
        bare = outline.headings[other].bare
        if (
            len(chosen) < options
            and other in near
            and outline.is_clear(other)
            and not (other == number and own)
            and not any(alike(bare, outline.headings[one].bare) for one in chosen)
        ):
            chosen.append(other)
    titles = [outline.headings[one].bare.casefold() for one in sorted(chosen)]
    if titles == sorted(titles):
        return stem, (), right  # the alphabet tells it
    return stem, tuple(outline.headings[one].bare for one in chosen), right


def _is_restated(reading: Reading, sentence: Sentence, stretch: Stretch) -> bool:
    inside = set(stretch.inside)
    return any(
        other.number != sentence.number and other.passage in inside
        for other, _ in reading.like(sentence.content, _RESTATED)
    )
