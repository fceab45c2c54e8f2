"""Run: a benchmark on a model, in order, with everything kept and nothing sent twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from pydantic import Field

from longreach.core.bench import Bench
from longreach.core.disk import Journal, alone, cannot_write
from longreach.core.item import Item
from longreach.core.model import Frozen
from longreach.core.row import Call
from longreach.core.runs import LOGS, RunNote, clear_benches, keep_bench, note_run
from longreach.core.spec import Sampling
from longreach.errors import BadInput, Missing, Stopped, one_line
from longreach.models.prices import price_of
from longreach.planning.branches import branches
from longreach.planning.order import sending_order
from longreach.planning.prefix import BenchWording
from longreach.planning.tree import PrefixTree

from .faults import count_faults, told

__all__ = ["RunResult", "RunSettings", "run_bench", "unanswered"]

_FLUSH_EACH = 500
"""Up to this many calls the log is written after each; beyond, after ten, and the journal has what it lacks."""


class RunSettings(Frozen):
    """How a model is called; none of it changes what is asked."""

    base_url: str | None = None
    arguments: dict[str, Any] = Field(default_factory=dict)
    """Passed to the provider as they are."""
    concurrency: int | None = None
    """Requests under way at once: by default 1 for the embedded engine, 4 elsewhere."""
    max_tokens: int | None = None
    """Longest answer; by default what the family expects on the embedded engine, the provider's own elsewhere."""
    temperature: float | None = None
    """By default what the benchmark's spec says, which is 0 unless its author chose otherwise."""
    max_retries: int = 5
    timeout: int = 1800
    """Seconds one attempt may take."""
    cache: bool = True
    """Inspect's generation cache: an answer once paid for is not asked for again."""
    sharing: bool = True
    """Off: a unique beginning for every request, for people who measure cold behaviour."""
    budget: str | None = None
    """What the folder of runs may cost in all: `5usd` or `20Mtok`."""
    price: str | None = None
    """US dollars a million tokens, `in,cached,out`, where the known price is not the real one."""
    prefill: float | None = None
    """Tokens a second the model reads, as planned with; only noted, for the page to compare."""
    decode: float | None = None


class RunResult(Frozen):
    """What one run did."""

    model: str
    asked: int
    """Items of the benchmark."""
    had: int
    """Answered by an earlier run."""
    sent: int
    failed: int
    error: str = ""
    """What the first failed call said."""
    faults: dict[str, int] = Field(default_factory=dict)
    """Calls of this run without a whole answer, by why: `overflow`, `refused`, `cut off`; and of those that failed
    `HTTP 503`, `timed out`, ..."""

    def summary(self) -> str:
        """One line."""
        had = f", {self.had} answered before" if self.had else ""
        answered = told(self.faults, failed=False)
        why = told(self.faults, failed=True)
        failed = f", {self.failed} failed ({why}; run again to send them again): {self.error}" if self.failed else ""
        return f"{self.model}: {self.sent} of {self.asked} items sent{had}{', ' * bool(answered)}{answered}{failed}"


def run_bench(
    bench: Bench,
    model: str,
    folder: Path,
    settings: RunSettings | None = None,
    *,
    progress: Callable[[str, Any], None] | None = None,
    start: Callable[[list[Any]], None] | None = None,
) -> RunResult:
    """Send what this folder has no good answer for yet. `start` gets the items to send, `progress` each call's
    item and output."""
    settings = settings or RunSettings()
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from None
    with alone(folder / ".lock", f"another run into {folder} is under way"):
        clear_benches(folder)
        return _run(bench, model, folder, settings, progress, start)


def _run(
    bench: Bench,
    model: str,
    folder: Path,
    settings: RunSettings,
    progress: Callable[[str, Any], None] | None,
    start: Callable[[list[Any]], None] | None,
) -> RunResult:
    try:
        from inspect_ai.model import GenerateConfig
    except ImportError as error:
        raise Missing(f"inspect_ai cannot be loaded ({error}); run: pip install inspect-ai") from None
    from longreach.models.providers import wants_marks

    from .budget import Budget, BudgetGuard
    from .cache_marks import branch_points
    from .logs import call_of, collect_calls, journal_file
    from .providers import is_local, open_model
    from .tasks import Control, bench_task

    calls = collect_calls(folder)
    done = {call.item for call in calls if call.model == model and call.bench == bench.info.digest and not call.error}
    items = [item for item in sending_order(bench) if item.id not in done]
    had = len(bench.items) - len(items)
    if not items:
        keep_bench(bench, folder)
        return RunResult(model=model, asked=len(bench.items), had=had, sent=0, failed=0)
    opened = open_model(model, base_url=settings.base_url, arguments=settings.arguments)
    local = is_local(model)
    workers = settings.concurrency or (1 if local else 4)
    price = price_of(model, settings.price)
    budget = None
    if settings.budget is not None:
        budget = BudgetGuard(Budget.read(settings.budget), price.cost if price else _no_price, calls, model)
    sampling = Sampling.parse(bench.spec.get("sampling", {}), f"{bench.folder}: sampling")
    keep_bench(bench, folder)
    wording = BenchWording(bench)
    parts = branches(items, workers, wording)
    journal = Journal(journal_file(folder))
    trouble: list[BadInput] = []

    def keep(item: str, output: Any) -> None:
        call = call_of(output, item, model=model, family=bench.info.family, bench=bench.info.digest, price=price)
        try:
            journal.add(call.model_dump_json())
        except BadInput as error:
            trouble.append(error)
            raise

    control = Control(
        keep=keep,
        progress=progress,
        budget=budget,
        sessions={item.id: branch.digest for branch in parts for item in branch.items} if settings.sharing else {},
        breaks=branch_points(PrefixTree(items, wording)) if settings.sharing and wants_marks(model) else {},
        sharing=settings.sharing,
        about={
            "workers": workers,
            "sharing": settings.sharing,
            "price": price.model_dump(mode="json") if price else None,
        },
    )
    note_run(
        folder,
        RunNote(
            model=model,
            bench=bench.info.digest,
            workers=workers,
            sharing=settings.sharing,
            price=settings.price,
            prefill=settings.prefill,
            decode=settings.decode,
        ),
    )
    if start is not None:
        start(items)
    config = GenerateConfig(
        temperature=sampling.temperature if settings.temperature is None else settings.temperature,
        top_p=sampling.top_p,
        frequency_penalty=sampling.frequency_penalty,
        presence_penalty=sampling.presence_penalty,
        max_tokens=settings.max_tokens,
        max_retries=settings.max_retries,
        attempt_timeout=settings.timeout,
        seed=0 if local else None,
    )
    cache = settings.cache and not local
    # One task a branch, each sample after the other: workers take whole branches, so that no two of them read the same
    # beginning at the same time. A single worker walks them all in one task.
    groups = [items] if workers == 1 else [list(branch.items) for branch in parts]
    tasks = [bench_task(bench, group, config=config, cache=cache, control=control) for group in groups]
    why = ""
    try:
        why = _evaluate(tasks, opened, folder / LOGS, workers, many=len(items) > _FLUSH_EACH)
    except OSError as error:
        trouble.append(cannot_write(folder / LOGS, error))
    finally:
        journal.close()
    if trouble:
        raise trouble[0]
    answered = {
        call.item: call
        for call in collect_calls(folder)
        if call.model == model and call.bench == bench.info.digest and call.item not in done
    }
    errors = [call.error for call in answered.values() if call.error]
    faults = count_faults(answered.values())
    result = RunResult(
        model=model,
        asked=len(bench.items),
        had=had,
        sent=len(answered),
        failed=len(errors),
        error=errors[0] if errors else "",
        faults=faults,
    )
    left = result.asked - result.had - result.sent
    if left and budget is not None and budget.reached:
        raise Stopped(
            f"the budget of {budget.budget} is reached with {left} of {result.asked} items unanswered; all answers are "
            f"kept, run again with a larger --budget to go on"
        )
    if left:
        because = f" ({why})" if why else ""
        raise Stopped(
            f"stopped with {left} of {result.asked} items unanswered{because}; the rest is kept, run again to go on"
        )
    return result


def _evaluate(tasks: list[Any], model: Any, logs: Path, workers: int, *, many: bool) -> str:
    """Returns what ended a task before its time, such as a disk too full for its log."""
    from inspect_ai import eval as inspect_eval

    ended = inspect_eval(
        tasks,
        model=model,
        log_dir=str(logs),
        log_format="eval",
        log_level="error",
        log_model_api=False,
        # Each finished call is in the journal at once, so Inspect's own live database is not needed.
        log_buffer=10 if many else 1,
        log_realtime=False,
        acp_server=False,
        ctl_server=False,
        display="none",
        max_samples=1,
        max_tasks=workers,
        max_connections=workers,
        # The only things that leave a sample as an error are the budget and a full disk, and these end the run.
        fail_on_error=True,
        score=True,
    )
    return next((one_line(log.error.message, 160) for log in ended if log.error), "")


def unanswered(bench: Bench, model: str, calls: Iterable[Call]) -> list[Item]:
    """Items, in sending order, that a model has given no good answer for."""
    done = {call.item for call in calls if call.model == model and call.bench == bench.info.digest and not call.error}
    return [item for item in sending_order(bench) if item.id not in done]


def _no_price(*_: int) -> None:
    return None
