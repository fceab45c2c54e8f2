"""Strict parsing and matching by value: text in, Verdict out, deterministic, English and Chinese."""

from __future__ import annotations

from .abstention import AbsenceKind, read_absence
from .gold import NOT_MENTIONED, NOT_MENTIONED_ZH, gold_answer, wrong_answer
from .match import GRADER_VERSION, grade_answer
from .reading.numbered_answers import parse_answers
from .reading.refusal import is_refusal

__all__ = [
    "GRADER_VERSION",
    "NOT_MENTIONED",
    "NOT_MENTIONED_ZH",
    "AbsenceKind",
    "gold_answer",
    "grade_answer",
    "is_refusal",
    "parse_answers",
    "read_absence",
    "wrong_answer",
]
