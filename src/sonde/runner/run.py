"""Run: a benchmark on a model, in order, with everything kept and nothing sent twice."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from pydantic import Field

from sonde.core.bench import Bench
from sonde.core.noun import Noun
from sonde.core.runs import LOGS, keep_bench
from sonde.core.spec import Sampling
from sonde.errors import Missing, Stopped
from sonde.planning.order import sending_order

__all__ = ["RunResult", "RunSettings", "run_bench"]

_FLUSH_EACH = 500
"""Up to this many calls the log is written after each; beyond, after ten, and Inspect's database holds the rest."""


class RunSettings(Noun):
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


class RunResult(Noun):
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

    def summary(self) -> str:
        """One line."""
        had = f", {self.had} answered before" if self.had else ""
        failed = f", {self.failed} failed (run again to send them again): {self.error}" if self.failed else ""
        return f"{self.model}: {self.sent} of {self.asked} items sent{had}{failed}"


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
    folder.mkdir(parents=True, exist_ok=True)
    try:
        from inspect_ai import eval as inspect_eval
        from inspect_ai.model import GenerateConfig
    except ImportError as error:
        raise Missing(f"inspect_ai cannot be loaded ({error}); run: pip install inspect_ai") from None
    from .logs import collect_calls
    from .providers import is_local, open_model
    from .tasks import after_call, bench_task

    keep_bench(bench, folder)
    done = {
        call.item
        for call in collect_calls(folder)
        if call.model == model and call.bench == bench.info.digest and not call.error
    }
    items = [item for item in sending_order(bench) if item.id not in done]
    had = len(bench.items) - len(items)
    if not items:
        return RunResult(model=model, asked=len(bench.items), had=had, sent=0, failed=0)
    opened = open_model(model, base_url=settings.base_url, arguments=settings.arguments)
    if start is not None:
        start(items)
    local = is_local(model)
    sampling = Sampling.parse(bench.spec.get("sampling", {}), f"{bench.folder}: sampling")
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
    concurrency = settings.concurrency or (1 if local else 4)
    token = after_call.set(progress)
    try:
        inspect_eval(
            bench_task(bench, items, config=config, cache=settings.cache and not local),
            model=opened,
            log_dir=str(folder / LOGS),
            log_format="eval",
            log_level="error",
            log_model_api=False,
            # Each finished call is in the log at once, so Inspect's own live database is not needed.
            log_buffer=1 if len(items) <= _FLUSH_EACH else 10,
            log_realtime=len(items) > _FLUSH_EACH,
            acp_server=False,
            ctl_server=False,
            display="none",
            max_samples=concurrency,
            max_connections=concurrency,
            continue_on_fail=True,
            score=True,
        )
    finally:
        after_call.reset(token)
    answered = {
        call.item: call
        for call in collect_calls(folder)
        if call.model == model and call.bench == bench.info.digest and call.item not in done
    }
    errors = [call.error for call in answered.values() if call.error]
    result = RunResult(
        model=model,
        asked=len(bench.items),
        had=had,
        sent=len(answered),
        failed=len(errors),
        error=errors[0] if errors else "",
    )
    if left := result.asked - result.had - result.sent:
        raise Stopped(f"stopped with {left} of {result.asked} items unanswered; the rest is kept, run again to go on")
    return result
