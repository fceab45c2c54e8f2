from __future__ import annotations

import importlib.resources
import math
from collections.abc import Callable
from itertools import accumulate, pairwise

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


@given(st.sampled_from(NAMES), st.integers(2, 60), st.integers(1, 60))
def test_no_allocation_is_nearer_to_the_cumulative_function(name: str, bins: int, count: int) -> None:
    """Half a fact is as near as whole facts can be everywhere."""
    masses = bin_masses(name, bins)
    shares = allot(masses, count)
    assert (len(shares), sum(shares)) == (bins, count)
    for nominal, facts in zip(accumulate(masses), accumulate(shares), strict=True):
        assert abs(facts - count * nominal) <= 0.5 + 1e-6


@pytest.mark.parametrize(("bins", "count"), [(20, 10), (20, 4), (20, 20), (20, 5), (30, 10), (20, 2)])
def test_uniform_is_even(bins: int, count: int) -> None:
    taken = [number for number, share in enumerate(allot(bin_masses("uniform", bins), count)) for _ in range(share)]
    assert {later - before for before, later in pairwise(taken)} == {bins // count}


def test_flipped_distributions_are_mirror_images() -> None:
    for name in ("exponential", "rayleigh"):
        assert allot(bin_masses(f"{name}_flipped", 20), 10) == allot(bin_masses(name, 20), 10)[::-1]


def test_ten_facts_in_twenty_bins_by_hand() -> None:
    """The exponential reaches 0.05, 0.15, ... at 0.010, 0.032, 0.057, 0.085, 0.118, 0.159, 0.207, 0.270, 0.372 and
    0.573 of the context."""
    expected = [0, 0, 1, 1, 2, 3, 4, 5, 7, 11]
    shares = allot(bin_masses("exponential", 20), 10)
    assert [number for number, share in enumerate(shares) for _ in range(share)] == expected


def test_the_readme_has_every_distribution_with_its_parameters() -> None:
    text = importlib.resources.files("longreach.families.needles").joinpath("README.md").read_text(encoding="utf-8")
    for name, distribution in DISTRIBUTIONS.items():
        assert f"| `{name}` | {distribution.shape} |" in text
