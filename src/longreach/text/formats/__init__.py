"""Readers of document files: bytes in, plain text out, one module per format.

Files are untrusted: nothing in them is run, no path in them is opened on disk, and what they unpack to is bounded. A
file that cannot be read raises `Unreadable` with the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from .archives import read_docx, read_epub
from .pdf import read_pdf
from .plain import FileText, Unreadable, Warn, normalise, read_jsonl, read_markdown, read_text
from .web import read_html, read_rst

__all__ = ["READERS", "FileText", "Reader", "Unreadable", "Warn", "normalise", "read_text"]

Reader = Callable[[bytes, Warn], list[FileText]]
"""Takes a file's bytes and a function for one-line warnings; returns texts that are not yet normalised."""

READERS: Mapping[str, Reader] = {
    ".txt": read_text,
    ".text": read_text,
    ".rst": read_rst,
    ".md": read_markdown,
    ".markdown": read_markdown,
    ".html": read_html,
    ".htm": read_html,
    ".xhtml": read_html,
    ".pdf": read_pdf,
    ".docx": read_docx,
    ".epub": read_epub,
    ".jsonl": read_jsonl,
    ".ndjson": read_jsonl,
}
"""By suffix, in lower case."""
