"""Where documents come from: files and folders, and names with a scheme before a colon."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path

from longreach.core.document import Document
from longreach.errors import BadInput, did_you_mean

from .documents import load_documents
from .haystack import built_in_documents

__all__ = ["SCHEMES", "load_sources"]

SCHEMES: dict[str, str] = {
    "gutenberg": "gutenberg",
    "hf": "hf",
    "chronicle": "longreach.worlds.chronicle.source",
}
"""Scheme -> the module, here or by its full name, whose `load(name, warn=...)` reads it when it is asked for."""

_SCHEME = re.compile(r"([a-z][a-z0-9]+):(?!\\|/)(.+)", re.DOTALL)


def load_sources(sources: Sequence[str], *, warn: Callable[[str], None]) -> list[Document]:
    """The documents of all sources, in their order; without any, the built-in haystack."""
    if not sources:
        return built_in_documents()
    documents: list[Document] = []
    paths: list[Path] = []
    for source in sources:
        named = _SCHEME.fullmatch(source)
        if named is None or Path(source).expanduser().exists():
            paths.append(Path(source).expanduser())
        elif named[1] in SCHEMES:
            module = SCHEMES[named[1]]
            load = import_module(module if "." in module else f"longreach.text.{module}").load
            documents += load(named[2], warn=warn)
        else:
            known = [f"{scheme}:" for scheme in SCHEMES]
            raise BadInput(f"docs: unknown source '{source}'.{did_you_mean(f'{named[1]}:', known)}")
    return [*documents, *(load_documents(paths, warn=warn) if paths else [])]
