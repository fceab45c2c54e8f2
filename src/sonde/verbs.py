"""The verbs: build, check, plan, run, grade, report. The command line and Python programs call the same ones."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sonde.errors import BadInput

if TYPE_CHECKING:
    from sonde.core.bench import Bench
    from sonde.core.item import Item
    from sonde.core.row import Call, Row
    from sonde.core.writer import Writer
    from sonde.planning.plan import Plan
    from sonde.reporting.views import Report
    from sonde.runner.run import RunResult

__all__ = ["build", "check", "grade", "open_bench", "open_writer", "plan", "report", "run"]

Where = str | Path


def _warn(message: str) -> None:
    warnings.warn(message, stacklevel=3)


def build(
    family: str,
    out: Where,
    *,
    warn: Callable[[str], None] = _warn,
    progress: Callable[[str], None] | None = None,
    where: str = "spec",
    helpers: Mapping[str, Any] | None = None,
    **settings: Any,
) -> Bench:
    """Build a benchmark folder; settings are those of the family's spec, as in a spec file or on the command line.
    `helpers` says how models that help with the building are reached, as `run` does for the model under test."""
    from sonde.families.base import Workshop
    from sonde.families.building import build_bench, make_spec

    if isinstance(docs := settings.get("docs"), str | Path):
        settings["docs"] = (str(docs),)
    workshop = Workshop(
        warn=warn, writer=lambda name: open_writer(name, **dict(helpers or {})), progress=progress or (lambda _: None)
    )
    return build_bench(make_spec(family, settings, where), Path(out), workshop)


def open_writer(model: str, folder: Where | None = None, **settings: Any) -> Writer:
    """A model to ask for help; good replies are kept in `folder`, by default the user's cache."""
    from sonde.core.store import Store, user_folder
    from sonde.runner.writer import ModelWriter, WriterSettings

    store = Store(Path(folder) if folder else user_folder("replies"))
    return ModelWriter(model, store, WriterSettings.parse(settings, f"model {model}"))


def open_bench(bench: Bench | Where) -> Bench:
    """A benchmark folder, opened and verified."""
    from sonde.core.bench import Bench

    return bench if isinstance(bench, Bench) else Bench.open(Path(bench))


def check(bench: Where) -> list[str]:
    """Every difference between a folder and what it says of itself; empty when there is none."""
    from sonde.families.building import check_bench

    return check_bench(Path(bench))


def plan(bench: Bench | Where, models: Sequence[str] = ("embedded",)) -> Plan:
    """What a run would send."""
    from sonde.planning.plan import plan_bench

    return plan_bench(open_bench(bench), models)


def run(
    bench: Bench | Where,
    model: str,
    out: Where,
    *,
    start: Callable[[list[Item]], None] | None = None,
    progress: Callable[[str, Any], None] | None = None,
    **settings: Any,
) -> RunResult:
    """Run a benchmark on a model into a folder; what the folder has is not sent again."""
    from sonde.runner.run import RunSettings, run_bench

    return run_bench(
        open_bench(bench), model, Path(out), RunSettings.parse(settings, "run"), start=start, progress=progress
    )


def grade(runs: Where) -> list[Row]:
    """Grade all answers in a folder of runs again, without calling a model."""
    from sonde.reporting.results import grade_runs

    return grade_runs(Path(runs), _calls(Path(runs)))


def report(runs: Where, page: Where) -> Report:
    """Grade, and write one self-contained page."""
    from sonde.reporting.page import write_page
    from sonde.reporting.results import make_report

    made = make_report(Path(runs), grade(runs), _calls(Path(runs)))
    Path(page).parent.mkdir(parents=True, exist_ok=True)
    write_page(made, Path(page))
    return made


def _calls(runs: Path) -> list[Call]:
    from sonde.runner.logs import collect_calls

    if not runs.is_dir():
        raise BadInput(f"there is no folder of runs {runs}; make one with: sonde run BENCH -m MODEL -o {runs}")
    calls = collect_calls(runs)
    if not calls:
        raise BadInput(f"{runs} holds no finished call; fill it with: sonde run BENCH -m MODEL -o {runs}")
    return calls
