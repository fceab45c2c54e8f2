"""The progress line: counts, money, and the time left."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.core.bench import Bench
from longreach.core.types import Call, run_seconds
from longreach.runner.progress import Progress


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def show(stream: io.StringIO, bench: Bench) -> str:
    items = list(bench.items.values())[:4]
    with Progress("m", stream) as progress:
        progress.start(items)
        for item, error in ((items[0], ""), (items[1], "HTTP 503")):
            call = Call(
                model="m", family="needles", bench="b", item=item.id, text="", error=error,
                tokens_in=1500, tokens_cached=500, tokens_out=20, cost=0.5,
            )  # fmt: skip
            progress.call(item.id, call)
    return stream.getvalue()


@given(st.lists(st.tuples(st.integers(0, 200), st.integers(1, 50)), min_size=1, max_size=40))
def test_the_time_of_a_run_is_the_time_in_which_a_request_was_in_flight(spans: list[tuple[int, int]]) -> None:
    calls = [
        Call(model="m", family="f", bench="b", item=str(n), text="", seconds=length, ended=1000 + start + length)
        for n, (start, length) in enumerate(spans)
    ]
    moments = {moment for start, length in spans for moment in range(start, start + length)}
    assert run_seconds(calls) == pytest.approx(len(moments))
    unknown = [call.model_copy(update={"ended": 0.0}) for call in calls]
    assert run_seconds(unknown) == sum(length for _, length in spans)
    stream = io.StringIO()
    with Progress("m", stream) as progress:
        progress.start([])
        for call in calls:
            progress.call(call.item, call)
    minutes, rest = divmod(len(moments), 60)
    assert stream.getvalue().splitlines()[-1].endswith(f", {minutes}m{rest:02}s" if minutes else f", {rest}s")


def test_a_terminal_gets_one_line_that_is_rewritten(bench: Bench) -> None:
    written = show(_Terminal(), bench)
    assert written.count("\n") == 1
    last = written.rpartition("\x1b[K")[2]
    assert last.startswith(
        "m: 2 done, 1 failed, 2 left, 3k tokens in (1k cached), 40 out, $1.00 spent, about $1.00 to come"
    )
    assert "left" in last.rpartition(",")[2]


def test_a_log_gets_whole_lines_and_not_one_per_call(bench: Bench) -> None:
    lines = show(io.StringIO(), bench).splitlines()
    assert len(lines) == 2
    assert lines[0].startswith("m: 0 done, 4 left")


def test_what_is_taken_from_earlier_runs_is_no_request(bench: Bench) -> None:
    stream, item = io.StringIO(), next(iter(bench.items))
    call = Call(model="m", family="f", bench="b", item=item, text="", tokens_in=1500, seconds=9.0, reused=True)
    with Progress("m", stream) as progress:
        progress.start([bench.items[item]])
        progress.call(item, call)
    last = stream.getvalue().splitlines()[-1]
    assert last == "m: 0 done, 1 from cache, 0 left, 0 tokens in (0 cached), 0 out, 0s"
