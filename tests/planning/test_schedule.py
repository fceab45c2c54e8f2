"""Branches for parallel requests, their turns and their sessions."""

from __future__ import annotations

from itertools import pairwise
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.planning.words import WordBench, shared_words

from longreach.core.bench import Bench
from longreach.core.types import Context, Insert, Item, Piece, Span
from longreach.planning.prefix_tree import BenchPromptSource, PrefixTree, tree_of
from longreach.planning.schedule import Scheduler, branch_digest, cut, schedule, sessions_of, simulate, waits_for


def story(name: str, *pieces: Piece, asked: int = 1, planted: int = 10) -> list[Item]:
    """Items over one story, a token a byte, each with a question of five tokens."""
    size = sum(piece.end - piece.start if isinstance(piece, Span) else planted for piece in pieces)
    return [
        Item(
            id=f"{name}-{number}",
            family="f",
            context=Context(pieces=pieces, tokens=size, bytes=size, sha256=name),
            prompt="a",
            questions=(f"q{number}",),
            cell={},
            realised={},
            placed=(),
            tokens=size + 5,
            through_context=size,
            through_rules=size,
            sha256="",
        )
        for number in range(asked)
    ]


def documents(count: int, size: int = 1000, asked: int = 3) -> list[Item]:
    """Stories that share nothing."""
    return [
        item
        for number in range(count)
        for item in story(f"d{number}", Span(start=number * size, end=(number + 1) * size), asked=asked)
    ]


@given(st.integers(0, 10**6), st.integers(1, 30), st.integers(1, 5))
def test_every_item_once_in_order_and_the_price_of_cutting_is_counted(seed: int, size: int, workers: int) -> None:
    bench = WordBench(Random(seed), size)
    tree = PrefixTree(bench.items, bench)
    parts = cut(tree, workers)
    assert sorted(at for part in parts for at in part) == list(range(len(tree)))
    for part in parts:
        texts = [bench.words(tree.items[at]) for at in part]
        again = sum(shared_words(one, other) for one, other in pairwise(texts))
        assert tree.fresh(part) == sum(map(len, texts)) - again
    loads = [tree.fresh(part) for part in parts]
    assert loads == sorted(loads, reverse=True)

    plan = schedule(tree, workers)
    last: dict[int, list[str]] = {}
    prefill = 0
    for at in plan.order:
        text = bench.words(tree.items[at])
        prefill += len(text) - max((shared_words(one, text) for one in last.values()), default=0)
        last[next(number for number, worker in enumerate(plan.workers) if at in worker)] = text
    assert plan.prefill_tokens == prefill
    assert sorted(plan.order) == list(range(len(tree)))
    assert len(plan.workers) <= workers
    assert tree.distinct_tokens <= prefill
    assert sum(tree.fresh(part) for part in plan.parts) <= 1.25 * tree.distinct_tokens


def test_one_worker_walks_the_whole_tree(bench: Bench) -> None:
    tree = PrefixTree(bench.items.values(), BenchPromptSource(bench))
    assert tree.items == tree_of(bench).items
    assert cut(tree, 1) == [range(len(tree))]
    assert tree.fresh(range(len(tree))) == tree.distinct_tokens


def test_a_story_is_never_read_by_two_workers() -> None:
    assert len(cut(PrefixTree(story("long", Span(start=0, end=10_000), asked=30)), 4)) == 1
    tree = PrefixTree(documents(40))
    parts = cut(tree, 4)
    assert 4 <= len(parts) <= 4 * 4
    told: dict[str, int] = {}
    for number, part in enumerate(parts):
        for at in part:
            assert told.setdefault(tree.items[at].context.sha256, number) == number
    assert sum(tree.fresh(part) for part in parts) == 40 * (1000 + 3 * 5)
    assert max(tree.fresh(part) for part in parts) < 40 * 1015 / 4


def grid(lengths: range, places: range) -> list[Item]:
    """Needles: a planted text at each place of nested stories of several lengths."""
    return [
        item
        for length in lengths
        for place in places
        if place < length
        for item in story(
            f"{length}-{place}", Span(start=0, end=place), Insert(insert="facts"), Span(start=place, end=length)
        )
    ]


@pytest.mark.parametrize(("workers", "most"), [(2, 1.03), (4, 1.10), (8, 1.25)])
def test_a_grid_is_cut_evenly_at_a_small_price(workers: int, most: float) -> None:
    items = grid(range(10_000, 110_000, 10_000), range(1000, 100_000, 2500))
    tree = PrefixTree(items)
    plan = schedule(tree, workers)
    assert tree.distinct_tokens < sum(tree.fresh(part) for part in plan.parts) <= most * tree.distinct_tokens
    assert len(plan.workers) == workers
    loads = [sum(plan.computed[at] for at in worker) for worker in plan.workers]
    if workers == 2:
        assert max(loads) < 1.3 * min(loads)


def test_a_branch_is_split_where_workers_would_idle() -> None:
    """Nested lengths of one document are one chain; with four workers some of it is read again, and that is counted."""
    nested = [item for n in range(1, 41) for item in story(f"n{n}", Span(start=0, end=5_000 + 50 * n))]
    tree = PrefixTree(nested)
    assert schedule(tree, 1).prefill_tokens == tree.distinct_tokens
    shallow = [item for n in range(40) for item in story(f"s{n}", Span(start=0, end=600), Span(start=n, end=n + 3000))]
    tree = PrefixTree(shallow)
    plan = schedule(tree, 4)
    assert len(plan.parts) >= 4
    assert len(plan.workers) == 4
    read = sum(tree.fresh(part) for part in plan.parts)
    assert tree.distinct_tokens <= read <= 1.25 * tree.distinct_tokens


def test_questions_wait_for_the_first_of_their_context_alone() -> None:
    items = [*story("a", Span(start=0, end=5000), asked=4), *story("b", Span(start=9000, end=14_000), asked=4)]
    tree = PrefixTree(items)
    parts = cut(tree, 8)
    first = {part.start for part in parts}
    before = waits_for(tree, parts)
    assert {at for at, waited in enumerate(before) if waited < 0} == first
    assert all(waited in first for waited in before if waited >= 0)
    turns = Scheduler(tree, parts)
    begun = {at for _ in range(8) if (at := turns.take()) is not None}
    assert begun == first
    turns.done(0)
    freed = {at for _ in range(8) if (at := turns.take()) is not None}
    assert freed == {at for at, waited in enumerate(before) if waited == 0}
    assert len(simulate(tree, parts, 8, lambda _: 1.0).order) == 8
    assert simulate(tree, parts, 8, lambda _: 1.0).end == 2.0, "two round trips"


def test_a_digest_names_what_a_branch_begins_with() -> None:
    def digests(items: list[Item]) -> list[str]:
        tree = PrefixTree(items)
        return [branch_digest(tree, part) for part in cut(tree, 2)]

    items = documents(8)
    found = digests(items)
    assert len(set(found)) == len(found)
    assert all(len(digest) == 64 for digest in found)
    assert digests(items[::-1]) == found
    # The rest of a run over the same story has the same session.
    asked = story("one", Span(start=0, end=500), asked=5)
    assert digests(asked[3:]) == digests(asked)


def test_nothing_to_send_is_no_branch() -> None:
    assert cut(PrefixTree([]), 3) == []
    assert schedule(PrefixTree([]), 3).prefill_tokens == 0


@given(st.integers(0, 10**6), st.integers(2, 60), st.sampled_from([2, 4, 16]))
def test_every_branch_has_a_session_of_its_own(seed: int, size: int, replicas: int) -> None:
    bench = WordBench(Random(seed), size)
    tree = PrefixTree(bench.items, bench)
    parts = cut(tree, replicas)
    sessions = sessions_of(tree, parts)
    assert len(set(sessions.values())) == len(parts)
    assert all(len({sessions[tree.items[at].id] for at in part}) == 1 for part in parts)
    assert sessions == sessions_of(tree, parts[::-1]), "whatever the order of the parts"


@given(st.integers(0, 10**6), st.integers(2, 60), st.sampled_from([1, 2, 5]))
def test_a_branch_never_has_more_in_flight_than_allowed(seed: int, size: int, allowed: int) -> None:
    rng = Random(seed)
    bench = WordBench(rng, size)
    tree = PrefixTree(bench.items, bench)
    parts = cut(tree, 4)
    branch = {at: number for number, part in enumerate(parts) for at in part}
    turns = Scheduler(tree, parts, per_branch=allowed)
    flying: list[int] = []
    sent: list[int] = []
    while True:
        while (at := turns.take(None)) is not None:
            flying.append(at)
            sent.append(at)
            assert sum(branch[other] == branch[at] for other in flying) <= allowed
        if not flying:
            break
        turns.done(flying.pop(rng.randrange(len(flying))))
    assert sorted(sent) == list(range(len(tree)))


def test_blocks_make_a_plan_coarser() -> None:
    bench = WordBench(Random(3), 40)
    tree = PrefixTree(bench.items, bench)
    for block in (1, 2, 5):
        expected = sum(
            tokens - shared // block * block for tokens, shared in zip(tree.tokens, tree.shared, strict=True)
        )
        assert schedule(tree, 1, block=block).prefill_tokens == tree.prefill_tokens(block) == expected
    assert tree.prefill_tokens(5) > tree.distinct_tokens
