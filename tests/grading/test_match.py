"""Tables of answers that a careful person would grade the same way."""

from __future__ import annotations

import pytest

from sonde.core.question import Key
from sonde.grading import grade_answer

TOWN = Key(kind="text", answer="Corvane", rivals=("Ashby", "Port Ellis"))
PERSON = Key(kind="text", answer="Marion Hale", accept=("Marion", "Mrs Hale"), rivals=("Marion Hale's sister", "Dora"))
THING = Key(kind="text", answer="a brass compass", accept=("brass compass", "the compass"), rivals=("silver watch",))
PLACE_ZH = Key(kind="text", answer="青石镇", accept=("青石",), rivals=("白沙镇", "青石桥"))
AGE = Key(kind="number", answer="41 years", unit="year")
FRANCS = Key(kind="number", answer="206 francs", unit="franc")
GUESTS = Key(kind="number", answer="12", unit="guest")
PLAIN = Key(kind="number", answer="41")
HOURS = Key(kind="number", answer="two hours", unit="hour")
HALF_HOUR = Key(kind="number", answer="90 minutes", unit="minute")
ONE = Key(kind="number", answer="one", unit="brother")
AGE_ZH = Key(kind="number", answer="四十一岁", unit="岁")
SILVER_ZH = Key(kind="number", answer="206法郎", unit="法郎")
HORSES_ZH = Key(kind="number", answer="十二匹马", unit="马")
TIME = Key(kind="time", answer="half past four")
EVENING = Key(kind="time", answer="a quarter to six in the evening")
TIME_ZH = Key(kind="time", answer="下午四点半")
NOON = Key(kind="time", answer="noon")
DATE = Key(kind="date", answer="14 March")
FULL_DATE = Key(kind="date", answer="14 March 1823")
YEAR = Key(kind="date", answer="1823")
DATE_ZH = Key(kind="date", answer="三月十四日")
LIST = Key(kind="list", answer="bread, cheese and wine", rivals=("ham",))
NAMES = Key(kind="list", answer="Anna, Ben and Carl")
NUMBERS = Key(kind="list", answer="3, 5 and 7")
LIST_ZH = Key(kind="list", answer="面包、奶酪和酒")
YES = Key(kind="yesno", answer="Yes")
NO = Key(kind="yesno", answer="No")
YES_ZH = Key(kind="yesno", answer="是的")
NO_ZH = Key(kind="yesno", answer="没有")
ABSENT = Key(kind="absent", answer="Not mentioned in the text or story.")

RIGHT = [
    (TOWN, "Corvane"),
    (TOWN, "corvane."),
    (TOWN, "**Corvane**"),
    (TOWN, "[Corvane]"),
    (TOWN, "She lived in Corvane."),
    (TOWN, "Córvane"),
    (TOWN, "Corvane's old quarter"),
    (TOWN, "Corvane, not Ashby"),
    (TOWN, "Not Ashby but Corvane"),
    (TOWN, "Corvane rather than Port Ellis"),
    (TOWN, "It was none other than Corvane"),
    (TOWN, "Probably Corvane"),
    (TOWN, "No, she lived in Corvane."),
    (TOWN, "Corvane, or so she said"),
    (TOWN, "Corvane (the street is not mentioned)"),
    (TOWN, "She lived in Corvane, though the exact street is not stated."),
    (TOWN, "It is not stated outright, but it follows that she lived in Corvane."),
    (TOWN, "Not only did she live in Corvane, she was born there."),
    (TOWN, "She lived in Corvane, " + "where she kept the accounts of the mill for many years and more, " * 8),
    (PERSON, "Marion"),
    (PERSON, "Mrs. Hale"),
    (PERSON, "It was Marion Hale’s doing"),
    (PERSON, "Marion or Mrs Hale, as she was later called"),
    (THING, "Brass compass"),
    (THING, "He was given the brass compass"),
    (THING, "An old brass compass, not the silver watch"),
    (PLACE_ZH, "青石镇"),
    (PLACE_ZH, "她住在青石镇。"),
    (PLACE_ZH, "不是白沙镇，而是青石镇"),
    (PLACE_ZH, "不久以后她搬到了青石镇"),
    (AGE, "41"),
    (AGE, "41 years"),
    (AGE, "41 years old"),
    (AGE, "forty-one"),
    (AGE, "Forty one years of age."),
    (AGE, "He was 41 when he died."),
    (AGE, "a 41-year-old man"),
    (AGE, "41, not 43"),
    (AGE, "He turned 41 on 14 March 1823."),
    (AGE, "In 1823 he was 41."),
    (AGE, "24 + 17 = 41"),
    (AGE, "41 (24 + 17)"),
    (AGE, "She was 24 and 17 years passed, so she was 41."),
    (AGE, "The answer is 41 (see chapter 3)"),
    (AGE, "about 41 years"),
    (AGE, "492 months"),
    (AGE, "４１岁"),
    (AGE, "四十一"),
    (FRANCS, "206 francs"),
    (FRANCS, "two hundred and six francs"),
    (FRANCS, "He bought 3 horses for 206 francs"),
    (FRANCS, "206 gold francs, paid after 3 days"),
    (FRANCS, "She paid 206 francs at 4:30 pm"),
    (GUESTS, "twelve"),
    (GUESTS, "a dozen"),
    (GUESTS, "12 people"),
    (GUESTS, "12 of the 60 guests"),
    (GUESTS, "One of the servants counted 12 guests"),
    (GUESTS, "12 guests on the third day"),
    (PLAIN, "41 miles"),
    (PLAIN, "Question 7: 41"),
    (Key(kind="number", answer="1,250", unit="soldier"), "1250"),
    (Key(kind="number", answer="1250", unit="soldier"), "one thousand two hundred and fifty soldiers"),
    (Key(kind="number", answer="3.5", unit="mile"), "three and a half miles"),
    (Key(kind="number", answer="3.5", unit="mile"), "3½ mi"),
    (Key(kind="number", answer="five-and-twenty", unit="ship"), "25"),
    (Key(kind="number", answer="6"), "half a dozen"),
    (Key(kind="number", answer="2", unit="time"), "Twice"),
    (Key(kind="number", answer="third"), "the 3rd"),
    (Key(kind="number", answer="third"), "on the third floor"),
    (HOURS, "120 minutes"),
    (HOURS, "2 hrs"),
    (HALF_HOUR, "an hour and a half"),
    (HALF_HOUR, "1 hour and 30 minutes"),
    (HALF_HOUR, "one and a half hours"),
    (HALF_HOUR, "一个半小时"),
    (ONE, "one"),
    (ONE, "She had one brother."),
    (AGE_ZH, "四十一"),
    (AGE_ZH, "41岁"),
    (AGE_ZH, "他当时四十一岁。"),
    (AGE_ZH, "第三年他四十一岁"),
    (SILVER_ZH, "两百零六法郎"),
    (SILVER_ZH, "二百零六"),
    (HORSES_ZH, "十二匹"),
    (HORSES_ZH, "他一共有12匹马"),
    (Key(kind="number", answer="35000", unit="两"), "三万五千两"),
    (Key(kind="text", answer="Anna"), "Anna is older than Ben, and Ben is older than Carl, so Anna is the oldest."),
    (Key(kind="text", answer="the baker"), "It was not the miller; it was the baker."),
    (Key(kind="text", answer="the baker"), "The baker, because the miller did not know her."),
    (Key(kind="text", answer="the baker"), "He did not say, but it was the baker"),
    (Key(kind="number", answer="3", unit="sister"), "She had three sisters and two brothers"),
    (Key(kind="number", answer="3", unit="sister"), "3 sisters: Anna, Beth and Clara"),
    (Key(kind="number", answer="15", unit="minute"), "a quarter of an hour"),
    (Key(kind="number", answer="15", unit="minute"), "From 4:15 to 4:30, that is 15 minutes"),
    (Key(kind="number", answer="7", unit="day"), "a week"),
    (Key(kind="number", answer="120", unit="pound"), "£120"),
    (Key(kind="number", answer="8", unit="mile"), "8 miles (about 13 km)"),
    (Key(kind="number", answer="8", unit="mile"), "5 miles plus 3 miles, which makes 8 miles"),
    (Key(kind="number", answer="17"), "seventeen (17)"),
    (TIME, "4:30"),
    (TIME, "16:30"),
    (TIME, "4.30 pm"),
    (TIME, "At half past four in the afternoon"),
    (TIME, "half-past four"),
    (TIME, "four thirty"),
    (TIME, "thirty minutes past four"),
    (TIME, "下午四点半"),
    (TIME, "1630 hours"),
    (EVENING, "5:45"),
    (EVENING, "17:45"),
    (EVENING, "quarter to six"),
    (EVENING, "5:45 p.m."),
    (EVENING, "fifteen minutes before six"),
    (EVENING, "five forty-five"),
    (TIME_ZH, "四点三十分"),
    (TIME_ZH, "16:30"),
    (TIME_ZH, "16时30分"),
    (TIME_ZH, "half past four"),
    (NOON, "12:00"),
    (NOON, "twelve o'clock"),
    (NOON, "midday"),
    (NOON, "中午十二点"),
    (Key(kind="time", answer="sixteen hundred hours"), "four o'clock"),
    (Key(kind="time", answer="four o'clock"), "At four"),
    (Key(kind="time", answer="四点零五分"), "4:05"),
    (Key(kind="time", answer="3:55"), "差五分四点"),
    (Key(kind="time", answer="six o'clock"), "She left at six with two friends"),
    (Key(kind="time", answer="seven o'clock in the evening"), "19:00"),
    (DATE, "March 14th"),
    (DATE, "the fourteenth of March"),
    (DATE, "14/03"),
    (DATE, "On the 14th of March, 1823"),
    (DATE, "March the fourteenth"),
    (DATE, "Tuesday, 14 March"),
    (DATE, "3月14日"),
    (DATE, "14 March, not 15 March"),
    (FULL_DATE, "14 March"),
    (FULL_DATE, "1823-03-14"),
    (FULL_DATE, "March 14, 1823"),
    (FULL_DATE, "一八二三年三月十四日"),
    (YEAR, "In 1823"),
    (YEAR, "14 March 1823"),
    (DATE_ZH, "3月14号"),
    (DATE_ZH, "14 March"),
    (Key(kind="date", answer="4 March"), "03/04"),
    (Key(kind="date", answer="Tuesday"), "On Tuesday"),
    (LIST, "wine, bread, cheese"),
    (LIST, "They brought bread, cheese, and wine."),
    (LIST, "The things were: bread; cheese; wine"),
    (LIST, "- bread\n- cheese\n- wine"),
    (LIST, "bread & cheese & wine, in that order"),
    (NAMES, "Carl, Anna and Ben"),
    (NAMES, "The three were Anna, Ben and Carl"),
    (NAMES, "Anna Marsh, Ben Marsh and Carl Marsh"),
    (NUMBERS, "three, five and seven"),
    (LIST_ZH, "酒、面包、奶酪"),
    (LIST_ZH, "面包，奶酪和酒。"),
    (Key(kind="list", answer="Anna and Ben"), "Both Anna and Ben"),
    (Key(kind="list", answer="Anna and Ben"), "Anna and Ben, who were cousins"),
    (Key(kind="list", answer="Anna and Ben"), "First Ben, then Anna."),
    (Key(kind="list", answer="Anna and Ben"), "Anna and Ben (not Carl)"),
    (YES, "The answer is yes."),
    (YES, "Yes, because he did not leave until six."),
    (NO, "Not according to the story."),
    (YES, "Yes."),
    (YES, "Yes, she was."),
    (YES, "Correct"),
    (YES, "She was."),
    (YES, "Yes, there was no one at home"),
    (YES, "That is true."),
    (YES, "是的"),
    (NO, "No."),
    (NO, "No, she wasn't"),
    (NO, "She did not."),
    (NO, "She never went to Ashby."),
    (NO, "No, he was not mentioned in the will."),
    (NO, "That is not true"),
    (NO, "不是"),
    (YES_ZH, "是"),
    (YES_ZH, "对，她去了"),
    (YES_ZH, "没错"),
    (NO_ZH, "不，她没有去"),
    (NO_ZH, "没有。"),
    (NO_ZH, "她没有去"),
    (NO_ZH, "No"),
    (ABSENT, "not mentioned in the text or story"),
    (ABSENT, "The story does not say."),
    (Key(kind="absent", answer="文中没有提到。"), "未提及"),
]

WRONG = [
    (TOWN, "Ashby", "says Ashby, key is Corvane"),
    (TOWN, "Somewhere by the sea", "does not say Corvane"),
    (TOWN, "Corvane or Ashby", "also names Ashby"),
    (TOWN, "Corvane or Millhaven", "wavers between Corvane and Millhaven"),
    (TOWN, "Either Millhaven or Corvane", "wavers"),
    (TOWN, "In Corvane by the sea or in Millhaven", "wavers"),
    (TOWN, "Corvane/Millhaven", "wavers"),
    (TOWN, "Corvane and Ashby", "also names Ashby"),
    (TOWN, "Corvane and Millhaven", "wavers"),
    (TOWN, "Not Corvane", "says not Corvane"),
    (TOWN, "She did not live in Corvane.", "says not Corvane"),
    (TOWN, "Anywhere but Corvane", "says not Corvane"),
    (TOWN, "Ashby rather than Corvane", "says not Corvane"),
    (TOWN, "Corvane is not the answer", "says not Corvane"),
    (TOWN, "Corvaney", "does not say"),
    (TOWN, "Not mentioned in the text or story.", "abstained though the story says"),
    (TOWN, "The story does not say where she lived.", "abstained"),
    (TOWN, "Not mentioned, but probably Corvane", "says it is not mentioned, then guesses"),
    (TOWN, "Unknown", "abstained"),
    (TOWN, "She lived in Corvane at first. Later she moved to Port Ellis.", "also names Port Ellis"),
    (PERSON, "Marion Hale's sister", "also names Marion Hale's sister"),
    (PERSON, "Dora Hale", "says Dora"),
    (THING, "a brass barometer", "does not say"),
    (THING, "a brass compass and a silver watch", "also names silver watch"),
    (PLACE_ZH, "白沙镇", "says 白沙镇"),
    (PLACE_ZH, "不是青石镇", "says not 青石镇"),
    (PLACE_ZH, "青石桥", "also names 青石桥"),
    (PLACE_ZH, "青石镇或者白沙镇", "also names 白沙镇"),
    (PLACE_ZH, "青石镇或者柳树湾", "wavers"),
    (PLACE_ZH, "文中没有提到", "abstained"),
    (AGE, "43", "says 43, key is 41 years"),
    (AGE, "41 months", "says 41 months"),
    (AGE, "41 francs", "says 41 francs"),
    (AGE, "41 or 43", "also says 43"),
    (AGE, "40 to 41 years", "also says 40"),
    (AGE, "40-41", "also says 40"),
    (AGE, "not 41", "says 41"),
    (AGE, "more than 41 years", "says more than 41"),
    (AGE, "nearly 41", "says nearly 41"),
    (AGE, "He was 41, then 43.", "also says 43"),
    (AGE, "140", "says 140"),
    (AGE, "He was old", "no number read"),
    (AGE, "14 March", "no number read"),
    (AGE, "4.1", "says 4.1"),
    (AGE, "24 + 18 = 42", "says"),
    (FRANCS, "206 pounds", "says 206 pounds"),
    (FRANCS, "£206", "says"),
    (FRANCS, "260 francs", "says 260 francs"),
    (FRANCS, "206 francs or 206 pounds", "also says 206 pounds"),
    (FRANCS, "two hundred and sixty", "says"),
    (GUESTS, "12 guests, or maybe 13", "also says 13"),
    (GUESTS, "about a hundred", "says a hundred"),
    (HOURS, "2 minutes", "says 2 minutes"),
    (HOURS, "20 minutes", "says 20 minutes"),
    (ONE, "two", "says two"),
    (ONE, "No one", "says"),
    (AGE_ZH, "四十三岁", "says 四十三岁"),
    (AGE_ZH, "四十一或四十二岁", "also says 四十二岁"),
    (AGE_ZH, "不到四十一岁", "says"),
    (SILVER_ZH, "二百六十法郎", "says"),
    (SILVER_ZH, "206英镑", "says 206英镑"),
    (HORSES_ZH, "二十匹马", "says"),
    (Key(kind="number", answer="120", unit="pound"), "$120", "says 120"),
    (Key(kind="number", answer="8", unit="mile"), "8 kilometres", "says 8 kilometres"),
    (Key(kind="number", answer="41", unit="year"), "He was in his forty-first year", "no number read"),
    (Key(kind="number", answer="41", unit="coin", rivals=("43",)), "41 coins, 43 medals", "also says 43"),
    (TIME, "4:35", "says 4:35, key is half past four"),
    (TIME, "four", "says four"),
    (TIME, "half past five", "says half past five"),
    (TIME, "4:30 or 5:30", "also says 5:30"),
    (TIME, "in the afternoon", "no time read"),
    (TIME, "quarter past four", "says"),
    (EVENING, "5:45 am", "says 5:45 am"),
    (EVENING, "a quarter past six", "says"),
    (TIME_ZH, "上午四点半", "says 上午四点半"),
    (TIME_ZH, "下午四点", "says"),
    (NOON, "midnight", "says midnight"),
    (DATE, "15 March", "says 15 March, key is 14 March"),
    (DATE, "14 May", "says 14 May"),
    (DATE, "March", "says March"),
    (DATE, "14 or 15 March", "says"),
    (DATE, "14 March or 16 March", "also says 16 March"),
    (FULL_DATE, "14 March 1824", "says 14 March 1824"),
    (FULL_DATE, "1823", "says 1823"),
    (YEAR, "1824", "says 1824"),
    (YEAR, "March", "says March"),
    (DATE_ZH, "三月十五日", "says 三月十五日"),
    (LIST, "bread and cheese", "wine is missing"),
    (LIST, "bread, cheese, wine and ham", "also names ham"),
    (LIST, "bread, cheese, wine and olives", "also names olives"),
    (LIST, "olives, bread, cheese and wine", "also names olives"),
    (LIST, "bread, cheese or wine", "wavers between items"),
    (LIST, "bread, wine but not cheese", "cheese is missing"),
    (NAMES, "Anna, Ben, Carl and Dora", "also names Dora"),
    (NAMES, "Anna, Dora, Ben and Carl", "also names Dora"),
    (NAMES, "Anna and Ben", "Carl is missing"),
    (NUMBERS, "3, 5 and 8", "7 is missing"),
    (LIST_ZH, "面包和奶酪", "酒 is missing"),
    (LIST_ZH, "面包、奶酪、酒和火腿", "also names 火腿"),
    (YES, "No", "says no, key is Yes"),
    (YES, "Yes and no", "says neither"),
    (YES, "Yes. Actually, no.", "says neither"),
    (YES, "Not mentioned in the text.", "abstained"),
    (YES, "Perhaps", "says neither"),
    (YES, "She was not.", "says no"),
    (NO, "Yes, she did", "says yes"),
    (NO, "No, she was.", "says neither"),
    (YES_ZH, "不是", "says no"),
    (NO_ZH, "是的，她去了", "says yes"),
    (NO_ZH, "文中没有说明", "abstained"),
    (ABSENT, "Paris", "made up an answer"),
    (ABSENT, "No", "made up an answer"),
    (ABSENT, "Not mentioned, but probably Paris", "says it is not mentioned, then offers"),
    (ABSENT, "He did not go to the mill.", "made up an answer"),
]


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
    assert len(verdict.answer) == 500


def test_characters_no_file_can_hold_do_not_break_grading() -> None:
    assert grade_answer("Corvane \ud83d", TOWN).value == 1


def test_a_number_key_without_a_number_is_compared_as_words() -> None:
    key = Key(kind="number", answer="several", rivals=("none",))
    assert grade_answer("There were several.", key).value == 1
    assert grade_answer("There were none.", key).value == 0
