"""One answer against one key; abstentions and refusals."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from tests.present import some

from longreach.core.language import chinese_number, english_number, ordinal, ordinal_word
from longreach.core.types import AnswerKind, Key, Verdict
from longreach.errors import BadInput
from longreach.grading import (
    AbsenceKind,
    gold_answer,
    grade_answer,
    is_refusal,
    parse_answers,
    read_absence,
    wrong_answer,
)
from longreach.grading.values.key_match import read_polarity
from longreach.grading.values.numbers import numeral_at, read_quantities, unit_named
from longreach.grading.values.times import read_dates, read_times
from longreach.grading.values.words import list_parts, read

from .judges import ABSENT, AGE, TOWN, YES

CASES = yaml.safe_load((Path(__file__).parent / "answers.yaml").read_text("utf-8"))
ABSTENTIONS = yaml.safe_load((Path(__file__).parent / "abstentions.yaml").read_text("utf-8"))
PLAIN = yaml.safe_load((Path(__file__).parent / "plain_answers.yaml").read_text("utf-8"))
NEAR = yaml.safe_load((Path(__file__).parent / "near_answers.yaml").read_text("utf-8"))
DENIED = yaml.safe_load((Path(__file__).parent / "denied_premises.yaml").read_text("utf-8"))
NOT_IN_TEXT = {"kind": "absent", "answer": "Not mentioned in the text or story."}
VERDICTS = {"right": 1, "wrong": 0, "surely right": 1, "surely wrong": 0}
DECIDED = 0.55
"""Of the answers of capable readers, at least this share is decided without a judge."""


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['key']['kind']}-{case['key']['answer']}")
def test_the_key_is_certain_only_of_what_a_reader_would_say(case: dict[str, Any]) -> None:
    key = Key.parse(case["key"], "key")
    for name in case.keys() - {"key", "question"}:
        for answer in case[name]:
            verdict = grade_answer(answer, key, case.get("question", ""))
            assert verdict.status == "scored", answer
            if name == "undecided":
                assert not verdict.certain, (answer, verdict.reason)
            elif verdict.certain or name.startswith("surely"):
                assert (verdict.value, verdict.certain) == (VERDICTS[name], True), (answer, verdict.reason)


def test_most_answers_are_decided_by_the_key() -> None:
    asked = [(case, answer) for case in CASES for name in ("right", "wrong") for answer in case.get(name, ())]
    certain = [
        grade_answer(answer, Key.parse(case["key"], "key"), case.get("question", "")).certain for case, answer in asked
    ]
    assert sum(certain) >= DECIDED * len(certain)


def _graded(case: dict[str, Any], answer: str) -> Verdict:
    read_answer = parse_answers(answer, 1, [case["question"]])[1]
    return grade_answer(read_answer, Key.parse(case.get("key", NOT_IN_TEXT), "key"), case["question"])


@pytest.mark.parametrize(("cases", "open_share"), [(PLAIN, 0.03), (NEAR, 0.2)], ids=["plain", "near the key"])
def test_answers_are_decided_as_a_person_decides_them(cases: list[dict[str, Any]], open_share: float) -> None:
    asked = [(case, answer, name) for case in cases for name in ("right", "wrong") for answer in case.get(name, ())]
    graded = [(_graded(case, answer), name, answer) for case, answer, name in asked]
    undecided = [answer for verdict, _, answer in graded if not verdict.certain]
    opposite = [
        answer for verdict, name, answer in graded if verdict.certain and (verdict.value == 1) != (name == "right")
    ]
    assert len(asked) > 150
    assert opposite == []
    assert len(undecided) <= open_share * len(asked), undecided


def test_who_denies_the_premise_abstains_and_who_fills_it_in_does_not() -> None:
    denials = [_graded(case, answer).value for case in DENIED for answer in case["denies"]]
    assert len(denials) > 40
    assert sum(value == 1 for value in denials) >= 0.95 * len(denials)
    assert [answer for case in DENIED for answer in case["fills"] if _graded(case, answer).value == 1] == []


def test_a_number_in_a_code_is_no_money() -> None:
    key = Key(kind="text", answer="K7R2V")
    verdict = grade_answer("The number of the crate is F2G6M.", key, "What is the number of the crate?")
    assert (verdict.value, verdict.certain) == (0, True)


def test_what_repeats_the_question_is_no_answer() -> None:
    for key in (TOWN, AGE, ABSENT, Key(kind="list", answer="Ida Marsh, Ada Prane")):
        verdict = grade_answer("Carl Roth moved to the valley.", key, "When Carl Roth moved, to which valley was it?")
        assert verdict.status == "unparsed", key


def test_the_copied_label_of_the_form_is_read() -> None:
    assert parse_answers("Question N: Wexmouth", 1) == {1: "Wexmouth"}
    assert parse_answers("Question N: Wexmouth", 2) == {}


@pytest.mark.parametrize("key", [TOWN, AGE, ABSENT, YES])
def test_the_keys_own_words_and_a_wrong_value_are_certain(key: Key) -> None:
    assert grade_answer(key.answer, key).certain
    assert grade_answer(wrong_answer(key), key).certain


@pytest.mark.parametrize("kind", AbsenceKind)
def test_abstentions(kind: AbsenceKind) -> None:
    found = {answer: read_absence(answer).kind for answer in ABSTENTIONS[kind.value]}
    assert found == dict.fromkeys(found, kind)


def test_refusals() -> None:
    assert [answer for answer in ABSTENTIONS["refused"] if not is_refusal(answer)] == []
    assert [answer for answer in ABSTENTIONS["not refused"] if is_refusal(answer)] == []


@pytest.mark.parametrize("answer", ["", "   ", "\n\t", "\u200b", "...", "[ ]", "**"])
def test_blank_is_unparsed(answer: str) -> None:
    verdict = grade_answer(answer, TOWN)
    assert (verdict.status, verdict.value, verdict.certain) == ("unparsed", None, True)


@pytest.mark.parametrize("key", [TOWN, AGE, ABSENT, YES])
@pytest.mark.parametrize("answer", ["I'm sorry, but I can't help with that.", "抱歉，我无法回答这个问题。"])
def test_refusals_are_not_wrong(key: Key, answer: str) -> None:
    verdict = grade_answer(answer, key)
    assert (verdict.status, verdict.value, verdict.certain) == ("refused", None, True)


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


# What must hold for any text and any key.

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
def test_a_rival_beside_the_answer_is_never_right(key: Key) -> None:
    wrong = wrong_answer(key)
    key = key.model_copy(update={"rivals": (*key.rivals, wrong)})
    for answer in (f"{key.answer} or {wrong}", f"{wrong} or {key.answer}"):
        verdict = grade_answer(answer, key)
        assert verdict.value == 0 or not verdict.certain


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
    assert found.kind is not AbsenceKind.NONE or not found.modest


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


# The value readers one by one.


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("41", 41), ("1,250", 1250), ("1,250.5", Fraction(2501, 2)), ("2.5", Fraction(5, 2)),
        ("2 1/2", Fraction(5, 2)), ("3/4", Fraction(3, 4)), ("2 million", 2_000_000), ("zero", 0), ("nineteen", 19),
        ("forty-one", 41), ("Forty One", 41), ("four-and-twenty", 24), ("a hundred", 100),
        ("two hundred and six", 206), ("sixteen hundred", 1600), ("three thousand four hundred and twelve", 3412),
        ("a dozen", 12), ("three dozen", 36), ("half a dozen", 6), ("three score", 60), ("half", Fraction(1, 2)),
        ("two thirds", Fraction(2, 3)), ("three quarters", Fraction(3, 4)), ("two and a half", Fraction(5, 2)),
        ("twenty-first", 21), ("31st", 31), ("四十一", 41), ("十二", 12), ("两百零六", 206), ("二百六", 260),
        ("一千零五", 1005),
        ("三万五千", 35_000), ("一亿两千万", 120_000_000), ("二〇〇六", 2006),
        ("三点五", Fraction(7, 2)),
        ("廿一", 21), ("第三", 3), ("-5", -5), ("7 × 6", 42),
    ],
)  # fmt: skip
def test_numbers(text: str, value: int | Fraction) -> None:
    assert [quantity.value for quantity in read_quantities(read(text))] == [value]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("four thirty", [4, 30]), ("40-45", [40, 45]), ("三四个", [3, 4]), ("thirty second delay", [30]), ("B12", []),
        ("someone", []), ("9" * 400, []),
    ],
)  # fmt: skip
def test_what_is_not_one_number(text: str, values: list[int]) -> None:
    assert [quantity.value for quantity in read_quantities(read(text))] == values


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("3 miles", "mile"), ("3 mi", "mile"), ("3mi.", "mile"), ("3 feet", "foot"), ("3 gold francs", "franc"),
        ("£3", "pound"), ("3 lbs", "pound"), ("3 hrs", "hour"), ("3-year-old", "year"), ("half an hour", "hour"),
        ("3 per cent", "percent"), ("3%", "percent"), ("3 kg", "kilogram"), ("三公斤", "kilogram"),
        ("三个小时", "hour"),
        ("五两银子", "tael"), ("三十里路", "li"), ("3 horses", None), ("三匹马", None),
    ],
)  # fmt: skip
def test_units(text: str, unit: str | None) -> None:
    (quantity,) = read_quantities(read(text))
    assert (quantity.unit.name if quantity.unit else None) == unit


def test_unknown_words_are_no_units() -> None:
    assert unit_named("horse") is None
    assert unit_named("") is None


@pytest.mark.parametrize(
    ("text", "hour", "minute", "half"),
    [
        ("4:30", 4, 30, ""), ("16:30", 4, 30, "pm"), ("0:05", 0, 5, "am"), ("4.30 pm", 4, 30, "pm"),
        ("4.30 p.m.", 4, 30, "pm"), ("4pm", 4, 0, "pm"), ("12 am", 0, 0, "am"), ("half past four", 4, 30, ""),
        ("half-past four", 4, 30, ""), ("a quarter to six", 5, 45, ""), ("a quarter to one", 0, 45, ""),
        ("ten minutes past three in the morning", 3, 10, "am"), ("five-and-twenty past four", 4, 25, ""),
        ("twenty to midnight", 11, 40, "pm"), ("sixteen hundred hours", 4, 0, "pm"), ("1630 hours", 4, 30, "pm"),
        ("nine o'clock at night", 9, 0, "pm"), ("two o’clock at night", 2, 0, "am"), ("four forty-five", 4, 45, ""),
        ("noon", 0, 0, "pm"), ("midnight", 0, 0, "am"), ("下午四点半", 4, 30, "pm"), ("四点一刻", 4, 15, ""),
        ("凌晨三点二十分", 3, 20, "am"), ("晚上十点", 10, 0, "pm"), ("16时30分", 4, 30, "pm"),
        ("差一刻六点", 5, 45, ""),
        ("下午4:30", 4, 30, "pm"), ("正午", 0, 0, "pm"),
    ],
)  # fmt: skip
def test_times(text: str, hour: int, minute: int, half: str) -> None:
    (time,) = read_times(read(text))
    assert (time.hour, time.minute, time.half, time.bare) == (hour, minute, half, False)


@pytest.mark.parametrize("text", ["4.30 francs", "25:10", "4:75", "forty miles", "三点五", "half the men", ""])
def test_what_is_no_time(text: str) -> None:
    assert [time for time in read_times(read(text)) if not time.bare] == []


@pytest.mark.parametrize(
    ("text", "day", "month", "year"),
    [
        ("14 March", 14, 3, None), ("March 14th", 14, 3, None), ("the fourteenth of March", 14, 3, None),
        ("the twenty-first of May, 1830", 21, 5, 1830), ("14 Mar. 1823", 14, 3, 1823),
        ("March 14, 1823", 14, 3, 1823), ("March the 14th", 14, 3, None), ("1823-03-14", 14, 3, 1823),
        ("14/03/1823", 14, 3, 1823), ("03/14/1823", 14, 3, 1823), ("14.3.1823", 14, 3, 1823),
        ("March 1823", None, 3, 1823), ("in May", None, 5, None), ("in May 1823", None, 5, 1823),
        ("三月十四日", 14, 3, None), ("3月14号", 14, 3, None), ("一八二三年三月十四日", 14, 3, 1823),
        ("1823年", None, None, 1823),
    ],
)  # fmt: skip
def test_dates(text: str, day: int | None, month: int | None, year: int | None) -> None:
    (date,) = read_dates(read(text))
    assert (date.day, date.month, date.year) == (day, month, year)


@pytest.mark.parametrize("text", ["He may go", "they march at dawn", "45 March", "30/40 of it", ""])
def test_what_is_no_date(text: str) -> None:
    assert read_dates(read(text)) == []


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Yes", True), ("yes, it was", True), ("True.", True), ("Indeed she did", True), ("They did.", None),
        ("No", False), ("no, never", False), ("False", False), ("Never.", False),
        ("是的，没错", True), ("有", True), ("不，她没有", False), ("并没有", False), ("否", False),
        ("No doubt she was", None),
        ("No one knows", None), ("Yes and no", None), ("She went home", None), ("不仅如此", None), ("", None),
    ],
)  # fmt: skip
def test_yes_and_no(text: str, said: bool | None) -> None:
    assert read_polarity(read(text)) is said


@pytest.mark.parametrize(
    ("text", "items"),
    [
        ("A, B and C", ["A", "B", "C"]), ("A, B, and C", ["A", "B", "C"]),
        ("Jean-Luc & Anna", ["Jean-Luc", "Anna"]), ("面包、奶酪和酒", ["面包", "奶酪", "酒"]),
        ("- bread\n- wine", ["bread", "wine"]), ("bread", ["bread"]), ("", []),
    ],
)  # fmt: skip
def test_lists(text: str, items: list[str]) -> None:
    reading = read(text)
    assert [reading.shown(start, end).strip() for start, end in list_parts(reading)] == items


# Numerals as they are written, and that the reader reads what the writer wrote.


@pytest.mark.parametrize(
    ("n", "english", "chinese"),
    [
        (0, "zero", "零"), (7, "seven", "七"), (10, "ten", "十"), (15, "fifteen", "十五"), (40, "forty", "四十"),
        (99, "ninety-nine", "九十九"), (105, "one hundred and five", "一百零五"),
        (110, "one hundred and ten", "一百一十"),
        (340, "three hundred and forty", "三百四十"), (1005, "one thousand and five", "一千零五"),
        (1050, "one thousand and fifty", "一千零五十"), (2250, "two thousand two hundred and fifty", "二千二百五十"),
        (28800, "twenty-eight thousand eight hundred", "二万八千八百"),
        (20050, "twenty thousand and fifty", "二万零五十"),
    ],
)  # fmt: skip
def test_numbers_in_words(n: int, english: str, chinese: str) -> None:
    assert english_number(n) == english
    assert chinese_number(n) == chinese


def test_ordinals() -> None:
    assert [ordinal(n) for n in (1, 2, 3, 4, 11, 12, 13, 21, 22)] == [
        "1st", "2nd", "3rd", "4th", "11th", "12th", "13th", "21st", "22nd",
    ]  # fmt: skip


@pytest.mark.parametrize("n", [*range(131), *range(199, 999_999, 7_919)])
def test_what_is_written_is_read(n: int) -> None:
    for text in (english_number(n), chinese_number(n)):
        reading = read(text)
        numeral = some(numeral_at(reading, 0))
        assert numeral.value == n, text
        assert numeral.end == len(reading.tokens), text


@pytest.mark.parametrize("n", range(1, 100))
def test_ordinals_in_words_are_read(n: int) -> None:
    numeral = some(numeral_at(read(ordinal_word(n)), 0))
    assert numeral.ordinal
    assert numeral.value == n


@pytest.mark.parametrize(
    "answer",
    [
        "Ada Thorne was taller than Olive Rusk.",
        "She was at the mill.",
        "莫雨樵矮一些",
        "莫雨樵是否更高",
        "莫雨樵的个\ufffd",
    ],
)
def test_another_statement_than_the_questions_is_neither_yes_nor_no(answer: str) -> None:
    question = "Was Ada Thorne taller than Ruth Ennis?"
    assert not any(
        grade_answer(answer, Key(kind="yesno", answer=word), question).certain for word in ("Yes", "No", "是")
    )


@pytest.mark.parametrize(
    ("key", "question", "answer"),
    [
        (
            Key(kind="text", answer="Ada Vane"),
            "From whom did Tom Hale take orders?",
            "Ada Vane took orders from Tom Hale.",
        ),
        (
            Key(kind="date", answer="4th of May"),
            "On what date did it sail?",
            "On the 3rd or 4th of May, as one counts.",
        ),
        (Key(kind="text", answer="白布长伞", accept=("长伞",)), "他带的是什么？", "蓝布长伞"),
    ],
    ids=["who did what", "two values", "another kind"],
)
def test_an_answer_that_may_say_something_else_is_not_certain(key: Key, question: str, answer: str) -> None:
    verdict = grade_answer(answer, key, question)
    assert not (verdict.certain and verdict.value == 1)


def test_an_answer_is_read_once_however_many_keys_it_is_compared_with() -> None:
    """A list of hundreds of numbers is compared with each of them."""
    reading, looked = read("1, 2, 3 and so on."), list[int]()
    for _ in range(3):
        assert reading.every("looked at", looked.append) == []
    assert looked == list(range(len(reading.tokens)))
