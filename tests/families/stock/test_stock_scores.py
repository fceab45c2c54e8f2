"""Each score against values worked out by hand: as published, with its faults, and corrected."""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from random import Random
from typing import Any

import pytest
from tests.families.stock.released import prose
from tests.present import some

from longreach.core.types import Key, Question
from longreach.families.stock.scores import PLAIN, grade, literal_answer


def question(
    score: str, answer: str, *, text: str = "", accept: Any = (), rivals: Any = (), **details: str
) -> Question:
    key = Key(kind="text", answer=answer, accept=accept, rivals=rivals, details={"score": score, **details})
    return Question(id="q", question_type="x", text=text, key=key)


def both(asked: Question, reply: str) -> tuple[Any, Any]:
    """Corrected and published."""
    verdict = grade(asked, reply)
    return verdict.value, verdict.scores["published"]


# MRCR

POEM, OTHER = "The heron waits by a quiet weir.", "Zinc jugs buzz over my fox."


def mrcr(answer: str = POEM, rivals: tuple[str, ...] = ()) -> Question:
    return question("mrcr", "k7Qx" + answer, rivals=rivals, string="k7Qx")


def test_mrcr_an_exact_copy_after_the_string_scores_1() -> None:
    assert both(mrcr(), "k7Qx" + POEM) == (1, 1)


def test_mrcr_without_the_string_scores_0_whatever_follows() -> None:
    assert both(mrcr(), POEM) == (0, 0)
    assert both(mrcr(), "Here it is: k7Qx" + POEM) == (0, 0)


def test_mrcr_marks_before_the_string_cost_everything_as_published_and_nothing_corrected() -> None:
    for lead in ("\n", "**", "> ", '"'):
        assert both(mrcr(), lead + "k7Qx" + POEM) == (1, 0)


def test_mrcr_half_of_a_text_scores_two_thirds() -> None:
    # 2 * matching / (length of both): 2 * 8 / (8 + 16).
    assert both(mrcr("abcdefghijklmnop"), "k7Qxabcdefgh") == (pytest.approx(2 / 3), pytest.approx(2 / 3))


def test_mrcr_autojunk_loses_a_whole_text_for_one_line_break_as_published() -> None:
    """From 200 characters on, difflib looks for no character that makes up over 1 % of a text: here all of them, so
    that only a common beginning is found."""
    text = "ab" * 150
    assert both(mrcr(text), "k7Qx" + text) == (1, 1)
    assert both(mrcr(text), "k7Qx\n" + text) == (1, 0)
    assert both(mrcr(text[:198]), "k7Qx\n" + text[:198]) == (1, pytest.approx(2 * 198 / (198 + 199)))


def test_mrcr_keeps_autojunk_because_unrelated_texts_would_score_far_above_0_without() -> None:
    random = Random(3)
    one, other = prose(random, 300), prose(random, 300)
    without = SequenceMatcher(None, one, other, autojunk=False).ratio()
    value, published = both(mrcr(one), "k7Qx" + other)
    assert value == published == SequenceMatcher(None, other, one).ratio() < 0.1 < without


def test_mrcr_another_needle_is_a_class_of_its_own() -> None:
    asked = mrcr(rivals=(OTHER,))
    mistaken = grade(asked, "k7Qx" + OTHER)
    assert mistaken.scores["wrong_ordinal"] == 1
    assert "wrong ordinal" in mistaken.reason
    assert some(mistaken.value) < 0.5
    assert grade(asked, "k7Qx" + POEM).scores["wrong_ordinal"] == 0
    assert grade(asked, "k7QxI cannot find it.").scores["wrong_ordinal"] == 0


# GraphWalks

GRAPH = question("graphwalks", json.dumps(["aa", "bb", "cc"]))
EMPTY = question("graphwalks", "[]")


def test_graphwalks_the_published_reader_loses_the_first_node() -> None:
    # Its set is {'Final Answer: [aa', 'bb', 'cc'}: 2 of 3 on both sides.
    assert both(GRAPH, "Final Answer: [aa, bb, cc]") == (1, pytest.approx(2 / 3))
    assert both(GRAPH, "I followed the edges.\nFinal Answer: [bb, aa]") == (pytest.approx(0.8), pytest.approx(0.4))


def test_graphwalks_no_overlap_scores_1_as_published_and_0_corrected() -> None:
    assert both(GRAPH, "Final Answer: [xx, yy]") == (0, 1)
    assert both(GRAPH, "Final Answer: []") == (0, 1)
    assert both(EMPTY, "Final Answer: [xx]") == (0, 1)
    assert both(EMPTY, "Final Answer: []") == (1, 1)


def test_graphwalks_a_line_after_the_answer_loses_it_as_published() -> None:
    assert both(GRAPH, "Final Answer: [aa, bb, cc]\n") == (1, 0)
    assert both(GRAPH, "**Final Answer:** [aa, bb, cc]") == (1, 0)


def test_graphwalks_the_last_list_counts_and_none_is_unparsed() -> None:
    assert both(GRAPH, "Final Answer: [xx]\nNo, wait.\nFinal Answer: [aa, bb, cc]")[0] == 1
    verdict = grade(GRAPH, "aa, bb and cc")
    assert (verdict.status, verdict.value, verdict.scores["published"]) == ("unparsed", None, 0)


# LongBench v2

CHOICE = question("longbench-v2", "B", options=json.dumps(dict.fromkeys("ABCD", "x")))


@pytest.mark.parametrize(
    ("reply", "corrected", "published"),
    [
        ("The correct answer is (B)", 1, 1),
        ("The correct answer is **(B)**.", 1, 1),
        ("The correct answer is B", 1, 1),
        ("The correct answer is (C)", 0, 0),
        ("the correct answer is (B)", 1, 0),
        ("Answer: B", 1, 0),
        ("(B)", 1, 0),
        ("B", 1, 0),
        # The first statement counts as published, the last one corrected.
        ("The correct answer is (A)? No. The correct answer is (B)", 1, 0),
        # A choice that begins with a capital letter is no letter.
        ("The correct answer is Because", None, 1),
    ],
)
def test_longbench_letters(reply: str, corrected: float | None, published: float) -> None:
    assert both(CHOICE, reply) == (corrected, published)


# OOLONG


def oolong(answer: str, kind: str) -> Question:
    return question("oolong", answer, kind=kind)


@pytest.mark.parametrize(("given", "score"), [(7, 1.0), (8, 0.75), (5, 0.5625), (17, 0.75**10)])
def test_oolong_numbers_lose_a_quarter_per_step(given: int, score: float) -> None:
    assert both(oolong("7", "number"), f"Answer: {given}") == (pytest.approx(score), pytest.approx(score))


@pytest.mark.parametrize(
    ("asked", "reply", "corrected", "published"),
    [
        (oolong("7", "number"), "Answer: 7.", 1, 0),
        (oolong("1200", "number"), "Answer: 1,200", 1, 0),
        (oolong("7", "number"), "Answer: between 6 and 8", None, 0),
        (oolong("spam", "text"), "Label: spam", 1, 1),
        (oolong("spam", "text"), "Label: **[spam]**", 1, 1),
        (oolong("spam", "text"), "Label: Spam", 1, 0),
        (oolong("spam", "text"), "Label: ham", 0, 0),
        (oolong("spam", "text"), "spam", 1, 1),
        (oolong("more common than", "text"), "Answer: spam is more common than ham", 1, 1),
        (oolong("less common than", "text"), "Answer: spam is more common than ham", 0, 0),
        (oolong("2023-01-05", "date"), "Date: January 5, 2023", 1, 1),
        (oolong("2023-01-05", "date"), "Date: 2023-01-06", 0, 0),
        (oolong("2023-01-05", "date"), "Date: unknown", None, 0),
    ],
)
def test_oolong_answers(asked: Question, reply: str, corrected: float | None, published: float) -> None:
    assert both(asked, reply) == (corrected, published)


def test_oolong_gold_answers_are_python_literals() -> None:
    assert literal_answer("['spam']") == "spam"
    assert literal_answer("[7]") == "7"
    assert literal_answer("[datetime.date(2023, 1, 5)]") == "2023-01-05"
    assert literal_answer("not a literal") == "not a literal"


# BABILong


def babilong(target: str, text: str, *labels: str) -> Question:
    return question("babilong", target, text=text, options=json.dumps({label: label for label in labels}))


ROOM = babilong("kitchen", "Where is Mary?", "bathroom", "garden", "kitchen")
COUNT = babilong("none", "How many objects is Mary carrying?", "none", "one", "two")


@pytest.mark.parametrize(
    ("asked", "reply", "corrected", "published"),
    [
        (ROOM, "Kitchen.", 1, 1),
        (ROOM, "Mary is in the kitchen. She was in the garden before.", 1, 1),
        (ROOM, "From the garden she went to the kitchen.", 0, 0),
        (ROOM, "garden", 0, 0),
        (ROOM, "She moved a lot.\nAnswer: kitchen", 1, 0),
        # 'one' is inside 'none' as published, so that 'none' is never right.
        (COUNT, "none", 1, 0),
        (COUNT, "one", 0, 0),
        # A label that the question names is never the answer.
        (
            babilong("garden", "Where was the apple before the kitchen?", "garden", "kitchen"),
            "Before the kitchen: garden",
            1,
            1,
        ),
        (babilong("apple,milk", "What is she carrying?", "apple", "milk", "nothing"), "milk, apple", 1, 1),
        (babilong("apple,milk", "What is she carrying?", "apple", "milk", "nothing"), "apple", 0, 0),
        (babilong("no", "Is Mary in the garden?", "no", "yes"), "I do not know", 0, 1),
    ],
)
def test_babilong_labels(asked: Question, reply: str, corrected: float, published: float) -> None:
    assert both(asked, reply) == (corrected, published)


# RULER and NoLiMa

ALL = question("ruler", json.dumps(["4711", "Oak", "elm"]), kind="all")
ANY = question("ruler", json.dumps(["Paris", "the capital of France"]), kind="any")


def test_ruler_gives_the_share_of_references_contained() -> None:
    assert both(ALL, "4711, oak") == (pytest.approx(2 / 3), pytest.approx(2 / 3))
    assert both(ALL, "none of them") == (0, 0)
    assert both(ANY, "It is PARIS.") == (1, 1)
    assert both(ANY, "London") == (0, 0)


def test_ruler_takes_parts_of_words_as_published() -> None:
    assert both(ALL, "147112 soaked helmets") == (0, 1)


def test_nolima_the_name_alone_counts() -> None:
    asked = question("nolima", "Ina", rivals=("Olga", "Pavel"))
    assert both(asked, "Ina") == (1, 1)
    assert both(asked, "ina") == (1, 0)
    assert both(asked, "Ina, Olga or Pavel") == (0, 1)
    assert both(asked, "Ina-Maria's sister Olga") == (0, 1)
    assert both(asked, "Regina") == (0, 0)
    assert both(asked, "CarIna") == (0, 1)


# A user's own file: one score, not two.


@pytest.mark.parametrize(
    ("score", "answer", "reply", "value"),
    [
        ("exact", "Green lamp", "green lamp.", 1),
        ("exact", "green", "It is green", 0),
        ("contains", "green", "It is green.", 1),
        ("contains", "green", "evergreen", 0),
        ("number", "1200", "There are 1,200.", 1),
        ("number", "1200", "There are 1,300.", 0),
        ("f1", "red, blue", "blue, red", 1),
        ("f1", "red, blue", "red, green", 0.5),
        ("f1", "a red lamp", "the red lamp", pytest.approx(2 / 3)),
        ("ratio", "abcd", "abcd", 1),
        ("ratio", "abcd", "ab", pytest.approx(2 / 3)),
    ],
)
def test_named_scores(score: str, answer: str, reply: str, value: float) -> None:
    verdict = grade(question(score, answer), reply)
    assert verdict.value == value
    assert "published" not in verdict.scores
    assert score in PLAIN


def test_an_empty_reply_and_a_refusal_are_not_wrong_answers() -> None:
    for asked in (mrcr(), GRAPH, CHOICE, ROOM, ALL):
        assert grade(asked, " \n").status == "unparsed"
    for asked in (mrcr(), GRAPH, CHOICE, ROOM, ALL, oolong("spam", "text"), question("contains", "spam")):
        refused = grade(asked, "I'm sorry, but I can't help with that request.")
        assert (refused.status, refused.value) == ("refused", None)
