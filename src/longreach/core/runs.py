"""The layout of a folder of runs: logs, graded rows and benchmarks."""

from __future__ import annotations

import contextlib
import re
from pathlib import Path
from typing import Any

from pydantic import Field

from longreach.errors import BadInput, one_line

from .bench import Bench, clear_drafts
from .disk import Journal, read_file, write_whole
from .model import Frozen
from .store import Store, user_folder

LOGS = "logs"
ROWS = "rows.jsonl"
_BENCHES = "benches"
_NOTES = "runs.jsonl"
_KNOWN = "runs"
_LONGEST_PATH = 64 * 1024
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
    server: str = ""
    """Digest of the server's address and settings."""
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


def run_folders(parent: Path) -> list[Path]:
    """The folders of runs in a folder, by name, numbers by value: `night-9` before `night-10`."""
    if not parent.is_dir():
        raise BadInput(f"there is no folder {parent}; give the folder that has the earlier folders of runs")
    found = [path for path in parent.iterdir() if (path / _BENCHES).is_dir()]

    def by_value(path: Path) -> list[tuple[int, str]]:
        return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.findall(r"\d+|\D+", path.name)]

    return sorted(found, key=by_value)


def bench_copy(runs: Path, digest: str) -> Path:
    """Where a folder of runs stores the benchmark behind some results, without its long text. What is not a digest may
    be a path out of the folder and is refused."""
    if not digest.isascii() or not digest.isalnum():
        raise BadInput(
            f"{runs} has results of a benchmark '{one_line(digest, 40)}', which is no digest; leave them out"
        )
    return runs / _BENCHES / digest[:16]


def keep_bench(bench: Bench, runs: Path) -> None:
    """Copy all but the long text of a benchmark next to its results, so that they can be graded anywhere."""
    copy = bench_copy(runs, bench.info.digest)
    bench.copy_without_corpus(copy)
    source, place = copy.with_suffix(".source"), str(bench.folder.resolve()) + "\n"
    if not source.is_file() or read_file(source, _LONGEST_PATH) != place.encode(errors="surrogateescape"):
        write_whole(source, place.encode(errors="surrogateescape"))


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
        bench = Bench.open(Path(read_file(source, _LONGEST_PATH).decode().strip()))
    except (BadInput, OSError, ValueError):
        return None
    if bench.info.digest != digest:
        return None
    bench.share(kept_bench(runs, digest))
    return bench


def note_run(runs: Path, note: RunNote) -> None:
    """Record the start of a run, and where its folder is: a later run may take its answers if the user asks for it."""
    with Journal(runs / _NOTES) as journal:
        journal.add(note.model_dump_json())
    with contextlib.suppress(BadInput, OSError):
        known = user_folder(_KNOWN) / Store.key(str(runs.resolve()))[:16]
        known.parent.mkdir(parents=True, exist_ok=True)
        write_whole(known, str(runs.resolve()) + "\n")


def known_runs() -> list[Path]:
    """Folders of earlier runs of this user that still exist, the last one used last."""
    found: list[tuple[int, Path]] = []
    for known in user_folder(_KNOWN).glob("*"):
        with contextlib.suppress(OSError, ValueError):
            folder = Path(known.read_text(encoding="utf-8").removesuffix("\n"))
            if (folder / _NOTES).is_file():
                found.append((known.stat().st_mtime_ns, folder))
    return [folder for _, folder in sorted(found)]


def run_notes(runs: Path) -> dict[tuple[str, str], RunNote]:
    """The last record per series and benchmark; a line cut off by a crash is ignored."""
    found: dict[tuple[str, str], RunNote] = {}
    path = runs / _NOTES
    for line in Journal.lines(path):
        with contextlib.suppress(BadInput):
            note = RunNote.parse_json(line, str(path))
            found[note.model, note.bench] = note
    return found
