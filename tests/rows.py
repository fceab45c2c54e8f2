"""Rows for tests: what a test says of an answer, and ordinary values for the rest."""

from __future__ import annotations

from typing import Any

from longreach.core.bench import Bench
from longreach.core.types import Item, Row, Status, Verdict


def make_row(value: float | None = 1.0, status: Status = "scored", **changes: Any) -> Row:
    """One row; `value` and `status` are those of its verdict."""
    cell = changes.get("cell", {})
    ordinary = {
        "model": "m",
        "family": "needles",
        "bench": "b",
        "item": "i",
        "question": "q",
        "question_type": "literal",
        "cell": cell,
        "realised": cell,
        "verdict": Verdict(status=status, value=value if status == "scored" else None),
        "tokens_in": 1,
        "tokens_cached": 0,
        "tokens_out": 1,
        "seconds": 0.1,
        "cost": None,
    }
    return Row(**ordinary | changes)


def row_of(bench: Bench, item: Item, question: str, verdict: Verdict, **changes: Any) -> Row:
    """The row of an answer to a question of a benchmark."""
    own: dict[str, Any] = {
        "family": bench.info.family,
        "bench": bench.info.digest,
        "item": item.id,
        "question": question,
        "question_type": bench.questions[question].question_type,
        "cell": item.cell,
        "realised": item.realised,
        "verdict": verdict,
    }
    return make_row(**own | changes)
