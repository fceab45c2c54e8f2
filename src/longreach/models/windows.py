"""What is known of a model by its name: how much it reads and writes, whose tokenizer it has, where it runs."""

from __future__ import annotations

import importlib.util
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from longreach.core.model import Frozen
from longreach.errors import BadInput, did_you_mean, one_line

from .offline import EMBEDDED_CONTEXT

__all__ = ["Limits", "check_address", "check_name", "is_engine", "limits_of", "own_tokenizer", "runs_here"]

_HERE = {
    "ollama",
    "vllm",
    "vllm-completions",
    "sglang",
    "hf",
    "llama-cpp-python",
    "transformer_lens",
    "nnterp",
    "mockllm",
    "none",
}
"""Inspect's providers that run a model on the user's own machines."""
_ORGANISATIONS = {
    "openai": "openai",
    "anthropic": "anthropic",
    "google": "gdm",
    "grok": "grok",
    "mistral": "mistral",
    "deepseek": "deepseek",
    "moonshot": "moonshotai",
    "meta": "meta",
    "together": "together",
    "fireworks": "fireworks",
}
_DATED = re.compile(r"(-\d{8}|-\d{4}-\d{2}-\d{2}|-latest|-\d{4})$")
_TOKENIZERS = (
    (re.compile(r"gpt-oss"), "o200k_harmony"),
    (re.compile(r"(^|/)(gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|o1|o3|o4)(?![\d])"), "o200k_base"),
    (re.compile(r"(^|/)(gpt-4|gpt-3\.5)(?![\d.o])"), "cl100k_base"),
    (re.compile(r"llama-?3"), "llama3"),
    (re.compile(r"qwen-?3"), "qwen3"),
)


class Limits(Frozen):
    """What a model advertises; None where nothing is known."""

    window: int | None = None
    """Tokens that prompt and answer may take together."""
    input: int | None = None
    """Tokens that the prompt alone may take, where that is less."""
    output: int | None = None
    """Tokens that one answer may have."""
    thinks: bool = False
    """Whether it may write tokens before its answer that are paid but not shown."""


def is_engine(model: str) -> bool:
    """Whether the embedded engine runs this model."""
    return model == "embedded" or model.startswith("gguf:")


def runs_here(model: str) -> bool:
    """Whether a model runs on the user's own machines, where tokens have no price."""
    provider, _, name = model.partition("/")
    return is_engine(model) or (provider in _HERE and not (provider == "ollama" and name.endswith("cloud")))


def own_tokenizer(model: str) -> str | None:
    """The name of a model's own tokenizer; None where it is not known, or not public."""
    if is_engine(model):
        return model
    return next((tokenizer for pattern, tokenizer in _TOKENIZERS if pattern.search(model.lower())), None)


@lru_cache(maxsize=64)
def limits_of(model: str) -> Limits:
    """What a model advertises: from the lists of models that Inspect and the price list carry."""
    if model == "embedded":
        return Limits(window=EMBEDDED_CONTEXT, output=EMBEDDED_CONTEXT)
    provider, _, name = model.partition("/")
    found = _entry(_ORGANISATIONS.get(provider, ""), name.rpartition("/")[2] if provider in _PLAIN else name)
    if not (window := found.get("context_length")):
        # Loading the price list takes a second, so it is asked only where the other says nothing.
        from .prices import listed_window

        window = listed_window(model)
    return Limits(
        window=window,
        input=found.get("input_tokens"),
        output=found.get("output_tokens"),
        thinks=bool(found.get("reasoning")),
    )


_PLAIN = {"openai", "anthropic", "google", "mistral"}
"""Providers whose models may be named with a cloud before them."""


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
    """One organisation's part of the list of models that comes with Inspect, read without loading Inspect."""
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
        # A list in a form that is not the one we know says nothing.
        return {}


def check_name(name: str) -> None:
    """Refuse a name that no provider could know, before anything is planned with it."""
    if not is_engine(name) and "/" not in name.strip("/"):
        said = one_line(name, 80)
        raise BadInput(
            f"unknown model '{said}'; give 'embedded', gguf:PATH or PROVIDER/NAME, for instance "
            f"openai/{said.strip('/') or 'NAME'}."
            + (did_you_mean(name, ["embedded"]) if name.startswith("emb") else "")
        )


def check_address(address: str | None) -> None:
    """Refuse an address that is none, or that carries a password: addresses are kept in logs."""
    from urllib.parse import urlsplit

    if address is None:
        return
    try:
        parts = urlsplit(address)
        port = parts.port or 0
    except ValueError:
        raise BadInput(
            f"--base-url {one_line(address, 80)} is no address; give for instance http://127.0.0.1:8080/v1"
        ) from None
    if parts.username is not None or parts.password is not None:
        raise BadInput(
            f"--base-url {parts.hostname}: the address holds a password, and addresses are kept in logs; put the key "
            f"in the environment (for openai-api/NAME/MODEL in NAME_API_KEY)"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or port < 0:
        raise BadInput(f"--base-url {one_line(address, 80)} is no address; give for instance http://127.0.0.1:8080/v1")
