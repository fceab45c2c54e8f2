"""Chinese: terms worth leaving out, and sentences that can stand alone."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator

from .terms import Kind, Term

__all__ = ["ASK", "content", "find_terms", "unfit"]

ASK: dict[Kind, str] = {
    "amount": "金额",
    "percentage": "百分比",
    "number": "数字",
    "year": "年份",
    "date": "日期",
    "name": "名称",
    "abbreviation": "缩写",
    "title": "名称",
    "word": "词语",
    "code": "术语",
}

_HAN = "\u3400-\u4dbf\u4e00-\u9fff"
_DIGITS = "〇零一二两三四五六七八九十百千万萬亿億"
_DATE = re.compile(
    r"(?:\d{4}|[〇零一二三四五六七八九]{4})年(?:\d{1,2}|[一二三四五六七八九十]{1,2})月"
    r"(?:(?:\d{1,2}|[一二三四五六七八九十]{1,3})[日号])?"
)
_YEAR = re.compile(r"(?:1[0-9]\d\d|20\d\d)年|[一二][〇零一二三四五六七八九]{3}年")
_PERCENT = re.compile(rf"\d+(?:\.\d+)?[%％]|百分之[{_DIGITS}点]{{1,6}}")
_NUMBER = re.compile(rf"(?<![\d.{_DIGITS}第])(?:\d[\d,]*(?:\.\d+)?[万亿]?|[{_DIGITS}]{{2,8}})(?![\d.{_DIGITS}])")
_POINTER = re.compile(r"(?:第|图|表|见|编号|号码|注|[§#（(\[])\s*$")
_MEASURE = re.compile(r"[余餘多]?([元人名个位件座家次万里米吨斤匹头只艘辆年岁天日月亩倍条部本册篇段户口骑兵馀])")
_TITLE = re.compile(r"《[^《》\n]{2,20}》")
_QUOTED = re.compile(r"“[^“”，。！？、；：\s]{2,10}”")
_LATIN = re.compile(r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9+.-]{1,20}[A-Za-z0-9](?![A-Za-z0-9])")
_BODY = re.compile(
    rf"(?<=[在于由向与和及是为到从赴至的、，“])[{_HAN}]{{2,7}}?"
    r"(?:公司|大学|学院|委员会|银行|法院|协会|研究所|医院|出版社|政府|集团|中心|山|河|江|湖|岛|省|市|县|州|郡|国)(?=[，。、；的与和在是为于]|$)"
)
_SPEAKER = re.compile(
    rf"(?:(?<=[。！？”，；])|^)(?![他她它我你们这那众])[{_HAN}]{{2,3}}(?=曰|笑道|问道|说道|大怒|大喜|听罢)"
)
_LEADS_BACK = re.compile(
    r"[“‘「『（]*(?:他|她|它|他们|她们|它们|这|那|此|该|其|我|你|您|本|上述|以上|但|但是|然而|不过|所以|因此|因而|于是|而且|而|且|并"
    r"|另外|此外|同时|同样|首先|其次|再次|最后|例如|比如|如此|可见|总之|即|又|则|亦|乃|却)"
)
_POINTS = re.compile("他们|她们|它们|他|她|它|这|那|此|该|上述|以下|如下|我|你|其")
_CONTENT_RUN = re.compile(rf"[{_HAN}]+|[A-Za-z0-9]+")
_LENGTH = range(16, 121)
_LEAST_CONTENT = 8


def content(text: str) -> frozenset[str]:
    """Pairs of neighbouring characters, which say as much as words do; other scripts by word."""
    found: set[str] = set()
    for run in _CONTENT_RUN.findall(text):
        if run.isascii():
            found.add(run.casefold())
        else:
            found.update(run[at : at + 2] for at in range(len(run) - 1))
    return frozenset(found)


def unfit(sentence: str) -> float | None:
    """How much a sentence leans on its surroundings, 0 being not at all; None where it cannot stand alone."""
    if len(sentence) not in _LENGTH or sentence[-1] != "。" or _LEADS_BACK.match(sentence):
        return None
    if any(sentence.count(one) != sentence.count(other) for one, other in ("“”", "（）", "《》", "「」", "‘’")):
        return None
    if not "\u3400" <= sentence[0] <= "\u9fff" and not sentence[0].isalnum() and sentence[0] != "《":
        return None
    if len(content(sentence)) < _LEAST_CONTENT or "__" in sentence:
        return None
    return len(_POINTS.findall(sentence)) + sentence.count("“") + 0.02 * max(0, len(sentence) - 60)


def find_terms(sentence: str) -> Iterator[Term]:
    """Everything in a sentence that could be left out; no two overlap."""
    taken: list[tuple[int, int]] = []
    finders = (_dates, _numbers, _titles, _names)
    for term in (term for find in finders for term in find(sentence)):
        if all(term.end <= start or term.start >= end for start, end in taken):
            taken.append((term.start, term.end))
            yield term


def _dates(sentence: str) -> Iterator[Term]:
    for match in _DATE.finditer(sentence):
        arabic = match[0][0].isdigit() and match[0][0].isascii()
        yield Term("date", match[0], match.start(), (("date", arabic, match[0][-1]), ("date", arabic)))
    for match in _YEAR.finditer(sentence):
        text = match[0]
        size = float(text[:-1]) if text[:-1].isascii() else None
        yield Term("year", text, match.start(), (("year", size is None),), size=size)


def _numbers(sentence: str) -> Iterator[Term]:
    for match in _PERCENT.finditer(sentence):
        arabic = match[0][0].isascii()
        size = float(match[0].rstrip("%％")) if arabic else None
        yield Term("percentage", match[0], match.start(), (("percentage", arabic),), size=size)
    for match in _NUMBER.finditer(sentence):
        text = match[0]
        arabic = text[0].isascii()
        if (
            match.start() == 0
            or _POINTER.search(sentence[: match.start()])
            or (arabic and len(text.rstrip("万亿")) < 2)
        ):
            continue
        measure = _MEASURE.match(sentence, match.end())
        if not arabic and not measure:
            continue  # 一一, 十分, 万一: numerals that count nothing
        unit = measure[1] if measure else ""
        size = float(text.rstrip("万亿").replace(",", "")) if arabic else None
        shapes: tuple[tuple[Hashable, ...], ...] = (
            ("number", arabic, unit, len(text)),
            ("number", arabic, unit),
            ("number", arabic, bool(unit)),
        )
        yield Term("number", text, match.start(), shapes, size=size)


def _titles(sentence: str) -> Iterator[Term]:
    for match in _TITLE.finditer(sentence):
        yield Term("title", match[0], match.start(), (("title", len(match[0]) > 8), ("title",)))
    for match in _QUOTED.finditer(sentence):
        yield Term("word", match[0], match.start(), (("quoted", len(match[0])), ("quoted",)))


def _names(sentence: str) -> Iterator[Term]:
    for match in _LATIN.finditer(sentence):
        kind: Kind = "abbreviation" if match[0].isupper() else "name"
        yield Term(kind, match[0], match.start(), (("latin", match[0].isupper()),))
    for match in _BODY.finditer(sentence):
        before = sentence[match.start() - 1] if match.start() else ""
        yield Term("name", match[0], match.start(), (("body", before, match[0][-1]), ("body", match[0][-1]), ("body",)))
    for match in _SPEAKER.finditer(sentence):
        yield Term("name", match[0], match.start(), (("speaker", len(match[0])), ("speaker",)))
