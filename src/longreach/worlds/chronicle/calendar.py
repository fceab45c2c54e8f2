"""Days, months and seasons of a world; languages name them."""

from __future__ import annotations

__all__ = ["day_of_month", "is_dateable", "same_month", "season", "settle"]

_LENGTHS = (31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 28)
"""Months from the first of spring on: March to February, or the first to the twelfth moon."""
_YEAR = sum(_LENGTHS)
_LAST_DAY = 28
"""Nothing happens on the 29th or later, so that every date exists in every calendar."""


def day_of_month(day: int) -> tuple[int, int, int]:
    """Year (from 0), month (from 0, the first of spring) and day (from 1)."""
    year, rest = divmod(day, _YEAR)
    month = 0
    while rest >= _LENGTHS[month]:
        rest -= _LENGTHS[month]
        month += 1
    return year, month, rest + 1


def is_dateable(day: int) -> bool:
    """Whether the date of a day exists in every calendar."""
    return day_of_month(day)[2] <= _LAST_DAY


def settle(day: int) -> int:
    """The day itself, or the first of the next month where its date does not exist in every calendar."""
    while not is_dateable(day):
        day += 1
    return day


def same_month(one: int, two: int) -> bool:
    """Whether two days are in one month: only then do all calendars count the same days between them."""
    return day_of_month(one)[:2] == day_of_month(two)[:2]


def season(day: int) -> str:
    """`spring`, `summer`, `autumn` or `winter`."""
    return ("spring", "summer", "autumn", "winter")[day_of_month(day)[1] // 3]
