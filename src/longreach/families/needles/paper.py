"""The paper behind needles: its figures as points, and what its claims measure in rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longreach.core.types import Estimate, Row
from longreach.families.base import over_refusal_rate
from longreach.families.papers import Load, Paper, Point
from longreach.stats.counting import delivered_rate

from .figures import paper_scatter, paper_scores
from .spec import NeedlesSpec


def _points() -> Iterator[Point]:
    """Table 2 over all lengths and at the longest, and Table A1 by distribution."""
    for score in paper_scores():
        about = {"prompt": score.prompt, "question_type": score.question_type}
        yield Point(model=score.model, axes={**about, "over": "all"}, value=score.aggregate)
        yield Point(model=score.model, axes={**about, "over": "longest"}, value=score.capacity)
    for cell in paper_scatter():
        axes = {"distribution": cell.distribution, "prompt": cell.prompt, "question_type": cell.question_type}
        yield Point(model=cell.model, axes=axes, value=cell.score)


def _measured(rows: Sequence[Row], measure: str) -> Estimate | None:
    return over_refusal_rate(rows) if measure == "over_refusal" else delivered_rate(rows)


_OF_QUESTIONS, _OF_RULES, _OF_ANSWER = 22, 250, 20
"""Tokens of a question, of the rules, and of an answer."""


def _outline(spec: NeedlesSpec) -> list[Load]:
    shares = [
        float(length.rstrip("%")) / 100 * (spec.window or 0) if "%" in length else int(length)
        for length in spec.lengths
    ]
    asked = len(spec.question_types) * (spec.questions or (spec.facts if isinstance(spec.facts, int) else 10))
    about = {"answer": _OF_ANSWER * asked}
    prompts, room = len(spec.prompt_names), _OF_RULES + _OF_QUESTIONS * asked
    longest, mean = round(max(shares)), round(sum(shares) / len(shares))
    loads = []
    if "depth" in spec.protocols:
        requests = len(shares) * len(spec.map_depths) * prompts
        loads.append(Load(what="depth by length", requests=requests, tokens=min(longest, mean + room), **about))
    if "distribution" in spec.protocols:
        loads.append(Load(what="distributions", requests=len(spec.distributions) * prompts, tokens=longest, **about))
    return loads


PAPER = Paper(
    outline=_outline,
    package=__package__ or "",
    points=lambda: tuple(_points()),
    measured=_measured,
    axes=("distribution", "over", "prompt", "question_type"),
)
