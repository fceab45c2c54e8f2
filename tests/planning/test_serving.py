"""Runs against a simulated server. Counted are tokens prefilled, time, and moments in which a place was free while a
request waited that could have used it."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from random import Random
from statistics import median

import pytest
from tests.doubles.vllm_engine import ANSWER, BLOCK, LARGE, MEDIUM, QUICK, Engine, Speed
from tests.planning.test_schedule import documents, grid, story

from longreach.core.types import Insert, Item, Span
from longreach.planning.prefix_tree import PrefixTree
from longreach.planning.schedule import Scheduler, cut, lanes, schedule
from longreach.runner.round import QUEUED

WORKERS = 16


def in_order(tree: PrefixTree, order: Sequence[int], room: int | None, speed: Speed = LARGE) -> Engine:
    """A bare client: so many in flight, in this order."""
    server, left = Engine(tree, room, speed=speed), list(order)[::-1]
    for _ in range(min(WORKERS, len(left))):
        server.send(left.pop())
    server.done = lambda _: server.send(left.pop()) if left else None
    server.run()
    return server


def best_rival(tree: PrefixTree, room: int | None, speed: Speed = LARGE) -> float:
    """Seconds of the best of bare clients in random order and by length."""
    order = list(range(len(tree)))
    orders = [Random(seed).sample(order, len(order)) for seed in range(2)]
    orders.append(sorted(order, key=lambda at: tree.tokens[at]))
    return min(in_order(tree, each, room, speed).now for each in orders)


def by_schedule(
    tree: PrefixTree,
    room: int | None,
    how: str,
    *,
    eager: bool = False,
    answers: Sequence[int] = (),
    speed: Speed = LARGE,
) -> tuple[Engine, int]:
    """A run of Longreach, and how often a place was free while a request waited that could be sent. `how`: the server
    "queues", answers are "streamed", or come "whole" and the time of their first token is learned, or "never"."""
    queues = how == "queues"
    parts = cut(tree, 1 if queues else lanes(tree, WORKERS, room=room))
    sizes = [ANSWER] * len(tree)
    prefills = QUEUED if queues else 1
    turns = Scheduler(tree, parts, room=room, answers=sizes, prefills=prefills, waiting=not queues, ahead=queues)
    server = Engine(tree, room, eager, answers, speed)
    flying: dict[int, float] = {}
    idle = 0

    def fill(last: int | None) -> None:
        while len(flying) < WORKERS and (at := turns.take(last)) is not None:
            flying[at] = server.now
            server.send(at)
            last = None
            seconds = turns.expected(at, server.now) if how == "whole" else None
            if seconds is not None:
                server.timers.append((server.now + seconds, lambda at=at: first(at)))  # type: ignore[misc]

    def first(at: int) -> None:
        nonlocal idle
        if at in flying:
            turns.begun(at, None if how == "whole" else server.now - flying[at])
            fill(None)
            idle += len(flying) < WORKERS and turns.take(None) is not None

    def done(at: int) -> None:
        nonlocal idle
        seconds = server.now - flying.pop(at)
        turns.done(at, seconds if how == "whole" else 0.0, server.written[at])
        fill(at)
        idle += len(flying) < WORKERS and turns.take(None) is not None

    server.first = first if how in ("streamed", "queues") else lambda _: None
    server.done = done
    fill(None)
    server.run()
    assert sorted(server.written) == list(range(len(tree)))
    return server, idle


def needles() -> list[Item]:
    """Lengths and depths in per cent, as the family has them."""
    places = [(length, length * depth // 100) for length in range(8_000, 72_000, 8_000) for depth in range(0, 101, 25)]
    facts = Insert(insert="facts")
    return [
        item
        for length, at in places
        for item in story(f"{length}-{at}", Span(start=0, end=at), facts, Span(start=at, end=length))
    ]


TREES = {
    "needles": PrefixTree(needles()),
    "a grid of lengths and depths": PrefixTree(grid(range(8_000, 104_000, 8_000), range(0, 100_000, 20_000))),
    "documents with ten questions": PrefixTree(documents(12, size=20_000, asked=10)),
}


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize(("how", "eager"), [("queues", False), ("streamed", False), ("streamed", True)])
def test_with_a_large_cache_nothing_is_prefilled_twice_and_no_time_is_lost(name: str, how: str, eager: bool) -> None:
    """But for what branches share that are cut for parallel requests, on a server that looks for it at once."""
    tree = TREES[name]
    ours, idle = by_schedule(tree, None, how, eager=eager)
    assert idle == 0
    assert ours.prefilled <= (1.03 if eager else 1) * tree.prefill_tokens(BLOCK)
    assert ours.now <= (1.04 if eager else 1.02) * best_rival(tree, None)


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("how", ["queues", "streamed"])
def test_a_small_cache_is_not_overrun(name: str, how: str) -> None:
    """A tenth of the prompts' tokens."""
    tree = TREES[name]
    room = tree.input_tokens // 10
    ours, idle = by_schedule(tree, room, how)
    plan = schedule(tree, WORKERS, block=BLOCK, room=room, answers=[ANSWER] * len(tree))
    assert idle == 0
    assert ours.prefilled <= 1.02 * plan.prefill_tokens
    if room < tree.distinct_tokens / 1.5:  # else every order fits
        limit = plan.prefill_tokens / LARGE.prefill + len(tree) * ANSWER * LARGE.decode / WORKERS
        assert ours.now <= 0.82 * best_rival(tree, room)
        assert ours.now <= 1.28 * limit


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("small", [False, True])
def test_a_quick_server_does_not_wait_for_what_is_on_its_way(name: str, small: bool) -> None:
    tree = TREES[name]
    room = tree.input_tokens // 10 if small else None
    ours, idle = by_schedule(tree, room, "queues", speed=QUICK)
    assert idle == 0
    assert ours.prefilled == tree.prefill_tokens(BLOCK)
    assert ours.now <= 1.02 * best_rival(tree, room, QUICK)


@pytest.mark.parametrize("how", ["queues", "streamed"])
@pytest.mark.parametrize("speed", [QUICK, MEDIUM, LARGE])
def test_many_short_contexts_are_in_flight_at_once(how: str, speed: Speed, monkeypatch: pytest.MonkeyPatch) -> None:
    """As many as a server that is far away can compute meanwhile, however few those with long prompts are."""
    monkeypatch.setattr(sys.modules[__name__], "WORKERS", 64)
    tree = PrefixTree(documents(200, size=1500, asked=1))
    ours, idle = by_schedule(tree, None, how, speed=speed)
    assert idle == 0
    assert ours.now <= 1.1 * best_rival(tree, None, speed)


def test_a_first_token_waits_for_few_others_where_prefill_is_slow() -> None:
    """At the same speed, a third less than with a bare client."""
    tree = TREES["needles"]
    ours, bare = by_schedule(tree, None, "queues")[0], in_order(tree, range(len(tree)), None)
    assert median(ours.waits) <= 0.7 * median(bare.waits)
    assert ours.now <= 1.02 * bare.now


@pytest.mark.parametrize("name", TREES)
@pytest.mark.parametrize("small", [False, True])
@pytest.mark.parametrize("varied", [False, True])
def test_without_streaming_requests_go_when_the_prefix_is_expected_in_the_cache(
    name: str, small: bool, varied: bool
) -> None:
    """Even on a server that looks for it when a request comes nothing is prefilled twice, and most of the time that
    waiting for whole answers takes is saved."""
    tree = TREES[name]
    room = tree.input_tokens // 10 if small else None
    answers = [Random(at).randrange(40, 360) for at in range(len(tree))] if varied else []
    found = {how: by_schedule(tree, room, how, eager=True, answers=answers) for how in ("streamed", "whole", "never")}
    assert found["whole"][1] == 0
    assert found["whole"][0].prefilled <= 1.02 * found["never"][0].prefilled
    seconds = {how: server.now for how, (server, _) in found.items()}
    assert seconds["whole"] <= seconds["never"]
    if seconds["never"] > 1.7 * seconds["streamed"]:
        assert seconds["whole"] - seconds["streamed"] <= 0.45 * (seconds["never"] - seconds["streamed"])
