"""One answer against one key."""

from __future__ import annotations

import pytest

from longreach.core.question import Key
from longreach.grading import grade_answer

from .cases import ABSENT, AGE, RIGHT, TOWN, WRONG, YES


@pytest.mark.parametrize(("key", "answer"), RIGHT)
def test_right(key: Key, answer: str) -> None:
    verdict = grade_answer(answer, key)
    assert (verdict.status, verdict.value) == ("scored", 1.0), verdict.reason


@pytest.mark.parametrize(("key", "answer", "reason"), WRONG)
def test_wrong(key: Key, answer: str, reason: str) -> None:
    verdict = grade_answer(answer, key)
    assert (verdict.status, verdict.value) == ("scored", 0.0), verdict.reason
    assert reason in verdict.reason


@pytest.mark.parametrize("answer", ["", "   ", "\n\t", "\u200b", "...", "[ ]", "**"])
def test_blank_is_unparsed(answer: str) -> None:
    verdict = grade_answer(answer, TOWN)
    assert verdict.status == "unparsed"
    assert verdict.value is None


@pytest.mark.parametrize("key", [TOWN, AGE, ABSENT, YES])
@pytest.mark.parametrize("answer", ["I'm sorry, but I can't help with that.", "抱歉，我无法回答这个问题。"])
def test_refusals_are_not_wrong(key: Key, answer: str) -> None:
    verdict = grade_answer(answer, key)
    assert verdict.status == "refused"
    assert verdict.value is None


def test_a_key_may_sound_like_a_refusal_or_an_abstention() -> None:
    said = Key(kind="text", answer="I cannot help you")
    assert grade_answer("“I cannot help you,” she said.", said).value == 1
    unknown = Key(kind="text", answer="the sender was unknown", accept=("unknown",))
    assert grade_answer("It came from an unknown sender", unknown).value == 1


def test_the_answer_is_kept_on_one_short_line() -> None:
    verdict = grade_answer("Corvane\n\n" + "and more " * 200, TOWN)
    assert verdict.answer.startswith("Corvane and more")
    assert verdict.answer.endswith((" more…", " and…"))
    assert 490 <= len(verdict.answer) <= 500


def test_characters_no_file_can_hold_do_not_break_grading() -> None:
    assert grade_answer("Corvane \ud83d", TOWN).value == 1


def test_a_number_key_without_a_number_is_compared_as_words() -> None:
    key = Key(kind="number", answer="several", rivals=("none",))
    assert grade_answer("There were several.", key).value == 1
    assert grade_answer("There were none.", key).value == 0
