"""What a search will take, from simulated models on the same benchmark: expected and largest tokens and money."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from longreach.core.measure import format_dollars, format_tokens
from longreach.core.model import Frozen
from longreach.core.number_format import percent
from longreach.stats.intervals import Floats

from .choice import Search
from .curve import Chain, chain_over
from .grid import SearchGrid

__all__ = ["Forecast", "SimulatedSearch", "simulate_searches"]

SIMULATED = 20
"""Simulated models."""
_CONTEXTS = 0.5
"""How much contexts differ, in log odds."""


class Forecast(Frozen):
    """Expected and largest use of a search."""

    simulated: int
    """Simulated models that it is based on."""
    expected_tokens: int
    """Input tokens."""
    largest_tokens: int
    full_tokens: int
    """Of a full run."""
    expected_cost: float | None = None
    """US dollars; None if no price is known."""
    largest_cost: float | None = None
    full_cost: float | None = None

    def line(self) -> str:
        """For a terminal."""
        expected, largest, full = (
            f"{format_tokens(tokens)} tokens" + (f", {format_dollars(cost)}" if cost else "")
            for tokens, cost in (
                (self.expected_tokens, self.expected_cost),
                (self.largest_tokens, self.largest_cost),
                (self.full_tokens, self.full_cost),
            )
        )
        return (
            f"search: expected {expected} ({percent(self.expected_tokens / max(1, self.full_tokens))} of the grid), "
            f"largest {largest}, full grid {full} (input; {self.simulated} simulated models)"
        )


@dataclass(frozen=True)
class SimulatedSearch:
    """One simulated search."""

    units: tuple[int, ...]
    """Contexts to ask."""
    tokens: int


def simulate_searches(
    search: Search, values: Floats, asked: Collection[int], *, count: int = SIMULATED, seed: int = 0
) -> list[SimulatedSearch]:
    """Searches of simulated models, from the answers that there are; each question type has a curve of its own, drawn
    from those that a search thinks possible beforehand."""
    grid, found = search.grid, []
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        scores, known, done = _scores(grid, search.threshold, rng), values.copy(), set(asked)
        while batch := search.choose(known, done):
            for unit in batch:
                known[grid.units[unit].places] = scores[grid.units[unit].places]
            done |= set(batch)
        units = tuple(sorted(done - set(asked)))
        found.append(SimulatedSearch(units, sum(grid.units[unit].tokens for unit in units)))
    return found


def _scores(grid: SearchGrid, threshold: float, rng: np.random.Generator) -> Floats:
    """Right or wrong for every row of a full run, by a model drawn from the curves."""
    right = np.zeros(len(grid.rows))
    shift = _CONTEXTS * rng.normal(size=int(grid.sample.context.max()) + 1)[grid.sample.context]
    for aim in grid.aims:
        level = np.clip(_path(chain_over(aim.lengths, threshold), rng)[aim.length], 1e-6, 1 - 1e-6)
        odds = np.log(level / (1 - level)) + shift[aim.places]
        right[aim.places] = aim.chance + (1 - aim.chance) / (1 + np.exp(-odds))
    return (rng.random(len(right)) < right).astype(np.float64)


def _path(chain: Chain, rng: np.random.Generator) -> Floats:
    """One curve: a level per length."""
    state = int(rng.choice(chain.start.size, p=chain.start.ravel() / chain.start.sum()))
    kind, level = divmod(state, len(chain.levels))
    path = [level]
    for step in chain.steps:
        if kind == 0 and rng.random() >= step.plateau:
            kind, level = 1, _drawn(step.onset[level], rng)
        elif kind == 1:
            level = _drawn(step.fall[level], rng)
        elif kind == 2 and rng.random() >= step.stays:
            level = _drawn(chain.redrawn, rng)
        path.append(level)
    return np.asarray(chain.levels[path])


def _drawn(weights: Floats, rng: np.random.Generator) -> int:
    return int(rng.choice(len(weights), p=weights / weights.sum()))
