"""Makes the example pages: `python -m docs.examples.make` for all, `python -m docs.examples.make simulated` for one.

`simulated` is one page of simulated examinees of different skill from 8k to 128k tokens: no real model. The others are
runs of the embedded model on small benchmarks, one page per family, and `training`, the model before and after
training; they take minutes each. With `--keep FOLDER` the benchmarks and answers stay there, and the same command only
draws the pages again."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from longreach.api import build, run, simulate
from longreach.cli.user_settings import read_spec
from longreach.options import RunOptions
from longreach.reporting.files import write_report
from longreach.reporting.report import make_report
from longreach.results.grading import grade_runs
from longreach.runner.logs import collect_calls

HERE = Path(__file__).parent
EXAMINEES = {
    "simulated/steady": "declines,at=1000k",
    "simulated/fades-at-64k": "declines,at=64k",
    "simulated/loses-the-middle": "middle,lost=0.5",
    "simulated/cliff-at-32k": "cliff,at=32k",
    "simulated/invents": "inventor",
}
"""Names and skills."""
LORA = HERE.parent.parent / "examples" / "train" / "smollm2-135m.lora.gguf"
REAL: dict[str, list[RunOptions]] = {
    "needles": [{}],
    "grounded": [{}],
    "verbatim": [{}],
    "novel": [{"max_tokens": 150, "arguments": {"lora": str(LORA)}}],
    "training": [{"max_tokens": 60}, {"max_tokens": 60, "arguments": {"lora": str(LORA)}}],
}
"""The settings of each run of the embedded model."""


def make(name: str, folder: Path) -> Path:
    """Write one example page beside its spec; `folder` gets its benchmark and answers."""
    page, bench, runs = HERE / f"{name}.html", folder / name / "bench", folder / name / "runs"
    settings = read_spec(HERE / f"{name}.yaml")
    family = str(settings.pop("family"))
    build(family, bench, settings=settings, warn=lambda _: None)
    title = ""
    if name == "simulated":
        title = "SIMULATED EXAMINEES, no real models: five of known skill, 8k to 128k tokens"
        for model, examinee in EXAMINEES.items():
            simulate(bench, examinee, runs, name=model)
    else:
        for options in REAL[name]:
            run(bench, "embedded", runs, **options)
    calls = collect_calls(runs)
    write_report(make_report(runs, grade_runs(runs, calls), calls, title=title), page)
    return page


if __name__ == "__main__":
    given = argparse.ArgumentParser(prog="python -m docs.examples.make", description="Make the example pages.")
    given.add_argument("names", nargs="*", choices=["simulated", *REAL, []], metavar="NAME", help="default: all")
    given.add_argument("--keep", type=Path, metavar="FOLDER", help="where benchmarks and answers stay")
    chosen = given.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        for each in chosen.names or ("simulated", *REAL):
            print(make(each, chosen.keep or Path(scratch)), flush=True)
