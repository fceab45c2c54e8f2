"""What can be named where a model, tokenizer or embedder is asked for, and whether it is ready."""

from __future__ import annotations

from importlib.util import find_spec

from longreach.errors import LongreachError

from .embedders import OFFLINE_EMBEDDER
from .engine import EMBEDDED_CONTEXT, embedded_weights
from .tokenizers import OFFLINE_ENCODINGS

__all__ = ["list_models"]

_PROVIDERS = {
    "openai/NAME": "openai",
    "anthropic/NAME": "anthropic",
    "google/NAME": "google.genai",
    "openai-api/SERVICE/NAME": "openai",
    "vllm/NAME": "openai",
    "ollama/NAME": "openai",
}


def list_models() -> dict[str, list[dict[str, str]]]:
    """Names by kind, each with a few words."""
    try:
        embedded_weights()
        state = "ready" if _there("xllamacpp") else "engine missing; run: pip install 'longreach[embedded]'"
    except LongreachError as error:
        state = str(error)
    return {
        "models": [
            {"name": "embedded", "about": f"SmolLM2 135M, {EMBEDDED_CONTEXT} tokens, in this process; {state}"},
            {"name": "gguf:PATH", "about": "any GGUF file, run the same way"},
            *(
                {"name": name, "about": "through Inspect; " + ("ready" if _there(package) else f"needs {package}")}
                for name, package in _PROVIDERS.items()
            ),
            {"name": "PROVIDER/NAME", "about": "any other Inspect provider by its own name"},
        ],
        "tokenizers": [
            *({"name": name, "about": "offline"} for name in OFFLINE_ENCODINGS),
            {"name": "embedded", "about": "the embedded model's own; " + state},
            {"name": "gguf:PATH", "about": "a GGUF file's own"},
            {
                "name": "PATH/tokenizer.json",
                "about": "any local tokenizer; " + ("ready" if _there("tokenizers") else "run: pip install tokenizers"),
            },
        ],
        "embedders": [
            {
                "name": OFFLINE_EMBEDDER,
                "about": "offline, English; "
                + ("ready" if _there("wordllama") else "run: pip install 'longreach[embeddings]'"),
            },
            {"name": "openai:MODEL", "about": "any OpenAI-compatible endpoint"},
        ],
    }


def _there(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ModuleNotFoundError:
        return False
