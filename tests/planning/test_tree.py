"""The tree from recipes against the texts themselves."""

from __future__ import annotations

from itertools import combinations, pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.planning.words import WordBench, least_prefill, shared_words

from longreach.planning.prefix_tree import PrefixTree

SEEDS = st.integers(0, 10**6)


@given(SEEDS, st.integers(1, 25))
def test_recipes_tell_what_texts_share(seed: int, size: int) -> None:
    bench = WordBench(Random(seed), size)
    tree = PrefixTree(bench.items, bench)
    assert sorted(item.id for item in tree.items) == sorted(item.id for item in bench.items)
    texts = [bench.words(item) for item in tree.items]
    assert tree.shared == [0, *(shared_words(one, other) for one, other in pairwise(texts))]
    assert tree.distinct_tokens == len({tuple(text[:end]) for text in texts for end in range(1, len(text) + 1)})
    assert tree.input_tokens == sum(map(len, texts))
    for one, other in combinations(range(size), 2):
        assert tree.common(one, other) == tree.common(other, one) == shared_words(texts[one], texts[other])


@given(SEEDS, st.integers(1, 6))
def test_no_order_leaves_less_to_compute(seed: int, size: int) -> None:
    bench = WordBench(Random(seed), size)
    tree = PrefixTree(bench.items, bench)
    assert tree.distinct_tokens == least_prefill([bench.words(item) for item in bench.items])


@given(SEEDS)
def test_bytes_shared_lie_in_both_texts_and_end_between_words(seed: int) -> None:
    bench = WordBench(Random(seed), 12)
    tree = PrefixTree(bench.items, bench)
    for at in range(1, len(tree)):
        here, before = (
            "".join((bench.around(item)[0], *map(bench._text, item.context.pieces), bench.around(item)[1]))
            for item in (tree.items[at], tree.items[at - 1])
        )
        end = tree.shared_bytes[at]
        assert here[:end] == before[:end]
        assert len(here[:end].split()) == tree.shared[at]


@given(SEEDS, st.randoms(use_true_random=False))
def test_the_order_does_not_depend_on_how_items_come(seed: int, rng: Random) -> None:
    bench = WordBench(Random(seed), 15)
    mixed = rng.sample(bench.items, len(bench.items))
    assert PrefixTree(mixed, bench).items == PrefixTree(bench.items, bench).items


@given(SEEDS)
def test_without_wording_it_is_a_lower_bound(seed: int) -> None:
    bench = WordBench(Random(seed), 15)
    bench.heads = dict.fromkeys("xyz", "read this ")
    items = [
        item.model_copy(
            update={
                "tokens": len(bench.words(item)),
                "through_context": item.context.tokens + 2,
                "through_rules": item.context.tokens + 2 + len(bench.rules[item.prompt].split()),
            }
        )
        for item in bench.items
    ]
    known, bare = PrefixTree(items, bench), PrefixTree(items)
    assert bare.distinct_tokens >= known.distinct_tokens
    assert bare.distinct_tokens <= bare.input_tokens


@pytest.mark.parametrize("block", [1, 3, 16])
def test_forks_hold_the_whole_tree(block: int) -> None:
    bench = WordBench(Random(5), 60)
    tree = PrefixTree(bench.items, bench)
    ends, above, leaves = tree.forks(block)
    for at, leaf in enumerate(leaves):
        assert ends[leaf] == tree.tokens[at] // block
    assert all(up == -1 if node == 0 else ends[up] < ends[node] for node, up in enumerate(above))
    blocks = {
        tuple(text[: end * block]) for text in map(bench.words, tree.items) for end in range(1, len(text) // block + 1)
    }
    assert sum(ends[node] - ends[up] for node, up in enumerate(above) if up >= 0) == len(blocks)


def test_nothing_to_send() -> None:
    tree = PrefixTree([])
    assert (len(tree), tree.input_tokens, tree.distinct_tokens) == (0, 0, 0)
