"""The drops that `plan` promises come out in 80 % of simulated runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from longreach.stats.power import _both, _smallest

RUNS = 20_000
Z = 1.96


def shown(before: float, after: float, answers: int) -> float:
    """The share of runs in which a drop between two lengths is clear, with independent answers."""
    rng = np.random.default_rng(answers)
    one, two = rng.binomial(answers, before, RUNS) / answers, rng.binomial(answers, after, RUNS) / answers
    error = np.sqrt((one * (1 - one) + two * (1 - two)) / answers)
    return float(np.mean(one - two > Z * error))


@pytest.mark.parametrize("drop", [0.05, 0.1, 0.2, 0.3])
def test_a_wanted_drop_shows_in_about_80_percent_of_runs_with_the_answers_that_a_plan_asks_for(drop: float) -> None:
    needed = math.ceil(_both(drop) * ((1.959964 + 0.841621) / drop) ** 2)
    assert 0.77 <= shown(0.85, 0.85 - drop, needed) <= 0.84
    assert shown(0.85, 0.85 - drop, needed // 2) < 0.6, "with half of them it does not"


@pytest.mark.parametrize("answers", [25, 60, 200, 1000])
def test_the_smallest_drop_of_a_plan_shows_in_about_80_percent_of_runs(answers: int) -> None:
    drop = _smallest(answers)
    assert 0.77 <= shown(0.85, 0.85 - drop, answers) <= 0.84
    assert shown(0.85, 0.85 - drop / 2, answers) < 0.4
