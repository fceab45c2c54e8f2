"""A folder of runs: where logs, graded rows and the benchmarks behind them lie."""

from __future__ import annotations

from pathlib import Path

from sonde.errors import BadInput

from .bench import Bench

__all__ = ["LOGS", "ROWS", "has_bench", "keep_bench", "kept_bench", "kept_corpus"]

LOGS = "logs"
ROWS = "rows.jsonl"
_BENCHES = "benches"


def keep_bench(bench: Bench, runs: Path) -> None:
    """Keep all but the long text of a benchmark beside its results, so that they can be graded anywhere."""
    copy = runs / _BENCHES / bench.info.digest[:16]
    bench.copy_without_corpus(copy)
    copy.with_suffix(".source").write_text(str(bench.folder.resolve()) + "\n", encoding="utf-8")


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
