"""Questions by code: which sentences stand alone, how they are asked about, and what makes a fitting set of options."""

from __future__ import annotations

from collections import Counter

import pytest

from longreach.core.bench import Bench
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.grounded.extractive import FactWriter, Stretch, written_language
from longreach.families.grounded.extractive.english.grammar import find_clause, leans
from longreach.families.grounded.extractive.english.words import tokenize
from longreach.families.grounded.extractive.options import alike, gives_away
from longreach.families.grounded.extractive.reading import Reading
from longreach.families.grounded.passages import LongDocument, Passage
from longreach.families.grounded.questions import Candidate, options_of

YEARS = (1855, 1857, 1859, 1861, 1866, 1869, 1872, 1874)
TOWNS = ("Oster", "Belmar", "Kingsholt", "Varn", "Lunde", "Tarrow", "Mirefield", "Quill")
OWNERS = ("Halden", "Brask", "Corvin", "Delacroix", "Esterby", "Fennick", "Garrow", "Holt")
WORKS = ("ropeworks", "foundry", "brewery", "tannery", "glassworks", "sawmill", "bakery", "shipyard")
WHERE = (
    "beside the northern canal",
    "under the castle rock",
    "behind an abandoned chapel",
    "on marshy ground",
    "opposite the customs office",
    "above a deep quarry",
    "between two orchards",
    "along the frozen estuary",
)


def _town(number: int) -> str:
    owner, works, town = OWNERS[number], WORKS[number], TOWNS[number]
    return (
        f"Mr. {owner} founded the {works} of {town} {WHERE[number]} in {YEARS[number]}. He never earned a penny. "
        f"Nobody in {town} asked Mr. {owner} why."
    )


def _document(texts: list[str]) -> LongDocument:
    passages = tuple(Passage(start=place, end=place + 1) for place in range(len(texts)))
    return LongDocument("d", 1, passages, tuple(range(len(texts) + 1)), tuple(texts))


def _asked(texts: list[str], seed: int = 1) -> list[Candidate]:
    """Every question that can be written on any passage."""
    document = _document(texts)
    writer = FactWriter(6, seed)
    everything = tuple(range(len(texts)))
    found: list[Candidate] = []
    for passage in everything:
        asked: set[str] = set()
        while candidate := writer.write(document, passage, asked, Stretch(everything, everything)):
            asked.add(candidate.question)
            found.append(candidate)
            if len(asked) > 20:
                break
    return found


def test_facts_become_questions() -> None:
    found = {candidate.question: candidate for candidate in _asked([_town(number) for number in range(8)])}
    year = found["In what year did Mr. Corvin found the brewery of Kingsholt behind an abandoned chapel?"]
    assert year.right == "1859"
    assert set(year.options) <= {str(one) for one in YEARS}
    who = found["Who founded the foundry of Belmar under the castle rock in 1857?"]
    assert who.right == "Mr. Brask"
    assert set(who.options) <= {f"Mr. {one}" for one in OWNERS}


def test_two_passages_are_compared_by_code() -> None:
    found = [one for one in _asked([_town(number) for number in range(8)]) if one.kind in {"comparison", "order"}]
    assert {one.kind for one in found} == {"comparison", "order"}
    years = dict(zip(WORKS, YEARS, strict=True))
    for one in found:
        if one.kind == "comparison":
            both = [years[works] for works in WORKS if f"the {works} of" in one.question]
            assert len(both) == 2
            assert int(one.right) == (max(both) if "later" in one.question else min(both))
            assert len(one.also) == 1
            assert one.also[0][1] != one.evidence
        else:
            dated = {option: next(years[w] for w in WORKS if w in option) for option in one.options}
            best = min if one.question.endswith("first?") else max
            assert dated[one.right] == best(dated.values())
            assert len(one.also) == 5


def test_options_are_of_one_form_and_none_is_part_of_another() -> None:
    for candidate in _asked([_town(number) for number in range(8)]):
        assert len(set(candidate.options)) == 6
        for one in candidate.options:
            if candidate.kind not in {"order", "action"}:
                assert sum(alike(one, other) for other in candidate.options) == 1, candidate
        assert len({option.isdigit() for option in candidate.options}) == 1
        assert candidate.right.casefold() not in candidate.question.casefold() or candidate.kind == "comparison"


def test_the_right_figure_takes_every_rank() -> None:
    """A guesser that picks the middle figure gains nothing."""
    ranks: Counter[int] = Counter()
    for seed in range(12):
        for one in _asked([_town(number) for number in range(8)], seed=seed):
            if one.kind == "year":
                ranks[sorted(one.options).index(one.right)] += 1
    assert set(ranks) == set(range(6))
    assert max(ranks.values()) < 0.4 * ranks.total()


def test_fewer_than_six_fitting_options_are_not_asked() -> None:
    document = _document([_town(number) for number in range(4)])
    writer = FactWriter(6, 1)
    assert writer.write(document, 0, (), Stretch((0, 1, 2, 3), (0, 1, 2, 3))) is None
    assert writer.dropped["too few options"] > 0


def test_options_come_from_the_stretch_alone() -> None:
    document = _document([_town(number) for number in range(8)])
    stretch = Stretch((0, 1, 2, 3, 4, 5), tuple(range(8)))
    writer = FactWriter(6, 1)
    text = " ".join(document.texts[:6])
    asked: set[str] = set()
    while candidate := writer.write(document, 2, asked, stretch):
        asked.add(candidate.question)
        assert all(option in text for option in candidate.options)
    assert asked


def test_what_is_stated_twice_is_not_asked() -> None:
    texts = [_town(number) for number in range(8)]
    texts[5] += " Mr. Halden founded the ropeworks of Oster beside the northern canal in 1858."
    assert not any(
        "ropeworks" in one.question and one.right in {"1812", "1858"} for one in _asked(texts) if one.kind == "year"
    )


@pytest.mark.parametrize(
    "sentence",
    [
        "It was founded in 1812 by a man from the northern valley.",
        "The latter was sold to a company in the northern valley.",
        "These walls were built by the monks of the northern valley.",
        "He sold the old mill to a company in the northern valley.",
        "For example, the mill was sold to a company in the valley.",
        "Chapter 4 The Mill and the Long Road Home Again.",
        "The following options are read by the server at every start.",
        "Our mills were sold to a company in the northern valley.",
        'The miller said, "The mill was sold to a company in the valley."',
        "Founded in the valley",
        "The diagram shows how the pages are written to the disk.",
    ],
)
def test_sentences_that_lean_are_not_asked_about(sentence: str) -> None:
    assert leans(sentence, tokenize(sentence))


@pytest.mark.parametrize(
    "sentence",
    [
        "The committee of Oster sold the old mill to a company from Belmar.",
        "Mr. Halden gave his daughter the old mill beside the northern canal.",
        "The --quiet option suppresses all messages except errors of the server.",
        "If the file does not exist, the server creates an empty one at start.",
    ],
)
def test_sentences_that_stand_alone(sentence: str) -> None:
    assert not leans(sentence, tokenize(sentence))


@pytest.mark.parametrize(
    ("sentence", "inverted"),
    [
        ("Mr. Brask sold the mill in 1812.", "did Mr. Brask sell the mill in 1812"),
        ("The xOpen method returns a pointer to a file.", "does the xOpen method return a pointer to a file"),
        ("A signal handler was installed by the server.", "was a signal handler installed by the server"),
        ("Large packages need a second signature at upload.", "do large packages need a second signature at upload"),
        ("The board has forty members in Oster.", "does the board have forty members in Oster"),
        ("The board has elected forty members in Oster.", "has the board elected forty members in Oster"),
        ("Writers must not hold the lock for long.", "must writers not hold the lock for long"),
    ],
)
def test_statements_are_inverted(sentence: str, inverted: str) -> None:
    clause = find_clause(sentence)
    assert clause is not None
    assert clause.inverted() == inverted


@pytest.mark.parametrize(
    "sentence",
    [
        "The file used by the server is rotated every night.",
        "The apron that Vincent wore was burned in a hundred places.",
        "Depending on the local changes, an update is required.",
        "Once the disk is full, the server stops writing.",
    ],
)
def test_where_the_verb_is_not_certain_nothing_is_asked(sentence: str) -> None:
    clause = find_clause(sentence)
    assert clause is None or clause.tokens[clause.verb].text not in {"used", "wore"}
    assert clause is None or not clause.subject_text.casefold().startswith(("depending", "once"))


@pytest.mark.parametrize(
    ("stem", "option"),
    [
        ("Which of these stands for the Network File System in the text of the manual?", "NFS"),
        ("Which error is raised where a file is not found?", "FileNotFoundError"),
        ("Which country do the Japanese sailors come from?", "Japan"),
        ("Which directories does the server read?", "directory"),
    ],
)
def test_stems_that_give_the_answer_away(stem: str, option: str) -> None:
    assert gives_away(stem, option)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Mr. Knightley", "Mr. John Knightley"),
        ("Debian", "Debian Project"),
        ("FSF", "Free Software Foundation"),
        ("server", "servers"),
        ("顾凤仙", "凤仙"),
    ],
)
def test_aliases_inflections_and_parts_are_alike(one: str, other: str) -> None:
    assert alike(one, other)
    assert not alike("Belmar", "Kingsholt")


def test_impossible_dates_and_pointers_are_no_options() -> None:
    texts = ["The board met on February 30, 1845 and again on March 3, 1846 near Oster. See section 45 of RFC 2822."]
    terms = [term.text for terms in Reading(texts, "en").terms.values() for term in terms]
    assert "March 3, 1846" in terms
    assert not {"February 30, 1845", "45", "2822"} & set(terms)


def test_chinese_facts() -> None:
    names = ("俞哲生", "颜济川", "翟润芝", "顾瑶琴", "殷兆麟", "倪楚材", "温继周")
    deeds = ("码头上卖出", "庙会里赊来", "祠堂后烧毁", "渡口边丢失", "当铺内赎回", "戏台下埋藏", "衙门前散发")
    things = ("酒曲", "木炭", "生丝", "桐油", "茶砖", "瓷碗", "草席")
    texts = []
    for place, (name, deed, thing) in enumerate(zip(names, deeds, things, strict=True)):
        again = "".join(f"人都说{name}{verb}。{name}{verb}。" for verb in ("不识字", "是好人", "在家里"))
        texts.append(f"{name}在{deed}了{3 + place}担{thing}，{things[place - 1]}一两也没有。{again}")
    found = {one.question: one for one in _asked(texts)}
    assert found["谁在码头上卖出了3担酒曲，草席一两也没有？"].right == "俞哲生"
    assert found["颜济川在庙会里赊来了多少担木炭，酒曲一两也没有？"].right == "4"


def test_the_same_seed_asks_the_same() -> None:
    texts = [_town(number) for number in range(8)]
    assert _asked(texts) == _asked(texts)
    assert _asked(texts) != _asked(texts, seed=2)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Der Vertrag wird von beiden Seiten unterschrieben und ist nicht übertragbar. " * 20, "de"),
        ("Le contrat est signé par les deux parties et ne peut pas être cédé dans ce cas. " * 20, "French"),
        ("Договор подписывается обеими сторонами. " * 20, "Russian or another language in Cyrillic"),
        ("この契約は両当事者によって署名され、譲渡することはできません。" * 20, "Japanese"),
        ("本合同由双方签署，不得转让给第三方。" * 20, "zh"),
        ("创建服务并查看状态。\n```\nkubectl get services --all-namespaces --output wide\n```\n" * 20, "zh"),
        ("The contract is signed by both parties and cannot be assigned. " * 20, "en"),
        ("", "en"),
    ],
)
def test_languages_are_told_apart(text: str, language: str) -> None:
    assert written_language(text) == language


def test_another_language_is_refused_in_one_line(tmp_path: object) -> None:
    from pathlib import Path

    from longreach.errors import BadInput

    assert isinstance(tmp_path, Path)
    french = "Le contrat est signé par les deux parties et ne peut pas être cédé dans ce cas.\n\n" * 400
    (tmp_path / "contrat.txt").write_text(french, encoding="utf-8")
    spec = make_spec("grounded", {"docs": [str(tmp_path / "contrat.txt")], "lengths": "1k"})
    with pytest.raises(BadInput, match=r"all 1 documents .*1 in French.*name a --builder model"):
        build_bench(spec, tmp_path / "b", BuildContext(warn=pytest.fail))


def test_text_with_nothing_to_ask_gives_nothing() -> None:
    assert _asked(["lorem ipsum dolor " * 50]) == []


def test_the_build_counts_what_each_filter_dropped(extractive: Bench) -> None:
    assert extractive.build["filters"]["closed_book"] == "not checked"
    dropped = extractive.build["dropped"]
    assert dropped["fragment"] > 0
    assert dropped["leans on what comes before it"] > 0
    assert sum(extractive.build["kinds"].values()) >= extractive.build["funnel"]["passed"]
    asked = Counter(len(options_of(q.text)) for q in extractive.questions.values())
    assert set(asked) == {6}
