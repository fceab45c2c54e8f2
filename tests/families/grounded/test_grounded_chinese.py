"""Chinese questions of the builder without a model: figures, persons, and what no sentence is."""

from __future__ import annotations

from longreach.families.grounded.extractive.reading import Reading


def _asked(text: str) -> dict[str, str]:
    reading = Reading([text], "zh")
    facts = [fact for sentence in reading.sentences for fact in reading.reader.facts(sentence)]
    return {fact.stem: fact.answer.text for fact in facts}


def _options(text: str, kind: str) -> list[str]:
    return [term.text for terms in Reading([text], "zh").terms.values() for term in terms if term.kind == kind]


def test_parts_of_ranges_are_not_counts() -> None:
    assert not _options("工人只需要准备 3 到 8 张船票。工人准备 300–500 张船票。", "count")[1:]


def test_small_counts_are_not_asked_for() -> None:
    assert _asked("码头尽头的绞盘可以拉起 40 条木船。")
    assert not _asked("码头尽头的绞盘可以拉起 4 条木船。")


def test_sentences_of_an_entry_are_told_apart() -> None:
    text = "- 北边的水闸有两道铁门。底门最重。\n- 南边的水闸很旧。港务局不再使用。"
    assert [sentence.text for sentence in Reading([text], "zh").sentences if sentence.whole] == [
        "北边的水闸有两道铁门。",
        "底门最重。",
        "南边的水闸很旧。",
        "港务局不再使用。",
    ]


def test_a_line_without_an_end_is_not_read() -> None:
    text = "港务局在北边的水闸换了 40 道铁门和 30 个绞盘，"
    assert Reading([f"{text}快。"], "zh").terms[0]
    assert not Reading([f"{text * 15}{'水' * 2000}快。"], "zh").terms[0]


def test_persons_have_surnames_and_no_verbs() -> None:
    lines = ["“潮水要来了，大家快上岸。”", "“铁门已经关好，不必担心。”", "“绞盘坏了，谁去修一下？”"]
    text = "".join(f"贾政忙道：{line}菩萨道：{line}贾政走到门边。贾政对众人笑了笑。贾政想了想。" for line in lines)
    assert set(_options(f"{text}他走了。", "person")) == {"贾政"}
