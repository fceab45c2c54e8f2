"""Strict parsing and matching by value: text in, Verdict out, deterministic, English and Chinese."""

from __future__ import annotations

from .abstention import AbsenceKind, is_refusal, read_absence
from .match import GRADER_VERSION, NOT_MENTIONED, NOT_MENTIONED_ZH, gold_answer, grade_answer, wrong_answer
from .reading.numbered_answers import parse_answers

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
