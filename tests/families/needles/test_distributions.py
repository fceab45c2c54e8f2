from __future__ import annotations

import importlib.resources
import math
from collections import Counter
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longreach.families.needles.distributions import DISTRIBUTIONS, allot, bin_masses

NAMES = [*DISTRIBUTIONS]
DENSITIES: dict[str, Callable[[float], float]] = {
    "uniform": lambda x: 1 + 0 * x,
    "normal": lambda x: math.exp(-(((x - 0.5) / 0.12) ** 2) / 2),
    "exponential": lambda x: math.exp(-x / 0.2),
    "exponential_flipped": lambda x: math.exp(-(1 - x) / 0.2),
    "bimodal": lambda x: math.exp(-(((x - 0.25) / 0.06) ** 2) / 2) + math.exp(-(((x - 0.75) / 0.06) ** 2) / 2),
    "arcsine": lambda x: 1 / math.sqrt(x * (1 - x)),
    "lorentzian": lambda x: 1 / (1 + ((x - 0.5) / 0.05) ** 2),
    "rayleigh": lambda x: x * math.exp(-((x / 0.2) ** 2) / 2),
    "rayleigh_flipped": lambda x: (1 - x) * math.exp(-(((1 - x) / 0.2) ** 2) / 2),
}
"""Up to a factor, as a textbook has them."""


def test_there_are_nine() -> None:
    assert set(NAMES) == set(DENSITIES)
    assert len(NAMES) == 9


@pytest.mark.parametrize("name", NAMES)
def test_masses_are_the_integral_of_the_density(name: str) -> None:
    bins, steps = 20, 4000
    sums = [
        math.fsum(DENSITIES[name]((number + (step + 0.5) / steps) / bins) for step in range(steps))
        for number in range(bins)
    ]
    expected = [part / math.fsum(sums) for part in sums]
    # The density of the arcsine grows without bound towards its ends, which plain sums reach slowly.
    assert bin_masses(name, bins) == pytest.approx(expected, abs=2e-3 if name == "arcsine" else 1e-6)


@given(st.sampled_from(NAMES), st.integers(2, 200))
def test_masses_of_any_number_of_bins(name: str, bins: int) -> None:
    masses = bin_masses(name, bins)
    assert len(masses) == bins
    assert min(masses) > 0
    assert math.fsum(masses) == pytest.approx(1, abs=1e-12)
    halves = bin_masses(name, 2 * bins)
    assert masses == pytest.approx([halves[i] + halves[i + 1] for i in range(0, 2 * bins, 2)], abs=1e-12)
    mirrored = name.removesuffix("_flipped") if name.endswith("_flipped") else f"{name}_flipped"
    assert masses[::-1] == pytest.approx(bin_masses(mirrored if mirrored in DISTRIBUTIONS else name, bins), abs=1e-12)


@pytest.mark.parametrize(
    ("masses", "count", "expected"),
    [
        # Quotas 4.16, 3.48, 1.56, 0.8: whole parts 4, 3, 1, 0; the two left go to the rests 0.8 and 0.56.
        ([0.416, 0.348, 0.156, 0.08], 10, (4, 3, 2, 1)),
        # 2.1, 2.1, 0.8: whole parts 2, 2, 0, the one left to 0.8.
        ([0.42, 0.42, 0.16], 5, (2, 2, 1)),
        ([0.5, 0.3, 0.2], 10, (5, 3, 2)),
        ([0.9, 0.06, 0.04], 1, (1, 0, 0)),
        # In floating point 10 x 0.1 + 10 x 0.2 is short of 3; no bin may lose its whole part for that.
        ([0.1 + 0.2, 0.7], 10, (3, 7)),
    ],
)
def test_largest_remainder_by_hand(masses: list[float], count: int, expected: tuple[int, ...]) -> None:
    assert {allot(masses, count, Random(seed)) for seed in range(20)} == {expected}


def test_ten_facts_in_twenty_bins_by_hand() -> None:
    """Quotas of the exponential: 2.23, 1.73, 1.35, 1.05, 0.82, 0.64, 0.50, 0.39, 0.30, ...: whole parts 2, 1, 1, 1, and
    five more to 0.82, 0.73, 0.64, 0.50 and 0.39."""
    expected = (2, 2, 1, 1, 1, 1, 1, 1) + (0,) * 12
    assert allot(bin_masses("exponential", 20), 10, Random(0)) == expected
    assert allot(bin_masses("exponential_flipped", 20), 10, Random(1)) == expected[::-1]


def test_the_seed_decides_ties_and_nothing_else() -> None:
    found = Counter(allot(bin_masses("uniform", 20), 10, Random(seed)) for seed in range(60))
    assert len(found) > 50
    taken = [sum(shares[number] for shares in found) for number in range(20)]
    assert min(taken) > 10, "every bin gets its turn"
    # Of the bimodal's equal rests, two of four get a fact; all else is fixed.
    both = {allot(bin_masses("bimodal", 20), 10, Random(seed)) for seed in range(60)}
    assert len(both) == 6
    assert {shares[3:7] + shares[13:17] for shares in both} == {
        (1, a, b, 1, 1, c, d, 1) for a in (1, 2) for b in (1, 2) for c in (1, 2) for d in (1, 2) if a + b + c + d == 6
    }


@given(st.lists(st.integers(0, 50), min_size=1, max_size=30).filter(any), st.integers(0, 40), st.integers(0, 99))
def test_largest_remainder_of_anything(weights: list[int], count: int, seed: int) -> None:
    masses = [weight / sum(weights) for weight in weights]
    shares = allot(masses, count, Random(seed))
    assert sum(shares) == count
    whole = [weight * count // sum(weights) for weight in weights]
    extra = [share - floor for share, floor in zip(shares, whole, strict=True)]
    assert set(extra) <= {0, 1}
    rests = [weight * count % sum(weights) for weight in weights]
    got = [rest for rest, more in zip(rests, extra, strict=True) if more]
    left = [rest for rest, more in zip(rests, extra, strict=True) if not more]
    assert not got or not left or min(got) >= max(left)


def test_the_readme_has_every_distribution_with_its_parameters() -> None:
    text = importlib.resources.files("longreach.families.needles").joinpath("README.md").read_text(encoding="utf-8")
    for name, distribution in DISTRIBUTIONS.items():
        assert f"| `{name}` | {distribution.shape} |" in text
