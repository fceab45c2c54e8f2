"""The invariants of test documents, over thousands of random cases."""

from __future__ import annotations

from itertools import accumulate, pairwise
from random import Random

import pytest

from longreach.families.grounded.passages import LongDocument, Passage
from longreach.families.grounded.rounds import choose_places
from longreach.families.grounded.spec import GroundedSpec
from longreach.families.grounded.windows import Layout, cut_window


def _edges(rng: Random, count: int) -> list[int]:
    return [0, *accumulate(rng.randint(300, 1000) for _ in range(count))]


@pytest.mark.parametrize("layout", ["centred", "nested"])
def test_the_gold_passage_is_always_inside_and_at_its_depth(layout: Layout) -> None:
    rng = Random(f"windows {layout}")
    cases = 0
    while cases < 4000:
        edges = _edges(rng, rng.randint(12, 80))
        largest = max(after - before for before, after in pairwise(edges))
        depth = rng.choice([0, 5, 50, 95, 100, rng.uniform(0, 100)])
        # The gold passage is where the depth is, give or take a little; any length that the text can hold around it.
        gold = max(0, min(len(edges) - 2, int(depth / 100 * (len(edges) - 1)) + rng.randint(-1, 1)))
        length = rng.randint(1000, edges[-1])
        window = cut_window(edges, gold, length, depth, layout)
        assert window is not None
        cases += 1
        inside = window.passages()
        assert gold in inside
        assert inside == sorted(set(inside))
        assert inside[0] >= 0
        assert inside[-1] < len(edges) - 1
        tokens = sum(edges[passage + 1] - edges[passage] for passage in inside)
        before = sum(edges[passage + 1] - edges[passage] for passage in inside if passage < gold)
        assert (tokens, before) == (window.tokens, window.before)
        assert tokens <= length
        # Asked of a gold passage that has enough text on both sides, as the builder makes sure.
        enough = edges[gold] >= depth / 100 * length and edges[-1] - edges[gold] >= (1 - depth / 100) * length
        if enough:
            assert abs(before - depth / 100 * tokens) <= largest
            assert tokens > length - 2 * largest


def test_a_centred_window_has_no_gap_and_a_nested_one_keeps_the_start() -> None:
    rng = Random("shape")
    for _ in range(500):
        edges = _edges(rng, 40)
        gold, depth, length = rng.randrange(40), rng.uniform(0, 100), rng.randint(2000, 20000)
        centred = cut_window(edges, gold, length, depth)
        assert centred is not None
        assert centred.passages() == list(range(centred.first, centred.last))
        nested = cut_window(edges, gold, length, depth, "nested")
        assert nested is not None
        assert nested.first == 0
        assert nested.passages()[: nested.cut] == list(range(nested.cut))


def test_a_window_is_as_full_as_it_can_be_and_knows_when_nothing_fits() -> None:
    edges = [0, 100, 200, 300, 400, 500]
    window = cut_window(edges, 2, 500, 40)
    assert window is not None
    assert window.passages() == [0, 1, 2, 3, 4]
    assert window.off(40) == 0
    assert cut_window(edges, 2, 99, 40) is None
    alone = cut_window(edges, 2, 100, 40)
    assert alone is not None
    assert alone.passages() == [2]


@pytest.mark.parametrize("layout", ["centred", "nested"])
def test_every_question_can_be_asked_at_every_length_wherever_it_moves(layout: Layout) -> None:
    """What the builder chooses, and each passage that it may fall back to: the same questions at every length, the
    gold passage inside, within one passage of the asked depth, and no passage gold for two questions."""
    rng = Random(f"places {layout}")
    cases = moved = 0
    while cases < 6000 or moved < 300:
        edges = _edges(rng, rng.randint(20, 90))
        document = LongDocument(
            domain="d",
            number=1,
            passages=tuple(Passage(start=at, end=at + 1) for at in range(len(edges) - 1)),
            edges=tuple(edges),
            texts=("x",) * (len(edges) - 1),
        )
        longest = rng.randint(edges[-1] // 3, edges[-1])
        lengths = sorted({longest, *(rng.randint(min(1000, longest), longest) for _ in range(3))})
        depths = tuple(sorted(rng.sample(range(5, 100, 5), 6)))
        spec = GroundedSpec(
            depths=depths, layout=layout, questions=rng.randint(1, 3), moves=rng.randint(0, 6), builder="a/model"
        )
        places, ground = choose_places(spec, [document], lengths, str)
        golds = [(place.depth, place.gold) for place in places if not place.over]
        for place in places:
            before = None if place.over else ground.claim(place, place.gold, back_only=True)
            if before is not None:
                assert before < place.gold
                golds.append((place.depth, before))
                moved += 1
        assert len({gold for _, gold in golds}) == len(golds)
        for depth, gold in golds:
            for length in lengths:
                window = cut_window(edges, gold, length, depth, layout)
                assert window is not None
                assert gold in window.passages()
                assert window.tokens <= length
                assert abs(window.before - depth / 100 * window.tokens) <= document.tokens(gold)
                cases += 1
