"""Retrieval for grounded questions: similar passages among 100,000, with cached vectors.

Prints: milliseconds to find the five most similar of 100,000 passages, and how many times longer it takes to look at
them one by one in Python, to sort them all, or to gather their vectors for each question anew; then how many times
longer it takes to embed real passages than to read their cached vectors back. Everything is measured in one run."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from heapq import nlargest
from itertools import cycle, islice
from pathlib import Path
from typing import TypeVar

import numpy as np

from longreach.models.embedders import VectorCache, Vectors, get_embedder, nearest
from longreach.text.documents import built_in_documents

PASSAGES = 100_000
WORDS = 600
EMBEDDED = 2_000
"""Passages that are really embedded; the others repeat their vectors with noise, so that no two are the same."""

T = TypeVar("T")


def real_passages(count: int) -> list[str]:
    """Passages of about 600 words from the built-in speeches."""
    words = [document.text.split() for document in built_in_documents()]
    cut = [" ".join(one[at : at + WORDS]) for one in words for at in range(0, len(one) - WORDS, WORDS)]
    return cut[:count]


def best_of(times: int, work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of the quickest of several runs, and what it gave."""
    seconds = []
    for _ in range(times):
        start = time.perf_counter()
        found = work()
        seconds.append(time.perf_counter() - start)
    return min(seconds), found


def many(vectors: Vectors) -> Vectors:
    """As many rows as there are passages, each unlike every other."""
    rng = np.random.default_rng(0)
    rows = np.stack(list(islice(cycle(vectors), PASSAGES)))
    rows += 0.02 * rng.standard_normal(rows.shape, dtype=np.float32)
    return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), dtype=np.float32)


def by_hand(rows: list[list[float]], query: list[float]) -> list[int]:
    """The same without numpy."""
    scores = [sum(one * other for one, other in zip(row, query, strict=True)) for row in rows]
    return nlargest(5, range(len(rows)), key=scores.__getitem__)


def main() -> int:
    texts = real_passages(EMBEDDED)
    with tempfile.TemporaryDirectory() as folder:
        embedder = get_embedder()
        embedder.embed(texts[:1])
        fresh, vectors = best_of(1, lambda: VectorCache(embedder, Path(folder)).embed(texts))
        cached, again = best_of(3, lambda: VectorCache(embedder, Path(folder)).embed(texts))
    if not np.array_equal(vectors, again):
        print("cached vectors are not those that were computed", file=sys.stderr)
        return 1
    rows = many(vectors)
    query = rows[77_777] + 0.1 * rows[5]
    quick, found = best_of(9, lambda: nearest(rows, query, 5))
    among = [row for row in range(PASSAGES) if row != 77_777]
    without, _ = best_of(9, lambda: nearest(rows, query, 5, among))
    sort, whole = best_of(3, lambda: np.argsort(-(rows @ query), kind="stable")[:5].tolist())
    gather, _ = best_of(3, lambda: nearest(rows[among], query, 5))
    listed = [[float(value) for value in row] for row in rows[: PASSAGES // 20]]
    slow, _ = best_of(1, lambda: by_hand(listed, [float(value) for value in query]))
    if found != whole or found[0] != 77_777:
        print(f"the nearest are {found}, sorting finds {whole}", file=sys.stderr)
        return 1
    print(f"the 5 nearest of {PASSAGES:,} passages of {rows.shape[1]} numbers: {1000 * quick:.1f} ms")
    print(f"the same with the gold passage left out: {1000 * without:.1f} ms")
    print(f"sorting all of them: {sort / quick:.1f} x as long")
    print(f"gathering their vectors for each question: {gather / without:.1f} x as long")
    print(f"one by one in Python, measured on a twentieth: {20 * slow / quick:.0f} x as long")
    print(f"embedding {len(texts):,} real passages of {WORDS} words: {fresh / cached:.0f} x as long as reading them")
    return 0


if __name__ == "__main__":
    sys.exit(main())
