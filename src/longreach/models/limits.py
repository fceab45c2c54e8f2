"""Context windows and output limits by model name."""

from __future__ import annotations

import importlib.util
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from longreach.core.model import Frozen

from .offline import EMBEDDED_CONTEXT
from .providers import provider_of, without_adapter

__all__ = ["Limits", "limits_of"]

_DATED = re.compile(r"(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-\d{4})$")


class Limits(Frozen):
    """A model's advertised limits; None if unknown."""

    window: int | None = None
    """Tokens that prompt and answer may take together."""
    input: int | None = None
    """Tokens that the prompt alone may take, if that is less."""
    output: int | None = None
    """Tokens that one answer may have."""
    thinks: bool = False
    """Whether it writes reasoning tokens before its answer, billed but not shown, unless a request says otherwise."""


@lru_cache(maxsize=64)
def limits_of(model: str) -> Limits:
    """A model's advertised limits, from the model lists of Inspect and the price list."""
    if without_adapter(model) == "embedded":
        return Limits(window=EMBEDDED_CONTEXT, output=EMBEDDED_CONTEXT)
    provider, name = provider_of(model), model.partition("/")[2]
    found = _entry(provider.model_list, name.rpartition("/")[2] if provider.clouds else name)
    if not (window := found.get("context_length")):
        # Loading the price list takes a second, so it is used only if the other list has no entry.
        from .prices import listed_window

        window = listed_window(model)
    return Limits(
        window=window,
        input=found.get("input_tokens"),
        output=found.get("output_tokens"),
        thinks=bool(found.get("reasoning")) and _by_default(found, on_request=provider.reasons_on_request),
    )


def _by_default(facts: dict[str, Any], *, on_request: bool) -> bool:
    """Whether a reasoning model reasons if a request does not mention it."""
    default = facts.get("reasoning_effort_default")
    return not on_request if default is None else default != "none"


def _entry(organisation: str, name: str) -> dict[str, Any]:
    """A model's facts by its name, one of its versions or aliases, or its name without a date."""
    models = _models(organisation)
    for wanted in (name.lower(), _DATED.sub("", name.lower())):
        for key, facts in models.items():
            versions: dict[str, Any] = facts.get("versions") or {}
            if wanted == key.lower() or wanted in (alias.lower() for alias in facts.get("aliases") or ()):
                return facts
            for version, own in versions.items():
                if wanted == version.lower() or wanted in (alias.lower() for alias in (own or {}).get("aliases") or ()):
                    return facts | {name: value for name, value in (own or {}).items() if value is not None}
    return {}


@lru_cache(maxsize=16)
def _models(organisation: str) -> dict[str, dict[str, Any]]:
    """One organisation's part of Inspect's model list, read without importing Inspect."""
    import yaml

    spec = importlib.util.find_spec("inspect_ai")
    folder = next(iter(spec.submodule_search_locations or []), None) if spec else None
    path = Path(folder or "") / "model" / "_model_data" / f"{organisation}.yml"
    if not organisation or folder is None or not path.is_file():
        return {}
    try:
        loaded = yaml.load(path.read_bytes(), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
        return {
            str(name): facts
            for part in loaded.values()
            for name, facts in part.get("models", {}).items()
            if isinstance(facts, dict)
        }
    except (yaml.YAMLError, AttributeError):
        # A list in an unknown format gives no facts.
        return {}
