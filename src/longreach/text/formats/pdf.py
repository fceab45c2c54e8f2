"""PDF files: text of the pages, with the lines of a paragraph joined again."""

from __future__ import annotations

import io
import logging
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from .found import Found, Unreadable, Warn
from .plain import normalise

__all__ = ["read_pdf", "unwrap"]

_DIGITS = re.compile(r"\d+")
_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_BROKEN_WORD = re.compile(r"([^\W\d_]+)-$")
_NEXT_WORD = re.compile(r"[^\W\d_]+")
_LIST_START = re.compile(r"(?:[•▪◦‣·*–—-]|\(?(?:\d{1,3}|[a-z])[.)])\s")
_SENTENCE_END = re.compile(r"[.!?:。！？：…][\"'”’」』)）\]]*$")
_IDEOGRAPH_EDGE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
_FULL_SHARE = 0.75
_FURNITURE_PAGES = 4
_FURNITURE_SHARE = 0.6


def read_pdf(data: bytes, warn: Warn) -> list[Found]:  # noqa: ARG001
    """The text layer of a PDF; pages that are only pictures have none."""
    import pypdf

    if b"%PDF-" not in data[:1024]:
        raise Unreadable("not a PDF")
    try:
        with _quiet("pypdf"):
            reader = pypdf.PdfReader(io.BytesIO(data))
            # Many files are encrypted with an empty password only to forbid printing; those open.
            if reader.is_encrypted and not reader.decrypt(""):
                raise Unreadable("encrypted (save a copy without a password)")
            pages = [page.extract_text() for page in reader.pages]
            title = str((reader.metadata.title if reader.metadata else None) or "")
    except Unreadable:
        raise
    except Exception as error:
        # A damaged file may fail anywhere inside the parser, with any type of exception.
        raise Unreadable(f"damaged PDF ({type(error).__name__})") from None
    text = unwrap([normalise(page).split("\n") for page in pages])
    if not text.strip():
        raise Unreadable("no text in this PDF, only pictures (run text recognition on it first)")
    return [Found(text, title=title.strip())]


@contextmanager
def _quiet(name: str) -> Iterator[None]:
    """Suppress a library's messages about odd files."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        logger.setLevel(before)


def unwrap(pages: Sequence[Sequence[str]]) -> str:
    """Merges lines of pages into paragraphs.

    A line nearly as wide as most, or one that the next continues in lower case, is joined with the next. Other lines
    remain lines, and a paragraph ends after a short line that ends a sentence.
    """
    lines = [line for page in _without_furniture(pages) for line in page]
    widths = sorted(len(line) for line in lines if line)
    if not widths:
        return ""
    full = _FULL_SHARE * widths[len(widths) * 3 // 4]
    words = _whole_words(lines)
    parts: list[str] = []
    for line, following in zip(lines, [*lines[1:], ""], strict=True):
        if not line:
            parts.append("\n\n")
        elif following and _continues(line, following, full):
            parts.extend(_joined(line, following, words))
        else:
            ends = len(line) < full and _SENTENCE_END.search(line)
            parts.extend((line, "\n\n" if ends else "\n"))
    return "".join(parts)


def _without_furniture(pages: Sequence[Sequence[str]]) -> list[list[str]]:
    """Pages without running headers, footers and page numbers: first and last lines that most pages share except for
    digits.
    """

    def masked(line: str) -> str:
        return _DIGITS.sub("#", line)

    kept = [list(page) for page in pages if any(page)]
    if len(kept) < _FURNITURE_PAGES:
        return kept
    for edge in (0, -1):
        counts = Counter(masked(page[edge]) for page in kept)
        for page in kept:
            if counts[masked(page[edge])] >= _FURNITURE_SHARE * len(kept):
                page.pop(edge)
        kept = [page for page in kept if page]
        if not kept:
            break
    return kept


def _continues(line: str, following: str, full: float) -> bool:
    """Whether the next line continues this line's sentence."""
    if _LIST_START.match(following):
        return False
    if len(line) >= full:
        return True
    return following[0].islower() and not _SENTENCE_END.search(line)


def _whole_words(lines: Sequence[str]) -> set[str]:
    """The document's words in lower case, without the halves of those broken between lines."""
    words: set[str] = set()
    for before, line in zip(["", *lines], lines, strict=False):
        found = _WORD.findall(line.lower())
        words.update(found[bool(before.endswith("-")) : len(found) - line.endswith("-")])
    return words


def _joined(line: str, following: str, words: set[str]) -> tuple[str, str]:
    """A line and its separator from the next: usually a space, nothing after a broken word."""
    if line.endswith("\u00ad"):
        return line[:-1], ""
    broken, rest = _BROKEN_WORD.search(line), _NEXT_WORD.match(following)
    if broken and rest and rest[0].islower():
        head, tail = broken[1].lower(), rest[0].lower()
        compound = f"{head}-{tail}" in words or (head in words and tail in words)
        # The document itself distinguishes `exam-ple` from `well-known`: by the whole word, or by its halves.
        if head + tail in words or not compound:
            return line[:-1], ""
        return line, ""
    if line.endswith("-") or (_IDEOGRAPH_EDGE.match(line[-1]) and _IDEOGRAPH_EDGE.match(following[0])):
        return line, ""
    return line, " "
