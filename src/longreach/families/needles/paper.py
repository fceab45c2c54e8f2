"""The figures of "Not All Needles Are Found" (arXiv 2601.02023), from the tables beside this file."""

from __future__ import annotations

from functools import cache

from longreach.core.files import csv_lines
from longreach.core.types import Frozen

PAPER = "Not All Needles Are Found (arXiv 2601.02023)"
_QUESTION_TYPES = {"literal_extraction": "literal", "logical_inference": "inference", "faithfulness": "abstention"}


class PaperScore(Frozen):
    """A row of its Table 2."""

    model: str
    window: int
    """Tokens of the model's longest context."""
    prompt: str
    question_type: str
    aggregate: float
    """Accuracy over all lengths and depths."""
    capacity: float
    """Accuracy at the full window."""


class PaperScatter(Frozen):
    """A cell of its Table A1: facts scattered over the full window."""

    model: str
    distribution: str
    prompt: str
    question_type: str
    score: float


@cache
def paper_scores() -> tuple[PaperScore, ...]:
    """Table 2, one row per model, prompt and question type."""
    return tuple(
        PaperScore(
            model=line["model"],
            window=int(line["max_context_tokens"]),
            prompt=line["prompt"],
            question_type=_QUESTION_TYPES[line["probe"]],
            aggregate=_share(line["aggregate_pct"]),
            capacity=_share(line["capacity_pct"]),
        )
        for line in csv_lines(__package__, "published/needles_aggregate.csv")
    )


@cache
def paper_scatter() -> tuple[PaperScatter, ...]:
    """Table A1, one row per model, distribution, prompt and question type."""
    return tuple(
        PaperScatter(
            model=line["model"],
            distribution=line["distribution"],
            prompt=line["prompt"],
            question_type=_QUESTION_TYPES[line["probe"]],
            score=_share(line["score_pct"]),
        )
        for line in csv_lines(__package__, "published/needles_distributions.csv")
    )


def _share(percent: str) -> float:
    return round(float(percent) / 100, 6)
