from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.text.sentences import LONGEST, read_prose, sentence_ends, width, words_of


def split(text: str, language: str = "en") -> list[str]:
    starts = [0, *sentence_ends(text, language)]
    return [text[a:b].strip() for a, b in pairwise(starts)]


ENGLISH = {
    "title": ["Mr. Smith met Dr. Jones.", "They talked."],
    "for example": ["Take fruit, e.g. apples or pears.", "Then stop."],
    "initials": ["J. R. R. Tolkien wrote it.", "It sold well."],
    "decimals": ["It cost 3.50 dollars.", "He paid 4.2 in all."],
    "quoted exclamation": ['"Go away!" she said.', "He went."],
    "closing quote": ["He said, “I am done.”", "Then he left."],
    "ellipsis": ["Wait... what?", "He paused...", "Then he spoke."],
    "bracketed sentence": ["He left early.", "(It was late.)", "They slept."],
    "number sign": ["See No. 5 for details.", "It is short."],
    "time of day": ["We met at 5 a.m. on Monday.", "It was cold."],
    "country": ["He lives in the U.S. and works there.", "She does too."],
    "list numbers": ["1. First comes this.", "2. Second comes that."],
    "question and exclamation": ["What?!", "No way.", "Yes!"],
}

CHINESE = {
    "full stop in quotes": ["他说：“你好！我来了。”", "然后走了。"],
    "corner brackets": ["她問：「真的嗎？」", "他點頭。"],
    "double corner brackets": ["他說：『好。』", "然後走了。"],
    "ellipsis": ["我不知道……也许吧。", "他走了。"],
    "question and exclamation": ["真的？！", "太好了！", "（他笑了。）", "走吧。"],
}


@pytest.mark.parametrize("sentences", ENGLISH.values(), ids=ENGLISH.keys())
def test_english(sentences: list[str]) -> None:
    assert split(" ".join(sentences)) == sentences


@pytest.mark.parametrize("sentences", CHINESE.values(), ids=CHINESE.keys())
def test_chinese(sentences: list[str]) -> None:
    assert split("".join(sentences), "zh") == sentences


def test_ends_lie_before_the_white_space() -> None:
    text = "One is here.  Two is “there.”\nThree"
    assert [text[:end] for end in sentence_ends(text, "en")] == ["One is here.", "One is here.  Two is “there.”", text]


def test_a_paragraph_ends_at_a_blank_line_but_a_wrapped_line_does_not() -> None:
    assert split("A heading\n\nA line that\nis wrapped. More\n \n\nEnd\n") == [
        "A heading",
        "A line that\nis wrapped.",
        "More",
        "End",
    ]


def test_a_list_mark_alone_in_its_paragraph_still_ends_there() -> None:
    assert split("IV.\n\nThe king came.") == ["IV.", "The king came."]


def test_nothing_ends_in_nothing() -> None:
    assert sentence_ends("", "en") == []
    assert sentence_ends(" \n\n \t", "zh") == []


def test_a_wide_space_before_a_full_stop_is_survived() -> None:
    assert split("It was A\u3000. Then it ended.")[-1] == "Then it ended."


def test_blank_lines_of_a_long_text_are_all_counted() -> None:
    paragraph = "The house was old. Nobody lived there"
    count = 20_000
    ends = sentence_ends("\n\n".join([paragraph] * count), "en")
    width = len(paragraph) + 2
    assert ends == [i * width + end for i in range(count) for end in (18, len(paragraph))]


def test_a_long_chinese_paragraph_splits_like_a_short_one() -> None:
    short = "他说：“你好！我来了。”然后走了。天气很好，我们去公园。"
    ends = sentence_ends(short, "zh")
    assert sentence_ends(short * 1000, "zh") == [i * len(short) + end for i in range(1000) for end in ends]


def test_a_cut_at_a_comma_is_no_end() -> None:
    text = "他说，" * 4000 + "完了。"
    assert sentence_ends(text, "zh") == [len(text)]


@given(
    st.text(
        alphabet=st.one_of(st.sampled_from(" \n.?!\"'()[]“”。』」（）ABab1\u3000\xa0"), st.characters(codec="utf-8"))
    )
)
def test_ends_are_increasing_and_follow_a_visible_character(text: str) -> None:
    for language in ("en", "zh"):
        ends = sentence_ends(text, language)
        assert ends == sorted(set(ends))
        assert all(not text[end - 1].isspace() for end in ends)
        assert (ends[-1] if ends else 0) == len(text.rstrip())


def test_a_german_ordinal_ends_no_sentence() -> None:
    text = "Im 19. Jahrhundert wurde es anders. Am 3. Mai 2005 kam er. Er kam 1999. Dann ging er."
    assert [text[:end].count(".") for end in sentence_ends(text, "de")] == [2, 4, 5, 6]


@pytest.mark.parametrize("gap", [" " * 3, " " * 12, "\t"])
def test_a_gap_makes_a_row_a_table_and_a_long_paragraph_no_table(gap: str) -> None:
    spoken = [f"The member for harbour number {one} asked the minister about the price of bread." for one in range(12)]
    paragraph = f"{' '.join(spoken[:6])}{gap}{' '.join(spoken[6:])}"
    assert [one.text for one in read_prose(paragraph, "en", frozenset()).sentences if one.usable] == spoken
    broken = paragraph.replace("number 3 asked", f"number 3{gap}asked")
    assert len([one for one in read_prose(broken, "en", frozenset()).sentences if one.usable]) == 11
    rows = "\n".join(f"harbour {one}{gap}The minister for harbours did not answer them." for one in range(12))
    assert not [one for one in read_prose(rows, "en", frozenset()).sentences if one.usable]


@pytest.mark.parametrize(
    ("clause", "mark"),
    [("واعلم أن اختلاف الموجودات إنما هو بالصورة لا بالهيولى", "؛"), ("各港口的灯塔每晚由当值的守塔人点亮一次", "；")],
)
def test_a_sentence_too_long_to_quote_is_read_in_its_parts(clause: str, mark: str) -> None:
    space = " " if mark == "؛" else ""
    long = f"{mark}{space}".join(f"{clause}{one}" for one in "بتثجحخدذرزسش") + ("." if space else "。")
    found = read_prose(long, "en", frozenset()).sentences
    assert len(found) == 12
    assert all(one.usable and width(one.text) <= LONGEST for one in found)
    assert [one.follows for one in found] == [False] + [True] * 11
    short = f"{clause}{mark}{space}{clause}" + ("." if space else "。")
    assert [one.text for one in read_prose(short, "en", frozenset()).sentences] == [short]


@pytest.mark.parametrize(
    ("clause", "mark"), [("واعلم أن اختلاف الموجودات إنما هو بالصورة", "، "), ("各港口的灯塔每晚点亮一次", "，")]
)
def test_a_part_still_too_long_is_read_up_to_its_commas(clause: str, mark: str) -> None:
    clauses = mark.join(f"{clause}{one}" for one in "بتثجحخدذرزسش") + ("." if mark[1:] else "。")
    found = read_prose(clauses, "en", frozenset()).sentences
    assert 1 < len(found) < 12, "as few parts as can be quoted"
    assert all(one.usable and width(one.text) <= LONGEST for one in found)


def test_marks_on_letters_have_no_width_and_part_no_word() -> None:
    vowelled = "قَالَ حَدَّثَنِي عَنْ مَالِك أَنَّ عُمَرَ أَخَّرَ الصَّلَاةَ يَوْمًا فَدَخَلَ عَلَيْهِ"
    bare = "قال حدثني عن مالك أن عمر أخر الصلاة يوما فدخل عليه"
    assert width(vowelled) == width(bare)
    assert words_of(vowelled) == words_of(bare)
    assert words_of("cafe\u0301 au lait") == words_of("cafe au lait")
    assert len(words_of("हिन्दी की किताब")) == 3


def test_a_list_of_names_is_no_statement() -> None:
    names = "Clara Aster Dr. Bela KoflerJohann SolKatja Dorn Daniela KolbeAnnette Sawade Dina Drosse Birgit Tholen."
    spoken = "Herr Kollege Stiegler, die Bundesregierung hat dem Deutschen Bundestag die Antwort der Länder übersandt."
    coded = "Mit FastAPI kann die App auf OpenAPI und JSON Schema verzichten, sagt der Autor."
    arabic = "هذا الكتاب يشرح كيف تعمل FastAPI و OpenAPI في بناء الخدمات الحديثة على الشبكة."
    found = read_prose("\n\n".join((names, spoken, coded, arabic)), "de", frozenset())
    assert [one.text for one in found.sentences if one.usable] == [spoken, coded, arabic]


def test_a_sentence_begins_after_one_that_ended() -> None:
    def usable(text: str) -> list[str]:
        return [one.text for one in read_prose(text, "en", frozenset()).sentences if one.usable]

    whole = "この操作はリポジトリのみを更新し作業領域は更新しません。"
    part = "も各リポジトリの複製毎に異なる可能性があると説明されています。"
    assert usable(f"{whole}\n短い行は次の行に続くので tip\n{part}\n{whole}") == [whole, whole]
    assert usable(f'予約名 "." は、作業領域の親リビジョンを意味する特別な名前です。{whole}')[-1:] == [whole]
    assert not [
        one
        for one in usable(f'予約名 "." は、作業領域の親リビジョンを意味する特別な名前です。{whole}')
        if one[0] == "は"
    ]
    closed = "The clerk wrote it into the long book (see the end). Then the clerk closed the long book with great care."
    assert len(usable(closed)) == 2


def test_a_marked_line_that_may_be_a_command_is_a_doubt_and_no_heading() -> None:
    found = read_prose("# Installing\n\nSome text.\n\n# apt-get install it\n\nMore text.", "en", frozenset())
    assert [one.text for one in found.headings] == ["Installing"]
    assert found.doubts == [26]
