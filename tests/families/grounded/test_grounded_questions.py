"""What is refused for its wording, and letters that are right equally often."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest

from longreach.families.grounded.questions import Candidate, letters_in_turn, options_of, render, wording_fault

SIX = ("Adams", "Baker", "Clark", "Davis", "Evans", "Foster")


@pytest.mark.parametrize(
    ("question", "why"),
    [
        ("What does the passage say about tariffs?", "speaks of 'the passage'"),
        ("According to the text, who signed the treaty?", "speaks of 'the text'"),
        ("Which city does this legal document name?", "speaks of 'this legal document'"),
        ("Who is the author's patron?", "speaks of 'the author'"),
        ("Which of the towns mentioned above burned?", "speaks of 'mentioned above'"),
        ("When did he sign the treaty?", "leans on 'he'"),
        ("What is its capital?", "leans on 'its'"),
        ("How many of them were sold?", "leans on 'them'"),
        ("Name the signer of the treaty.", "question mark"),
        ("", "empty"),
        ("Who signed?\nAnd when?", "several lines"),
        ("Who " + "really " * 120 + "signed?", "characters"),
        ("Did Adams sign the treaty?", "gives its answer away"),
        ("文中提到了哪一年？", "speaks of '文中'"),
        ("他在哪一年出生？", "leans on '他'"),
        ("该公司的收入是多少，作者怎么说？", "speaks of '作者'"),
    ],
)
def test_questions_that_are_refused(question: str, why: str) -> None:
    assert why in wording_fault(Candidate(question=question, options=SIX), 6)


@pytest.mark.parametrize(
    "question",
    [
        "Who signed the Treaty of Ghent for the United States?",
        "When the envoy returned to Paris, what did he report?",
        "Which number completes this statement: “It cost ____ dollars to build.”?",
        "上海分公司2020年的收入是多少？",
        "张经理回国后向他的上级报告了什么？",
    ],
)
def test_questions_that_are_fit(question: str) -> None:
    assert wording_fault(Candidate(question=question, options=SIX), 6) == ""


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (SIX[:5], "5 options"),
        ((*SIX, "Grant"), "7 options"),
        (("Adams", "adams.", *SIX[2:]), "the same"),
        (("Adams", "John Adams", *SIX[2:]), "'John Adams' contains option 'Adams'"),
        ((*SIX[:5], "All of the above"), "All of the above"),
        ((*SIX[:5], "both A and B"), "both A and B"),
        ((*SIX[:5], "以上都对"), "以上"),
        ((*SIX[:5], ""), "empty"),
        ((*SIX[:5], "x" * 300), "characters"),
    ],
)
def test_options_that_are_refused(options: tuple[str, ...], why: str) -> None:
    assert why in wording_fault(Candidate(question="Who signed the treaty?", options=options), 6)


def test_numbers_inside_longer_ones_are_other_numbers() -> None:
    options = ("12", "12,000", "5%", "15%", "1.5", "21.5")
    assert wording_fault(Candidate(question="How many hens were there?", options=options), 6) == ""


@pytest.mark.parametrize(("count", "options"), [(19, 6), (190, 6), (7, 4), (3, 6), (60, 2)])
def test_every_letter_is_right_equally_often(count: int, options: int) -> None:
    counts = Counter(letters_in_turn(count, options, seed=3))
    assert sum(counts.values()) == count
    assert max(counts.values()) - min(counts.get(letter, 0) for letter in "ABCDEF"[:options]) <= 1
    assert letters_in_turn(count, options, seed=3) == letters_in_turn(count, options, seed=3)
    assert letters_in_turn(60, options, seed=3) != letters_in_turn(60, options, seed=4)


def test_options_come_back_out_of_the_text() -> None:
    candidate = Candidate(question="Which line?\u2028 A) none", options=SIX)
    for letter in "ABCDEF":
        options = candidate.with_right_at(letter, Random(1))
        assert sorted(options) == sorted(SIX)
        assert options_of(render("Which?", options))[letter] == "Adams"
    shuffled, letter = candidate.shuffled(Random(2))
    assert options_of(render("Which?", shuffled))[letter] == "Adams"
    tricky = ("B) not an option", "A) x", "plain")
    assert list(options_of(render("Q?", tricky)).values()) == list(tricky)
