"""The verbs: build, check, plan, run, grade, report and more. The command line and Python programs use the same."""

from __future__ import annotations

from .bench_verbs import build, check, export, open_bench, open_helper_model
from .result_verbs import (
    compare,
    export_results,
    frame,
    gate,
    gate_plan,
    grade,
    history,
    import_results,
    judge_audit,
    limits,
    report,
)
from .review_verbs import apply_review, review, review_agreement, wrong_answers
from .run_verbs import import_answers, plan, probe, run, simulate

__all__ = [
    "apply_review",
    "build",
    "check",
    "compare",
    "export",
    "export_results",
    "frame",
    "gate",
    "gate_plan",
    "grade",
    "history",
    "import_answers",
    "import_results",
    "judge_audit",
    "limits",
    "open_bench",
    "open_helper_model",
    "plan",
    "probe",
    "report",
    "review",
    "review_agreement",
    "run",
    "simulate",
    "wrong_answers",
]
