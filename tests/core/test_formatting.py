"""None"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from longreach.core.formatting import Depths, Lengths, format_tokens, parse_tokens, resolve_lengths

LENGTHS: TypeAdapter[tuple[str, ...]] = TypeAdapter(Lengths)
DEPTHS: TypeAdapter[tuple[float, ...]] = TypeAdapter(Depths)


@pytest.mark.parametrize(
    ("given", "lengths"),
    [
        ("1k,2k,4k", ("1000", "2000", "4000")),
        ("500", ("500",)),
        (500, ("500",)),
        (1e6, ("1000000",)),
        ("1.5k, 0.25M", ("1500", "250000")),
        ("1K,1m", ("1000", "1000000")),
        ("80k..800k/80k", tuple(str(80_000 * step) for step in range(1, 11))),
        ("1k..2500/500", ("1000", "1500", "2000", "2500")),
        ("1k..1k/1k", ("1000",)),
        ("10%..100%/10%", tuple(f"{10 * step}%" for step in range(1, 11))),
        ("10..30%/10", ("10%", "20%", "30%")),
        ("2.5%,50 %", ("2.5%", "50%")),
        (["1k", "2k,3k"], ("1000", "2000", "3000")),
        ((1000, "50%"), ("1000", "50%")),
        ("1k,1000,1k", ("1000",)),
    ],
)
def test_lengths(given: Any, lengths: tuple[str, ...]) -> None:
    assert LENGTHS.validate_python(given) == lengths
    assert LENGTHS.validate_python(lengths) == lengths


@pytest.mark.parametrize(
    ("given", "depths"),
    [
        ("10..100/10", tuple(float(depth) for depth in range(10, 101, 10))),
        ("0,50,100", (0, 50, 100)),
        ("0%..1%/0.1%", (0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1)),
        (50, (50,)),
        ([33.3], (33.3,)),
    ],
)
def test_depths(given: Any, depths: tuple[float, ...]) -> None:
    assert DEPTHS.validate_python(given) == depths


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("1k,,2k", "an empty entry in the list; remove the extra comma"),
        ("", "an empty entry in the list"),
        ([], "the list is empty; give at least one value"),
        ("5..1/1", "the range '5..1/1' is empty; write LOW..HIGH/STEP"),
        ("1..5/0", "the range '1..5/0' is empty"),
        ("10..100", "the range '10..100' has no step; write for instance 10..100/100"),
        ("1..1M/1", "the range '1..1M/1' has more than 1000 values; take larger steps"),
        (["1..900/1", "1000..1900/1"], "more than 1000 values"),
        ("0", "a length is more than 0 tokens, or 0% to 100% of the window"),
        ("0%", "a length is more than 0 tokens"),
        ("101%", "a length is more than 0 tokens, or 0% to 100% of the window"),
        ("abc", "'abc' is not a number; write for instance 500, 4k, 1M or 10%"),
        ("-5", "'-5' is not a number"),
        ("1e3", "'1e3' is not a number"),
        ("1..x/2", "'x' is not a number"),
        ("0.5", "'0.5' is not a whole number of tokens"),
        ("9" * 400, "is more than any text has"),
        (True, "give a list such as 1k,2k,4k or a range such as 10..100/10"),
        (None, "give a list such as"),
        ({"a": 1}, "give a list such as"),
    ],
)
def test_lengths_that_are_none(given: Any, message: str) -> None:
    with pytest.raises(ValidationError) as caught:
        LENGTHS.validate_python(given)
    assert message in caught.value.errors()[0]["msg"]


@pytest.mark.parametrize("given", ["101", "50,100.1", "1k"])
def test_depths_beyond_the_story(given: str) -> None:
    with pytest.raises(ValidationError, match="a depth is a percentage from 0 to 100"):
        DEPTHS.validate_python(given)


@given(st.one_of(st.text(alphabet="0123456789.,kM%/ -e", max_size=20), st.floats(), st.integers(), st.text(max_size=5)))
@example("0..1/0." + "0" * 320 + "1")
@example("1..9999999999999/1")
def test_whatever_is_given_gives_lengths_or_an_error_to_show(given: Any) -> None:
    try:
        lengths = LENGTHS.validate_python(given)
    except ValidationError:
        return
    assert LENGTHS.validate_python(lengths) == lengths
    assert all(float(length.rstrip("%")) > 0 for length in lengths)


def test_tokens_are_read_and_written() -> None:
    assert [parse_tokens(text) for text in ("128k", "1M", "8192", 4096, "1.5k")] == [
        128_000,
        1_000_000,
        8192,
        4096,
        1500,
    ]
    assert [format_tokens(tokens) for tokens in (0, 999, 1000, 8192, 128_000, 1_000_000, 18_600_000)] == [
        "0",
        "999",
        "1k",
        "8.19k",
        "128k",
        "1M",
        "18.6M",
    ]
    with pytest.raises(ValueError, match="'50%' is a share; give a number of tokens such as 128k"):
        parse_tokens("50%")


def test_shares_are_of_the_window_less_the_reserve() -> None:
    assert resolve_lengths(("50%", "100%", "100", "50%"), 1200, 200) == (100, 500, 1000)
    assert resolve_lengths(("33.3%",), 1100, 100) == (333,)


def test_shares_need_a_window_with_room() -> None:
    with pytest.raises(ValueError, match=r"length 10% is a share of the window; say how long it is.*--window 128k"):
        resolve_lengths(("10%",), None, 0)
    with pytest.raises(ValueError, match=r"a window of 500 tokens has no room .* \(500 tokens\)"):
        resolve_lengths(("10%",), 500, 500)
    assert resolve_lengths(("1000",), None, 10**9) == (1000,)


def test_tokens_just_below_a_million_round_up_to_it() -> None:
    assert [format_tokens(tokens) for tokens in (999_846, 999_400, 999, 1000)] == ["1M", "999k", "999", "1k"]
