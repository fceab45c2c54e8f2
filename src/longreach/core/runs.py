"""The layout of a folder of runs: logs, graded rows and benchmarks."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pydantic import Field

from longreach.errors import BadInput

from .bench import Bench, clear_drafts
from .disk import Journal, write_whole
from .generation import model_name
from .model import Frozen
from .row import Call

__all__ = [
    "LOGS",
    "ROWS",
    "RunNote",
    "bench_copy",
    "check_display",
    "clear_benches",
    "has_bench",
    "keep_bench",
    "kept_bench",
    "kept_corpus",
    "note_run",
    "run_notes",
    "shown_calls",
]

LOGS = "logs"
ROWS = "rows.jsonl"
_BENCHES = "benches"
_NOTES = "runs.jsonl"
_opened: dict[Path, tuple[tuple[object, ...], Bench]] = {}
"""Benchmarks that were opened, with the state of their files: reading thousands of items takes a second."""


class RunNote(Frozen):
    """The settings and planned figures of a run, to compare with the results."""

    model: str
    """The series, as in its calls."""
    bench: str
    """Digest of the benchmark."""
    workers: int
    replicas: int = 1
    block: int | None = None
    """Tokens per block of the server's prefix cache, if given."""
    sharing: bool = True
    name: str = ""
    """The name under which the model is shown; empty: its own."""
    price: str | None = None
    """As the user gave it; None: from the price list."""
    prefill: float | None = None
    """Tokens per second read, as measured or given before the run."""
    decode: float | None = None
    settings: dict[str, Any] = Field(default_factory=dict)
    """Generation settings and model arguments in force."""
    max_tokens: int | None = None
    until: float | None = None
    """Of a search: how well the effective length was to be known. None: a full run."""


def bench_copy(runs: Path, digest: str) -> Path:
    """Where a folder of runs stores the benchmark behind some results, without its long text."""
    return runs / _BENCHES / digest[:16]


def keep_bench(bench: Bench, runs: Path) -> None:
    """Copy all but the long text of a benchmark next to its results, so that they can be graded anywhere."""
    copy = bench_copy(runs, bench.info.digest)
    bench.copy_without_corpus(copy)
    source, place = copy.with_suffix(".source"), str(bench.folder.resolve()) + "\n"
    if not source.is_file() or source.read_text(encoding="utf-8") != place:
        write_whole(source, place)


def clear_benches(runs: Path) -> None:
    """Remove partial copies of a killed run; only for the process that holds the folder's lock."""
    for copy in {path.name.split(".")[1] for path in (runs / _BENCHES).glob(".*.draft")}:
        clear_drafts(runs / _BENCHES / copy)


def has_bench(runs: Path, digest: str) -> bool:
    """Whether the folder has the benchmark behind some results."""
    return bench_copy(runs, digest).is_dir()


def kept_bench(runs: Path, digest: str) -> Bench:
    """The benchmark behind some results, without its long text."""
    folder = bench_copy(runs, digest)
    if not has_bench(runs, digest):
        raise BadInput(f"{runs} has results of benchmark {digest[:12]} but not the benchmark; run it again into {runs}")
    state = tuple((path.name, path.stat().st_mtime_ns, path.stat().st_size) for path in sorted(folder.iterdir()))
    known = _opened.get(folder)
    if known is None or known[0] != state:
        known = _opened[folder] = (state, Bench.open(folder, verify=False))
    return known[1]


def kept_corpus(runs: Path, digest: str) -> Bench | None:
    """The whole benchmark at the place where it ran, if it is still there unchanged."""
    source = bench_copy(runs, digest).with_suffix(".source")
    if not source.is_file():
        return None
    try:
        bench = Bench.open(Path(source.read_text(encoding="utf-8").strip()))
    except BadInput:
        return None
    if bench.info.digest != digest:
        return None
    bench.share(kept_bench(runs, digest))
    return bench


def note_run(runs: Path, note: RunNote) -> None:
    """Record the start of a run."""
    with Journal(runs / _NOTES) as journal:
        journal.add(note.model_dump_json())


def shown_name(note: RunNote) -> str:
    """The series as it is shown: with the given name in place of the model's, settings in brackets as they are."""
    return note.name + note.model.removeprefix(model_name(note.model)) if note.name else note.model


def shown_calls(runs: Path, calls: Sequence[Call]) -> list[Call]:
    """Calls under the names that their series are shown by."""
    names = {(note.model, note.bench): name for (name, _), note in run_notes(runs).items() if note.name}
    return [
        call.model_copy(update={"model": names[call.model, call.bench]}) if (call.model, call.bench) in names else call
        for call in calls
    ]


def check_display(runs: Path, name: str, model: str) -> None:
    """Refuse a display name that results of another model in the folder have: they would mix."""
    if not name:
        return
    if len(name) > 200 or not name.isprintable() or "[" in name:
        raise BadInput(f"--name {name!r} cannot be shown; give up to 200 printable characters without '['")
    for note in run_notes(runs).values():
        if name in (note.name, model_name(note.model)) and model_name(note.model) != model:
            raise BadInput(f"--name {name}: {runs} has results of {model_name(note.model)} under it; give another name")


def run_notes(runs: Path) -> dict[tuple[str, str], RunNote]:
    """The last record per series, as it is shown, and benchmark; a line cut off by a crash is ignored."""
    found: dict[tuple[str, str], RunNote] = {}
    path = runs / _NOTES
    for line in Journal.lines(path):
        with contextlib.suppress(BadInput):
            note = RunNote.parse_json(line, str(path))
            before = found.get((note.model, note.bench))
            if before is not None and not note.name:  # a run that resumes need not repeat the name
                note = note.model_copy(update={"name": before.name})
            found[note.model, note.bench] = note
    return {(shown_name(note), note.bench): note for note in found.values()}
