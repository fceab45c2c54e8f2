"""Answers with known grades: the key is never certain of the opposite."""

from __future__ import annotations

from random import Random

import pytest

from longreach.core.question import Key, Question
from longreach.families.needles.facts import make_facts
from longreach.grading import grade_answer, is_refusal
from longreach.grading.judge.audit_answers import KINDS, MET, plant_answer, truth

from .cases import ABSENT, AGE, DATE, LIST, NO, TIME, TOWN, YES


def asked(key: Key, text: str = "Where did she live?") -> Question:
    return Question(id="q", question_type="literal", text=text, key=key)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("register", ["novel", "legal"])
def test_where_the_key_is_certain_it_agrees(language: str, register: str) -> None:
    for question in make_facts(11, language=language, register=register).questions:
        for kind in KINDS:
            answer = plant_answer(kind, question, Random(f"{question.id} {kind}"))
            verdict = grade_answer(answer, question.key)
            if kind in {"refused", "empty"}:
                assert verdict.status == {"refused": "refused", "empty": "unparsed"}[kind], answer
            elif verdict.certain:
                assert verdict.value == truth(kind), f"{kind}: {question.text} {question.key.answer} / {answer}"


def test_truth() -> None:
    assert [truth(kind) for kind in KINDS] == [1, 1, 0, 0, 0, 0, 0, 0]
    assert set(KINDS) - set(MET) == {"refused", "empty"}


@pytest.mark.parametrize("key", [TOWN, AGE, TIME, DATE, LIST, YES, NO, ABSENT])
def test_kinds_are_what_they_are_called(key: Key) -> None:
    question = asked(key)
    answers = {kind: plant_answer(kind, question, Random(3)) for kind in KINDS}
    assert answers["empty"] == ""
    assert is_refusal(answers["refused"])
    assert grade_answer(answers["right"], key).value == 1
    assert grade_answer(answers["wrong"], key).value == 0
    assert answers["paraphrased"] not in {key.answer, *key.accept}
    assert answers["wrong"] in answers["contradicted"]
    assert answers["wrong"] in answers["hedged"]
    assert len(set(answers.values())) == len(KINDS)


def test_halves() -> None:
    rng = Random(1)
    assert plant_answer("half_right", asked(LIST), rng) == "bread, cheese"
    assert plant_answer("half_right", asked(AGE), rng) == "41 months"
    assert plant_answer("half_right", asked(DATE), rng) == "in March"
    assert plant_answer("half_right", asked(TIME), rng) == "at some time between 4 and 5 o'clock"
    assert plant_answer("half_right", asked(YES), rng) == "In part yes and in part no."


def test_the_same_seed_plants_the_same() -> None:
    first, again = (plant_answer("paraphrased", asked(TIME), Random("x")) for _ in range(2))
    assert first == again
