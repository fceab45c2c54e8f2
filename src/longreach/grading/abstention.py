"""Answers which state that the text does not contain the answer, and refusals to answer at all."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from longreach.core.language import has_han

from .values.clarity import CLAUSE_MARKS, sentence_ends_at
from .values.words import Patterns, read, tidy, word_set


class AbsenceKind(Enum):
    """How an answer relates to "not in the text"."""

    NONE = "none"
    CLEAN = "clean"
    MIXED = "mixed"
    """An abstention beside something else: a guess, another detail, what the text does say."""


@dataclass(frozen=True, slots=True)
class Absence:
    """The abstention of an answer."""

    kind: AbsenceKind
    modest: bool = False
    """It only states ignorance; whether the text has the answer is left open."""
    beside: tuple[str, ...] = ()
    """Its other clauses, as written."""


_PATTERNS = Patterns("abstention")
_ENGLISH, _CHINESE = _PATTERNS.each("english"), _PATTERNS.each("chinese")
# At the start, this is the whole answer; after a value, it is only a hedge.
_UNSURE = _PATTERNS["unsure"]
_GUESS, _CONTRAST = _PATTERNS["guess"], _PATTERNS["contrast"]
_NEUTRAL = word_set(
    "sorry unfortunately story text passage book novel anywhere at all explicitly here in or the this that of any "
    "either such information given provided context so it as per therefore and question answer is was no n a an "
    "yes well nor directly based on i m am afraid apologize my apologies from to by let alone where who whom when how "
    "what why"
)
_HAN_NEUTRAL = _PATTERNS["han neutral"]
_LONGEST = 20_000


@lru_cache(maxsize=32)
def read_absence(answer: str) -> Absence:
    """Read the abstention of an answer, which is compared with one key after the other. Only its first 20,000
    characters are read."""
    clauses = _clauses(answer[:_LONGEST])
    folded = [text.casefold() for text, _ in clauses]
    found = [_match(text) for text in folded]
    opening = next((at for at, text in enumerate(folded) if not _is_neutral(text)), 0)
    if clauses and not found[opening]:
        found[opening] = _UNSURE.search(folded[opening])
    if not any(found):
        return Absence(AbsenceKind.NONE)
    guessed = any(match and _GUESS.search(text, match.end()) for text, match in zip(folded, found, strict=True))
    beside = [
        text
        for (text, end), match in zip(clauses, found, strict=True)
        if not (match or end in {"?", ":"} or _is_neutral(text.casefold()))
    ]
    modest = all(_UNSURE.search(text) for text, match in zip(folded, found, strict=True) if match)
    kind = AbsenceKind.MIXED if beside or guessed else AbsenceKind.CLEAN
    return Absence(kind, modest, () if guessed else tuple(beside))


def _clauses(answer: str) -> list[tuple[str, str]]:
    """The answer cut at words of contrast and at punctuation, each part with the mark that ends it."""
    text = re.sub(r"(?<=\w) [-–—] (?=\w)", ", ", re.sub(r",? however\b,?", " ", tidy(answer)))
    reading = read(text)
    clauses: list[tuple[str, str]] = []
    start = 0
    for at in range(len(reading.tokens) + 1):
        word = reading.word(at)
        if at < len(reading.tokens) and (
            word not in CLAUSE_MARKS or (word == "." and not sentence_ends_at(reading, at))
        ):
            continue
        shown = " ".join(reading.shown(start, at).replace('"', "").replace("*", "").split())
        pieces = [piece.strip(" '-") for piece in _CONTRAST.split(shown)]
        clauses += ((piece, word if piece is pieces[-1] else "") for piece in pieces if piece)
        start = at + 1
    return clauses


def _match(clause: str) -> re.Match[str] | None:
    patterns = _CHINESE if has_han(clause) else _ENGLISH
    return next((match for pattern in patterns if (match := pattern.search(clause))), None)


def _is_neutral(clause: str) -> bool:
    if has_han(clause):
        return _HAN_NEUTRAL.match(clause) is not None
    return all(word in _NEUTRAL for word in re.findall(r"[a-z]+", clause)) and not re.search(r"\d", clause)


# Refusals to answer at all are neither wrong answers nor abstentions.

_REFUSALS = tuple(map(Patterns("refusal").__getitem__, ("english", "ai only", "chinese")))
_OPENING_LENGTH = 400


def is_refusal(answer: str) -> bool:
    """Whether an answer opens with a refusal ("I can't help with that"). "I cannot tell from the story" is not one."""
    opening = " ".join(tidy(answer[:_OPENING_LENGTH]).casefold().split()).lstrip("[\"'*_ ")
    opening = opening.replace("i'm ", "i am ")
    return any(each.match(opening) for each in _REFUSALS) and read_absence(answer).kind is AbsenceKind.NONE
