"""The verdict on a model in one sentence."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.core.measure import format_tokens
from longreach.core.row import Row

from .scores import Outcome, outcomes, score
from .spec import METHODS

__all__ = ["headline"]


def headline(rows: Sequence[Row], model: str) -> str:
    """What it notices and whom it accuses at the shortest and the longest size, by the usual method that was tried."""
    found = [one for one in outcomes(rows) if one.model == model]
    if not found:
        return ""
    method = next((name for name in METHODS if any(one.method == name for one in found)), found[0].method)
    own = [one for one in found if one.method == method]
    lengths = sorted({one.length for one in own})
    ends = [lengths[0], lengths[-1]] if len(lengths) > 1 else lengths
    told = [_at([one for one in own if one.length == length], length) for length in ends]
    how = "" if method == METHODS[0] else f" (method {method.replace('_', ' ')})"
    return f"{model} {'; '.join(told)}{how}."


def _at(found: Sequence[Outcome], length: float) -> str:
    where = f"at {format_tokens(length)} tokens"
    answered = [one for one in found if one.said is not None]
    wrong, faithful = [one for one in answered if one.wrong], [one for one in answered if not one.wrong]
    if not wrong or not faithful:
        held = f"{len(answered)} of {len(found)} answers held one"
        return f"gave no verdict on wrong or on faithful summaries {where} ({held})"
    noticed, accused = sum(one.right for one in wrong), sum(not one.right for one in faithful)
    said = (
        f"notices {noticed} of {len(wrong)} wrong summaries {where} and wrongly accuses {accused} of "
        f"{len(faithful)} faithful ones"
    )
    doubts = []
    correlation = score(found, failures_wrong=False).mcc
    if correlation is not None and correlation.low <= 0:
        doubts.append("no better than guessing" if correlation.value <= 0.1 else "guessing cannot be ruled out")
    if len(answered) < len(found):
        doubts.append(f"{len(found) - len(answered)} of {len(found)} answers held no verdict")
    return f"{said} ({'; '.join(doubts)})" if doubts else said
