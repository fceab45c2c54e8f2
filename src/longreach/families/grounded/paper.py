"""The paper behind grounded: its table as points."""

from __future__ import annotations

from longreach.families.papers import Paper, Point

from .build import QUESTION_TYPE
from .figures import published_rows

PAPER = Paper(
    package=__package__ or "",
    points=lambda: tuple(
        Point(model=row.model, axes={"length": length}, value=score)
        for row in published_rows()
        for length, score in row.by_length.items()
    ),
    counts=lambda row: row.question_type == QUESTION_TYPE and "length" in row.cell,
    axes=("length",),
)
