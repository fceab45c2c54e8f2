"""Strict parsing and matching by value: text in, Verdict out. Deterministic, English and Chinese."""

from __future__ import annotations

from .absent import Absence, AbsenceKind, read_absence
from .gold import NOT_MENTIONED, NOT_MENTIONED_ZH, gold_answer, wrong_answer
from .match import GRADER_VERSION, grade_answer
from .refusal import is_refusal
from .sheet import parse_sheet

__all__ = [
    "GRADER_VERSION",
    "NOT_MENTIONED",
    "NOT_MENTIONED_ZH",
    "Absence",
    "AbsenceKind",
    "gold_answer",
    "grade_answer",
    "is_refusal",
    "parse_sheet",
    "read_absence",
    "wrong_answer",
]
