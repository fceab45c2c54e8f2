"""Reads untrusted zip archives and the XML inside them: sizes bounded, nothing unpacked to disk, no entities."""

from __future__ import annotations

import io
import zipfile
import zlib
from xml.etree import ElementTree
from xml.parsers import expat

from .found import Unreadable

__all__ = ["Archive", "local_name", "parse_xml"]

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


class Archive:
    """A zip archive in memory; members are read by name and never written to disk."""

    def __init__(self, data: bytes) -> None:
        if data.startswith(_OLE_MAGIC):
            raise Unreadable("encrypted, or an old Office file (save it as .docx without a password)")
        try:
            self._zip = zipfile.ZipFile(io.BytesIO(data))
        except (zipfile.BadZipFile, ValueError, OSError, NotImplementedError):
            raise Unreadable("damaged: not a whole zip archive") from None
        # Many small members, each packed very tightly, are a bomb too.
        self._left = min(MAX_UNPACKED, max(_ALWAYS, MAX_SHARE * len(data)))

    def __contains__(self, name: str) -> bool:
        return name in self._zip.NameToInfo

    def read(self, name: str) -> bytes:
        """A member's bytes; raises `Unreadable` where it is missing, encrypted, damaged or unpacks to too much."""
        if name not in self:
            raise Unreadable(f"damaged: it holds no '{name}'")
        info = self._zip.getinfo(name)
        if info.flag_bits & 0x1:
            raise Unreadable("encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            # The other methods unpack without a bound on memory, and no office program writes them.
            raise Unreadable(f"damaged: '{name}' is packed by an unusual method")
        if info.file_size > self._left or (
            info.file_size > _RATIO_MATTERS_FROM and info.file_size > MAX_RATIO * max(1, info.compress_size)
        ):
            raise Unreadable(f"refused: '{name}' unpacks to {info.file_size:,} bytes")
        try:
            with self._zip.open(info) as member:
                # The declared size may be false: read at most one byte more than is allowed.
                data = member.read(self._left + 1)
        except (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError):
            raise Unreadable(f"damaged: '{name}' cannot be unpacked") from None
        if len(data) > self._left:
            raise Unreadable(f"refused: '{name}' unpacks to more than is allowed")
        self._left -= len(data)
        return data


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
