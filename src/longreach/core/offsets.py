"""Character offsets to byte offsets: everything on disk is UTF-8, everything that parses text counts characters."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

__all__ = ["Offsets", "byte_offsets", "byte_places"]

Offsets = npt.NDArray[np.int64]


def byte_offsets(text: str) -> Offsets:
    """The UTF-8 byte offset of each character, and of the end."""
    if text.isascii():
        return np.arange(len(text) + 1, dtype=np.int64)
    points = np.frombuffer(text.encode("utf-32-le"), dtype=np.uint32)
    widths = 1 + (points > 0x7F).astype(np.int64) + (points > 0x7FF) + (points > 0xFFFF)
    return np.concatenate([np.zeros(1, dtype=np.int64), np.cumsum(widths)])


def byte_places(text: str, places: Iterable[int]) -> Offsets:
    """The UTF-8 byte offsets of some ascending character offsets: faster than all of them if they are few."""
    if text.isascii():
        return np.fromiter(places, dtype=np.int64)
    offsets: list[int] = []
    at = before = 0
    for place in places:
        at += len(text[before:place].encode())
        before = place
        offsets.append(at)
    return np.array(offsets, dtype=np.int64)
