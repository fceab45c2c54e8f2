"""Clock times and calendar dates, with what the text leaves open left open."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Literal, NamedTuple

from .numbers import Numeral, numeral_at
from .words import Reading, word_set

# Clock times, with morning or afternoon left open where the text leaves it open.

Half = Literal["am", "pm", ""]
_PAST = frozenset({"past", "after"})
_TO = frozenset({"to", "before", "till", "until"})
_MORNING = frozenset({"morning", "forenoon", "dawn"})
_LATER = frozenset({"afternoon", "evening"})
_AT = frozenset({"at", "by", "around", "about", "until", "from", "till", "before", "after", "near", "to"})
_AFTER_HOUR = word_set("and or in on when sharp exactly to that each every with for as by but because while since")
_HAN_DAY: dict[str, Half] = {
    "凌晨": "am", "清晨": "am", "早上": "am", "早晨": "am", "上午": "am", "今早": "am", "清早": "am",
    "下午": "pm", "傍晚": "pm", "晚上": "pm", "午后": "pm", "夜里": "pm", "深夜": "pm", "夜晚": "pm", "当晚": "pm",
    "中午": "pm", "正午": "pm", "半夜": "am", "午夜": "am",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ClockTime:
    """A time on the clock's face."""

    hour: int
    """0 to 11."""
    minute: int
    half: Half
    """Empty where the text does not state it."""
    start: int
    end: int
    bare: bool = False
    """Only a number ("at four"): a time where a time was asked for, not elsewhere."""

    def equals(self, other: ClockTime) -> bool:
        """Same time, as far as both state it."""
        halves_agree = not self.half or not other.half or self.half == other.half
        return (self.hour, self.minute) == (other.hour, other.minute) and halves_agree


def read_times(reading: Reading) -> list[ClockTime]:
    """All clock times in reading order, bare hours included and marked."""
    return reading.every(
        "times", partial(_time_at, reading), lambda at: numeral.end if (numeral := numeral_at(reading, at)) else at + 1
    )


def _time_at(reading: Reading, at: int) -> ClockTime | None:
    word = reading.word(at)
    if word in {"noon", "midday", "midnight"}:
        return ClockTime(0, 0, "am" if word == "midnight" else "pm", at, at + 1)
    if word + reading.word(at + 1) in {"正午", "午夜", "中午"}:
        return _chinese(reading, at) or ClockTime(0, 0, "am" if word == "午" else "pm", at, at + 2)
    return _past_or_to(reading, at) or _chinese(reading, at) or _colon(reading, at) or _hours(reading, at)


def _small(numeral: Numeral | None, limit: int) -> int | None:
    """The value of a whole, unordered numeral below a limit."""
    return None if numeral is None or numeral.ordinal else _whole(numeral, 0, limit - 1)


def _past_or_to(reading: Reading, at: int) -> ClockTime | None:
    """Half past four, a quarter to six, ten minutes to six, half four."""
    end = at + (reading.word(at) == "a")
    word = reading.word(end)
    minutes: int | None
    if word in {"half", "quarter"}:
        minutes = 30 if word == "half" else 15
        end += 1
        end += reading.word(end) == "-"
    else:
        numeral = numeral_at(reading, at, decimals=False)
        minutes = _small(numeral, 60)
        if numeral is None or minutes is None:
            return None
        end = numeral.end
        if reading.word(end) in {"minute", "minutes"}:
            end += 1
    way = reading.word(end)
    if way in _PAST or way in _TO:
        end += 1
    elif word != "half":
        return None
    hour_end, hour = _hour_name(reading, end)
    if hour is None:
        return None
    if way in _TO:
        hour, minutes = hour - 1, 60 - minutes
        if minutes == 60:
            return None
    if hour_end == end + 1 and reading.word(end) in {"noon", "midday", "midnight"}:
        before = way in _TO
        half: Half = "am" if (reading.word(end) == "midnight") != before else "pm"
        return ClockTime(hour % 12, minutes, half, at, hour_end)
    half, last = _half_after(reading, hour_end, hour % 12)
    return ClockTime(hour % 12, minutes, half, at, last)


def _hour_name(reading: Reading, at: int) -> tuple[int, int | None]:
    if reading.word(at) in {"noon", "midday", "midnight"}:
        return at + 1, 12
    numeral = numeral_at(reading, at, decimals=False)
    hour = _small(numeral, 13)
    if numeral is None or not hour or numeral.end - numeral.start > 1:
        return at, None
    end = numeral.end
    if reading.word(end) in {"minutes", "minute"}:
        return at, None
    return end + (reading.word(end) == "o'clock"), hour


class _Written(NamedTuple):
    """A time as it is written, perhaps of no clock."""

    hour: int
    minute: int
    end: int
    sure: bool
    """Whether nothing else is written so: 4.30 may be a price."""


def _colon(reading: Reading, at: int) -> ClockTime | None:
    """4:30, 16:30, 4.30 pm, 4h30, 1630 hours."""
    token = reading.tokens[at]
    if token.kind != "number":
        return None
    found = _written_time(reading, at, token.word)
    if found is None or not (0 <= found.hour <= 24 and 0 <= found.minute < 60):
        return None
    half_of_day, last = _half_after(reading, found.end, found.hour % 12)
    if found.sure and not half_of_day and token.word.startswith("0") and len(token.word) == 2 and found.hour:
        half_of_day = "am"  # 08:15 is a time of the 24-hour clock
    if not found.sure and not half_of_day and reading.word(at - 1) not in _AT and reading.word(found.end) != "o'clock":
        return None
    return _on_face(found.hour, found.minute, half_of_day, at, last)


def _written_time(reading: Reading, at: int, written: str) -> _Written | None:
    joint = reading.word(at + 1) if written.isdecimal() and reading.touching(at + 1) else ""
    if joint in {":", "h"} and reading.touching(at + 2):
        following = reading.word(at + 2)
        if not following.isdecimal() or len(following) != 2 or len(written) > 2:
            return None
        return _Written(int(written), int(following), _after_minutes(reading, at + 3), sure=True)
    if joint == "h" and len(written) <= 2:
        return _Written(int(written), 0, at + 2, sure=True)
    if "." in written and len(written.partition(".")[2]) == 2 and len(written) <= 5:
        hour, minute = (int(part) for part in written.split("."))
        return _Written(hour, minute, at + 1, sure=False)
    if written.isdecimal() and len(written) == 4 and reading.word(at + 1) in {"hours", "hour", "hrs", "h"}:
        return _Written(int(written[:2]), int(written[2:]), at + 2, sure=True)
    return None


def _after_minutes(reading: Reading, end: int) -> int:
    """Behind the word "hours", or behind seconds."""
    if reading.word(end) in {"hrs", "hours", "h", "uhr"}:
        end += 1
    if reading.word(end) == ":" and reading.touching(end) and reading.word(end + 1).isdecimal():
        end += 2
    return end


def _hours(reading: Reading, at: int) -> ClockTime | None:
    """Four o'clock, 4 pm, four thirty, sixteen hundred hours, and a bare hour."""
    numeral = numeral_at(reading, at, decimals=False)
    if numeral is None or numeral.ordinal or numeral.value.denominator != 1:
        return None
    if reading.word(numeral.end) in {"hours", "hrs"} and numeral.value >= 100 and numeral.value % 100 < 60:
        hour, minute = divmod(int(numeral.value), 100)
        return _on_face(hour, minute, "", at, numeral.end + 1) if hour <= 24 else None
    written = reading.word(at)
    if len(written) == 4 and written.isdecimal() and numeral.end == len(reading.tokens) == 1:  # 0815, 1630
        hour, minute = divmod(int(written), 100)
        half: Half = "am" if hour < 10 else ""
        return _on_face(hour, minute, half, at, numeral.end, bare=True) if hour < 25 and minute < 60 else None
    hour_number = _small(numeral, 25)
    if hour_number is None:
        return None
    end, minute = numeral.end + 1, 0
    if reading.word(numeral.end) != "o'clock":
        end, minute = _minutes_after(reading, numeral)
    half, last = _half_after(reading, end, hour_number % 12)
    bare = end == numeral.end and not half
    if bare and end < len(reading.tokens):
        # An hour ends before a mark, a small word, or nothing.
        following = reading.tokens[end]
        marks = following.kind == "mark" and following.word not in {"%", "/", ":", "$", "-"}
        if not (marks or following.word in _AFTER_HOUR):
            return None
    return _on_face(hour_number, minute, half, at, last, bare)


def _minutes_after(reading: Reading, hour: Numeral) -> tuple[int, int]:
    """The thirty of "four thirty" or "four-thirty", the "oh five" of "four oh five"."""
    at = hour.end + (reading.word(hour.end) in {"-", "oh"})
    numeral = numeral_at(reading, at, decimals=False)
    minute = _small(numeral, 60)
    if hour.digits or numeral is None or minute is None or numeral.digits or not 1 <= hour.value <= 12:
        return hour.end, 0
    if minute < 10 and reading.word(hour.end) != "oh":
        return hour.end, 0
    return numeral.end, minute


def _half_after(reading: Reading, at: int, hour: int) -> tuple[Half, int]:
    """am, p.m., in the morning, at night, and where they end."""
    word = reading.word(at)
    if word in {"sharp", "exactly", "precisely"}:
        return _half_after(reading, at + 1, hour)
    if word in {"am", "pm"}:
        return ("am" if word == "am" else "pm"), at + 1
    if word in {"a", "p"} and reading.word(at + 1) == "." and reading.word(at + 2) == "m":
        return ("am" if word == "a" else "pm"), at + 3 + (reading.word(at + 3) == ".")
    following = [reading.word(at + i) for i in range(4)]
    start = 1 if following[0] in {"in", "at", "of", "on", ",", "this", "that", "next"} else 0
    start += following[start] in {"the", "that", "same"}
    name = reading.word(at + start)
    if name in _MORNING:
        return "am", at + start + 1
    if name in _LATER:
        return "pm", at + start + 1
    if name in {"night", "noon", "midnight"} and start:
        return ("pm" if 6 <= hour <= 11 or name == "noon" else "am"), at + start + 1
    if name == "noon" and hour == 0:
        return "pm", at + 1
    return "", at


def _chinese(reading: Reading, at: int) -> ClockTime | None:
    """下午四点半, 16时30分, 三点一刻, 差五分四点."""
    end, day = at, ""
    name = reading.word(at) + reading.word(at + 1)
    if name in _HAN_DAY and reading.tokens[at].kind == "han":
        day, end = name, at + 2
    short = 0
    if reading.word(end) == "差":
        numeral = numeral_at(reading, end + 1, decimals=False)
        if reading.word(end + 1) == "一" and reading.word(end + 2) == "刻":
            short, end = 15, end + 3
        elif numeral and reading.word(numeral.end) == "分" and _small(numeral, 60):
            short, end = int(numeral.value), numeral.end + 1
        else:
            return None
    numeral = numeral_at(reading, end, decimals=False)
    hour = _small(numeral, 25)
    if numeral is None or hour is None:
        return None
    if day and reading.word(numeral.end) == ":":
        clock = _colon(reading, end)
        return _on_face(clock.hour, clock.minute, _chinese_half(day, clock.hour), at, clock.end) if clock else None
    if reading.word(numeral.end) not in {"点", "點", "时"} or reading.word(numeral.end + 1) == "间":
        return None
    end = numeral.end + 1
    end += reading.word(end) in {"钟", "整"}
    minutes = _chinese_minutes(reading, end)
    if minutes is None:
        return None
    minute, end = minutes
    if short:
        hour, minute = (hour - 1) % 24, 60 - short
    return _on_face(hour, minute, _chinese_half(day, hour % 12), at, end)


def _chinese_minutes(reading: Reading, at: int) -> tuple[int, int] | None:
    """The minutes after 点 and where they end; None for the decimals of 三点五."""
    if reading.word(at) == "半":
        return 30, at + 1
    if reading.word(at) in {"一", "三"} and reading.word(at + 1) == "刻":
        return (15 if reading.word(at) == "一" else 45), at + 2
    begin = at + (reading.word(at) == "过")
    numeral = numeral_at(reading, begin, decimals=False)
    minute = _small(numeral, 60)
    if numeral is None or minute is None or (numeral.digits and reading.word(numeral.end) != "分"):
        return 0, at
    if reading.word(numeral.end) == "分":
        return minute, numeral.end + 1
    return (minute, numeral.end) if minute >= 10 or reading.word(begin) in {"零", "〇"} else None


def _chinese_half(day: str, hour: int) -> Half:
    if not day:
        return ""
    if day in {"夜里", "深夜", "晚上", "夜晚", "当晚"} and hour < 5:
        return "am"
    if day in {"半夜", "午夜"} and hour >= 10:
        return "pm"
    if day in {"中午", "正午"} and hour >= 10:
        return "am"
    return _HAN_DAY[day]


def _on_face(hour: int, minute: int, half: Half, start: int, end: int, bare: bool = False) -> ClockTime:
    """A 24-hour time implies its half of the day."""
    if 13 <= hour <= 23:
        half = "pm"
    elif hour in {0, 24}:
        half = "am"
    return ClockTime(hour % 12, minute, half, start, end, bare)


# Calendar dates, with whatever of day, month, year and weekday the text gives.

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
_MONTHS = {form: n for n, name in enumerate(MONTHS, 1) for form in (name.lower(), name[:3].lower())} | {"sept": 9}
_ALSO_WORDS = frozenset({"march", "may", "mar", "jan", "august", "sep", "dec", "jun", "apr"})
_MONTH_LEADS = word_set("in of since by during last next until early late mid from before after this that")
_WEEKDAYS = {
    "monday": 1, "tuesday": 2, "wednesday": 3, "thursday": 4, "friday": 5, "saturday": 6, "sunday": 7,
}  # fmt: skip
_SHORT_WEEKDAYS = {
    "mon": 1, "tue": 2, "tues": 2, "wed": 3, "weds": 3, "thu": 4, "thur": 4, "thurs": 4, "fri": 5, "sat": 6, "sun": 7,
}  # fmt: skip
_HAN_WEEKDAYS = {c: n for n, c in enumerate("一二三四五六日", 1)} | {"天": 7}


@dataclass(frozen=True, slots=True)
class CalendarDate:
    """A full or partial date."""

    start: int
    end: int
    day: int | None = None
    month: int | None = None
    year: int | None = None
    weekday: int | None = None
    swapped: tuple[int, int] | None = None
    """The other reading of a date like 03/04, which different countries order differently."""

    def contradicts(self, other: CalendarDate) -> bool:
        """Whether the two cannot be the same date."""
        options = [(self.day, self.month)] + ([self.swapped] if self.swapped else [])
        if all(_differ(day, other.day) or _differ(month, other.month) for day, month in options):
            return True
        return _differ(self.year, other.year) or _differ(self.weekday, other.weekday)

    def covers(self, key: CalendarDate) -> bool:
        """Whether everything the key needs is there: day and month, or the year where the key is only a year."""
        needs_year = key.day is None and key.month is None and key.weekday is None
        return (
            (key.day is None or self.day is not None)
            and (key.month is None or self.month is not None)
            and (not needs_year or self.year is not None)
            and (key.weekday is None or key.day is not None or self.weekday is not None)
        )


def _differ(one: int | None, other: int | None) -> bool:
    return one is not None and other is not None and one != other


def read_dates(reading: Reading) -> list[CalendarDate]:
    readers = (_with_weekday, _date_chinese, _numeric, _day_first, _month_first, _year_alone)
    return reading.every("dates", lambda at: next(filter(None, (read(reading, at) for read in readers)), None))


def read_short_dates(reading: Reading) -> list[CalendarDate]:
    """Dates of two numbers, which are dates only where one is expected: 23.08., 23.8, 04-09."""
    found: list[CalendarDate] = []
    for at, token in enumerate(reading.tokens):
        if token.kind != "number":
            continue
        day, point, month = token.word.partition(".")
        date = _either_order(at, at + 1, int(day), int(month), None) if point and len(month) < 3 else None
        if not point and reading.word(at + 1) == "-" and reading.word(at + 2).isdecimal() and len(day) < 3:
            date = _either_order(at, at + 3, int(day), int(reading.word(at + 2)), None)
        if date:
            found.append(date)
    return found


def _whole(numeral: Numeral | None, low: int, high: int) -> int | None:
    if numeral is None or numeral.value.denominator != 1 or not low <= numeral.value <= high:
        return None
    return int(numeral.value)


def _with_weekday(reading: Reading, at: int) -> CalendarDate | None:
    """Tuesday, the 14th of March; 三月十四日星期二 is read by its parts."""
    weekday = _WEEKDAYS.get(reading.word(at).removesuffix("s")) or _short_weekday(reading, at)
    if weekday is None and reading.word(at) == "周" and reading.word(at + 1) in _HAN_WEEKDAYS:
        return CalendarDate(at, at + 2, weekday=_HAN_WEEKDAYS[reading.word(at + 1)])
    if weekday is None and reading.word(at) + reading.word(at + 1) in {"星期", "礼拜"}:
        weekday = _HAN_WEEKDAYS.get(reading.word(at + 2))
        return CalendarDate(at, at + 3, weekday=weekday) if weekday else None
    if weekday is None:
        return None
    following = at + 1
    while reading.word(following) in {",", ".", "the", "on"}:
        following += 1
    if following < len(reading.tokens):
        date = _numeric(reading, following) or _day_first(reading, following) or _month_first(reading, following)
        if date:
            return CalendarDate(at, date.end, date.day, date.month, date.year, weekday, date.swapped)
    return CalendarDate(at, at + 1, weekday=weekday)


def _short_weekday(reading: Reading, at: int) -> int | None:
    """Mon, Sat.: with a capital, alone, before a date or after a word that leads to a day."""
    weekday = _SHORT_WEEKDAYS.get(reading.word(at))
    if weekday is None or not reading.tokens[at].capital:
        return None
    alone = sum(token.kind != "mark" for token in reading.tokens) == 1
    led = reading.word(at - 1) in {"on", "a", "was", "is", "("} or reading.word(at + 1) in {",", "."}
    return weekday if alone or led or numeral_at(reading, at + 1) else None


def _day_first(reading: Reading, at: int) -> CalendarDate | None:
    """14 March 1823, the fourteenth of March, the 14th day of March."""
    numeral = numeral_at(reading, at)
    day = _whole(numeral, 1, 31)
    if numeral is None or day is None:
        return None
    end = numeral.end + (reading.word(numeral.end) == "day")
    end += reading.word(end) == "of"
    month = _month(reading, end, beside_day=True)
    if month is None:
        return None
    year, last = _year_after(reading, end + 1)
    return CalendarDate(at, last, day, month, year)


def _month_first(reading: Reading, at: int) -> CalendarDate | None:
    """March 14th, 1823; March the fourteenth; March 1823; March."""
    month = _MONTHS.get(reading.word(at))
    if month is None:
        return None
    end = at + 1 + (reading.word(at + 1) == ".")
    end += reading.word(end) == "the"
    numeral = numeral_at(reading, end)
    day = _whole(numeral, 1, 31)
    if numeral and day and (numeral.ordinal or reading.tokens[at].capital):
        year, last = _year_after(reading, numeral.end)
        return CalendarDate(at, last, day, month, year)
    if _month(reading, at, beside_day=False) is None:
        return None
    year, last = _year_after(reading, at + 1)
    return CalendarDate(at, last, None, month, year)


def _month(reading: Reading, at: int, *, beside_day: bool) -> int | None:
    """The month a word names; "may" and "march" need a day, a capital in place, or a word like "in" before them."""
    word = reading.word(at)
    month = _MONTHS.get(word)
    if month is None or beside_day or word not in _ALSO_WORDS:
        return month
    alone = len([token for token in reading.tokens if token.kind != "mark"]) == 1
    led = reading.tokens[at].capital and (reading.word(at - 1) in _MONTH_LEADS or _year_after(reading, at + 1)[0])
    return month if alone or led else None


def _year_after(reading: Reading, at: int) -> tuple[int | None, int]:
    """The year after a month or day, and where it ends; `at` itself where there is none."""
    end = at
    while reading.word(end) in {",", ".", "of", "in", "the", "year"} and end < at + 4:
        end += 1
    year = _year(reading, end)
    return (year, end + 1) if year else (None, at)


def _year(reading: Reading, at: int) -> int | None:
    if at >= len(reading.tokens) or reading.tokens[at].kind != "number":
        return None
    written = reading.word(at)
    return int(written) if len(written) == 4 and written.isdecimal() and 1000 <= int(written) < 2200 else None


def _year_alone(reading: Reading, at: int) -> CalendarDate | None:
    year = _year(reading, at)
    return CalendarDate(at, at + 1, year=year) if year else None


def _numeric(reading: Reading, at: int) -> CalendarDate | None:
    """1823-03-14, 14/03/1823, 14.3.1823, 14/03; a day above 12 shows which is the month."""
    words = [reading.word(at + i) for i in range(5)]
    if reading.tokens[at].kind != "number":
        return None
    if words[1] in {"-", "/"} and words[3] == words[1] and all(w.isdecimal() for w in words[::2]):
        if len(words[0]) == 4:
            return _checked(at, at + 5, int(words[4]), int(words[2]), int(words[0]))
        if len(words[4]) in {2, 4}:
            year = int(words[4]) if len(words[4]) == 4 else None
            return _either_order(at, at + 5, int(words[0]), int(words[2]), year)
        return None
    if words[1] == "/" and words[0].isdecimal() and words[2].isdecimal() and len(words[0] + words[2]) <= 4:
        return _either_order(at, at + 3, int(words[0]), int(words[2]), None)
    day, _, month = words[0].partition(".")
    if words[1] == "." and day.isdecimal() and month.isdecimal() and words[2].isdecimal() and len(words[2]) == 4:
        return _checked(at, at + 3, int(day), int(month), int(words[2]))
    return None


def _either_order(start: int, end: int, one: int, two: int, year: int | None) -> CalendarDate | None:
    if one > 12 or two > 12:
        day, month = (one, two) if one > 12 else (two, one)
        return _checked(start, end, day, month, year)
    if not one or not two:
        return None
    return CalendarDate(start, end, one, two, year, swapped=(two, one))


def _checked(start: int, end: int, day: int, month: int, year: int | None) -> CalendarDate | None:
    return CalendarDate(start, end, day, month, year) if 1 <= day <= 31 and 1 <= month <= 12 else None


def _date_chinese(reading: Reading, at: int) -> CalendarDate | None:
    """一八二三年三月十四日, 3月14号, 三月."""
    first = numeral_at(reading, at)
    if first is None or first.ordinal:
        return None
    year, end = None, at
    if reading.word(first.end) == "年" and _whole(first, 1000, 2199):
        year, end = int(first.value), first.end + 1
    numeral = numeral_at(reading, end)
    month = _whole(numeral, 1, 12)
    if numeral is None or month is None or reading.word(numeral.end) != "月":
        return CalendarDate(at, end, year=year) if year else None
    end = numeral.end + 1
    numeral = numeral_at(reading, end)
    day = _whole(numeral, 1, 31)
    if numeral is None or day is None or reading.word(numeral.end) not in {"日", "号", "號"}:
        return CalendarDate(at, end, None, month, year)
    end = numeral.end + 1
    weekday = None
    if reading.word(end) + reading.word(end + 1) in {"星期", "礼拜"}:
        weekday = _HAN_WEEKDAYS.get(reading.word(end + 2))
        end += 3 if weekday else 0
    return CalendarDate(at, end, day, month, year, weekday)
