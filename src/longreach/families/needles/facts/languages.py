"""The languages and registers facts can be written in, each as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from longreach.errors import BadInput, did_you_mean

from . import (
    chinese_absent,
    chinese_novel,
    chinese_papers,
    chinese_words,
    english_absent,
    english_names,
    english_novel,
    english_papers,
    english_words,
)
from .lexicon import Lexicon, Range, Unit, Wording
from .voice import Chinese, English, Voice

__all__ = ["LANGUAGES", "REGISTERS", "Manner", "Setting", "manner"]

LANGUAGES = ("en", "zh")
REGISTERS = ("novel", "report", "legal", "technical", "modern")

_POOLS = ("women", "men", "surnames", "places", "things", "rooms", "trades", "vehicles", "goods")
_TRAVEL = ("journey", "route")

Asked = tuple[tuple[str, str], ...]
"""Pairs of what is asked for and the question sentence."""


@dataclass(frozen=True)
class Setting:
    """A register, with currency and years that facts must fit; None: the register's own."""

    register: str
    money: str | None = None
    """The currency's name in the singular."""
    years: tuple[int, int] | None = None
    """The first and last calendar year that facts may name."""
    old: bool = False
    """Before motor cars and telephones."""
    country: str | None = None
    """Where the people and places of English facts come from."""


@dataclass(frozen=True)
class Manner:
    """One register of one language."""

    voice: Voice
    wordings: Mapping[str, Wording]
    """By theme; a register has no wording for themes that do not fit it."""
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
            "modern": english_papers.MODERN,
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
            "modern": chinese_papers.MODERN,
            "report": chinese_papers.REPORT,
            "legal": chinese_papers.LEGAL,
            "technical": chinese_papers.TECHNICAL,
        },
        chinese_absent.ABSENT_PEOPLE,
        chinese_absent.DETAILS,
    ),
}


def _from_country(lexicon: Lexicon, setting: Setting) -> Lexicon:
    names = english_names.COUNTRIES[setting.country or ""]
    old = setting.old or setting.register == "novel"
    women, men = (names.old_women, names.old_men) if old else (names.women, names.men)
    return replace(
        lexicon, women=women, men=men, surnames=names.surnames, places=names.places, spare_surnames=lexicon.surnames
    )


def manner(language: str, setting: Setting) -> Manner:
    """The words and sentences of a language and setting."""
    register = setting.register
    if language not in LANGUAGES:
        raise BadInput(f"planted facts: unknown language '{language}'.{did_you_mean(language, LANGUAGES)}")
    if register not in REGISTERS:
        raise BadInput(f"planted facts: unknown register '{register}'.{did_you_mean(register, REGISTERS)}")
    data = _LANGUAGES[language]
    lexicon, wordings = data.lexicons[register], dict(data.wordings[register])
    if setting.old and register != "novel":
        old = data.lexicons["novel"]
        lexicon = replace(
            lexicon,
            **{name: getattr(old, name) for name in _POOLS},
            units={**lexicon.units, "way": old.units["way"]},
        )
        wordings |= {theme: data.wordings["novel"][theme] for theme in _TRAVEL}
    if setting.country is not None and language == "en":
        lexicon = _from_country(lexicon, setting)
    if setting.money is not None:
        plural = setting.money if language == "zh" else f"{setting.money}s"
        money = lexicon.units["money"]
        named = {name: Unit(setting.money, plural) for name, unit in lexicon.units.items() if unit == money}
        lexicon = replace(lexicon, units={**lexicon.units, **named})
    if setting.years is not None:
        low, high = setting.years
        lexicon = replace(lexicon, ranges={**lexicon.ranges, "year": Range(low, high, "calendar")})
    return Manner(
        voice=data.voice(lexicon),
        wordings=wordings,
        absent_people=data.absent_people[register],
        details=data.details[register],
    )
