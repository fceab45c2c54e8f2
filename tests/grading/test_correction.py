"""Shares corrected for a judge that errs."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.core.estimate import Estimate
from longreach.grading.judge.audit import combined_share, corrected_share
from longreach.stats.intervals import wilson


def test_the_point_by_hand() -> None:
    # (0.62 + 0.8 - 1) / (0.9 + 0.8 - 1) = 0.42 / 0.7
    corrected = corrected_share(wilson(62, 100), wilson(90, 100), wilson(80, 100))
    assert corrected is not None
    assert corrected.value == pytest.approx(0.6)
    assert corrected.low < 0.6 < corrected.high
    assert corrected.n == 100


def test_the_interval_by_hand() -> None:
    # Softened rates 91/102 and 81/102, softened share 63.92/103.84 = 0.61556, corrected 0.59696; variances 0.002279
    # (share), 0.000336 (sensitivity), 0.000260 (specificity); half width 1.96 x 0.05362 / 0.68627 = 0.15315 around
    # 0.59696 - 0.00064.
    corrected = corrected_share(wilson(62, 100), wilson(90, 100), wilson(80, 100))
    assert corrected is not None
    assert corrected.low == pytest.approx(0.4432, abs=5e-5)
    assert corrected.high == pytest.approx(0.7495, abs=5e-5)


def test_a_perfect_judge_changes_nothing_but_the_doubt() -> None:
    observed = wilson(30, 40)
    corrected = corrected_share(observed, wilson(200, 200), wilson(200, 200))
    assert corrected is not None
    assert corrected.value == observed.value
    assert corrected.high - corrected.low >= observed.high - observed.low


def test_shares_stay_shares() -> None:
    low = corrected_share(wilson(2, 100), wilson(90, 100), wilson(90, 100))
    high = corrected_share(wilson(99, 100), wilson(90, 100), wilson(90, 100))
    assert low is not None
    assert high is not None
    assert (low.value, low.low) == (0, 0)
    assert (high.value, high.high) == (1, 1)


@pytest.mark.parametrize(("right", "wrong"), [(50, 50), (30, 60), (0, 100)])
def test_a_judge_no_better_than_a_coin_corrects_nothing(right: int, wrong: int) -> None:
    assert corrected_share(wilson(50, 100), wilson(right, 100), wilson(wrong, 100)) is None


def test_a_wider_observed_interval_is_kept_wide() -> None:
    observed = wilson(62, 100)
    clustered = Estimate(value=0.62, low=0.4, high=0.84, n=100)
    narrow = corrected_share(observed, wilson(90, 100), wilson(80, 100))
    wide = corrected_share(clustered, wilson(90, 100), wilson(80, 100))
    assert narrow is not None
    assert wide is not None
    assert wide.value == pytest.approx(narrow.value)
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


@pytest.mark.parametrize(
    ("share", "se", "sp", "n", "audited"),
    [(0.5, 0.9, 0.9, 100, 60), (0.8, 0.95, 0.85, 200, 40), (0.1, 0.8, 0.95, 60, 60), (0.95, 0.9, 0.9, 300, 30)],
)
def test_the_interval_holds_the_truth_nineteen_times_in_twenty(
    share: float, se: float, sp: float, n: int, audited: int
) -> None:
    rng = np.random.default_rng(7)
    seen = share * se + (1 - share) * (1 - sp)
    held = 0
    for _ in range(1000):
        corrected = corrected_share(
            wilson(int(rng.binomial(n, seen)), n),
            wilson(int(rng.binomial(audited, se)), audited),
            wilson(int(rng.binomial(audited, sp)), audited),
        )
        held += corrected is not None and corrected.low <= share <= corrected.high
    assert 935 <= held <= 995


def test_two_groups_make_one_share() -> None:
    first = Estimate(value=0.9, low=0.8, high=0.95, n=30)
    second = Estimate(value=0.5, low=0.3, high=0.7, n=10)
    both = combined_share(first, second)
    assert both is not None
    assert both.value == pytest.approx(0.8)
    assert both.low == pytest.approx(0.8 - (0.075**2 + 0.05**2) ** 0.5)
    assert both.high == pytest.approx(0.8 + (0.0375**2 + 0.05**2) ** 0.5)
    assert both.n == 40
    assert combined_share(first, None) == first
    assert combined_share(None, None) is None
