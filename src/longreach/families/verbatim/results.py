"""Rows grouped by what may be pooled: one model, one task, one size, one order, one corpus, one number of digits."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from longreach.core.estimate import Estimate
from longreach.core.figure import Dot
from longreach.core.item import AxisValue
from longreach.core.model import Frozen
from longreach.core.row import Row
from longreach.stats.counting import sample
from longreach.stats.intervals import mean_estimate

from .asking import COPY, base_task

__all__ = [
    "Cell",
    "cells",
    "dot",
    "estimate",
    "input_of",
    "is_copy",
    "mean",
    "measured",
    "spread",
    "values",
]

_GRADED = ("scored", "truncated")


class Cell(Frozen):
    """The fields by which results must not be pooled."""

    model: str
    question_type: str
    corpus: str
    order: str
    digits: int
    n: int

    @property
    def task(self) -> str:
        return base_task(self.question_type)


def is_copy(question_type: str) -> bool:
    """Whether a question type is a copy-only control."""
    return question_type.endswith(COPY)


def cells(rows: Iterable[Row]) -> dict[Cell, list[Row]]:
    """Rows by cell, in the order of models, tasks, corpora, orders, digits and sizes."""
    found: dict[Cell, list[Row]] = {}
    for row in rows:
        cell = Cell(
            model=row.model,
            question_type=row.question_type,
            corpus=str(row.cell.get("corpus", "")),
            order=str(row.cell.get("order", "")),
            digits=_whole(row.cell.get("digits", 0)),
            n=_whole(row.cell.get("n", 0)),
        )
        found.setdefault(cell, []).append(row)
    order = ("sort", "restore", "group")
    return dict(
        sorted(
            found.items(),
            key=lambda entry: (
                entry[0].model,
                order.index(entry[0].task) if entry[0].task in order else len(order),
                entry[0].corpus,
                is_copy(entry[0].question_type),
                entry[0].order,
                entry[0].digits,
                entry[0].n,
            ),
        )
    )


def _whole(value: AxisValue) -> int:
    return int(value) if not isinstance(value, str) else 0


def measured(row: Row, name: str) -> float | None:
    """A measure of an answer. A truncated answer has it too, although it has no value."""
    return row.verdict.scores.get(name) if row.verdict.status in _GRADED else None


def values(rows: Sequence[Row], name: str) -> list[float]:
    """One measure of all answers that have it."""
    found = (measured(row, name) for row in rows)
    return [value for value in found if value is not None]


def spread(numbers: Sequence[float]) -> float | None:
    """Standard deviation over the samples (n - 1), as far as there are two."""
    if len(numbers) < 2:
        return None
    middle = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((number - middle) ** 2 for number in numbers) / (len(numbers) - 1))


def estimate(rows: Sequence[Row]) -> Estimate | None:
    """Delivered score with the 95 % CI that its spread over the samples gives."""
    found = sample(rows)
    return mean_estimate(found) if len(found) else None


def mean(numbers: Sequence[float]) -> float | None:
    """Mean of some numbers; None where there is none."""
    return math.fsum(numbers) / len(numbers) if numbers else None


def dot(x: AxisValue, rows: Sequence[Row], name: str) -> Dot:
    """Mean of a measure with its 95 % CI."""
    found = sample(rows, lambda row: measured(row, name))
    if not len(found):
        return Dot(x=x, y=None, note=_note(rows, 0))
    middle = mean_estimate(found)
    return Dot(x=x, y=middle.value, low=middle.low, high=middle.high, note=_note(rows, len(found)))


def _note(rows: Sequence[Row], scored: int) -> str:
    parts = [f"{scored} of {len(rows)} answers"]
    if cut := sum(row.verdict.status == "truncated" for row in rows):
        parts.append(f"{cut} cut off")
    return ", ".join(parts)


def input_of(row: Row) -> str:
    """The input of a row: its item's id without the question's part."""
    return row.item.rpartition("-")[0]
