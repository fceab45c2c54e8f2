"""The first statement of an English sentence: what stands by itself where the rest refers to it."""

from __future__ import annotations

import re

from .words import tokenize

__all__ = ["first_statement"]

_NEXT = re.compile(
    r"(?:;|:|,? (?:—|–|--)) (?=[a-z])|,? but (?=(?:it|this|that|these|they|you|there|the|see|not)\b)"
    r"|, (?:and|so) (?=(?:it|this|that|these|they|you|there)\b)|, (?:in which case|see) "
)
"""Before another statement."""
_OPEN = re.compile(
    r"\b(?:as|like|following|is|are|be|was|were|includes?|including|either|both|to|of|for|with|e\.g|i\.e|by|follows|namely"
    r"|not|only|example|instance|that|whether|neither|things?|ways?|options?|forms?|cases?)$"
)
_SHORT = re.compile(r"\b([Yy]ou|[Ww]e|[Tt]hey)['’](re|ll|ve)\b")
_WRITTEN_OUT = {"re": "are", "ll": "will", "ve": "have"}
_LEAST = 8
_CASE = re.compile(r"(?:If|When|Unless|Once|Whenever|After|Although|Though|While|Since|As|Because|Where)\b")


def first_statement(text: str) -> str:
    """A sentence with its short forms written out, up to where another statement begins."""
    text = _SHORT.sub(lambda match: f"{match[1]} {_WRITTEN_OUT[match[2]]}", text)
    for match in _NEXT.finditer(text):
        first, rest = text[: match.start()], tokenize(text[match.end() :])
        if len(first.split()) < _LEAST or first.count("(") != first.count(")") or _OPEN.search(first):
            continue
        if _CASE.match(first) and "," not in first:
            continue  # the case goes on
        if any(word.may("AUX") or (word.may("VBZ", "VB") and not word.nominal) for word in rest[:9]):
            return f"{first}."
    return text
