"""Every finished call in a folder of runs: from its journal, from imported answers, and from logs of plain Inspect.

Each call is in the journal before the next is sent, however the process ends. Logs that `longreach run` writes are made
from the journal and not read again."""

from __future__ import annotations

import contextlib
import re
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from longreach.core.answers import IMPORTED, imported_calls
from longreach.core.bench import Bench
from longreach.core.disk import write_whole
from longreach.core.row import Call
from longreach.core.runs import LOGS, RunNote, has_bench, keep_bench, kept_bench, note_run, run_notes
from longreach.core.stored_calls import stored_calls
from longreach.errors import BadInput, one_line
from longreach.models.prices import Price

from .replies import call_of, reply_of

__all__ = ["OUR_LOG", "collect_calls", "journal_file"]

OUR_LOG = re.compile(r"_longreach[0-9a-f]{12}\.eval$")
"""Suffix of logs that were written from the journal."""

_collected: dict[Path, tuple[tuple[object, ...], list[Call]]] = {}
"""The last folder read, with the state of its files."""


def journal_file(folder: Path) -> Path:
    """Where a folder of runs records its calls."""
    return folder / LOGS / "journal.jsonl"


def collect_calls(folder: Path, *, needed: bool = False) -> list[Call]:
    """Every finished call in a folder of runs: the newest good one per model and item, failures only if there is
    nothing better. The order does not depend on interruptions: models in order of appearance, items as in their
    benchmark. A folder whose files have not changed is not read again.

    An unreadable log is left out with a warning; with `needed`, it is an error if there is no other call."""
    state = _state(folder)
    if folder in _collected and _collected[folder][0] == state:
        return list(_collected[folder][1])
    best: dict[tuple[str, str, str], Call] = {}
    journaled = list(stored_calls(journal_file(folder)))
    logged, problems = _logged(folder, journaled=bool(journaled))
    for call in (*imported_calls(folder), *logged, *journaled):
        key = (call.model, call.bench, call.item)
        if not call.error or key not in best:
            best[key] = call
    if needed and problems and not best:
        raise BadInput(f"{problems[0]}, and {folder} has no other answer; run again to send its calls again")
    for problem in problems:
        warnings.warn(f"{problem}; its answers are left out unless the journal has them", stacklevel=2)
    calls = _in_order(folder, best.values())
    _collected.clear()
    _collected[folder] = (_state(folder), calls)
    return list(calls)


def _state(folder: Path) -> tuple[object, ...]:
    """Changes whenever a file that calls are read from does."""
    files = [journal_file(folder), *sorted((folder / IMPORTED).glob("*")), *sorted(folder.rglob("*.eval"))]
    return tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.is_file())


def _in_order(folder: Path, calls: Iterable[Call]) -> list[Call]:
    groups: dict[tuple[str, str], list[Call]] = {}
    for call in calls:
        groups.setdefault((call.model, call.bench), []).append(call)
    places = {
        digest: {item: place for place, item in enumerate(kept_bench(folder, digest).items)}
        for digest in {digest for _, digest in groups}
        if has_bench(folder, digest)
    }
    ordered: list[Call] = []
    for (_, digest), own in groups.items():
        known = places.get(digest, {})
        ordered += sorted(own, key=lambda call: known.get(call.item, len(known)))
    return ordered


def _logged(folder: Path, *, journaled: bool) -> tuple[list[Call], list[str]]:
    """Calls of logs written by plain Inspect, and one line per unreadable log, which does not affect the rest."""
    calls: list[Call] = []
    problems: list[str] = []
    for log in sorted(folder.rglob("*.eval")):
        if journaled and OUR_LOG.search(log.name):
            continue
        try:
            calls += _calls_of(log, folder)
        except BadInput as error:
            problems.append(str(error))
    return calls, problems


def _calls_of(log: Path, runs: Path) -> list[Call]:
    cache = log.with_suffix(".calls.jsonl")
    stamp = log.stat().st_mtime_ns  # before it is read: a later change makes the log newer again
    if cache.is_file() and cache.stat().st_mtime_ns >= stamp:
        with contextlib.suppress(BadInput):  # damaged: the log still has everything
            return [*stored_calls(cache)]
    calls = _read(log, runs)
    with contextlib.suppress(BadInput):  # only a cache; a read-only folder can still be read
        write_whole(cache, (call.model_dump_json() + "\n" for call in calls), stamp=stamp)
    return calls


def _read(log: Path, runs: Path) -> list[Call]:
    from zipfile import BadZipFile

    try:
        return _read_log(log, runs)
    except (BadZipFile, EOFError, OSError, ValueError, KeyError) as error:
        why = one_line(str(error), 120)
        raise BadInput(f"{log} cannot be read ({why})") from None


def _read_log(log: Path, runs: Path) -> list[Call]:
    from inspect_ai.log import (
        read_eval_log,
        read_eval_log_sample,
        read_eval_log_sample_summaries,
        read_eval_log_samples,
    )

    header = read_eval_log(str(log), header_only=True)
    about = header.eval.metadata or {}
    if "bench" not in about or not (summaries := read_eval_log_sample_summaries(str(log))):
        return []
    _keep_bench(runs, str(about["bench"]), Path(str(about.get("folder", ""))))
    _note_search(runs, header)
    samples: Iterable[Any] = read_eval_log_samples(str(log), all_samples_required=False)
    if about.get("until"):  # the header of a search names only its first round
        samples = (read_eval_log_sample(str(log), each.id, each.epoch) for each in summaries)
    price = Price.parse(about["price"], f"price in {log}") if about.get("price") else None
    from .provider_calls import model_label

    return [
        call_of(
            reply_of(sample.output),
            str(sample.id),
            failed=sample.error.message if sample.error else "",
            model=str(about.get("series") or model_label(header.eval.model)),
            family=header.eval.task.split("/")[-1],
            bench=str(about["bench"]),
            price=price,
        )
        for sample in samples
        if not _interrupted(sample)
    ]


def _note_search(runs: Path, header: Any) -> None:
    """Record that a log of plain Inspect is of a search."""
    from .provider_calls import model_label

    about = header.eval.metadata or {}
    series, digest = str(about.get("series") or model_label(header.eval.model)), str(about["bench"])
    if about.get("until") and (series, digest) not in run_notes(runs):
        with contextlib.suppress(BadInput, OSError):
            note_run(runs, RunNote(model=series, bench=digest, workers=4, until=float(about["until"])))


def _interrupted(sample: Any) -> bool:
    """Whether a sample was interrupted before its call ended: it counts as not sent."""
    if sample.error is not None:
        return any(word in sample.error.message for word in ("CancelledError", "BudgetReached", "budget of"))
    return not sample.output.choices and not sample.output.error


def _keep_bench(runs: Path, digest: str, folder: Path) -> None:
    """A log of plain Inspect has no copy of its benchmark: make one while it is still in place."""
    with contextlib.suppress(BadInput):
        if not has_bench(runs, digest) and (bench := Bench.open(folder)).info.digest == digest:
            keep_bench(bench, runs)
