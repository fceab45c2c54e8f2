"""The grade and status of an answer."""

from __future__ import annotations

from typing import Literal, get_args

from pydantic import Field

from .model import Compact, compact

__all__ = ["STATUSES", "Status", "Verdict"]

Status = Literal["scored", "unparsed", "refused", "truncated", "overflow", "tool_call", "error", "judge_failed"]
STATUSES: tuple[Status, ...] = get_args(Status)


@compact
class Verdict(Compact):
    """The grade of one question. Only `scored` and a cut-off answer with partial credit have a value."""

    status: Status
    value: float | None = None
    """1 right, 0 wrong; in between with partial credit; None if nothing was graded."""
    answer: str = ""
    """The parsed answer, as the grader read it."""
    reason: str = ""
    """Why, in a few words that a person can check."""
    certain: bool = True
    """Whether the key alone decides; what it is unsure of may go to a judge."""
    key: float | None = None
    """The key's value, if a judge was asked too."""
    judge: float | None = None
    """The judge's value, if one was asked."""
    scores: dict[str, float] = Field(default_factory=dict)
    """Other scores of the same answer, by name, if a family has several."""
