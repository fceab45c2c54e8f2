"""Parses a verdict on a summary: the common reader's findings, with the family's error types."""

from __future__ import annotations

from longreach.core.model import Frozen
from longreach.grading.reading.reasoning import strip_reasoning
from longreach.grading.reading.verdicts import read_verdict
from longreach.worlds.error_types import FAITHFUL, HALLUCINATED, ErrorType, Truth, canonical_type

__all__ = ["Finding", "Reading", "parse_verdict"]

_FORM = frozenset(("the wrong sentence, copied from the summary", "从摘要中照抄的错误句子"))
"""The placeholder sentence in the prompts' form."""


class Finding(Frozen):
    """One error that an answer claims to have found."""

    type: ErrorType | None
    sentence: str = ""
    correction: str = ""
    reason: str = ""


class Reading(Frozen):
    """The verdict of an answer on a summary."""

    truth: Truth
    findings: tuple[Finding, ...] = ()


def parse_verdict(text: str) -> Reading | None:
    """The verdict of an answer; None where there is none, or where it is ambiguous."""
    found = read_verdict(strip_reasoning(text), form=_FORM)
    if found is None:
        return None
    findings = tuple(
        Finding(
            type=canonical_type(one.type) if one.type else None,
            sentence=one.sentence,
            correction=one.correction,
            reason=one.reason,
        )
        for one in found.findings
    )
    return Reading(truth=HALLUCINATED if found.errors else FAITHFUL, findings=findings)
