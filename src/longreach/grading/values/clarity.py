"""How clear an answer is: whether it hedges, denies, revises itself, or asserts something."""

from __future__ import annotations

import re
from dataclasses import dataclass

from longreach.core.types import Key

from .words import Patterns, Reading, word_set

SENTENCE_MARKS = frozenset(".!?;\n。！？;")
CLAUSE_MARKS = SENTENCE_MARKS | frozenset(",:()[]—、…")


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """Right or wrong, and why."""

    right: bool
    reason: str
    certain: bool = True
    """Whether any careful reader would agree. If not, the answer is undecided, and `right` is only a lean."""
    empty: bool = False
    """Whether it fills in nothing: no answer at all."""


def key_forms(key: Key) -> tuple[str, ...]:
    return (key.answer, *key.accept)


_PATTERNS = Patterns("answer_confidence", re.IGNORECASE)
_HEDGE, _ROUGHLY, _TURN = _PATTERNS["hedge"], _PATTERNS["roughly"], _PATTERNS["turn"]
_DENIALS = word_set(
    "not never neither nor no none nobody nothing without except excluding excepting unlike besides instead rather"
)
_HAN_DENIALS = frozenset("不没未非无否除")


def sentence_ends_at(reading: Reading, at: int) -> bool:
    """Whether a mark ends a sentence; the full stop of "Mrs. Hale", "vs." and "p.m." does not."""
    word = reading.word(at)
    if word not in SENTENCE_MARKS:
        return False
    if word != "." or at == 0:
        return True
    before = reading.tokens[at - 1]
    short = before.kind == "word" and (
        len(before.raw) == 1 or before.word in {"vs", "mr", "mrs", "dr", "st", "no", "fr"}
    )
    return not short or at + 1 >= len(reading.tokens)


def hedges(answer: Reading, *, value: bool = False) -> bool:
    """Whether an answer hedges; for values, "about 41" is a hedge."""
    return _HEDGE.search(answer.text) is not None or (value and _ROUGHLY.search(answer.text) is not None)


def turns(answer: Reading) -> bool:
    """Whether an answer revises or limits itself: "Corvane, but", "yes. Actually,"."""
    return _TURN.search(answer.text) is not None


def names_alternatives(answer: Reading) -> bool:
    return any(token.word in {"or", "或"} for token in answer.tokens)


def denies(answer: Reading, known: set[str]) -> bool:
    """Whether an answer denies something, in other words than the key's: "not Corvane", 不是科尔文. Words alone do not
    show what exactly is denied."""
    words = {token.word for token in answer.tokens} - known
    return bool(words & _DENIALS) or any(mark in _HAN_DENIALS for word in words for mark in word)
