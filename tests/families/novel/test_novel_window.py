"""The alignment of summary and story blocks, on cases worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.families.novel.items import NgramEmbedder, align, cut_blocks


def similar(blocks: int, *rows: dict[int, float]) -> np.ndarray:
    """Rows of similarities: those named, else less the further on, so that ties never decide."""
    table = np.array([[-0.001 * column for column in range(blocks)] for _ in rows], dtype=np.float32)
    for row, named in enumerate(rows):
        for column, value in named.items():
            table[row, column] = value
    return table


def test_the_first_block_reads_the_first_three_whatever_it_is_like() -> None:
    assert align(similar(20, {15: 0.9})) == [(0, 1, 2)]
    assert align(similar(2, {1: 0.9})) == [(0, 1)]


def test_a_step_of_nothing_or_one_has_a_window_of_five() -> None:
    # 0 -> 1 -> 1 -> 2 -> 3: each step is 0 or 1.
    table = similar(20, {}, {1: 0.9}, {1: 0.9}, {2: 0.9}, {3: 0.9})
    assert align(table) == [(0, 1, 2), (0, 1, 2, 3), (0, 1, 2, 3), (0, 1, 2, 3, 4), (1, 2, 3, 4, 5)]


def test_a_step_of_two_or_back_has_a_window_of_seven() -> None:
    # 0 -> 2 (two on) -> 4 (two on) -> 3 (one back) -> 3 (none)
    table = similar(20, {}, {2: 0.9}, {4: 0.9}, {3: 0.9}, {3: 0.9})
    assert align(table) == [
        (0, 1, 2),
        (0, 1, 2, 3, 4, 5),
        (1, 2, 3, 4, 5, 6, 7),
        (0, 1, 2, 3, 4, 5, 6),
        (1, 2, 3, 4, 5),
    ]


def test_a_far_match_is_not_followed_while_a_near_one_is_among_the_nearest() -> None:
    # The best is block 12; block 1 is only fourth, but within two of block 0.
    table = similar(20, {}, {12: 0.9, 13: 0.8, 14: 0.7, 1: 0.6, 15: 0.5})
    assert align(table)[1] == (0, 1, 2, 3)


def test_without_a_near_one_among_the_nearest_it_goes_one_on() -> None:
    far = {10: 0.9, 11: 0.8, 12: 0.7, 13: 0.6, 14: 0.5, 2: 0.4}
    assert align(similar(20, {}, far, far))[1:] == [(0, 1, 2, 3), (0, 1, 2, 3, 4)]
    # With one more to look at, block 2 is among them, two on from block 0.
    assert align(similar(20, {}, far), nearest=6)[1] == (0, 1, 2, 3, 4, 5)


def test_the_most_similar_of_several_near_ones_is_taken() -> None:
    assert align(similar(20, {}, {0: 0.5, 1: 0.6, 2: 0.7}))[1] == (0, 1, 2, 3, 4, 5)
    assert align(similar(20, {}, {0: 0.7, 1: 0.6, 2: 0.5}))[1] == (0, 1, 2)


def test_of_equal_ones_the_earlier_comes_first() -> None:
    assert align(np.zeros((2, 10), dtype=np.float32))[1] == (0, 1, 2)


def test_the_window_ends_where_the_story_does() -> None:
    table = similar(4, {}, {2: 0.9}, {3: 0.9}, {3: 0.9})
    assert align(table, nearest=1)[2:] == [(1, 2, 3), (1, 2, 3)]
    # Past the end there is nothing to go on to.
    back = similar(12, {}, {2: 0.9}, {4: 0.9}, {6: 0.9}, {8: 0.9}, {10: 0.9}, {11: 0.9}, {0: 0.9})
    assert align(back, nearest=1)[-1] == (9, 10, 11)


def test_nothing_to_align() -> None:
    assert align(np.zeros((0, 5), dtype=np.float32)) == []
    assert align(np.zeros((5, 0), dtype=np.float32)) == []


@given(st.integers(1, 12), st.integers(1, 15), st.integers(1, 8), st.integers(0, 2**32 - 1))
def test_windows_are_runs_of_blocks_that_never_jump(rows: int, columns: int, nearest: int, seed: int) -> None:
    windows = align(np.random.default_rng(seed).random((rows, columns), dtype=np.float32), nearest)
    assert len(windows) == rows
    for window in windows:
        assert list(window) == list(range(window[0], window[-1] + 1))
        assert 0 <= window[0] <= window[-1] < columns
        assert len(window) <= 7


def test_blocks_are_whole_sentences() -> None:
    text = "One two three. Four five six.\n\nSeven eight. " + "A" * 60 + ". Nine."
    parts = [text[start:end] for start, end in cut_blocks(text, "en", 30)]
    assert parts == ["One two three. Four five six.", "Seven eight.", "A" * 60 + ".", "Nine."]
    chinese = "他走了。她来了。天黑了。"
    assert [chinese[slice(*block)] for block in cut_blocks(chinese, "zh", 8)] == ["他走了。她来了。", "天黑了。"]
    assert cut_blocks("", "en", 10) == []


@pytest.mark.parametrize(
    ("query", "texts"),
    [
        ("沈玉兰把一匹枣红马卖给周大海。", ["林秋生到码头去了，天下着雨。", "周大海买下沈玉兰的枣红马。"]),
        ("Clara sold the brass clock.", ["The rain fell all night on the harbour.", "It was Clara's brass clock."]),
    ],
)
def test_character_runs_find_what_shares_names(query: str, texts: list[str]) -> None:
    embedder = NgramEmbedder()
    scores = embedder.embed([query]) @ embedder.embed(texts).T
    assert scores[0, 1] > scores[0, 0]
    assert np.allclose(np.linalg.norm(embedder.embed(texts), axis=1), 1)
    assert embedder.embed(["", "…"]).tolist() == np.zeros((2, 4096)).tolist()
