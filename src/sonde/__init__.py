"""Sonde: how much of its context window can a language model really use?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sonde.core.bench import Bench
    from sonde.core.context import Context
    from sonde.core.corpus import Corpus
    from sonde.core.document import Document
    from sonde.core.item import Item
    from sonde.core.prompt import Prompt
    from sonde.core.question import Question
    from sonde.core.row import Call, Row
    from sonde.core.spec import Spec
    from sonde.core.verdict import Verdict
    from sonde.errors import SondeError
    from sonde.verbs import (
        apply_review,
        build,
        check,
        compare,
        export,
        gate,
        grade,
        import_answers,
        judge_audit,
        open_bench,
        open_writer,
        plan,
        report,
        review,
        run,
    )

__all__ = [
    "Bench",
    "Call",
    "Context",
    "Corpus",
    "Document",
    "Item",
    "Prompt",
    "Question",
    "Row",
    "SondeError",
    "Spec",
    "Verdict",
    "apply_review",
    "build",
    "check",
    "compare",
    "export",
    "gate",
    "grade",
    "import_answers",
    "judge_audit",
    "open_bench",
    "open_writer",
    "plan",
    "report",
    "review",
    "run",
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
    "SondeError": "errors",
    "Spec": "core.spec",
    "Verdict": "core.verdict",
}


def __getattr__(name: str) -> Any:
    """Nouns and verbs are loaded when first used: importing Sonde costs next to nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'sonde' has no attribute '{name}'")
    return getattr(import_module(f"sonde.{_HOMES.get(name, 'verbs')}"), name)


def __dir__() -> list[str]:
    return __all__
