"""The curve of a search: accuracy over log length, as a distribution over all curves that the answers allow.

Accuracy, corrected for chance, starts on a plateau at one minus the lapse rate, and somewhere starts to fall; from
there on it only falls, by a little or all at once. One curve in ten may also rise again: what the answers say about
that is the check for non-monotone results. Between the lengths of a benchmark the curve is a Markov chain over levels,
so that every probability below is exact and nothing is sampled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from longreach.stats.intervals import Floats, Ints

_BELOW, _ABOVE = 20, 10
"""Levels below and above the threshold."""
_START_TOP = 0.8
"""How often a model starts near the top; otherwise anywhere."""
_TOP = 20.0
"""Near the top: the largest of so many uniform draws."""
_ONSET = 0.15
"""Chance per doubling of the length that the plateau ends."""
_GOES_ON = 0.7
"""Chance per doubling, on the natural scale, that a fall continues."""
_SMALL = 0.12
"""A small fall is so large on average, per doubling."""
_ABRUPT = 0.4
"""How often a fall may end anywhere below."""
_FREE = 0.1
"""How often a curve may rise again."""
_REDRAWN = 0.5
"""Chance per doubling, on the natural scale, that such a curve changes its level."""
_EDGE = 0.025
"""Probability outside each end of an interval."""


@dataclass(frozen=True)
class _Step:
    """From one length to the next. A curve is on its plateau, is falling, or is one that may rise again."""

    plateau: float
    """Stays on the plateau."""
    onset: Floats
    """Starts to fall: level by level."""
    fall: Floats
    """Falls, or stays."""
    stays: float
    """A curve that may rise stays where it is; otherwise it is redrawn."""


@dataclass(frozen=True)
class Chain:
    """Curves over some lengths before any answer."""

    lengths: tuple[float, ...]
    levels: Floats
    """Accuracy corrected for chance, in increasing order."""
    held: int
    """The first level at or above the threshold."""
    start: Floats
    """By kind of curve (plateau, falling, free) and level."""
    redrawn: Floats
    """The levels of a curve that may rise again."""
    steps: tuple[_Step, ...]

    def posteriors(self, shares: Floats, worths: Floats, chances: Floats) -> list[CurvePosterior]:
        """What several sets of answers say. By set and length: the share that is right, and the number of independent
        answers that they are worth (0: none); by set the score of guessing."""
        count = len(self.lengths)
        reaching = self._reaching(_likelihood(self.levels, shares, worths, chances), np.arange(count + 1))
        total = reaching[:, 0, :, 0].sum(axis=(1, 2))
        rises = reaching[:, 0, 2, 0].sum(axis=1) / total
        joint = reaching.sum(axis=2) / total[:, None, None, None]
        joint[:, :, :-1] -= joint[:, :, 1:].copy()
        joint = np.maximum(joint, 0.0).transpose(0, 2, 1, 3)
        return [
            CurvePosterior(self, float(chances[place]), joint[place], float(rises[place]))
            for place in range(len(shares))
        ]

    def means(self, shares: Floats, worths: Floats, chances: Floats) -> Floats:
        """Mean accuracy by set and length."""
        reaching = self._reaching(_likelihood(self.levels, shares, worths, chances), np.zeros(1, dtype=np.int64))
        weights = reaching.sum(axis=2)[:, :, 0]
        level = weights @ self.levels / weights.sum(axis=2)
        return np.asarray(chances[:, None] + (1 - chances[:, None]) * level)

    def _reaching(self, likelihood: Floats, rows: Ints) -> Floats:
        """By set, length, kind of curve, row and level: the weight of the curves that are at this level there; row j
        has only those that hold the first j lengths."""
        sets, count, size = likelihood.shape
        shape = (sets, 3, len(rows), size)
        weights = likelihood[:, :, None, None, :]

        def held(message: Floats, place: int) -> Floats:
            message[:, :, rows > place, : self.held] = 0.0
            return message

        ahead = np.empty((count, *shape))
        ahead[0] = held(self.start[None, :, None, :] * weights[:, 0] * np.ones((1, 1, len(rows), 1)), 0)
        for place, step in enumerate(self.steps, 1):
            before, message = ahead[place - 1], ahead[place]
            message[:, 0] = step.plateau * before[:, 0]
            message[:, 1] = before[:, 0] @ step.onset + before[:, 1] @ step.fall
            message[:, 2] = step.stays * before[:, 2]
            message[:, 2] += (1 - step.stays) * before[:, 2].sum(axis=-1, keepdims=True) * self.redrawn
            message *= weights[:, place]
            held(message, place)
        back = np.ones((count, *shape))
        for place in range(count - 2, -1, -1):
            step, message = self.steps[place], back[place]
            after = held(back[place + 1] * weights[:, place + 1], place + 1)
            message[:, 0] = step.plateau * after[:, 0] + after[:, 1] @ step.onset.T
            message[:, 1] = after[:, 1] @ step.fall.T
            message[:, 2] = step.stays * after[:, 2]
            message[:, 2] += (1 - step.stays) * (after[:, 2] @ self.redrawn)[..., None]
        return np.asarray((ahead * back).transpose(1, 0, 2, 3, 4))


@dataclass(frozen=True)
class CurvePosterior:
    """Curves over some lengths, given answers. Frontiers count lengths: 0 is no effective length, n the n-th length."""

    chain: Chain
    chance: float
    joint: Floats
    """Frontier by length by level: the probability that the curve has this frontier and, at this length, this level."""
    rises: float
    """Probability that the curve rises again somewhere, against the one in ten before any answer."""

    @property
    def frontier(self) -> Floats:
        """The probability of each frontier."""
        return np.asarray(self.joint[:, 0].sum(axis=-1))

    @property
    def level(self) -> Floats:
        """The distribution of the level at each length."""
        return np.asarray(self.joint.sum(axis=0))

    @property
    def answer(self) -> int:
        """The median frontier."""
        return int(np.searchsorted(np.cumsum(self.frontier), 0.5 - 1e-9))

    @property
    def interval(self) -> tuple[int, int]:
        """The 95 % confidence interval of the frontier."""
        below = np.cumsum(self.frontier)
        last = len(below) - 1
        low = int(np.searchsorted(below, _EDGE, side="right"))
        high = int(np.searchsorted(below, 1 - _EDGE - 1e-9))
        return min(low, last), min(high, last)

    def certainty(self, tolerance: float) -> float:
        """The probability that the answer is right to a factor of `tolerance` in length."""
        answer = self.answer
        at = [0.0, *self.chain.lengths]
        near = [
            place == answer
            or (place > 0 < answer and max(at[place], at[answer]) <= tolerance * min(at[place], at[answer]) + 1e-9)
            for place in range(len(at))
        ]
        return float(self.frontier[near].sum())

    def accuracy(self) -> tuple[Floats, Floats, Floats]:
        """Delivered accuracy by length: its lower end, mean and upper end, 95 %."""
        weights = self.level
        below = np.cumsum(weights, axis=1)
        ends = [self.chain.levels[np.argmax(below >= edge, axis=1)] for edge in (_EDGE, 1 - _EDGE - 1e-9)]
        mean = weights @ self.chain.levels
        low, middle, high = (self.chance + (1 - self.chance) * each for each in (ends[0], mean, ends[1]))
        return low, middle, high

    def information(self, place: int, answers: float) -> float:
        """How much so many independent answers at one length are expected to say about the frontier, in nats."""
        count = max(1, round(answers))
        outcome = _outcomes(count, self.chance + (1 - self.chance) * self.chain.levels)
        both = self.joint[:, place] @ outcome
        apart = both.sum(axis=1, keepdims=True) * both.sum(axis=0, keepdims=True)
        found = both > 1e-15
        nats = float((both[found] * np.log(both[found] / apart[found])).sum())
        return max(0.0, nats) * answers / count if answers < 1 else max(0.0, nats)


def chain_over(lengths: Sequence[float], threshold: float) -> Chain:
    """The curves over some lengths that are possible before any answer."""
    return _chain(tuple(lengths), threshold)


@lru_cache(maxsize=16)
def _chain(lengths: tuple[float, ...], threshold: float) -> Chain:
    edges = np.concatenate((np.linspace(0, threshold, _BELOW + 1), np.linspace(threshold, 1, _ABOVE + 1)[1:]))
    levels, widths = (edges[1:] + edges[:-1]) / 2, np.diff(edges)
    first = _START_TOP * np.diff(edges**_TOP) + (1 - _START_TOP) * widths
    start = np.stack(((1 - _FREE) * first, np.zeros_like(first), _FREE * first))
    doublings = np.log2(np.array(lengths[1:]) / np.array(lengths[:-1]))
    steps = tuple(_step(levels, widths, float(each)) for each in doublings)
    return Chain(lengths, levels, _BELOW, start, 0.5 * first + 0.5 * widths, steps)


def _step(levels: Floats, widths: Floats, doublings: float) -> _Step:
    """Transitions over some doublings of the length."""
    drop = levels[:, None] - levels[None, :]
    anywhere = np.where(drop > 0, widths[None, :], 0.0)
    small = np.where(drop > 0, widths[None, :] * np.exp(-np.maximum(drop, 0.0) / (_SMALL * max(doublings, 0.25))), 0.0)
    for each in (anywhere, small):
        each[0, 0] = 1.0  # from the lowest level there is nowhere to fall
        each /= each.sum(axis=1, keepdims=True)
    fall = _ABRUPT * anywhere + (1 - _ABRUPT) * small
    plateau = (1 - _ONSET) ** doublings
    halts = float(np.exp(-_GOES_ON * doublings))
    stays = float(np.exp(-_REDRAWN * doublings))
    return _Step(plateau, (1 - plateau) * fall, halts * np.eye(len(levels)) + (1 - halts) * fall, stays)


def _likelihood(levels: Floats, shares: Floats, worths: Floats, chances: Floats) -> Floats:
    right = np.clip(chances[:, None] + (1 - chances[:, None]) * levels, 1e-9, 1 - 1e-9)[:, None, :]
    logs = worths[..., None] * (shares[..., None] * np.log(right) + (1 - shares[..., None]) * np.log1p(-right))
    return np.asarray(np.exp(logs - logs.max(axis=-1, keepdims=True)))


@lru_cache(maxsize=256)
def _binomials(count: int) -> Floats:
    found = [1.0]
    for k in range(count):
        found.append(found[-1] * (count - k) / (k + 1))
    return np.array(found)


def _outcomes(count: int, right: Floats) -> Floats:
    """The probability of each number of right answers, by level."""
    k = np.arange(count + 1)
    return np.asarray(_binomials(count) * right[:, None] ** k * (1 - right[:, None]) ** (count - k))
