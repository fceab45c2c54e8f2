"""The languages and registers facts can be written in, each as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from longreach.errors import BadInput, did_you_mean

from . import (
    chinese_absent,
    chinese_novel,
    chinese_papers,
    chinese_words,
    english_absent,
    english_novel,
    english_papers,
    english_words,
)
from .lexicon import Lexicon, Wording
from .voice import Chinese, English, Voice

__all__ = ["LANGUAGES", "REGISTERS", "Manner", "manner"]

LANGUAGES = ("en", "zh")
REGISTERS = ("novel", "report", "legal", "technical")

Asked = tuple[tuple[str, str], ...]
"""Pairs of what is asked for and the sentence that asks."""


@dataclass(frozen=True)
class Manner:
    """One register of one language."""

    voice: Voice
    wordings: Mapping[str, Wording]
    """By theme; a register has no wording for themes that do not suit it."""
    absent_people: Asked
    details: Asked


@dataclass(frozen=True)
class _Language:
    voice: type[Voice]
    lexicons: Mapping[str, Lexicon]
    wordings: Mapping[str, Mapping[str, Wording]]
    absent_people: Mapping[str, Asked]
    details: Mapping[str, Asked]


_LANGUAGES = {
    "en": _Language(
        English,
        english_words.LEXICONS,
        {
            "novel": english_novel.NOVEL,
            "report": english_papers.REPORT,
            "legal": english_papers.LEGAL,
            "technical": english_papers.TECHNICAL,
        },
        english_absent.ABSENT_PEOPLE,
        english_absent.DETAILS,
    ),
    "zh": _Language(
        Chinese,
        chinese_words.LEXICONS,
        {
            "novel": chinese_novel.NOVEL,
            "report": chinese_papers.REPORT,
            "legal": chinese_papers.LEGAL,
            "technical": chinese_papers.TECHNICAL,
        },
        chinese_absent.ABSENT_PEOPLE,
        chinese_absent.DETAILS,
    ),
}


def manner(language: str, register: str) -> Manner:
    """The words and sentences of a language and register."""
    if language not in LANGUAGES:
        raise BadInput(f"planted facts: unknown language '{language}'.{did_you_mean(language, LANGUAGES)}")
    if register not in REGISTERS:
        raise BadInput(f"planted facts: unknown register '{register}'.{did_you_mean(register, REGISTERS)}")
    data = _LANGUAGES[language]
    return Manner(
        voice=data.voice(data.lexicons[register]),
        wordings=data.wordings[register],
        absent_people=data.absent_people[register],
        details=data.details[register],
    )
