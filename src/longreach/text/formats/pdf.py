"""PDF files: the text layer in reading order, without running heads, page numbers and the table of contents."""

from __future__ import annotations

import threading

from .found import Found, Unreadable, Warn
from .pdf_flow import flow
from .pdf_layout import Page, reading_order
from .pdf_words import page_lines

__all__ = ["read_pdf"]

_PASSWORD_ERROR = "password"
_PDFIUM = threading.Lock()
"""The library must not be called from two threads at once."""


def read_pdf(data: bytes, warn: Warn) -> list[Found]:
    """The text layer of a PDF; pages that are only pictures have none, and are counted in a warning."""
    if b"%PDF-" not in data[:1024]:
        raise Unreadable("not a PDF")
    with _PDFIUM:
        pages, title = _read(data)
    if not any(page.lines for page in pages):
        raise Unreadable("no text in this PDF, only pictures (run text recognition on it first)")
    if empty := sum(not page.lines for page in pages):
        warn(f"{empty} of {len(pages)} pages have no text (blank, or pictures)")
    text = flow([reading_order(page) for page in pages])
    if not text.strip():
        raise Unreadable("no text in this PDF beside running heads and contents")
    return [Found(text, title=title)]


def _read(data: bytes) -> tuple[list[Page], str]:
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        # Files with an empty user password, which only forbids printing, open without one.
        if _PASSWORD_ERROR in str(error).lower():
            raise Unreadable("encrypted (save a copy without a password)") from None
        raise Unreadable("damaged PDF") from None
    try:
        title = str(document.get_metadata_dict().get("Title", "")).strip()
        return [page_lines(document, number) for number in range(len(document))], title
    except pypdfium2.PdfiumError:
        raise Unreadable("damaged PDF") from None
    finally:
        document.close()
