"""The value readers one by one."""

from __future__ import annotations

from fractions import Fraction

import pytest

from longreach.grading.polarity import read_polarity
from longreach.grading.values.numbers import read_quantities, unit_named
from longreach.grading.values.times import read_dates, read_times
from longreach.grading.values.words import list_parts, read


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("41", 41),
        ("1,250", 1250),
        ("1,250.5", Fraction(2501, 2)),
        ("2.5", Fraction(5, 2)),
        ("2 1/2", Fraction(5, 2)),
        ("3/4", Fraction(3, 4)),
        ("2 million", 2_000_000),
        ("zero", 0),
        ("nineteen", 19),
        ("forty-one", 41),
        ("Forty One", 41),
        ("four-and-twenty", 24),
        ("a hundred", 100),
        ("two hundred and six", 206),
        ("sixteen hundred", 1600),
        ("three thousand four hundred and twelve", 3412),
        ("a dozen", 12),
        ("three dozen", 36),
        ("half a dozen", 6),
        ("three score", 60),
        ("half", Fraction(1, 2)),
        ("two thirds", Fraction(2, 3)),
        ("three quarters", Fraction(3, 4)),
        ("two and a half", Fraction(5, 2)),
        ("twenty-first", 21),
        ("31st", 31),
        ("四十一", 41),
        ("十二", 12),
        ("两百零六", 206),
        ("二百六", 260),
        ("一千零五", 1005),
        ("三万五千", 35_000),
        ("一亿两千万", 120_000_000),
        ("二〇〇六", 2006),
        ("3万5千", 35_000),
        ("三点五", Fraction(7, 2)),
        ("廿一", 21),
        ("第三", 3),
        ("-5", -5),
        ("7 × 6", 42),
    ],
)
def test_numbers(text: str, value: int | Fraction) -> None:
    assert [quantity.value for quantity in read_quantities(read(text))] == [value]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("four thirty", [4, 30]),
        ("40-45", [40, 45]),
        ("三四个", [3, 4]),
        ("thirty second delay", [30]),
        ("B12", []),
        ("someone", []),
        ("9" * 400, []),
    ],
)
def test_what_is_not_one_number(text: str, values: list[int]) -> None:
    assert [quantity.value for quantity in read_quantities(read(text))] == values


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("3 miles", "mile"),
        ("3 mi", "mile"),
        ("3mi.", "mile"),
        ("3 feet", "foot"),
        ("3 gold francs", "franc"),
        ("£3", "pound"),
        ("3 lbs", "pound"),
        ("3 hrs", "hour"),
        ("3-year-old", "year"),
        ("half an hour", "hour"),
        ("3 per cent", "percent"),
        ("3%", "percent"),
        ("3 kg", "kilogram"),
        ("三公斤", "kilogram"),
        ("三个小时", "hour"),
        ("五两银子", "tael"),
        ("三十里路", "li"),
        ("3 horses", None),
        ("三匹马", None),
    ],
)
def test_units(text: str, unit: str | None) -> None:
    (quantity,) = read_quantities(read(text))
    assert (quantity.unit.name if quantity.unit else None) == unit


def test_unknown_words_are_no_units() -> None:
    assert unit_named("horse") is None
    assert unit_named("") is None


@pytest.mark.parametrize(
    ("text", "hour", "minute", "half"),
    [
        ("4:30", 4, 30, ""),
        ("16:30", 4, 30, "pm"),
        ("0:05", 0, 5, "am"),
        ("4.30 pm", 4, 30, "pm"),
        ("4.30 p.m.", 4, 30, "pm"),
        ("4pm", 4, 0, "pm"),
        ("12 am", 0, 0, "am"),
        ("half past four", 4, 30, ""),
        ("half-past four", 4, 30, ""),
        ("a quarter to six", 5, 45, ""),
        ("a quarter to one", 0, 45, ""),
        ("ten minutes past three in the morning", 3, 10, "am"),
        ("five-and-twenty past four", 4, 25, ""),
        ("twenty to midnight", 11, 40, "pm"),
        ("sixteen hundred hours", 4, 0, "pm"),
        ("1630 hours", 4, 30, "pm"),
        ("nine o'clock at night", 9, 0, "pm"),
        ("two o’clock at night", 2, 0, "am"),
        ("four forty-five", 4, 45, ""),
        ("noon", 0, 0, "pm"),
        ("midnight", 0, 0, "am"),
        ("下午四点半", 4, 30, "pm"),
        ("四点一刻", 4, 15, ""),
        ("凌晨三点二十分", 3, 20, "am"),
        ("晚上十点", 10, 0, "pm"),
        ("16时30分", 4, 30, "pm"),
        ("差一刻六点", 5, 45, ""),
        ("下午4:30", 4, 30, "pm"),
        ("正午", 0, 0, "pm"),
    ],
)
def test_times(text: str, hour: int, minute: int, half: str) -> None:
    (time,) = read_times(read(text))
    assert (time.hour, time.minute, time.half, time.bare) == (hour, minute, half, False)


@pytest.mark.parametrize("text", ["4.30 francs", "25:10", "4:75", "forty miles", "三点五", "half the men", ""])
def test_what_is_no_time(text: str) -> None:
    assert [time for time in read_times(read(text)) if not time.bare] == []


@pytest.mark.parametrize(
    ("text", "day", "month", "year"),
    [
        ("14 March", 14, 3, None),
        ("March 14th", 14, 3, None),
        ("the fourteenth of March", 14, 3, None),
        ("the twenty-first of May, 1830", 21, 5, 1830),
        ("14 Mar. 1823", 14, 3, 1823),
        ("March 14, 1823", 14, 3, 1823),
        ("March the 14th", 14, 3, None),
        ("1823-03-14", 14, 3, 1823),
        ("14/03/1823", 14, 3, 1823),
        ("03/14/1823", 14, 3, 1823),
        ("14.3.1823", 14, 3, 1823),
        ("March 1823", None, 3, 1823),
        ("in May", None, 5, None),
        ("in May 1823", None, 5, 1823),
        ("三月十四日", 14, 3, None),
        ("3月14号", 14, 3, None),
        ("一八二三年三月十四日", 14, 3, 1823),
        ("1823年", None, None, 1823),
    ],
)
def test_dates(text: str, day: int | None, month: int | None, year: int | None) -> None:
    (date,) = read_dates(read(text))
    assert (date.day, date.month, date.year) == (day, month, year)


@pytest.mark.parametrize("text", ["He may go", "they march at dawn", "45 March", "30/40 of it", ""])
def test_what_is_no_date(text: str) -> None:
    assert read_dates(read(text)) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes", True),
        ("yes, it was", True),
        ("True.", True),
        ("Indeed she did", True),
        ("They did.", True),
        ("No", False),
        ("no, never", False),
        ("False", False),
        ("He hadn't.", False),
        ("Never.", False),
        ("是的，没错", True),
        ("有", True),
        ("不，她没有", False),
        ("并没有", False),
        ("否", False),
        ("No doubt she was", True),
        ("No one knows", None),
        ("Yes and no", None),
        ("She went home", None),
        ("不仅如此", None),
        ("", None),
    ],
)
def test_yes_and_no(text: str, said: bool | None) -> None:
    assert read_polarity(read(text)) is said


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("A, B and C", ["A", "B", "C"]),
        ("A, B, and C", ["A", "B", "C"]),
        ("Jean-Luc & Anna", ["Jean-Luc", "Anna"]),
        ("面包、奶酪和酒", ["面包", "奶酪", "酒"]),
        ("- bread\n- wine", ["bread", "wine"]),
        ("bread", ["bread"]),
        ("", []),
    ],
)
def test_lists(text: str, items: list[str]) -> None:
    reading = read(text)
    assert [reading.shown(start, end).strip() for start, end in list_parts(reading)] == items
