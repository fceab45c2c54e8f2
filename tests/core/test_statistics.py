"""Intervals against hand-computed values, and what must hold for any data."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longreach.core.estimate import Sample
from longreach.errors import BadInput
from longreach.stats.intervals import bootstrap_mean, effective_length, paired_difference, pooled_mean, spread, wilson


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [
        (0, 10, 0.0, 0.27753),
        (8, 10, 0.49016, 0.94332),
        (10, 10, 0.72247, 1.0),
        (1, 1, 0.20655, 1.0),
        (50, 100, 0.40383, 0.59617),
        (81, 263, 0.2553, 0.3662),  # these three: Newcombe 1998, method 3
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
    ],
)
def test_wilson_known_values(right: int, n: int, low: float, high: float) -> None:
    found = wilson(right, n)
    assert found.value == right / n
    assert found.low == pytest.approx(low, abs=5.1e-5)
    assert found.high == pytest.approx(high, abs=5.1e-5)


@pytest.mark.parametrize(("right", "n"), [(1, 0), (3, 2), (-1, 4)])
def test_wilson_refuses_what_is_no_share(right: int, n: int) -> None:
    with pytest.raises(BadInput, match=f"{right} right of {n}"):
        wilson(right, n)


@given(st.integers(1, 500).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_holds_its_value_and_is_symmetric(case: tuple[int, int]) -> None:
    right, n = case
    found, mirrored = wilson(right, n), wilson(n - right, n)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found.low == pytest.approx(1 - mirrored.high)
    assert wilson(2 * right, 2 * n).high - wilson(2 * right, 2 * n).low < found.high - found.low


def test_bootstrap_resamples_whole_clusters() -> None:
    # Two stories, one all right and one all wrong: the mean of a resample is 0, 1/2 or 1, so the interval is all of it.
    values = [1.0] * 50 + [0.0] * 50
    together = bootstrap_mean(values, ["a"] * 50 + ["b"] * 50)
    alone = bootstrap_mean(values, [str(i) for i in range(100)])
    assert (together.low, together.high) == (0.0, 1.0)
    assert alone.low == pytest.approx(0.40, abs=0.03)
    assert alone.high == pytest.approx(0.60, abs=0.03)


def test_bootstrap_weighs_clusters_by_their_size() -> None:
    found = bootstrap_mean([1.0, 1.0, 1.0, 0.0], ["a", "a", "a", "b"])
    assert found.value == 0.75
    assert found.n == 4


def test_bootstrap_is_seeded() -> None:
    values = np.random.default_rng(3).random(60).tolist()
    clusters = [str(i // 4) for i in range(60)]
    assert bootstrap_mean(values, clusters) == bootstrap_mean(values, clusters)
    assert bootstrap_mean(values, clusters, seed=1) != bootstrap_mean(values, clusters, seed=2)


def test_many_clusters_fit_in_memory_bounds() -> None:
    values = [float(i % 2) for i in range(30_000)]
    found = bootstrap_mean(values, [str(i) for i in range(30_000)], resamples=100)
    assert found.low < 0.5 < found.high
    assert found.high - found.low == pytest.approx(4 * 0.5 / 30_000**0.5, rel=0.4)


def test_bootstrap_wants_a_cluster_for_each_value() -> None:
    with pytest.raises(BadInput, match="2 values in 1 clusters"):
        bootstrap_mean([1.0, 0.0], ["a"])


def test_pooled_mean_is_never_sure_after_unanimous_stories() -> None:
    found = pooled_mean([1.0] * 10, [str(i) for i in range(10)])
    assert (found.low, found.high) == (wilson(10, 10).low, 1.0)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from("abcd")), min_size=1, max_size=40))
def test_pooled_mean_covers_both_intervals(data: list[tuple[float, str]]) -> None:
    values, clusters = [value for value, _ in data], [cluster for _, cluster in data]
    found, narrow = pooled_mean(values, clusters), bootstrap_mean(values, clusters)
    assert 0 <= found.low <= min(found.value, narrow.low)
    assert max(found.value, narrow.high) <= found.high <= 1


def test_paired_difference_by_hand() -> None:
    # 8 pairs: 3 better, 1 worse. Agresti and Min: (3 - 1) / 10 -+ 1.96 * sqrt(4 + 1 - 4 / 10) / 10.
    found = paired_difference([1, 1, 1, 0, 1, 1, 0, 0], [0, 0, 0, 1, 1, 1, 0, 0])
    assert found.value == 0.25
    assert found.low == pytest.approx(0.2 - 1.959964 * 4.6**0.5 / 10)
    assert found.high == pytest.approx(0.2 + 1.959964 * 4.6**0.5 / 10)
    assert found.n == 8


def test_paired_difference_of_equals_is_zero_but_not_certain() -> None:
    found = paired_difference([1.0, 0.0], [1.0, 0.0])
    assert found.value == 0
    assert found.low < 0 < found.high


def test_paired_difference_widens_with_clusters() -> None:
    first, second = [1.0] * 40 + [0.0] * 40, [0.0] * 40 + [0.0] * 40
    loose = paired_difference(first, second)
    tied = paired_difference(first, second, ["a"] * 40 + ["b"] * 40)
    assert tied.high - tied.low > loose.high - loose.low


def test_paired_difference_wants_pairs() -> None:
    with pytest.raises(BadInput, match="2 and 1 values"):
        paired_difference([1.0, 0.0], [1.0])


def _sample(right: int, n: int, asked: int | None = None) -> Sample:
    values = tuple([1.0] * right + [0.0] * (n - right))
    return Sample(values=values, clusters=tuple(str(i) for i in range(n)), asked=asked or n)


@pytest.mark.parametrize(
    ("rights", "expected"),
    [
        ((100, 100, 100), 4000),
        ((100, 85, 20), 2000),  # exactly the threshold holds
        ((100, 84, 100), 1000),  # a dip ends it, whatever comes after
        ((60, 52, 51), 4000),  # 51 is 85 % of 60
        ((60, 52, 50), 2000),
        ((0, 0, 0), 0),  # nothing is not a score to keep
    ],
)
def test_effective_length_rule(rights: tuple[int, ...], expected: float) -> None:
    lengths = (1000.0, 2000.0, 4000.0)
    found = effective_length({x: _sample(k, 100) for x, k in zip(lengths, rights, strict=True)})
    assert found.length == expected
    assert found.low <= found.length <= found.high


def test_effective_length_threshold_is_settable() -> None:
    samples = {1000.0: _sample(100, 100), 2000.0: _sample(60, 100)}
    assert effective_length(samples, 0.85).length == 1000
    assert effective_length(samples, 0.5).length == 2000
    with pytest.raises(BadInput, match="threshold 85"):
        effective_length(samples, 85)


def test_effective_length_interval_shows_a_close_call() -> None:
    close = effective_length({1000.0: _sample(20, 20), 2000.0: _sample(17, 20), 4000.0: _sample(2, 20)})
    clear = effective_length({1000.0: _sample(20, 20), 2000.0: _sample(20, 20), 4000.0: _sample(2, 20)})
    assert (close.length, close.low, close.high) == (2000, 1000, 2000)
    assert (clear.length, clear.low, clear.high) == (2000, 2000, 2000)


def test_effective_length_does_not_trust_mostly_unscored_lengths() -> None:
    samples = {1000.0: _sample(10, 10), 2000.0: _sample(4, 4, asked=10), 4000.0: _sample(10, 10)}
    assert effective_length(samples).length == 1000
    blind = effective_length({1000.0: _sample(0, 0, asked=10), 2000.0: _sample(10, 10)})
    assert (blind.length, blind.base) == (0, None)


def test_effective_length_wants_a_length() -> None:
    with pytest.raises(BadInput, match="no length"):
        effective_length({})


def test_spread_names_best_and_worst() -> None:
    found = spread({"uniform": _sample(9, 10), "normal": _sample(5, 10), "arcsine": _sample(7, 10)})
    assert found is not None
    assert (found.best, found.worst) == ("uniform", "normal")
    assert found.difference.value == pytest.approx(0.4)
    assert found.difference.low < 0.4 < found.difference.high
    assert spread({"uniform": _sample(9, 10), "normal": _sample(0, 0, asked=5)}) is None


def test_the_spread_of_unanimous_groups_is_not_certain() -> None:
    one = Sample(values=(1.0,) * 10, clusters=tuple("abcdefghij"), asked=10)
    other = Sample(values=(0.0,) * 10, clusters=tuple("abcdefghij"), asked=10)
    found = spread({"one": one, "other": other})
    assert found is not None
    gap = found.difference
    # Wilson for 10 of 10 begins at 0.7225, so Newcombe's bound is 1 - sqrt(2) * 0.2775.
    assert (gap.value, gap.high) == (1.0, 1.0)
    assert gap.low == pytest.approx(1 - 2**0.5 * 0.27753, abs=1e-4)
