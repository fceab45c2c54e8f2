"""How a language and register write numbers, times, dates and names: their words as tables, and the values that facts
and keys are made of."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Literal

from longreach.core.files import sections, yaml_table
from longreach.core.language import chinese_number, english_number, ordinal
from longreach.core.types import AnswerKind, Key

POOLS = ("surnames", "places", "things", "rooms", "trades", "vehicles", "goods")
"""Fields of a lexicon that are pools."""


@dataclass(frozen=True)
class WordPool:
    """Words made of two parts, in every combination of `left` and `right`."""

    left: tuple[str, ...]
    right: tuple[str, ...]
    distinct: Literal["left", "right", "both"]
    """The part that is used at most once per fact set, so that its members are clearly distinct."""
    joint: str = ""

    def join(self, left: str, right: str) -> str:
        """One of them."""
        return f"{left}{self.joint}{right}"


@dataclass(frozen=True)
class UnitWords:
    """A unit of measure; both empty for a bare count."""

    one: str
    many: str


@dataclass(frozen=True)
class Range:
    """Whole numbers from `low` to `high` by `step`, in a unit."""

    low: int
    high: int
    unit: str
    """Key of the lexicon's `units`."""
    step: int = 1


@dataclass(frozen=True)
class Lexicon:
    """The words of one register."""

    style: Literal["words", "figures", "legal"]
    """How numbers and times are written: all in words; all in figures, with a 24-hour clock; or as in the language's
    legal papers."""
    women: tuple[str, ...]
    """First names; in Chinese the given names that follow the family name."""
    men: tuple[str, ...]
    surnames: WordPool
    """Family names; in Chinese they are common ones and only the full name is new."""
    places: WordPool
    things: WordPool
    rooms: WordPool
    trades: WordPool
    vehicles: WordPool
    goods: WordPool
    """Goods in the singular."""
    units: Mapping[str, UnitWords]
    ranges: Mapping[str, Range]
    spare_surnames: WordPool | None = None
    """Used where all others occur in the haystack or in other sets."""


@dataclass(frozen=True)
class ThemeSentences:
    """The sentences of one theme: one per fact, one per question."""

    facts: tuple[str, str]
    literal: tuple[str, str]
    inference: tuple[str, str]


def words(text: str) -> tuple[str, ...]:
    """A word list, written as one text."""
    return tuple(text.split())


def pool_of(given: Mapping[str, str]) -> WordPool:
    """A pool as the tables write it."""
    joint = given.get("joint", "")
    return WordPool(words(given["left"]), words(given["right"]) or ("",), given["distinct"], joint)  # type: ignore[arg-type]


@cache
def load_lexicon(language: str, register: str) -> Lexicon:
    """The words of a register."""
    given: dict[str, Any] = yaml_table(__package__, f"words/{language}.yaml")[register]
    units = {
        name: UnitWords(*unit) if isinstance(unit, list) else UnitWords(unit, unit)
        for name, unit in given["units"].items()
    }
    return Lexicon(
        style=given["style"],
        women=words(given["women"]),
        men=words(given["men"]),
        units=units,
        ranges={name: Range(*span) for name, span in given["ranges"].items()},
        **{name: pool_of(given[name]) for name in POOLS},
    )


@cache
def load_wordings(language: str, register: str) -> dict[str, ThemeSentences]:
    """The sentences of a register by theme, without those it takes from another."""
    found: dict[str, ThemeSentences] = {}
    for name, lines in sections(__package__, f"words/{language}-themes.txt").items():
        of, _, theme = name.partition(".")
        if of == register:
            fact1, fact2, literal1, literal2, inference1, inference2 = lines
            found[theme] = ThemeSentences((fact1, fact2), (literal1, literal2), (inference1, inference2))
    return found


@dataclass(frozen=True)
class FactValue:
    """A person, thing, number, time, ... as a structure and in words."""

    raw: str | int
    """As in statements."""
    category: str
    """`person`, `thing`, `clock`, ...; for numbers the lexicon's name of their unit."""
    kind: AnswerKind
    answer: str
    """The canonical short form."""
    text: str
    """As in sentences; contains `answer`."""
    accept: tuple[str, ...] = ()
    unit: str = ""
    rival: str = ""
    """The shortest way a wrong answer could name it; if empty, the answer itself."""
    items: tuple[FactValue, ...] = ()
    """The members of a list."""

    @property
    def group(self) -> str:
        """Values of one group can be confused: those of a category, or numbers of a unit."""
        return self.unit or self.category

    @property
    def short(self) -> str:
        """The form used among rivals."""
        return self.rival or self.answer


def plain_value(raw: str | int, category: str, kind: AnswerKind, answer: str, text: str = "", **more: Any) -> FactValue:
    """A value that sentences write like its answer, unless `text` says otherwise."""
    return FactValue(raw=raw, category=category, kind=kind, answer=answer, text=text or answer, **more)


def list_of(values: Sequence[FactValue], separator: str) -> FactValue:
    """A list answer, in the order given."""
    answer = separator.join(value.answer for value in values)
    short = separator.join(value.short for value in values)
    accept = (short,) if short != answer else ()
    return plain_value(answer, "list", "list", answer, accept=accept, items=tuple(values))


def key_for(value: FactValue, question: str, planted: Iterable[FactValue]) -> Key:
    """The key of a question whose answer is `value`, with rivals from everything planted in the set.

    A value that the question itself names is not a rival, because a full-sentence answer repeats it; where the question
    offers the right answer among others, all offered values remain rivals."""
    right = value.items or (value,)
    group = right[0].group
    raws = {item.raw for item in right}
    offered = value.answer in question
    rivals: list[str] = []
    for other in planted:
        if other.group != group or other.raw in raws or other.short in rivals:
            continue
        if offered or other.short not in question:
            rivals.append(other.short)
    return Key(
        kind=value.kind,
        answer=value.answer,
        accept=value.accept,
        rivals=tuple(rivals),
        unit=value.unit,
        ordered=bool(value.items),
    )


def _others(answer: str, forms: Iterable[str]) -> tuple[str, ...]:
    """The forms that differ from the canonical one, deduplicated, in order."""
    return tuple(dict.fromkeys(form for form in forms if form != answer))


def _part_of_day(hour: int, names: tuple[str, str, str]) -> str:
    return names[(hour >= 12) + (hour >= 18)]


class FactVoice(ABC):
    """Writes values; one subclass per language, with the register's lexicon inside."""

    weekdays: tuple[str, ...]
    """Monday first."""
    yes_no: tuple[str, str]
    separator: str
    """Separates the members of a list."""
    absent: str
    """The one right answer where the context does not mention it."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    @abstractmethod
    def amount(self, n: int, unit: str) -> FactValue:
        """A number in a unit of the lexicon."""

    @abstractmethod
    def year(self, n: int) -> FactValue:
        """A calendar year."""

    @abstractmethod
    def clock(self, minutes: int) -> FactValue:
        """A time of day, in minutes after midnight."""

    @abstractmethod
    def date(self, month: int, day: int) -> FactValue:
        """A day of the year."""

    @abstractmethod
    def person(self, first: str, last: str) -> FactValue:
        """A person, by first and last name."""

    @abstractmethod
    def plural(self, noun: str) -> str:
        """Several of them."""

    def noun(self, category: str, word: str, head: str) -> FactValue:
        """A word of two parts; `head` is the second where it can replace the whole, else empty."""
        # "telescope" names the brass telescope, but "maker" does not name the harness maker.
        accept = (head,) if head and category in ("thing", "room", "vehicle") else ()
        return plain_value(word, category, "text", word, accept=accept)

    def weekday(self, index: int) -> FactValue:
        """A day of the week, 0 for Monday."""
        return plain_value(index, "weekday", "text", self.weekdays[index])

    def verdict(self, yes: bool) -> FactValue:
        """Yes or no."""
        return plain_value("yes" if yes else "no", "verdict", "yesno", self.yes_no[not yes])

    def listing(self, values: Sequence[FactValue]) -> FactValue:
        """Several values in order."""
        return list_of(values, self.separator)


class EnglishFacts(FactVoice):
    """English, in words or in figures."""

    weekdays = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    yes_no = ("Yes", "No")
    separator = ", "
    absent = "Not mentioned in the text or story."
    _MONTHS = words("January February March April May June July August September October November December")

    def amount(self, n: int, unit: str) -> FactValue:
        measure = self.lexicon.units[unit]
        name = measure.one if n == 1 else measure.many
        words, figures = english_number(n), str(n)
        written = figures if self.lexicon.style == "figures" else words
        answer = f"{written} {name}".strip()
        bare = [words, figures] + ([f"{n:,}"] if n >= 1000 else [])
        forms = [*bare, *(f"{form} {name}".strip() for form in bare)]
        accept, rival = _others(answer, forms), f"{figures} {name}".strip()
        return plain_value(n, unit, "number", answer, accept=accept, unit=measure.one, rival=rival)

    def year(self, n: int) -> FactValue:
        return plain_value(n, "year", "number", str(n))

    def clock(self, minutes: int) -> FactValue:
        hour, minute = divmod(minutes, 60)
        part = _part_of_day(hour, ("in the morning", "in the afternoon", "in the evening"))
        now, soon = (english_number((hour + more - 1) % 12 + 1) for more in (0, 1))
        in_words = {
            0: f"{now} o'clock",
            15: f"a quarter past {now}",
            30: f"half past {now}",
            45: f"a quarter to {soon}",
        }[minute]
        twelve, long = f"{(hour - 1) % 12 + 1}:{minute:02}", f"{hour:02}:{minute:02}"
        answer = {"words": in_words, "figures": long, "legal": twelve}[self.lexicon.style]
        text = answer if self.lexicon.style == "figures" else f"{answer} {part}"
        half = "am" if hour < 12 else "pm"
        forms = [in_words, twelve, long, f"{twelve} {half}", f"{in_words} {part}", f"{twelve} {part}"]
        return plain_value(minutes, "clock", "time", answer, text, accept=_others(answer, forms))

    def date(self, month: int, day: int) -> FactValue:
        name = self._MONTHS[month - 1]
        in_words, plain = f"{ordinal(day)} of {name}", f"{day} {name}"
        answer = in_words if self.lexicon.style == "words" else plain
        text = f"the {answer}" if self.lexicon.style == "words" else answer
        accept = _others(answer, [plain, in_words, f"{name} {day}", f"{name} {ordinal(day)}"])
        return plain_value(100 * month + day, "date", "date", answer, text, accept=accept, rival=plain)

    def person(self, first: str, last: str) -> FactValue:
        name = f"{first} {last}"
        return plain_value(name, "person", "text", name, accept=(last,), rival=last)

    def plural(self, noun: str) -> str:
        return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


class ChineseFacts(FactVoice):
    """Chinese, in words or in figures."""

    weekdays = ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日")
    yes_no = ("是", "否")
    separator = "、"
    absent = "文中没有提到。"

    def amount(self, n: int, unit: str) -> FactValue:
        name = self.lexicon.units[unit].one
        words, figures = "两" if n == 2 else chinese_number(n), str(n)
        written = words if self.lexicon.style == "words" else figures
        answer = f"{written}{name}"
        accept = _others(answer, [words, figures, f"{words}{name}", f"{figures}{name}"])
        return plain_value(n, unit, "number", answer, accept=accept, unit=name, rival=f"{figures}{name}")

    def year(self, n: int) -> FactValue:
        return plain_value(n, "year", "number", f"{n}年", accept=(str(n),), unit="年")

    def clock(self, minutes: int) -> FactValue:
        hour, minute = divmod(minutes, 60)
        part = _part_of_day(hour, ("上午", "下午", "晚上"))
        twelve = (hour - 1) % 12 + 1
        hour_words = "两" if twelve == 2 else chinese_number(twelve)
        in_words = hour_words + {0: "点", 15: "点一刻", 30: "点半", 45: "点三刻"}[minute]
        long, formal = f"{hour:02}:{minute:02}", f"{hour}时" + (f"{minute}分" if minute else "")
        answer = {"words": f"{part}{in_words}", "figures": long, "legal": formal}[self.lexicon.style]
        figures = f"{part}{twelve}点" + (f"{minute}分" if minute else "")
        accept = _others(answer, [f"{part}{in_words}", in_words, figures, long, formal])
        # 四点 is a substring of 四点三刻; figures of the 24-hour clock are never substrings of one another.
        return plain_value(minutes, "clock", "time", answer, accept=accept, rival=long)

    def date(self, month: int, day: int) -> FactValue:
        in_words, plain = f"{chinese_number(month)}月{chinese_number(day)}日", f"{month}月{day}日"
        answer = in_words if self.lexicon.style == "words" else plain
        accept = _others(answer, [plain, in_words])
        return plain_value(100 * month + day, "date", "date", answer, accept=accept)

    def weekday(self, index: int) -> FactValue:
        plain = super().weekday(index)
        end = plain.answer[-1]
        accept = (f"周{end}", f"礼拜{end}") + (("星期天", "周天", "礼拜天") if end == "日" else ())
        return replace(plain, accept=accept)

    def person(self, first: str, last: str) -> FactValue:
        return plain_value(f"{last}{first}", "person", "text", f"{last}{first}")

    def plural(self, noun: str) -> str:
        return noun


LANGUAGES = ("en", "zh")
REGISTERS = ("novel", "report", "legal", "technical", "modern", "contract")

_VOICES: Mapping[str, type[FactVoice]] = {"en": EnglishFacts, "zh": ChineseFacts}
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

    voice: FactVoice
    wordings: Mapping[str, ThemeSentences]
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
        named = {name: UnitWords(setting.money, plural) for name, unit in lexicon.units.items() if unit == money}
        lexicon = replace(lexicon, units={**lexicon.units, **named})
    if setting.years is not None:
        low, high = setting.years
        lexicon = replace(lexicon, ranges={**lexicon.ranges, "year": Range(low, high, "calendar")})
    return Manner(voice=_VOICES[language](lexicon), wordings=wordings)
