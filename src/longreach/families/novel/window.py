"""Retrieval with a sliding window: the blocks of a story against which each block of its summary is checked."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from longreach.text.sentences import sentence_ends

__all__ = ["align", "cut_blocks"]

_FIRST = 3
_REACH = 2
_SMALL = 5
_LARGE = 7


def align(similarity: npt.NDArray[np.float32], nearest: int = 5) -> list[tuple[int, ...]]:
    """For each block of a summary (a row), the blocks of the story (columns) to read it against.

    The first block gets the first three of the story. For each that follows, the `nearest` most similar blocks of the
    story are looked at: if some lie within two of where the one before was aligned, the most similar of those is taken,
    else the next block of the story. The window is five blocks around it where the step was 0 or 1 on, else seven.
    It ends where the story does. Of blocks that are equally similar the earlier comes first.
    """
    rows, columns = similarity.shape
    if not rows or not columns:
        return []
    windows = [tuple(range(min(_FIRST, columns)))]
    at = 0
    for row in similarity[1:]:
        ranked = [int(column) for column in np.argsort(-row, kind="stable")[:nearest]]
        near = [column for column in ranked if abs(column - at) <= _REACH]
        step = near[0] - at if near else 1
        at = min(at + step, columns - 1)
        half = (_SMALL if step in (0, 1) else _LARGE) // 2
        windows.append(tuple(range(max(0, at - half), min(columns, at + half + 1))))
    return windows


def cut_blocks(text: str, language: str, size: int) -> list[tuple[int, int]]:
    """A text as blocks of whole sentences, each as many as fit in `size` characters; a longer sentence is a block of
    its own. Start and end of each, in characters, without surrounding white space.
    """
    blocks: list[tuple[int, int]] = []
    start = 0
    for end in sentence_ends(text, language):
        while start < end and text[start].isspace():
            start += 1
        if blocks and end - blocks[-1][0] <= size:
            blocks[-1] = (blocks[-1][0], end)
        else:
            blocks.append((start, end))
        start = end
    return blocks
