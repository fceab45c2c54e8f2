"""The demo: a needles map of the embedded model, from text to page, in a few minutes on two cores."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sonde.core.noun import Noun

__all__ = ["Demo", "run_demo"]

_SETTINGS: dict[str, Any] = {
    "tokenizer": "embedded",
    "lengths": "256,512,1k,2k,4k",
    "depths": "10,30,50,70,90",
    "ask": "each",
    "facts": 2,
    "questions": 1,
    "register": "report",
}


class Demo(Noun):
    """What the demo made."""

    page: str
    verdict: str
    bench: str
    runs: str


def run_demo(out: Path, seed: int, *, say: Callable[[str], None]) -> Demo:
    """Build, run, grade and report into one folder; run again, it goes on where it stopped."""
    from sonde import verbs
    from sonde.reporting.results import verdicts
    from sonde.runner.progress import Progress

    bench_folder, runs, page = out / "bench", out / "runs", out / "page.html"
    say("building a needles benchmark from real speeches, counted by the embedded model's own tokenizer")
    bench = verbs.build("needles", bench_folder, warn=say, seed=seed, **_SETTINGS)
    longest = max(int(item.cell["length"]) for item in bench.items.values())
    say(f"{bench.info.items} questions over stories of up to {longest} tokens; each answer is the model's own")
    with Progress("embedded", sys.stderr) as progress:
        verbs.run(bench, "embedded", runs, start=progress.start, progress=progress.call)
    sentences = verdicts(verbs.report(runs, page))
    return Demo(page=str(page), verdict=" ".join(sentences.values()), bench=str(bench_folder), runs=str(runs))
