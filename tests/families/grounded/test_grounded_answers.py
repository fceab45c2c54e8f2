"""Reading the chosen letter: strict, in layers, unparsed where it is not clear."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.core.types import Key, Question
from longreach.families.choices import read_choice
from longreach.families.grounded.family import grade_choice
from longreach.families.grounded.questions import render

OPTIONS = {"A": "1848", "B": "the Treaty of Ghent", "C": "New York", "D": "40 percent", "E": "上海", "F": "a toll road"}


@pytest.mark.parametrize(
    ("text", "letter"),
    [
        ("ANSWER: B", "B"),
        ("It says so in May.\nANSWER: C", "C"),
        ("ANSWER: A\nWait, no.\nANSWER: D", "D"),
        ("**ANSWER: F**", "F"),
        ("**Answer:** (F).", "F"),
        ("answer: c", "C"),
        ("ANSWER: C) New York", "C"),
        ("ANSWER: C, because the harbour is there", "C"),
        ("ANSWER: New York", "C"),
        ("Final answer: E", "E"),
        ("答案：E", "E"),
        ("经过思考。\n答案是：A", "A"),
        ("B", "B"),
        ("(D)", "D"),
        ("F) a toll road", "F"),
        ("上海", "E"),
        ("The answer is C.", "C"),
        ("I would choose option D, since it is a share.", "D"),
        ("It cannot be anything but (B).", "B"),
        ("The text says that it was built in New York in the end.", "C"),
        ("The correct option is not A. It is option F.", "F"),
        ("<think>ANSWER: A</think>ANSWER: B", "B"),
        ('"ANSWER: B"', "B"),
        ("“ANSWER: B”", "B"),
        ("1. ANSWER: B", "B"),
        ("ANSWER - B", "B"),
        ("ANSWER B", "B"),
        ("ANSWER: <B>", "B"),
        ("ANSWER：Ｂ", "B"),
        ("Answer: option B", "B"),
        ("Answer:\nB", "B"),
        ("**Answer:**\n\nB) the Treaty of Ghent", "B"),
        ("Answer: the Treaty of Ghent (B)", "B"),
        ("Answer: B (the Treaty of Ghent)", "B"),
        ("Answer: B because the text names it", "B"),
        ("The total is \\boxed{B}", "B"),
        ("$\\boxed{\\text{D}}$", "D"),
        ("<answer>C</answer>", "C"),
        ('{"answer": "C"}', "C"),
        ('```json\n{\n  "reason": "(A) is out",\n  "Answer": "C) New York"\n}\n```', "C"),
        ('{"choice": "E", "text": "上海"}', "E"),
        ("I would go with D.", "D"),
        ("the letter is F", "F"),
    ],
)
def test_clear_answers(text: str, letter: str) -> None:
    assert read_choice(text, OPTIONS)[0] == letter


@pytest.mark.parametrize(
    "text",
    [
        "",
        "<think>ANSWER: A",
        "ANSWER: A or B",
        "ANSWER: A, B",
        "ANSWER:",
        "ANSWER: G",
        "ANSWER: none of them",
        "ANSWER: A mill by the river",
        "Answer: New York (B)",
        "Answer: A because B is wrong",
        '{"answer": "A or B"}',
        '{"answer": 3}',
        "\\boxed{A, C}",
        "I am not sure. A toll was paid in 1849.",
        "Either option A or option C.",
        "(A) is wrong and (B) is right.",
        "Built in New York in 1848.",
        "A) may be tempting, but it is wrong; therefore the second.\nB) fits.",
        "The answer is not C.",
        "Ghent",
    ],
)
def test_unclear_answers_are_not_guessed(text: str) -> None:
    letter, why = read_choice(text, OPTIONS)
    assert letter == ""
    assert why


def _question(letter: str) -> Question:
    rivals = tuple(option for other, option in OPTIONS.items() if other != letter)
    return Question(
        id="q",
        question_type="reading",
        text=render("Where?", tuple(OPTIONS.values())),
        key=Key(kind="text", answer=letter, accept=(OPTIONS[letter],), rivals=rivals),
    )


def test_verdicts() -> None:
    right = grade_choice(_question("C"), "ANSWER: C")
    assert (right.status, right.value, right.answer) == ("scored", 1, "C) New York")
    wrong = grade_choice(_question("C"), "ANSWER: A")
    assert (wrong.status, wrong.value) == ("scored", 0)
    assert "the right one is C" in wrong.reason
    assert grade_choice(_question("C"), "I don't know").status == "unparsed"
    assert grade_choice(_question("C"), "I'm sorry, but I can't help with that.").status == "refused"


@given(st.text(max_size=200), st.sampled_from("ABCDEF"))
def test_the_last_line_decides_whatever_stands_before(text: str, letter: str) -> None:
    assert read_choice(f"{text.replace('<', '')}\nANSWER: {letter}", OPTIONS)[0] == letter
