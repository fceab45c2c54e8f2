"""Answer sheets as models write them."""

from __future__ import annotations

import pytest

from longreach.grading import parse_sheet

THREE = {1: "Paris", 2: "41 years", 3: "No"}

SAME = [
    "Question 1: [Paris]\nQuestion 2: [41 years]\nQuestion 3: [No]",
    "Question 1: Paris\nQuestion 2: 41 years\nQuestion 3: No",
    "  question 1 :  Paris  \n\n QUESTION 2: [ 41 years ]\n\n\nQuestion 3:No\n",
    "**Question 1:** [Paris]\n**Question 2:** 41 years\n**Question 3**: No",
    "**Question 1: Paris**\n**Question 2: 41 years**\n**Question 3: No**",
    "- Question 1: Paris\n* Question 2: 41 years\n• Question 3: No",
    "1. Question 1: Paris\n2. Question 2: 41 years\n3. Question 3: No",
    "```\nQuestion 1: [Paris]\nQuestion 2: [41 years]\nQuestion 3: [No]\n```",
    "```text\nQuestion 1: Paris\nQuestion 2: 41 years\nQuestion 3: No\n```\nI hope this helps.",
    "Here are my answers.\n\nQuestion 1: Paris\nQuestion 2: 41 years\nQuestion 3: No\n\nDone!",
    "Question １：Paris\nQuestion ２：41 years\nQuestion ３：No",
    "问题1：Paris\n问题2：【41 years】\n问题3：No",
    "第1题：Paris\n第2题：41 years\n第三题：No",
    "Q1: Paris\nQ2. 41 years\n(Q3): No",
    "> Question 1: `Paris`\n> Question 2: *41 years*\n> Question 3: __No__",
    "### Question 1\nParis\n### Question 2\n41 years\n### Question 3\nNo",
    "Question 3: No\nQuestion 1: Paris\nQuestion 2: 41 years",
    "Question 1: Paris\nQuestion 2: 41 years\nQuestion 3: No\nQuestion 4: Rome\nQuestion 0: Bath",
    "Question 1: Paris\nQuestion 1: [paris]\nQuestion 2: 41 years\nQuestion 3: No",
    "<think>Question 1: London?\nQuestion 2: 12</think>\nQuestion 1: Paris\nQuestion 2: 41 years\nQuestion 3: No",
    "Question 1: [Paris]\r\nQuestion 2: [41 years]\r\nQuestion 3: [No]\r\n",
]


@pytest.mark.parametrize("text", SAME)
def test_one_sheet_many_ways_to_write_it(text: str) -> None:
    assert parse_sheet(text, 3) == THREE


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", {}),
        ("   \n", {}),
        ("Paris\n41 years\nNo", {}),
        ("1. Paris\n2. 41 years", {}),
        ("Question 1:\nQuestion 2: [ ]\nQuestion 3: No", {3: "No"}),
        ("Question 1: Paris\nQuestion 1: London\nQuestion 3: No", {3: "No"}),
        ("Question 1: Paris Question 2: 41\nQuestion 3: No", {3: "No"}),
        ("Question 1: [Paris] (see chapter 2)", {1: "[Paris] (see chapter 2)"}),
        ("Question 1: Paris\nor maybe London\nQuestion 3: No", {1: "Paris\nor maybe London", 3: "No"}),
        ("Question 1: Paris\n\nThat is all I found.", {1: "Paris"}),
        ("Question 1: [Paris]\nI hope this helps.", {1: "Paris"}),
        ("Question 1:\nParis\nQuestion 2: 41", {1: "Paris", 2: "41"}),
        ("Question 1:\n\nParis", {}),
        ("The answer to Question 1: Paris", {}),
        ("<think>Question 1: Paris", {}),
        ("Question 1: 4:30 pm", {1: "4:30 pm"}),
        ("Question 1: 3,5 and 7", {1: "3,5 and 7"}),
        ("Question 3.5: what", {}),
        ("Question 1：下午四点半", {1: "下午四点半"}),
        ("Question 1: ...", {}),
    ],
)
def test_what_is_left_out(text: str, expected: dict[int, str]) -> None:
    assert parse_sheet(text, 3) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Paris", {1: "Paris"}),
        ("  [Paris]\n", {1: "Paris"}),
        ("She lived\nin   Paris.", {1: "She lived\nin Paris."}),
        ("Question 1: Paris", {1: "Paris"}),
        ("I have read it.\nQuestion 1: Paris", {1: "Paris"}),
        ("Question 1: Paris\nQuestion 2: London\nQuestion 3: Rome", {1: "Paris"}),
        ("Paris\n\nQuestion 2: Who was he?", {1: "Paris"}),
        ("Question 7: Paris", {}),
        ("Question 1:", {}),
        ("Question 1: Paris\nQuestion 1: London", {}),
        ("```\nParis\n```", {1: "Paris"}),
        ("巴黎", {1: "巴黎"}),
        ("", {}),
        (" \n ", {}),
    ],
)
def test_a_single_question_needs_no_label(text: str, expected: dict[int, str]) -> None:
    assert parse_sheet(text, 1) == expected


@pytest.mark.parametrize("piece", ["[", "> * _ ", "1. ", "问题1", "Question 1: a\n", "Question 1: x]\n["])
def test_a_megabyte_of_anything_is_read(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert set(parse_sheet(text, 30)) <= {1}


@pytest.mark.parametrize("piece", ["[", "> * _ ", "Question 2: a\n"])
def test_a_megabyte_without_a_usable_label_is_read(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    assert set(parse_sheet(text, 1)) <= {1}
