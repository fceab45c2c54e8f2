from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.families.needles.built import Built, haystack
from tests.texts import chinese_documents

from longreach.core.types import Insert
from longreach.errors import BadInput
from longreach.families.needles.distributions import DISTRIBUTIONS

SPREAD: dict[str, Any] = {"protocols": "distribution", "prompts": "standard"}


def check_bins(built: Built) -> None:
    """Every fact begins in its bin, or, where the bin has no free sentence end, within a sentence of it."""
    bins, cuts = built.spec.bins, built.corpus.counts.tolist()
    own = {name: built.tokenizer.count(planted.text) for name, planted in built.texts.items()}
    for item in built.items.values():
        shares = built.draft.build["distributions"][item.cell["distribution"]]
        assert sum(shares) == built.spec.facts
        assert sorted(place.insert for place in item.placed) == sorted(built.texts)
        assert [place.start for place in item.placed] == sorted(place.start for place in item.placed)
        asked = [number for number, share in enumerate(shares) for _ in range(share)]
        total = item.context.tokens
        for rank, (number, place) in enumerate(zip(asked, item.placed, strict=True)):
            low, high = total * number / bins, total * (number + 1) / bins
            off = max(low - place.token, place.token - high)
            if off <= 4:  # a fact is counted alone, and off by a token or so where it meets the story
                continue
            pushed = sum(own[other.insert] for other in item.placed[:rank])
            ends = [cut + pushed for cut in cuts if cut + pushed <= total]
            used = [other.token for other in item.placed]
            free = [end for end in ends if low + 4 < end < high - 4 and all(abs(end - at) > 4 for at in used)]
            assert shares[number] > 1 or not free, "a sentence end inside the bin was left unused"
            around = [
                after - before for before, after in pairwise([0, *ends, total]) if before <= high and after >= low
            ]
            assert off <= max(around) + sum(own[other.insert] for other in item.placed if other.token == place.token)


@given(
    st.integers(0, 10**6),
    st.integers(1500, 9000),
    st.sampled_from([2, 6, 10]),
    st.integers(2, 25),
    st.lists(st.sampled_from([*DISTRIBUTIONS]), min_size=1, max_size=2, unique=True),
)
def test_any_spread(seed: int, length: int, facts: int, bins: int, names: list[str]) -> None:
    built = Built(
        haystack(), seed=seed, lengths=length, facts=facts, questions=1, bins=bins, distributions=names, **SPREAD
    )
    assert [*built.items] == [f"spread-{name}-standard" for name in names]
    built.check_counts()
    check_bins(built)
    for item in built.items.values():
        assert length - 250 < item.context.tokens <= length
        assert item.realised == {"length": item.context.tokens}
        assert item.cell == {"distribution": item.id.split("-")[1], "fact_set": "s1", "prompt": "standard"}


def test_where_sentences_are_short_against_bins_every_fact_is_inside_its_bin() -> None:
    built = Built(haystack(), lengths="10k", **SPREAD)
    for item in built.items.values():
        shares = built.draft.build["distributions"][item.cell["distribution"]]
        found = [0] * 20
        for place in item.placed:
            found[20 * place.token // item.context.tokens] += 1
        assert found == shares
        runs = [isinstance(a, Insert) and isinstance(b, Insert) for a, b in pairwise(item.context.pieces)]
        assert not any(runs), "two facts at one place"


def test_facts_stand_in_running_text() -> None:
    built = Built(haystack(), lengths="10k", **SPREAD)
    for item in built.items.values():
        raw = built.text(item).encode()
        for place in item.placed:
            fact = built.texts[place.insert].text
            before = raw[: place.start].decode()
            after = raw[place.start + len(fact.encode()) :].decode()
            assert before[-1] in ".?!\"”'’)"
            assert fact.startswith(" ")
            assert re.match(r" \S|$", after), "a sentence of the same paragraph follows"
        plain = raw.decode()
        for text in built.texts.values():
            assert plain.count(text.text) == 1
            plain = plain.replace(text.text, "")
        assert bytes(built.corpus.text).decode().startswith(plain), "nothing else was changed"


def test_facts_of_one_theme_are_parted_and_luck_comes_from_the_seed() -> None:
    orders = {
        seed: [
            tuple(place.insert for place in item.placed)
            for item in Built(haystack(), lengths="6k", seed=seed, **SPREAD).items.values()
        ]
        for seed in (1, 2)
    }
    assert orders[1] != orders[2]
    assert len(set(orders[1])) == 9
    neighbours = sum(
        {one, other} == {f"f{2 * number - 1}", f"f{2 * number}"}
        for order in orders[1] + orders[2]
        for one, other in pairwise(order)
        for number in range(1, 6)
    )
    assert neighbours < 18 * 5 / 2


def test_prompts_share_the_story_and_only_the_longest_length_is_used() -> None:
    built = Built(haystack(), protocols="distribution", lengths="2k,6k", distributions="normal, arcsine,normal")
    assert [*built.items] == [
        f"spread-{name}-{prompt}" for name in ("normal", "arcsine") for prompt in ("standard", "anti_hallucination")
    ]
    one, other = built.items["spread-normal-standard"], built.items["spread-normal-anti_hallucination"]
    assert one.context == other.context
    assert one.placed == other.placed
    assert 5800 < one.context.tokens <= 6000
    window = Built(haystack(), window=6000, distributions="normal", **SPREAD).draft.items[0]
    room = 6000 - window.tokens - 12 - 20 * 30
    assert 0 <= room < 250


def test_both_protocols_ask_the_same_questions() -> None:
    built = Built(
        haystack(), protocols="depth,distribution", lengths="3000", depths="50", facts=4, distributions="normal"
    )
    assert len(built.items) == 4
    assert len({frozenset(item.questions) for item in built.items.values()}) == 1
    assert len(built.draft.questions) == 12
    alone = Built(haystack(), lengths="3000", depths="50", facts=4)
    assert alone.draft.items == built.draft.items[:2]
    assert alone.draft.questions == built.draft.questions
    built.check_counts()


def test_each_question_alone() -> None:
    built = Built(haystack(), lengths="3000", facts=2, distributions="uniform", ask="each", **SPREAD)
    assert [*built.items] == [f"spread-uniform-standard-{name}" for name in ("L1", "L2", "I1", "I2", "F1", "F2")]


def test_chinese_facts_follow_without_a_space() -> None:
    built = Built(chinese_documents(3, 300), lengths="6000", facts=4, **SPREAD)
    built.check_counts()
    check_bins(built)
    assert all(not text.text.startswith(" ") for text in built.texts.values())


@pytest.mark.parametrize("name", ["byte-level", "sentencepiece", "wordpiece", "across-sentences"])
def test_any_tokenizer_file(name: str, tokenizer_files: dict[str, Any]) -> None:
    said: list[str] = []
    built = Built(haystack(), warn=said.append, tokenizer=str(tokenizer_files[name]), lengths="3000", facts=4, **SPREAD)
    built.check_counts()
    assert all(item.context.tokens <= 3000 for item in built.items.values())
    assert bool(said) == (name == "across-sentences")


def test_the_least_length_that_is_named_is_enough() -> None:
    settings: dict[str, Any] = {"distributions": "lorentzian"} | SPREAD
    with pytest.raises(BadInput) as caught:
        Built(haystack(), lengths="400", **settings)
    least = int(re.findall(r"at least (\d+)", str(caught.value))[0])
    assert Built(haystack(), lengths=least, **settings).items
    with pytest.raises(BadInput, match="too short to scatter"):
        Built(haystack(), lengths=least - 1, **settings)
