"""Reading answers as items: the layer is told, the items are untouched."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.families.verbatim.parsing import read_numbers, read_texts


@pytest.mark.parametrize(
    ("text", "layer", "items"),
    [
        ("12, 3, 45", "list", ["12", "3", "45"]),
        ("12,3,45", "list", ["12", "3", "45"]),
        ("12 3 45", "list", ["12", "3", "45"]),
        ("12\n3\n45", "lines", ["12", "3", "45"]),
        ("12,\r\n3,\r\n45\r\n", "lines", ["12", "3", "45"]),
        ("- 12\n- 3\n- 45", "list", ["12", "3", "45"]),
        ("1. 12\n2. 3\n3. 45", "list", ["12", "3", "45"]),
        ("[12, 3, 45]", "structured", ["12", "3", "45"]),
        ('```json\n["012", "3"]\n```', "structured", ["012", "3"]),
        ('Sure: {"sorted": [12, 3]}', "structured", ["12", "3"]),
        ("[12, 3, 4", "list", ["12", "3", "4"]),
        ("12，3、45；6", "list", ["12", "3", "45", "6"]),
        ("１２, 3", "list", ["１２", "3"]),
        ("12O, 3", "list", ["12O", "3"]),
        ("-5, +7, 1.5", "list", ["-5", "+7", "1.5"]),
        ("123,456, 7", "list", ["123,456", "7"]),
        ("123,456\n789,012\n", "lines", ["123,456", "789,012"]),
        ("**12**, `3`.", "list", ["12", "3"]),
        ("007", "list", ["007"]),
        ("", "", []),
        ("There are none.", "", []),
    ],
)
def test_numbers(text: str, layer: str, items: list[str]) -> None:
    reading = read_numbers(text)
    assert (reading.layer, list(reading.items)) == (layer, items)


def test_words_around_numbers_are_counted_but_no_items() -> None:
    reading = read_numbers("Here are the 3 numbers in order: 12, 3, 45\n\nI hope that helps!")
    assert list(reading.items) == ["12", "3", "45"]
    assert reading.other == 2


def test_an_aside_in_json_is_not_the_answer() -> None:
    assert list(read_numbers("12, 34, 56, 78 (the input began with [56])").items)[:3] == ["12", "34", "56"]


@given(st.lists(st.integers(min_value=0, max_value=10**12), min_size=2, max_size=20))
@settings(max_examples=100, deadline=None)
def test_numbers_in_every_form_are_the_same_items(numbers: list[int]) -> None:
    items = [str(number) for number in numbers]
    forms = [", ".join(items), ",".join(items), "\n".join(items), " ".join(items), json.dumps(numbers)]
    forms += [json.dumps(items, indent=1), "\n".join(f"- {item}" for item in items)]
    for form in forms:
        assert list(read_numbers(form).items) == items


@pytest.mark.parametrize(
    ("text", "layer", "items"),
    [
        ("One.\nTwo, and so on.\n\nThree!", "lines", ["One.", "Two, and so on.", "Three!"]),
        ("One.\r\n  Two.  \r\n", "lines", ["One.", "Two."]),
        ("1. One.\n2. Two.\n3. Three.", "list", ["One.", "Two.", "Three."]),
        ("* One.\n* Two.", "list", ["One.", "Two."]),
        ('["One.", "Two \\u00e9."]', "structured", ["One.", "Two é."]),
        ('["One.", "Two.", "Thr', "structured", ["One.", "Two."]),
        ("```\nOne.\nTwo.\n```", "lines", ["One.", "Two."]),
        (
            "He came home. She went out. They met again.",
            "sentences",
            ["He came home.", "She went out.", "They met again."],
        ),
        ("One.", "lines", ["One."]),
        ("[Applause.]\nOne.", "lines", ["[Applause.]", "One."]),
        (" \n", "", []),
    ],
)
def test_sentences(text: str, layer: str, items: list[str]) -> None:
    reading = read_texts(text, "en")
    assert (reading.layer, list(reading.items)) == (layer, items)


def test_chinese_sentences_in_one_line_are_split() -> None:
    reading = read_texts("他今年四十一岁。她去过上海。我们走吧！", "zh")
    assert (reading.layer, len(reading.items)) == ("sentences", 3)


def test_marks_of_the_text_itself_stay() -> None:
    text = "1. The eggs.\n2. The flour."
    assert list(read_texts(text, "en", marked=True).items) == ["1. The eggs.", "2. The flour."]
    assert list(read_texts(text, "en").items) == ["The eggs.", "The flour."]


def test_names_in_one_line() -> None:
    assert list(read_texts("Ada, Bo, Cy", "en", commas=True).items) == ["Ada", "Bo", "Cy"]
    assert list(read_texts("Ada\nBo, Jr.\nCy\nDi", "en", commas=True).items) == ["Ada", "Bo, Jr.", "Cy", "Di"]


@given(st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_any_text_can_be_read(text: str) -> None:
    for reading in (read_numbers(text), read_texts(text, "en"), read_texts(text, "en", commas=True)):
        assert bool(reading.items) == bool(reading.layer)
        assert all(item.strip() == item for item in reading.items)


def test_a_hostile_answer_is_read_in_time() -> None:
    assert read_numbers("[" * 50_000).items == ()
    assert len(read_numbers("[1," * 20_000).items) == 20_000
