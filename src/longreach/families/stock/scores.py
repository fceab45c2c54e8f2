"""The grade of a reply: the published score, with the reply's status beside it."""

from __future__ import annotations

from longreach.core.types import Question, Verdict
from longreach.grading import is_refusal

from .benchmark import of_question


def grade(question: Question, reply: str) -> Verdict:
    """The score that the published scorer gives for any text. A reply in which it reads no answer is unparsed, one
    that scores 0 and declines is refused: the status never changes the score."""
    made = of_question(question).scorer(question.key.details["scorer"]).score(reply, question)
    reason, scores = made.reason, dict(made.other)
    if not made.value and not reply.strip():
        return Verdict(status="unparsed", reason="empty answer", scores=scores)
    if not made.value and is_refusal(reply):
        return Verdict(status="refused", value=0.0, answer=made.answer or "", reason=reason, scores=scores)
    if not made.value and made.answer is None:
        return Verdict(status="unparsed", value=0.0, reason=reason, scores=scores)
    return Verdict(status="scored", value=made.value, answer=made.answer or "", reason=reason, scores=scores)
