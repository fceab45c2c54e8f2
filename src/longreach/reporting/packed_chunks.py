"""A page's long texts: compressed chunks, each unpacked by the browser on demand."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

__all__ = ["ChunkPacker"]

_CHUNK = 400_000
"""Approximate characters of JSON per chunk: unpacking one takes a few milliseconds."""
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


class ChunkPacker:
    """Numbered values, in order, cut into chunks. Equal values share a number."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._texts: list[str] = []
        self._places: dict[str, int] = {}

    def add(self, value: Any) -> int:
        """Add a value and return its number."""
        text = _ENCODER.encode(value)
        place = self._places.setdefault(text, len(self._texts))
        if place == len(self._texts):
            self._texts.append(text)
        return place

    def packed(self) -> tuple[list[int], list[str]]:
        """The number of the first value of each chunk, and the chunks in base64, which is inert in HTML."""
        starts: list[int] = []
        chunks: list[list[str]] = []
        size = 0
        for number, text in enumerate(self._texts):
            if not chunks or size + len(text) > _CHUNK:
                starts.append(number)
                chunks.append([])
                size = 0
            chunks[-1].append(text)
            size += len(text)
        return starts, [_packed(f"[{','.join(chunk)}]") for chunk in chunks]


def _packed(text: str) -> str:
    # A lone surrogate, which a broken answer may contain, has no UTF-8 bytes; it is shown as a question mark.
    return base64.b64encode(zlib.compress(text.encode("utf-8", errors="replace"), 6)).decode()
