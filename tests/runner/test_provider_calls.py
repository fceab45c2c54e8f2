"""Rules around every call, over real HTTP: tool calls, hopeless errors, waits, blank answers, reasoning."""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from email.utils import formatdate
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.answering import answering
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.doubles.fault_server import said

from longreach import api as verbs
from longreach.cli import cli
from longreach.core.bench import Bench
from longreach.errors import Stopped
from longreach.runner.faults import hopeless
from longreach.runner.logs import collect_calls

MODEL = "openai-api/local/double"
TOOL_CALL = {"id": "c1", "type": "function", "function": {"name": "search", "arguments": '{"q": "x"}'}}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> Bench:
    settings: dict[str, Any] = {"docs": [str(docs)], "lengths": "600", "depths": "0,30,60,100", "facts": 2}
    return verbs.build("needles", tmp_path_factory.mktemp("guarded") / "bench", **settings)


def right(bench: Bench, asked: Asked) -> str:
    return answering(bench)(asked).text


def run(bench: Bench, runs: Path, say: Callable[[Asked], Reply], **settings: Any) -> tuple[Any, list[Asked]]:
    with ChatServer(say) as server:
        result = verbs.run(bench, MODEL, runs, base_url=server.base_url, **({"max_retries": 0} | settings))
    return result, server.asked


def test_a_tool_call_is_asked_for_once_and_is_a_status_of_its_own(small: Bench, tmp_path: Path) -> None:
    reply = Reply("", finish="tool_calls", message={"tool_calls": [TOOL_CALL]})
    result, asked = run(small, tmp_path / "runs", lambda _: reply, max_retries=3)
    assert len(asked) == len(small.items)
    assert not any("tools" in one.body for one in asked)
    rows = verbs.grade(tmp_path / "runs")
    assert {(row.verdict.status, row.verdict.value) for row in rows} == {("tool_call", None)}
    assert f"{len(small.items)} tool call" in result.summary()


HOPELESS = {
    "a refused key": said("Incorrect API key provided", status=401, code="invalid_api_key"),
    "an unknown model as a bad request": said("double is not a valid model id", status=400, code="model_not_found"),
    "an exhausted quota": said("You exceeded your current quota, please check your plan.", 429, "insufficient_quota"),
}


@pytest.mark.parametrize("name", HOPELESS)
def test_hopeless_errors_stop_after_three_in_a_row(small: Bench, tmp_path: Path, name: str) -> None:
    with ChatServer(lambda _: HOPELESS[name]) as server:
        command = ["run", str(small.folder), "-m", MODEL, "-o", str(tmp_path / "runs"), "--yes", "--concurrency", "1"]
        done = CliRunner().invoke(cli, [*command, "--base-url", server.base_url, "--set", "max_retries=4"])
    assert len(server.asked) == 3 < len(small.items), "three requests, none of them twice"
    assert isinstance(done.exception, Stopped)
    assert done.exception.exit_code == 3
    message = json.loads(HOPELESS[name].raw or b"")["error"]["message"]
    assert message in str(done.exception)


def test_a_server_that_is_not_there_stops_a_run_early(small: Bench, tmp_path: Path) -> None:
    with ChatServer() as gone:
        address = gone.base_url
    with pytest.raises(Stopped, match="three requests in a row failed the same way: server unreachable"):
        verbs.run(small, MODEL, tmp_path / "runs", base_url=address, max_retries=0, concurrency=1)


def test_errors_that_pass_do_not_stop_a_run(small: Bench, tmp_path: Path) -> None:
    """Two refusals in a row, then an answer, again and again; and a limit per minute in the words of a quota."""
    seen: Counter[str] = Counter()

    def say(asked: Asked) -> Reply:
        seen["all"] += 1
        return Reply("go away", status=403) if seen["all"] % 3 else Reply(right(small, asked))

    result, asked = run(small, tmp_path / "runs", say, concurrency=1)
    assert len(asked) == len(small.items)
    assert result.failed == sum(1 for number in range(1, len(asked) + 1) if number % 3)
    assert not hopeless("HTTP 429: You exceeded your current quota. Please retry in 26.5s.")
    assert not hopeless("HTTP 429: Rate limit reached for requests per minute")


@pytest.mark.parametrize("form", ["seconds", "milliseconds", "date"])
def test_the_wait_a_server_asks_for_is_waited_for_by_all(small: Bench, tmp_path: Path, form: str) -> None:
    """No request comes before the time the server named, neither the one it refused nor any other."""
    refused: list[float] = []
    early: list[float] = []
    headers = {"seconds": {"retry-after": "2"}, "milliseconds": {"retry-after-ms": "2000"}}

    def say(asked: Asked) -> Reply:
        now = time.monotonic()
        if not refused:
            refused.append(now)
            given = headers.get(form) or {"retry-after": formatdate(time.time() + 3, usegmt=True)}
            return Reply("slow down", status=429, headers=given)
        if now < refused[0] + 1.9:
            early.append(now - refused[0])
        return Reply(right(small, asked))

    result, asked = run(small, tmp_path / "runs", say, max_retries=1, concurrency=1)
    assert result.failed == 0
    assert len(asked) == len(small.items) + 1
    assert early == []


def test_a_wait_beyond_all_patience_is_not_waited_for(small: Bench, tmp_path: Path) -> None:
    reply = Reply("come back tomorrow", status=429, headers={"retry-after": "86400"})
    result, asked = run(small, tmp_path / "runs", lambda _: reply, max_retries=5)
    assert len(asked) == len(small.items) == result.failed
    assert "asks for a wait of 86400 s" in result.error


def test_without_usable_counts_an_answer_has_our_own(small: Bench, tmp_path: Path) -> None:
    counts = cycle((None, "many", {}, {"prompt_tokens": 9, "completion_tokens": None}, {"prompt_tokens": 0}))
    notes: list[str] = []

    def say(_: Asked) -> Reply:
        return Reply(raw=json.dumps(json.loads(Reply("Question 1: no").body()) | {"usage": next(counts)}).encode())

    result, asked = run(small, tmp_path / "runs", say, note=notes.append, concurrency=1)
    assert (result.failed, len(asked)) == (0, len(small.items))
    calls = collect_calls(tmp_path / "runs")
    assert {call.item: call.tokens_in for call in calls} == {item.id: item.tokens for item in small.items.values()}
    assert all(call.uncounted for call in calls)
    assert len([line for line in notes if "reports no usable token usage" in line]) == 1


def half(bench: Bench, asked: Asked, **more: Any) -> Reply:
    """Half of the right answer, in a whole body with further parts."""
    text = right(bench, asked)
    body = json.loads(Reply(text[: len(text) // 2]).body())
    body["choices"][0] |= more.pop("choice", {})
    return Reply(raw=json.dumps(body | more).encode())


REASONS = ("error", "abort", "timeout", "cancelled", "SAFETY", "OTHER", "insufficient_system_resource", "x" * 500, 7)
UNFINISHED: dict[str, dict[str, Any]] = {
    str(reason)[:20]: {"choice": {"finish_reason": reason}} for reason in REASONS
} | {
    "no reason": {"choice": {"finish_reason": None}},
    "an error beside the answer": {"error": {"message": "upstream died", "code": 502}},
    "an error in words": {"error": "upstream died"},
}


def test_half_an_answer_is_never_a_wrong_one(small: Bench, tmp_path: Path) -> None:
    kinds = cycle(UNFINISHED.values())
    for number in range(2):
        run(small, tmp_path / str(number), lambda asked: half(small, asked, **deepcopy(next(kinds))))
        rows = verbs.grade(tmp_path / str(number))
        assert {row.verdict.value for row in rows} == {None}
        assert {row.verdict.status for row in rows} <= {"error", "refused"}
    assert len(UNFINISHED) <= 2 * len(small.items), "each of them was sent"


def test_an_unfinished_answer_is_retried_and_a_whole_one_without_reason_counts(small: Bench, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()

    def say(asked: Asked) -> Reply:
        seen[asked.sha256] += 1
        whole = json.loads(Reply(right(small, asked)).body())
        whole["choices"][0]["finish_reason"] = None
        return (
            half(small, asked, choice={"finish_reason": "abort"})
            if seen[asked.sha256] == 1
            else Reply(raw=json.dumps(whole).encode())
        )

    notes: list[str] = []
    result, _ = run(small, tmp_path / "runs", say, max_retries=1, note=notes.append)
    assert result.failed == 0
    assert set(seen.values()) == {2}
    assert {row.verdict.value for row in verbs.grade(tmp_path / "runs")} == {1.0}
    assert len([line for line in notes if "names no finish_reason" in line]) == 1


def test_no_reply_stalls_a_run(small: Bench, tmp_path: Path) -> None:
    """A looping model: read in quadratic time, one such reply took a minute and a half."""
    texts = cycle(("<think>" * 20_000, "<think" * 20_000, "<thinking>a</" * 20_000, "[" * 100_000))
    result, _ = run(small, tmp_path / "runs", lambda _: Reply(next(texts)), concurrency=1)
    verbs.grade(tmp_path / "runs")
    assert result.failed == 0


def test_a_blank_answer_is_asked_for_once_more(small: Bench, tmp_path: Path) -> None:
    seen: Counter[str] = Counter()
    always = next(iter(small.items.values())).sha256

    def say(asked: Asked) -> Reply:
        seen[asked.sha256] += 1
        blank = asked.sha256 == always or seen[asked.sha256] == 1
        return Reply(" \n" if blank else right(small, asked))

    _, asked = run(small, tmp_path / "runs", say, max_retries=3)
    assert set(seen.values()) == {2}
    verdicts = {(small.items[row.item].sha256 == always, row.verdict.status) for row in verbs.grade(tmp_path / "runs")}
    assert verdicts == {(True, "unparsed"), (False, "scored")}
    assert {call.tokens_in for call in collect_calls(tmp_path / "runs")} == {200}, "both requests are paid for"
    assert len(asked) == 2 * len(small.items)


def test_reasoning_is_separate_and_never_graded(small: Bench, tmp_path: Path) -> None:
    def say(asked: Asked) -> Reply:
        thought = f"Perhaps: {right(small, asked)}"
        return Reply("I cannot say.", message={"reasoning_content": thought}, tokens=50, reasoning_tokens=40)

    run(small, tmp_path / "runs", say)
    calls = collect_calls(tmp_path / "runs")
    assert {call.text for call in calls} == {"I cannot say."}
    assert all(call.reasoning.startswith("Perhaps: ") for call in calls)
    assert {call.tokens_reasoning for call in calls} == {40}
    rows = verbs.grade(tmp_path / "runs")
    assert all(row.verdict.value != 1 for row in rows), "an answer in the thoughts was graded"
    assert {row.tokens_reasoning for row in rows} == {40}


@pytest.mark.parametrize(("finish", "status"), [("length", "truncated"), ("stop", "unparsed")])
def test_an_answer_eaten_by_thinking_is_told_apart(small: Bench, tmp_path: Path, finish: str, status: str) -> None:
    reply = Reply("", finish=finish, message={"reasoning_content": "Hm. " * 99}, tokens=400, reasoning_tokens=400)
    result, asked = run(small, tmp_path / "runs", lambda _: reply)
    more = {each.body["max_tokens"] for each in asked}
    if finish == "stop":
        assert len(asked) == 2 * len(small.items)
    else:  # those in flight before it was known that the model reasons are sent again, with room
        assert len(small.items) < len(asked) <= len(small.items) + 8
        assert max(more) > 10_000 > min(more)
    total = 400 if finish == "length" else 800
    verdicts = {(row.verdict.status, row.verdict.reason) for row in verbs.grade(tmp_path / "runs")}
    assert verdicts == {(status, f"no answer within {total} reasoning tokens")}
    assert f"{len(small.items)} without an answer after reasoning" in result.summary()


def test_thoughts_inside_an_answer_that_never_end_are_no_answer(small: Bench, tmp_path: Path) -> None:
    def say(asked: Asked) -> Reply:
        return Reply(f"<think>Perhaps:\n{right(small, asked)}", finish="length", tokens=60)

    result, _ = run(small, tmp_path / "runs", say)
    verdicts = {(row.verdict.status, row.verdict.reason) for row in verbs.grade(tmp_path / "runs")}
    assert verdicts == {("truncated", "no answer within 60 reasoning tokens")}
    assert f"{len(small.items)} without an answer after reasoning" in result.summary()


def completion(text: str, finish: str = "stop") -> Reply:
    body = {"id": "c", "object": "text_completion", "created": 0, "model": "double"}
    body |= {"choices": [{"index": 0, "text": text, "finish_reason": finish, "logprobs": None}]}
    body |= {"usage": {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}}
    return Reply(raw=json.dumps(body).encode())


def test_a_base_model_gets_a_limit_a_stop_and_a_session(small: Bench, tmp_path: Path) -> None:
    with ChatServer(lambda _: completion("Question 1: no")) as server:
        model = "openai-api-completions/local/double"
        result = verbs.run(small, model, tmp_path / "runs", base_url=server.base_url, max_retries=0)
    assert (result.sent, result.failed) == (len(small.items), 0)
    assert {asked.sha256 for asked in server.asked} == {item.sha256 for item in small.items.values()}
    assert all(asked.body["max_tokens"] > 20 for asked in server.asked)
    assert all("\n<text>" in asked.body["stop"] for asked in server.asked)
    assert all(len(asked.headers["x-session-id"]) == 64 for asked in server.asked)


def test_of_a_base_model_that_runs_on_the_first_round_counts(small: Bench, tmp_path: Path) -> None:
    def say(asked: Asked) -> Reply:
        return completion(f"{right(small, asked)}\n\nQuestion 1: 7\nQuestion 2: 8\nQuestion 3:", "length")

    with ChatServer(say) as server:
        model = "openai-api-completions/local/double"
        verbs.run(small, model, tmp_path / "runs", base_url=server.base_url, max_retries=0)
    assert {(row.verdict.status, row.verdict.value) for row in verbs.grade(tmp_path / "runs")} == {("scored", 1.0)}


def test_a_chat_endpoint_without_a_template_names_the_way_for_base_models(small: Bench, tmp_path: Path) -> None:
    """As vLLM says it."""
    said = (
        "As of transformers v4.44, default chat template is no longer allowed, so you must provide a chat template if "
        "the tokenizer does not define one."
    )
    with (
        ChatServer(lambda _: Reply(said, status=400)) as server,
        pytest.raises(Stopped, match=r"three requests in a row .* vllm-completions/NAME"),
    ):
        verbs.run(small, "vllm/base", tmp_path / "runs", base_url=server.base_url)
