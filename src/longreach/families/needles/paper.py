"""The figures of "Not All Needles Are Found" (arXiv 2601.02023), read from the tables kept beside this file."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files

from longreach.core.noun import Noun

__all__ = ["PAPER", "PaperScatter", "PaperScore", "paper_scatter", "paper_scores"]

PAPER = "Not All Needles Are Found (arXiv 2601.02023)"
_PROBES = {"literal_extraction": "literal", "logical_inference": "inference", "faithfulness": "faithfulness"}


class PaperScore(Noun):
    """A line of its Table 2."""

    model: str
    window: int
    """Tokens of the model's longest story."""
    prompt: str
    probe: str
    aggregate: float
    """Share right over the whole sweep of lengths and depths."""
    capacity: float
    """Share right at the full window."""


class PaperScatter(Noun):
    """A cell of its Table A1: facts scattered over the full window."""

    model: str
    distribution: str
    prompt: str
    probe: str
    score: float


@cache
def paper_scores() -> tuple[PaperScore, ...]:
    """Table 2, one line for each model, prompt and probe."""
    return tuple(
        PaperScore(
            model=line["model"],
            window=int(line["max_context_tokens"]),
            prompt=line["prompt"],
            probe=_PROBES[line["probe"]],
            aggregate=_share(line["aggregate_pct"]),
            capacity=_share(line["capacity_pct"]),
        )
        for line in _lines("needles_aggregate.csv")
    )


@cache
def paper_scatter() -> tuple[PaperScatter, ...]:
    """Table A1, one line for each model, distribution, prompt and probe."""
    return tuple(
        PaperScatter(
            model=line["model"],
            distribution=line["distribution"],
            prompt=line["prompt"],
            probe=_PROBES[line["probe"]],
            score=_share(line["score_pct"]),
        )
        for line in _lines("needles_distributions.csv")
    )


def _lines(name: str) -> list[dict[str, str]]:
    text = (files("longreach.families.needles") / "published" / name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def _share(percent: str) -> float:
    return round(float(percent) / 100, 6)
