"""Strict parsing and matching by value: text in, Verdict out, deterministic, English and Chinese. A model as judge for
what a key cannot decide, and shares corrected for its errors."""

from __future__ import annotations

from .abstention import Absence, AbsenceKind, read_absence
from .gold import NOT_MENTIONED, NOT_MENTIONED_ZH, gold_answer, wrong_answer
from .judge.ask import Entry, Judged, judge_batches
from .judge.cached import CachedReplies
from .judge.correction import corrected_share
from .match import GRADER_VERSION, grade_answer
from .reading.numbered_answers import parse_answers
from .reading.refusal import is_refusal

__all__ = [
    "GRADER_VERSION",
    "NOT_MENTIONED",
    "NOT_MENTIONED_ZH",
    "Absence",
    "AbsenceKind",
    "CachedReplies",
    "Entry",
    "Judged",
    "corrected_share",
    "gold_answer",
    "grade_answer",
    "is_refusal",
    "judge_batches",
    "parse_answers",
    "read_absence",
    "wrong_answer",
]
