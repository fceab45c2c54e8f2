"""Rows to outcomes, one per summary, and their scores: class accuracies, their mean, Matthews' correlation."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from longreach.core.estimate import Estimate
from longreach.core.row import Row
from longreach.stats.counting import FAULTS, sample
from longreach.stats.intervals import Sample, balanced_mean, mean_estimate
from longreach.worlds.error_types import HALLUCINATED

__all__ = ["Outcome", "Scores", "mcc", "mcc_estimate", "outcomes", "recall", "score", "share"]


@dataclass(frozen=True)
class Outcome:
    """A model's verdict on one summary, by one method."""

    model: str
    method: str
    size: str
    length: float
    wrong: bool
    type: str
    position: str
    row: Row
    called_wrong: bool | None
    """Whether the answer calls it wrong; None without a verdict."""
    failed: bool
    """No verdict was delivered: unreadable, cut off, refused or too long. Provider errors do not count."""
    sentence_hit: bool
    type_hit: bool
    both_hit: bool

    @property
    def answered(self) -> bool:
        """Whether it counts: a verdict was given, or the model failed to give one."""
        return self.called_wrong is not None or self.failed

    @property
    def right(self) -> bool:
        return self.called_wrong is not None and self.called_wrong == self.wrong


def outcomes(rows: Iterable[Row]) -> list[Outcome]:
    """One for each model, method and summary."""
    return [_outcome(row) for row in rows if "sample" in row.cell]


def _outcome(row: Row) -> Outcome:
    cell, verdict = row.cell, row.verdict
    return Outcome(
        model=row.model,
        method=str(cell["method"]),
        size=str(cell["size"]),
        length=float(cell["length"]),
        wrong=cell["truth"] == HALLUCINATED,
        type=str(cell["type"]),
        position=str(cell["position"]),
        row=row,
        called_wrong=bool(verdict.scores.get("called_wrong")) if verdict.status == "scored" else None,
        failed=verdict.status != "scored" and verdict.status not in FAULTS,
        sentence_hit=bool(verdict.scores.get("sentence_hit")),
        type_hit=bool(verdict.scores.get("type_hit")),
        both_hit=bool(verdict.scores.get("both_hit")),
    )


@dataclass(frozen=True)
class Scores:
    """The scores of some summaries."""

    hallucinated: Estimate | None
    """Accuracy on wrong summaries."""
    faithful: Estimate | None
    mean: Estimate | None
    mcc: Estimate | None
    undefined: bool
    """Whether the correlation is undefined because every verdict is the same; it is then 0."""
    bias: Estimate | None
    """Share of verdicts that call a summary wrong."""


def score(found: Sequence[Outcome], *, failures_wrong: bool) -> Scores:
    """With missing verdicts as wrong ones (delivered), or left out (answered)."""
    used = [one for one in found if one.called_wrong is not None or (failures_wrong and one.failed)]
    wrong, faithful = [one for one in used if one.wrong], [one for one in used if not one.wrong]
    given = [one for one in found if one.called_wrong is not None]
    side = np.array([one.wrong for one in used], dtype=np.int64)
    hits, leaves = share(wrong, [one.right for one in wrong]), share(faithful, [one.right for one in faithful])
    # Without any verdict there is nothing to correlate.
    found_mcc = mcc_estimate(hits, leaves) if hits and leaves and given else None
    return Scores(
        hallucinated=hits,
        faithful=leaves,
        mean=balanced_mean(_sample(used), side) if wrong and faithful else None,
        mcc=found_mcc,
        undefined=bool(found_mcc and hits and leaves and hits.value + leaves.value == 1 and hits.value in (0, 1)),
        bias=share(given, [bool(one.called_wrong) for one in given]),
    )


def recall(found: Sequence[Outcome]) -> Estimate | None:
    """Share of wrong summaries that are detected; a format failure is a miss."""
    wrong = [one for one in found if one.wrong and one.answered]
    return share(wrong, [one.right for one in wrong])


def share(found: Sequence[Outcome], holds: Sequence[bool]) -> Estimate | None:
    """Share of some summaries for which a predicate holds."""
    return mean_estimate(_sample(found, holds)) if found else None


def mcc(tp: float, fn: float, tn: float, fp: float) -> float:
    """Matthews' correlation coefficient; 0 where it is undefined."""
    below = (tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)
    return (tp * tn - fp * fn) / math.sqrt(below) if below > 0 else 0.0


def _sample(found: Sequence[Outcome], holds: Sequence[bool] | None = None) -> Sample:
    """A predicate of each summary (by default, that the verdict is right), with the stories they share."""
    values = [one.right for one in found] if holds is None else holds
    return sample([one.row for one in found], lambda _: 0.0).with_values(np.array(values, dtype=np.float64))


def mcc_estimate(hits: Estimate, leaves: Estimate) -> Estimate:
    """Matthews' correlation, with the interval implied by the two class accuracies' intervals."""

    def at(hit: float, leave: float) -> float:
        return mcc(hits.n * hit, hits.n * (1 - hit), leaves.n * leave, leaves.n * (1 - leave))

    value = at(hits.value, leaves.value)
    below = math.hypot(at(hits.low, leaves.value) - value, at(hits.value, leaves.low) - value)
    above = math.hypot(at(hits.high, leaves.value) - value, at(hits.value, leaves.high) - value)
    return Estimate(value=value, low=max(-1.0, value - below), high=min(1.0, value + above), n=hits.n + leaves.n)
