"""The verdict on a model in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.core.measure import format_tokens
from longreach.core.row import Row

from .scores import Outcome, outcomes, score
from .spec import METHODS

__all__ = ["headline"]

_GUESSING = 0.5
_CLEARLY = 0.6
"""Scores from here on look better than guessing, although there are too few summaries to show it."""


def headline(rows: Sequence[Row], model: str) -> str:
    """Balanced accuracy and MCC per summary at the shortest and the longest size, by the most usual method in the
    results.
    """
    found = [one for one in outcomes(rows) if one.model == model]
    if not found:
        return ""
    method = next((name for name in METHODS if any(one.method == name for one in found)), found[0].method)
    own = [one for one in found if one.method == method]
    lengths = sorted({one.length for one in own})
    ends = [lengths[0], lengths[-1]] if len(lengths) > 1 else lengths
    clauses = [_at([one for one in own if one.length == length], length) for length in ends]
    how = "" if method == METHODS[0] else f" (method {method.replace('_', ' ')})"
    return f"{model} {'; '.join(clauses)}{how}."


def _at(found: Sequence[Outcome], length: float) -> str:
    """The result at one length; no figures for a model at chance."""
    where = f"at {format_tokens(length)} tokens"
    given = [one for one in found if one.called_wrong is not None]
    scores = score(found, failures_wrong=True)
    if not given or scores.mean is None or scores.mcc is None:
        return (
            f"gave no verdict on wrong or on faithful summaries {where} ({len(given)} of {len(found)} answers held one)"
        )
    mean = scores.mean
    interval = f"95 % CI {100 * mean.low:.0f}-{100 * mean.high:.0f}, n = {mean.n}"
    lost = sum(one.failed for one in found)
    beside = [f"{lost} of {len(found)} answers held no verdict"] if lost else []
    if mean.low <= _GUESSING:
        verb = "cannot be told from guessing" if mean.value > _CLEARLY else "does no better than guessing"
        return f"{verb} {where} ({'; '.join([f'balanced accuracy {100 * mean.value:.0f} %, {interval}', *beside])})"
    wrong, faithful = [one for one in found if one.wrong], [one for one in found if not one.wrong]
    noticed = sum(one.called_wrong is True for one in wrong)
    accused = sum(one.called_wrong is True for one in faithful)
    beside = [
        interval,
        f"MCC {scores.mcc.value:.2f}",
        f"notices {noticed} of {len(wrong)} wrong summaries, accuses {accused} of {len(faithful)} faithful ones",
        *beside,
    ]
    return f"judges summaries with {100 * mean.value:.0f} % balanced accuracy {where} ({'; '.join(beside)})"
