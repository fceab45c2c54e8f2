"""A folder of runs: where logs, graded rows and the benchmarks behind them lie."""

from __future__ import annotations

import contextlib
from pathlib import Path

from longreach.errors import BadInput

from .bench import Bench, clear_drafts
from .disk import Journal, write_whole
from .model import Frozen

__all__ = [
    "LOGS",
    "ROWS",
    "RunNote",
    "clear_benches",
    "has_bench",
    "keep_bench",
    "kept_bench",
    "kept_corpus",
    "note_run",
    "run_notes",
]

LOGS = "logs"
ROWS = "rows.jsonl"
_BENCHES = "benches"
_NOTES = "runs.jsonl"


class RunNote(Frozen):
    """How a run was meant to go, so that what came of it can be held against that."""

    model: str
    bench: str
    """Digest of the benchmark."""
    workers: int
    sharing: bool = True
    price: str | None = None
    """As the user gave it; None: the list's."""
    prefill: float | None = None
    """Tokens a second read, as measured or given before the run."""
    decode: float | None = None


def keep_bench(bench: Bench, runs: Path) -> None:
    """Keep all but the long text of a benchmark beside its results, so that they can be graded anywhere."""
    copy = runs / _BENCHES / bench.info.digest[:16]
    bench.copy_without_corpus(copy)
    source, place = copy.with_suffix(".source"), str(bench.folder.resolve()) + "\n"
    if not source.is_file() or source.read_text(encoding="utf-8") != place:
        write_whole(source, place)


def clear_benches(runs: Path) -> None:
    """Remove what a killed run left half copied; only for whoever holds the folder."""
    for copy in {path.name.split(".")[1] for path in (runs / _BENCHES).glob(".*.draft")}:
        clear_drafts(runs / _BENCHES / copy)


def has_bench(runs: Path, digest: str) -> bool:
    """Whether the benchmark behind some results is kept here."""
    return (runs / _BENCHES / digest[:16]).is_dir()


def kept_bench(runs: Path, digest: str) -> Bench:
    """The benchmark behind some results, without its long text."""
    folder = runs / _BENCHES / digest[:16]
    if not has_bench(runs, digest):
        raise BadInput(f"{runs} has results of benchmark {digest[:12]} but not the benchmark; run it again into {runs}")
    return Bench.open(folder, verify=False)


def kept_corpus(runs: Path, digest: str) -> Bench | None:
    """The whole benchmark where it was when it ran, if it is still there unchanged."""
    source = (runs / _BENCHES / digest[:16]).with_suffix(".source")
    if not source.is_file():
        return None
    try:
        bench = Bench.open(Path(source.read_text(encoding="utf-8").strip()))
    except BadInput:
        return None
    return bench if bench.info.digest == digest else None


def note_run(runs: Path, note: RunNote) -> None:
    """Keep a note of a run that begins."""
    journal = Journal(runs / _NOTES)
    try:
        journal.add(note.model_dump_json())
    finally:
        journal.close()


def run_notes(runs: Path) -> dict[tuple[str, str], RunNote]:
    """The last note of each model and benchmark; a line cut off by a crash is as if it was never written."""
    found: dict[tuple[str, str], RunNote] = {}
    path = runs / _NOTES
    for line in Journal.lines(path):
        with contextlib.suppress(BadInput):
            note = RunNote.parse_json(line, str(path))
            found[note.model, note.bench] = note
    return found
