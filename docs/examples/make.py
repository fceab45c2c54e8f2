"""Makes the example pages: `python -m docs.examples.make` for all, `python -m docs.examples.make simulated` for one.

Each page has a spec beside it. `simulated` has simulated models of different skill from 8k to 128k tokens and no real
one; the others are runs of the embedded model on small benchmarks: one page per family, `training` with the model
before and after training, and `trace` with all three. With `--keep FOLDER` the benchmarks and answers stay there, and
the same command only draws the pages again; `--out FOLDER` writes the pages there."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from longreach.api import build, run, simulate
from longreach.cli.user_settings import read_spec
from longreach.options import RunOptions
from longreach.reporting.files import write_report
from longreach.reporting.report import make_report
from longreach.results.grading import grade_runs
from longreach.runner.logs import collect_calls

HERE = Path(__file__).parent
LORA = HERE.parent.parent / "examples" / "train" / "smollm2-135m.lora.gguf"


class Page(NamedTuple):
    """Whose answers a page shows."""

    title: str = ""
    simulated: Mapping[str, str] = {}
    """Names and skills of simulated models."""
    embedded: Sequence[RunOptions] = ()
    """The settings of each run of the embedded model."""


SHORT: RunOptions = {"max_tokens": 60}
TUNED: RunOptions = {"max_tokens": 60, "arguments": {"lora": str(LORA)}}
PAGES = {
    "simulated": Page(
        "SIMULATED MODELS, no real ones: five of known skill, 8k to 128k tokens",
        {
            "simulated/steady": "declines,at=1000k",
            "simulated/fades-at-64k": "declines,at=64k",
            "simulated/loses-the-middle": "middle,lost=0.5",
            "simulated/cliff-at-32k": "cliff,at=32k",
            "simulated/invents": "inventor",
        },
    ),
    "needles": Page(embedded=[{}]),
    "grounded": Page(embedded=[{}]),
    "verbatim": Page(embedded=[{}]),
    "novel": Page(embedded=[{"max_tokens": 150, "arguments": {"lora": str(LORA)}}]),
    "training": Page(embedded=[SHORT, TUNED]),
    "trace": Page(
        "Two SIMULATED MODELS of known skill, and SmolLM2-135M before and after training",
        {"simulated/fades-at-2k": "declines,at=2k", "simulated/guesses": "guesser"},
        [SHORT, TUNED],
    ),
}


def make(name: str, folder: Path, out: Path) -> Path:
    """Write one example page into `out`; `folder` gets its benchmark and answers."""
    page, bench, runs = PAGES[name], folder / name / "bench", folder / name / "runs"
    settings = read_spec(HERE / f"{name}.yaml")
    family = str(settings.pop("family"))
    build(family, bench, settings=settings, warn=lambda _: None)
    for model, skill in page.simulated.items():
        simulate(bench, skill, runs, name=model)
    for options in page.embedded:
        run(bench, "embedded", runs, **options)
    calls = collect_calls(runs)
    path = out / f"{name}.html"
    write_report(make_report(runs, grade_runs(runs, calls), calls, title=page.title), path)
    return path


if __name__ == "__main__":
    given = argparse.ArgumentParser(prog="python -m docs.examples.make", description="Make the example pages.")
    given.add_argument("names", nargs="*", choices=[*PAGES, []], metavar="NAME", help="default: all")
    given.add_argument("--keep", type=Path, metavar="FOLDER", help="where benchmarks and answers stay")
    given.add_argument("--out", type=Path, default=HERE, metavar="FOLDER", help="where the pages go; default: here")
    chosen = given.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for each in chosen.names or PAGES:
            print(make(each, chosen.keep or Path(scratch), chosen.out), flush=True)
