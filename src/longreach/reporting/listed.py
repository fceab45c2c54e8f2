"""Which answers a page lists: all of them, or a sample if there are too many for one file."""

from __future__ import annotations

from collections.abc import Sequence
from zlib import crc32

from longreach.core.row import Row

__all__ = ["MOST", "listed_rows"]

MOST = 20_000
"""Answers on one page: about 6 MB with short answers, and a browser opens it at once."""


def listed_rows(rows: Sequence[Row], most: int = MOST) -> tuple[int, ...]:
    """Indexes of the rows to list. Of more than `most`, a sample of whole requests that takes equally many of every
    model and cell, and does not depend on the answers."""
    if len(rows) <= most:
        return tuple(range(len(rows)))
    requests: dict[tuple[str, str, str], list[int]] = {}
    for place, row in enumerate(rows):
        requests.setdefault((row.model, row.bench, row.item), []).append(place)
    cells: dict[tuple[str, ...], list[list[int]]] = {}
    for (model, bench, _), own in requests.items():
        first = rows[own[0]]
        cells.setdefault((model, bench, str(first.cell), first.question_type), []).append(own)

    def drawn(own: list[int]) -> int:
        return crc32(f"{rows[own[0]].model}\n{rows[own[0]].item}\n{rows[own[0]].question}".encode())

    rounds: list[tuple[int, int, list[int]]] = []
    for cell in cells.values():
        rounds += [(turn, drawn(own), own) for turn, own in enumerate(sorted(cell, key=drawn))]
    chosen: list[int] = []
    for _, _, own in sorted(rounds):
        if len(chosen) + len(own) > most:
            break
        chosen += own
    return tuple(sorted(chosen))
