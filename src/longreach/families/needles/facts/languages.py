"""The languages and registers facts can be written in, each as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from longreach.core.files import yaml_table
from longreach.errors import BadInput, did_you_mean

from .lexicon import POOLS, Lexicon, Range, Unit, Wording, load_lexicon, load_wordings, pool_of, words
from .voice import Chinese, English, Voice

LANGUAGES = ("en", "zh")
REGISTERS = ("novel", "report", "legal", "technical", "modern", "contract")

_VOICES: Mapping[str, type[Voice]] = {"en": English, "zh": Chinese}
_WORDED_LIKE = {"modern": "novel", "legal": "report", "contract": "report", "technical": "report"}
"""Whose sentences a register takes for themes without its own."""
_TRAVEL = ("journey", "route")


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


def _from_country(lexicon: Lexicon, setting: Setting) -> Lexicon:
    names = yaml_table(__package__, "words/en-countries.yaml")[setting.country or ""]
    old = "old_" if setting.old or setting.register == "novel" else ""
    return replace(
        lexicon,
        women=words(names[f"{old}women"]),
        men=words(names[f"{old}men"]),
        surnames=pool_of(names["surnames"]),
        places=pool_of(names["places"]),
        spare_surnames=lexicon.surnames,
    )


def manner(language: str, setting: Setting) -> Manner:
    """The words and sentences of a language and setting."""
    register = setting.register
    if language not in LANGUAGES:
        raise BadInput(f"planted facts: unknown language '{language}'.{did_you_mean(language, LANGUAGES)}")
    if register not in REGISTERS:
        raise BadInput(f"planted facts: unknown register '{register}'.{did_you_mean(register, REGISTERS)}")
    lexicon = load_lexicon(language, register)
    wordings = load_wordings(language, _WORDED_LIKE.get(register, register)) | load_wordings(language, register)
    if setting.old and register != "novel":
        old, old_wordings = load_lexicon(language, "novel"), load_wordings(language, "novel")
        lexicon = replace(
            lexicon,
            **{name: getattr(old, name) for name in ("women", "men", *POOLS)},
            units={**lexicon.units, "way": old.units["way"]},
        )
        if register != "contract":  # goods travelled by carrier and by water at all times
            wordings |= {theme: old_wordings[theme] for theme in _TRAVEL}
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
    return Manner(voice=_VOICES[language](lexicon), wordings=wordings)
