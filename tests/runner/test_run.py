"""The runner over real HTTP: what is sent, what is kept, what is never kept."""

from __future__ import annotations

import asyncio
import os
import signal
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.answering import answering
from tests.doubles.chat_server import Asked, ChatServer, Reply

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.types import Row
from longreach.errors import BadInput, Stopped
from longreach.families.showing import item_prompt
from longreach.planning.prefix_tree import tree_of
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


def wrong(bench: Bench) -> Callable[[Asked], Reply]:
    return answering(bench, lambda _: False)


def in_a_notebook(call: Callable[[], object]) -> None:
    """Call it where an event loop runs already."""

    async def cell() -> None:
        call()

    with closing(asyncio.new_event_loop()) as loop:
        loop.run_until_complete(cell())


def statuses(rows: list[Row]) -> set[str]:
    return {row.verdict.status for row in rows}


def test_the_server_gets_exactly_the_recorded_prompts_in_plan_order(bench: Bench, tmp_path: Path) -> None:
    server = run(bench, tmp_path / "runs", concurrency=1)
    assert [asked.sha256 for asked in server.asked] == [item.sha256 for item in tree_of(bench).items]
    assert server.asked[0].prompt == item_prompt(bench, tree_of(bench).items[0])


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
    run(bench, tmp_path / "good", answering(bench))
    assert {row.verdict.value for row in verbs.grade(tmp_path / "good")} == {1.0}
    run(bench, tmp_path / "bad", wrong(bench))
    assert {row.verdict.value for row in verbs.grade(tmp_path / "bad")} == {0.0}


def test_a_notebook_can_run_and_interrupt_a_run(bench: Bench, tmp_path: Path) -> None:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # in the background of a shell it is ignored
    right, runs = answering(bench), tmp_path / "runs"

    def interrupting(asked: Asked) -> Reply:
        if len(served.asked) == 2:
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(0.5)
        return right(asked)

    with ChatServer(interrupting) as served, pytest.raises(Stopped, match="interrupted"):
        in_a_notebook(lambda: verbs.run(bench, MODEL, runs, base_url=served.base_url, concurrency=1))
    in_a_notebook(lambda: run(bench, runs, right))
    assert sorted(call.item for call in collect_calls(runs)) == sorted(bench.items)
    assert {row.verdict.value for row in verbs.grade(runs)} == {1.0}


def test_usage_is_recorded_with_cached_tokens_inside_input_tokens(bench: Bench, tmp_path: Path) -> None:
    run(bench, tmp_path / "runs", lambda _: Reply(cached=60))
    call = collect_calls(tmp_path / "runs")[0]
    assert (call.tokens_in, call.tokens_cached, call.tokens_out) == (100, 60, 5)
    assert call.model == MODEL
    assert call.seconds > 0


def test_a_second_run_sends_nothing_and_a_failed_call_is_sent_again(bench: Bench, tmp_path: Path) -> None:
    victim = tree_of(bench).items[2].sha256
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
    good, bad = answering(bench), wrong(bench)
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
    served = run(long, tmp_path / "good", concurrency=1, preflight=False)
    assert [asked.sha256 for asked in served.asked] == [item.sha256 for item in tree_of(long).items]
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


def _in_turn(bench: Bench) -> Callable[[Asked], Reply]:
    """Every prompt is answered right, wrong, right, ...: the answer depends on how often it was asked before."""
    right, others = answering(bench), wrong(bench)
    asked: Counter[str] = Counter()

    def say(one: Asked) -> Reply:
        asked[one.sha256] += 1
        return (right if asked[one.sha256] % 2 else others)(one)

    return say


def test_repeats_are_requests_of_their_own_and_only_what_is_missing_is_sent(bench: Bench, tmp_path: Path) -> None:
    runs, items = tmp_path / "runs", len(bench.items)
    first = run(bench, runs, _in_turn(bench), repeats=2, concurrency=1)
    assert len(first.asked) == 2 * items
    prompts = [asked.sha256 for asked in first.asked]
    assert prompts[::2] == prompts[1::2], "repeats of an item come one after another: the second finds the whole prompt"
    assert {(call.item, call.repeat) for call in collect_calls(runs)} == {(i, n) for i in bench.items for n in (1, 2)}
    assert not run(bench, runs, repeats=2).asked
    assert len(run(bench, runs, _in_turn(bench), repeats=3).asked) == items, "the third alone"
    planned = verbs.plan(bench, MODEL, runs=runs, repeats=5).models[0]
    assert (planned.requests, planned.requests_done) == (2 * items, 3 * items)
    assert (
        verbs.plan(bench, MODEL, repeats=5).models[0].input_tokens
        == 5 * verbs.plan(bench, MODEL).models[0].input_tokens
    )


def test_a_failed_repeat_is_sent_again_and_the_others_stay(bench: Bench, tmp_path: Path) -> None:
    runs, right = tmp_path / "runs", answering(bench)
    seen: Counter[str] = Counter()

    def say(one: Asked) -> Reply:
        seen[one.sha256] += 1
        return Reply(status=400) if seen[one.sha256] == 2 else right(one)

    run(bench, runs, say, repeats=3, concurrency=1)
    failed = [call for call in collect_calls(runs) if call.error]
    assert failed
    assert len(run(bench, runs, right, repeats=3).asked) == len(failed)
    assert not any(call.error for call in collect_calls(runs))
    assert len(collect_calls(runs)) == 3 * len(bench.items)


def test_repeats_make_no_interval_narrower_than_their_items_allow(bench: Bench, tmp_path: Path) -> None:
    once, often = tmp_path / "once", tmp_path / "often"
    run(bench, once, answering(bench))
    run(bench, often, answering(bench), repeats=4)
    one, four = (verbs.report(runs, tmp_path / f"{runs.name}.html").numbers for runs in (once, often))
    for single, many in zip(
        one.families[0].models[0].question_types, four.families[0].models[0].question_types, strict=True
    ):
        assert many.accuracy == single.accuracy, "equal answers to the same items show nothing more"
        assert many.asked == 4 * single.asked
        assert single.repeats is None
        assert many.repeats is not None
        assert (many.repeats.accuracies, many.repeats.sd, many.repeats.same) == ((1.0,) * 4, 0.0, 1.0)


def test_the_spread_over_repeats_is_on_the_page(bench: Bench, tmp_path: Path) -> None:
    run(bench, tmp_path / "runs", _in_turn(bench), repeats=2, concurrency=1)
    made = verbs.report(tmp_path / "runs", tmp_path / "page", formats=["md"])
    for kind in made.numbers.families[0].models[0].question_types:
        assert kind.repeats is not None
        assert kind.repeats.accuracies == (1.0, 0.0)
        assert kind.repeats.same == 0.0
    assert "How far do repeats differ?" in (tmp_path / "page" / "report.md").read_text()
    frame = verbs.frame(tmp_path / "runs")
    assert sorted(set(frame["repeat"])) == [1, 2]
    assert frame["tokens_in"].notna().sum() == 2 * len(bench.items), "each request has its own tokens"


def test_reused_answers_keep_their_repeat(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with ChatServer(_in_turn(bench)) as server:
        there: Any = {"base_url": server.base_url, "max_retries": 1, "concurrency": 1}
        verbs.run(bench, MODEL, tmp_path / "a", repeats=2, **there)
        again = verbs.run(bench, MODEL, tmp_path / "b", repeats=3, reuse=True, **there)
    assert (again.reused, again.sent, again.asked) == (2 * len(bench.items), len(bench.items), 3 * len(bench.items))
    texts = [{(call.item, call.repeat): call.text for call in collect_calls(tmp_path / name)} for name in ("a", "b")]
    assert texts[0].items() <= texts[1].items()


def test_what_does_not_go_with_repeats_is_said(bench: Bench, tmp_path: Path) -> None:
    equal = verbs.plan(bench, MODEL, repeats=3).models[0].warnings
    assert any("temperature 0" in warning for warning in equal)
    apart = verbs.plan(bench, MODEL, repeats=3, temperature=0.7).models[0].warnings
    assert not any("temperature" in warning for warning in apart)
    with pytest.raises(BadInput, match="a search asks each item once"):
        run(bench, tmp_path / "runs", repeats=2, search=True)
