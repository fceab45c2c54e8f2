"""The result and the error of a document reader."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from longreach.errors import BadInput

__all__ = ["Found", "Unreadable", "Warn"]

Warn = Callable[[str], None]


class Unreadable(BadInput):
    """A file that cannot be read as a document; the message is only the reason, the caller adds the name."""


@dataclass(frozen=True)
class Found:
    """One text in a file."""

    text: str
    title: str = ""
    """From the document; empty where it has none."""
    line: int | None = None
    """The line of a record in a file of records, from 1."""
    record_id: str | None = None
    """The record's own name, where it has one."""
