"""Longreach: how much of its context window can a language model really use?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from longreach.core.bench import Bench, Corpus, Prompt
    from longreach.core.settings import Spec
    from longreach.core.types import Call, Context, Document, Item, Question, Row, Verdict
    from longreach.errors import LongreachError

    from .api import (
        apply_review,
        build,
        check,
        compare,
        export,
        frame,
        gate,
        grade,
        history,
        import_answers,
        judge_audit,
        open_bench,
        open_helper_model,
        plan,
        report,
        review,
        review_agreement,
        run,
        simulate,
    )

__all__ = [
    "Bench",
    "Call",
    "Context",
    "Corpus",
    "Document",
    "Item",
    "LongreachError",
    "Prompt",
    "Question",
    "Row",
    "Spec",
    "Verdict",
    "apply_review",
    "build",
    "check",
    "compare",
    "export",
    "frame",
    "gate",
    "grade",
    "history",
    "import_answers",
    "judge_audit",
    "open_bench",
    "open_helper_model",
    "plan",
    "report",
    "review",
    "review_agreement",
    "run",
    "simulate",
]

_HOMES = {
    "Bench": "core.bench",
    "Call": "core.row",
    "Context": "core.context",
    "Corpus": "core.corpus",
    "Document": "core.document",
    "Item": "core.item",
    "Prompt": "core.prompt",
    "Question": "core.question",
    "Row": "core.row",
    "LongreachError": "errors",
    "Spec": "core.spec",
    "Verdict": "core.verdict",
}


def __getattr__(name: str) -> Any:
    """Nouns and verbs are loaded when first used: importing Longreach costs next to nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'longreach' has no attribute '{name}'")
    return getattr(import_module(f"longreach.{_HOMES.get(name, 'api')}"), name)


def __dir__() -> list[str]:
    return __all__
