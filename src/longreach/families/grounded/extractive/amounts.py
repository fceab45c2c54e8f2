"""Figures in a statement of any language, found without grammar: years, percentages, amounts, and counts with units."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator

from longreach.core.number_words import ONES, TEENS, TENS

from .gaps import Gap
from .phrases import PHRASES
from .wordsets import word_set

__all__ = ["find_amounts"]

_LEAST = 3
"""Smaller counts are of what the text goes on to name."""
_WORDS = {
    "en": {word: float(value) for word, value in (ONES | TEENS | TENS).items() if value >= _LEAST},
    "de": {"drei": 3.0, "vier": 4.0, "fünf": 5.0, "sechs": 6.0, "sieben": 7.0, "acht": 8.0, "neun": 9.0, "zehn": 10.0}
    | {"elf": 11.0, "zwölf": 12.0, "zwanzig": 20.0, "dreißig": 30.0, "vierzig": 40.0, "fünfzig": 50.0},
    "zh": {},
}
_NUMBER = {
    "en": rf"\d{{1,3}}(?:,\d{{3}})+|\d+(?:\.\d+)?|(?:{'|'.join(_WORDS['en'])})\b",
    "de": rf"\d{{1,3}}(?:\.\d{{3}})+|\d+(?:,\d+)?|(?:{'|'.join(_WORDS['de'])})\b",
    "zh": r"\d{1,3}(?:,\d{3})+|\d+(?:\.\d+)?",
}
_UNIT = {
    "en": r"(?P<unit>(?: (?!(?:is|was|has|as|does|goes|its|this|plus|versus|times)\b)"
    r"(?:[a-z]{3,}s|[a-z-]+ [a-z]{3,}s)\b(?!-))"
    r"| ?(?:[kMGT]i?B|[kMG]?Hz|dB|ms|cm|mm|km|kg|kHz)\b)",
    "de": r"(?P<unit> (?:[a-zäöüß]+en )?[A-ZÄÖÜ][a-zäöüß]{2,}\b| ?(?:[kMGT]i?B|[kMG]?Hz|ms|cm|mm|km|kg|€)(?!\w))",
    "zh": r"(?P<unit> ?(?:万|亿|千|百)?(?:元|美元|人|名|位|个月|个|家|次|种|年|岁|天|小时|分钟|秒|毫秒|倍|条|台|项|座"
    r"|件|章|页|字节|公里|厘米|毫米|米|吨|[KMGT]i?B|[MG]Hz|ms))",
}
_PERCENT = {"en": r" ?%| percent\b", "de": r" ?%| Prozent\b", "zh": "[%％]"}
_YEAR = {
    "en": r"(?:1[4-9]\d\d|20\d\d)(?![\w%/-]|[.,]\d)",
    "de": r"(?:1[4-9]\d\d|20\d\d)(?![\w%/-]|[.,]\d)",
    "zh": r"(?:1[4-9]\d\d|20\d\d)(?= ?年(?!代|[前后]|\s?\d))",
}
_BEFORE_YEAR = {
    "en": re.compile(r"\b(?:in|since|by|until|till|from|before|after|during|of|year) $", re.IGNORECASE),
    "de": re.compile(r"\b(?:Jahre?|seit|bis|ab|von|vor|nach) $", re.IGNORECASE),
    "zh": re.compile(""),
}
_FOUND = {
    language: re.compile(
        rf"(?<![\w.,/#§:+=\-–−])(?:(?P<year>{_YEAR[language]})(?! (?:million|billion|Millionen))"
        rf"|(?P<sign>[$€£])?(?P<number>{number})"
        rf"(?:(?P<percent>{_PERCENT[language]})|(?(sign)(?P<scale> (?:million|billion|thousand)\b)?|{_UNIT[language]}))"
        r"(?![/\d]))"
    )
    for language, number in _NUMBER.items()
}
_BESIDE = re.compile(
    r"\d\S* ?(?:to|or|and|bis|oder|und|by|x|×|至|到|或|[-–~]) ?$"
    r"|\b(?:between|zwischen|version|section|chapter|page|figure|step|line|port|level|kapitel|abschnitt|seite|schritt"
    r"|tabelle|abbildung|artikel|nummer|nr\.|no\.|rfc|第|每) ?$"
    r"|[第每~]$",
    re.IGNORECASE,
)
"""Before a figure: the first of two, or the noun that it numbers."""
_NAMED = re.compile(r"(?<=[a-z,] )[A-Z][\w.-]* $")
"""A name before a figure: 'Debian 12'."""
_RANGE = re.compile(r" ?(?:to|or|bis|oder|至|到|或|[-–~]) ?\d|\(\d")
_KNOWN = {
    "24": ("hour", "stunde", "小时"),
    "7": ("day", "tag", "天"),
    "60": ("minute", "second", "sekunde", "分钟", "秒"),
    "12": ("month", "monat", "个月"),
    "365": ("day", "tag", "天"),
    "52": ("week", "woche"),
}
"""What everybody knows of a day or a year."""
_VAGUE_UNIT = word_set("things ways cases others times examples steps parts lines items points reasons words versions")
_SMALL = 10
"""Round numbers from here on are options only for each other."""


def find_amounts(text: str, language: str) -> Iterator[Gap]:
    """Figures that a question can ask for; not ranges, and not numbers of chapters or versions."""
    for match in _FOUND[language].finditer(text):
        year = match["year"] is not None
        number = match["year"] or match["number"]
        start = match.start() if year else match.start("number")
        unit = "" if year or match["sign"] or match["percent"] else match["unit"].strip()
        kind = "year" if year else "percentage" if match["percent"] else "amount" if match["sign"] else "count"
        before, after = text[:start], text[start + len(number) :]
        if not year and (
            not before.strip()
            or _BESIDE.search(before)
            or _NAMED.search(before)
            or _RANGE.match(after)
            or _RANGE.match(text[match.end() :])
        ):
            continue
        if kind == "count" and any(unit.casefold().startswith(word) for word in _KNOWN.get(number, ())):
            continue
        if unit.split(" ")[-1] in _VAGUE_UNIT:
            continue
        if year and not _BEFORE_YEAR[language].search(before):
            continue
        size = _size(number, language)
        if size >= _LEAST and number != "100":
            asked = PHRASES[language].get(kind, "").format(unit)
            yield Gap(kind, number, start, asked, _form(kind, number, size), size, (unit,) if unit else ())


def _form(kind: str, number: str, size: float) -> tuple[Hashable, ...]:
    """The spelling that all options share."""
    decimals = len(number.partition(".")[2]) if "." in number else -1
    is_round = kind != "year" and size >= _SMALL and size % 5 == 0
    return number[0].isdigit(), decimals, "," in number, is_round


def _size(number: str, language: str) -> float:
    if number in _WORDS[language]:
        return _WORDS[language][number]
    return float(number.replace(".", "").replace(",", ".") if language == "de" else number.replace(",", ""))
