"""Makes the example pages: `python -m docs.examples.make` for all, `python -m docs.examples.make simulated` for one.

Each page has a spec beside it. `simulated`, `decision` and `trace` have simulated models of known skill and no
real one; the others are runs of the embedded model on small benchmarks: one page per family, and `training` with the
model before and after training. With `--keep FOLDER` the benchmarks and answers stay there, and the same command only
draws the pages again; `--out FOLDER` writes the pages there."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from longreach.api import build, report, run, simulate
from longreach.cli.user_settings import read_spec
from longreach.options import RunOptions

HERE = Path(__file__).parent
LORA = HERE.parent.parent / "examples" / "train" / "smollm2-135m.lora.gguf"


class Page(NamedTuple):
    """Whose answers a page shows."""

    title: str = ""
    simulated: Mapping[str, str] = {}
    """Names and skills of simulated models."""
    prices: Mapping[str, str] = {}
    """What their requests are to cost, per million tokens: in, cached, out."""
    embedded: Sequence[RunOptions] = ()
    """The settings of each run of the embedded model."""
    ways: Sequence[str] = ("whole",)
    at: str | None = None


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
    "decision": Page(
        "SIMULATED MODELS, no real ones, at invented prices: which one for contracts of 60k tokens?",
        {
            "simulated/large": "declines,at=1000k",
            "simulated/medium": "declines,at=120k",
            "simulated/small": "declines,at=40k",
        },
        {"simulated/large": "3,0.3,15", "simulated/medium": "0.5,0.05,2", "simulated/small": "0.1,0.01,0.4"},
        ways=("whole", "passages:20"),
        at="60k",
    ),
    "needles": Page(embedded=[{}]),
    "grounded": Page(embedded=[{}]),
    "verbatim": Page(embedded=[{}]),
    "novel": Page(embedded=[{"max_tokens": 150, "arguments": {"lora": str(LORA)}}]),
    "training": Page(embedded=[SHORT, TUNED]),
    "trace": Page(
        "SIMULATED MODELS, no real ones, on all tasks of trace",
        {"simulated/fades-at-8k": "declines,at=8k", "simulated/cliff-at-4k": "cliff,at=4k"},
    ),
}


def make(name: str, folder: Path, out: Path) -> Path:
    """Write one example page into `out`; `folder` gets its benchmark and answers."""
    page, bench, runs = PAGES[name], folder / name / "bench", folder / name / "runs"
    settings = read_spec(HERE / f"{name}.yaml")
    family = str(settings.pop("family"))
    build(family, bench, settings=settings, warn=lambda _: None)
    for model, skill in page.simulated.items():
        simulate(bench, skill, runs, name=model, price=page.prices.get(model), ways=page.ways)
    for options in page.embedded:
        run(bench, "embedded", runs, **options)
    path = out / f"{name}.html"
    report(runs, path, at=page.at, title=page.title)
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
