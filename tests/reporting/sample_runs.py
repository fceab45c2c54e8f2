"""Calls as models would have made them: right or wrong answers that the family writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.answering import answer

from longreach.core.bench import Bench
from longreach.core.runs import keep_bench
from longreach.core.types import Call, Item, Row
from longreach.results.grading import grade_runs


def calls_of(bench: Bench, model: str, right: Callable[[Item], bool]) -> list[Call]:
    """One call an item."""
    return [
        Call(
            model=model,
            family=bench.info.family,
            bench=bench.info.digest,
            item=item.id,
            text=answer(bench, item, right=right(item)),
            stop="stop",
        )
        for item in bench.items.values()
    ]


def rows_of(bench: Bench, folder: Path, *calls: list[Call]) -> list[Row]:
    """Graded rows of some calls."""
    keep_bench(bench, folder)
    return grade_runs(folder, [call for some in calls for call in some])


def own_contexts(rows: list[Row]) -> list[Row]:
    """The same as if every question had a context of its own: enough contexts for intervals."""
    return [row.model_copy(update={"context": f"{row.context} {row.question}"}) for row in rows]
