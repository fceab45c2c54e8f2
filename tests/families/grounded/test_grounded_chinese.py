"""Chinese questions of the builder without a model: which thing a statement is about, which label has a description."""

from __future__ import annotations

from collections import Counter

import pytest

from longreach.families.grounded.extractive.reading import Reading


def _asked(text: str) -> dict[str, str]:
    reading = Reading([text], "zh")
    facts = [fact for sentence in reading.sentences for fact in reading.reader.facts(sentence)]
    return {fact.stem: fact.answer.text for fact in facts if fact.answer.kind == "name"}


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        ("Kelpie 负责记录码头上所有船只的吃水深度。", "以下哪一项负责记录码头上所有船只的吃水深度？", "Kelpie"),
        ("Kelpie 工具（旧称 Brine）用来检查北边水闸的两道铁门。", "以下哪一项用来检查北边水闸的两道铁门？", "Kelpie"),
        (
            "在退潮的几个小时里，Kelpie 会关闭北边水闸的两道铁门。",
            "在退潮的几个小时里，以下哪一项会关闭北边水闸的两道铁门？",
            "Kelpie",
        ),
        ("港务局使用 Kelpie 来计算每条船的吃水深度。", "港务局使用以下哪一项来计算每条船的吃水深度？", "Kelpie"),
        ("水闸最低的一道铁门叫做“底门”。\n\n**底门**", "水闸最低的一道铁门叫做以下哪一项？", "底门"),
        ("潮汐表（tide table）可以预报未来三天的最高水位。", "以下哪一项可以预报未来三天的最高水位？", "潮汐表"),
        ("有一种*潮汐表*很旧。*潮汐表*可以预报三天后的最高水位。", "以下哪一项可以预报三天后的最高水位？", "潮汐表"),
        ("## 潮汐表\n\n潮汐表可以预报未来三天的最高水位。", "以下哪一项可以预报未来三天的最高水位？", "潮汐表"),
    ],
)
def test_the_thing_that_a_statement_is_about(text: str, question: str, answer: str) -> None:
    assert _asked(text)[question] == answer


@pytest.mark.parametrize(
    "text",
    [
        "Kelpie 也负责记录码头上所有船只的吃水深度。",  # adds to a sentence before it
        "Kelpie 不支持记录码头上所有船只的吃水深度。",  # true of many things
        "Kelpie 使用的水闸数据是由港务局每天提供的。",  # the subject is the data
        "Kelpie 管理工具的说明放在码头办公室的柜子里。",  # 'management tool', not 'manages'
        "## 潮汐表\n\n潮汐表可以预报未来三天潮汐的最高水位。",  # a word of the answer is in the question
        "Kelpie 是每个码头的工人都认识的一条木船。",  # true of each
        "Kelpie 可以进一步划分为大小不同的三个部分。",  # says nothing
        "Kelpie 会像第十六章里的老船一样关闭两道铁门。",  # refers to another place
        "F12 会关闭北边水闸的两道铁门和底下的水泵。",  # a key
    ],
)
def test_statements_that_are_not_asked_about(text: str) -> None:
    assert not _asked(text)


def test_what_a_whole_text_is_about_is_no_option() -> None:
    text = "Kelpie 会关闭北边水闸的两道铁门。" * 25
    reading = Reading([text], "zh")
    assert not [term for terms in reading.terms.values() for term in terms if term.text == "Kelpie"]


def test_labels_of_a_list_are_asked_for_by_their_descriptions() -> None:
    text = "- 底门：挡住退潮时从外港倒灌的海水\n- 绞盘：用铁链拉起四百斤重的木船\n\n结语：港务局每天早晨派人打扫码头"
    asked = {fact.stem: fact.answer.text for fact in Reading([text], "zh").facts(0, Counter())}
    assert asked == {
        "“挡住退潮时从外港倒灌的海水”描述的是以下哪一项？": "底门",
        "“用铁链拉起四百斤重的木船”描述的是以下哪一项？": "绞盘",
    }


def test_a_context_of_a_program_refers_to_no_other_place() -> None:
    assert _asked("Kelpie 会在切换上下文之前保存全部寄存器。")
    assert not Reading(["Kelpie 会保存下文列举的全部寄存器。"], "zh").facts(0, Counter())


def test_the_first_half_of_a_sentence_is_asked_about() -> None:
    text = "Kelpie 会关闭北边水闸的两道铁门；它由两名工人看守。"
    assert [fact.stem for fact in Reading([text], "zh").facts(0, Counter())] == ["以下哪一项会关闭北边水闸的两道铁门？"]


def test_a_book_is_asked_for_without_its_noun() -> None:
    text = "在《潮汐》一书中首先提到了北边水闸的两道铁门。"
    stems = [fact.stem for fact in Reading([text], "zh").facts(0, Counter())]
    assert stems == ["在哪部作品中首先提到了北边水闸的两道铁门？"]


def test_a_noun_beside_a_foreign_word_is_its_kind_only_at_the_end_of_a_phrase() -> None:
    text = "Kelpie 指令中只有两个参数可以由码头的工人修改。Kelpie 指令的参数很少。Kelpie 指令由港务局发布。"
    assert not [fact for fact in Reading([text], "zh").facts(0, Counter()) if fact.stem.startswith("哪个指令中")]


def test_sentences_of_an_entry_are_told_apart() -> None:
    text = "- 北边的水闸有两道铁门。底门最重。\n- 南边的水闸很旧。港务局不再使用。"
    assert [sentence.text for sentence in Reading([text], "zh").sentences if sentence.whole] == [
        "北边的水闸有两道铁门。",
        "底门最重。",
        "南边的水闸很旧。",
        "港务局不再使用。",
    ]


def test_a_narrative_has_no_things() -> None:
    text = "## 潮汐表\n\n潮汐表可以预报未来三天的最高水位。"
    assert _asked(text)
    assert not _asked(f"{text}他笑了，她也笑了。")


def test_a_line_without_an_end_is_not_read() -> None:
    text = "Kelpie 会关闭北边水闸的两道铁门，"
    assert Reading([f"{text}快。"], "zh").terms[0]
    assert not Reading([f"{text * 200}快。"], "zh").terms[0]
