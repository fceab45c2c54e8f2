"""The runner over real HTTP: what is sent, what is kept, what is never kept."""

from __future__ import annotations

import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.types import Row
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.families.showing import item_prompt
from longreach.planning.prefix_tree import sending_order
from longreach.runner.logs import collect_calls

MODEL = "openai-api/local/double"


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCAL_API_KEY", "sk-planted-secret")


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return verbs.build("needles", tmp_path / "bench", lengths="1k,2k", depths="10,60", seed=3, facts=4)


def run(bench: Bench, runs: Path, say: Callable[[Asked], Reply] = lambda _: Reply(), **settings: Any) -> ChatServer:
    with ChatServer(say) as server:
        verbs.run(bench, MODEL, runs, base_url=server.base_url, max_retries=1, **settings)
    return server


def log_bytes(runs: Path) -> bytes:
    """Everything in every log, unpacked."""
    return b"".join(
        archive.read(name)
        for path in runs.rglob("*.eval")
        for archive in [zipfile.ZipFile(path)]
        for name in archive.namelist()
    )


def answering(bench: Bench, *, right: bool) -> Callable[[Asked], Reply]:
    family = get_family(bench.info.family)
    by_sha = {item.sha256: item for item in bench.items.values()}

    def say(asked: Asked) -> Reply:
        questions = [bench.questions[question] for question in by_sha[asked.sha256].questions]
        return Reply(family.sample_answer(questions, right=right), cached=60)

    return say


def statuses(rows: list[Row]) -> set[str]:
    return {row.verdict.status for row in rows}


def test_the_server_gets_exactly_the_recorded_prompts_in_plan_order(bench: Bench, tmp_path: Path) -> None:
    server = run(bench, tmp_path / "runs", concurrency=1)
    assert [asked.sha256 for asked in server.asked] == [item.sha256 for item in sending_order(bench)]
    assert server.asked[0].prompt == item_prompt(bench, sending_order(bench)[0])


def test_nothing_long_and_no_key_is_kept(bench: Bench, tmp_path: Path) -> None:
    run(bench, tmp_path / "runs")
    kept = log_bytes(tmp_path / "runs")
    assert item_prompt(bench, next(iter(bench.items.values())))[200:260].encode() not in kept
    for path in tmp_path.rglob("*"):
        if path.is_file():
            assert b"sk-planted-secret" not in path.read_bytes(), path
    assert b"sk-planted-secret" not in kept
    assert max(path.stat().st_size for path in tmp_path.rglob("*.eval")) < 10_000 * len(bench.items)


def test_right_answers_score_one_and_wrong_ones_zero(bench: Bench, tmp_path: Path) -> None:
    run(bench, tmp_path / "good", answering(bench, right=True))
    assert {row.verdict.value for row in verbs.grade(tmp_path / "good")} == {1.0}
    run(bench, tmp_path / "bad", answering(bench, right=False))
    assert {row.verdict.value for row in verbs.grade(tmp_path / "bad")} == {0.0}


def test_usage_is_recorded_with_cached_tokens_inside_input_tokens(bench: Bench, tmp_path: Path) -> None:
    run(bench, tmp_path / "runs", lambda _: Reply(cached=60))
    call = collect_calls(tmp_path / "runs")[0]
    assert (call.tokens_in, call.tokens_cached, call.tokens_out) == (100, 60, 5)
    assert call.model == MODEL
    assert call.seconds > 0


def test_a_second_run_sends_nothing_and_a_failed_call_is_sent_again(bench: Bench, tmp_path: Path) -> None:
    victim = sending_order(bench)[2].sha256
    refuse = lambda asked: Reply("no", status=400) if asked.sha256 == victim else Reply()  # noqa: E731
    first = run(bench, tmp_path / "runs", refuse)
    assert len(first.asked) == len(bench.items)
    rows = verbs.grade(tmp_path / "runs")
    assert statuses([row for row in rows if bench.items[row.item].sha256 == victim]) == {"error"}
    second = run(bench, tmp_path / "runs")
    assert [asked.sha256 for asked in second.asked] == [victim]
    assert "error" not in statuses(verbs.grade(tmp_path / "runs"))
    assert run(bench, tmp_path / "runs").asked == []


def test_a_new_folder_asks_and_answers_are_reused_only_on_request(bench: Bench, tmp_path: Path) -> None:
    """The model behind the address is another one now: no verdict of the first may be taken for its own."""
    good, bad = answering(bench, right=True), answering(bench, right=False)
    which = [good]
    with ChatServer(lambda asked: which[0](asked)) as server:
        how: dict[str, Any] = {"base_url": server.base_url, "price": "1,0.1,4"}
        verbs.run(bench, MODEL, tmp_path / "one", **how)
        which[0] = bad
        verbs.run(bench, MODEL, tmp_path / "two", **how)
        assert len(server.asked) == 2 * len(bench.items)
        assert {row.verdict.value for row in verbs.grade(tmp_path / "two")} == {0.0}
        spent = sum(call.cost or 0.0 for call in collect_calls(tmp_path / "two"))
        result = verbs.run(bench, MODEL, tmp_path / "three", reuse=True, budget="0.0001usd", **how)
        assert len(server.asked) == 2 * len(bench.items), "a reused answer was requested"
        other = verbs.run(bench, MODEL, tmp_path / "four", reuse=True, temperature=0.5, **how)
    assert spent > 0.0001, "so that a budget would have stopped the reuse if it were charged"
    assert result.summary().startswith(f"{MODEL}: {len(bench.items)} of {len(bench.items)} items from cache, 0 sent")
    rows = verbs.grade(tmp_path / "three")
    assert {(row.verdict.value, row.reused, row.cost) for row in rows} == {(0.0, True, 0.0)}, "the newest answers"
    assert (other.sent, other.reused) == (len(bench.items), 0), "other settings are another series"
    assert not any(row.reused for row in verbs.grade(tmp_path / "two"))


@pytest.mark.parametrize(
    ("reply", "status"),
    [
        (Reply("bad request", status=400), "error"),
        (Reply("This model's maximum context length is 4096 tokens.", status=400), "overflow"),
        (Reply("", finish="content_filter"), "refused"),
        (Reply("", finish="length"), "truncated"),
        (Reply("   "), "unparsed"),
        (Reply(status=200, raw=b"<html>gateway</html>"), "error"),
    ],
)
def test_faults_are_statuses_and_never_wrong_answers(bench: Bench, tmp_path: Path, reply: Reply, status: str) -> None:
    run(bench, tmp_path / "runs", lambda _: reply)
    rows = verbs.grade(tmp_path / "runs")
    assert statuses(rows) == {status}
    assert {row.verdict.value for row in rows} == {None}


def test_rate_limits_are_retried_and_bounded(bench: Bench, tmp_path: Path) -> None:
    seen: dict[str, int] = {}

    def busy_once(asked: Asked) -> Reply:
        seen[asked.sha256] = seen.get(asked.sha256, 0) + 1
        return Reply("slow down", status=429, headers={"retry-after": "0"}) if seen[asked.sha256] == 1 else Reply()

    run(bench, tmp_path / "runs", busy_once)
    assert set(seen.values()) == {2}
    assert "error" not in statuses(verbs.grade(tmp_path / "runs"))


def test_retries_end_and_the_servers_word_is_kept(bench: Bench, tmp_path: Path) -> None:
    finished: list[str] = []
    with ChatServer(lambda _: Reply("out of order", status=503)) as server:
        result = verbs.run(
            *(bench, MODEL, tmp_path / "runs"),
            base_url=server.base_url,
            max_retries=0,
            progress=lambda item, _: finished.append(item),
        )
    assert len(finished) == len(bench.items) == result.failed
    assert "out of order" in result.summary()
    assert {row.verdict.reason for row in verbs.grade(tmp_path / "runs")} == {"HTTP 503: out of order"}


def test_a_refused_long_request_leaves_little_in_the_log(tmp_path: Path) -> None:
    long = verbs.build("needles", tmp_path / "bench", lengths="200k", depths="50", seed=3)
    served = run(long, tmp_path / "good", concurrency=1)
    assert [asked.sha256 for asked in served.asked] == [item.sha256 for item in sending_order(long)]
    assert served.asked[0].body["temperature"] == 0
    assert served.asked[0].headers["authorization"] == "Bearer sk-planted-secret"
    run(long, tmp_path / "bad", lambda _: Reply("too large", status=400))
    answered, refused = len(log_bytes(tmp_path / "good")), len(log_bytes(tmp_path / "bad"))
    assert (refused - answered) / len(long.items) < 1000
    assert b"Traceback" not in log_bytes(tmp_path / "bad")


def test_a_changed_corpus_is_noticed_before_anything_is_sent(bench: Bench, tmp_path: Path) -> None:
    text = bench.folder / "corpus.txt"
    text.write_bytes(text.read_bytes().replace(b" the ", b" teh ", 1))
    with ChatServer() as server, pytest.raises(BadInput, match=r"corpus\.txt has other bytes"):
        verbs.run(bench.folder, MODEL, tmp_path / "runs", base_url=server.base_url)
    assert server.asked == []


@pytest.mark.parametrize(
    ("model", "words"),
    [
        ("gpt-4o", "PROVIDER/NAME"),
        ("nosuch/model", "nosuch"),
        ("openai/gpt-4o", "OPENAI_API_KEY"),
        ("gguf:/no/such.gguf", "no file"),
    ],
)
def test_unknown_models_are_one_line(
    bench: Bench, tmp_path: Path, model: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(BadInput, match=words) as caught:
        verbs.run(bench, model, tmp_path / "runs")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500
