"""Likeness of texts: values worked out by hand, and what must hold for all texts."""

from __future__ import annotations

import random
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.families.verbatim.grade import (
    best_matches,
    corrected,
    mean,
    ratio,
    semantic,
    similarity,
    similarity_and_ratio,
)

TEXTS = st.text(alphabet="ab1２é。\r\n ", max_size=12)


def plain_distance(one: str, other: str, replace: int) -> int:
    """The textbook programme, one row at a time."""
    row = list(range(len(other) + 1))
    for i, left in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, right in enumerate(other, 1):
            before, row[j] = (
                row[j],
                min(row[j] + 1, row[j - 1] + 1, before + (0 if left == right else replace)),
            )
    return row[-1]


@pytest.mark.parametrize(
    ("one", "other", "alike", "even"),
    [
        ("", "", 1, 1),
        ("abc", "", 0, 0),
        ("abc", "abc", 1, 1),
        ("abc", "xyz", 3 / 6, 0),  # three replacements
        ("kitten", "sitting", 10 / 13, 8 / 13),  # k-s, e-i, +g
        ("123456789", "123456780", 17 / 18, 16 / 18),
        ("123456789", "１２３456789", 15 / 18, 12 / 18),  # full-width digits are other characters
        ("a\r\nb", "a\nb", 6 / 7, 6 / 7),
        ("abab", "ab", 4 / 6, 4 / 6),  # an answer twice as long
        ("他去了。", "他走了。", 7 / 8, 6 / 8),
    ],
)
def test_by_hand(one: str, other: str, alike: float, even: float) -> None:
    assert similarity(one, other) == pytest.approx(alike)
    assert ratio(one, other) == pytest.approx(even)


def test_another_unicode_form_is_another_text() -> None:
    composed, apart = unicodedata.normalize("NFC", "café"), unicodedata.normalize("NFD", "café")
    assert composed != apart
    # e with its accent against e and an accent: one replacement and one more character.
    assert similarity(composed, apart) == pytest.approx(7 / 9)


@given(TEXTS, TEXTS)
def test_what_holds_for_all_texts(one: str, other: str) -> None:
    total = len(one) + len(other)
    for measure, replace in ((similarity, 1), (ratio, 2)):
        value = measure(one, other)
        assert value == measure(other, one)
        assert 0 <= value <= 1
        assert (value == 1) == (one == other)
        expected = (total - plain_distance(one, other, replace)) / total if total else 1
        assert value == pytest.approx(expected)
    assert similarity_and_ratio(one, other) == (similarity(one, other), ratio(one, other))
    assert ratio(one, other) <= similarity(one, other)
    assert measure(one + one, one) == pytest.approx(2 / 3 if one else 1)


@pytest.mark.parametrize("edits", [0, 1, 3, 8, 200])
def test_long_texts_near_each_other(edits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Long enough for the quick way along the diagonal."""
    monkeypatch.setattr("longreach.families.verbatim.grade._LOOK", 50)
    rng = random.Random(edits)
    one = ", ".join(str(rng.randrange(10**8, 10**9)) for _ in range(30))
    other = list(one)
    for _ in range(edits):
        place = rng.randrange(len(other))
        other[place : place + 1] = rng.choice(["", "7", "77"])
    text = "".join(other)
    total = len(one) + len(text)
    expected = tuple(1 - plain_distance(one, text, replace) / total for replace in (1, 2))
    assert similarity_and_ratio(one, text) == pytest.approx(expected)
    assert similarity_and_ratio(one, text) == (similarity(one, text), ratio(one, text))


def test_corrected_is_0_for_the_input_and_1_for_the_truth() -> None:
    assert corrected(0.66, 0.66) == 0
    assert corrected(1, 0.66) == 1
    assert corrected(0.83, 0.66) == pytest.approx(0.5)
    assert corrected(0.33, 0.66) == pytest.approx(-33 / 34)
    assert corrected(1, 1) is None


def test_best_matches_by_hand() -> None:
    alike, even = best_matches(["abc", "xyz", "kitten"], ["sitting", "abc", "xyz!", "abc"])
    assert alike == pytest.approx([1, 6 / 7, 10 / 13])
    assert even == pytest.approx([1, 6 / 7, 8 / 13])
    assert mean(alike) == pytest.approx((1 + 6 / 7 + 10 / 13) / 3)
    assert best_matches(["abc"], [])[0].tolist() == [0]
    assert mean(np.zeros(0)) == 0


@given(st.lists(TEXTS, min_size=1, max_size=5), st.lists(TEXTS, min_size=1, max_size=5), st.randoms())
def test_best_matches_are_the_best_of_all_pairs(truths: list[str], answers: list[str], rng: random.Random) -> None:
    alike, even = best_matches(truths, answers)
    assert alike == pytest.approx([max(similarity(truth, answer) for answer in answers) for truth in truths])
    assert even == pytest.approx([max(ratio(truth, answer) for answer in answers) for truth in truths])
    mixed = list(answers)
    rng.shuffle(mixed)
    assert best_matches(truths, mixed + answers)[0].tolist() == alike.tolist()


def test_many_answers_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    truths, answers = [f"{n:05}x" for n in range(30)], [f"{n:05}y" for n in range(40)]
    whole = best_matches(truths, answers)
    monkeypatch.setattr("longreach.families.verbatim.grade._PAIRS", 100)
    assert [each.tolist() for each in best_matches(truths, answers)] == [each.tolist() for each in whole]


def test_meaning() -> None:
    pytest.importorskip("wordllama")
    text = "The harbour was full of ships. Sailors sang on the quay."
    assert semantic(text, text) == pytest.approx(1, abs=1e-5)
    near, far = semantic(text, "Ships filled the port and the seamen sang."), semantic(text, "Add two eggs and flour.")
    assert near is not None
    assert far is not None
    assert near > far + 0.2


def test_meaning_is_left_out_without_an_embedder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longreach.families.verbatim.grade._embedder", lambda: None)
    assert semantic("a", "b") is None
