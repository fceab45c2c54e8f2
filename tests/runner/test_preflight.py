"""Preflight over real HTTP: a forgetful model is not a cutting server."""

from __future__ import annotations

import contextlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.answering import answering
from tests.command_line import longreach
from tests.doubles.reading_server import (
    TEMPLATE,
    Read,
    Reading,
    cut_by,
    cut_to,
    forgets,
    logistic,
    models,
    props,
)

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.core.preflight import Preflight, cut_at, preflight_statements, preflights
from longreach.errors import CutByServer, Stopped
from longreach.runner.logs import collect_calls
from longreach.runner.preflight import window_at

MODEL = "openai-api/local/double"


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    folder = tmp_path_factory.mktemp("long") / "bench"
    return verbs.build(
        "needles", folder, docs=["chronicle:3/en/60k"], lengths="2k,4k,16k", depths="20,80", facts=4, sets=1, seed=3
    )


def run(bench: Bench, runs: Path, reading: Reading, **settings: Any) -> Any:
    with reading.serve() as server:
        return verbs.run(bench, MODEL, runs, base_url=server.base_url, max_retries=0, concurrency=1, **settings)


def found(bench: Bench, runs: Path, reading: Reading) -> Preflight:
    """The preflight of a run; the run itself may stop at once."""
    with contextlib.suppress(CutByServer):
        run(bench, runs, reading)
    return preflights(runs)[0]


@dataclass
class Weak:
    """A model that gets the whole prompt."""

    recalls: Callable[[list[Read]], list[Read]]
    counts: Callable[[int, int], int | None] = lambda sent, arrived: arrived  # noqa: ARG005
    pages: dict[str, bytes] = field(default_factory=dict)


def _short(mark: Read, least: int = 3000) -> bool:
    return mark.of < least


WEAK: dict[str, Weak] = {
    "loses the start": Weak(forgets(1, lambda m: logistic(m.of - m.token, 6000, 2000))),
    "loses the end": Weak(forgets(2, lambda m: logistic(m.token, 6000, 2000)), lambda *_: None),
    "loses the middle": Weak(
        forgets(3, lambda m: logistic(min(m.token, m.of - m.token), 3000, 800)), lambda sent, _: sent
    ),
    "forgets at random": Weak(forgets(4, lambda m: 1.0 if _short(m) else 0.5), pages=props(131072)),
    "forgets one in five": Weak(forgets(5, lambda m: 1.0 if _short(m) else 0.8), lambda sent, _: sent // 10),
    "repeats the first three": Weak(lambda marks: marks[:3]),
    "repeats the last four": Weak(lambda marks: marks[-4:]),
    "repeats every other": Weak(lambda marks: marks[::2]),
    "repeats the last five of a long text": Weak(
        lambda marks: marks if _short(marks[0]) else marks[-5:], lambda *_: None
    ),
    "reads the last quarter": Weak(
        lambda marks: [m for m in marks if _short(m) or m.place > 0.75], lambda *_: 100, models(131072)
    ),
    "falls apart beyond 8k": Weak(lambda marks: marks if marks[0].of < 8000 else [], pages=models(40960)),
    "repeats nothing at all": Weak(lambda _: [], lambda sent, _: sent * 3),
    "counts only what was not cached": Weak(
        forgets(7, lambda m: 1.0 if _short(m) else 0.6), lambda sent, _: sent % 3000 + 5
    ),
    "loses more the longer it is": Weak(forgets(8, lambda m: min(1.0, 4000 / m.of))),
}
CUTTING: dict[str, tuple[Reading, int]] = {
    "end, honest": (Reading(cut_to(8192, "end")), 8192),
    "start, honest": (Reading(cut_to(4096, "start")), 4096),
    "middle, honest": (Reading(cut_to(6000, "both")), 6000),
    "end, no usage": (Reading(cut_to(8192, "end"), counts=lambda *_: None), 8192),
    "start, no usage, its word": (Reading(cut_to(9000, "start"), counts=lambda *_: None, pages=props(9000)), 9000),
    "middle, no usage": (Reading(cut_to(8000, "both"), counts=lambda *_: None), 8000),
    "end, usage of what was sent": (Reading(cut_to(4096, "end"), counts=lambda sent, _: sent), 4096),
    "end, tiny window": (Reading(cut_to(2048, "end")), 2048),
    "start, a tenth of the usage": (Reading(cut_to(10_000, "start"), counts=lambda _, arrived: arrived // 10), 10_000),
    "end, always the same usage": (Reading(cut_to(12_000, "end"), counts=lambda *_: 777), 12_000),
    "end, usage missing, false word": (
        Reading(cut_to(5000, "end"), counts=lambda *_: None, pages=models(131_072)),
        5000,
    ),
    "end, near the longest": (Reading(cut_to(14_500, "end")), 14_500),
}


@pytest.mark.parametrize("name", WEAK)
def test_a_forgetful_model_is_not_called_a_cutting_server(bench: Bench, tmp_path: Path, name: str) -> None:
    weak = WEAK[name]
    said = found(bench, tmp_path / "runs", Reading(recalls=weak.recalls, counts=weak.counts, pages=weak.pages))
    print(name, said.verdict, said.keeps, said.by, said.usage, said.factor, said.requests)
    assert said.verdict in ("lost", "unable"), said
    assert cut_at(tmp_path / "runs", MODEL) is None
    assert {call.stop for call in collect_calls(tmp_path / "runs")} == {"stop"}


@pytest.mark.parametrize("name", CUTTING)
def test_a_cutting_server_is_found(bench: Bench, tmp_path: Path, name: str) -> None:
    reading, window = CUTTING[name]
    said = found(bench, tmp_path / "runs", reading)
    print(name, said.verdict, said.keeps, said.by, said.limit, said.usage, said.factor, said.requests)
    assert said.verdict == "cut", said
    assert said.limit is not None
    assert abs(said.limit - window) < 0.08 * window


@pytest.mark.parametrize(
    ("keeps", "share", "counts"),
    [
        ("end", 0.5, lambda _, arrived: arrived),
        ("end", 0.3, lambda *_: None),
        ("start", 0.5, lambda sent, _: sent),
        ("both", 0.5, lambda *_: None),
    ],
)
def test_a_server_that_cuts_a_share_of_every_prompt_is_found(
    bench: Bench, tmp_path: Path, keeps: str, share: float, counts: Callable[[int, int], int | None]
) -> None:
    runs = tmp_path / "runs"
    said = found(bench, runs, Reading(cut_by(share, keeps), counts=counts))
    assert (said.verdict, said.limit, said.keeps, said.by) == ("cut", 0, keeps, ("share",)), said
    assert said.share == pytest.approx(share, abs=0.08)
    assert said.requests <= 5
    assert cut_at(runs, MODEL) == 0, "no length arrives whole"
    (text,) = [each.text for each in preflight_statements(said) if each.about == "cut"]
    assert text.startswith("this server cuts every prompt: about ")
    assert {call.stop for call in collect_calls(runs)} == {"cut"}


def cutting(bench: Bench, window: int = 8192, **more: Any) -> Reading:
    """A server that cuts, and answers rightly whatever it was sent."""
    return Reading(cut_to(window, "end"), answer=answering(bench), **more)


def statuses(runs: Path) -> dict[int, set[str]]:
    """The statuses of the answers by length."""
    found: dict[int, set[str]] = {}
    for row in verbs.grade(runs):
        found.setdefault(int(row.cell["length"]), set()).add(row.verdict.status)
    return found


def test_a_run_stops_at_three_cut_answers_and_exits_with_one(bench: Bench, tmp_path: Path) -> None:
    reading = cutting(bench)
    with reading.serve() as server:
        done = longreach(
            *("run", bench.folder, "-m", MODEL, "-o", tmp_path / "runs", "--base-url", server.base_url, "-y"),
            *("--concurrency", "1"),
            code=1,
        )
    said = [line for line in done.err.splitlines() if "this server cuts prompts at about 8,1" in line]
    assert len(said) == 2, done.err  # before the work, and at its end
    assert "(keeps the end)" in said[0]
    assert "--keep-going" in said[1]
    cut = [call for call in collect_calls(tmp_path / "runs") if call.stop == "cut"]
    assert len(cut) == 3
    assert {bench.items[call.item].cell["length"] for call in cut} == {16_000}


def test_lengths_up_to_the_cut_are_answered_and_those_beyond_are_cut(bench: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    result = run(bench, runs, cutting(bench), keep_going=True)
    assert statuses(runs) == {2000: {"scored"}, 4000: {"scored"}, 16_000: {"cut"}}
    limit = cut_at(runs, MODEL)
    assert limit is not None
    assert 4000 < limit < 16_000
    [statement] = result.statements
    assert (statement.about, statement.severity, statement.length) == ("cut", "broken", limit)
    assert result.broken
    assert f"{result.cut} prompt cut" in result.summary()
    frame = verbs.frame(runs)
    assert set(frame[frame.length == 16_000].delivered) == {0.0}


def test_the_same_command_resumes_once_the_window_is_larger(bench: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    with pytest.raises(CutByServer, match="this server cuts prompts at about 8,1"):
        run(bench, runs, cutting(bench))
    reading = Reading(answer=answering(bench))
    result = run(bench, runs, reading)
    assert not result.broken
    assert statuses(runs) == {2000: {"scored"}, 4000: {"scored"}, 16_000: {"scored"}}
    assert cut_at(runs, MODEL) is None, "the last preflight counts"
    assert [each.verdict for each in preflights(runs)] == ["cut", "whole"]


def test_a_server_that_still_cuts_is_not_asked_again_what_it_cut(bench: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    run(bench, runs, cutting(bench), keep_going=True)
    again = cutting(bench)
    result = run(bench, runs, again, keep_going=True)
    assert result.sent == 0
    assert result.broken
    assert len(again.asked) == preflights(runs)[1].requests


def test_a_preflight_is_one_request_if_all_arrives(bench: Bench, tmp_path: Path) -> None:
    runs, reading = tmp_path / "runs", Reading(answer=answering(bench))
    result = run(bench, runs, reading)
    assert len(reading.asked) == len(bench.items) + 1
    assert reading.asked[0][0] > 15_000
    assert result.statements == ()
    [record] = preflights(runs)
    assert (record.verdict, record.seen, record.requests, record.usage) == ("whole", 9, 1, "counted")
    assert record.tokens_in == reading.asked[0][1] + TEMPLATE
    off = Reading(answer=answering(bench))
    run(bench, tmp_path / "off", off, preflight=False)
    assert len(off.asked) == len(bench.items)
    assert preflights(tmp_path / "off") == []


def test_the_same_server_is_not_asked_twice(bench: Bench, tmp_path: Path) -> None:
    reading, runs = Reading(answer=answering(bench)), tmp_path / "runs"
    with reading.serve() as server:
        verbs.run(bench, MODEL, runs, base_url=server.base_url)
        shutil.rmtree(runs / "logs")
        verbs.run(bench, MODEL, runs, base_url=server.base_url)
        before = len(reading.asked)
        reading.pages.update(models(40_000))
        shutil.rmtree(runs / "logs")
        verbs.run(bench, MODEL, runs, base_url=server.base_url)
    assert before == 2 * len(bench.items) + 1
    assert len(preflights(runs)) == 2, "it says something else of itself now"


def test_a_preflight_counts_towards_the_budget(bench: Bench, tmp_path: Path) -> None:
    runs, reading = tmp_path / "runs", Reading(answer=answering(bench))
    run(bench, runs, reading, budget="2Mtok", max_tokens=100)
    journal = runs / "logs" / "journal.jsonl"
    journal.write_text("".join(journal.read_text().splitlines(keepends=True)[:-1]))
    for log in (runs / "logs").glob("*.eval"):
        log.unlink()
    used = sum(call.tokens_in + call.tokens_out for call in collect_calls(runs))
    last = bench.items[(set(bench.items) - {call.item for call in collect_calls(runs)}).pop()].tokens + 200
    with pytest.raises(Stopped, match="the budget of"):
        run(bench, runs, reading, budget=f"{used + last}tok", max_tokens=100)
    run(bench, runs, reading, budget=f"{used + last + 2 * preflights(runs)[0].tokens_in}tok", max_tokens=100)
    assert len(collect_calls(runs)) == len(bench.items)


def test_a_ceiling_in_the_run_is_a_cut_where_marks_show_nothing(bench: Bench, tmp_path: Path) -> None:
    runs, notes = tmp_path / "runs", list[str]()
    reading = cutting(bench, recalls=lambda _: [])
    run(bench, runs, reading, preflight=False, keep_going=True, note=notes.append)
    assert statuses(runs) == {2000: {"scored"}, 4000: {"scored"}, 16_000: {"cut"}}
    assert any("this server cuts prompts at about 8," in note for note in notes)
    limit = cut_at(runs, MODEL)
    assert limit is not None
    assert abs(limit - 8192) < 300


def test_a_ceiling_that_usage_hides_as_implausible_is_still_one(bench: Bench, tmp_path: Path) -> None:
    """A window of less than a thirty-second of the prompt: such counts are not charged, but they are evidence."""
    runs = tmp_path / "runs"
    with pytest.raises(CutByServer):
        run(bench, runs, cutting(bench, window=450))
    assert preflights(runs)[0].verdict == "cut"
    assert cut_at(runs, MODEL) is not None


def test_usage_that_is_no_count_is_named(bench: Bench, tmp_path: Path) -> None:
    texts: dict[str, Any] = {
        "missing": lambda *_: None,
        "constant": lambda *_: 777,
        "tenth": lambda sent, _: sent // 10,
        "ceiling": lambda sent, _: min(sent, 3000),
    }
    said = {}
    for name, counts in texts.items():
        result = run(bench, tmp_path / name, Reading(answer=answering(bench), counts=counts))
        assert (result.broken, result.failed) == (False, 0), name
        said[name] = [each.text for each in result.statements]
    assert said["missing"] == ["the server reports no tokens; what arrives is known by repeated marks alone"]
    assert said["constant"] == ["the server reports the same tokens whatever it is sent; its counts are false"]
    assert said["tenth"] == ["the server reports 0.1 tokens per token sent; its counts are false"]
    assert "too few tokens of long prompts" in said["ceiling"][0]


def test_a_sliding_window_is_not_said_to_be_the_servers(bench: Bench, tmp_path: Path) -> None:
    """From outside it looks the same as a server that cuts and counts all that it was sent."""
    seen = found(bench, tmp_path / "runs", Reading(recalls=lambda marks: [m for m in marks if m.of - m.token < 6000]))
    [statement] = preflight_statements(seen)
    assert statement.text.startswith("sees only the last 6,") or statement.text.startswith("sees only the last 5,9")
    assert statement.text.endswith("tokens: cut by the server or never read")


def test_a_server_that_refuses_long_prompts_cuts_none(bench: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    result = run(bench, runs, Reading(answer=answering(bench), refuses=9000))
    assert preflights(runs)[0].verdict == "whole"
    assert preflights(runs)[0].longest < 5000
    assert not result.broken
    assert statuses(runs)[16_000] == {"overflow"}


def test_short_benchmarks_are_not_checked_unless_the_server_names_a_smaller_window(tmp_path: Path) -> None:
    short = verbs.build("needles", tmp_path / "bench", lengths="1k,3k", depths="20,80", facts=4, sets=1, seed=3)
    reading = Reading(answer=answering(short))
    run(short, tmp_path / "runs", reading)
    assert len(reading.asked) == len(short.items)
    assert preflights(tmp_path / "runs") == []
    with pytest.raises(CutByServer):
        run(short, tmp_path / "small", Reading(cut_to(2048, "end"), answer=answering(short), pages=props(2048)))
    assert preflights(tmp_path / "small")[0].window == 2048


OLLAMA = {
    "/api/version": b'{"version": "0.9.6"}',
    "/api/ps": b'{"models": [{"name": "qwen3:8b", "context_length": 4096}]}',
}


@pytest.mark.parametrize(
    ("pages", "names", "window"),
    [
        (props(16_384), {"x"}, (16_384, "/props")),
        (models(40_960, "a"), {"a"}, (40_960, "/v1/models")),
        (OLLAMA, {"qwen3:8b"}, (4096, "/api/ps")),
        (
            {"/v1/models": b'{"data": [{"id": "a", "max_model_len": 10}, {"id": "b", "max_model_len": 20}]}'},
            {"b"},
            (20, "/v1/models"),
        ),
        ({"/v1/models": b'{"data": [{"id": "a", "max_model_len": "many"}]}'}, {"a"}, None),
        ({"/props": b"[1]", "/v1/models": b"nothing"}, {"a"}, None),
    ],
)
def test_a_servers_own_words_are_read(pages: dict[str, bytes], names: set[str], window: tuple[int, str] | None) -> None:
    with Reading(pages=pages).serve() as server:
        assert window_at(server.base_url, "key", names) == window
