"""Where the key is sure of itself, and where it leaves the last word to a judge."""

from __future__ import annotations

import pytest

from longreach.core.question import Key
from longreach.grading import grade_answer, wrong_answer

from .cases import (
    ABSENT,
    AGE,
    AGE_ZH,
    DATE,
    DATE_ZH,
    FRANCS,
    FULL_DATE,
    GUESTS,
    HOURS,
    LIST,
    LIST_ZH,
    NAMES,
    NO,
    NO_ZH,
    ONE,
    PERSON,
    PLACE_ZH,
    THING,
    TIME,
    TIME_ZH,
    TOWN,
    YES,
    YES_ZH,
)

WEEKDAY = Key(kind="text", answer="Thursday", rivals=("Tuesday",))

SURE_YES = [
    (TOWN, "Corvane"),
    (TOWN, "She lived in Corvane."),
    (TOWN, "Corvane, not Ashby"),
    (TOWN, "No, she lived in Corvane."),
    (PERSON, "It was Mrs. Hale"),
    (THING, "He was given the brass compass"),
    (PLACE_ZH, "她住在青石镇。"),
    (AGE, "41"),
    (AGE, "Forty one years of age."),
    (AGE, "41, not 43"),
    (FRANCS, "He bought 3 horses for 206 francs"),
    (HOURS, "120 minutes"),
    (AGE_ZH, "他当时四十一岁。"),
    (Key(kind="number", answer="1931"), "In 1931"),
    (TIME, "At half past four in the afternoon"),
    (TIME_ZH, "16:30"),
    (DATE, "the fourteenth of March"),
    (DATE, "Tuesday, 14 March"),
    (DATE_ZH, "3月14号"),
    (LIST, "They brought bread, cheese, and wine."),
    (LIST_ZH, "酒、面包、奶酪"),
    (YES, "Yes, she was."),
    (NO, "No, he was not mentioned in the will."),
    (YES_ZH, "对，她去了"),
    (ABSENT, "The story does not say."),
    (ABSENT, "文中未提及"),
]

SURE_NO = [
    (TOWN, "Ashby"),
    (TOWN, "Probably Ashby"),
    (TOWN, "Corvane or Ashby"),
    (TOWN, "Corvane. No, wait: Ashby."),
    (TOWN, "Not Corvane"),
    (TOWN, "The story does not say where she lived."),
    (PLACE_ZH, "白沙镇"),
    (PLACE_ZH, "文中没有提到"),
    (WEEKDAY, "Tuesday"),
    (WEEKDAY, "It was a Friday."),
    (AGE, "43"),
    (AGE, "41 months"),
    (AGE, "41 or 43"),
    (AGE, "not 41"),
    (FRANCS, "206 pounds"),
    (HOURS, "20 minutes"),
    (AGE_ZH, "四十三岁"),
    (TIME, "4:35"),
    (TIME, "4:30 or 5:30"),
    (TIME, "four"),
    (TIME_ZH, "上午四点半"),
    (DATE, "15 March"),
    (DATE, "3 or 14 March, 16 March"),
    (FULL_DATE, "14 March 1824"),
    (LIST, "bread and cheese"),
    (LIST, "bread, cheese and ham"),
    (LIST, "bread, cheese, wine and ham"),
    (LIST_ZH, "面包和奶酪"),
    (YES, "No"),
    (NO, "Yes, she did"),
    (YES_ZH, "不是"),
    (YES, "Not mentioned in the text."),
    (ABSENT, "Paris"),
    (ABSENT, "She paid 40 francs for it."),
    (ABSENT, "He lived in Paris."),
    (ABSENT, "Not mentioned, but probably Paris"),
    (ABSENT, "巴黎"),
]

UNSURE = [
    # A paraphrase, or a name that the key does not know.
    (TOWN, "Somewhere by the sea", 0),
    (TOWN, "The town of the salt works", 0),
    (TOWN, "Not Ashby", 0),
    (TOWN, "Corvane or Millhaven", 0),
    (TOWN, "Corvane, Millhaven", 1),
    (TOWN, "Corvane. Millhaven.", 1),
    (THING, "the instrument that shows north", 0),
    (PLACE_ZH, "镇上的老宅", 0),
    (WEEKDAY, "the day before Friday", 0),
    # A hedge, a turn, an aside, a long sentence.
    (TOWN, "Perhaps Corvane", 1),
    (TOWN, "Was it Corvane?", 1),
    (TOWN, "I think it's Corvane, but I'm not sure.", 1),
    (TOWN, "Corvane (the street is not mentioned)", 1),
    (TOWN, "Not mentioned, but probably Corvane", 0),
    (TOWN, "She lived in Corvane, where she kept the accounts of the mill for many years and was well liked.", 1),
    (TOWN, "Ashby is where the letter came from and to the north of it by two days lay the port she called home.", 0),
    (PLACE_ZH, "可能是青石镇", 1),
    # Numbers, times and dates that cannot be read, or only as a part, a bound or a rough guess.
    (AGE, "He was old", 0),
    (AGE, "about 41 years", 1),
    (AGE, "more than 41 years", 0),
    (AGE, "24 years and then 17 years", 0),
    (FRANCS, "9 pounds", 0),
    (Key(kind="number", answer="8", unit="mile"), "13 km", 0),
    (GUESTS, "A dozen guests or so", 1),
    (ONE, "one of the brothers", 1),
    (AGE_ZH, "不到四十一岁", 0),
    (TIME, "in the afternoon", 0),
    (TIME, "around 4:30", 1),
    (TIME, "between three and five", 0),
    (TIME, "She left together with four", 0),
    (DATE, "in the spring", 0),
    (DATE, "March", 0),
    (FULL_DATE, "1823", 0),
    # A list with a member that the key does not know.
    (LIST, "bread, cheese and the contents of the bottle", 0),
    (NAMES, "Anna, Ben, Carl and Dora", 0),
    # A statement where yes or no was asked for.
    (YES, "She stayed at home.", 0),
    (YES, "She was not.", 0),
    (NO, "She never went to Ashby.", 1),
    (NO, "Probably not", 1),
    (YES, "Yes and no", 0),
    (YES, "No, but she did later", 0),
    (NO_ZH, "她没有去", 1),
    # Silence in unusual words, and words that may be silence.
    (ABSENT, "That is left to the imagination.", 0),
    (ABSENT, "A mystery", 0),
    (ABSENT, "No", 0),
    (ABSENT, "He did not go to the mill.", 0),
    (ABSENT, "We are kept wondering about that to the very end", 0),
    (ABSENT, "I don't know.", 1),
    (ABSENT, "不知道", 1),
    (ABSENT, "The story names the captain, but does not give his age.", 1),
    (ABSENT, "作者留了悬念", 0),
]


@pytest.mark.parametrize(("key", "answer"), SURE_YES)
def test_sure_yes(key: Key, answer: str) -> None:
    verdict = grade_answer(answer, key)
    assert (verdict.value, verdict.certain) == (1, True), verdict.reason


@pytest.mark.parametrize(("key", "answer"), SURE_NO)
def test_sure_no(key: Key, answer: str) -> None:
    verdict = grade_answer(answer, key)
    assert (verdict.value, verdict.certain) == (0, True), verdict.reason


@pytest.mark.parametrize(("key", "answer", "value"), UNSURE)
def test_unsure(key: Key, answer: str, value: int) -> None:
    verdict = grade_answer(answer, key)
    assert (verdict.value, verdict.certain) == (value, False), verdict.reason


@pytest.mark.parametrize("key", [TOWN, AGE, TIME, DATE, LIST, YES, ABSENT, PLACE_ZH, AGE_ZH, TIME_ZH])
def test_the_keys_own_words_are_sure_and_a_wrong_value_is(key: Key) -> None:
    assert grade_answer(key.answer, key).certain
    if key.kind != "list":
        assert grade_answer(wrong_answer(key), key).certain


@pytest.mark.parametrize("answer", ["", "...", "I'm sorry, but I can't help with that."])
def test_what_was_not_answered_is_not_for_a_judge(answer: str) -> None:
    verdict = grade_answer(answer, TOWN)
    assert verdict.value is None
    assert verdict.certain
