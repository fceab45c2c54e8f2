"""Questions that need two passages: code compares two dates or numbers, puts events in order, or compares sections."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random

from ..questions import Candidate
from .options import alike_clause, choose_around, gives_away
from .phrases import PHRASES
from .reading import Reading, Stretch
from .terms import NARRATED, Fact, Term

__all__ = ["pair_questions"]


def pair_questions(
    reading: Reading,
    passage: int,
    facts: Sequence[Fact],
    stretch: Stretch,
    options: int,
    rng: Random,
    dropped: Counter[str],
) -> Iterator[Candidate]:
    """Questions on a passage and the passages around it."""
    mine = [fact for fact in facts if fact.dated is not None]
    others = [
        fact
        for passage in stretch.common
        if mine and passage != mine[0].sentence.passage
        for fact in reading.facts(passage, dropped)
        if fact.dated is not None
    ]
    for fact in mine:
        yield from _order(reading, fact, others, options)
        yield from _compare(reading, fact, others, stretch, options, rng)
    if both := PHRASES[reading.language].get("both"):
        terms, sentences = reading.terms, reading.sentences
        yield from reading.sections.questions(passage, stretch.common, terms, sentences, both, options, rng)


def _compare(
    reading: Reading, fact: Fact, others: Sequence[Fact], stretch: Stretch, options: int, rng: Random
) -> Iterator[Candidate]:
    """The later of two years, or the larger of two counts of the same thing."""
    assert fact.dated is not None
    if fact.dated.unit == NARRATED or not reading.quotable(fact.sentence, telling=False):
        return
    near = [
        other
        for other in others
        if other.dated is not None
        and reading.quotable(other.sentence, telling=False)
        and other.dated.unit == fact.dated.unit
        and other.dated.value != fact.dated.value
        and other.answer.form == fact.answer.form
        and not alike_clause(other.dated.clause, fact.dated.clause)
        and other.answer.text not in fact.sentence.text
        and fact.answer.text not in other.sentence.text
    ]
    near.sort(key=lambda other: (abs(other.sentence.passage - fact.sentence.passage), other.sentence.number))
    for other in near[:3]:
        assert other.dated is not None
        first, second = (fact, other) if rng.random() < 0.5 else (other, fact)
        assert first.dated is not None
        assert second.dated is not None
        larger = rng.random() < 0.5
        better = max if larger else min
        right = better(fact, other, key=lambda one: one.dated.value if one.dated else 0.0)
        left = other if right is fact else fact
        compared = ("later" if larger else "earlier") + " year"
        if fact.dated.unit != "year":
            compared = ("larger" if larger else "smaller") + " number"
        if compared not in PHRASES[reading.language]:
            continue
        stem = PHRASES[reading.language][compared].format(first.dated.clause, second.dated.clause)
        if len(stem) > 330 or gives_away(stem, right.answer.text):
            continue
        wrong = _figures(reading, right, left, stretch, options - 2, rng)
        if len(wrong) < options - 2:
            continue
        yield Candidate(
            question=stem,
            options=(right.answer.text, left.answer.text, *(term.text for term in wrong)),
            evidence=fact.sentence.raw,
            also=((other.sentence.passage, other.sentence.raw),),
            kind="comparison",
        )


def _figures(reading: Reading, right: Fact, left: Fact, stretch: Stretch, count: int, rng: Random) -> list[Term]:
    """Other figures of the same form, near the two in size, some smaller and some larger than the right one."""
    sizes = [right.answer.size or 0.0, left.answer.size or 0.0]
    texts = f"{right.sentence.text} {left.sentence.text}"
    found: dict[float, Term] = {}
    for passage in stretch.common:
        for term in reading.terms.get(passage, ()):
            if (
                term.kind == right.answer.kind
                and term.form == right.answer.form
                and term.size is not None
                and term.size not in sizes
                and term.text not in texts
            ):
                found.setdefault(term.size, term)
    order = sorted(found, key=lambda size: (abs(size - sizes[0]), size))
    return [found[size] for size in choose_around(sizes[0], order, count, rng)]


def _order(reading: Reading, fact: Fact, others: Sequence[Fact], options: int) -> Iterator[Candidate]:
    """Which of six events came first or last, by their years or by their places in a narrative."""
    assert fact.dated is not None
    unit = fact.dated.unit
    if unit not in {"year", NARRATED} or not fact.dated.verbatim:
        return
    fitting = [other for other in others if other.dated and other.dated.unit == unit and other.dated.verbatim]
    if unit == NARRATED:
        # The gold passage has the first or the last event, whichever side has more.
        after = [other for other in fitting if other.dated and other.dated.value > fact.dated.value]
        before = [other for other in fitting if other.dated and other.dated.value < fact.dated.value]
        fitting = after if len(after) >= len(before) else before
        fitting = fitting[:: max(1, len(fitting) // options)]
    events: list[Fact] = [fact]
    for other in fitting:
        assert other.dated is not None
        if len(events) < options and all(
            other.dated.value != (one.dated.value if one.dated else 0)
            and not alike_clause(other.dated.clause, one.dated.clause if one.dated else "")
            for one in events
        ):
            events.append(other)
    if len(events) < options:
        return
    values = [event.dated.value for event in events if event.dated]
    if fact.dated.value not in (min(values), max(values)):
        return
    first = fact.dated.value == min(values)
    order = f"{'happened' if unit == 'year' else 'narrated'} {'first' if first else 'last'}"
    stem = PHRASES[reading.language][order]
    yield Candidate(
        question=stem,
        options=tuple(event.dated.clause for event in events if event.dated),
        evidence=fact.sentence.raw,
        also=tuple((event.sentence.passage, event.sentence.raw) for event in events[1:]),
        kind="order",
    )
