"""The figures of the LongNovel paper, from the table beside this file."""

from __future__ import annotations

from functools import cache

from longreach.core.model import Frozen
from longreach.core.packaged import csv_lines

__all__ = ["PAPER", "PAPER_METHODS", "PaperRow", "paper_rows"]

PAPER = "LongNovel"
PAPER_METHODS = {
    "zero-shot": "zero_shot_last",
    "zero-shot-summary-first": "zero_shot_first",
    "CoT": "cot",
    "RAG": "window",
    "RAG-summary-first": "window, summary first",
    "SFT": "sft",
}
"""The paper's methods under our names."""


class PaperRow(Frozen):
    """A model, method and size."""

    model: str
    method: str
    size: str
    hallucinated: float
    """Accuracy on wrong summaries, as a share."""
    faithful: float
    mean: float
    """As printed; in a few rows it is not the mean of the two."""
    mcc: float
    """As printed."""


@cache
def paper_rows() -> tuple[PaperRow, ...]:
    """All of them, in the order printed."""
    return tuple(
        PaperRow(
            model=line["model"],
            method=PAPER_METHODS[line["method"]],
            size=line["length"],
            hallucinated=round(float(line["hallucinated_acc_pct"]) / 100, 6),
            faithful=round(float(line["faithful_acc_pct"]) / 100, 6),
            mean=round(float(line["accuracy_pct"]) / 100, 6),
            mcc=float(line["mcc"]),
        )
        for line in csv_lines(__package__, "published/novel_detection.csv")
    )
