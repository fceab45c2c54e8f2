"""Memory grows by a small row per item, however long the answers are; benchmarks/bench_growth.py measures whole
commands up to 100,000 items."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from itertools import cycle, islice
from pathlib import Path

import pytest
from tests.drafts import draft_of

from longreach.api import grade, plan, report
from longreach.core.bench import Bench, write_bench
from longreach.core.runs import imported_file, keep_answers, keep_bench
from longreach.core.types import Call
from longreach.reporting.report import rows_on_page

SIZES = (200, 800)
MOST = 1500
"""Bytes per further item; an answer with its reasoning has 11,000."""
REASONING = "Let me read it again. " * 500
VERBS: dict[str, Callable[[Path, Path], object]] = {
    "plan": lambda bench, _: plan(bench, ["openai/gpt-5-mini"], concurrency=4),
    "grade": lambda _, runs: grade(runs),
    "report": lambda _, runs: report(runs, runs.parent / "page.html"),
}


@pytest.fixture(scope="module")
def folders(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Path, Path]]:
    """A benchmark and answers to it, of two sizes."""
    made = []
    for size in SIZES:
        folder = tmp_path_factory.mktemp(f"size{size}")
        items = [
            item.model_copy(update={"id": f"{item.id}-{number}", "questions": item.questions[:1]})
            for number, item in enumerate(islice(cycle(bench.items.values()), size))
        ]
        whole = write_bench(folder / "bench", draft_of(bench).model_copy(update={"items": tuple(items)}), bench.corpus)
        keep_bench(whole, folder / "runs")
        keep_answers(imported_file(folder / "runs", "m", whole.info.digest), _answers(whole))
        made.append((folder / "bench", folder / "runs"))
    return made


def _answers(bench: Bench) -> Iterator[Call]:
    for number, item in enumerate(bench.items):
        text = f"Question 1: {number}"
        digest = bench.info.digest
        yield Call(
            model="m",
            family="needles",
            bench=digest,
            item=item,
            text=text,
            reasoning=f"{REASONING}{number}",
            stop="stop",
        )


@pytest.mark.long
@pytest.mark.parametrize("verb", VERBS)
def test_bytes_per_item(verb: str, folders: list[tuple[Path, Path]], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.reporting.report.rows_on_page", partial(rows_on_page, most=200))
    peaks = []
    for bench, runs in folders:
        VERBS[verb](bench, runs)  # loads modules and grades, so that caches of the grader are not counted
        tracemalloc.start()
        VERBS[verb](bench, runs)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert (peaks[1] - peaks[0]) / (SIZES[1] - SIZES[0]) < MOST
