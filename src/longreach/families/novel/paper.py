"""The paper behind novel: its tables as points, and what its claims measure in rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longreach.core.types import Estimate, Row
from longreach.families.papers import Load, Paper, Point

from .figures import paper_rows
from .scores import outcomes, recall, score
from .spec import SIZES, WINDOWS, NovelSpec

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


_OF_RULES, _SUMMARY_SHARE = 800, 1.07
_BLOCKS_PER_TOKEN, _BLOCKS_OF_WINDOW = 0.74 / 1000, 5.5
"""Blocks of 150 characters in the summary of a token of story, and blocks of story in a request."""
_TOKENS_PER_CHARACTER = {"zh": 0.64, "en": 0.23}
_ANSWERS = {"cot": 3000}
_USUAL_BLOCK = 150


def _outline(spec: NovelSpec) -> list[Load]:
    loads = []
    for size in spec.sizes:
        summaries, tokens = 2 * spec.wanted(size) - spec.fewer_faithful(size), spec.tokens(size)
        for method in spec.methods_at(size):
            if method not in WINDOWS:
                whole = round(tokens * _SUMMARY_SHARE) + _OF_RULES
                answer = _ANSWERS.get(method, 800)
                loads.append(Load(what=f"{method} {size}", requests=summaries, tokens=whole, answer=answer))
                continue
            blocks = max(1, round(tokens * _BLOCKS_PER_TOKEN * _USUAL_BLOCK / spec.summary_block))
            written = _TOKENS_PER_CHARACTER["en" if spec.language == "en" else "zh"]
            window = min(tokens, round(_BLOCKS_OF_WINDOW * spec.story_block * written)) + _OF_RULES
            loads.append(Load(what=f"{method} {size}", requests=summaries * blocks, tokens=window, answer=600))
    return loads


PAPER = Paper(
    outline=_outline,
    package=__package__ or "",
    points=lambda: tuple(_points()),
    measured=_measured,
    counts=lambda row: "sample" in row.cell,
    axes=("method", "length"),
)
