"""Nine ways to scatter facts over a context, as masses of equal bins, and the number of facts per bin."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

# Masses that are equal, or add up to a step, differ from it in the last bits.
_DIGITS = 9


@dataclass(frozen=True)
class Distribution:
    """A distribution over the context, from 0 at its start to 1 at its end."""

    shape: str
    """Its parameters, for display; mass outside 0 to 1 is cut off and the rest rescaled."""
    cumulative: Callable[[float], float]
    """The cumulative function, rising from start to end; only its differences matter."""


def _normal(x: float, mean: float, deviation: float) -> float:
    return 0.5 * math.erf((x - mean) / (deviation * math.sqrt(2)))


def _exponential(x: float) -> float:
    return -math.exp(-x / 0.2)


def _rayleigh(x: float) -> float:
    return -math.exp(-(x**2) / (2 * 0.2**2))


def _flipped(cumulative: Callable[[float], float]) -> Callable[[float], float]:
    """The mirror image, from end to start."""
    return lambda x: -cumulative(1 - x)


DISTRIBUTIONS: dict[str, Distribution] = {
    "uniform": Distribution("the same everywhere", lambda x: x),
    "normal": Distribution("mean 0.5, standard deviation 0.12", lambda x: _normal(x, 0.5, 0.12)),
    "exponential": Distribution("mean 0.2, falling from the start", _exponential),
    "exponential_flipped": Distribution("mean 0.2 from the end, rising towards it", _flipped(_exponential)),
    "bimodal": Distribution(
        "two equal normals, means 0.25 and 0.75, standard deviation 0.06",
        lambda x: _normal(x, 0.25, 0.06) + _normal(x, 0.75, 0.06),
    ),
    "arcsine": Distribution("density 1 / (pi sqrt(x (1 - x))), high at both ends", lambda x: math.asin(math.sqrt(x))),
    "lorentzian": Distribution(
        "Cauchy, centre 0.5, half width at half height 0.05", lambda x: math.atan((x - 0.5) / 0.05)
    ),
    "rayleigh": Distribution("peak at 0.2, long tail towards the end", _rayleigh),
    "rayleigh_flipped": Distribution("peak at 0.8, long tail towards the start", _flipped(_rayleigh)),
}
"""By name, in display order."""


def bin_masses(name: str, bins: int) -> tuple[float, ...]:
    """The share of a distribution that falls into each of `bins` equal parts of the context."""
    rises = [DISTRIBUTIONS[name].cumulative(edge / bins) for edge in range(bins + 1)]
    return tuple((after - before) / (rises[-1] - rises[0]) for before, after in pairwise(rises))


def allot(masses: Sequence[float], count: int) -> tuple[int, ...]:
    """The number of facts per bin out of `count`, at equal steps of the cumulative function: fact k belongs where the
    masses before it reach (k - 1/2) / count. One on the border of two bins goes to the later one, so that facts of
    equal masses stay evenly spaced.
    """
    rises = np.round(np.cumsum(masses), _DIGITS)[:-1]
    steps = np.round((np.arange(count) + 0.5) / count, _DIGITS)
    return tuple(np.bincount(np.searchsorted(rises, steps, side="right"), minlength=len(masses)).tolist())
