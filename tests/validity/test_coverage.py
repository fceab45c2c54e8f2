"""95 % intervals hold the truth in 93 to 98 % of runs, whatever the product prints: quick here, 300 runs per truth in
the long series (`make test-all`)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.validity.simulations import (
    CHECKS,
    GATES,
    LEVELS,
    PRINTED,
    REACH,
    SIMULATIONS,
    WHOLE,
    coverage,
    world,
)
from tests.validity.worlds import DESIGNS, Design, Rng, World, expected

import longreach
from longreach.core.types import EffectiveLength, Estimate
from longreach.stats.headline import effective_length, keeps_level
from longreach.stats.intervals import Sample, mean_estimate

RUNS = 300
# Of 300 runs at 93 %, one in a hundred falls below 0.895 by chance; the mean over truths is held to more.
_LEAST, _MEAN = 0.895, 0.93
_MAKES = re.compile(
    r"(?<!def )\b(?:mean_estimate|mean_score|difference_estimate|paired_difference|contrast|balanced_mean|spread|"
    r"wilson|corrected_share|combined_share|effective_length|keeps_level)\(|(?<!class )\b(?:Estimate|EffectiveLength)\("
)


def test_every_module_that_computes_an_interval_names_its_simulation() -> None:
    source = Path(longreach.__file__).parent
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if _MAKES.search(path.read_text(encoding="utf-8")) and path.name != "intervals.py"
    }
    assert found == set(PRINTED)
    named = {start for starts in PRINTED.values() for start in starts} - {REACH, CHECKS, GATES}
    assert all(any(name.startswith(start) for name in SIMULATIONS) for start in named)
    assert all(any(name.startswith(start) for start in named) for name in SIMULATIONS)


@pytest.mark.long
@pytest.mark.parametrize("name", SIMULATIONS)
def test_every_interval_covers(name: str) -> None:
    shares = [coverage(SIMULATIONS[name], level, RUNS) for level in LEVELS]
    print(f"{name:50}", *(f"{share:.3f}" for share in shares), f"mean {np.mean(shares):.3f}")
    assert min(shares) >= _LEAST
    assert float(np.mean(shares)) >= _MEAN


@pytest.mark.long
@pytest.mark.parametrize("name", SIMULATIONS)
def test_every_interval_covers_where_answers_over_one_context_stand_or_fall_together(name: str) -> None:
    shares = [coverage(SIMULATIONS[name], level, RUNS) for level in WHOLE]
    print(f"{name:50}", *(f"{share:.3f}" for share in shares), f"mean {np.mean(shares):.3f}")
    assert min(shares) >= _LEAST
    assert float(np.mean(shares)) >= _MEAN


@pytest.mark.parametrize("name", [name for name in SIMULATIONS if "5 depths" in name or name.startswith("MCC")])
@pytest.mark.parametrize("level", WHOLE[::2])
def test_an_interval_covers_such_contexts_in_a_quick_series(name: str, level: tuple[float, float, float]) -> None:
    assert coverage(SIMULATIONS[name], level, 40) >= 0.85


@pytest.mark.parametrize("name", SIMULATIONS)
def test_an_interval_covers_in_a_quick_series(name: str) -> None:
    assert coverage(SIMULATIONS[name], LEVELS[2], 30) >= 0.8


def test_counting_answers_as_independent_would_not() -> None:
    """The series can fail: intervals that ignore shared questions miss the truth in most runs."""

    def naive(level: tuple[float, float, float], rng: Rng) -> tuple[Estimate, float]:
        each = world(DESIGNS[0], level)
        return mean_estimate(Sample.of(each.run(rng).values.tolist())), each.truth()

    assert coverage(naive, LEVELS[2], 60) < 0.6


LENGTHS = 7
CURVES: dict[str, tuple[float, ...]] = {
    "steep": (0.97, 0.96, 0.95, 0.9, 0.6, 0.3, 0.2),
    "gentle": (0.95, 0.93, 0.9, 0.87, 0.83, 0.78, 0.7),
    "very gentle": (0.9, 0.89, 0.88, 0.87, 0.86, 0.84, 0.83),
    "at the threshold, then a cliff": (0.97, 0.95, 0.9, 0.851, 0.5, 0.3, 0.2),
    "a cliff to just below it": (0.97, 0.97, 0.97, 0.849, 0.6, 0.4, 0.3),
    "flat just above it": (0.851,) * LENGTHS,
    "flat just below it": (0.849,) * LENGTHS,
    "flat at 95 %": (0.95,) * LENGTHS,
}
"""True accuracy by length."""


def frontier(
    design: Design, truth: Sequence[float], spread: float, runs: int, contexts: float = 0.5
) -> tuple[dict[str, float], list[int]]:
    """How often the interval of the effective length (and of the level kept) holds the true frontier, and by how many
    tested lengths the point misses it."""
    made = replace(design, lengths=LENGTHS)
    each = World(made, tuple(_odds(share, spread, contexts) for share in truth), spread, contexts)
    true = {"effective": _held(truth, 0.85), "keeps": _held(truth, 0.85 * truth[0])}
    rng = np.random.default_rng(3)
    hits = dict.fromkeys(true, 0)
    misses = []
    for _ in range(runs):
        run = each.run(rng).pooled()
        by = {float(1000 * 2**n): run.at(np.flatnonzero(run.strata == n)) for n in range(LENGTHS)}
        found = {"effective": effective_length(by), "keeps": keeps_level(by)}
        for name, reach in found.items():
            hits[name] += reach is None or _place(reach, "length") <= true[name] <= _place(reach, "high")
        misses.append(_place(found["effective"], "observed") - true["effective"])
    return {name: hit / runs for name, hit in hits.items()}, misses


def _odds(share: float, *spreads: float) -> float:
    """The middle log odds at which a share of all answers is right."""
    low, high = -30.0, 60.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if expected(middle, *spreads) < share else (low, middle)
    return low


def _held(truth: Sequence[float], bar: float) -> int:
    return next((place for place, value in enumerate(truth) if value < bar), len(truth))


def _place(reach: EffectiveLength | None, end: str) -> int:
    length = float(getattr(reach, end)) if reach else 0.0
    return int(np.log2(length / 1000)) + 1 if length else 0


@pytest.mark.long
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
@pytest.mark.parametrize("curve", CURVES)
def test_the_interval_of_effective_length_holds_the_frontier(design: Design, curve: str) -> None:
    for spread in (1.0, 2.0):
        shares, misses = frontier(design, CURVES[curve], spread, RUNS)
        short, right, long = (np.mean(np.sign(misses) == sign) for sign in (-1, 0, 1))
        about = f"mean miss {np.mean(misses):+.2f}, short {short:.2f}, right {right:.2f}, long {long:.2f}"
        print(f"{design.name:22} {curve:32} {spread:.0f}  {shares}  {about}")
        assert min(shares.values()) >= _LEAST, (spread, shares)
        if not curve.startswith("flat just"):
            assert abs(np.median(misses)) <= 1


@pytest.mark.long
@pytest.mark.parametrize("design", DESIGNS, ids=lambda design: design.name)
@pytest.mark.parametrize("curve", CURVES)
def test_the_interval_of_effective_length_holds_it_where_contexts_stand_or_fall(design: Design, curve: str) -> None:
    shares, misses = frontier(design, CURVES[curve], 1.0, RUNS, contexts=6.0)
    print(f"{design.name:22} {curve:32} together  {shares}  mean miss {np.mean(misses):+.2f}")
    assert shares["effective"] >= _LEAST, shares


@pytest.mark.parametrize("design", [DESIGNS[1], DESIGNS[5]], ids=lambda design: design.name)
def test_a_model_below_the_threshold_is_seldom_called_reliable(design: Design) -> None:
    """80 % right everywhere, where 85 % count as reliable. Contexts that stand or fall as a whole are not promised:
    docs/validity.md says how often they mislead."""
    each = World(replace(design, lengths=4), (_odds(0.8, 1.0, 0.5),) * 4, 1.0, 0.5)
    rng = np.random.default_rng(5)
    runs = [each.run(rng).pooled() for _ in range(60)]
    by = [{float(n + 1): run.at(np.flatnonzero(run.strata == n)) for n in range(4)} for run in runs]
    assert np.mean([effective_length(one).length > 0 for one in by]) <= 0.1


def test_the_frontier_in_a_quick_series() -> None:
    shares, misses = frontier(DESIGNS[1], CURVES["steep"], 1.0, 25)
    assert min(shares.values()) >= 0.9
    assert abs(np.mean(misses)) < 0.5
