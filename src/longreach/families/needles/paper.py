"""The paper behind needles: its figures as points, and what its claims measure in rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longreach.core.types import Estimate, Row
from longreach.families.base import over_refusal_rate
from longreach.families.papers import Paper, Point
from longreach.stats.counting import delivered_rate

from .figures import paper_scatter, paper_scores


def _points() -> Iterator[Point]:
    """Table 2 over all lengths and at the longest, and Table A1 by distribution."""
    for score in paper_scores():
        about = {"prompt": score.prompt, "question_type": score.question_type}
        yield Point(model=score.model, axes={**about, "over": "all"}, value=score.aggregate)
        yield Point(model=score.model, axes={**about, "over": "longest"}, value=score.capacity)
    for cell in paper_scatter():
        axes = {"distribution": cell.distribution, "prompt": cell.prompt, "question_type": cell.question_type}
        yield Point(model=cell.model, axes=axes, value=cell.score)


def _measured(rows: Sequence[Row], measure: str) -> Estimate | None:
    return over_refusal_rate(rows) if measure == "over_refusal" else delivered_rate(rows)


PAPER = Paper(
    package=__package__ or "",
    points=lambda: tuple(_points()),
    measured=_measured,
    axes=("distribution", "over", "prompt", "question_type"),
)
