"""The paper behind novel: its tables as points, and what its claims measure in rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longreach.core.types import Estimate, Row
from longreach.families.papers import Paper, Point

from .figures import paper_rows
from .scores import outcomes, recall, score
from .spec import SIZES

_MEASURES = ("hallucinated", "faithful", "mean", "mcc")
_ONE_UNIT = 3000


def _points() -> Iterator[Point]:
    for row in paper_rows():
        axes = {"method": row.method, "length": SIZES.get(row.size, _ONE_UNIT)}
        for measure in _MEASURES:
            yield Point(model=row.model, axes=axes, measure=measure, value=getattr(row, measure))


def _measured(rows: Sequence[Row], measure: str) -> Estimate | None:
    """As the paper counts: an answer without a verdict is wrong."""
    found = outcomes(rows)
    if measure == "recall":
        return recall(found)
    estimate: Estimate | None = getattr(score(found, failures_wrong=True), measure)
    return estimate


PAPER = Paper(
    package=__package__ or "",
    points=lambda: tuple(_points()),
    measured=_measured,
    counts=lambda row: "sample" in row.cell,
    axes=("method", "length"),
)
