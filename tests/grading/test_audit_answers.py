"""Answers with known grades: the key is never certain of the opposite."""

from __future__ import annotations

from random import Random

import pytest

from longreach.core.question import Key, Question
from longreach.families.needles.facts import make_facts
from longreach.grading import grade_answer, is_refusal
from longreach.grading.judge.audit import KINDS, MET, plant_answer, truth

from .cases import ABSENT, AGE, DATE, LIST, NO, TIME, TOWN, YES


def asked(key: Key, text: str = "Where did she live?") -> Question:
    return Question(id="q", question_type="literal", text=text, key=key)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("register", ["novel", "legal"])
def test_where_the_key_is_certain_it_agrees(language: str, register: str) -> None:
    for question in make_facts(11, language=language, register=register).questions:
        for kind in KINDS:
            answer = plant_answer(kind, question, Random(f"{question.id} {kind}"))
            verdict = grade_answer(answer, question.key, question.text)
            if kind in {"refused", "empty"}:
                assert verdict.status == {"refused": "refused", "empty": "unparsed"}[kind], answer
            elif verdict.certain:
                assert verdict.value == truth(kind), f"{kind}: {question.text} {question.key.answer} / {answer}"


def test_truth() -> None:
    assert [truth(kind) for kind in KINDS] == [1] * 4 + [0] * 8
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
    near = answers.pop("near_miss")
    assert grade_answer(near, key).value == 0
    assert len(set(answers.values())) == len(KINDS) - 1


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


CLOCK = Key(kind="text", answer="pewter clock", accept=("clock",))
CLOCK_ZH = Key(kind="text", answer="描金座钟", accept=("座钟",))
PRICE = Key(kind="number", answer="one thousand four hundred and ninety francs", accept=("1490",), unit="franc")
LEFT = Key(kind="time", answer="half past four", accept=("4:30", "16:30", "4:30 pm"))
LEFT_ZH = Key(kind="time", answer="上午七点半", accept=("07:30",))
RANK = Key(kind="list", answer="Olga Yarrow, Tamara Reske", rivals=("Molvane",))


def planted(kind: str, key: Key, text: str) -> set[str]:
    """All that is planted for a key, over many draws."""
    return {plant_answer(kind, asked(key, text), Random(seed)) for seed in range(60)}


def test_formats_and_near_misses() -> None:
    formats = planted("reformatted", PRICE, "How much did it cost?")
    assert {"1 490 francs", "1,490 francs", "one thousand, four hundred and ninety francs"} <= formats
    assert {"16h30", "16:30", "4:30 PM"} <= planted("reformatted", LEFT, "At what time did it leave?")
    assert planted("near_miss", LEFT, "At what time did it leave?") == {"4:30 am"}
    assert planted("near_miss", LEFT_ZH, "几点开船？") == {"下午7点30分", "19:30"}
    assert "April the ninth" in planted("reformatted", Key(kind="date", answer="9 April"), "On what date?")
    assert planted("near_miss", RANK, "Who were the two above her, the nearer one first?") == {
        "Tamara Reske, Olga Yarrow"
    }
    assert "copper clock" in planted("near_miss", CLOCK, "What did she receive?")
    assert "The clock." in planted("reformatted", CLOCK, "What did she receive?")


@pytest.mark.parametrize(
    ("key", "text"),
    [
        (CLOCK, "What did she receive?"),
        (CLOCK_ZH, "她换来了什么？"),
        (PRICE, "How much did it cost?"),
        (LEFT, "At what time did it leave?"),
        (LEFT_ZH, "几点开船？"),
        (RANK, "Who were the two above her, the nearer one first?"),
    ],
)
def test_the_key_tells_them_apart(key: Key, text: str) -> None:
    for kind in ("worked", "reformatted", "near_miss"):
        for answer in planted(kind, key, text):
            assert grade_answer(answer, key, text).value == truth(kind), f"{kind}: {answer}"
    for answer in planted("miscalculated", key, text):
        verdict = grade_answer(answer, key, text)
        assert verdict.value == 0 or not verdict.certain, answer
