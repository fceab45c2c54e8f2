"""Calendar dates, with whatever of day, month, year and weekday the text gives."""

from __future__ import annotations

from dataclasses import dataclass

from .numerals import Numeral, numeral_at
from .words import Reading, word_set

__all__ = ["MONTHS", "CalendarDate", "read_dates", "read_short_dates"]

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
    """All dates in reading order."""
    found: list[CalendarDate] = []
    at = 0
    while at < len(reading.tokens):
        date = _date_at(reading, at)
        if date:
            found.append(date)
            at = date.end
        else:
            at += 1
    return found


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


def _date_at(reading: Reading, at: int) -> CalendarDate | None:
    return (
        _with_weekday(reading, at)
        or _chinese(reading, at)
        or _numeric(reading, at)
        or _day_first(reading, at)
        or _month_first(reading, at)
        or _year_alone(reading, at)
    )


def _whole(numeral: Numeral | None, low: int, high: int) -> int | None:
    if numeral is None or numeral.value.denominator != 1 or not low <= numeral.value <= high:
        return None
    return int(numeral.value)


def _with_weekday(reading: Reading, at: int) -> CalendarDate | None:
    """Tuesday, the 14th of March; 三月十四日星期二 is read by its parts."""
    weekday = _WEEKDAYS.get(reading.word(at)) or _short_weekday(reading, at)
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
    end = numeral.end
    if reading.word(end) == "day":
        end += 1
    if reading.word(end) == "of":
        end += 1
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


def _chinese(reading: Reading, at: int) -> CalendarDate | None:
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
