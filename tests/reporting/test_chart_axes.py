"""The value axis holds what is drawn, with marks that people can read."""

from __future__ import annotations

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.core.figure import Unit
from longreach.core.formatting import number_text
from longreach.reporting.drawing.canvas import SHARES, make_ruler, x_axis


@given(
    st.lists(st.floats(-1e7, 1e7).filter(lambda value: value == 0 or abs(value) > 1e-6), max_size=8),
    st.sampled_from(get_args(Unit)),
)
def test_a_ruler_holds_every_value_and_zero(values: list[float], unit: Unit) -> None:
    ruler = make_ruler(values, unit)
    low, high = min([0.0, *values]), max([0.0, *values])
    invisible = 1e-9 * max(high - low, 1)
    assert ruler.low <= low + invisible
    assert ruler.high >= high - invisible
    marks = [value for value, _ in ruler.ticks]
    assert marks == sorted(set(marks))
    assert 2 <= len(marks) <= 8
    assert any(abs(mark) < 1e-12 for mark in marks)
    heights = [ruler.at(mark) for mark in marks]
    assert heights == sorted(heights, reverse=True)


def test_shares_go_to_the_whole_unless_all_are_small() -> None:
    assert make_ruler([0.1, 0.2], "share") is SHARES
    assert make_ruler([0.1, 0.6], "share", whole=False) is SHARES
    small = make_ruler([0.02, 0.07], "share", whole=False)
    assert [text for _, text in small.ticks] == ["0", "2", "4", "6", "8 %"]


def test_signed_and_long_marks_read_well() -> None:
    assert [text for _, text in make_ruler([-0.2, 0.2], "points").ticks] == ["−20", "−10", "0", "+10", "+20"]
    assert [text for _, text in make_ruler([128000], "tokens").ticks] == ["0", "50k", "100k", "150k"]
    assert [text for _, text in make_ruler([2], "count").ticks] == ["0", "1", "2"]


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (0.984, "share", "98 %"),
        (-0.0142, "number", "−0.0142"),
        (0.3734, "number", "0.373"),
        (12345.6, "number", "12346"),
        (100.0, "number", "100"),
        (0.0, "number", "0"),
        (0.2, "points", "+20"),
        (131072, "tokens", "131k"),
        (12345, "count", "12\u202f345"),
        (1.5, "", "1.5"),
    ],
)
def test_numbers_in_their_units(value: float, unit: Unit, text: str) -> None:
    assert number_text(value, unit) == text


def test_names_are_slanted_only_where_they_would_touch() -> None:
    short = x_axis([(50, "S"), (100, "M"), (150, "L"), (200, "XL"), (250, "XXL")], "Size", names=True)
    assert "rotate" not in short
    long = x_axis([(50.0, "exponential"), (100.0, "lorentzian")], "", names=True)
    assert long.count("rotate") == 2
    numbers = x_axis([(50.0, "10 %"), (60.0, "20 %"), (100.0, "30 %")], "", names=False)
    assert "20 %" not in numbers
