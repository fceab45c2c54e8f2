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
_LADDERS = ("500,1k,2k,4k,7500", "250,500,1k,2k,4k", "200,400,800,1400,2k", "150,250,400,600,1000")
"""Lengths to choose from, longest first: the longest map that fits the time is drawn."""
_TOKENS_PER_REQUEST = 70  # that could be read in the time a short answer is written and kept
_SLOWER_WHEN_LONG = 0.85  # of the speed on a short prompt, over the lengths of a map


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
    """The longest map that this machine can draw in time, by its measured speed and the plan of each map."""
    import shutil

    from sonde import verbs
    from sonde.models.engine import engine_for

    rate = engine_for("embedded").prefill_rate()
    for lengths in _LADDERS:
        bench = verbs.build("needles", folder, warn=say, seed=seed, lengths=lengths, **_SETTINGS)
        planned = verbs.plan(bench).models[0]
        work = planned.prefill_tokens / _SLOWER_WHEN_LONG + planned.requests * _TOKENS_PER_REQUEST
        seconds = work / rate
        if seconds <= minutes * 60 or lengths == _LADDERS[-1]:
            say(f"this machine reads {rate:.0f} tokens a second: lengths {lengths}, about {seconds:.0f} s")
            return bench
        shutil.rmtree(folder)
    raise AssertionError("the last ladder is always taken")
