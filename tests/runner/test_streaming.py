"""Streamed replies: the same answers as whole ones, no half answer, and siblings that go at the first token."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest
from tests.answering import answering
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.runner.logs import collect_calls
from longreach.runner.opening import ServerCache, open_model, server_cache
from longreach.runner.run_settings import RunResult

MODEL = "openai-api/local/m"


@dataclass
class Streamed(Reply):
    """A reply as events; `pause` is called before the event of that number."""

    pauses: dict[int, Callable[[], object]] = field(default_factory=dict)
    counted: bool = True
    """Whether usage is sent."""
    cut: int | None = None
    """The connection ends in good order after so many events."""
    more: dict[int, dict[str, Any]] = field(default_factory=dict)
    """Further events, before those of these numbers."""

    def events(self) -> list[bytes]:
        whole = json.loads(self.body())
        pieces = [self.text[at : at + 7] for at in range(0, len(self.text), 7)]
        found: list[dict[str, Any]] = [{"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]}]
        found += [{"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces]
        found += [{"choices": [{"index": 0, "delta": {}, "finish_reason": self.finish}]}]
        found += [{"choices": [], "usage": whole["usage"]}] if self.counted else []
        for number, event in self.more.items():
            found.insert(number, event)
        return [*(json.dumps(event).encode() for event in found), b"[DONE]"]

    def send(self, handler: BaseHTTPRequestHandler) -> None:
        handler.send_response(200)
        handler.send_header("content-type", "text/event-stream; charset=utf-8")
        handler.send_header("connection", "close")
        handler.end_headers()
        handler.close_connection = True
        for number, event in enumerate(self.events()[: self.cut]):
            if number in self.pauses:
                handler.wfile.flush()
                self.pauses[number]()
            handler.wfile.write(b": comment\r\n" * (number % 2) + b"data: " + event + b"\r\n\r\n")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "600", "depths": "50", "facts": 2, "ask": "each"}
    return verbs.build("needles", tmp_path_factory.mktemp("streaming") / "bench", **settings)


def right(bench: Bench, asked: Asked) -> str:
    return answering(bench)(asked).text


def say_right(kind: type[Reply], bench: Bench, used: dict[str, Any], one: Asked) -> Reply:
    return kind(right(bench, one), **used)


def run(bench: Bench, folder: Path, say: Callable[[Asked], Reply], **settings: Any) -> tuple[RunResult, list[Asked]]:
    with ChatServer(say) as server:
        found = verbs.run(bench, MODEL, folder, base_url=server.base_url, **{"max_retries": 0} | settings)
    return found, server.asked


def test_a_streamed_answer_is_the_same_as_a_whole_one(small: Bench, tmp_path: Path) -> None:
    used = {"prompt_tokens": 700, "cached": 600, "tokens": 20, "finish": "stop"}
    for name, kind in (("whole", Reply), ("streamed", Streamed)):
        result, asked = run(small, tmp_path / name, partial(say_right, kind, small, used))
        assert result.failed == 0, result.error
        assert all(one.body["stream"] and one.body["stream_options"]["include_usage"] for one in asked)
    own = ("text", "stop", "tokens_in", "tokens_cached", "tokens_out")
    whole, streamed = (
        {call.item: [getattr(call, field) for field in own] for call in collect_calls(tmp_path / name)}
        for name in ("whole", "streamed")
    )
    assert whole == streamed
    rows = verbs.grade(tmp_path / "streamed")
    assert {row.verdict.value for row in rows} == {1.0}
    assert all(0 < row.first_token <= row.seconds for row in rows)
    assert all(0 < call.first_token <= call.seconds for call in collect_calls(tmp_path / "streamed"))
    assert not any(call.first_token for call in collect_calls(tmp_path / "whole"))


def test_a_stream_that_ends_early_is_never_an_answer(small: Bench, tmp_path: Path) -> None:
    """Cut after every event that comes before the reason to stop."""
    events = len(Streamed("x" * 30).events())
    for cut in range(events - 3):
        reply = Streamed("x" * 30, cut=cut)
        result, _ = run(small, tmp_path / str(cut), partial(lambda reply, _: reply, reply))
        assert result.failed == len(small.items), cut
        assert "ended before the answer was complete" in result.error


@pytest.mark.parametrize("number", [0, 2])
def test_an_error_inside_a_stream_is_an_error(small: Bench, tmp_path: Path, number: int) -> None:
    event = {"error": {"message": "out of memory", "code": 500}}
    result, _ = run(small, tmp_path, lambda one: Streamed(right(small, one), more={number: event}))
    assert result.failed == len(small.items)
    assert "out of memory" in result.error


def test_a_server_that_counts_tokens_in_whole_replies_only_is_asked_for_those(small: Bench, tmp_path: Path) -> None:
    def say(one: Asked) -> Reply:
        return Streamed(right(small, one), counted=False) if one.body.get("stream") else Reply(right(small, one))

    result, asked = run(small, tmp_path, say, concurrency=1)
    assert result.failed == 0
    assert [bool(one.body.get("stream")) for one in asked] == [True] + [False] * (len(small.items) - 1)


def test_a_server_that_refuses_streams_is_asked_without(small: Bench, tmp_path: Path) -> None:
    def say(one: Asked) -> Reply:
        refused = Reply("Unrecognized request argument supplied: stream_options", status=400)
        return refused if one.body.get("stream") else Reply(right(small, one))

    result, asked = run(small, tmp_path, say, concurrency=1)
    assert result.failed == 0
    assert [bool(one.body.get("stream")) for one in asked] == [True] + [False] * len(small.items)


METRICS = (
    b"# HELP vllm:cache_config_info x\n"
    b'vllm:cache_config_info{block_size="16",cache_dtype="auto",num_gpu_blocks="%d",sliding_window="None"} 1.0\n'
)


@pytest.mark.parametrize(
    ("pages", "settings", "most"),
    [
        ({"/get_server_info": b'{"max_total_num_tokens": 880}'}, {}, (1, (3, 4))),
        ({}, {"cache_size": "880"}, (1, (3, 4))),
        ({"/metrics": METRICS % 10_000}, {}, (2, (6,))),
        ({}, {}, (3, (4, 5, 6))),
    ],
)
def test_contexts_that_do_not_fit_the_cache_together_are_not_in_flight_together(
    pages: dict[str, bytes], settings: dict[str, Any], most: tuple[int, tuple[int, ...]], docs: Path, tmp_path: Path
) -> None:
    """The most contexts and requests at once. To a server with a queue some are sent ahead; where nothing is known of
    a server, its speed decides."""
    bench = verbs.build(
        "needles", tmp_path / "bench", docs=[str(docs)], lengths="600", depths="0,50,100", facts=2, ask="each"
    )
    contexts = {item.sha256: item.context.sha256 for item in bench.items.values()}
    flying: list[str] = []
    served: list[Asked] = []
    seen: list[tuple[int, int]] = []
    lock = threading.Lock()

    def say(one: Asked) -> Reply:
        with lock:
            flying.append(contexts[one.sha256])
            seen.append((len(set(flying)), len(flying)))
            served.append(one)
            slow = len(served) % 3 == 0  # so that not all in flight end together
        time.sleep(0.3 if slow else 0.05)
        with lock:
            flying.remove(contexts[one.sha256])
        return Streamed(right(bench, one))

    with ChatServer(say, pages=pages) as server:
        result = verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, concurrency=6, **settings)
    assert (result.sent, result.failed) == (len(bench.items), 0)
    contexts_together, together = map(max, zip(*seen, strict=True))
    assert contexts_together == most[0] or not (pages or settings)
    assert contexts_together <= most[0]
    assert together in most[1]


def test_the_others_over_a_context_go_at_the_first_token_and_not_before(small: Bench, tmp_path: Path) -> None:
    """The first answer is finished only when a second request has come; its first token waits for nothing."""
    second = threading.Event()
    before: list[int] = []
    served: list[Asked] = []

    def say(one: Asked) -> Reply:
        served.append(one)
        if len(served) == 1:
            waits: dict[int, Callable[[], object]] = {1: lambda: before.append(len(served)), 3: lambda: second.wait(20)}
            return Streamed(right(small, one), pauses=waits)
        second.set()
        return Streamed(right(small, one))

    result, _ = run(small, tmp_path, say, concurrency=4)
    assert result.failed == 0
    assert before == [1], "nothing was sent before the first token"
    assert second.is_set()
    calls = sorted(collect_calls(tmp_path), key=lambda call: call.ended - call.seconds)
    assert calls[0].seconds < 15, "the second was sent while the first was still answered"


def test_without_streams_the_others_over_a_context_go_when_its_prefix_is_expected_in_the_cache(
    tmp_path: Path, docs: Path
) -> None:
    """A context's first request takes longer by its prefill; once that is learned, others go while it is answered."""
    given: dict[str, Any] = {"docs": [str(docs)], "lengths": "2k", "depths": "0..100/10", "facts": 2, "ask": "each"}
    bench = verbs.build("needles", tmp_path / "bench", prompts="standard", **given)
    contexts = {item.sha256: item.context.sha256 for item in bench.items.values()}
    lock = threading.Lock()
    first: dict[str, bool] = {}
    """Whether the first request over a context is answered."""
    early: list[str] = []

    def say(one: Asked) -> Reply:
        context = contexts[one.sha256]
        with lock:
            alone = context not in first
            if alone:
                first[context] = False
            elif not first[context]:
                early.append(context)
        time.sleep(0.8 if alone else 0.6)
        first[context] = True
        return Reply(right(bench, one), tokens=30)

    result, asked = run(bench, tmp_path / "runs", say, concurrency=4)
    assert (result.failed, len(asked)) == (0, len(bench.items))
    begun = list(first)
    assert early, "others were sent before the first of their context was answered"
    assert not set(early) & set(begun[:4]), "not before there was something to learn from"


def test_a_vllm_server_says_how_much_its_cache_holds_and_that_it_has_a_queue() -> None:
    with ChatServer(lambda _: Reply(), pages={"/metrics": METRICS % 55}) as server:
        assert server_cache(open_model(MODEL, base_url=server.base_url)) == ServerCache(tokens=880, queues=True)
