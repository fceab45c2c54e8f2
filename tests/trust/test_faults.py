"""Faults over real HTTP: each ends in the right status or in a bounded retry, none is a wrong answer, none is lost."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest
from click.testing import CliRunner
from tests.answering import answer
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.doubles.fault_server import BUSY, OVERFLOWS, CutOff, Dripping, Hanging, Twice, said

from longreach import api as verbs
from longreach.cli import cli
from longreach.core.bench import Bench
from longreach.core.runs import overflowed
from longreach.reporting.tables import status_table
from longreach.runner.logs import collect_calls

MODEL = "openai-api/local/double"
_WHOLE = json.loads(Reply("Question 1: no").body())
Name = TypeVar("Name")
_HTML = {"content-type": "text/html"}
TOOL_CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": "{}"}}


@dataclass(frozen=True)
class Fault:
    """A reply, the status it must end in, and the word the summary counts it under."""

    reply: Reply
    status: str = "error"
    kind: str = ""


FAULTS: dict[str, Fault] = {
    "busy": Fault(Reply("slow down", status=429), kind="HTTP 429"),
    "busy for a second": Fault(Reply("slow down", status=429, headers={"retry-after": "1"}), kind="HTTP 429"),
    "busy for an hour": Fault(Reply("slow down", status=429, headers={"retry-after": "3600"}), kind="HTTP 429"),
    "broken": Fault(Reply("oh", status=500), kind="HTTP 500"),
    "away": Fault(Reply("later", status=503), kind="HTTP 503"),
    "no page": Fault(Reply(status=502, raw=b"<html>bad gateway</html>", headers=_HTML), kind="HTTP 502"),
    "unknown": Fault(Reply("no such model", status=404), kind="HTTP 404"),
    "reset in mid-body": Fault(CutOff(), kind="connection lost"),
    "closed in mid-body": Fault(CutOff(reset=False), kind="connection lost"),
    "truncated JSON": Fault(Reply(raw=Reply().body()[:90]), kind="unreadable reply"),
    "invalid JSON": Fault(Reply(raw=b"{'choices': no}"), kind="unreadable reply"),
    "no body": Fault(Reply(raw=b""), kind="unreadable reply"),
    "JSON of something else": Fault(Reply(raw=b'"hello"'), kind="unreadable reply"),
    "wrong content type": Fault(Reply(raw=b"<html>welcome</html>", headers=_HTML), kind="unreadable reply"),
    "no choices": Fault(Reply(raw=json.dumps(_WHOLE | {"choices": []}).encode()), kind="empty reply"),
    "null choices": Fault(Reply(raw=json.dumps(_WHOLE | {"choices": None}).encode()), kind="unreadable reply"),
    "an error with 200": Fault(
        Reply(raw=json.dumps({"error": {"message": "upstream died", "code": 502}}).encode()), kind="HTTP 502"
    ),
    "an error with 200 in words": Fault(Reply(raw=b'{"error": "upstream died"}'), kind="HTTP 200"),
    "redirected": Fault(Reply("", status=307, headers={"location": "/v1/chat/completions"}), kind="HTTP 307"),
    "filtered": Fault(Reply("", finish="content_filter"), "refused", "refused"),
    "prompt filtered": Fault(
        said(
            "The response was filtered due to the prompt triggering content management policy.", code="content_filter"
        ),
        "refused",
        "refused",
    ),
    "too long": Fault(OVERFLOWS["openai"], "overflow", "overflow"),
    "cut off": Fault(Reply("", finish="length"), "truncated", "cut off"),
    "no answer but reasoning": Fault(
        Reply("", finish="length", message={"reasoning_content": "Hm, let me see."}, tokens=90, reasoning_tokens=90),
        "truncated",
        "without an answer after reasoning",
    ),
    "a tool call": Fault(Reply("", finish="tool_calls", message={"tool_calls": [TOOL_CALL]}), "tool_call", "tool call"),
    "a tool call that says stop": Fault(Reply("", message={"tool_calls": [TOOL_CALL]}), "tool_call", "tool call"),
    "cut off in thought": Fault(
        Reply("Let me think about the first question.", finish="length"), "truncated", "cut off"
    ),
    "blank": Fault(Reply(" \n"), "unparsed", "empty answer"),
}
ONCE = [
    name
    for name, fault in FAULTS.items()
    if fault.status == "error" and name not in ("unknown", "redirected", "busy for an hour")
]


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    """Forty items of one question or more."""
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "600,700,800,900,1000", "depths": "0,30,60,100"}
    return verbs.build("needles", tmp_path_factory.mktemp("faults") / "bench", **settings, facts=4, seed=3)


def items_by_prompt(bench: Bench) -> dict[str, str]:
    return {item.sha256: item.id for item in bench.items.values()}


def right_answer(bench: Bench, item: str) -> Reply:
    return Reply(answer(bench, bench.items[item]))


def with_faults(bench: Bench, replies: dict[Name, Reply]) -> tuple[dict[str, Name], Callable[[Asked], Reply]]:
    """Which item meets which reply, and a server's rule that gives all others the right answer."""
    of_item = dict(zip(list(bench.items)[::-1], replies, strict=False))
    assert len(of_item) == len(replies), "more faults than items"
    known = items_by_prompt(bench)

    def say(asked: Asked) -> Reply:
        item = known[asked.sha256]
        return replies[of_item[item]] if item in of_item else right_answer(bench, item)

    return of_item, say


def test_every_fault_has_its_status_and_is_counted(bench: Bench, tmp_path: Path) -> None:
    of_item, say = with_faults(bench, {name: fault.reply for name, fault in FAULTS.items()})
    runs = tmp_path / "runs"
    command = ["run", str(bench.folder), "-m", MODEL, "-o", str(runs), "--yes", "--set", "max_retries=0"]
    command += ["--concurrency", "16"]
    with ChatServer(say) as server:
        done = CliRunner().invoke(cli, [*command, "--base-url", server.base_url])
    assert done.exit_code == 3, done.output
    asked = Counter(items_by_prompt(bench)[one.sha256] for one in server.asked)
    assert set(asked) == set(bench.items), "the run went on to the end"
    caps: dict[str, list[int]] = {}
    for one in server.asked:
        caps.setdefault(of_item.get(items_by_prompt(bench)[one.sha256], ""), []).append(one.body["max_tokens"])
    cut = ("cut off", "cut off in thought", "no answer but reasoning")
    room = max(max(caps[name]) for name in cut)
    assert min(caps[name][0] for name in cut) < room, "the first sign of reasoning came at the ordinary limit"
    assert {caps[name][-1] for name in cut} == {room}, "each was asked with room for reasoning, at once or once more"
    assert all(len(caps[name]) <= 2 for name in cut)
    assert {name for item, name in of_item.items() if asked[item] > 1} - set(cut) == {"blank", "too long"}
    assert len(caps["blank"]) == len(caps["too long"]) == 2, "once more; with room for the answer alone"

    rows = verbs.grade(runs)
    assert {(row.item, row.question) for row in rows} == {(i.id, q) for i in bench.items.values() for q in i.questions}
    statuses: dict[str, set[str]] = {}
    for row in rows:
        statuses.setdefault(row.item, set()).add(row.verdict.status)
    found = {name: statuses[item] for item, name in of_item.items()}
    assert found == {name: {fault.status} for name, fault in FAULTS.items()}
    assert {row.verdict.value for row in rows if row.item in of_item} == {None}, "a fault was given a score"
    assert {row.verdict.value for row in rows if row.item not in of_item} == {1.0}

    kinds = Counter(fault.kind for fault in FAULTS.values() if fault.kind)
    (summary,) = [line for line in done.output.splitlines() if "items sent" in line]
    for kind, count in kinds.items():
        assert f"{count} {kind}" in summary, f"{kind} is not counted in: {summary}"
    failed = sum(fault.status == "error" for fault in FAULTS.values())
    assert f"{failed} failed (" in summary

    made = verbs.report(runs, tmp_path / "page.html")
    by_status = Counter[str](row.verdict.status for row in made.rows)
    shown = status_table(made)
    heads = [column.title for column in shown.columns]
    for status in {fault.status for fault in FAULTS.values()}:
        assert (
            sum(int(str(line[heads.index(status.replace("_", " "))])) for line in shown.rows) == by_status[status] > 0
        )

    with ChatServer(lambda one: right_answer(bench, items_by_prompt(bench)[one.sha256])) as healthy:
        result = verbs.run(bench, MODEL, runs, base_url=healthy.base_url)
    again = {items_by_prompt(bench)[one.sha256] for one in healthy.asked}
    assert again == {item for item, name in of_item.items() if FAULTS[name].status == "error"}
    assert (result.sent, result.failed, result.faults) == (failed, 0, {})
    assert "error" not in {row.verdict.status for row in verbs.grade(runs)}


def claude(text: str = "Question 1: no", stop: str = "end_turn", **more: Any) -> Reply:
    """A reply in Anthropic's form."""
    usage = {"input_tokens": 10, "output_tokens": 5}
    body: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "model": "claude-double", "usage": usage}
    body |= {"content": [{"type": "text", "text": text}] if text else [], "stop_reason": stop, "stop_sequence": None}
    return Reply(raw=json.dumps(body | more).encode())


def refusing(status: int, kind: str, message: str) -> Reply:
    """An error in Anthropic's form."""
    error = {"type": "error", "error": {"type": kind, "message": message}}
    return Reply(status=status, raw=json.dumps(error).encode())


CLAUDES: dict[str, Fault] = {
    "busy": Fault(refusing(429, "rate_limit_error", "Number of request tokens has exceeded your limit")),
    "overloaded": Fault(refusing(529, "overloaded_error", "Overloaded")),
    "broken": Fault(refusing(500, "api_error", "Internal server error")),
    "no such model": Fault(refusing(404, "not_found_error", "model: claude-double")),
    "reset in mid-body": Fault(CutOff(raw=claude().raw)),
    "truncated JSON": Fault(Reply(raw=claude().body()[:60])),
    "wrong content type": Fault(Reply(raw=b"<html>welcome</html>", headers=_HTML)),
    "too long": Fault(
        refusing(400, "invalid_request_error", "prompt is too long: 213462 tokens > 200000 maximum"), "overflow"
    ),
    "over the window": Fault(claude("", stop="model_context_window_exceeded"), "overflow"),
    "refusal": Fault(claude("", stop="refusal"), "refused"),
    "cut off": Fault(claude("", stop="max_tokens"), "truncated"),
    "blank": Fault(claude(" "), "unparsed"),
}


def test_the_faults_of_another_client(bench: Bench, tmp_path: Path) -> None:
    """Anthropic's own client, errors and reasons to stop."""
    pytest.importorskip("anthropic")
    of_item, fail = with_faults(bench, {name: fault.reply for name, fault in CLAUDES.items()})
    known = items_by_prompt(bench)

    def say(asked: Asked) -> Reply:
        item = known[asked.sha256]
        return fail(asked) if item in of_item else claude(right_answer(bench, item).text)

    where: dict[str, Any] = {"arguments": {"streaming": False}, "max_tokens": 100, "concurrency": 8}
    with ChatServer(say) as server:
        where["base_url"] = server.base_url.removesuffix("/v1")
        result = verbs.run(bench, "anthropic/claude-sonnet-4-5", tmp_path / "runs", max_retries=0, **where)
    asked = Counter(known[one.sha256] for one in server.asked)
    assert set(asked) == set(bench.items), "the run went on to the end"
    assert max(asked.values()) <= 2
    rows = verbs.grade(tmp_path / "runs")
    statuses: dict[str, set[str]] = {}
    for row in rows:
        if row.item in of_item:
            statuses.setdefault(of_item[row.item], set()).add(row.verdict.status)
    assert statuses == {name: {fault.status} for name, fault in CLAUDES.items()}
    assert {row.verdict.value for row in rows if row.item in of_item} == {None}, "a fault was given a score"
    assert {row.verdict.value for row in rows if row.item not in of_item} == {1.0}
    assert result.failed == sum(fault.status == "error" for fault in CLAUDES.values())


def test_a_fault_that_passes_is_got_over(bench: Bench, tmp_path: Path) -> None:
    of_item, fail = with_faults(bench, {name: FAULTS[name].reply for name in ONCE})
    known, seen, times, lock = items_by_prompt(bench), Counter[str](), dict[str, list[float]](), threading.Lock()

    def once(asked: Asked) -> Reply:
        item = known[asked.sha256]
        with lock:
            seen[item] += 1
            times.setdefault(of_item.get(item, ""), []).append(time.monotonic())
        return fail(asked) if seen[item] == 1 else right_answer(bench, item)

    with ChatServer(once) as server:
        result = verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, max_retries=1, concurrency=16)
    assert (result.failed, result.faults) == (0, {}), result.summary()
    assert {row.verdict.value for row in verbs.grade(tmp_path / "runs")} == {1.0}
    assert {name: seen[item] for item, name in of_item.items()} == dict.fromkeys(ONCE, 2)
    first, second = times["busy for a second"]
    assert second - first >= 1, "Retry-After was not waited for"


def test_a_call_that_takes_too_long_is_ended(docs: Path, tmp_path: Path) -> None:
    """One that never begins to answer, and one that never ends, the first time."""
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "600", "depths": "50", "facts": 4}
    few = verbs.build("needles", tmp_path / "few", **settings)
    known, seen = items_by_prompt(few), Counter[str]()
    never, once = few.items

    def say(asked: Asked) -> Reply:
        item = known[asked.sha256]
        seen[item] += 1
        if item == never:
            return Hanging(seconds=25)
        return Dripping(seconds=25) if seen[item] == 1 else right_answer(few, item)

    with ChatServer(say) as server:
        begun = time.monotonic()
        result = verbs.run(few, MODEL, tmp_path / "runs", base_url=server.base_url, max_retries=1, timeout=1)
        assert time.monotonic() - begun < 25, "it was waited for"
    assert result.faults == {"timed out": 1}
    assert "1 failed (1 timed out; run again" in result.summary()
    assert seen == {never: 2, once: 2}
    assert {(row.item, row.verdict.status) for row in verbs.grade(tmp_path / "runs")} == {
        (never, "error"),
        (once, "scored"),
    }


def test_retries_are_bounded(bench: Bench, tmp_path: Path) -> None:
    of_item, say = with_faults(bench, {name: FAULTS[name].reply for name in ("away", "no choices", "truncated JSON")})
    with ChatServer(say) as server:
        result = verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, max_retries=1, concurrency=4)
    counts = Counter(items_by_prompt(bench)[one.sha256] for one in server.asked)
    assert {name: counts[item] for item, name in of_item.items()} == {"away": 2, "no choices": 2, "truncated JSON": 2}
    assert result.failed == 3
    assert len(server.asked) == len(bench.items) - 3 + 6


def test_overflow_in_each_providers_own_words(bench: Bench, tmp_path: Path) -> None:
    of_item, say = with_faults(
        bench,
        {("overflow", who): reply for who, reply in OVERFLOWS.items()} | {("busy", w): r for w, r in BUSY.items()},
    )
    with ChatServer(say) as server:
        result = verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, max_retries=0, concurrency=16)
    statuses = {of_item[row.item]: row.verdict.status for row in verbs.grade(tmp_path / "runs") if row.item in of_item}
    expected = {"overflow": "overflow", "busy": "error"}
    assert statuses == {key: expected[key[0]] for key in of_item.values()}
    assert result.faults["overflow"] == len(OVERFLOWS)
    assert result.failed == len(BUSY)
    assert all(row.verdict.reason for row in verbs.grade(tmp_path / "runs") if row.verdict.status == "overflow")


@pytest.mark.parametrize(
    "message",
    [
        "max_tokens is too large: 50000. This model supports at most 16384 completion tokens",
        "Incorrect API key provided: sk-***",
        "Rate limit exceeded: too many tokens per minute",
        "You exceeded your current quota, please check your plan and billing details.",
        "Selected model is at capacity. Please try a different model.",
        "Connection error.",
    ],
)
def test_other_trouble_is_not_taken_for_overflow(message: str) -> None:
    assert not overflowed(message)


def test_replies_out_of_order_reach_the_right_items(bench: Bench, tmp_path: Path) -> None:
    known, waiting, lock = items_by_prompt(bench), list[threading.Event](), threading.Lock()
    answered: list[str] = []

    def last_first(asked: Asked) -> Reply:
        mine = threading.Event()
        with lock:
            waiting.append(mine)
            if len(waiting) >= 3:
                waiting.pop().set()
        # Whoever came first is let go by the third after it, or alone at the end.
        mine.wait(0.5)
        with lock:
            if mine in waiting:
                waiting.remove(mine)
            answered.append(known[asked.sha256])
        return Reply(f"Question 1: {known[asked.sha256]}")

    with ChatServer(last_first) as server:
        verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, concurrency=4)
    assert answered != [known[one.sha256] for one in server.asked], "nothing came out of order"
    texts = {call.item: call.text for call in collect_calls(tmp_path / "runs")}
    assert texts == {item: f"Question 1: {item}" for item in bench.items}


@pytest.mark.parametrize("concurrency", [1, 4])
def test_a_reply_sent_twice_is_not_taken_for_the_next_ones(bench: Bench, tmp_path: Path, concurrency: int) -> None:
    known = items_by_prompt(bench)
    with ChatServer(lambda asked: Twice(f"Question 1: {known[asked.sha256]}")) as server:
        verbs.run(bench, MODEL, tmp_path / "runs", base_url=server.base_url, concurrency=concurrency, max_retries=0)
    texts = {call.item: call.text for call in collect_calls(tmp_path / "runs") if not call.error}
    assert texts == {item: f"Question 1: {item}" for item in bench.items}
