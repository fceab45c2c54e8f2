"""The demo: a needles map of the embedded model, from text to page, in a few minutes on two cores."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sonde.core.bench import Bench
from sonde.core.noun import Noun

__all__ = ["Demo", "run_demo"]

_SETTINGS: dict[str, Any] = {
    "tokenizer": "embedded",
    "depths": "20,40,60,80,100",
    "ask": "each",
    "facts": 2,
    "questions": 1,
    "probes": "literal,faithfulness",
    "register": "report",
}
_LADDERS: tuple[tuple[int, ...], ...] = (
    (500, 1000, 2000, 4000, 7500),
    (250, 500, 1000, 2000, 4000),
    (200, 400, 800, 1400, 2000),
    (150, 300, 450, 700, 1000),
)
"""Lengths to choose from, longest first: the longest map that fits the time is drawn."""
_CELLS = 25
_TOKENS_PER_CELL = 200  # rules and questions of both prompts
_REQUESTS = 100
_TOKENS_PER_REQUEST = 70  # that could be read in the time a short answer is written and kept
_SLOWER_WHEN_LONG = 0.8  # of the speed on a short prompt, over the lengths of a map


class Demo(Noun):
    """What the demo made."""

    page: str
    verdict: str
    bench: str
    runs: str


def run_demo(out: Path, seed: int, minutes: float, *, say: Callable[[str], None]) -> Demo:
    """Build, run, grade and report into one folder; run again, it goes on where it stopped."""
    from sonde import verbs
    from sonde.reporting.results import verdicts
    from sonde.runner.progress import Progress

    bench_folder, runs, page = out / "bench", out / "runs", out / "page.html"
    if bench_folder.exists():
        bench = verbs.open_bench(bench_folder)
        say(f"going on with {bench_folder}")
    else:
        say("building a needles benchmark from real speeches, counted by the embedded model's own tokenizer")
        bench = _fitting(bench_folder, seed, minutes, say)
    longest = max(int(item.cell["length"]) for item in bench.items.values())
    say(f"{bench.info.items} requests over stories of up to {longest} tokens; every answer is the model's own")
    with Progress("embedded", sys.stderr) as progress:
        verbs.run(bench, "embedded", runs, start=progress.start, progress=progress.call)
    sentences = verdicts(verbs.report(runs, page))
    return Demo(page=str(page), verdict=" ".join(sentences.values()), bench=str(bench_folder), runs=str(runs))


def _fitting(folder: Path, seed: int, minutes: float, say: Callable[[str], None]) -> Bench:
    """The longest map that this machine can draw in time, by its measured speed."""
    from sonde import verbs
    from sonde.models.engine import engine_for

    rate = engine_for("embedded").prefill_rate()
    lengths = next((ladder for ladder in _LADDERS if _seconds(ladder, rate) <= minutes * 60), _LADDERS[-1])
    chosen = ",".join(map(str, lengths))
    say(f"this machine reads {rate:.0f} tokens a second: lengths {chosen}, about {_seconds(lengths, rate):.0f} s")
    return verbs.build("needles", folder, warn=say, seed=seed, lengths=chosen, **_SETTINGS)


def _seconds(lengths: tuple[int, ...], rate: float) -> float:
    """Time to draw a map: each story is read from where its facts stand, two lengths' worth over the five depths, and
    the longest once from the start; then rules, questions and answers."""
    stories = 2 * sum(lengths) + max(lengths)
    tokens = (stories + _CELLS * _TOKENS_PER_CELL) / _SLOWER_WHEN_LONG + _REQUESTS * _TOKENS_PER_REQUEST
    return tokens / rate
