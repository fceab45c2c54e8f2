"""The progress line: counts, money, and the time left."""

from __future__ import annotations

import io

from longreach.core.bench import Bench
from longreach.core.types import Call
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
