"""How clear an answer is: whether it hedges, denies, revises itself, or asserts something."""

from __future__ import annotations

import re
from dataclasses import dataclass

from longreach.core.types import Key

from .values.words import Patterns, Reading, word_set

SENTENCE_MARKS = frozenset(".!?;\n。！？;")
CLAUSE_MARKS = SENTENCE_MARKS | frozenset(",:()[]—、…")


@dataclass(frozen=True, slots=True)
class KeyMatch:
    """Right or wrong, and why."""

    right: bool
    reason: str
    certain: bool = True
    """Whether any careful reader would agree. If not, the answer is undecided, and `right` is only a lean."""


def key_forms(key: Key) -> tuple[str, ...]:
    return (key.answer, *key.accept)


_MOST_WORDS = 16
_HAN_WEIGHT = 0.5  # two characters are about one word
_PATTERNS = Patterns("answer_confidence", re.IGNORECASE)
_HEDGE, _ROUGHLY, _TURN = _PATTERNS["hedge"], _PATTERNS["roughly"], _PATTERNS["turn"]
# Words with which an answer may paraphrase that the text does not say.
_SILENCE = word_set(
    "not no never none nothing nobody nowhere neither nor without unable cannot unknown unclear unsaid untold unnamed "
    "unspecified undefined unresolved unanswered undisclosed unrevealed open mystery guess imagination wonder silence "
    "silent blank missing absent absence omitted omits lacks lacking leaves left secret hidden story text passage book "
    "narrative author narrator mention mentioned mentions told tell tells say says said information detail details "
    "given answer question reader readers know known knows stated state states specified n/a na tbd"
)
_HAN_SILENCE = _PATTERNS["han silence"]
_DENIALS = word_set(
    "not never neither nor no none nobody nothing without except excluding excepting unlike besides instead rather"
)
_HAN_DENIALS = frozenset("不没未非无否除")
_PLAIN_WORDS = 4
_PLAIN_HAN = 8


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


def is_brief(answer: Reading) -> bool:
    """Whether an answer is at most a sentence long: longer ones may argue, and merely mention names."""
    return sum(_HAN_WEIGHT if token.kind == "han" else token.kind != "mark" for token in answer.tokens) <= _MOST_WORDS


def is_one_sentence(answer: Reading) -> bool:
    """Whether all words are in one sentence; the full stop of "Mrs. Hale" does not end one."""
    for at, token in enumerate(answer.tokens):
        if token.word not in SENTENCE_MARKS or not any(later.kind != "mark" for later in answer.tokens[at + 1 :]):
            continue
        before = answer.tokens[at - 1] if at else None
        if not (token.word == "." and before is not None and before.capital and len(before.raw) <= 3):
            return False
    return True


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


def asserts(answer: Reading) -> bool:
    """Whether an answer clearly states something of its own where it should abstain.

    A number or a name in a short sentence does, and so does a bare phrase; a word that could also describe a missing
    answer ("left open", "a mystery"), a hedge, or a longer sentence of plain words does not."""
    words = [token for token in answer.tokens if token.kind != "mark"]
    han = sum(token.kind == "han" for token in words)
    if not words or not is_brief(answer) or hedges(answer):
        return False
    if any(token.word in _SILENCE for token in words) or _HAN_SILENCE.search(answer.text):
        return False
    named = any(token.capital and token.word != "i" for token in words[1:])
    counted = any(token.kind == "number" for token in words)
    bare = len(words) - han <= _PLAIN_WORDS and han <= _PLAIN_HAN
    return named or counted or bare
