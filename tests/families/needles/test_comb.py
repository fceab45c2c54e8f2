from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.families.needles.built import Built, haystack
from tests.families.needles.facts.solver import solve
from tests.texts import chinese_documents

from longreach.core.types import Document
from longreach.errors import BadInput
from longreach.families.needles.facts import Setting
from longreach.families.needles.placement import comb_places
from longreach.families.needles.sets import FactSets
from longreach.families.needles.spec import NeedlesSpec
from longreach.text.documents import built_in_documents

TENS = [float(tenth) for tenth in range(10, 101, 10)]
SMALL: dict[str, Any] = {"layout": "comb", "facts": 2, "questions": 1, "prompts": "standard"}


def test_ten_lengths_and_ten_depths_have_42_places() -> None:
    cells = comb_places([Fraction(126_721 * share, 100) for share in range(10, 101, 10)], TENS)
    assert len(cells) == 100
    assert sorted(set(cells.values())) == list(range(42))
    # Rounded down to whole tokens, the same lengths would have more.
    rounded = comb_places([Fraction(126_721 * share // 100) for share in range(10, 101, 10)], TENS)
    assert len(set(rounded.values())) > 42
    thirds = comb_places([Fraction(1000), Fraction(3000)], [33.3, 99.9])
    assert len(set(thirds.values())) == 3


def check_comb(built: Built) -> None:
    lengths = sorted({int(item.cell["length"]) for item in built.items.values()})
    by_length = {int(item.cell["length"]): item for item in built.items.values()}
    stories = {length: built.text(item).encode() for length, item in by_length.items()}
    for shorter, longer in pairwise(lengths):
        assert stories[longer].startswith(stories[shorter]), "a shorter story is the beginning of the longer"
        assert by_length[longer].placed[: len(by_length[shorter].placed)] == by_length[shorter].placed
    for item in built.items.values():
        length, depth = int(item.cell["length"]), float(item.cell["depth"])
        assert item.context.tokens <= length
        assert item.cell["layout"] == "comb"
        (number,) = {name.partition("-")[0] for name in item.questions}
        (place,) = (place for place in item.placed if place.insert == number)
        text = stories[length]
        paragraph = built.texts[number].text.encode()
        assert text.count(paragraph) == 1
        assert text[place.start : place.start + len(paragraph)] == paragraph
        assert item.realised == {
            "length": item.context.tokens,
            "depth": round(100 * place.token / item.context.tokens, 2),
        }
        for other in item.placed:
            assert text[other.start :].startswith(built.texts[other.insert].text.encode()), "every paragraph is whole"
        assert [other.insert for other in item.placed] == [f"p{n}" for n in range(1, len(item.placed) + 1)]
        asked = {fact for name in item.questions for fact in built.questions[name].evidence}
        assert asked <= {mark.id for mark in built.texts[number].facts}
        # Near its place: within a sentence or two, or as much earlier as it takes to be whole.
        own = built.tokenizer.count(built.texts[number].text)
        assert depth * length / 100 - own - 400 < place.token < depth * length / 100 + 400
        if depth == 100:
            assert text.endswith(paragraph)
            assert length - item.context.tokens < 400


@given(
    st.integers(0, 10**6),
    st.lists(st.integers(800, 9000), min_size=1, max_size=3, unique=True),
    st.lists(st.floats(0, 100).map(lambda depth: round(depth, 1)), min_size=1, max_size=3, unique=True),
)
def test_any_comb(seed: int, lengths: list[int], depths: list[float]) -> None:
    try:
        built = Built(haystack(), seed=seed, lengths=lengths, depths=depths, **SMALL)
    except BadInput as error:
        if "lie nearer than a fact paragraph" not in str(error):
            raise
        assume(False)
    assert {(item.cell["length"], item.cell["depth"]) for item in built.items.values()} == {
        (length, depth) for length in lengths for depth in depths
    }
    built.check_counts()
    check_comb(built)


@pytest.fixture(scope="module")
def whole() -> Built:
    """The default grid, at the shortest window that has room for its 42 paragraphs of two facts."""
    return Built(
        built_in_documents()[:20], layout="comb", window=16_000, facts=2, questions=2, prompts="standard", seed=3
    )


def test_the_default_grid(whole: Built) -> None:
    assert len(whole.items) == 100
    assert len(whole.draft.planted) == 42
    assert len(whole.draft.questions) == 42 * 6
    assert len({item.context.sha256 for item in whole.items.values()}) == 10
    check_comb(whole)
    places = {(int(item.cell["length"]), item.cell["depth"]): set(item.questions) for item in whole.items.values()}
    lengths = sorted({length for length, _ in places})
    assert places[lengths[9], 20] == places[lengths[1], 100] == places[lengths[3], 50]


def test_counts_of_the_default_grid(whole: Built) -> None:
    whole.check_counts()


def test_no_name_or_answer_of_a_set_is_in_another_or_in_the_story(whole: Built) -> None:
    base = bytes(whole.corpus.text).decode()
    for number in whole.texts:
        own = [asked for name, asked in whole.questions.items() if name.startswith(f"{number}-")]
        assert len(own) == 6
        words = {asked.key.answer for asked in own if asked.key.kind == "text" and " " in asked.key.answer}
        words |= {name for asked in own for name in re.findall(r"[A-Z][a-z]+ [A-Z][a-z]+", asked.text)}
        for word in words:
            assert word not in base
            for other, text in whole.texts.items():
                assert other == number or word not in text.text


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("register", ["novel", "legal"])
def test_all_facts_together_answer_each_question_as_its_own_set_does(language: str, register: str) -> None:
    making = FactSets(NeedlesSpec.parse({"seed": 4}, "spec"), language, Setting(register), [])
    sets = [making.more(f"p{number}-") for number in range(1, 13)]
    everything = [fact.statement for facts in sets for fact in facts.facts]
    for facts in sets:
        own = [fact.statement for fact in facts.facts]
        for ask, question in zip(facts.asks, facts.questions, strict=True):
            answer = solve(everything, ask)
            assert answer == solve(own, ask)
            assert (answer is None) == (question.question_type == "abstention")


def test_sets_of_a_haystack_that_tells_them_are_others() -> None:
    spec = NeedlesSpec.parse({"facts": 2}, "spec")
    first = FactSets(spec, "en", Setting("novel"), []).more("p1-")
    mentioned = "\n".join(fact.text for fact in first.facts).encode()
    second = FactSets(spec, "en", Setting("novel"), [b"Nothing here.", mentioned]).more("p1-")
    assert not set(first.names) & set(second.names)
    assert FactSets(spec, "en", Setting("novel"), [b"Nothing here."]).more("p1-") == first


def test_a_comb_beside_distributions_has_a_set_of_its_own_for_them() -> None:
    built = Built(
        haystack(),
        lengths="3000,6000",
        depths="50,100",
        protocols="depth,distribution",
        distributions="normal",
        **SMALL,
    )
    assert len(built.items) == 5
    spread = built.items["spread-normal-standard"]
    assert spread.questions == ("L1", "I1", "F1")
    assert [place.insert for place in spread.placed] in (["f1", "f2"], ["f2", "f1"])
    assert [*built.texts] == ["f1", "f2", "p1", "p2", "p3"]
    built.check_counts()


def test_shares_and_tokens_together() -> None:
    """How many places there are depends on the room that the questions leave, these on the places."""
    settings: dict[str, Any] = {"window": 6000, "depths": "25,50,100"} | SMALL
    shares = Built(haystack(), lengths="50%,100%", **settings)
    assert len(shares.draft.planted) == 4
    longest = max(int(item.cell["length"]) for item in shares.items.values())
    mixed = Built(haystack(), lengths=f"{longest // 2 + 300},50%,100%", **settings)
    assert len(mixed.draft.planted) == 7
    needed = [item.tokens + 12 + 20 * 3 for item in mixed.items.values()]
    assert 5800 < max(needed) <= 6000
    check_comb(mixed)
    mixed.check_counts()


def test_each_question_alone_over_one_story() -> None:
    built = Built(haystack(), lengths="3000", depths="20,80", ask="each", **SMALL)
    assert [*built.items] == [
        f"comb-3000-{depth}-standard-p{number}-{name}"
        for number, depth in ((1, 20), (2, 80))
        for name in ("L1", "I1", "F1")
    ]
    assert len({item.context.sha256 for item in built.items.values()}) == 1


def test_chinese() -> None:
    built = Built(chinese_documents(3, 300), lengths="3000,6000", depths="0,50,100", **SMALL)
    built.check_counts()
    check_comb(built)


@pytest.mark.parametrize("name", ["sentencepiece", "across-sentences"])
def test_any_tokenizer_file(name: str, tokenizer_files: dict[str, Any]) -> None:
    said: list[str] = []
    built = Built(
        haystack(),
        warn=said.append,
        tokenizer=str(tokenizer_files[name]),
        lengths="2000,4000",
        depths="50,100",
        **SMALL,
    )
    built.check_counts()
    for item in built.items.values():
        assert item.context.tokens <= int(item.cell["length"])
    assert any("counted whole" in line for line in said) == (name == "across-sentences")


def test_the_least_length_that_is_named_is_enough() -> None:
    settings: dict[str, Any] = {"depths": "10..100/10"} | SMALL
    with pytest.raises(BadInput, match=r"lie nearer than a fact paragraph of up to \d+ tokens") as caught:
        Built(haystack(), lengths="300,600", **settings)
    least = int(re.findall(r"at least (\d+)", str(caught.value))[0])
    assert 600 < least < 9000
    least += least % 2
    check_comb(Built(haystack(), lengths=f"{least // 2},{least}", **settings))
    with pytest.raises(BadInput, match="lie nearer than a fact paragraph"):
        Built(haystack(), lengths=f"{least // 2 - 2},{least - 4}", **settings)


def test_one_long_sentence_between_two_places() -> None:
    """Where a text has few sentence ends, paragraphs share one, and each is still whole and in order."""
    long = "And so the clerk went on and on about " + ", ".join(f"matter {number}" for number in range(200)) + "."
    text = " ".join(["The day began."] + [long] * 6)
    built = Built([Document.of("long", text)], lengths="2700", depths="20,22,24,26", **SMALL)
    starts = [place.start for place in built.draft.items[0].placed]
    assert starts == sorted(starts)
    assert len(starts) == 4
    built.check_counts()
