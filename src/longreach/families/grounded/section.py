"""`section`: under which heading a statement stands, where a document has headings."""

from __future__ import annotations

from random import Random

from longreach.text.prose import Heading, shared_letters, words_of

from .balance import LIKE_QUESTION, Balance
from .questions import Candidate
from .statements import Reading, Statement
from .windows import Stretch

_LONGEST = 120


def write(
    reading: Reading, statement: Statement, stretch: Stretch, balance: Balance, rng: Random, question: str
) -> Candidate | None:
    """A question for the heading above a statement; None where that is not certain, or there are too few others."""
    heading = reading.heading_of(statement)
    if heading is None or not _fit(reading, heading, stretch):
        return None
    above = _above(reading, heading)
    pool = [one for one in reading.headings if one not in above and _fit(reading, one, stretch)]
    asked = reading.words[statement.number]
    chosen = balance.choose(
        "section",
        heading,
        pool,
        {
            f"{LIKE_QUESTION} by words": lambda one: reading.similarity(words_of(one.text), asked),
            f"{LIKE_QUESTION} by letters": lambda one: shared_letters(one.text, statement.text),
            "length": lambda one: float(len(one.text)),
            "place": lambda one: float(one.start),
        },
        rng,
    )
    if chosen is None:
        return None
    return Candidate(
        question=question.replace("{{sentence}}", statement.text),
        options=(heading.text, *(one.text for one in chosen)),
        evidence=reading.document.corpus.read(statement.start, statement.end),
        kind="section",
        also=((heading.start, heading.end),),
    )


def _fit(reading: Reading, heading: Heading, stretch: Stretch) -> bool:
    """Whether a heading stands once in the document, and in every test document."""
    same = sum(one.text.casefold() == heading.text.casefold() for one in reading.headings)
    return same == 1 and 1 < len(heading.text) <= _LONGEST and stretch.holds(heading.start, heading.end)


def _above(reading: Reading, heading: Heading) -> list[Heading]:
    """A heading and those that hold it: a statement stands under each of them."""
    found = [heading]
    for one in reversed(reading.headings[: reading.headings.index(heading)]):
        if one.level < found[-1].level:
            found.append(one)
    return found
