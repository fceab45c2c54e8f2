"""What must hold for any text and any key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.core.question import AnswerKind, Key
from longreach.errors import BadInput
from longreach.grading import AbsenceKind, gold_answer, grade_answer, parse_answers, read_absence, wrong_answer
from longreach.grading.values.words import read

KINDS: tuple[AnswerKind, ...] = ("text", "number", "time", "date", "list", "yesno", "absent")
WORDS = (
    "not no or and Corvane Ashby 41 forty - one hundred half past four : 30 pm March 14 / 1823 , . yes the story does "
    "say mentioned but it years francs a of = + ( ) 不 是 没有 提到 四 十 点 半 月 日 第 两 万 [ ] ** ½ 's n't"
)
PIECES = st.sampled_from([*WORDS.split(), "\n", "Question 1:"])
ANSWERS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=25).map(" ".join), st.lists(PIECES).map("".join))
NAMES = st.sampled_from(["Corvane", "Ashby", "Marion Hale", "a brass compass", "Port Ellis", "the old mill", "Dora"])
NAMES_ZH = st.sampled_from(["青石镇", "白沙镇", "沈若兰", "铜罗盘", "旧磨坊"])
UNITS = st.sampled_from(["", "year", "franc", "mile", "guest", "minute", "岁"])
MONTHS = st.sampled_from(["January", "March", "May", "June", "August", "December"])


def _number(value: int, unit: str) -> Key:
    return Key(kind="number", answer=f"{value} {unit}".strip(), unit=unit)


GOOD_KEYS = st.one_of(
    st.builds(lambda a, b: Key(kind="text", answer=a, rivals=(b,) if a != b else ()), NAMES, NAMES),
    st.builds(lambda a, b: Key(kind="text", answer=a, rivals=(b,) if a != b else ()), NAMES_ZH, NAMES_ZH),
    st.builds(_number, st.integers(0, 100_000), UNITS),
    st.builds(lambda h, m: Key(kind="time", answer=f"{h}:{m:02d}"), st.integers(0, 23), st.integers(0, 59)),
    st.builds(lambda h: Key(kind="time", answer=f"half past {h}"), st.sampled_from(["four", "nine", "twelve"])),
    st.builds(lambda h: Key(kind="time", answer=f"下午{h}点"), st.integers(1, 11)),
    st.builds(lambda d, m: Key(kind="date", answer=f"{d} {m}"), st.integers(1, 28), MONTHS),
    st.builds(lambda d, m: Key(kind="date", answer=f"{m}月{d}日"), st.integers(1, 28), st.integers(1, 12)),
    st.builds(lambda y: Key(kind="date", answer=str(y)), st.integers(1700, 1900)),
    st.builds(lambda names: Key(kind="list", answer=", ".join(names)), st.lists(NAMES, min_size=1, unique=True)),
    st.builds(lambda names: Key(kind="list", answer="、".join(names)), st.lists(NAMES_ZH, min_size=1, unique=True)),
    st.sampled_from([Key(kind="yesno", answer=word) for word in ("Yes", "No", "Yes, she was", "是的", "没有")]),
    st.sampled_from(
        [Key(kind="absent", answer=phrase) for phrase in ("", "Not mentioned in the text or story.", "文中没有提到。")]
    ),
)


@given(ANSWERS, st.sampled_from(KINDS), ANSWERS, st.lists(ANSWERS, max_size=2), st.lists(ANSWERS, max_size=2), UNITS)
def test_anything_is_graded(
    answer: str, kind: AnswerKind, right: str, accept: list[str], rivals: list[str], unit: str
) -> None:
    key = Key(kind=kind, answer=right, accept=tuple(accept), rivals=tuple(rivals), unit=unit)
    verdict = grade_answer(answer, key)
    assert (verdict.value in {0.0, 1.0}) == (verdict.status == "scored")
    assert verdict == grade_answer(answer, key)
    assert len(verdict.answer) <= 500


@given(st.sampled_from(KINDS), ANSWERS.filter(lambda text: bool(read(text).tokens)), st.lists(ANSWERS, max_size=2))
def test_the_key_itself_is_right(kind: AnswerKind, answer: str, rivals: list[str]) -> None:
    key = Key(kind=kind, answer=answer, rivals=tuple(rivals))
    assert grade_answer(answer, key).value == 1


@given(GOOD_KEYS)
def test_gold_is_right_and_wrong_is_wrong(key: Key) -> None:
    assert grade_answer(gold_answer(key), key).value == 1
    wrong = wrong_answer(key)
    assert grade_answer(wrong, key).value == 0
    assert not any(read(wrong).same_words(read(form)) for form in (key.answer, *key.accept))


@given(GOOD_KEYS.filter(lambda key: key.kind not in {"absent", "yesno"}))
def test_a_rival_beside_the_answer_is_wrong(key: Key) -> None:
    wrong = wrong_answer(key)
    key = key.model_copy(update={"rivals": (*key.rivals, wrong)})
    assert grade_answer(f"{key.answer} or {wrong}", key).value == 0
    assert grade_answer(f"{wrong} or {key.answer}", key).value == 0


@given(
    GOOD_KEYS.filter(lambda key: key.kind != "absent"), st.sampled_from(["The answer is {}.", "**{}**", "[{}]", " {} "])
)
def test_plain_wrapping_does_not_matter(key: Key, around: str) -> None:
    if key.kind == "yesno" and "answer" in around:
        return
    assert grade_answer(around.format(key.answer), key).value == 1


@given(ANSWERS, st.integers(1, 5))
def test_any_answer_is_read(text: str, count: int) -> None:
    answers = parse_answers(text, count)
    assert all(1 <= number <= count and answer.strip() for number, answer in answers.items())


@given(
    st.lists(
        st.text("abc XYZ,四十.", min_size=1).filter(lambda s: any(c.isalnum() for c in s)), min_size=2, max_size=30
    )
)
def test_a_well_formed_answer_comes_back_whole(answers: list[str]) -> None:
    written = "\n".join(f"Question {number}: [{answer}]" for number, answer in enumerate(answers, 1))
    parsed = parse_answers(written, len(answers))
    assert parsed == {number: " ".join(answer.split()) for number, answer in enumerate(answers, 1)}


@given(ANSWERS)
def test_absence_is_read_in_anything(text: str) -> None:
    found = read_absence(text)
    assert found.kind is not AbsenceKind.NONE or not (found.aside or found.alone or found.modest or found.rest)


@pytest.mark.parametrize(
    "piece", ["not ", "no a ", "the story ", "one hundred and ", "一", "4:", "or Corvane ", "does not ", "(", "is "]
)
@pytest.mark.parametrize("kind", KINDS)
def test_long_hostile_answers_are_graded(piece: str, kind: AnswerKind) -> None:
    key = Key(kind=kind, answer="Corvane" if kind in {"text", "list"} else "41", rivals=("Ashby",))
    assert grade_answer(piece * (5_000 // len(piece)), key).status == "scored" or piece == "("


def test_a_blank_key_has_no_gold_answer() -> None:
    with pytest.raises(BadInput, match="blank"):
        gold_answer(Key(kind="text", answer=" "))


def test_a_key_that_accepts_everything_has_no_wrong_answer() -> None:
    names = ("Orrin Vale", "Tessaly Marsh", "a copper weathercock", "the harbour at Quillon", "Isobel Trant")
    chinese = ("罗文舟", "青石渡口", "一只铜风标", "沈若薇", "南坡的磨坊")
    with pytest.raises(BadInput, match="accept fewer forms"):
        wrong_answer(Key(kind="text", answer="x", accept=names + chinese))
