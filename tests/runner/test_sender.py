"""What makes shared prefixes pay: branches, sessions, marks; and none of it when asked for none."""

from __future__ import annotations

import threading
import time
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.errors import Stopped
from longreach.runner.logs import collect_calls

MODEL = "openai-api/local/double"


@pytest.fixture
def wide(tmp_path: Path) -> Bench:
    return verbs.build("needles", tmp_path / "wide", lengths="1k,2k,3k", depths="10,40,70", seed=3, facts=4)


def test_the_first_question_of_a_context_goes_alone_and_its_others_together(tmp_path: Path) -> None:
    """One context, a dozen questions, a dozen workers: two round trips."""
    one = verbs.build("needles", tmp_path / "one", lengths="2k", depths="50", ask="each", facts=4, prompts="standard")
    asked = len(one.items)
    assert asked >= 8
    together = threading.Barrier(asked - 1)
    lock, served = threading.Lock(), list[str]()

    def say(request: Asked) -> Reply:
        with lock:
            served.append(request.headers["x-session-id"])
            first = len(served) == 1
        if first:
            time.sleep(0.5)
            assert len(served) == 1, "another was sent before the first was answered"
        else:
            together.wait(timeout=60)  # all others are in flight at once
        return Reply(cached=0 if first else 90)

    with ChatServer(say) as server:
        result = verbs.run(one, MODEL, tmp_path / "runs", base_url=server.base_url, concurrency=asked)
    assert (result.sent, result.failed) == (asked, 0)
    assert len(set(served)) == 1, "a router must see one session"
    assert sum(call.tokens_cached for call in collect_calls(tmp_path / "runs")) == 90 * (asked - 1)
    assert len(server.asked) == asked


def test_no_context_is_read_by_two_at_once(tmp_path: Path) -> None:
    """Of so few answers no prefill time is learned: whole answers are waited for."""
    few = verbs.build("needles", tmp_path / "few", lengths="1k,2k", depths="10,70", seed=3, facts=4)
    contexts = {item.sha256: item.context.sha256 for item in few.items.values()}
    begun, answered, early = set[str](), set[str](), list[str]()
    lock = threading.Lock()

    def say(asked: Asked) -> Reply:
        context = contexts[asked.sha256]
        with lock:
            if context in begun - answered:
                early.append(context)
            begun.add(context)
        time.sleep(0.05)
        with lock:
            answered.add(context)
        return Reply()

    with ChatServer(say) as server:
        verbs.run(few, MODEL, tmp_path / "runs", base_url=server.base_url, concurrency=3)
    assert len({asked.headers["x-session-id"] for asked in server.asked}) > 1
    assert not early
    assert len(collect_calls(tmp_path / "runs")) == len(few.items)


def test_a_resumed_run_finds_its_prefixes_on_the_same_replicas(wide: Bench, tmp_path: Path) -> None:
    """Sessions follow from the benchmark, not from what is left of it."""

    def sessions(server: ChatServer) -> dict[str, str]:
        return {asked.sha256: asked.headers["x-session-id"] for asked in server.asked}

    how: dict[str, Any] = {"concurrency": 6, "replicas": 3}
    with ChatServer() as server:
        verbs.run(wide, MODEL, tmp_path / "whole", base_url=server.base_url, **how)
        expected = sessions(server)
        assert len(set(expected.values())) >= 3
        server.asked.clear()
        with pytest.raises(Stopped):
            verbs.run(wide, MODEL, tmp_path / "parts", base_url=server.base_url, budget="4500tok", max_tokens=50, **how)
        first = sessions(server)
        server.asked.clear()
        verbs.run(wide, MODEL, tmp_path / "parts", base_url=server.base_url, max_tokens=50, **how)
    rest = sessions(server)
    assert first
    assert rest
    assert not set(first) & set(rest), "nothing is sent twice"
    assert first | rest == expected


def test_one_branch_never_fills_a_replicas_queue(tmp_path: Path) -> None:
    """Eight questions over one context, eight workers, four replicas: two in flight per session."""
    one = verbs.build("needles", tmp_path / "one", lengths="2k", depths="50", ask="each", facts=4, prompts="standard")
    lock, flying, most = threading.Lock(), dict[str, int](), list[int]()

    def say(asked: Asked) -> Reply:
        session = asked.headers["x-session-id"]
        with lock:
            flying[session] = flying.get(session, 0) + 1
            most.append(flying[session])
        time.sleep(0.02)
        with lock:
            flying[session] -= 1
        return Reply()

    with ChatServer(say) as server:
        verbs.run(one, MODEL, tmp_path / "runs", base_url=server.base_url, concurrency=8, replicas=4)
    assert max(most) == 2
