"""The card of a model: its verdict, how far it holds, and its scores."""

from __future__ import annotations

from typing import Any

from longreach.core.family_view import FamilyView
from longreach.core.number_format import interval_text, length_label, percent, reach_interval, reach_text, value_label

from .figures import score_words
from .svg import draw_reach
from .verdict import ABSENT_TYPE, USABLE, Finding

__all__ = ["card"]


def card(finding: Finding, family: FamilyView) -> dict[str, Any]:
    """One finding as the template wants it."""
    held = finding.question_types[0].effective
    reach = None
    if held is not None and held.base is not None and len(finding.lengths) > 1:
        reach = {
            "svg": draw_reach(held, finding.lengths, finding.window),
            "value": reach_text(held.length, finding.lengths),
            "interval": reach_interval(held, finding.lengths),
            "start": f"from a weak start of {percent(held.base)}" if held.base < USABLE else "",
            "limit": f"window {length_label(finding.window)}" if finding.window else "window unknown",
            "tested": f"tested {length_label(finding.lengths[0])} to {length_label(finding.lengths[-1])}",
        }
    axis = family.axis("question_type")
    numbers = [
        {
            "label": value_label(axis, score.question_type)
            + (" (admits it is not there)" if score.question_type == ABSENT_TYPE else ""),
            "value": percent(score.tally.score.value) if score.tally.score else "–",
            "interval": interval_text(score.tally.score),
            "n": f"{score.tally.scored} of {score.tally.asked} scored"
            if score.tally.scored < score.tally.asked
            else f"n = {score.tally.scored}",
            "words": score_words(score.tally),
        }
        for score in finding.question_types
    ]
    return {
        "model": finding.model,
        "experiment": finding.experiment,
        "sentence": finding.sentence,
        "reach": reach,
        "numbers": numbers,
    }
