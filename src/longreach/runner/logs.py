"""Inspect's logs to calls, and a journal of our own: each call is in it before the next is sent, however the process
ends. Each log's calls are kept beside it as plain lines, read again only when it changes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from longreach.core.answers import imported_calls
from longreach.core.bench import Bench
from longreach.core.disk import Journal, write_whole
from longreach.core.row import Call
from longreach.core.runs import LOGS, has_bench, keep_bench, kept_bench
from longreach.errors import BadInput, one_line
from longreach.models.prices import Price

__all__ = ["call_of", "collect_calls", "journal_file"]


def journal_file(folder: Path) -> Path:
    """Where a folder of runs keeps its calls as they come."""
    return folder / LOGS / "journal.jsonl"


def collect_calls(folder: Path) -> list[Call]:
    """Every finished call in a folder of runs: the newest good one for each model and item, failures only where
    nothing better is known. A log cut off by a crash gives what it has. The order is the same however often a run
    was broken off: models as they were first met, items as in their benchmark."""
    best: dict[tuple[str, str, str], Call] = {}
    logged = (call for log in sorted(folder.rglob("*.eval")) for call in _calls_of(log, folder))
    for call in (*imported_calls(folder), *_journaled(folder), *logged):
        key = (call.model, call.bench, call.item)
        if not call.error or key not in best:
            best[key] = call
    return _in_order(folder, best.values())


def _in_order(folder: Path, calls: Iterable[Call]) -> list[Call]:
    groups: dict[tuple[str, str], list[Call]] = {}
    for call in calls:
        groups.setdefault((call.model, call.bench), []).append(call)
    ordered: list[Call] = []
    for (_, digest), own in groups.items():
        places = {}
        if has_bench(folder, digest):
            places = {item: place for place, item in enumerate(kept_bench(folder, digest).items)}
        ordered += sorted(own, key=lambda call: places.get(call.item, len(places)))
    return ordered


def _journaled(folder: Path) -> list[Call]:
    path = journal_file(folder)
    return [Call.parse_json(line, f"{path}:{number}") for number, line in enumerate(Journal.lines(path), 1)]


def _calls_of(log: Path, runs: Path) -> list[Call]:
    kept = log.with_suffix(".calls.jsonl")
    stamp = log.stat().st_mtime_ns  # before it is read: what is added meanwhile makes it newer again
    if kept.is_file() and kept.stat().st_mtime_ns >= stamp:
        with contextlib.suppress(BadInput):  # damaged: the log still has it all
            return [Call.parse_json(line, str(kept)) for line in kept.read_bytes().splitlines()]
    calls = _read(log, runs)
    with contextlib.suppress(BadInput):  # only quicker next time; a folder that cannot be written can still be read
        write_whole(kept, "".join(call.model_dump_json() + "\n" for call in calls), stamp=stamp)
    return calls


def _read(log: Path, runs: Path) -> list[Call]:
    from zipfile import BadZipFile

    try:
        return _read_log(log, runs)
    except (BadZipFile, EOFError, ValueError, KeyError) as error:
        why = one_line(str(error), 120)
        raise BadInput(f"{log} cannot be read ({why}); remove it and run again: its calls are sent again") from None


def _read_log(log: Path, runs: Path) -> list[Call]:
    from inspect_ai.log import read_eval_log, read_eval_log_sample_summaries, read_eval_log_samples

    header = read_eval_log(str(log), header_only=True)
    about = header.eval.metadata or {}
    if "bench" not in about or not read_eval_log_sample_summaries(str(log)):
        return []
    _keep_bench(runs, str(about["bench"]), Path(str(about.get("folder", ""))))
    price = Price.parse(about["price"], f"price in {log}") if about.get("price") else None
    from .providers import model_label

    return [
        call_of(
            sample.output,
            str(sample.id),
            failed=sample.error.message if sample.error else "",
            model=model_label(header.eval.model),
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


def call_of(
    output: Any, item: str, *, model: str, family: str, bench: str, price: Price | None, failed: str = ""
) -> Call:
    """A model's output in Longreach's words."""
    from .tasks import call_fields

    used = call_fields(output)
    cost = None
    if price is not None and used:
        written = output.usage.input_tokens_cache_write or 0
        cost = price.cost(used["tokens_in"], used["tokens_cached"], used["tokens_out"], written)
    failed = output.error or failed
    return Call(
        model=model,
        family=family,
        bench=bench,
        item=item,
        text=output.completion if output.choices else "",
        stop="" if failed else output.stop_reason,
        error=one_line(failed) if failed else "",
        seconds=round(output.time or 0.0, 3),
        cost=cost,
        **used,
    )
