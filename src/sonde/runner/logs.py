"""Inspect's logs to calls. Each log's calls are kept beside it as plain lines, read again only when it changes."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Any

from sonde.core.answers import imported_calls
from sonde.core.bench import Bench
from sonde.core.row import Call
from sonde.core.runs import has_bench, keep_bench
from sonde.errors import BadInput, one_line
from sonde.models.prices import Price

__all__ = ["collect_calls"]


def collect_calls(folder: Path) -> list[Call]:
    """Every finished call in a folder of runs: the newest good one for each model and item, failures only where
    nothing better is known. A log cut off by a crash gives what it has."""
    best: dict[tuple[str, str, str], Call] = {}
    logged = (call for log in sorted(folder.rglob("*.eval")) for call in _calls_of(log, folder))
    for call in (*imported_calls(folder), *logged):
        key = (call.model, call.bench, call.item)
        if not call.error or key not in best:
            best[key] = call
    return list(best.values())


def _calls_of(log: Path, runs: Path) -> list[Call]:
    kept = log.with_suffix(".calls.jsonl")
    if not kept.is_file() or kept.stat().st_mtime_ns < log.stat().st_mtime_ns:
        lines = "".join(call.model_dump_json() + "\n" for call in _read(log, runs))
        staging = kept.with_suffix(".tmp")
        staging.write_text(lines, encoding="utf-8")
        stamp = log.stat().st_mtime_ns
        os.utime(staging, ns=(stamp, stamp))
        staging.replace(kept)
    with kept.open("rb") as file:
        return [Call.parse_json(line, f"{kept}:{number}") for number, line in enumerate(file, 1)]


def _read(log: Path, runs: Path) -> list[Call]:
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries, read_eval_log_samples

    header = read_eval_log(str(log), header_only=True)
    about = header.eval.metadata or {}
    if "bench" not in about or not read_eval_log_sample_summaries(str(log)):
        return []
    _keep_bench(runs, str(about["bench"]), Path(str(about.get("folder", ""))))
    price = Price.parse(about["price"], f"price in {log}") if about.get("price") else None
    return [
        _call(
            sample,
            model=header.eval.model,
            family=header.eval.task.split("/")[-1],
            bench=str(about["bench"]),
            price=price,
        )
        for sample in read_eval_log_samples(str(log), all_samples_required=False)
        if not _interrupted(sample)
    ]


def _interrupted(sample: Any) -> bool:
    """Whether a sample was stopped before its call came to an end: it is as if it had not been sent."""
    if sample.error is not None:
        return any(word in sample.error.message for word in ("CancelledError", "BudgetReached", "budget of"))
    return not sample.output.choices and not sample.output.error


def _keep_bench(runs: Path, digest: str, folder: Path) -> None:
    """A log of plain Inspect comes without its benchmark: keep it while it is still where it was."""
    with contextlib.suppress(BadInput):
        if not has_bench(runs, digest) and (bench := Bench.open(folder)).info.digest == digest:
            keep_bench(bench, runs)


def _call(sample: Any, *, model: str, family: str, bench: str, price: Price | None) -> Call:
    from .providers import model_label
    from .tasks import call_fields

    output = sample.output
    used = call_fields(output)
    cost = None
    if price is not None and used:
        written = output.usage.input_tokens_cache_write or 0
        cost = price.cost(used["tokens_in"], used["tokens_cached"], used["tokens_out"], written)
    failed = output.error or (sample.error.message if sample.error else "")
    return Call(
        model=model_label(model),
        family=family,
        bench=bench,
        item=str(sample.id),
        text=output.completion if output.choices else "",
        stop="" if failed else output.stop_reason,
        error=one_line(failed) if failed else "",
        seconds=round(output.time or 0.0, 3),
        cost=cost,
        **used,
    )
