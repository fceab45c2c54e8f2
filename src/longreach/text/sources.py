"""Where documents come from: files and folders, and names with a scheme before a colon."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from longreach.core.document import Document
from longreach.core.plugins import Registry
from longreach.errors import BadInput, did_you_mean

from .documents import load_documents
from .haystack import built_in_documents

__all__ = ["SCHEMES", "load_sources"]

SCHEMES = Registry("longreach.sources", "document source")
"""Scheme -> what it reads; `load(name, warn=...)` is called when a source names it."""

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
            documents += SCHEMES.load(named[1])(named[2], warn=warn)
        else:
            known = [f"{scheme}:" for scheme in SCHEMES]
            raise BadInput(f"docs: unknown source '{source}'.{did_you_mean(f'{named[1]}:', known)}")
    return [*documents, *(load_documents(paths, warn=warn) if paths else [])]
