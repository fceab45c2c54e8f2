"""Whether an answer states something, denies it, or wavers between it and another."""

from __future__ import annotations

import re

from .values.words import ARTICLES, Reading, word_set

__all__ = ["CLAUSE_MARKS", "SENTENCE_MARKS", "denied", "wavers"]

SENTENCE_MARKS = frozenset(".!?;\n。！？;")
CLAUSE_MARKS = SENTENCE_MARKS | frozenset(",:()[]—、…")
_NEGATORS = frozenset({"not", "never", "neither", "nor"})
_NEAR_NEGATORS = frozenset({"no", "without", "except", "excluding", "unlike", "excepting", "besides"})
_CLAUSE_WORDS = word_set(
    "but yet however and because since when while who which so as after if unless although though whereas"
)
# "not only Corvane", "not until March", "no doubt Corvane" are affirmative.
_NO_DENIAL = word_set("only just merely simply solely until till far long doubt less fewer other")
_ALL_BUT = word_set("anyone anything anywhere anybody everyone everything everywhere everybody all")
_SCOPE = 5
_NEAR = 2
_FAR = 60
_STEPS = 30
_TAIL = re.compile(
    r"(?:is|was|are|were) not (?:the )?(?:right|correct|answer|case|one|it|true|where|who|what|when|how)\b"
)
_HAN_DENIAL = re.compile(
    r"不是|并非|而非|绝非|没有?(?!错)|从未|未曾|未(?!来|必|几|婚)|除了|非(?!常)"
    r"|不(?!仅|只|但|过|久|远|料|断|得不|止|错|少|管|论|禁|幸|已)"
)
_HAN_CLAUSE = re.compile(r"而是|但是?|不过|却|[^\w\s]|\s")
_HAN_SCOPE = 7
_LEADS = ARTICLES | word_set("in at to from by of on near for with perhaps maybe possibly either else it was")
_HARMLESS_OR = frozenset({"so", "thereabouts", "not", "thereabout"})


def denied(reading: Reading, start: int, end: int) -> bool:
    """Whether the words at a span are denied: "not Corvane", "rather than Corvane", "不是科尔文"."""
    return _denied_before(reading, start) or _denied_after(reading, end) or _denied_in_chinese(reading, start)


def _denied_before(reading: Reading, start: int) -> bool:
    words = 0
    at = start - 1
    while at >= max(0, start - _STEPS) and words <= _SCOPE:
        token = reading.tokens[at]
        word = token.word
        if word in CLAUSE_MARKS:
            return False
        if word == "than" and reading.word(at - 1) in {"rather", "other"}:
            return words == 0 and reading.word(at - 2) not in {"none", "no"}
        if word == "of" and reading.word(at - 1) == "instead":
            return words <= 1
        if word == "but" and words == 0 and reading.word(at - 1) in _ALL_BUT:
            return True
        if word in _CLAUSE_WORDS:
            return False
        if word in _NEGATORS or (word in _NEAR_NEGATORS and words < _NEAR):
            if reading.word(at + 1) not in _NO_DENIAL:
                return True
        elif token.kind != "mark" and word not in ARTICLES:
            words += 1
        at -= 1
    return False


def _denied_after(reading: Reading, end: int) -> bool:
    following = " ".join(token.word for token in reading.tokens[end : end + 4])
    return _TAIL.match(following) is not None


def _denied_in_chinese(reading: Reading, start: int) -> bool:
    if start == 0 or start >= len(reading.tokens):
        return False
    offset = reading.tokens[start].start
    before = reading.text[max(0, offset - _HAN_SCOPE) : offset]
    clause = _HAN_CLAUSE.split(before)[-1]
    return _HAN_DENIAL.search(clause) is not None


def wavers(reading: Reading, start: int, end: int, same: set[int]) -> str:
    """The alternative to the words at a span ("Corvane or Ashby"); empty if there is none.

    `same` are the tokens of equivalent forms: "Tom or Thomas" is one answer where both are accepted.
    """
    after = end
    while reading.word(after) in {",", '"', "'", "*", ")", "]", "的"}:
        after += 1
    joint = _joint_at(reading, after)
    if joint:
        alternative = _skip(reading, after + joint)
        if alternative < len(reading.tokens) and alternative not in same and _is_alternative(reading, alternative):
            return reading.tokens[alternative].raw
    before = start - 1
    while before >= 0 and (reading.word(before) in _LEADS or reading.word(before) in {'"', "'", "*", "(", "[", ","}):
        before -= 1
    if reading.word(before) in {"or", "/", "或", "者"} and before > 0:
        if reading.word(before) == "者" and reading.word(before - 1) != "或":
            return ""
        return _before_joint(reading, before, same)
    return _later_name(reading, end, same)


def _joint_at(reading: Reading, at: int) -> int:
    """How many tokens at `at` mean "or"; 0 if they do not."""
    if reading.word(at) in {"or", "/"}:
        return 1
    if reading.word(at) == "或":
        return 2 if reading.word(at + 1) in {"者", "是"} else 1
    if reading.word(at) == "还" and reading.word(at + 1) == "是":
        return 2
    return 0


def _skip(reading: Reading, at: int) -> int:
    while reading.word(at) in _LEADS or reading.word(at) in {'"', "'", "*", "(", "[", ","}:
        at += 1
    return at


def _is_alternative(reading: Reading, at: int) -> bool:
    return reading.tokens[at].kind != "mark" and reading.word(at) not in _HARMLESS_OR


def _before_joint(reading: Reading, joint: int, same: set[int]) -> str:
    at = joint - 1
    while at >= 0 and reading.tokens[at].kind == "mark":
        at -= 1
    if at < 0 or at in same or (reading.word(at) == "或" and joint == at + 1 and at == 0):
        return ""
    return reading.tokens[at].raw


def _later_name(reading: Reading, end: int, same: set[int]) -> str:
    """A name after an "or" later in the same sentence: "in Corvane by the sea or in Ashby"."""
    for at in range(end, min(end + _FAR, len(reading.tokens))):
        if reading.word(at) in SENTENCE_MARKS:
            return ""
        if reading.word(at) == "or":
            name = _skip(reading, at + 1)
            if name < len(reading.tokens) and reading.tokens[name].capital and name not in same:
                return reading.tokens[name].raw
    return ""
