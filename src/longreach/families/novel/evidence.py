"""Finds the paragraph of a unit that supports a sentence of its summary; for display only, never used in grading."""

from __future__ import annotations

import re
from collections import Counter
from math import fsum, log, sqrt

__all__ = ["best_paragraph"]

_WORD = re.compile(r"[^\W_]{3,}")
_BLANK = re.compile(r"\n[^\S\n]*\n")


def best_paragraph(text: str, sentence: str, language: str) -> tuple[int, int]:
    """Start and end, in characters, of the paragraph that shares most of its rare words with the sentence."""
    paragraphs = _paragraphs(text)
    terms = [_terms(text[start:end], language) for start, end in paragraphs]
    spread = Counter(term for own in terms for term in own)
    wanted = _terms(sentence, language)

    def similarity(place: int) -> float:
        own = terms[place]
        shared = fsum(log(1 + len(terms) / spread[term]) for term in wanted & own)
        return shared / sqrt(sqrt(len(own) + 20))  # a long paragraph shares more by its length alone

    return paragraphs[max(range(len(paragraphs)), key=lambda place: (similarity(place), -place))]


def _paragraphs(text: str) -> list[tuple[int, int]]:
    breaks = _BLANK if _BLANK.search(text) else re.compile("\n")
    found: list[tuple[int, int]] = []
    start = 0
    for match in [*breaks.finditer(text), None]:
        end = match.start() if match else len(text)
        part = text[start:end]
        if part.strip():
            found.append((start + len(part) - len(part.lstrip()), start + len(part.rstrip())))
        start = match.end() if match else end
    return found or [(0, len(text))]


def _terms(text: str, language: str) -> set[str]:
    if language == "zh":
        plain = "".join(character for character in text if character.isalnum())
        return {plain[at : at + 2] for at in range(len(plain) - 1)}
    return {word.casefold() for word in _WORD.findall(text)}
