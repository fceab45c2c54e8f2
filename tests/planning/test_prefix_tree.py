"""The prefix tree against its definition, and the order of requests."""

from __future__ import annotations

from itertools import combinations, groupby, pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.planning.words import WordBench, least_prefill, shared_words

from longreach.core.bench import Bench
from longreach.core.types import Context, Insert, Item, Piece, Span
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.planning.prefix_tree import PrefixTree, tree_of

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


FACTS = Insert(insert="facts")


def item(id: str, *pieces: Piece, prompt: str = "a") -> Item:
    size = sum(piece.end - piece.start for piece in pieces if isinstance(piece, Span)) + 7 * pieces.count(FACTS)
    context = Context(pieces=pieces, tokens=size, bytes=size, sha256="")
    return Item(
        id=id,
        family="f",
        context=context,
        prompt=prompt,
        questions=(),
        cell={},
        realised={},
        placed=(),
        tokens=size + 3,
        through_context=size + 1,
        through_rules=size + 2,
        sha256="",
    )


def test_by_insertion_then_length_then_prompt() -> None:
    first = item("x0", FACTS, Span(start=0, end=90))
    early = item("x1", Span(start=0, end=20), FACTS, Span(start=21, end=50))
    longer = item("x2", Span(start=0, end=20), FACTS, Span(start=21, end=90))
    late = item("x3", Span(start=0, end=50), FACTS)
    longest = item("x4", Span(start=0, end=50), FACTS, Span(start=51, end=90))
    other = item("x4", Span(start=0, end=50), FACTS, Span(start=51, end=90), prompt="b")
    order = [first, early, longer, late, longest, other]
    for seed in range(20):
        assert PrefixTree(Random(seed).sample(order, len(order))).items == order


def test_one_place_of_insertion_after_another_and_shorter_stories_first(bench: Bench) -> None:
    items = tree_of(bench).items
    assert sorted(entry.id for entry in items) == sorted(bench.items)
    places = [entry.placed[0].start for entry in items]
    assert places == sorted(places)
    for _, group in groupby(items, key=lambda entry: entry.placed[0].start):
        lengths = [entry.context.tokens for entry in group]
        assert lengths == sorted(lengths)
    stories = [entry.context.sha256 for entry in items]
    assert len(list(groupby(stories))) == len(set(stories))


def test_a_story_that_ends_where_another_goes_on(bench: Bench, docs: Path, tmp_path: Path) -> None:
    end = bench.item("1000-100-standard").placed[0].token
    settings = {"docs": [str(docs)], "lengths": "1000,2000", "depths": [end / 20, 100], "facts": 4}
    built = build_bench(make_spec("needles", settings), tmp_path / "b", BuildContext(warn=lambda _: None))
    items = tree_of(built).items
    openings = [entry.context.pieces[0] for entry in items]
    ends = [entry for entry in items if (entry.cell["length"], entry.cell["depth"]) == (1000, 100)]
    goes_on = [entry for entry in items if entry.cell["length"] == 2000 and entry.cell["depth"] != 100]
    assert ends[0].context.pieces == goes_on[0].context.pieces[:2]
    assert items.index(ends[0]) < items.index(goes_on[0])
    assert openings == sorted(openings, key=lambda piece: piece.end if isinstance(piece, Span) else 0)


def test_the_rest_of_a_run_comes_in_the_same_order(bench: Bench) -> None:
    items = tree_of(bench).items
    rest = Random(1).sample(items, 9)
    assert tree_of(bench, rest).items == [entry for entry in items if entry in rest]
