"""`next`: which sentence follows directly after a quoted one; the others follow sentences much like it."""

from __future__ import annotations

from random import Random

from longreach.text.prose import script_of, shared_letters, width

from .balance import LIKE_QUESTION, Balance
from .questions import Candidate
from .statements import Reading, Statement
from .windows import Stretch

_ALIKE = 0.65
"""The shorter of two sentences of like length has this share of the longer."""
_POOL = 40
"""Sentences from which the wrong ones are drawn: those that follow the sentences most like the quoted one."""
_SAME_OPENING = 0.5
_NEAR = 2.0
_FAR = 40
"""What a shared first word counts, against the same words in the sentence before, and how near it is: in sentences."""
_TOO_LIKE = 0.5
"""Sentences more similar than this say nearly the same."""


def write(
    reading: Reading, statement: Statement, stretch: Stretch, balance: Balance, rng: Random, question: str
) -> Candidate | None:
    """A question for what follows a statement; None where that is no sentence, or too few are like it."""
    right = _after(reading, statement)
    if right is None or not stretch.holds(right.start, right.end):
        return None
    if reading.document.passage_of(statement.start, right.end) is None:
        return None
    words = reading.words
    asked, answer = words[statement.number], words[right.number]
    found: list[tuple[float, Statement]] = []
    for start, end in stretch.common:
        for before in reading.between(start, end):
            other = _after(reading, before)
            if other is None or other.end > end or {before.number, other.number} & {statement.number, right.number}:
                continue
            if not _like(other, right) or reading.similarity(words[other.number], answer) > _TOO_LIKE:
                continue
            like = reading.similarity(words[before.number], asked)
            like += _SAME_OPENING * (_opening(other.text) == _opening(right.text))
            like += _NEAR * max(0.0, 1 - abs(before.number - statement.number) / _FAR)
            found.append((like, other))
    found.sort(key=lambda pair: (-pair[0], pair[1].number))
    pool = list({one.text: one for _, one in found[:_POOL]}.values())
    chosen = balance.choose(
        "next",
        right,
        pool,
        {
            f"{LIKE_QUESTION} by words": lambda one: reading.similarity(words[one.number], asked),
            f"{LIKE_QUESTION} by letters": lambda one: shared_letters(one.text, statement.text),
            "length": lambda one: float(len(one.text)),
        },
        rng,
        text=lambda one: one.text,
    )
    if chosen is None:
        return None
    return Candidate(
        question=question.replace("{{sentence}}", statement.text),
        options=(right.text, *(one.text for one in chosen)),
        evidence=reading.document.corpus.read(statement.start, right.end),
        kind="next",
    )


def _after(reading: Reading, statement: Statement) -> Statement | None:
    """The usable sentence directly after one, in its paragraph."""
    if statement.number + 1 >= len(reading.statements):
        return None
    after = reading.statements[statement.number + 1]
    return after if after.follows and after.usable else None


def _like(one: Statement, other: Statement) -> bool:
    short, long = sorted((width(one.text), width(other.text)))
    return short >= _ALIKE * long and one.text[-1] == other.text[-1] and script_of(one.text) == script_of(other.text)


def _opening(text: str) -> str:
    """The first word, or the first two characters where words are not set apart."""
    return text.casefold().split(" ", 1)[0][:6] if " " in text else text[:2]
