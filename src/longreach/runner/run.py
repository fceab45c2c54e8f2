"""Run a benchmark on a model, in order, with every answer recorded and nothing sent twice."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from longreach.core.bench import Bench
from longreach.core.files import locked, without_traces
from longreach.core.runs import clear_benches, keep_bench
from longreach.core.types import Call, Item
from longreach.errors import BadInput, Missing
from longreach.models.providers import is_engine

from .faults import silence
from .remaining import Run, Unanswered
from .run_settings import RunResult, RunSettings
from .server_health import ServerHealth

if TYPE_CHECKING:
    from .ray_fleet import RayFleet


def run_bench(
    bench: Bench,
    model: str,
    folder: Path,
    settings: RunSettings | None = None,
    *,
    progress: Callable[[str, Call], None] | None = None,
    start: Callable[[list[Item]], None] | None = None,
    note: Callable[[str], None] | None = None,
) -> RunResult:
    """Send the items without a good answer in this folder. `start` gets the items to send, `progress` each call as it
    ends with its item's id, `note` what the run decides by itself."""
    settings = settings or RunSettings()
    if settings.search and settings.repeats > 1:
        raise BadInput(f"--repeats {settings.repeats}: a search asks each item once; leave out --search or --repeats")
    with (
        without_traces(folder),
        locked(folder / ".lock", f"another run into {folder} is in progress"),
        _fleet(bench, model, settings, note) as fleet,
    ):
        clear_benches(folder)
        health = ServerHealth(prefill=settings.prefill, wait=settings.wait_for_server or 0.0)
        run = Run(bench, model, folder, settings, fleet, health, progress, start, note)
        if settings.search:
            from .measuring import run_measure

            return run_measure(bench, model, folder, settings, partial(_send, run))
        return _send(run)


@contextlib.contextmanager
def _fleet(
    bench: Bench, model: str, settings: RunSettings, note: Callable[[str], None] | None
) -> Iterator[RayFleet | None]:
    """The run's replicas on a Ray cluster, if it has any; nothing is started before the first request."""
    if settings.ray is None:
        if settings.replicas > 1 and is_engine(model):
            raise BadInput(
                f"--replicas {settings.replicas}: {model} is one engine in this process; add --ray ADDRESS, or put "
                f"several servers behind a router"
            )
        yield None
        return
    if settings.base_url is not None:
        raise BadInput("--ray starts an engine per replica; leave --base-url out")
    from .ray_fleet import RayFleet

    fleet = RayFleet(settings.ray, bench, model, arguments=settings.arguments, replicas=settings.replicas, note=note)
    with contextlib.closing(fleet):
        yield fleet


def _send(run: Run, only: Collection[str] | None = None) -> RunResult:
    """Send what has no good answer yet, of some items `only` if they are given; again with more room, if the model
    turns out to reason."""
    unanswered = Unanswered(run, only)
    if not unanswered.wanted:
        return _unchanged(run, unanswered)
    try:
        from .round import Round
    except ImportError as error:
        raise Missing(f"inspect_ai cannot be loaded ({error}); run: pip install inspect-ai") from None

    this = Round(run, unanswered)
    result = this.send()
    return this.with_more(result, _send(run, this.cut_off())) if this.learned else result


def _unchanged(run: Run, unanswered: Unanswered) -> RunResult:
    """The result where everything was answered before."""
    keep_bench(run.bench, run.folder)
    return RunResult(
        model=unanswered.series,
        asked=unanswered.asked,
        repeats=unanswered.repeats,
        had=unanswered.answered,
        had_age=unanswered.age(),
        sent=0,
        failed=0,
        silent=silence(unanswered.earlier()),
    )
