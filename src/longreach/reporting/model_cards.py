"""A model's card: its verdict, effective length and accuracies."""

from __future__ import annotations

from typing import Any

from longreach.core.family_view import FamilyView
from longreach.core.number_format import interval_text, length_label, percent, reach_interval, reach_text, value_label

from .figures import score_words
from .svg import draw_reach
from .verdict import ABSENT_TYPE, Finding

__all__ = ["card"]


def card(finding: Finding, family: FamilyView, conditions: str) -> dict[str, Any]:
    """One finding in the form the template needs, with the conditions of its calls."""
    held, keeps = finding.headlines[0].effective, finding.headlines[0].keeps
    reach = None
    if held is not None and held.base is not None and len(finding.lengths) > 1:
        reach = {
            "svg": draw_reach(held, finding.lengths, finding.window),
            "value": reach_text(held.length, finding.lengths),
            "interval": reach_interval(held, finding.lengths),
            "start": f"keeps its level to {reach_text(keeps.length, finding.lengths)}" if keeps else "",
            "limit": f"window {length_label(finding.window)}" if finding.window else "window unknown",
            "tested": f"tested {length_label(finding.lengths[0])} to {length_label(finding.lengths[-1])}",
        }
    axis = family.axis("question_type")
    numbers = [
        {
            "label": value_label(axis, each.question_type)
            + (" (admits it is not there)" if each.question_type == ABSENT_TYPE else ""),
            "value": percent(each.delivered.value) if each.delivered else "–",
            "interval": interval_text(each.delivered),
            "n": f"n = {each.tally.counted}"
            + (
                f"; {percent(each.answered.value)} of {each.tally.scored} answered"
                if each.answered and each.tally.scored < each.tally.counted
                else ""
            ),
            "words": score_words(each.tally),
        }
        for each in finding.headlines
    ]
    return {
        "model": finding.model,
        "experiment": finding.experiment,
        "sentence": finding.sentence,
        "reach": reach,
        "numbers": numbers,
        "conditions": conditions,
    }
