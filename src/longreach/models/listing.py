"""Names that can be given for a model, tokenizer or embedder, and whether each is ready."""

from __future__ import annotations

import os
from importlib.util import find_spec

from longreach.errors import LongreachError

from .offline import EMBEDDED_CONTEXT, OFFLINE_EMBEDDER, OFFLINE_ENCODINGS, find_weights
from .providers import providers

__all__ = ["list_models"]

_SERVERS = (
    ("openai-api/SERVICE/NAME", "any OpenAI-compatible server: --base-url URL, key in SERVICE_API_KEY", "openai"),
    ("vllm/NAME", "vLLM server: --base-url URL or VLLM_BASE_URL", "openai"),
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
