from __future__ import annotations

from itertools import groupby, pairwise
from pathlib import Path
from random import Random

from tests.texts import shared_beginning

from longreach.core.bench import Bench
from longreach.core.types import Context, Insert, Item, Piece, Span
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.showing import item_prompt
from longreach.planning.prefix_tree import PrefixTree, sending_order

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
    items = sending_order(bench)
    assert sorted(entry.id for entry in items) == sorted(bench.items)
    places = [entry.placed[0].start for entry in items]
    assert places == sorted(places)
    for _, group in groupby(items, key=lambda entry: entry.placed[0].start):
        lengths = [entry.context.tokens for entry in group]
        assert lengths == sorted(lengths)
    stories = [entry.context.sha256 for entry in items]
    assert len(list(groupby(stories))) == len(set(stories))


def test_no_order_shares_more_with_the_one_before(bench: Bench) -> None:
    def shared(items: list[Item]) -> int:
        texts = [item_prompt(bench, entry).encode() for entry in items]
        return sum(shared_beginning(one, other) for one, other in pairwise(texts))

    items = sending_order(bench)
    best = shared(items)
    by_length = sorted(items, key=lambda entry: (entry.cell["length"], entry.cell["depth"], entry.prompt))
    assert best > shared(by_length)
    rng = Random(0)
    assert all(best > shared(rng.sample(items, len(items))) for _ in range(5))


def test_a_story_that_ends_where_another_goes_on(bench: Bench, docs: Path, tmp_path: Path) -> None:
    end = bench.item("1000-100-standard").placed[0].token
    settings = {"docs": [str(docs)], "lengths": "1000,2000", "depths": [end / 20, 100], "facts": 4}
    built = build_bench(make_spec("needles", settings), tmp_path / "b", BuildContext(warn=lambda _: None))
    items = sending_order(built)
    openings = [entry.context.pieces[0] for entry in items]
    ends = [entry for entry in items if (entry.cell["length"], entry.cell["depth"]) == (1000, 100)]
    goes_on = [entry for entry in items if entry.cell["length"] == 2000 and entry.cell["depth"] != 100]
    assert ends[0].context.pieces == goes_on[0].context.pieces[:2]
    assert items.index(ends[0]) < items.index(goes_on[0])
    assert openings == sorted(openings, key=lambda piece: piece.end if isinstance(piece, Span) else 0)


def test_the_rest_of_a_run_comes_in_the_same_order(bench: Bench) -> None:
    items = sending_order(bench)
    rest = Random(1).sample(items, 9)
    assert sending_order(bench, rest) == [entry for entry in items if entry in rest]
