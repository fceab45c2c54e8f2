"""What an answer claims, and what it only shows as evidence or working; verdicts decided before any grading."""

from __future__ import annotations

import pytest

from longreach.core.types import Key
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

CLAIMS_NAMES = ("Tarrow", "Velling", "Osgood", "Prane", "Hask")


def person(answer: str) -> Key:
    surname = answer.split()[-1]
    return Key(
        kind="text", answer=answer, accept=(surname,), rivals=tuple(name for name in CLAIMS_NAMES if name != surname)
    )


CHIEF = ("To whom did the overseer of Nora Velling report?", person("Ida Tarrow"))
GIVER = ("Whose gift paid for the walnut desk?", person("Ruth Osgood"))
MIDDLE = (
    "Which of the three, Ada Prane, Ida Tarrow or Nora Velling, was neither the oldest nor the youngest?",
    person("Ida Tarrow"),
)
LEFT = (
    "How much of the gift was left after the desk?",
    Key(
        kind="number",
        answer="1260 francs",
        accept=("1260", "1,260"),
        rivals=("1700 francs", "440 francs"),
        unit="franc",
    ),
)
ALL = (
    "What did all the stools cost?",
    Key(kind="number", answer="96 euros", accept=("96", "ninety-six"), rivals=("12 euros",), unit="euro"),
)
GIFT = (
    "How large was the gift?",
    Key(kind="number", answer="1700 francs", accept=("1700", "1,700"), rivals=("440 francs",), unit="franc"),
)
TALLER = (
    "By how many inches was Ada taller?",
    Key(kind="number", answer="four inches", accept=("four", "4"), unit="inch"),
)
ARRIVED = (
    "At what time did Paul arrive?",
    Key(kind="time", answer="a quarter past six", accept=("6:15", "18:15", "6:15 pm"), rivals=("3:15",)),
)
TRAIN = ("When did the train leave?", Key(kind="time", answer="09:45", accept=("a quarter to ten", "9:45 am")))
SAILED = (
    "On what date did she sail?",
    Key(kind="date", answer="21st of June", accept=("21 June", "June 21"), rivals=("9 June",)),
)
DAY = ("On what day of the week did she sail?", Key(kind="text", answer="Friday", rivals=("Sunday",)))
OWNERS = (
    "Who were the three owners of the desk, from the first to the last?",
    Key(
        kind="list", answer="Ruth Osgood, Ada Prane, Ida Tarrow", accept=("Osgood, Prane, Tarrow",), rivals=("Velling",)
    ),
)
CLOCK = ("What did he get in exchange?", Key(kind="text", answer="brass kettle", accept=("kettle",)))
TRADE = ("What was her calling?", Key(kind="text", answer="basket seller"))
OLDER = ("Was Ada Prane older than Nora Velling?", Key(kind="yesno", answer="Yes"))
THERE = ("Had Paul arrived by five o'clock?", Key(kind="yesno", answer="No"))
SILENT = ("How many brothers had Otto Grell?", Key(kind="absent", answer="Not mentioned in the text or story."))
LI = (
    "一共走了多少里？",
    Key(kind="number", answer="二十里", accept=("二十", "20", "20里"), rivals=("8里", "12里"), unit="里"),
)
BOAT = ("船是什么时候开的？", Key(kind="time", answer="下午三点半", accept=("三点半", "15:30")))
CART = ("他坐什么车去的？", Key(kind="text", answer="红漆马车", accept=("马车",)))
SMITH = ("她以什么为业？", Key(kind="text", answer="灯笼商人"))
HEIR = ("望远镜是用谁的遗产买的？", Key(kind="text", answer="季云深", rivals=("陶若谷", "洪子墨")))
BEEN = ("到晚上八点，他是不是已经到了？", Key(kind="yesno", answer="是"))

RIGHT = [
    (CHIEF, "Ida Tarrow, because Ruth Osgood, who oversaw Nora, reported to her."),
    (CHIEF, "Ida Tarrow (Ruth Osgood, the overseer, reported to her)"),
    (CHIEF, "The overseer was Ruth Osgood, who reported to Ida Tarrow."),
    (CHIEF, "Nora's overseer Ruth Osgood reported to Ida Tarrow"),
    (CHIEF, "Nora reported to Ruth Osgood, so the answer is Ida Tarrow."),
    (CHIEF, "To Ida Tarrow, Ruth Osgood's chief"),
    (CHIEF, "Ida"),
    (CHIEF, "Since Ruth Osgood was the overseer, it was Tarrow."),
    (GIVER, "Ruth Osgood's; she had given it to Nora Velling."),
    (GIVER, "The gift that Ruth Osgood made to Ada Prane"),
    (GIVER, "It was Osgood's gift to Prane."),
    (GIVER, "Ruth Osgood gave Ada Prane the money."),
    (MIDDLE, "Ada Prane was older and Nora Velling younger, so Ida Tarrow."),
    (MIDDLE, "Ida Tarrow (Prane > Tarrow > Velling)"),
    (LEFT, "1 260 francs"),
    (LEFT, "FF 1260"),
    (LEFT, "one thousand, two hundred and sixty"),
    (LEFT, "1,700 - 440 = 1,260 francs"),
    (LEFT, "1,260 = 1,700 - 440"),
    (LEFT, "Of the 1,700 francs she spent 440, leaving 1,260."),
    (LEFT, "1,260 francs, as the desk took 440 of the 1,700."),
    (LEFT, "1,260 francs. The gift was 1,700 francs and the desk cost 440 francs."),
    (LEFT, "She had 1,700 francs and paid 440 francs; 1,260 francs remained."),
    (ALL, "96 euros (8 stools at 12 euros each)"),
    (ALL, "8 × 12 = €96"),
    (ALL, "Eight stools at 12 euros come to a total of 96 euros."),
    (ALL, "EUR 96"),
    (GIFT, "1.700 francs"),
    (GIFT, "Fr. 1,700"),
    (GIFT, "1'700 francs"),
    (GIFT, "seventeen hundred francs"),
    (TALLER, "Ada was 4 inches taller (70 against 66)."),
    (ARRIVED, "He left at 3:15 and the ride took three hours, so at 6:15 pm."),
    (ARRIVED, "18h15"),
    (ARRIVED, "Six fifteen in the evening"),
    (ARRIVED, "6:15 p.m. (3:15 + 3 hours)"),
    (ARRIVED, "At a quarter past six, three hours after leaving at 3:15"),
    (TRAIN, "9.45 am"),
    (TRAIN, "a quarter to ten in the morning"),
    (SAILED, "June the twenty-first"),
    (SAILED, "9 June + 12 days = 21 June"),
    (SAILED, "On 21 June, twelve days after 9 June."),
    (SAILED, "Friday, 21 June"),
    (SAILED, "21/6"),
    (DAY, "Fri."),
    (DAY, "A Friday, because the wedding on the 9th was a Sunday."),
    (OWNERS, "Osgood, then Prane, then Tarrow"),
    (OWNERS, "First Ruth Osgood, second Ada Prane, third Ida Tarrow."),
    (OWNERS, "1. Ruth Osgood 2. Ada Prane 3. Ida Tarrow"),
    (OWNERS, "Ruth Osgood → Ada Prane → Ida Tarrow"),
    (OWNERS, "Ruth Osgood, who gave it to Ada Prane, who passed it to Ida Tarrow"),
    (CLOCK, "a kettle"),
    (CLOCK, "He got an old brass kettle."),
    (TRADE, "She sold baskets"),
    (TRADE, "A seller of baskets by trade"),
    (TRADE, "selling baskets for a living"),
    (OLDER, "Ada Prane was older than Nora Velling."),
    (OLDER, "Nora Velling was younger than Ada Prane."),
    (OLDER, "Yes: Ada was 40 and Nora 33."),
    (OLDER, "She was, by seven years."),
    (THERE, "He had not arrived by then."),
    (THERE, "No, he arrived only at 6:15."),
    (SILENT, "Otto Grell's brothers are not mentioned; the story only says that he was a cooper."),
    (SILENT, "There is nobody called Otto Grell in the story."),
    (SILENT, "We are never told how many brothers he had."),
    (SILENT, "The text gives no information on that."),
    (SILENT, "No brothers are mentioned for Otto Grell."),
    (SILENT, "It isn't stated."),
    (SILENT, "The passage is silent on this."),
    (LI, "8+12=20里"),
    (LI, "二十里（先走8里，再走12里）"),
    (LI, "先走八里，又走十二里，所以一共二十里"),
    (BOAT, "15点30分"),
    (BOAT, "下午3:30"),
    (CART, "一辆马车"),
    (SMITH, "卖灯笼的"),
    (HEIR, "季云深（他把遗产留给了陶若谷）"),
    (HEIR, "是季云深留给陶若谷的遗产"),
    (BEEN, "已经到了"),
    (BEEN, "到了"),
]

WRONG = [
    (CHIEF, "Ruth Osgood"),
    (CHIEF, "Ruth Osgood, who reported to Ida Tarrow"),
    (CHIEF, "Ida Tarrow and Ruth Osgood"),
    (CHIEF, "Ida Tarrow or perhaps Ada Prane"),
    (CHIEF, "Ida Prane"),
    (GIVER, "Ada Prane's"),
    (MIDDLE, "Ada Prane, who was older than Ida Tarrow"),
    (LEFT, "1,700 francs"),
    (LEFT, "1,260 pounds"),
    (LEFT, "1,700 - 440 = 1,160 francs"),
    (LEFT, "between 1,200 and 1,260 francs"),
    (ALL, "12 euros"),
    (ALL, "$96"),
    (GIFT, "1,700 francs less 440, so 1,260 francs"),
    (TALLER, "four or five inches"),
    (TALLER, "4 feet"),
    (ARRIVED, "6:15 am"),
    (ARRIVED, "06:15"),
    (ARRIVED, "3:15 pm"),
    (ARRIVED, "He left at 3:15 and the ride took two hours, so at 5:15."),
    (TRAIN, "21:45"),
    (TRAIN, "9:45 PM"),
    (SAILED, "9 June"),
    (SAILED, "21 July"),
    (DAY, "Sat"),
    (DAY, "Friday or Saturday"),
    (OWNERS, "Ida Tarrow, Ada Prane, Ruth Osgood"),
    (OWNERS, "Ruth Osgood and Ada Prane"),
    (OWNERS, "Osgood, Prane, Velling"),
    (CLOCK, "a copper kettle"),
    (CLOCK, "a silver kettle"),
    (TRADE, "basketball player"),
    (TRADE, "She sold brushes"),
    (OLDER, "Nora Velling was older than Ada Prane."),
    (OLDER, "Ada Prane was younger than Nora Velling."),
    (THERE, "He had arrived by then."),
    (SILENT, "He had no brothers."),
    (SILENT, "Two"),
    (SILENT, "Not stated, but presumably two."),
    (LI, "十二里"),
    (LI, "20公里"),
    (BOAT, "上午三点半"),
    (CART, "黑马车"),
    (HEIR, "陶若谷"),
    (HEIR, "季云深和陶若谷"),
    (BEEN, "还没有到"),
]


@pytest.mark.parametrize(("asked", "answer"), RIGHT)
def test_right(asked: tuple[str, Key], answer: str) -> None:
    verdict = grade_answer(answer, asked[1], asked[0])
    assert verdict.value == 1, verdict.reason


@pytest.mark.parametrize(("asked", "answer"), WRONG)
def test_wrong(asked: tuple[str, Key], answer: str) -> None:
    verdict = grade_answer(answer, asked[1], asked[0])
    assert verdict.value == 0, verdict.reason


def test_evidence_is_never_a_certain_no() -> None:
    """Also without the question's text."""
    for (_, key), answer in RIGHT:
        verdict = grade_answer(answer, key)
        assert verdict.value == 1 or not verdict.certain, (answer, verdict.reason)


# Where the key is sure of itself, and where it leaves the last word to a judge.

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
