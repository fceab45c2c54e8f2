"""Every finished call in a folder of runs: from its journal, from imported answers, and from logs of plain Inspect.

Each call is in the journal before the next is sent, however the process ends. Logs that `longreach run` writes are made
from the journal and not read again."""

from __future__ import annotations

import contextlib
import json
import re
import warnings
from collections.abc import Iterable, Set
from pathlib import Path
from typing import Any
from zipfile import ZIP_DEFLATED, ZIP_STORED

from longreach.core.bench import Bench
from longreach.core.files import write_whole
from longreach.core.runs import (
    IMPORTED,
    LOGS,
    RunNote,
    has_bench,
    imported_calls,
    keep_bench,
    kept_bench,
    note_run,
    run_notes,
    stored_calls,
)
from longreach.core.types import Call, bounded, whole_text
from longreach.errors import BadInput, one_line
from longreach.models.prices import Price
from longreach.text.formats.archives import MAX_UNPACKED, ZSTD, Archive, whole_members
from longreach.text.formats.plain import Unreadable

from .replies import call_of, reply_of

OUR_LOG = re.compile(r"_longreach[0-9a-f]{12}\.eval$")
"""Suffix of logs that were written from the journal."""

_HEADERS = ("header.json", "_journal/start.json")
"""Members that say what a log is of: of a finished one, and of one that is running or crashed."""
_SAMPLE = re.compile(r"samples/(?P<id>.*)_epoch_(?P<epoch>[0-9]{1,9})\.json", re.DOTALL)
_UNUSABLE = (BadInput, ValueError, TypeError, KeyError, AttributeError, RecursionError, OverflowError)
"""What reading a member can raise that is not a log's."""

_Key = tuple[str, str, str, int]
"""Model, benchmark, item, repeat."""

_collected: dict[Path, tuple[tuple[object, ...], list[Call]]] = {}
"""The last folder read, with the state of its files."""


def journal_file(folder: Path) -> Path:
    """Where a folder of runs records its calls."""
    return folder / LOGS / "journal.jsonl"


def collect_calls(folder: Path, *, needed: bool = False) -> list[Call]:
    """Every finished call in a folder of runs: the newest good one per model, item and repeat, failures only if there
    is nothing better. The order does not depend on interruptions: models in order of appearance, items as in their
    benchmark. A folder whose files have not changed is not read again.

    What cannot be read is left out with a warning; with `needed`, it is an error if there is no other call."""
    state = _state(folder)
    if folder in _collected and _collected[folder][0] == state:
        return list(_collected[folder][1])
    best: dict[_Key, Call] = {}
    damaged: list[str] = []
    journaled = list(stored_calls(journal_file(folder), damaged))
    imported = imported_calls(folder, damaged)
    more = f" and {len(damaged) - 1} more lines" if len(damaged) > 1 else ""
    problems = [f"{damaged[0]}{more} cannot be read"] if damaged else []
    logged = _logged(folder, {_key(call) for call in journaled}, problems)
    for call in (*imported, *logged, *journaled):
        if not call.error or _key(call) not in best:
            best[_key(call)] = call
    if needed and problems and not best:
        raise BadInput(f"{problems[0]}, and {folder} has no other answer; run again to send its calls again")
    for problem in problems:
        warnings.warn(f"{problem}; its answers are left out unless another file has them", stacklevel=2)
    calls = _in_order(folder, best.values())
    _collected.clear()
    _collected[folder] = (_state(folder), calls)
    return list(calls)


def _key(call: Call) -> _Key:
    return call.model, call.bench, call.item, call.repeat


def _state(folder: Path) -> tuple[object, ...]:
    """Changes whenever a file that calls are read from does."""
    files = [journal_file(folder), *sorted((folder / IMPORTED).glob("*")), *sorted(folder.rglob("*.eval"))]
    return tuple((str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.is_file())


def _in_order(folder: Path, calls: Iterable[Call]) -> list[Call]:
    groups: dict[tuple[str, str], list[Call]] = {}
    for call in calls:
        groups.setdefault((call.model, call.bench), []).append(call)
    places: dict[str, dict[str, int]] = {}
    for digest in {digest for _, digest in groups}:
        with contextlib.suppress(BadInput, OSError):  # without its benchmark: as they are stored
            places[digest] = {item: place for place, item in enumerate(kept_bench(folder, digest).items)}
    ordered: list[Call] = []
    for (_, digest), own in groups.items():
        known = places.get(digest, {})
        ordered += sorted(own, key=lambda call: (known.get(call.item, len(known)), call.repeat))
    return ordered


def _logged(folder: Path, journaled: Set[_Key], problems: list[str]) -> list[Call]:
    """Calls of logs written by plain Inspect, and those that a damaged journal has lost. `problems` receives one line
    per log that cannot be read, in whole or in part; it does not affect the rest."""
    calls: list[Call] = []
    for log in sorted(path for path in folder.rglob("*.eval") if path.is_file()):
        ours = journaled if OUR_LOG.search(log.name) else set()
        try:
            found, lost = _read(log, folder, ours) if ours else _calls_of(log, folder)
        except BadInput as error:
            problems += [] if ours else [f"{log} cannot be read ({error})"]  # the journal has what it was written from
            continue
        if ours and found:
            warnings.warn(f"{log} has {len(found)} answers that the journal has lost; they are used", stacklevel=3)
        if lost:
            problems.append(f"{log}: {len(lost)} answers cannot be read ({lost[0]})")
        calls += found
    return calls


def _calls_of(log: Path, runs: Path) -> tuple[list[Call], list[str]]:
    cache = log.with_suffix(".calls.jsonl")
    stamp = log.stat().st_mtime_ns  # before it is read: a later change makes the log newer again
    if cache.is_file() and cache.stat().st_mtime_ns >= stamp:
        with contextlib.suppress(BadInput):  # damaged: the log still has everything
            return [*stored_calls(cache)], []
    calls, lost = _read(log, runs)
    if not lost:
        with contextlib.suppress(BadInput):  # only a cache; a read-only folder can still be read
            write_whole(cache, (call.model_dump_json() + "\n" for call in calls), mtime=stamp)
    return calls, lost


def _read(log: Path, runs: Path, known: Set[_Key] = frozenset()) -> tuple[list[Call], list[str]]:
    """The calls in a log that are not `known`, and what is wrong with each sample that cannot be read. The log is
    unpacked member by member within the limits for documents: it may come from others, or be the rest of a crash."""
    calls, lost = list[Call](), list[str]()
    with contextlib.closing(_opened(log)) as archive:
        try:
            header = _object(archive, next((name for name in _HEADERS if name in archive), _HEADERS[0]))["eval"]
            about = header.get("metadata") or {}
            if "bench" not in about:
                return [], []
            series, digest = _series(header), str(about["bench"])
            price = Price.parse(about["price"], "price") if about.get("price") else None
        except _UNUSABLE as error:
            raise BadInput(_reason(error)) from None
        named = [(match, name) for name in archive.names if (match := _SAMPLE.fullmatch(name))]
        samples = [
            (match, name) for match, name in named if (series, digest, match["id"], int(match["epoch"])) not in known
        ]
        if samples:
            _keep_bench(runs, digest, Path(str(about.get("folder", ""))))
            _note_search(runs, header)
        for _, name in sorted(samples, key=lambda each: int(each[0]["epoch"])):
            try:
                sample = _object(archive, name)
                if not _interrupted(sample):
                    calls.append(_call(sample, header, series, digest, price))
            except _UNUSABLE as error:
                lost.append(_reason(error))
    return calls, lost


def _reason(error: BaseException) -> str:
    if isinstance(error, BadInput):
        return one_line(str(error), 120)
    return "it is nested too deeply" if isinstance(error, RecursionError) else "it is not a log of Inspect"


def _opened(log: Path) -> Archive:
    methods = (ZIP_STORED, ZIP_DEFLATED, ZSTD)
    try:
        return Archive(log, methods)
    except Unreadable as error:
        if log.stat().st_size > MAX_UNPACKED:
            raise
        archive = Archive(whole_members(log.read_bytes()), methods)
        if not archive.names:
            raise error from None
        return archive
    except OSError as error:
        raise BadInput(error.strerror or str(error)) from None


def _object(archive: Archive, name: str) -> dict[str, Any]:
    found = whole_text(json.loads(archive.read(name)))
    if not isinstance(found, dict):
        raise BadInput(f"'{name}' holds no JSON object")
    return found


def _series(header: dict[str, Any]) -> str:
    if series := (header.get("metadata") or {}).get("series"):
        return str(series)
    from .opening import model_label

    return model_label(str(header["model"]))


def _call(sample: dict[str, Any], header: dict[str, Any], series: str, digest: str, price: Price | None) -> Call:
    from inspect_ai.model import ModelOutput

    output, about = sample["output"], header["metadata"]
    usage = output["usage"] = {name: bounded(count) for name, count in (output.get("usage") or {}).items()} or None
    call = call_of(
        reply_of(ModelOutput.model_validate(output)),
        str(sample["id"]),
        repeat=min(max(1, int(sample.get("epoch") or 1)), 10**6),
        failed=str(sample["error"]["message"]) if sample.get("error") else "",
        model=series,
        family=str(header["task"]).split("/")[-1],
        bench=digest,
        price=price,
        settings=about.get("settings") or {},
        max_tokens=(sample.get("metadata") or {}).get("max_tokens"),
    )
    return call if call.cost is not None or not usage else call.model_copy(update={"cost": usage.get("total_cost")})


def _note_search(runs: Path, header: Any) -> None:
    """Record that a log of plain Inspect is of a search."""
    about = header["metadata"]
    series, digest = _series(header), str(about["bench"])
    if about.get("search") and (series, digest) not in run_notes(runs):
        with contextlib.suppress(BadInput, OSError):
            given = {"model": series, "bench": digest, "workers": 4, "search": True}
            note_run(runs, RunNote.parse(given, "search"))


def _interrupted(sample: dict[str, Any]) -> bool:
    """Whether a sample was interrupted before its call ended: it counts as not sent."""
    if sample.get("error") is not None:
        return any(word in sample["error"]["message"] for word in ("CancelledError", "BudgetReached", "budget of"))
    return not sample["output"].get("choices") and not sample["output"].get("error")


def _keep_bench(runs: Path, digest: str, folder: Path) -> None:
    """A log of plain Inspect has no copy of its benchmark: make one while it is still in place."""
    with contextlib.suppress(BadInput):
        if not has_bench(runs, digest) and (bench := Bench.open(folder)).info.digest == digest:
            keep_bench(bench, runs)
