"""The solver, on statements written by hand."""

from __future__ import annotations

import pytest

from longreach.families.needles.facts import Ask, Statement, solve
from longreach.families.needles.facts.numerals import chinese_number, english_number, ordinal

_TWO_AGES: list[Statement] = [("years", "A", 41), ("more_years", "B", "A", 3)]


@pytest.mark.parametrize(
    ("statements", "ask", "answer"),
    [
        (_TWO_AGES, ("years", "B"), (44,)),
        (_TWO_AGES, ("years_sum", "B", "A"), (85,)),
        (_TWO_AGES, ("years", "C"), None),
        ([("years", "B", 44), ("more_years", "B", "A", 3)], ("years", "A"), (41,)),
        ([("more_years", "B", "A", 3)], ("years", "B"), None),
        ([("above_by", "A", "B", 2), ("above_by", "B", "C", 2)], ("is_above", "C", "A"), ("no",)),
        ([("above_by", "A", "B", 2), ("above_by", "C", "B", 2)], ("is_above", "A", "C"), None),
        ([("above_by", "A", "B", 2), ("above_by", "C", "B", 2)], ("middle", "A", "B", "C"), None),
        ([("took_line", "A", "P", 570), ("line_hours", "P", 2)], ("arrived_by", "A", "P", 690), ("yes",)),
        ([("took_line", "A", "P", 570), ("line_hours", "P", 2)], ("arrived_by", "A", "P", 689), ("no",)),
        ([("took_line", "A", "P", 570), ("line_hours", "Q", 2)], ("arrived_by", "A", "P", 690), None),
        ([("superior", "A", "B"), ("superior", "B", "C")], ("superiors", "A"), ("B", "C")),
        ([("held_on", "A", 6, 314), ("days_after", "B", "A", 9)], ("acted_on_weekday", "B"), (1,)),
        (
            [("stayed", "A", 1, 780, "R", 900, "S", 1020), ("missed_at", "T", 2, 840)],
            ("room_when_missed", "A", "T"),
            None,
        ),
        ([("years", "A", 41), ("years", "A", 42)], ("years", "A"), None),
        (_TWO_AGES, ("detail", "eyes", "A"), None),
    ],
)
def test_answers(statements: list[Statement], ask: Ask, answer: tuple[str | int, ...] | None) -> None:
    assert solve(statements, ask) == answer


@pytest.mark.parametrize(
    ("n", "english", "chinese"),
    [
        (0, "zero", "零"),
        (7, "seven", "七"),
        (10, "ten", "十"),
        (15, "fifteen", "十五"),
        (40, "forty", "四十"),
        (99, "ninety-nine", "九十九"),
        (105, "one hundred and five", "一百零五"),
        (110, "one hundred and ten", "一百一十"),
        (340, "three hundred and forty", "三百四十"),
        (1005, "one thousand and five", "一千零五"),
        (1050, "one thousand and fifty", "一千零五十"),
        (2250, "two thousand two hundred and fifty", "二千二百五十"),
        (28800, "twenty-eight thousand eight hundred", "二万八千八百"),
        (20050, "twenty thousand and fifty", "二万零五十"),
    ],
)
def test_numbers_in_words(n: int, english: str, chinese: str) -> None:
    assert english_number(n) == english
    assert chinese_number(n) == chinese


def test_ordinals() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 22)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd",
    ]  # fmt: skip
