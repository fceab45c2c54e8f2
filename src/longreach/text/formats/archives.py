"""Word documents and EPUB books, read from untrusted zip archives."""

from __future__ import annotations

import copy
import io
import posixpath
import re
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree
from xml.etree.ElementTree import Element
from xml.parsers import expat

from .plain import FileText, Unreadable, Warn, no_heading
from .web import html_text

# Reads untrusted zip archives and the XML inside them: sizes bounded, nothing unpacked to disk, no entities.

MAX_UNPACKED = 512 * 1024 * 1024
"""Maximum bytes that all members read from one archive may unpack to."""
MAX_RATIO = 200
"""Maximum ratio of a member's unpacked to packed size; prose in XML stays below 30."""
_RATIO_MATTERS_FROM = 1024 * 1024
MAX_SHARE = 60
"""Maximum ratio of everything unpacked to the archive's own size,"""
_ALWAYS = 16 * 1024 * 1024
"""and what is always allowed."""
_OLE_MAGIC = bytes.fromhex("d0cf11e0a1b11ae1")
ZSTD = 93
"""The method that Inspect packs its logs by."""
_WINDOW = 128 * 1024 * 1024
"""Maximum bytes of memory that unpacking zstd may take beside its result."""
_LOCAL = struct.Struct("<4s5H3I2H")
"""The header before each member."""


class Archive:
    """A zip archive, in memory or in a file; members are read by name and never written to disk."""

    def __init__(self, source: bytes | Path, methods: tuple[int, ...] = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)):
        if isinstance(source, bytes) and source.startswith(_OLE_MAGIC):
            raise Unreadable("encrypted, or an old Office file (save it as .docx without a password)")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(source) if isinstance(source, bytes) else source)
        except _DAMAGED:
            raise Unreadable("damaged: not a whole zip archive") from None
        self._methods = methods
        # Many small members, each packed very tightly, are a bomb too.
        size = len(source) if isinstance(source, bytes) else source.stat().st_size
        self._left = min(MAX_UNPACKED, max(_ALWAYS, MAX_SHARE * size))

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def close(self) -> None:
        """Close the file."""
        self._zip.close()

    @property
    def names(self) -> list[str]:
        """The members' names, each once; of several with one name the last counts."""
        return list(self._zip.NameToInfo)

    def read(self, name: str) -> bytes:
        """A member's bytes; raises `Unreadable` where it is missing, encrypted, damaged or unpacks to too much."""
        if name not in self:
            raise Unreadable(f"damaged: it holds no '{name}'")
        info = self._zip.getinfo(name)
        if info.flag_bits & 0x1:
            raise Unreadable("encrypted")
        if info.compress_type not in self._methods:
            # The other methods unpack without a bound on memory, and nothing that is read here is packed by them.
            raise Unreadable(f"damaged: '{name}' is packed by an unusual method")
        if info.file_size > self._left or (
            info.file_size > _RATIO_MATTERS_FROM and info.file_size > MAX_RATIO * max(1, info.compress_size)
        ):
            raise Unreadable(f"refused: '{name}' unpacks to {info.file_size:,} bytes")
        try:
            # The declared size may be false: read at most one byte more than is allowed.
            data = self._unpack(info, self._left + 1)
        except _DAMAGED:
            raise Unreadable(f"damaged: '{name}' cannot be unpacked") from None
        if len(data) > self._left:
            raise Unreadable(f"refused: '{name}' unpacks to more than is allowed")
        self._left -= len(data)
        return data

    def _unpack(self, info: zipfile.ZipInfo, most: int) -> bytes:
        if info.compress_type != ZSTD:
            with self._zip.open(info) as member:
                return member.read(most)
        import zstandard

        packed = copy.copy(info)
        packed.compress_type, packed.file_size = zipfile.ZIP_STORED, info.compress_size
        del packed.CRC
        unpack = zstandard.ZstdDecompressor(max_window_size=_WINDOW)
        try:
            with self._zip.open(packed) as file, unpack.stream_reader(file, read_across_frames=True) as member:
                data = member.read(most)
        except zstandard.ZstdError as error:
            raise zipfile.BadZipFile(str(error)) from None
        if len(data) < most and zlib.crc32(data) != info.CRC:
            raise zipfile.BadZipFile("wrong checksum")
        return data


_DAMAGED = (
    *(zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError),
    *(struct.error, MemoryError, OverflowError),
)


def whole_members(data: bytes) -> bytes:
    """A truncated archive as an archive of its whole members: the list of members, which stands last, is written again
    from the header of each."""
    found: list[zipfile.ZipInfo] = []
    place = 0
    while (member := _member_at(data, place)) is not None:
        info, place = member
        found.append(info)
    file = io.BytesIO(data[:place])
    file.seek(place)
    with zipfile.ZipFile(file, "w") as made:
        made.filelist += found
    return file.getvalue()


def _member_at(data: bytes, place: int) -> tuple[zipfile.ZipInfo, int] | None:
    """The member whose header stands at a place, and where the next one begins; None if there is no whole one."""
    if place + _LOCAL.size > len(data):
        return None
    magic, _, flags, method, _, _, checksum, packed, size, name, more = _LOCAL.unpack_from(data, place)
    named = place + _LOCAL.size + name
    extra = data[named : named + more]
    if packed == size == 0xFFFFFFFF and extra[:4] == struct.pack("<2H", 1, 16) and len(extra) >= 20:
        size, packed = struct.unpack_from("<2Q", extra, 4)
    end = named + more + packed
    if magic != b"PK\x03\x04" or flags & 0x8 or end > len(data):
        return None
    spelled = data[place + _LOCAL.size : named]
    info = zipfile.ZipInfo(spelled.decode("utf-8" if flags & 0x800 else "cp437", "replace"))
    info.flag_bits, info.compress_type, info.CRC = flags, method, checksum
    info.compress_size, info.file_size, info.header_offset = packed, size, place
    return info, end


def parse_xml(data: bytes) -> ElementTree.Element:
    """The root of an XML document; one that declares entities is refused before any could expand."""

    def refuse(*_: object) -> None:
        raise Unreadable("refused: its XML declares entities")

    guard = expat.ParserCreate()
    guard.EntityDeclHandler = refuse
    try:
        guard.Parse(data, True)
        return ElementTree.fromstring(data)
    except (expat.ExpatError, ElementTree.ParseError, LookupError, ValueError):
        raise Unreadable("damaged: its XML cannot be parsed") from None


def local_name(tag: str) -> str:
    """A tag without its namespace: strict and transitional Office files differ only there."""
    return tag.rpartition("}")[2]


# Word documents: headings, paragraphs, tabs, breaks and tables of the main text, without its table of contents.

_MAIN = "word/document.xml"
_CORE = "docProps/core.xml"
_STYLES = "word/styles.xml"
_HEADING = re.compile(r"heading\s?([1-6])", re.IGNORECASE)
_CHARACTERS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_CONTENTS_STYLE = re.compile(r"(?:toc|contents?|tableoffigures|verzeichnis|inhaltsverzeichnis|tm)\s?\d", re.IGNORECASE)
_CONTENTS_FIELD = re.compile(r"PAGEREF\s+_Toc|TOC\s+\\")
# Text moved or deleted by a tracked change, and the fallback copy for old programs.
_SKIPPED = frozenset(("del", "moveFrom", "Fallback", "pPr", "rPr", "instrText", "delText"))


def read_docx(data: bytes, warn: Warn) -> list[FileText]:
    """The document's text with tracked changes accepted; rows of a table are lines with tabs between the cells. Text
    that a reader cannot see is left out and named."""
    archive = Archive(data)
    levels = _heading_levels(archive)
    main = parse_xml(archive.read(_MAIN))
    if hidden := _empty_unseen(main):
        warn(f"{hidden:,} characters of hidden or white text left out")
    try:
        blocks = _blocks(main, levels)
    except RecursionError:
        raise Unreadable("refused: its XML is nested too deeply") from None
    return [FileText("\n\n".join(blocks), title=_title(archive))]


def _empty_unseen(main: Element) -> int:
    """Empty the runs of text that are marked as hidden, or white on a white page; returns their characters. White text
    in a table or a box may stand on a dark ground that another part of the document gives it."""
    count = 0
    dark = any(local_name(element.tag) == "background" for element in main)
    stack: list[tuple[Element, bool]] = [(main, dark)]
    while stack:
        element, grounded = stack.pop()
        name = local_name(element.tag)
        if name == "r" and _unseen_run(element, grounded=grounded):
            for part in element.iter():
                if local_name(part.tag) == "t" and part.text:
                    count, part.text = count + len(part.text), ""
            continue
        properties = (part for part in element if local_name(part.tag) == "pPr")
        ground = any(local_name(part.tag) == "shd" for own in properties for part in own)
        inside = grounded or ground or name in ("tbl", "txbxContent")
        stack.extend((child, inside) for child in element)
    return count


def _unseen_run(run: Element, *, grounded: bool) -> bool:
    """Whether a run of text is hidden by its own properties."""
    found = {
        local_name(part.tag): next(
            (value.lower() for key, value in part.attrib.items() if local_name(key) == "val"), "true"
        )
        for properties in run
        if local_name(properties.tag) == "rPr"
        for part in properties
    }
    if found.get("vanish", "false") not in ("false", "0", "off", "none"):
        return True
    return found.get("color") == "ffffff" and not grounded and not {"shd", "highlight"} & found.keys()


def _title(archive: Archive) -> str:
    if _CORE not in archive:
        return ""
    for element in parse_xml(archive.read(_CORE)):
        if local_name(element.tag) == "title":
            return (element.text or "").strip()
    return ""


def _heading_levels(archive: Archive) -> dict[str, int]:
    """The level of each style of headings: what a program in another language calls it is only its id."""
    levels: dict[str, int] = {}
    for style in parse_xml(archive.read(_STYLES)) if _STYLES in archive else ():
        values = {local_name(element.tag): list(element.attrib.values())[:1] for element in style}
        ids = [value for key, value in style.attrib.items() if local_name(key) == "styleId"]
        if ids and (match := _HEADING.fullmatch("".join(values.get("name", [])))):
            levels[ids[0]] = int(match[1])
    return levels


def _level(paragraph: Element, levels: Mapping[str, int]) -> int:
    """The level of a heading; 0 for other paragraphs."""
    for element in paragraph.iter():
        if local_name(element.tag) == "pStyle":
            return next((levels[value] for value in element.attrib.values() if value in levels), 0)
    return 0


def _blocks(parent: Element, levels: Mapping[str, int]) -> list[str]:
    """The paragraphs and tables under an element, in order, each as one text; headings are marked as in Markdown."""
    blocks: list[str] = []
    for element in parent:
        name = local_name(element.tag)
        if name == "p":
            found = [] if _is_contents(element) else _paragraph(element, levels)
            if found:
                level = _level(element, levels) if found[0].strip() else 0
                found[0] = f"{'#' * level} {' '.join(found[0].split())}" if level else no_heading(found[0])
            blocks.extend(found)
        elif name == "tbl":
            blocks.append("\n".join(_rows(element)))
        elif name not in _SKIPPED:
            blocks.extend(_blocks(element, levels))
    return [block for block in blocks if block.strip()]


def _is_contents(paragraph: Element) -> bool:
    """Whether a paragraph is an entry of a table of contents: by its style, or by a reference to a page of a heading.
    Styles may have translated names, the references do not."""
    for element in paragraph.iter():
        name = local_name(element.tag)
        values = [value for key, value in element.attrib.items() if local_name(key) in ("val", "instr")]
        if name == "pStyle" and any(_CONTENTS_STYLE.fullmatch(value) for value in values):
            return True
        if name in ("instrText", "fldSimple") and _CONTENTS_FIELD.search(" ".join([element.text or "", *values])):
            return True
    return False


def _rows(table: Element) -> list[str]:
    """One line per row with text; breaks inside a cell become spaces, so that a row is one line."""
    rows: list[str] = []
    for row in _children(table, "tr"):
        cells = [" ".join(" ".join(_blocks(cell, {})).split()) for cell in _children(row, "tc")]
        if any(cells):
            rows.append("\t".join(cells))
    return rows


def _children(parent: Element, wanted: str) -> list[Element]:
    """The nearest descendants of that name: rows and cells may be wrapped in content controls."""
    found: list[Element] = []
    for element in parent:
        name = local_name(element.tag)
        if name == wanted:
            found.append(element)
        elif name not in _SKIPPED and name != "tbl":
            found.extend(_children(element, wanted))
    return found


def _paragraph(paragraph: Element, levels: Mapping[str, int]) -> list[str]:
    """The paragraph's text, followed by the paragraphs of text boxes anchored in it."""
    characters: list[str] = []
    boxes: list[str] = []

    def walk(parent: Element) -> None:
        for element in parent:
            name = local_name(element.tag)
            if name == "t":
                characters.append(element.text or "")
            elif name == "txbxContent":
                boxes.extend(_blocks(element, levels))
            elif name in _CHARACTERS:
                characters.append(_CHARACTERS[name])
            elif name not in _SKIPPED:
                walk(element)

    walk(paragraph)
    return ["".join(characters), *boxes]


# EPUB books: the chapters in reading order.

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
_NOT_TEXT = frozenset(("toc", "index", "cover", "loi", "lot"))
"""Types of pages in a book's guide that are lists of references or pictures."""
_PAGE_TYPES = frozenset(("application/xhtml+xml", "text/html"))


def read_epub(data: bytes, warn: Warn) -> list[FileText]:
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
    return [FileText("\n\n".join(texts), title=title)]


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
