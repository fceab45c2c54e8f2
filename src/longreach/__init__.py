"""Longreach: how much of its context window can a language model really use?"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from . import api
from .api import *  # noqa: F403

if TYPE_CHECKING:
    from longreach.core.bench import Bench, Corpus, Prompt
    from longreach.core.settings import Spec
    from longreach.core.types import Call, Context, Document, Item, Question, Row, Verdict
    from longreach.deciding import decide  # type: ignore[no-redef, unused-ignore]  # circle of imports
    from longreach.errors import LongreachError
    from longreach.paper_runs import paper

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
]
__all__ += [*api.__all__, "decide", "paper"]
_HOMES = {
    "decide": "deciding",
    "paper": "paper_runs",
    "Bench": "core.bench",
    "Corpus": "core.bench",
    "LongreachError": "errors",
    "Prompt": "core.bench",
    "Spec": "core.settings",
}


def __getattr__(name: str) -> Any:
    """Nouns are loaded when first used: importing Longreach costs next to nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'longreach' has no attribute '{name}'")
    return getattr(import_module(f"longreach.{_HOMES.get(name, 'core.types')}"), name)


def __dir__() -> list[str]:
    return __all__
