"""A document: text with a name and a fingerprint."""

from __future__ import annotations

import hashlib
from typing import Self

from .model import Frozen

__all__ = ["Document", "DocumentInfo"]


class DocumentInfo(Frozen):
    """A document's metadata, without its text."""

    id: str
    """Unique within its corpus."""
    title: str
    source: str
    """Where it came from, as the user gave it: a path inside the folder, a package, an address."""
    sha256: str
    """sha256 of the text's UTF-8 bytes."""
    language: str
    """`en` or `zh`: decides how sentences are split."""


class Document(DocumentInfo):
    """A document with its text."""

    text: str

    @classmethod
    def of(cls, id: str, text: str, *, title: str = "", source: str = "", language: str = "en") -> Self:
        """A document from its text; the fingerprint is computed here."""
        digest = hashlib.sha256(text.encode()).hexdigest()
        return cls(id=id, title=title or id, source=source or id, sha256=digest, language=language, text=text)

    def info(self) -> DocumentInfo:
        """The same without the text."""
        return DocumentInfo(**self.model_dump(exclude={"text"}))
