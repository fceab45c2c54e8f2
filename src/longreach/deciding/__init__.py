"""`decide`: which model, which way of reading, at what cost."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .result import DecideResult

__all__ = ["decide"]


def decide(
    docs: str | Path | Sequence[str | Path],
    *,
    at: str | int,
    models: str | Sequence[str],
    out: str | Path = "decide",
    **settings: Any,
) -> DecideResult:
    """Recommend a model and a way of reading for some documents at a length, as `longreach decide` does: facts are
    planted in the text, and every model is asked until it is known. The settings are those of the command: `budget`,
    `ways`, `seed`, ... The result prints as the screen."""
    from .asking import DecideSettings, decide_models

    given = DecideSettings.parse({"at": str(at), **settings}, "decide")
    paths = [docs] if isinstance(docs, str | Path) else docs
    names = [models] if isinstance(models, str) else list(models)
    return decide_models([str(path) for path in paths], names, Path(out), given)
