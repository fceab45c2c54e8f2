"""The drops that `plan` promises come out in 80 % of simulated runs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.present import some

from longreach.api import build
from longreach.core.bench import Bench
from longreach.stats.power import powers

RUNS = 20_000
Z = 1.96


def shown(before: float, after: float, answers: int) -> float:
    """The share of runs in which a drop between two lengths is clear, with independent answers."""
    rng = np.random.default_rng(answers)
    one, two = rng.binomial(answers, before, RUNS) / answers, rng.binomial(answers, after, RUNS) / answers
    error = np.sqrt((one * (1 - one) + two * (1 - two)) / answers)
    return float(np.mean(one - two > Z * error))


@pytest.mark.parametrize("drop", [0.05, 0.1, 0.2, 0.3])
def test_a_wanted_drop_shows_in_about_80_percent_of_runs_with_the_answers_that_a_plan_asks_for(
    drop: float, bench: Bench
) -> None:
    needed = some(powers(bench, detect=drop)[0].needed_questions)
    assert 0.77 <= shown(0.85, 0.85 - drop, needed) <= 0.84
    assert shown(0.85, 0.85 - drop, needed // 2) < 0.6, "with half of them it does not"


@pytest.mark.parametrize("depths", ["0..100/5", "0..100/2"])
def test_the_smallest_drop_of_a_plan_shows_in_about_80_percent_of_runs(depths: str, tmp_path: Path) -> None:
    settings: dict[str, Any] = {"lengths": "1k,2k", "depths": depths, "facts": 2, "sets": 20, "prompts": "standard"}
    power = powers(build("needles", tmp_path / "b", warn=lambda _: None, **settings))[0]
    answers = round(power.effective)
    assert 0.77 <= shown(0.85, 0.85 - power.drop, answers) <= 0.84
    assert shown(0.85, 0.85 - power.drop / 2, answers) < 0.4
