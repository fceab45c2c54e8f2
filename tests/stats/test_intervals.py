"""Intervals against known values, and what must hold for any data. That they cover is shown in tests/validity."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.present import some

from longreach.core.types import Estimate
from longreach.errors import BadInput
from longreach.stats.intervals import (
    Sample,
    balanced_mean,
    contrast,
    difference_estimate,
    mean_estimate,
    paired_difference,
    spread,
    student,
    wilson,
)


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


def grid(values: list[list[float]], lengths: list[int] | None = None) -> Sample:
    """Rows are contexts, columns questions."""
    flat = [value for context in values for value in context]
    places = [(context, question) for context, row in enumerate(values) for question in range(len(row))]
    return Sample.of(
        flat,
        [question for _, question in places],
        [context for context, _ in places],
        strata=[lengths[context] for context, _ in places] if lengths else None,
    )


def width(estimate: Estimate) -> float:
    return estimate.high - estimate.low


def test_independent_answers_have_nearly_wilsons_interval() -> None:
    values = [1.0] * 60 + [0.0] * 40
    found, plain = mean_estimate(Sample.of(values)), wilson(60, 100)
    assert (found.value, found.n) == (0.6, 100)
    assert found.low == pytest.approx(plain.low, abs=0.01)
    assert found.high == pytest.approx(plain.high, abs=0.01)


def test_ten_questions_asked_ten_times_are_worth_little_more_than_ten() -> None:
    always = [[float(question < 6) for question in range(10)] for _ in range(10)]
    found = mean_estimate(grid(always))
    assert width(found) > 0.8 * width(wilson(6, 10))
    assert width(found) > 2.5 * width(wilson(60, 100))


def test_contexts_that_fail_as_a_whole_widen_it_too() -> None:
    whole = [[float(context < 6)] * 10 for context in range(10)]
    assert width(mean_estimate(grid(whole))) > 2.5 * width(wilson(60, 100))


def test_a_difference_between_lengths_is_no_uncertainty() -> None:
    rng = np.random.default_rng(1)
    values = [(rng.random(10) < (0.9 if context < 10 else 0.1)).astype(float).tolist() for context in range(20)]
    lengths = [context // 10 for context in range(20)]
    assert width(mean_estimate(grid(values, lengths))) < 0.8 * width(mean_estimate(grid(values)))


def test_sets_that_differ_widen_it_where_there_are_enough_of_them() -> None:
    values = [float(n // 10 < 6) for n in range(100)]
    alone = Sample.of(values)
    in_sets = Sample.of(values, groups=([n // 10 for n in range(100)],))
    in_two = Sample.of(values, groups=([n // 50 for n in range(100)],))
    assert width(mean_estimate(in_sets)) > 2 * width(mean_estimate(alone))
    assert width(mean_estimate(in_two)) == width(mean_estimate(alone))


def test_unanimous_answers_are_never_certain() -> None:
    found = mean_estimate(grid([[1.0] * 10] * 10))
    assert found.high == 1
    assert wilson(10, 10).low < found.low < wilson(100, 100).low
    none = mean_estimate(grid([[0.0] * 10] * 10))
    assert none.high == pytest.approx(1 - found.low)


def test_partial_credit_uses_its_own_spread() -> None:
    rng = np.random.default_rng(2)
    close = mean_estimate(Sample.of((0.8 + 0.02 * rng.standard_normal(20)).tolist()))
    assert width(close) < 0.08
    assert 0 <= close.low < close.value < close.high <= 1


def test_labels_must_match_values() -> None:
    with pytest.raises(BadInput, match="2 values but 1 labels"):
        Sample.of([1.0, 0.0], ["a"])
    with pytest.raises(BadInput, match="no value"):
        mean_estimate(Sample.of([]))


@pytest.mark.parametrize(("df", "t"), [(1, 12.706), (2, 4.3027), (3, 3.1824), (5, 2.5706), (9, 2.2622), (30, 2.0423)])
def test_students_quantiles(df: float, t: float) -> None:
    assert student(df) == pytest.approx(t, rel=0.004)


@given(
    st.lists(
        st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.sampled_from("abcd"), st.sampled_from("wxyz"), st.booleans()),
        min_size=1,
        max_size=40,
    )
)
def test_an_interval_holds_its_value_for_any_data(data: list[tuple[float, str, str, bool]]) -> None:
    values, questions, contexts, lengths = zip(*data, strict=True)
    sample = Sample.of(values, questions, contexts, strata=lengths)
    found = mean_estimate(sample)
    assert 0 <= found.low <= found.value <= found.high <= 1
    assert found == mean_estimate(sample)
    gap = difference_estimate(sample.with_values(sample.values - 0.5))
    assert -1 <= gap.low <= gap.value <= gap.high <= 1


def test_paired_difference_of_many_pairs() -> None:
    # 400 pairs, 60 better and 20 worse: 0.1 +- 1.96 * sqrt((60 + 20) / 400 - 0.01) / 20, and next to nothing more.
    found = paired_difference([1] * 60 + [0] * 340, [0] * 60 + [1] * 20 + [0] * 320)
    assert found.value == pytest.approx(0.1)
    half = 1.959964 * (0.2 - 0.01) ** 0.5 / 20
    assert found.low == pytest.approx(0.1 - half, abs=0.004)
    assert found.high == pytest.approx(0.1 + half, abs=0.004)
    assert found.n == 400


def test_paired_difference_of_equals_is_zero_but_not_certain() -> None:
    found = paired_difference([1.0, 0.0], [1.0, 0.0])
    assert found.value == 0
    assert found.low < 0 < found.high


def test_paired_difference_widens_where_pairs_share_a_question() -> None:
    first, second = [1.0] * 40 + [0.0] * 40, [0.0] * 80
    loose = paired_difference(first, second)
    shared = Sample.of([0.0] * 80, [n // 10 for n in range(80)])
    assert width(paired_difference(first, second, shared)) > 1.5 * width(loose)


def test_paired_difference_wants_pairs() -> None:
    with pytest.raises(BadInput, match="2 and 1 values"):
        paired_difference([1.0, 0.0], [1.0])


def parted(**right: int) -> tuple[Sample, list[str]]:
    """Ten answers per name, some right."""
    values = [float(n < count) for count in right.values() for n in range(10)]
    return Sample.of(values), [name for name in right for _ in range(10)]


def test_a_contrast_of_shared_questions_is_narrower() -> None:
    easy = [float(n < 50) for n in range(100)]
    hard = [float(n < 40) for n in range(100)]
    both = Sample.of([*easy, *hard], [n % 100 for n in range(200)], strata=[n // 100 for n in range(200)])
    first, second = both.at(np.arange(100)), both.at(np.arange(100, 200))
    apart = Sample.of([*easy, *hard], strata=[n // 100 for n in range(200)])
    shared = contrast(first, second)
    alone = contrast(apart.at(np.arange(100)), apart.at(np.arange(100, 200)))
    assert shared.value == alone.value == pytest.approx(0.1)
    assert width(shared) < 0.7 * width(alone)
    assert contrast(first, second, 0.5).value == pytest.approx(0.3)


def test_spread_names_best_and_worst() -> None:
    found = some(spread(*parted(uniform=9, normal=5, arcsine=7)))
    assert (found.best, found.worst) == ("uniform", "normal")
    assert found.difference.value == pytest.approx(0.4)
    assert found.difference.low < 0.4 < found.difference.high
    assert spread(*parted(uniform=9)) is None


def test_the_lower_end_of_a_spread_allows_for_the_choice_of_the_two() -> None:
    two, nine = spread(*parted(a=9, i=3)), spread(*parted(a=9, b=5, c=5, d=6, e=6, f=6, g=7, h=7, i=3))
    assert two is not None
    assert nine is not None
    assert two.difference.low > 0 > nine.difference.low
    assert two.difference.high == nine.difference.high


def test_balanced_accuracy_weighs_both_classes_equally() -> None:
    sides = np.repeat([0, 1], [40, 10])
    found = balanced_mean(Sample.of([1.0] * 30 + [0.0] * 10 + [1.0] * 2 + [0.0] * 8), sides)
    assert found.value == pytest.approx((0.75 + 0.2) / 2)
    even = balanced_mean(Sample.of([1.0] * 30 + [0.0] * 10 + [1.0] * 8 + [0.0] * 32), np.repeat([0, 1], 40))
    assert width(even) < width(found), "more answers on the smaller side say more"


def test_the_spread_of_unanimous_groups_is_not_certain() -> None:
    found = some(spread(*parted(one=10, other=0)))
    assert (found.difference.value, found.difference.high) == (1.0, 1.0)
    assert 0.4 < found.difference.low < 1 - 2**0.5 * 0.27753  # at least as wide as for independent answers
