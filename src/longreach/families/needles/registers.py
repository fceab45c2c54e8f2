"""The register, currency, time and country that fit a text, so that planted facts do not stand out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from statistics import median

from longreach.core.files import yaml_table

from .facts import Setting

_TABLE = yaml_table(__package__, "registers.yaml")
_CHUNKS, _CHUNK = 10, 30_000  # bytes
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20[0-4]\d)(?!\d)")
_SIGNS = re.compile(r"[{}();=<>\[\]#_]")
_MANY_SIGNS = 0.04
_ENOUGH_YEARS, _YEARS_AROUND = 8, 9
_ENOUGH_MONEY, _MONEY_SHARE = 4, 0.6
_OLD_UNTIL = 1930
_PATRONYM = re.compile(r"[a-z]{3,}(?:ov|ev)(?:itch|ich|na)")
_ENOUGH_PLACE, _PLACE_SHARE = 12, 0.6


def infer_setting(text: bytes, language: str) -> Setting:
    """The register, currency, years and country that a text's own words show; None for those they do not."""
    sample = _sample(text)
    found = _YEAR.findall(sample)
    middle = median(int(year) for year in found) if len(found) >= _ENOUGH_YEARS else None
    register, old = (_chinese if language == "zh" else _english)(sample, middle)
    years = (round(middle) - _YEARS_AROUND, round(middle) + _YEARS_AROUND) if middle is not None else None
    money = _currency(sample, _TABLE["money"]["zh" if language == "zh" else "en"])
    country = None if language == "zh" else _country(sample)
    return Setting(register=register, money=money, years=years, old=old, country=country)


def _sample(text: bytes) -> str:
    """Samples from all over a text, in lower case."""
    if len(text) <= _CHUNKS * _CHUNK:
        return text.decode("utf-8", errors="ignore").lower()
    starts = (number * (len(text) - _CHUNK) // (_CHUNKS - 1) for number in range(_CHUNKS))
    return "\n".join(text[start : start + _CHUNK].decode("utf-8", errors="ignore") for start in starts).lower()


def _english(sample: str, year: float | None) -> tuple[str, bool]:
    found = Counter(_WORD.findall(sample))
    total = max(1, found.total())
    lists = _TABLE["en"]

    def rate(name: str) -> float:
        """Per thousand words."""
        return 1000 * sum(found[term] for term in lists[name].split()) / total

    old = rate("old") > rate("modern") if year is None else year < _OLD_UNTIL
    if rate("deeds") >= 1 and rate("clauses") >= 8:
        return ("contract" if rate("bargains") > rate("courts") else "legal"), old and year is not None
    if len(_SIGNS.findall(sample)) > _MANY_SIGNS * len(sample) or rate("machines") >= 8:
        return "technical", False
    if old:
        return "novel", True
    return ("modern" if rate("speech") >= 3 else "report"), False


def _chinese(sample: str, year: float | None) -> tuple[str, bool]:
    size = max(1, len(sample))
    lists = _TABLE["zh"]

    def rate(name: str) -> float:
        """Per thousand characters."""
        return 1000 * len(re.findall("|".join(lists[name].split()), sample)) / size

    old = rate("old") > rate("modern") if year is None else year < _OLD_UNTIL
    if rate("deeds") >= 3:
        return ("contract" if rate("bargains") > rate("courts") else "legal"), False
    if rate("machines") >= 3:
        return "technical", False
    if old or rate("old") + rate("modern") == 0:
        return "novel", True
    return ("modern" if rate("speech") >= 1 else "report"), False


def _country(sample: str) -> str | None:
    """The country that most words tied to one belong to."""
    found = Counter(re.findall(r"[^\W\d_]+", sample))
    counts = Counter({name: sum(found[word] for word in named.split()) for name, named in _TABLE["countries"].items()})
    counts["Russia"] += sum(times for word, times in found.items() if _PATRONYM.fullmatch(word))
    name, times = counts.most_common(1)[0]
    return name if times >= _ENOUGH_PLACE and times >= _PLACE_SHARE * counts.total() else None


def _currency(sample: str, known: Mapping[str, str]) -> str | None:
    """The currency of most sums of money."""
    found = Counter({name: len(re.findall(pattern, sample)) for name, pattern in known.items()})
    name, times = found.most_common(1)[0]
    return name if times >= _ENOUGH_MONEY and times >= _MONEY_SHARE * found.total() else None
