"""What verbs read in folders of runs: their calls, graded rows and benchmarks, as they were graded last time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from longreach.core.progress import OnProgress, no_progress
from longreach.errors import BadInput

if TYPE_CHECKING:
    from longreach.core.bench import Bench
    from longreach.core.figure import FamilyView
    from longreach.core.types import Call, Row

Where = str | Path


def finished_calls(runs: Path, step: OnProgress = no_progress) -> list[Call]:
    from longreach.core.runs import shown_calls
    from longreach.families import STEP
    from longreach.results.grading import gradable
    from longreach.runner.logs import collect_calls

    if not runs.is_dir():
        raise BadInput(f"there is no folder of runs {runs}; make one with: longreach run BENCH -m MODEL -o {runs}")
    step("reading answers", 0, 0)
    calls = [call for call in shown_calls(runs, collect_calls(runs, needed=True)) if call.family != STEP]
    if not calls:
        raise BadInput(f"{runs} has no finished call; fill it with: longreach run BENCH -m MODEL -o {runs}")
    return gradable(runs, calls)


def graded_rows(runs: Path, step: OnProgress) -> list[Row]:
    """Graded rows over whole contexts, the same way as last time; the folder need not be writable."""
    from longreach.results.grading import grade_runs

    calls = finished_calls(runs, step)
    return over_full_context(runs, grade_runs(runs, calls, step=step), calls)[0]


def over_full_context(runs: Path, rows: Sequence[Row], calls: Sequence[Call]) -> tuple[list[Row], list[Call]]:
    """Rows and calls without those of other ways of reading, which no accuracy, ranking, gate or effective length may
    hold."""
    from longreach.core.runs import kept_bench
    from longreach.families.readings import reads_whole, record_of

    apart = {digest for digest in {call.bench for call in calls} if record_of(kept_bench(runs, digest))}
    kept = [row for row in rows if reads_whole(row)]
    if rows and not kept:
        raise BadInput(f"{runs} has no answers to whole texts; run with --ways whole into it too")
    return kept, [call for call in calls if call.bench not in apart]


def measured_rows(runs: Path, calls: Sequence[Call], step: OnProgress) -> tuple[list[Row], dict[str, FamilyView]]:
    """Graded rows, and their families with the scores of guessing."""
    from longreach.reporting.report import measured_views
    from longreach.results.grading import grade_runs

    rows = over_full_context(runs, grade_runs(runs, calls, step=step), calls)[0]
    step("computing statistics", 0, 0)
    return rows, measured_views(rows, benches_of({runs: rows}))


def rows_of_night(runs: Path, step: OnProgress) -> list[Row]:
    """The rows of an earlier night; none where nothing finished."""
    try:
        return graded_rows(runs, step)
    except BadInput:
        return []


def graded_results(runs: Path) -> tuple[tuple[list[Row], list[Call], dict[str, Bench]], dict[str, int]]:
    """Graded rows with their calls and benchmarks, and the tokens at which servers cut prompts, by model."""
    from longreach.core.preflight import cut_at
    from longreach.results.grading import grade_runs

    calls = finished_calls(runs, no_progress)
    rows = grade_runs(runs, calls)
    cuts = {model: limit for model in {row.model for row in rows} if (limit := cut_at(runs, model)) is not None}
    return (rows, calls, benches_of({runs: rows})), cuts


def benches_of(graded: Mapping[Path, Sequence[Row]]) -> dict[str, Bench]:
    """The benchmarks of graded rows, by digest, from the copies in their folders."""
    from longreach.core.runs import has_bench, kept_bench

    folders = {row.bench: folder for folder, rows in graded.items() for row in rows}
    return {digest: kept_bench(folder, digest) for digest, folder in folders.items() if has_bench(folder, digest)}


def kept_benches(runs: Path, digests: set[str]) -> dict[str, Bench]:
    from longreach.core.runs import has_bench, kept_bench

    return {digest: kept_bench(runs, digest) for digest in sorted(digests) if has_bench(runs, digest)}


def length_in_tokens(at: str | float | None) -> float | None:
    from longreach.core.formatting import tokens_setting

    try:
        length = None if at is None else float(tokens_setting(at))
    except ValueError as error:
        raise BadInput(f"at {at!r}: {error}") from None
    if length is not None and not 0 < length < 1e12:
        raise BadInput(f"at {at!r} is no length; give tokens such as 60k")
    return length


def names_given(given: str | Sequence[str], what: str) -> list[str]:
    """One name or several as a list."""
    names = [given] if isinstance(given, str) else list(given)
    if not names or not all(isinstance(name, str) and name for name in names):
        raise BadInput(f"{given!r} is not the name of {what}; give one name or a list of names")
    return names
