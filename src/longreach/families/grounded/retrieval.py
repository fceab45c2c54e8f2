"""Similar passages: vectors are computed once and cached, the nearest found by one matrix product."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from longreach.core.files import put_whole
from longreach.errors import BadInput
from longreach.models.embedders import Embedder

__all__ = ["VectorCache", "Vectors", "nearest"]

Vectors = npt.NDArray[np.float32]

_BATCH = 256
_KEY = "V32"


class VectorCache:
    """Vectors of texts, cached in a folder under the embedder's fingerprint and the texts' own. Each batch is one
    atomically written file, so that a kill loses only the batch in flight.
    """

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        fingerprint = str(getattr(embedder, "fingerprint", embedder.name))
        self._folder = folder / hashlib.sha256(fingerprint.encode()).hexdigest()[:32]
        self._places: dict[bytes, tuple[npt.NDArray[np.void], int]] = {}
        self._read: set[Path] = set()

    def embed(self, texts: Sequence[str]) -> Vectors:
        """One row per text; only new texts are embedded."""
        keys = [hashlib.sha256(text.encode()).digest() for text in texts]
        if any(key not in self._places for key in keys):
            self._find_cached()
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in self._places}
        new = list(missing.items())
        for start in range(0, len(new), _BATCH):
            batch = new[start : start + _BATCH]
            vectors = self._embedder.embed([text for _, text in batch]).astype(np.float16)
            self._keep([key for key, _ in batch], vectors)
        if not keys:
            return np.zeros((0, 0), dtype=np.float32)
        found = (self._places[key] for key in keys)
        return np.stack([table["vector"][row] for table, row in found]).astype(np.float32)

    def _find_cached(self) -> None:
        """Index files that appeared since; their vectors are loaded when needed."""
        for path in sorted(self._folder.glob("*.npy")):
            if path in self._read:
                continue
            self._read.add(path)
            try:
                table = np.load(path, mmap_mode="r", allow_pickle=False)
                keys = [bytes(key) for key in table["key"]]
                if table["vector"].dtype != np.float16:
                    continue
            except (OSError, ValueError, IndexError, EOFError):
                continue  # not a file of ours, or a damaged one: its texts are embedded again
            self._places.update((key, (table, row)) for row, key in enumerate(keys))

    def _keep(self, keys: Sequence[bytes], vectors: npt.NDArray[np.float16]) -> None:
        table = np.zeros(len(keys), dtype=[("key", _KEY), ("vector", "<f2", (vectors.shape[1],))])
        table["key"] = np.frombuffer(b"".join(keys), dtype=_KEY)
        table["vector"] = vectors
        path = self._folder / f"{hashlib.sha256(b''.join(keys)).hexdigest()[:32]}.npy"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            data = io.BytesIO()
            np.save(data, table, allow_pickle=False)
            put_whole(path, data.getvalue(), fsync=True)
        except OSError as error:
            raise BadInput(f"cannot keep embeddings in {self._folder}: {error.strerror}; set LONGREACH_CACHE") from None
        self._read.add(path)
        self._places.update((key, (table, row)) for row, key in enumerate(keys))


def nearest(vectors: Vectors, query: Vectors, count: int, among: Sequence[int] | None = None) -> list[int]:
    """The rows most similar to the query, best first; ties go to the earlier. `among` are the rows to choose from, in
    order, by default all: one product over all rows is faster than a copy of those rows.
    """
    if not len(vectors):
        return []
    scores = vectors @ query
    rows = np.arange(len(scores)) if among is None else np.asarray(among, dtype=np.intp)
    if not len(rows):
        return []
    scores = scores[rows]
    count = min(count, len(scores))
    # Include ties with the last place, so that they are broken by order and not by the partition.
    bar = np.partition(scores, len(scores) - count)[len(scores) - count]
    places = np.flatnonzero(scores >= bar)
    order = places[np.argsort(-scores[places], kind="stable")]
    return [int(row) for row in rows[order[:count]]]
