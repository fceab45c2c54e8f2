"""Chinese dates, years, percentages and counts, with the question word that replaces each."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

__all__ = ["Figure", "count_figures", "find_figures"]

_NUMERAL = "〇零一二两三四五六七八九十百千万萬亿億"
_DAY = (
    r"(?:正|腊|冬|十一|十二|[一二三四五六七八九十])月"
    r"(?:初[一二三四五六七八九十]|[一二]?十[一二三四五六七八九]?|廿[一二三四五六七八九]?|三十)(?:日|号)?"
    r"|\d{1,2} ?月 ?\d{1,2} ?[日号]"
)
_DATE = re.compile(
    rf"(?:\d{{4}}|[〇零一二三四五六七八九]{{4}}) ?年 ?(?:{_DAY}|\d{{1,2}} ?月|[一二三四五六七八九十]{{1,2}}月)"
)
_YEAR = re.compile(
    r"(?<!\d)(1[0-9]\d\d|20\d\d) ?年(?!代|级|[前后]|\s?\d*\s?月)"
    r"|(?<![〇零一二三四五六七八九])([一二][〇零一二三四五六七八九]{3})年(?!代|\w*月)"
)
_PERCENT = re.compile(rf"\d+(?:\.\d+)?[%％]|百分之[{_NUMERAL}点]{{1,6}}")
_MEASURE = (
    "块大洋|块钱|两银子|吊钱|文钱|担|石|元|人|名|位|件|座|家|次|里|米|吨|斤|匹|头|只|艘|辆|年|岁|天|个月|个礼拜|个"
    "|亩|倍|条|部|本|册|篇|户|种|台|张|颗|章|字节|秒|毫秒|分钟|小时|像素|行|列|步|层|页|公里|厘米|毫米|项|套|类|卷|回"
    "|处|度"
    "|[KMGT]i?B|[MG]Hz|dpi|ms"
)
_COUNT = re.compile(
    rf"(?<![\d.{_NUMERAL}第初每])(\d[\d,]*(?:\.\d+)?[万亿]?|[{_NUMERAL}]{{1,8}}) ?({_MEASURE})(?![半多余代A-Za-z]|年代)"
)
_PLAIN_NUMBERS = frozenset({"一", "两", "百", "千", "万", "十"})
_COUNTED_BY_ONE = frozenset({"块大洋", "块钱", "个礼拜", "里", "岁", "元"})
_SMALL = 20
"""Numbers below are options only for each other."""
_NAME_LIKE = 6
"""Occurrences from which a count with its measure may be a name."""
_DIGIT = {character: value for value, character in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}


@dataclass(frozen=True)
class Figure:
    """A figure in a sentence."""

    kind: str
    text: str
    form: tuple[Hashable, ...]
    asked: str
    """Its question word."""
    cut: tuple[int, int]
    """The text that the question word replaces; a measure or 'that day' is included with its figure."""
    size: float | None = None
    near: tuple[str, ...] = ()


def count_figures(texts: Sequence[str]) -> Counter[str]:
    """How often each count with its measure occurs."""
    return Counter(match[0] for text in texts for match in _COUNT.finditer(text))


def find_figures(text: str, often: Counter[str]) -> Iterator[Figure]:
    """All figures of a sentence that do not overlap; impossible dates are left out."""
    taken: list[tuple[int, int]] = []
    for figure in _figures(text, often):
        if all(figure.cut[1] <= start or figure.cut[0] >= end for start, end in taken):
            taken.append(figure.cut)
            yield figure


def _figures(text: str, often: Counter[str]) -> Iterator[Figure]:
    for match in _DATE.finditer(text):
        if _possible(match[0]):
            spelling = (match[0][0].isdigit(), match[0][-1], " " in match[0])
            yield Figure("date", match[0], spelling, "什么时候", match.span(), _days(match[0]))
    for match in re.finditer(_DAY, text):
        if _possible(match[0]):
            tail = re.match(r"(?:这|那)?(?:一)?(?:天|日)", text[match.end() :])
            cut = (match.start(), match.end() + (tail.end() if tail else 0))
            yield Figure("day", match[0], (match[0][0].isdigit(), match[0][-1] in "日号"), "哪一天", cut)
    for match in _YEAR.finditer(text):
        year = match[1] or "".join(str(_DIGIT[character]) for character in match[2])
        yield Figure("year", match[0], (bool(match[1]), " " in match[0]), "哪一年", match.span(), float(year))
    for match in _PERCENT.finditer(text):
        number = re.sub(r"[%％]", "", match[0])
        size = float(number) if number[0].isdigit() else None
        yield Figure("percentage", match[0], (match[0][0].isdigit(),), "百分之多少", match.span(), size)
    for match in _COUNT.finditer(text):
        number, measure = match[1], match[2]
        if number in _PLAIN_NUMBERS and measure not in _COUNTED_BY_ONE:
            continue
        if re.search(r"[第图表见号章节版○至到~–—-]\s?$", text[: match.start()]) or not match.start():
            continue
        if re.fullmatch(r"[一二两三四五六七八九]{2,}|[十百千万亿]+", number) or often[match[0]] > _NAME_LIKE:
            continue  # 'five or six', or a name like a count
        size = _value(number)
        form = (number[0].isdigit(), len(str(int(size))), size < _SMALL, "." in number)
        yield Figure("count", number, form, f"多少{measure}", match.span(), size, (measure,))


def _possible(text: str) -> bool:
    match = re.search(r"(\d{1,2}) ?月(?: ?(\d{1,2}) ?[日号])?", text)
    return match is None or (1 <= int(match[1]) <= 12 and (match[2] is None or 1 <= int(match[2]) <= 31))


def _days(text: str) -> float | None:
    """About how many days before a date in figures; None for one in words."""
    parts = [int(part) for part in re.findall(r"\d+", text)]
    return sum(part * days for part, days in zip(parts, (366.0, 31.0, 1.0), strict=False)) if len(parts) > 1 else None


def _value(number: str) -> float:
    if number[0].isdigit():
        scale = {"万": 1e4, "亿": 1e8}.get(number[-1], 1.0)
        return float(number.rstrip("万亿").replace(",", "")) * scale
    total, section, digit = 0.0, 0.0, 0.0
    for character in number:
        if character in _DIGIT:
            digit = float(_DIGIT[character])
        elif character in "十百千":
            section += (digit or 1.0) * {"十": 10, "百": 100, "千": 1000}[character]
            digit = 0.0
        else:
            total = (total + section + digit) * (1e4 if character in "万萬" else 1e8)
            section = digit = 0.0
    return total + section + digit
