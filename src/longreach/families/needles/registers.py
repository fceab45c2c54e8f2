"""The register, currency, time and country that fit a text, so that planted facts do not stand out."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from statistics import median

from .facts import Setting
from .facts.lexicon import words

__all__ = ["infer_setting"]

_CHUNKS, _CHUNK = 10, 30_000  # bytes
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?")
_YEAR = re.compile(r"(?<!\d)(1[5-9]\d\d|20[0-4]\d)(?!\d)")
_SIGNS = re.compile(r"[{}();=<>\[\]#_]")
_MANY_SIGNS = 0.04
_ENOUGH_YEARS, _YEARS_AROUND = 8, 9
_ENOUGH_MONEY, _MONEY_SHARE = 4, 0.6
_OLD_UNTIL = 1930

_DEEDS = words(
    "hereby herein hereof hereto hereunder thereof thereto thereunder pursuant licensee licensor lessee lessor "
    "indemnify indemnification plaintiff defendant appellant respondent warranties sublicense severability"
)
_CLAUSES = words("shall agreement party parties clause section license contract liability court")
_MACHINES = words(
    "server config configuration install error api command function parameter database interface module sensor "
    "voltage valve firmware software byte bytes protocol runtime compiler"
)
_SPEECH = words("said replied cried asked answered whispered exclaimed murmured")
_OLD = words(
    "carriage coach chaise footman parlour waggon hither thither whence hath doth thou thee candle telegraph steamer "
    "gentlemen countess marquis madame monsieur servant servants regiment"
)
_MODERN = words(
    "telephone phone computer television internet email website online car cars airport flight video percent okay "
    "software digital plane police tv radio"
)
_MONEY = {
    "franc": re.compile(r"\bfrancs?\b"),
    "pound": re.compile(r"£|\b(?:pounds|guineas?|shillings?)\b"),
    "dollar": re.compile(r"\$ ?\d|\bdollars?\b"),
    "euro": re.compile(r"€|\beuros?\b"),
    "rouble": re.compile(r"\br[ou]+bles?\b"),
}
_COUNTRIES = {
    "Britain": "london england britain british lordship ladyship vicar squire yorkshire scotland edinburgh plc vat",
    "America": "america american york boston virginia ohio chicago california texas kentucky delaware philadelphia",
    "France": "monsieur madame mademoiselle paris france french marseilles marseille lyons lyon versailles rue",
    "Germany": "herr frau fräulein berlin vienna german germany munich prussia hamburg gmbh leipzig",
    "Russia": "moscow petersburg russia russian tsar samovar kopecks roubles muzhik kremlin verst versts",
    "Spain": "señor señora don doña madrid spain spanish seville barcelona hidalgo castile",
    "Italy": "signor signora rome italy italian venice florence naples milan signorina tuscan",
}
_PATRONYM = re.compile(r"[a-z]{3,}(?:ov|ev)(?:itch|ich|na)")
_ENOUGH_PLACE, _PLACE_SHARE = 12, 0.6
_CHINESE_MONEY = {
    "两银子": re.compile("两银子|两白银|银子"),
    "块银元": re.compile("银元|大洋|块洋钱"),
    "元": re.compile("(?<!银)(?<!美)元(?!帅|旦|宵|素|气|首)"),
}
_CHINESE_DEEDS = re.compile("甲方|乙方|本合同|本协议|违约|条款|被告|原告|判决|仲裁|依法")
_CHINESE_MACHINES = re.compile("服务器|配置|接口|函数|参数|传感器|阀门|电压|软件|数据库|模块")
_CHINESE_SPEECH = re.compile("道：|说：|问道|笑道|说道")
_CHINESE_OLD = re.compile("老爷|丫鬟|太太|小厮|公子|轿子|娘子|衙门|姑娘|掌柜")
_CHINESE_MODERN = re.compile("电话|手机|电脑|网络|公司|汽车|飞机|项目|数据|公里|微信")


def infer_setting(text: bytes, language: str) -> Setting:
    """The register, currency, years and country that a text's own words show; None for those they do not."""
    sample = _sample(text)
    found = _YEAR.findall(sample)
    middle = median(int(year) for year in found) if len(found) >= _ENOUGH_YEARS else None
    register, old = (_chinese if language == "zh" else _english)(sample, middle)
    years = (round(middle) - _YEARS_AROUND, round(middle) + _YEARS_AROUND) if middle is not None else None
    money = _currency(sample, _CHINESE_MONEY if language == "zh" else _MONEY)
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

    def rate(terms: tuple[str, ...]) -> float:
        """Per thousand words."""
        return 1000 * sum(found[term] for term in terms) / total

    old = rate(_OLD) > rate(_MODERN) if year is None else year < _OLD_UNTIL
    if rate(_DEEDS) >= 1 and rate(_CLAUSES) >= 8:
        return "legal", old and year is not None
    if len(_SIGNS.findall(sample)) > _MANY_SIGNS * len(sample) or rate(_MACHINES) >= 8:
        return "technical", False
    if old:
        return "novel", True
    return ("modern" if rate(_SPEECH) >= 3 else "report"), False


def _chinese(sample: str, year: float | None) -> tuple[str, bool]:
    size = max(1, len(sample))

    def rate(pattern: re.Pattern[str]) -> float:
        """Per thousand characters."""
        return 1000 * len(pattern.findall(sample)) / size

    old = rate(_CHINESE_OLD) > rate(_CHINESE_MODERN) if year is None else year < _OLD_UNTIL
    if rate(_CHINESE_DEEDS) >= 3:
        return "legal", False
    if rate(_CHINESE_MACHINES) >= 3:
        return "technical", False
    if old or rate(_CHINESE_OLD) + rate(_CHINESE_MODERN) == 0:
        return "novel", True
    return ("modern" if rate(_CHINESE_SPEECH) >= 1 else "report"), False


def _country(sample: str) -> str | None:
    """The country that most words tied to one belong to."""
    found = Counter(re.findall(r"[^\W\d_]+", sample))
    counts = Counter({name: sum(found[word] for word in named.split()) for name, named in _COUNTRIES.items()})
    counts["Russia"] += sum(times for word, times in found.items() if _PATRONYM.fullmatch(word))
    name, times = counts.most_common(1)[0]
    return name if times >= _ENOUGH_PLACE and times >= _PLACE_SHARE * counts.total() else None


def _currency(sample: str, known: Mapping[str, re.Pattern[str]]) -> str | None:
    """The currency of most sums of money."""
    found = Counter({name: len(pattern.findall(sample)) for name, pattern in known.items()})
    name, times = found.most_common(1)[0]
    return name if times >= _ENOUGH_MONEY and times >= _MONEY_SHARE * found.total() else None
