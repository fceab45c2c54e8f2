"""Numerals as they are written, and that the reader reads what the writer wrote."""

from __future__ import annotations

import pytest

from longreach.core.number_words import chinese_number, english_number, ordinal, ordinal_word
from longreach.grading.values.numbers import numeral_at
from longreach.grading.values.words import read


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


@pytest.mark.parametrize("n", [*range(131), *range(199, 999_999, 7_919)])
def test_what_is_written_is_read(n: int) -> None:
    for text in (english_number(n), chinese_number(n)):
        reading = read(text)
        numeral = numeral_at(reading, 0)
        assert numeral is not None
        assert numeral.value == n, text
        assert numeral.end == len(reading.tokens), text


@pytest.mark.parametrize("n", range(1, 100))
def test_ordinals_in_words_are_read(n: int) -> None:
    numeral = numeral_at(read(ordinal_word(n)), 0)
    assert numeral is not None
    assert numeral.ordinal
    assert numeral.value == n
