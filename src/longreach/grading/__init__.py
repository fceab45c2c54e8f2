"""Strict parsing and matching by value: text in, Verdict out, deterministic, English and Chinese. A model as judge for
what a key cannot decide, and shares corrected for its errors."""

from __future__ import annotations

from .absent import Absence, AbsenceKind, read_absence
from .correction import corrected_share
from .gold import NOT_MENTIONED, NOT_MENTIONED_ZH, gold_answer, wrong_answer
from .judge import Entry, Judged, judge_sheets
from .kept import KeptReplies
from .match import GRADER_VERSION, grade_answer
from .refusal import is_refusal
from .sheet import parse_sheet

__all__ = [
    "GRADER_VERSION",
    "NOT_MENTIONED",
    "NOT_MENTIONED_ZH",
    "Absence",
    "AbsenceKind",
    "Entry",
    "Judged",
    "KeptReplies",
    "corrected_share",
    "gold_answer",
    "grade_answer",
    "is_refusal",
    "judge_sheets",
    "parse_sheet",
    "read_absence",
    "wrong_answer",
]
