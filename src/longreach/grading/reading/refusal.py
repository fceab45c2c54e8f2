"""Detects refusals to answer at all, which are neither wrong answers nor abstentions."""

from __future__ import annotations

from longreach.grading.abstention import AbsenceKind, read_absence
from longreach.grading.patterns import Patterns
from longreach.grading.values.words import tidy

__all__ = ["is_refusal"]

_PATTERNS = Patterns("refusal")
_ENGLISH, _AI_ONLY, _CHINESE = _PATTERNS["english"], _PATTERNS["ai only"], _PATTERNS["chinese"]
_OPENING_LENGTH = 400


def is_refusal(answer: str) -> bool:
    """Whether an answer opens with a refusal ("I can't help with that"). "I cannot tell from the story" is not one."""
    opening = " ".join(tidy(answer[:_OPENING_LENGTH]).casefold().split()).lstrip("[\"'*_ ")
    opening = opening.replace("i'm ", "i am ")
    refuses = _ENGLISH.match(opening) or _AI_ONLY.match(opening) or _CHINESE.match(opening)
    return bool(refuses) and read_absence(answer).kind is AbsenceKind.NONE
