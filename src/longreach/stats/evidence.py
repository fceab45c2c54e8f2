"""Evidence that a model reaches the bar at a length, context by context: shown to hold, shown to fail, or open.

Each context carries a panel of questions. After every whole panel the likelihood ratio of "above the bar" (and of
"below") against the bar is looked at; the first that passes its threshold decides, and stands. The binomials are
tempered for an assumed correlation of answers over one context. Without correlation this is a test that may be looked
at after every context; with it, its error rates are simulated (docs/validity.md)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from longreach.core.statements import Rate

from .intervals import Floats, Ints

__all__ = [
    "BAR",
    "CORRELATION",
    "LEAST",
    "Belief",
    "ContextScore",
    "LengthEvidence",
    "Panel",
    "Prospect",
    "Standard",
    "bar_of",
    "evidence",
    "panel",
    "panels_missing",
    "rate_of",
    "worth",
]

BAR = 0.85
"""Delivered accuracy, corrected for chance, that counts as reliable."""
CORRELATION = 0.04
"""Assumed correlation of answers over one context: real models show about 0 (docs/validity.md)."""
LEAST = 3
"""Contexts at a length before anything is decided there."""
_THRESHOLD = math.log(40)
"""Of a log likelihood ratio: either error in at most 1 of 40 runs."""
_ABOVE = np.array([0.2, 0.4, 0.6, 0.8, 0.9, 0.967, 1.0])
"""Accuracies above a bar, as shares of what is left to 1."""
_ABOVE_WEIGHT = np.log(np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.4]))
"""A perfect model is the one that people hope for: it gets the most weight."""
_BELOW = np.array([0.965, 0.918, 0.824, 0.706, 0.47, 0.235, 0.06])
"""Accuracies below a bar, as shares of it."""
_BELOW_WEIGHT = np.full(len(_BELOW), -math.log(len(_BELOW)))
_GRID = np.concatenate([np.arange(0.005, 1.0, 0.005), [0.9975, 0.999]])
_GUESSES = np.linspace(0.01, 0.99, 99)
"""Accuracies that a belief weighs."""
_TOGETHER = 1e-3
"""A context that so few of its kind would reach at the bar fell (or stood) together."""

Unit = Literal["question", "context"]
Flags = np.ndarray[tuple[int, ...], np.dtype[np.bool_]]


@dataclass(frozen=True)
class Standard:
    """What counts as reaching the bar: fixed before the first request."""

    bar: float = BAR
    correlation: float = CORRELATION
    least: int = LEAST
    unit: Unit = "question"
    """`context`: whatever the dependence within a context, each context counts once; about nine times the contexts."""


class ContextScore(NamedTuple):
    """The answers over one context."""

    right: float
    """Certainly right: undecided answers count as wrong."""
    at_best: float
    """Right if every undecided answer is."""
    asked: int


Panel = tuple[ContextScore, ...]
"""Contexts that together have the same questions, types and depths as every other panel of the run: mostly one."""


def panel(right: float, asked: int) -> Panel:
    """A panel of one context without undecided answers."""
    return (ContextScore(right, right, asked),)


@dataclass(frozen=True)
class LengthEvidence:
    """What the contexts of one length show."""

    verdict: Literal["holds", "fails", "open"]
    contexts: int
    decided_after: int
    """Panels after which the verdict stood; 0 while it is open."""
    together: Literal["", "fell", "stood"] = ""
    """Whether contexts visibly fell, or stood, as a whole."""
    to_hold: float = math.inf
    """Nats that are missing for `holds`."""
    to_fail: float = math.inf


def bar_of(chance: float, share: float = BAR) -> float:
    """The bar on plain accuracy where guessing alone is right in `chance`."""
    return chance + share * (1 - chance)


def evidence(panels: Sequence[Panel], standard: Standard | None = None) -> LengthEvidence:
    """The verdict of one length from its contexts, in the order in which they were asked."""
    standard = standard or Standard()
    if not panels:
        return LengthEvidence(verdict="open", contexts=0, decided_after=0, to_hold=_THRESHOLD, to_fail=_THRESHOLD)
    return _evidence(tuple(panels), standard)


@lru_cache(maxsize=4096)
def _evidence(panels: tuple[Panel, ...], standard: Standard) -> LengthEvidence:
    sides = _both_sides(panels, np.array([standard.bar]), standard)
    holds, fails = sides.first(sides.up, standard.least), sides.first(sides.down, standard.least)
    verdict: Literal["holds", "fails", "open"] = "open"
    if holds or fails:
        verdict = "holds" if holds and (not fails or holds < fails) else "fails"
    return LengthEvidence(
        verdict=verdict,
        contexts=int(sides.contexts[-1]),
        decided_after=min(filter(None, (holds, fails)), default=0),
        together=sides.together,
        to_hold=float(_THRESHOLD - sides.up[0, -1]),
        to_fail=float(_THRESHOLD - sides.down[0, -1]),
    )


def rate_of(panels: Sequence[Panel], standard: Standard | None = None) -> Rate | None:
    """Right of all asked, with the accuracies that the same ratio never rejected: they stay true though the run stopped
    when it pleased. Where the contexts drifted out of those, the accuracies that all contexts together do not reject.
    None without any answer."""
    standard = standard or Standard()
    scores = [score for each in panels for score in each]
    asked = sum(score.asked for score in scores)
    if not asked:
        return None
    value = sum(score.right for score in scores) / asked
    best = sum(score.at_best for score in scores) / asked
    bars = np.sort(np.append(_GRID, standard.bar))
    sides = _both_sides(panels, bars, standard)
    low = float(bars[sides.ever(sides.up, standard.least)].max(initial=0.0))
    high = float(bars[sides.ever(sides.down, standard.least)].min(initial=1.0))
    if value < low or best > high:
        low = float(bars[sides.up[:, -1] >= _THRESHOLD].max(initial=0.0))
        high = float(bars[sides.down[:, -1] >= _THRESHOLD].min(initial=1.0))
    return Rate(value=value, low=min(low, value), high=max(high, best), of=asked)


def worth(asked: float, standard: Standard) -> float:
    """Independent answers that a context with so many questions is worth."""
    return 1.0 if standard.unit == "context" else asked / (1 + (asked - 1) * standard.correlation)


class Belief:
    """How likely each accuracy is after some contexts, all being equally likely at first: only for what to ask next
    and what it will take; no verdict rests on it."""

    def __init__(self, standard: Standard) -> None:
        self.standard = standard
        bar = standard.bar
        self._upper = bar <= _GUESSES
        self._nats: Floats = _GUESSES * np.log(_GUESSES / bar) + (1 - _GUESSES) * np.log((1 - _GUESSES) / (1 - bar))
        """Per independent answer, about the side of the bar."""
        self._log = np.zeros(len(_GUESSES))

    def add(self, panel: Panel) -> None:
        """The answers over one more panel."""
        for right, _, asked in panel:
            share = worth(asked, self.standard) / asked
            self._log = self._log + share * (right * np.log(_GUESSES) + (asked - right) * np.log1p(-_GUESSES))

    def prospect(self, found: LengthEvidence, questions: Sequence[int]) -> Prospect:
        """What is to be expected of more panels with so many questions per context."""
        weights = np.exp(self._log - self._log.max())
        weights /= weights.sum()
        above = weights * self._upper
        per_panel = sum(worth(asked, self.standard) for asked in questions)
        least = math.ceil((self.standard.least - found.contexts) / len(questions))

        def panels(side: Floats, missing: float) -> float:
            total = float(side.sum())
            nats = float(side @ self._nats) / total if total > 1e-9 else 0.0
            return max(1.0, least, missing / max(nats * per_panel, 1e-6))

        return Prospect(float(above.sum()), panels(above, found.to_hold), panels(weights - above, found.to_fail))


class Prospect(NamedTuple):
    above: float
    """How likely the accuracy is at or above the bar."""
    to_hold: float
    """Panels that it probably still takes to show it."""
    to_fail: float

    @property
    def likelier(self) -> float:
        """Panels that it probably still takes, whichever side is the likelier one."""
        return self.to_hold if self.above >= 0.5 else self.to_fail


def panels_missing(panels: Sequence[Panel], standard: Standard) -> float:
    """Panels like the last one that it probably still takes until a verdict; 0 with one."""
    found = evidence(panels, standard)
    if found.verdict != "open" or not panels:
        return 0.0
    belief = Belief(standard)
    for each in panels:
        belief.add(each)
    return belief.prospect(found, [score.asked for score in panels[-1]]).likelier


def _both_sides(panels: Sequence[Panel], bars: Floats, standard: Standard) -> _Sides:
    """After each panel, the log likelihood ratios above and below each bar."""
    flat = [score for each in panels for score in each]
    right, best, asked = (np.array(each, dtype=np.float64) for each in zip(*flat, strict=True))
    ends = np.cumsum([len(each) for each in panels]) - 1
    fell = np.logical_or.accumulate(right <= _tails_of(asked, standard, 0))
    stood = np.logical_or.accumulate(best >= _tails_of(asked, standard, 1))
    unless_fell: Literal["", "stood"] = "stood" if stood[-1] else ""
    return _Sides(
        up=_ratios(right, asked, fell, bars, standard, above=True)[:, ends],
        down=_ratios(best, asked, stood, bars, standard, above=False)[:, ends],
        contexts=ends + 1,
        together="fell" if fell[-1] else unless_fell,
    )


class _Sides(NamedTuple):
    up: Floats
    """One line per bar, one column per panel."""
    down: Floats
    contexts: Ints
    """So far, after each panel."""
    together: Literal["", "fell", "stood"]

    def first(self, ratios: Floats, least: int) -> int:
        """After how many panels a ratio passes the threshold at the first bar; 0 if never."""
        hits = (ratios[0] >= _THRESHOLD) & (self.contexts >= least)
        return int(hits.argmax()) + 1 if hits.any() else 0

    def ever(self, ratios: Floats, least: int) -> Flags:
        """At which bars a ratio passed the threshold."""
        return np.asarray(((ratios >= _THRESHOLD) & (self.contexts >= least)).any(axis=1))


def _ratios(right: Floats, asked: Floats, whole: Flags, bars: Floats, standard: Standard, *, above: bool) -> Floats:
    """After each context, the log likelihood ratio of a mixture of accuracies on one side of each bar against the bar.
    From a context on that visibly fell or stood as a `whole`, each context counts once."""
    by_context = _mixture(np.cumsum(right / asked), np.cumsum(1 - right / asked), bars, above=above)
    if standard.unit == "context" or whole.all():
        return by_context
    weight = 1 / (1 + (asked - 1) * standard.correlation)
    by_question = _mixture(np.cumsum(weight * right), np.cumsum(weight * (asked - right)), bars, above=above)
    return np.where(whole, by_context, by_question)


def _mixture(right: Floats, wrong: Floats, bars: Floats, *, above: bool) -> Floats:
    """The same for several bars: one line per bar, one column per context."""
    bars = bars[:, None]
    shares, weights = (_ABOVE, _ABOVE_WEIGHT) if above else (_BELOW, _BELOW_WEIGHT)
    others = bars + (1 - bars) * shares if above else bars * shares
    with np.errstate(divide="ignore"):
        gain, loss = np.log(others / bars), np.log(np.maximum(1 - others, 1e-300) / (1 - bars))
    scores = gain[:, :, None] * right + loss[:, :, None] * wrong + weights[None, :, None]
    most = scores.max(axis=1)
    return np.asarray(most + np.log(np.exp(scores - most[:, None, :]).sum(axis=1)))


def _tails_of(asked: Floats, standard: Standard, side: Literal[0, 1]) -> Floats:
    """Per context, the count in the lower (or upper) tail that shows that it fell (or stood) as a whole."""
    return np.array([_tails(int(m), standard.bar, standard.correlation)[side] for m in asked], dtype=np.float64)


@lru_cache(maxsize=4096)
def _tails(asked: int, bar: float, correlation: float) -> tuple[float, float]:
    """The largest count in the lower tail and the smallest in the upper one, of a beta-binomial at the bar."""
    a, b = (share * (1 / max(correlation, 1e-6) - 1) for share in (bar, 1 - bar))
    log = np.array(
        [_log_choose(asked, k) + _log_beta(k + a, asked - k + b) - _log_beta(a, b) for k in range(asked + 1)]
    )
    chance = np.exp(log)
    below, above = np.cumsum(chance), np.cumsum(chance[::-1])[::-1]
    low, high = np.flatnonzero(below < _TOGETHER), np.flatnonzero(above < _TOGETHER)
    return (float(low.max()) if len(low) else -1.0), (float(high.min()) if len(high) else math.inf)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
