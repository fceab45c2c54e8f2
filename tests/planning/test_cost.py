from __future__ import annotations

from random import Random

import pytest
from tests.planning.words import WordBench

from longreach.models.prices import parse_price
from longreach.models.providers import CacheRule
from longreach.planning.cost import Pace, Speed, bill, dollars, seconds_needed
from longreach.planning.prefix_tree import PrefixTree
from longreach.planning.schedule import schedule

FREE = CacheRule(source="a page")
MARKED = CacheRule(source="a page", marked=True)


@pytest.fixture
def tree() -> PrefixTree:
    bench = WordBench(Random(11), 40)
    return PrefixTree(bench.items, bench)


def test_one_worker_finds_what_the_prompt_before_left(tree: PrefixTree) -> None:
    answers = [3] * len(tree)
    billed = bill(tree, schedule(tree, 1), answers, FREE, Pace(), sharing=True)
    assert [one.cached for one in billed] == tree.shared
    assert [one.tokens for one in billed] == tree.tokens
    price = parse_price("2,0.5,8")
    expected = tree.distinct_tokens * 2 + sum(tree.shared) * 0.5 + 3 * len(tree) * 8
    assert dollars(billed, price) == pytest.approx(expected / 1e6)


def test_nothing_is_cached_where_nothing_is_shared_or_known(tree: PrefixTree) -> None:
    plan = schedule(tree, 1)
    for rule, sharing in ((FREE, False), (None, True)):
        billed = bill(tree, plan, [1] * len(tree), rule, Pace(), sharing=sharing)
        assert not any(one.cached or one.written for one in billed)


def test_short_beginnings_are_not_kept_and_tokens_come_in_steps(tree: PrefixTree) -> None:
    rule = CacheRule(source="a page", minimum=6, step=4)
    billed = bill(tree, schedule(tree, 1), [1] * len(tree), rule, Pace(), sharing=True)
    expected = [shared // 4 * 4 if shared // 4 * 4 >= 6 else 0 for shared in tree.shared]
    assert [one.cached for one in billed] == expected
    assert any(expected)
    assert sum(expected) < sum(tree.shared)


def test_marked_caches_write_only_what_the_next_prompt_shares(tree: PrefixTree) -> None:
    billed = bill(tree, schedule(tree, 1), [1] * len(tree), MARKED, Pace(), sharing=True)
    reach = [*tree.shared[1:], 0]
    assert [one.written for one in billed] == [max(0, to - had) for to, had in zip(reach, tree.shared, strict=True)]
    # Whatever is read was written before, and once.
    assert sum(one.written for one in billed) <= tree.distinct_tokens
    plain = bill(tree, schedule(tree, 1), [1] * len(tree), FREE, Pace(), sharing=True)
    assert all(one.cached + one.written == one.tokens for one in plain)


def test_what_comes_too_late_is_paid_in_full(tree: PrefixTree) -> None:
    rule = CacheRule(source="a page", lifetime=300)
    answers = [1] * len(tree)
    plan = schedule(tree, 1)
    quick = bill(tree, plan, answers, rule, Pace(rpm=1), sharing=True)
    assert not any(one.late for one in quick)
    slow = bill(tree, plan, answers, rule, Pace(rpm=0.1), sharing=True)
    assert [one.late for one in slow] == [shared > 0 for shared in tree.shared]
    assert not any(one.cached for one in slow)
    # One token a second: a prompt keeps those behind it waiting only if it is long itself.
    served = bill(tree, plan, [400] * len(tree), rule, Pace(speed=Speed(prefill=1e9, decode=1)), sharing=True)
    assert [one.late for one in served] == [one.late for one in slow]


def test_time_is_the_busiest_workers_or_what_limits_allow(tree: PrefixTree) -> None:
    answers = [10] * len(tree)
    computed = [tokens - shared for tokens, shared in zip(tree.tokens, tree.shared, strict=True)]
    one = schedule(tree, 1)
    assert seconds_needed(tree, one, answers, computed, Pace()) is None
    pace = Pace(speed=Speed(prefill=5, decode=2))
    alone = seconds_needed(tree, one, answers, computed, pace)
    assert alone == pytest.approx(tree.distinct_tokens / 5 + 10 * len(tree) / 2)
    together = seconds_needed(tree, schedule(tree, 3), answers, computed, pace)
    assert alone is not None
    assert together is not None
    assert alone / 3 <= together < alone
    limited = Pace(speed=Speed(prefill=1e9), rpm=2)
    assert seconds_needed(tree, one, answers, computed, limited) == pytest.approx(30 * len(tree))
    tokens = tree.input_tokens + 10 * len(tree)
    assert seconds_needed(tree, one, answers, computed, Pace(tpm=60)) == pytest.approx(tokens)
    fewer = tree.distinct_tokens + 10 * len(tree)
    assert seconds_needed(tree, one, answers, computed, Pace(tpm=60), counts_cached=False) == pytest.approx(fewer)
