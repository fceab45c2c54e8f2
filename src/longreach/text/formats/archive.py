"""Reads untrusted zip archives and the XML inside them: sizes bounded, nothing unpacked to disk, no entities."""

from __future__ import annotations

import copy
import io
import struct
import zipfile
import zlib
from pathlib import Path
from xml.etree import ElementTree
from xml.parsers import expat

from .found import Unreadable

__all__ = ["ZSTD", "Archive", "local_name", "parse_xml", "whole_members"]

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
    while place + _LOCAL.size <= len(data):
        magic, _, flags, method, _, _, checksum, packed, size, name, more = _LOCAL.unpack_from(data, place)
        start = place + _LOCAL.size + name + more
        extra = data[start - more : start]
        if packed == size == 0xFFFFFFFF and extra[:4] == struct.pack("<2H", 1, 16) and len(extra) >= 20:
            size, packed = struct.unpack_from("<2Q", extra, 4)
        if magic != b"PK\x03\x04" or flags & 0x8 or start + packed > len(data):
            break
        spelled = data[place + _LOCAL.size : place + _LOCAL.size + name]
        info = zipfile.ZipInfo(spelled.decode("utf-8" if flags & 0x800 else "cp437", "replace"))
        info.flag_bits, info.compress_type, info.CRC = flags, method, checksum
        info.compress_size, info.file_size, info.header_offset = packed, size, place
        found.append(info)
        place = start + packed
    file = io.BytesIO(data[:place])
    file.seek(place)
    with zipfile.ZipFile(file, "w") as made:
        made.filelist += found
    return file.getvalue()


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
