from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.core.bench import Corpus, CorpusInfo, Placed, Seams
from longreach.core.types import Document, byte_offsets
from longreach.errors import BadInput

SEAMS = Seams(before=("space letter",), after=("blank letter",), anchored=False)


def corpus_of(text: str, cuts: list[int], counts: list[int]) -> Corpus:
    document = Document.of("d", text)
    placed = Placed(document=document.info(), start=0, end=len(text.encode()))
    info = CorpusInfo(tokenizer="t", fingerprint="f", seams=SEAMS, tokens=99, documents=(placed,))
    return Corpus(info, text.encode(), np.array(cuts, dtype=np.int64), np.array(counts, dtype=np.int64))


@pytest.mark.parametrize(
    ("text", "cuts", "counts"),
    [("Ünë. Two. 三。四。", [6, 11, 17], [2, 4, 7]), ("no cut at all", [], []), ("", [], [])],
    ids=["text", "no cuts", "empty"],
)
def test_a_saved_corpus_is_the_same(tmp_path: Path, text: str, cuts: list[int], counts: list[int]) -> None:
    corpus = corpus_of(text, cuts, counts)
    corpus.save(tmp_path)
    opened = Corpus.open(tmp_path)
    assert opened.info == corpus.info
    assert bytes(opened.text) == text.encode()
    assert (opened.cuts.tolist(), opened.counts.tolist()) == (cuts, counts)
    assert len(opened) == len(text.encode())
    assert sorted(path.name for path in tmp_path.iterdir()) == ["corpus.idx", "corpus.json", "corpus.txt"]


@pytest.mark.parametrize("name", ["corpus.idx", "corpus.json", "corpus.txt"])
def test_a_missing_part_is_named(tmp_path: Path, name: str) -> None:
    corpus_of("One. Two.", [4], [2]).save(tmp_path)
    (tmp_path / name).unlink()
    with pytest.raises(BadInput, match=rf"{name}: No such file or directory; the benchmark is incomplete"):
        Corpus.open(tmp_path)


def test_reading_drops_half_characters() -> None:
    corpus = corpus_of("aé三z", [], [])
    assert [corpus.read(start, end) for start, end in ((0, 3), (2, 6), (0, 5), (-5, 99), (1, 1))] == [
        "aé",
        "三",
        "aé",
        "aé三z",
        "",
    ]


def test_the_nearest_cut() -> None:
    corpus = corpus_of("x" * 50, [10, 20, 30], [100, 200, 400])
    assert [corpus.cut_near(tokens) for tokens in (0, 99, 149, 150, 151, 299, 301, 400, 9999)] == [
        0,
        0,
        0,
        0,
        1,
        1,
        2,
        2,
        2,
    ]


@given(st.text())
def test_byte_offsets_are_those_of_utf_8(text: str) -> None:
    assert byte_offsets(text).tolist() == [len(text[:end].encode()) for end in range(len(text) + 1)]
