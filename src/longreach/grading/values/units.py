"""Units: one name for all spellings of each, and exact factors between those of one kind."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .words import singular

__all__ = ["CLASSIFIERS", "HAN_UNITS", "MONEY", "Unit", "unit_named"]


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit. Two quantities can be equal across units only where the factor is exact and timeless."""

    name: str
    kind: str
    """What it measures; quantities of different kinds are never equal."""
    factor: Fraction
    """In the kind's smallest unit."""


def _units(kind: str, *rows: tuple[str, str | int, str]) -> list[tuple[Unit, list[str]]]:
    return [(Unit(name, kind, Fraction(factor)), [name, *aliases.split()]) for name, factor, aliases in rows]


# Money has no factors between its units: how many shillings make a pound depends on the year of the text.
_TABLE = [
    *_units(
        "duration",
        ("second", 1, "sec s 秒 秒钟"),
        ("minute", 60, "min 分钟"),
        ("hour", 3_600, "hr h 小时 钟头 个钟头 个小时"),
        ("day", 86_400, "天 日 昼夜"),
        ("week", 604_800, "wk 周 星期 个星期 礼拜 个礼拜"),
        ("fortnight", 1_209_600, ""),
    ),
    *_units(
        "calendar",
        ("month", 1, "月 个月"),
        ("year", 12, "yr yo 年 岁 周岁"),
        ("decade", 120, ""),
        ("century", 1_200, "世纪 个世纪"),
    ),
    *_units(
        "length",
        ("millimetre", 10, "millimeter mm 毫米"),
        ("centimetre", 100, "centimeter cm 厘米 公分"),
        ("metre", 10_000, "meter m 米 公尺"),
        ("kilometre", 10_000_000, "kilometer km 公里 千米"),
        ("inch", 254, "英寸"),
        ("foot", 3_048, "ft 英尺"),
        ("yard", 9_144, "yd 码"),
        ("mile", 16_093_440, "mi 英里"),
    ),
    *_units("league", ("league", 1, "里格")),
    *_units("li", ("li", 1, "里 里路 华里")),
    *_units("chi", ("chi", 1, "尺"), ("zhang", 10, "丈")),
    *_units("fathom", ("fathom", 1, "英寻")),
    *_units("knot", ("knot", 1, "节")),
    *_units(
        "weight",
        ("gram", 1, "gramme g 克"),
        ("kilogram", 1_000, "kilo kilogramme kg 公斤 千克"),
        ("tonne", 1_000_000, "吨"),
    ),
    *_units("ton", ("ton", 1, "")),
    *_units("jin", ("jin", 1, "斤")),
    *_units("ounce", ("ounce", 1, "oz 盎司")),
    *_units("stone", ("stone", 1, "")),
    *_units("pound", ("pound", 1, "lb gbp £ 英镑 镑 磅 quid")),
    *_units("shilling", ("shilling", 1, "先令")),
    *_units("penny", ("penny", 1, "便士")),
    *_units("guinea", ("guinea", 1, "几尼 畿尼")),
    *_units("crown", ("crown", 1, "克朗")),
    *_units("franc", ("franc", 1, "frs fr f ff 法郎")),
    *_units("sou", ("sou", 1, "sous 苏")),
    *_units("livre", ("livre", 1, "里弗尔")),
    *_units("louis", ("louis", 1, "路易")),
    *_units("ecu", ("ecu", 1, "埃居")),
    *_units("centime", ("centime", 1, "生丁")),
    *_units("dollar", ("dollar", 1, "usd $ 美元")),
    *_units("cent", ("cent", 1, "美分")),
    *_units("euro", ("euro", 1, "eur € 欧元")),
    *_units("yuan", ("yuan", 1, "rmb cny ¥ 元 块 块钱 元钱 人民币")),
    *_units("tael", ("tael", 1, "两银子 两白银 两")),
    *_units("wen", ("wen", 1, "文 文钱")),
    *_units("rouble", ("rouble", 1, "ruble 卢布")),
    *_units("ducat", ("ducat", 1, "杜卡特")),
    *_units("florin", ("florin", 1, "弗罗林")),
    *_units("thaler", ("thaler", 1, "塔勒")),
    *_units("mark", ("mark", 1, "reichsmark 马克")),
    *_units("krone", ("krone", 1, "kroner krona kronor 克朗币")),
    *_units("peso", ("peso", 1, "比索")),
    *_units("rupee", ("rupee", 1, "卢比")),
    *_units("yen", ("yen", 1, "jpy 日元")),
    *_units("lira", ("lira", 1, "lire 里拉")),
    *_units("percent", ("percent", 1, "%")),
    *_units("degree", ("degree", 1, "° 度")),
    *_units("acre", ("acre", 1, "英亩")),
    *_units("mu", ("mu", 1, "亩")),
    *_units("hectare", ("hectare", 1, "ha 公顷")),
    *_units("litre", ("litre", 1, "liter l 升")),
    *_units("pint", ("pint", 1, "品脱")),
    *_units("gallon", ("gallon", 1, "加仑")),
    *_units("bushel", ("bushel", 1, "蒲式耳")),
    *_units("time", ("time", 1, "次 回 遍")),
]
_BY_NAME = {alias: unit for unit, aliases in _TABLE for alias in aliases}
HAN_UNITS = tuple(sorted((name for name in _BY_NAME if "\u4e00" <= name[0] <= "\u9fff"), key=len, reverse=True))
"""Chinese unit names, longest first."""

CLASSIFIERS = frozenset("个名位只匹头条张把本件座间口家艘辆棵朵封枚颗桶瓶箱袋袭层扇盏支枝根双对群队人级幅")
"""Chinese measure words without information for a reader."""

MONEY = frozenset(
    {
        "pound", "shilling", "penny", "guinea", "crown", "franc", "sou", "livre", "louis", "ecu", "centime", "dollar",
        "cent", "euro", "yuan", "tael", "wen", "rouble", "ducat", "florin", "thaler", "mark", "krone", "peso", "rupee",
        "yen", "lira",
    }
)  # fmt: skip
"""Kinds of unit that are money."""


def unit_named(word: str) -> Unit | None:
    """The unit a word names, in singular or plural, in full or in short."""
    word = word.casefold().strip(". ")
    return _BY_NAME.get(word) or _BY_NAME.get(singular(word))
