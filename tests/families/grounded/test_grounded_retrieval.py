"""Nothing is embedded twice, damaged files are passed over, the nearest come from one product."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from longreach.errors import BadInput
from longreach.models.embedders import VectorCache, Vectors, get_embedder, nearest


class Counting:
    """The offline embedder, with a ledger."""

    def __init__(self, name: str = "counting") -> None:
        self.name = name
        self.seen: list[str] = []
        self._inner = get_embedder()

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.seen += texts
        return self._inner.embed(texts)


def test_a_text_is_embedded_once_for_good(tmp_path: Path) -> None:
    embedder = Counting()
    texts = [f"Text number {number} about harbours." for number in range(300)]
    first = VectorCache(embedder, tmp_path).embed([*texts, texts[0]])
    assert embedder.seen == texts
    assert len(first) == 301
    again = VectorCache(embedder, tmp_path).embed([texts[7], texts[299]])
    assert len(embedder.seen) == 300
    assert np.array_equal(again, first[[7, 299]])
    VectorCache(embedder, tmp_path).embed([texts[7], "A new one."])
    assert embedder.seen[300:] == ["A new one."]
    other = Counting("another embedder")
    VectorCache(other, tmp_path).embed(texts[:2])
    assert other.seen == texts[:2], "vectors of one embedder are none of another's"


def test_damaged_files_are_embedded_again(tmp_path: Path) -> None:
    embedder = Counting()
    VectorCache(embedder, tmp_path).embed(["One.", "Two."])
    (file,) = tmp_path.rglob("*.npy")
    file.write_bytes(file.read_bytes()[:60])
    (file.parent / "strange.npy").write_bytes(b"not an array")
    np.save(file.parent / "other.npy", np.arange(5))
    assert len(VectorCache(embedder, tmp_path).embed(["One.", "Two."])) == 2
    assert embedder.seen == ["One.", "Two."] * 2


def test_a_folder_that_cannot_be_written_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(BadInput, match=r"cannot keep embeddings in .*; set LONGREACH_CACHE"):
        VectorCache(Counting(), tmp_path / "file").embed(["One."])


def test_the_nearest_of_a_hundred_thousand() -> None:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((100_000, 64), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query = vectors[4321] + 0.1 * vectors[99]
    found = nearest(vectors, query, 5)
    exact = np.argsort(-(vectors @ query), kind="stable")[:5]
    assert found == exact.tolist()
    assert found[0] == 4321
    others = [row for row in range(0, 100_000, 3) if row != found[0]]
    best = sorted(others, key=lambda row: -float(vectors[row] @ query))[:5]
    assert nearest(vectors, query, 5, others) == best


def test_ties_go_to_the_earlier_and_few_rows_are_enough() -> None:
    rows = np.ones((4, 2), dtype=np.float32)
    assert nearest(rows, rows[0], 2) == [0, 1]
    assert nearest(rows, rows[0], 9) == [0, 1, 2, 3]
    assert nearest(rows, rows[0], 2, [1, 3, 2]) == [1, 3]
    assert nearest(rows, rows[0], 2, []) == []
    assert nearest(np.zeros((0, 0), dtype=np.float32), rows[0], 3) == []
    assert VectorCache(Counting(), Path("unused")).embed([]).shape == (0, 0)
