"""Chinese questions of the builder without a model: in which case something happens, what to do in it, and options."""

from __future__ import annotations

from collections import Counter

import pytest

from longreach.families.grounded.extractive.reading import Reading


def _asked(text: str) -> dict[str, str]:
    reading = Reading([text], "zh")
    facts = [fact for sentence in reading.sentences for fact in reading.reader.facts(sentence)]
    return {fact.stem: fact.answer.text for fact in facts}


def _options(text: str, kind: str) -> list[str]:
    return [term.text for terms in Reading([text], "zh").terms.values() for term in terms if term.kind == kind]


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            "如果北边水闸的铁门没有关好，外港的海水会淹没整个码头。",
            "在什么情况下，外港的海水会淹没整个码头？",
            "北边水闸的铁门没有关好",
        ),
        (
            "当你需要拉起四百斤重的木船时，可以使用码头尽头的绞盘。",
            "在什么情况下可以使用码头尽头的绞盘？",
            "需要拉起四百斤重的木船",
        ),
        (
            "如果北边水闸的铁门没有关好，必须使用码头尽头的绞盘。",
            "如果北边水闸的铁门没有关好，应该怎么做？",
            "使用码头尽头的绞盘",
        ),
        (
            "如果北边水闸的铁门没有关好，可以使用码头尽头的绞盘。",
            "如果北边水闸的铁门没有关好，可以怎么做？",
            "使用码头尽头的绞盘",
        ),
        (
            "绞盘很旧；如果北边水闸的铁门没有关好，外港的海水会淹没整个码头。",
            "在什么情况下，外港的海水会淹没整个码头？",
            "北边水闸的铁门没有关好",
        ),
        (
            "如果北边水闸的铁门没有关好，请使用码头尽头的绞盘。",
            "在什么情况下应该使用码头尽头的绞盘？",
            "北边水闸的铁门没有关好",
        ),
    ],
)
def test_cases_and_what_to_do_in_them(text: str, question: str, answer: str) -> None:
    assert _asked(text)[question] == answer


@pytest.mark.parametrize(
    "text",
    [
        "如果是木船，外港的海水会淹没整个码头和两道铁门。",  # what is?
        "如果让工人自己关好北边的铁门，绞盘就会坏在码头的尽头。",
        "如果说水闸是码头的大门，绞盘就是码头结实的手臂。",  # no case
        "如果北边水闸的铁门没有关好，需要一个新的绞盘和两条铁链。",  # 'needs', not 'needs to'
        "如果北边水闸的铁门没有关好，外港的木船也可以停在码头里。",  # in other cases as well
        "只要北边水闸的铁门(底门除外)没有关好，外港的海水会淹没码头。",  # with an aside
        "如果北边水闸的铁门没有关好，否则外港的海水会淹没整个码头。",  # 'else'
        "因为北边水闸的铁门没有关好，非常可能是要换一个新的绞盘了。",  # what is?
    ],
)
def test_cases_that_are_not_asked_about(text: str) -> None:
    assert not [stem for stem in _asked(text) if not stem.startswith("在什么情况下需要")]


@pytest.mark.parametrize(
    ("text", "case"),
    [
        ("请注意：如果两条木船同时进港，绞盘就不够用", "两条木船同时进港"),
        ("码头上的钟只有当四百斤重的木船进港时才会敲响。", "四百斤重的木船进港"),
        ("船员一旦在夜里看见外港的灯光，就敲响码头上的钟。", "在夜里看见外港的灯光"),
    ],
)
def test_cases_in_any_place_are_options_without_their_marks(text: str, case: str) -> None:
    assert _options(text, "condition") == [case]


def test_the_present_is_no_case() -> None:
    assert not _options("码头上的钟在当前四百斤重的木船进港时才会敲响。", "condition")


def test_foreign_names_are_options_unless_the_whole_text_is_about_them() -> None:
    text = "Kelpie 会关闭北边水闸的两道铁门。"
    assert _options(text, "name") == ["Kelpie"]
    assert not _options(text * 25, "name")
    assert not _options("木船（Wooden boats）会停在北边水闸的两道铁门前。", "name")


def test_a_context_of_a_program_refers_to_no_other_place() -> None:
    text = "如果北边水闸的铁门没有关好，Kelpie 会在{}之前保存全部寄存器。"
    assert _asked(text.format("切换上下文"))
    assert not _asked(text.format("读取下文"))


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("码头的工人每天早晨使用 kelp 工具来检查水闸的铁门。", "码头的工人每天早晨使用哪个工具来检查水闸的铁门？"),
        ("码头的工人用一种单一的大 kelp 工具来检查水闸的铁门。", ""),  # described by what precedes it
        ("码头的工人每天早晨使用 kelp 工具和两条铁链来检查铁门。", ""),  # one of two
    ],
)
def test_a_foreign_word_is_asked_for_after_a_verb(text: str, question: str) -> None:
    asked = _asked(f"{text}工人把 kelp 工具放下。工人带着 kelp 工具回家。")
    assert [stem for stem in asked if "哪个工具" in stem] == [question][: bool(question)]


def test_names_of_one_kin_are_options_if_they_are_written_alike() -> None:
    text = "运行 kelp-log 命令。安装 tide-log 软件包。安装 tide.gz 软件包。使用 --tide 选项。使用 -td 选项。"
    terms = [term for terms in Reading([text], "zh").terms.values() for term in terms if term.kind == "code"]
    forms = {term.text: term.form for term in terms}
    assert forms["kelp-log"] == forms["tide-log"]
    assert len(set(forms.values())) == 4


def test_parts_of_ranges_are_not_counts() -> None:
    assert not _options("工人只需要准备 3 到 8 张船票。工人准备 300–500 张船票。", "count")[1:]


def test_small_counts_are_not_asked_for() -> None:
    assert _asked("码头尽头的绞盘可以拉起 40 条木船。")
    assert not _asked("码头尽头的绞盘可以拉起 4 条木船。")


@pytest.mark.parametrize(
    "reason", ["因为随着北边铁门的老化", "由于谁说铁门不会老化呢", "因为工人知道如果不小心关错了门"]
)
def test_reasons_that_are_cut(reason: str) -> None:
    assert not _options(f"港务局每天早晨派人检查水闸，{reason}。", "reason")
    assert _options("港务局每天早晨派人检查水闸，因为北边的铁门已经老化。", "reason")


def test_a_command_of_the_present_place_is_not_asked_for() -> None:
    text = "kelp 命令可以检查水闸的两道铁门{}关好每一道铁门。工人运行 kelp 命令。工人记得 kelp 命令。"
    assert [stem for stem in _asked(text.format("和绞盘，并且")) if "哪个命令" in stem]
    assert not [stem for stem in _asked(text.format("，所以这里要")) if "哪个命令" in stem]


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


def test_a_narrative_has_no_cases() -> None:
    text = "如果北边水闸的铁门没有关好，外港的海水会淹没整个码头。"
    assert _asked(text)
    assert not _asked(f"{text}他笑了，她也笑了。")


def test_a_line_without_an_end_is_not_read() -> None:
    text = "Kelpie 会关闭北边水闸的两道铁门，"
    assert Reading([f"{text}快。"], "zh").terms[0]
    assert not Reading([f"{text * 15}{'水' * 2000}快。"], "zh").terms[0]


def test_persons_have_surnames_and_no_verbs() -> None:
    lines = ["“潮水要来了，大家快上岸。”", "“铁门已经关好，不必担心。”", "“绞盘坏了，谁去修一下？”"]
    text = "".join(f"贾政忙道：{line}菩萨道：{line}贾政走到门边。贾政对众人笑了笑。贾政想了想。" for line in lines)
    assert set(_options(f"{text}他走了。", "person")) == {"贾政"}


def test_a_classical_narrative_has_no_cases() -> None:
    text = "如果北边水闸的铁门没有关好，外港的海水会淹没整个码头。"
    assert not _asked(f"{text}贾政曰善。")
