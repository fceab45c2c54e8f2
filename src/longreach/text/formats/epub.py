"""EPUB books: the chapters in reading order."""

from __future__ import annotations

import posixpath
from urllib.parse import unquote

from .archive import Archive, local_name, parse_xml
from .found import Found, Unreadable, Warn
from .web import html_text

__all__ = ["read_epub"]

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_NOT_TEXT = frozenset(("toc", "index", "cover", "loi", "lot"))
"""Types of pages in a book's guide that are lists of references or pictures."""
_PAGE_TYPES = frozenset(("application/xhtml+xml", "text/html"))


def read_epub(data: bytes, warn: Warn) -> list[Found]:
    """The book as one text, without its table of contents; warns of chapters that cannot be read."""
    archive = Archive(data)
    package_name = _package_name(archive)
    title, chapters = _spine(archive, package_name)
    if _encrypted(archive) & set(chapters):
        raise Unreadable("encrypted: the book is copy-protected")
    texts: list[str] = []
    for chapter in chapters:
        try:
            text, _ = html_text(archive.read(chapter), all_if_empty=False, marks=False)
        except Unreadable as reason:
            warn(f"chapter '{chapter}': {reason}; left out")
            continue
        if text:
            texts.append(text)
    return [Found("\n\n".join(texts), title=title)]


def _package_name(archive: Archive) -> str:
    for element in parse_xml(archive.read(_CONTAINER)).iter():
        if local_name(element.tag) == "rootfile" and element.get("full-path"):
            return element.get("full-path", "")
    raise Unreadable("damaged: its container names no book")


def _spine(archive: Archive, package_name: str) -> tuple[str, list[str]]:
    """The title and the names of the chapters in reading order; names are looked up in the archive, never on disk."""
    folder = posixpath.dirname(package_name)
    title = ""
    pages: dict[str, str] = {}
    order: list[str] = []
    contents: set[str] = set()
    for element in parse_xml(archive.read(package_name)).iter():
        name = local_name(element.tag)
        if name == "title" and not title:
            title = " ".join((element.text or "").split())
        elif name == "item" and element.get("media-type") in _PAGE_TYPES:
            if "nav" not in element.get("properties", "").split():
                href = unquote(element.get("href", ""))
                pages[element.get("id", "")] = posixpath.normpath(posixpath.join(folder, href))
        elif name == "itemref":
            order.append(element.get("idref", ""))
        elif name == "reference" and element.get("type", "").lower() in _NOT_TEXT:
            href = unquote(element.get("href", "")).partition("#")[0]
            contents.add(posixpath.normpath(posixpath.join(folder, href)))
    # Each chapter is read once, whatever the spine says: repeats would let a small file grow without end.
    names = dict.fromkeys(pages[idref] for idref in order if idref in pages)
    # A reference to a place inside a chapter must not drop the only chapter of a book.
    return title, [name for name in names if name not in contents] or list(names)


def _encrypted(archive: Archive) -> set[str]:
    """Members encrypted by copy protection; fonts often are, even in books that are free to read."""
    if _ENCRYPTION not in archive:
        return set()
    root = parse_xml(archive.read(_ENCRYPTION))
    return {unquote(e.get("URI", "")) for e in root.iter() if local_name(e.tag) == "CipherReference"}
