"""One table of everything known about providers: where they run, which lists name them, tokenizers, caches, keys."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any

from longreach.core.packaged import yaml_table
from longreach.errors import BadInput, did_you_mean, one_line

__all__ = [
    "CLOUDS",
    "CacheRule",
    "Provider",
    "check_address",
    "check_name",
    "is_engine",
    "own_tokenizer",
    "provider_of",
    "providers",
    "rule_of",
    "runs_here",
    "wants_marks",
    "without_adapter",
]


@dataclass(frozen=True, kw_only=True)
class CacheRule:
    """How a hosted provider caches. Only what its documentation states; unknown values stay open."""

    models: str = ""
    """A regular expression for the models it applies to; empty: all."""
    minimum: int = 0
    """Tokens a prefix must have to be cached at all."""
    step: int = 1
    """Cached tokens come in multiples of this number."""
    lifetime: int | None = None
    """Seconds without use after which it may expire."""
    marked: bool = False
    """Only prefixes that a request marks are cached."""
    read: float | None = None
    """Price of a cached token as a share of an input token's, if the price list has none."""
    write: float | None = None
    """The same for a token written to the cache."""
    counts_cached: bool = True
    """Whether cached tokens count towards a limit of tokens per minute."""
    promised: bool = False
    """Whether a hit is guaranteed; most providers promise only best effort."""
    source: str
    """The documentation page and when it was read."""


@dataclass(frozen=True, kw_only=True)
class Provider:
    """What is known about one of Inspect's providers."""

    local: bool = False
    """Runs models on the user's own machines, where tokens have no price."""
    block: int = 1
    """Tokens per block of its server's prefix cache."""
    model_list: str = ""
    """The organisation in Inspect's list of models, which has windows and output limits."""
    price_list: str = ""
    """The provider's name in the price list."""
    clouds: bool = False
    """Its models may be prefixed with a cloud: `openai/azure/NAME`."""
    service: str = ""
    """The service's common name; `longreach models` lists those that have one."""
    needs: tuple[str, str] = ("openai", "openai")
    """Module and distribution of its client package."""
    keys: tuple[str, ...] = ()
    """Environment variables that may hold the key."""
    batch: bool = False
    """Inspect can send to its batch service."""
    reasons_on_request: bool = False
    """Its models reason only if a request asks for it, unless the model list names their default effort."""
    caches: tuple[CacheRule, ...] = ()
    """The first rule that matches a model applies."""


CLOUDS = {"azure": "azure", "bedrock": "aws", "vertex": "google"}
"""A cloud prefix of a model's name -> its name in the price list."""

_UNKNOWN = Provider()
_ADAPTER = re.compile(r"\+lora-[0-9a-f]{8}$")
"""What an adapter adds to a model's name."""
_MARKS = ("bedrock/anthropic", "bedrock/us.anthropic", "bedrock/eu.anthropic")
"""Models of other providers that cache as Anthropic does: only with marks."""
_TOKENIZERS = (
    (re.compile(r"gpt-oss"), "o200k_harmony"),
    (re.compile(r"(^|/)(gpt-4o|chatgpt-4o|gpt-4\.1|gpt-4\.5|gpt-5|o1|o3|o4)(?![\d])"), "o200k_base"),
    (re.compile(r"(^|/)(gpt-4|gpt-3\.5)(?![\d.o])"), "cl100k_base"),
    (re.compile(r"llama-?3"), "llama3"),
    (re.compile(r"qwen-?3"), "qwen3"),
)


@cache
def providers() -> dict[str, Provider]:
    """Every provider in the table, by Inspect's names."""
    found = {}
    for name, known in yaml_table("longreach.models", "providers.yaml").items():
        rules = tuple(CacheRule(**rule) for rule in known.get("caches", ()))
        plain: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in known.items()
        }
        found[name] = Provider(**plain | {"caches": rules})
    return found


def provider_of(model: str) -> Provider:
    """The provider in a model's name; an empty entry if it is not in the table."""
    return providers().get(model.partition("/")[0], _UNKNOWN)


def is_engine(model: str) -> bool:
    """Whether the embedded engine runs this model."""
    return without_adapter(model) == "embedded" or model.startswith("gguf:")


def without_adapter(model: str) -> str:
    """The engine's model without the adapter in its name: `embedded+lora-1a2b3c4d` is `embedded`."""
    return _ADAPTER.sub("", model)


def runs_here(model: str) -> bool:
    """Whether a model runs on the user's own machines, where tokens have no price."""
    hosted = model.startswith("ollama/") and model.endswith("cloud")
    return is_engine(model) or (provider_of(model).local and not hosted)


def own_tokenizer(model: str) -> str | None:
    """The name of a model's own tokenizer; None if unknown or not public."""
    if is_engine(model):
        return without_adapter(model)
    return next((tokenizer for pattern, tokenizer in _TOKENIZERS if pattern.search(model.lower())), None)


def rule_of(model: str) -> CacheRule | None:
    """The cache rule for a model; None if unknown."""
    name = model.partition("/")[2]
    return next((rule for rule in provider_of(model).caches if re.search(rule.models, name)), None)


def wants_marks(model: str) -> bool:
    """Whether the provider caches little or nothing unless a request marks prefixes."""
    return any(rule.marked for rule in provider_of(model).caches) or model.startswith(_MARKS)


def check_name(name: str) -> None:
    """Refuse a name that no provider could have, before anything is planned with it."""
    if not is_engine(name) and "/" not in name.strip("/"):
        shown = one_line(name, 80)
        raise BadInput(
            f"unknown model '{shown}'; give 'embedded', gguf:PATH or PROVIDER/NAME, for instance "
            f"openai/{shown.strip('/') or 'NAME'}."
            + (did_you_mean(name, ["embedded"]) if name.startswith("emb") else "")
        )


def check_address(address: str | None) -> None:
    """Refuse an invalid address, or one with a password: addresses are recorded in logs."""
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
            f"--base-url {parts.hostname}: the address holds a password, and logs contain addresses; put the key "
            f"in the environment (for openai-api/NAME/MODEL in NAME_API_KEY)"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or port < 0:
        raise BadInput(f"--base-url {one_line(address, 80)} is no address; give for instance http://127.0.0.1:8080/v1")
