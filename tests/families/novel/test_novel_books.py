"""Documents cut into units, books split, and the probe that looks at style alone."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.present import some

from longreach.core.types import Document
from longreach.families.novel.books import Book, BookUnit, Version, book_of, sentences_of, split_books, wrong_version
from longreach.families.novel.leakage import FUNCTION_WORDS, failed_probes, place_probe, style_features, style_probe
from longreach.families.novel.samples import (
    Story,
    SummarySample,
    align,
    best_paragraph,
    candidate_stories,
    cut_blocks,
)
from longreach.models.embedders import NgramEmbedder
from longreach.models.tokenizers import get_tokenizer
from longreach.text.documents import built_in_documents

TOKENIZER = get_tokenizer("o200k_base")


@pytest.mark.parametrize("tokens", [200, 1000, 3000])
def test_units_are_near_the_size_and_lose_nothing(tokens: int) -> None:
    document = built_in_documents()[100]
    book = some(book_of(document, TOKENIZER, tokens, "en"))
    assert "".join("".join(unit.text.split()) for unit in book.units) == "".join(document.text.split())
    counts = [TOKENIZER.count(unit.text) for unit in book.units]
    assert all(0.6 * tokens <= count <= 1.4 * tokens for count in counts), counts
    assert [unit.name for unit in book.units] == [f"{n + 1:03}" for n in range(len(book.units))]


def test_a_document_that_holds_no_unit() -> None:
    assert book_of(Document.of("d", "Short. Very short."), TOKENIZER, 200, "en") is None
    whole = some(book_of(Document.of("d", "A sentence of seven words stands here. " * 20), TOKENIZER, 200, "en"))
    assert len(whole.units) == 1


def test_long_paragraphs_are_cut_between_sentences() -> None:
    text = "他早上出门去了码头，天还没有亮。" * 120
    book = some(book_of(Document.of("d", text, language="zh"), TOKENIZER, 300, "zh"))
    assert len(book.units) > 3
    assert all(unit.text.endswith("。") for unit in book.units)


@given(st.lists(st.integers(0, 99), unique=True, min_size=1), st.floats(0, 0.99), st.integers(0, 9))
def test_books_are_for_testing_or_for_training(books: list[int], share: float, seed: int) -> None:
    ids = [f"b{book}" for book in books]
    split = split_books(ids, share, seed)
    assert sorted(split["test"] + split["train"]) == sorted(ids)
    assert abs(len(split["train"]) - share * len(ids)) <= 0.5
    assert split_books(ids, share, seed) == split


def test_stories_share_no_unit_before_they_must() -> None:
    units = [
        BookUnit(book=book, name=str(n), language="en", text="x", summary="y") for book in ("a", "b") for n in range(9)
    ]
    books = [Book(id=name, language="en", units=tuple(u for u in units if u.book == name)) for name in ("a", "b")]
    tokens = {unit.id: 300 for unit in units}
    found = list(candidate_stories(books, tokens, 900, one_unit=False, rng=Random(1)))
    assert len(found) == len(set(found)) == 2 * 7
    apart = [(story.book, story.first + n) for story in found[:6] for n in range(story.count)]
    assert len(set(apart)) == len(apart) == 18, "the first six are side by side"
    assert {story.book for story in found[:2]} == {"a", "b"}, "books in turn"
    assert list(candidate_stories(books, tokens, 9000, one_unit=False, rng=Random(1))) == []
    ones = list(candidate_stories(books, tokens, 9000, one_unit=True, rng=Random(1)))
    assert {story.count for story in ones} == {1}
    assert len(ones) == 18


def test_the_paragraph_that_bears_a_sentence_out() -> None:
    text = "It rained all day.\n\nAda bought the brass clock for 40 crowns from Bertil.\n\nThe bell struck late."
    start, end = best_paragraph(text, "Bertil sold Ada a brass clock.", "en")
    assert text[start:end].startswith("Ada bought")
    chinese = "那天下雨。\n林秋生从沈玉兰手里买下枣红马。\n夜里狗叫。"
    start, end = best_paragraph(chinese, "沈玉兰卖马给林秋生。", "zh")
    assert chinese[start:end] == "林秋生从沈玉兰手里买下枣红马。"
    assert best_paragraph("One line", "nothing of it", "en") == (0, 8)


_FILLER = ["ada", "went", "home", "late", "again"]


def sentence(rng: Random, size: int = 0) -> str:
    return " ".join(rng.choices(_FILLER, k=size or rng.randrange(4, 9))).capitalize() + "."


def samples(count: int, rng: Random, *, telling: bool, units: int = 1) -> list[SummarySample]:
    """Pairs of random summaries of one or more units; `telling` gives the altered unit longer sentences."""
    made = []
    for number in range(count):
        book = f"b{number % 6}"
        own = tuple(
            BookUnit(book=book, name=f"{number}.{n}", language="en", text="x", summary="y") for n in range(units)
        )
        place = rng.randrange(units)
        for wrong in (True, False):
            texts = [" ".join(sentence(rng) for _ in "1234") for _ in own]
            if telling and wrong:
                texts[place] = f"{sentence(rng, 30)} {texts[place]}"
            versions = [Version(text=text, way="x") for text in texts]
            if wrong:
                first = sentences_of(texts[place], "en")[0]
                error = some(wrong_version(texts[place], first, type="event", correction="", reason="", way="x"))
                versions[place] = error
            name = f"S-{number:03}-{'h' if wrong else 'f'}"
            made.append(
                SummarySample(name, "S", Story(book, number, units), own, place, tuple(versions), "beginning", "y")
            )
    return made


def test_the_style_probe_sees_what_style_gives_away_and_nothing_else() -> None:
    plain = [style_probe(samples(40, Random(seed), telling=False), 0) for seed in range(8)]
    assert {(probe["n"], probe["by"]) for probe in plain} == {(80, "book")}
    assert 0.44 < sum(probe["accuracy"] for probe in plain) / len(plain) < 0.56
    loud = style_probe(samples(60, Random(3), telling=True), 0)
    assert loud["accuracy"] > 0.9
    assert loud["types"]["event"]["n"] == 120
    assert style_probe(samples(60, Random(3), telling=True), 0) == loud


def test_the_place_probe_finds_a_unit_that_is_worded_otherwise_and_no_other() -> None:
    plain = [place_probe(samples(40, Random(seed), telling=False, units=5), 0) for seed in range(8)]
    assert {(probe["n"], probe["by"], probe["chance"], probe["limit"]) for probe in plain} == {(40, "book", 0.2, 0.35)}
    assert 0.1 < sum(probe["accuracy"] for probe in plain) / len(plain) < 0.3
    loud = place_probe(samples(60, Random(3), telling=True, units=5), 0)
    assert loud["accuracy"] > 0.9
    assert place_probe(samples(9, Random(0), telling=True), 0)["accuracy"] is None, "one unit has one place"


def test_a_probe_beyond_its_limit_is_reported() -> None:
    for telling in (True, False):
        found = samples(60, Random(3), telling=telling, units=4)
        record = {"style_probe": style_probe(found, 0), "place_probe": place_probe(found, 0)}
        lines = failed_probes(record)
        assert [line.partition(":")[0] for line in lines] == ["style_probe", "style_probe", "place_probe"] * telling
        assert all("chance" in line and "limit" in line for line in lines)


def test_the_probe_needs_something_to_learn_from() -> None:
    probe = style_probe(samples(1, Random(0), telling=False), 0)
    assert (probe["accuracy"], probe["n"], probe["by"]) == (None, 2, "unit")


def test_features_are_in_order() -> None:
    for text, language in (("He did not go, because it rained.", "en"), ("他没有去，因为下雨。", "zh"), ("", "en")):
        assert len(style_features(text, language)) == 19 + 2 * len(FUNCTION_WORDS[language])
    english, words = style_features("He did not go, because it rained.", "en"), FUNCTION_WORDS["en"]
    assert english[1] == 1, "sentences"
    assert english[14] > 0, "negations"
    assert english[19 + words.index("because")] == pytest.approx(1 / 7)
    assert english[19 + len(words) + words.index("he")] == 1, "opens with it"
    chinese = style_features("因为下雨，他没有去。", "zh")[-len(FUNCTION_WORDS["zh"]) :]
    assert chinese[FUNCTION_WORDS["zh"].index("因为")] == 1


# The alignment of summary and story blocks, on cases worked out by hand.


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
    assert align(similar(20, {}, far, far))[1:] == [(0, 1, 2, 3, 4), (0, 1, 2, 3, 4, 5)], "in a window of seven"
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
    assert align(back, nearest=1)[-1] == (8, 9, 10, 11)


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
