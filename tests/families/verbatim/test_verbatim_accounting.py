"""Item accounting and order: values worked out by hand, and what must hold for all lists."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.families.verbatim.grade import KINDS, account, kendall_tau, longest_run

LISTS = st.lists(st.sampled_from(["123456789", "123456780", "987654321", "555", "１２３456789", "x"]), max_size=8)


def test_every_kind_by_hand() -> None:
    truth = ["111111111", "222222222", "333333333", "444444444", "444444444"]
    written = ["222222222", "333333330", "444444444", "222222222", "999999999", "444444444"]
    found = account(truth, written)
    assert found.kept == ((0, 1), (2, 3), (5, 4))
    assert found.altered == (("333333333", "333333330"),)
    assert found.lost == ("111111111",)
    assert found.duplicated == ("222222222",)
    assert found.invented == ("999999999",)
    assert [found.count(kind) for kind in KINDS] == [3, 1, 1, 1, 1]


def test_what_counts_as_altered() -> None:
    def altered(true: str, written: str) -> bool:
        return bool(account([true], [written]).altered)

    assert altered("123456789", "123456780")  # one digit: 16/18
    assert altered("123456789", "123456798")  # neighbours swapped: 16/18
    assert not altered("123456789", "123456700")  # two digits: 14/18
    assert altered("123456789", "12345678")
    assert not altered("12345", "１２345")
    assert altered("caf\u00e9 noir", "cafe\u0301 noir")


def test_the_most_alike_are_paired_first() -> None:
    found = account(["abcdefghij", "abcdefghiX"], ["abcdefghiX?", "abcdefghi"])
    # "abcdefghiX?" is 20/21 like the second, 18/21 like the first; "abcdefghi" is 18/19 like both.
    assert found.altered == (("abcdefghij", "abcdefghi"), ("abcdefghiX", "abcdefghiX?"))


@given(LISTS, LISTS)
def test_every_item_is_counted_once(truth: list[str], written: list[str]) -> None:
    found = account(truth, written)
    counts = {kind: found.count(kind) for kind in KINDS}
    assert counts["kept"] + counts["altered"] + counts["lost"] == len(truth) == found.given
    assert counts["kept"] + counts["altered"] + counts["duplicated"] + counts["invented"] == len(written)
    assert all(truth[true] == written[place] for place, true in found.kept)
    assert account(truth, written) == found


@given(LISTS, st.randoms())
def test_a_permutation_keeps_everything(truth: list[str], rng: random.Random) -> None:
    mixed = list(truth)
    rng.shuffle(mixed)
    found = account(truth, mixed)
    assert (len(found.kept), found.written) == (len(truth), len(truth))
    same = account(truth, truth)
    assert [place for _, place in same.kept] == list(range(len(truth)))
    assert longest_run(same.kept) == len(truth)


@given(LISTS)
def test_an_answer_twice_as_long_and_an_empty_one(truth: list[str]) -> None:
    twice = account(truth, truth + truth)
    assert (twice.count("kept"), twice.count("duplicated"), twice.count("lost")) == (len(truth), len(truth), 0)
    assert account(truth, []).lost == tuple(truth)
    assert account([], truth).invented == tuple(truth)


def test_many_strange_items_are_compared_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    truth, written = [f"{n:09}" for n in range(40)], [f"{n:09}x" for n in range(50)]
    whole = account(truth, written)
    assert whole.count("altered") == 40
    monkeypatch.setattr("longreach.families.verbatim.grade._PAIRS", 60)
    assert account(truth, written) == whole


@pytest.mark.parametrize(
    ("places", "tau"),
    [([], None), ([3], None), ([0, 1, 2], 1), ([2, 1, 0], -1), ([1, 0], -1), ([0, 2, 1], 1 / 3), ([1, 2, 0], -1 / 3)],
)
def test_tau_by_hand(places: list[int], tau: float | None) -> None:
    assert kendall_tau(places) == (tau if tau is None else pytest.approx(tau))


@given(st.permutations(range(12)))
def test_tau_counts_inversions(places: list[int]) -> None:
    wrong = sum(one > other for one, other in combinations(places, 2))
    tau, back = kendall_tau(places), kendall_tau(places[::-1])
    assert tau == pytest.approx(1 - 2 * wrong / 66)
    assert back == pytest.approx(-(tau or 0))


@pytest.mark.parametrize(
    ("kept", "run"),
    [
        ([], 0),
        ([(0, 4)], 1),
        ([(0, 0), (1, 1), (2, 2)], 3),
        ([(0, 0), (1, 1), (3, 2)], 2),  # something else was written between
        ([(0, 0), (1, 2), (2, 3), (3, 4), (4, 1)], 3),
        ([(0, 2), (1, 1), (2, 0)], 1),
    ],
)
def test_longest_run_by_hand(kept: list[tuple[int, int]], run: int) -> None:
    assert longest_run(kept) == run
