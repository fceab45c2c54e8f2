"""How a language and register write numbers, times, dates and names."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from longreach.core.files import yaml_table
from longreach.core.language import chinese_number, english_number, ordinal
from longreach.errors import BadInput, did_you_mean

from .lexicon import POOLS, Lexicon, Range, ThemeSentences, UnitWords, load_lexicon, load_wordings, pool_of, words
from .nouns import Value, list_of


def _others(answer: str, forms: Iterable[str]) -> tuple[str, ...]:
    """The forms that differ from the canonical one, deduplicated, in order."""
    return tuple(dict.fromkeys(form for form in forms if form != answer))


class Voice(ABC):
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
    def amount(self, n: int, unit: str) -> Value:
        """A number in a unit of the lexicon."""

    @abstractmethod
    def year(self, n: int) -> Value:
        """A calendar year."""

    @abstractmethod
    def clock(self, minutes: int) -> Value:
        """A time of day, in minutes after midnight."""

    @abstractmethod
    def date(self, month: int, day: int) -> Value:
        """A day of the year."""

    @abstractmethod
    def person(self, first: str, last: str) -> Value:
        """A person, by first and last name."""

    @abstractmethod
    def plural(self, noun: str) -> str:
        """Several of them."""

    def noun(self, category: str, word: str, head: str) -> Value:
        """A word of two parts; `head` is the second where it can replace the whole, else empty."""
        # "telescope" names the brass telescope, but "maker" does not name the harness maker.
        accept = (head,) if head and category in ("thing", "room", "vehicle") else ()
        return Value(raw=word, category=category, kind="text", answer=word, text=word, accept=accept)

    def weekday(self, index: int) -> Value:
        """A day of the week, 0 for Monday."""
        name = self.weekdays[index]
        return Value(raw=index, category="weekday", kind="text", answer=name, text=name)

    def verdict(self, yes: bool) -> Value:
        """Yes or no."""
        word = self.yes_no[0 if yes else 1]
        return Value(raw="yes" if yes else "no", category="verdict", kind="yesno", answer=word, text=word)

    def listing(self, values: Sequence[Value]) -> Value:
        """Several values in order."""
        return list_of(values, self.separator)


class English(Voice):
    """English, in words or in figures."""

    weekdays = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
    yes_no = ("Yes", "No")
    separator = ", "
    absent = "Not mentioned in the text or story."
    _MONTHS = words("January February March April May June July August September October November December")

    def amount(self, n: int, unit: str) -> Value:
        measure = self.lexicon.units[unit]
        name = measure.one if n == 1 else measure.many
        words, figures = english_number(n), str(n)
        written = figures if self.lexicon.style == "figures" else words
        answer = f"{written} {name}".strip()
        bare = [words, figures] + ([f"{n:,}"] if n >= 1000 else [])
        forms = [*bare, *(f"{form} {name}".strip() for form in bare)]
        return Value(
            raw=n,
            category=unit,
            kind="number",
            answer=answer,
            text=answer,
            accept=_others(answer, forms),
            unit=measure.one,
            rival=f"{figures} {name}".strip(),
        )

    def year(self, n: int) -> Value:
        return Value(raw=n, category="year", kind="number", answer=str(n), text=str(n))

    def clock(self, minutes: int) -> Value:
        hour, minute = divmod(minutes, 60)
        part = "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
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
        accept = _others(answer, forms)
        return Value(raw=minutes, category="clock", kind="time", answer=answer, text=text, accept=accept)

    def date(self, month: int, day: int) -> Value:
        name = self._MONTHS[month - 1]
        in_words, plain = f"{ordinal(day)} of {name}", f"{day} {name}"
        answer = in_words if self.lexicon.style == "words" else plain
        text = f"the {answer}" if self.lexicon.style == "words" else answer
        accept = _others(answer, [plain, in_words, f"{name} {day}", f"{name} {ordinal(day)}"])
        return Value(
            raw=100 * month + day, category="date", kind="date", answer=answer, text=text, accept=accept, rival=plain
        )

    def person(self, first: str, last: str) -> Value:
        name = f"{first} {last}"
        return Value(raw=name, category="person", kind="text", answer=name, text=name, accept=(last,), rival=last)

    def plural(self, noun: str) -> str:
        return noun + ("es" if noun.endswith(("s", "x", "ch", "sh")) else "s")


class Chinese(Voice):
    """Chinese, in words or in figures."""

    weekdays = ("星期一", "星期二", "星期三", "星期四", "星期五", "星期六", "星期日")
    yes_no = ("是", "否")
    separator = "、"
    absent = "文中没有提到。"

    def amount(self, n: int, unit: str) -> Value:
        name = self.lexicon.units[unit].one
        words, figures = "两" if n == 2 else chinese_number(n), str(n)
        written = words if self.lexicon.style == "words" else figures
        answer = f"{written}{name}"
        accept = _others(answer, [words, figures, f"{words}{name}", f"{figures}{name}"])
        return Value(
            raw=n,
            category=unit,
            kind="number",
            answer=answer,
            text=answer,
            accept=accept,
            unit=name,
            rival=f"{figures}{name}",
        )

    def year(self, n: int) -> Value:
        answer = f"{n}年"
        return Value(raw=n, category="year", kind="number", answer=answer, text=answer, accept=(str(n),), unit="年")

    def clock(self, minutes: int) -> Value:
        hour, minute = divmod(minutes, 60)
        part = "上午" if hour < 12 else "下午" if hour < 18 else "晚上"
        twelve = (hour - 1) % 12 + 1
        hour_words = "两" if twelve == 2 else chinese_number(twelve)
        in_words = hour_words + {0: "点", 15: "点一刻", 30: "点半", 45: "点三刻"}[minute]
        long, formal = f"{hour:02}:{minute:02}", f"{hour}时" + (f"{minute}分" if minute else "")
        answer = {"words": f"{part}{in_words}", "figures": long, "legal": formal}[self.lexicon.style]
        figures = f"{part}{twelve}点" + (f"{minute}分" if minute else "")
        accept = _others(answer, [f"{part}{in_words}", in_words, figures, long, formal])
        # 四点 is a substring of 四点三刻; figures of the 24-hour clock are never substrings of one another.
        return Value(raw=minutes, category="clock", kind="time", answer=answer, text=answer, accept=accept, rival=long)

    def date(self, month: int, day: int) -> Value:
        in_words, plain = f"{chinese_number(month)}月{chinese_number(day)}日", f"{month}月{day}日"
        answer = in_words if self.lexicon.style == "words" else plain
        accept = _others(answer, [plain, in_words])
        return Value(raw=100 * month + day, category="date", kind="date", answer=answer, text=answer, accept=accept)

    def weekday(self, index: int) -> Value:
        plain = super().weekday(index)
        end = plain.answer[-1]
        accept = (f"周{end}", f"礼拜{end}") + (("星期天", "周天", "礼拜天") if end == "日" else ())
        return Value(raw=index, category="weekday", kind="text", answer=plain.answer, text=plain.text, accept=accept)

    def person(self, first: str, last: str) -> Value:
        name = f"{last}{first}"
        return Value(raw=name, category="person", kind="text", answer=name, text=name)

    def plural(self, noun: str) -> str:
        return noun


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
        named = {name: UnitWords(setting.money, plural) for name, unit in lexicon.units.items() if unit == money}
        lexicon = replace(lexicon, units={**lexicon.units, **named})
    if setting.years is not None:
        low, high = setting.years
        lexicon = replace(lexicon, ranges={**lexicon.ranges, "year": Range(low, high, "calendar")})
    return Manner(voice=_VOICES[language](lexicon), wordings=wordings)
