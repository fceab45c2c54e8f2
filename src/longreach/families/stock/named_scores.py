"""Scores that a user's own file can name."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher

from longreach.core.types import Key, Question
from longreach.grading import grade_answer
from longreach.text.presence import fold, occurs_in

from .benchmark import Scored, Scorer, options_of

_ENDS = " \t\r\n*_`#>\"'“”‘’.,;:!?。[]"
_LETTERS = re.compile(
    r"(?:answer|choice|option)\s*(?:is|would be|should be)?\s*:?\s*[(\[]?([A-J])(?![A-Za-z'’])"
    r"|\\boxed\{\s*(?:\\text\{)?\(?([A-J])\b|^\W*([A-J])\W*$|^\W*\(([A-J])\)",
    re.IGNORECASE | re.MULTILINE,
)


def _letter(reply: str, question: Question) -> Scored:
    """The letter that a reply states last as its answer."""
    options = options_of(question)
    found = [next(filter(None, match.groups())).upper() for match in _LETTERS.finditer(re.sub("[*_]", "", reply))]
    letter = next((letter for letter in reversed(found) if letter in options), None)
    return Scored(float(letter == question.key.answer), letter, f"chose {letter}" if letter else "no letter is stated")


def _exact(reply: str, question: Question) -> Scored:
    accepted = {fold(each.strip(_ENDS)) for each in (question.key.answer, *question.key.accept)}
    return _plain(fold(reply.strip(_ENDS)) in accepted, reply, "equal", "not equal")


def _contains(reply: str, question: Question) -> Scored:
    found = any(occurs_in(each, fold(reply)) for each in (question.key.answer, *question.key.accept))
    return _plain(found, reply, "named", "not named")


def _f1(reply: str, question: Question) -> Scored:
    """F1 of the items of two lists where the answer is one, else of the words."""
    split = r"[,\n]" if "," in question.key.answer else r"\s+"
    given, gold = (
        {fold(part.strip(_ENDS)) for part in re.split(split, each)} - {""} for each in (reply, question.key.answer)
    )
    both = len(given & gold)
    return _plain(2 * both / (len(given) + len(gold)) if both else float(given == gold), reply)


def _number(reply: str, question: Question) -> Scored:
    found = grade_answer(reply, Key(kind="number", answer=question.key.answer, accept=question.key.accept))
    return Scored(found.value or 0.0, None if found.value is None else found.answer, found.reason)


def _ratio(reply: str, question: Question) -> Scored:
    return _plain(SequenceMatcher(None, reply.strip(), question.key.answer.strip()).ratio(), reply)


def _plain(value: float, reply: str, right: str = "", wrong: str = "") -> Scored:
    return Scored(float(value), reply.strip()[:200] or None, (right if value else wrong) or f"{value:.3f}")


_OWN: dict[str, Callable[[str, Question], Scored]] = {
    "exact": _exact,
    "contains": _contains,
    "letter": _letter,
    "f1": _f1,
    "number": _number,
    "ratio": _ratio,
}
NAMED = {name: Scorer(score, "Longreach's own") for name, score in _OWN.items()}
