"""What a gate on more nights like these would see, and what it would cost to see half of it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np

from longreach.core.figure import Table, columns
from longreach.core.formatting import count, format_tokens
from longreach.core.statements import Statement
from longreach.core.types import AxisValue, Frozen
from longreach.errors import BadInput
from longreach.stats.intervals import POWERED
from longreach.stats.paired import spread_of
from longreach.stats.series import grouped

from .compare import place_label
from .nights import REFERENCE, Calendar, Levels, Night, NightSeries, places_of, series_of

_FEWEST = 3
"""Nights that show how much answers differ from night to night."""
_OFTEN = 0.9
"""Of good nights, those that exclude the margin at every length."""
_TIMES = 4
"""So many times the answers show half of a drop."""


class LengthPlan(Frozen):
    """One length."""

    length: AxisValue | None
    label: str
    answers: int
    contexts: int
    differ: float
    """The share of answers that differ between two nights."""
    one: float
    """The drop in points that 80 of 100 such nights show."""
    three: float
    """The same of three nights together."""
    margin: float
    """The margin in points that 9 of 10 good nights exclude, all lengths together."""


class GatePlan(Frozen):
    """One model's nights."""

    model: str
    family: str
    nights: int
    lengths: tuple[LengthPlan, ...]
    tokens: int
    """Prefill tokens per night."""
    contexts: int
    """Contexts per length that show half of the drop."""

    @property
    def statements(self) -> tuple[Statement, ...]:
        """What is said first, and what more would cost."""
        most = max(self.lengths, key=lambda each: each.one)
        least = max(self.lengths, key=lambda each: each.margin).margin
        seen = f"One night shows a drop of {most.one:.1f} points at one length, three nights {most.three:.1f}"
        more = format_tokens(_TIMES * self.tokens)
        return (
            Statement(about="verdict", text=f"{seen}; --margin {math.ceil(least):g} is excluded by good nights.",
                      severity="verdict", model=self.model),
            Statement(about="cost", text=f"Half of it takes {count(self.contexts, 'context')} per length: "
                      f"{more} prefill tokens per night instead of {format_tokens(self.tokens)}.", model=self.model),
        )  # fmt: skip

    def table(self) -> Table:
        return Table(
            id="gate-plan",
            title=f"{self.model}, {self.family}: from {count(self.nights, 'night')}, in points",
            columns=(
                *columns("length"),
                *columns("answers", "contexts", unit="count"),
                *columns("differ nightly", unit="share"),
                *columns("seen in one night", "in three", "margin excluded"),
            ),
            rows=tuple(
                (
                    each.label,
                    each.answers,
                    each.contexts,
                    each.differ,
                    f"{each.one:.1f}",
                    f"{each.three:.1f}",
                    f"{each.margin:.1f}",
                )
                for each in self.lengths
            ),
        )


def gate_plans(nights: Sequence[Night], tokens: int) -> list[GatePlan]:
    """From earlier nights of the same items, oldest first; `tokens` is what one costs."""
    if len(nights) < _FEWEST:
        raise BadInput(f"--gate: {count(len(nights), 'night')}; {_FEWEST} of the same items show how answers differ")
    found = []
    by_model = [(night, grouped(night.rows, lambda row: row.model)) for night in nights]
    models = list(by_model[-1][1])
    for model in models:
        series = series_of(model, by_model, alone=len(models) == 1)
        if len(series.nights) < _FEWEST:
            raise BadInput(f"--gate: {model} has {count(len(series.nights), 'night')} of the same items, not {_FEWEST}")
        found += [_plan(model, family, series, tokens) for family in dict.fromkeys(row.family for row in series.rows)]
    return found


def _plan(model: str, family: str, series: NightSeries, tokens: int) -> GatePlan:
    places = [each for each in places_of(series.rows) if each.kind == "length" and each.family == family]
    good = [number for number, night in enumerate(series.nights) if night.good]
    shared = series.right.nights(good)
    calendar = Calendar((True,) * (2 * REFERENCE + 1), tuple(range(REFERENCE)))
    level = Levels.of(places, len(calendar.comparisons)).main
    needed = NormalDist().inv_cdf((1 + level) / 2) + POWERED
    passing = NormalDist().inv_cdf(0.975) + NormalDist().inv_cdf(_OFTEN ** (1 / len(places)))
    lengths = []
    for place in places:
        own = series.right.at(place.members)
        one = 100 * spread_of(own, good, shared, 1 + 1 / REFERENCE)
        three = 100 * spread_of(own, good, shared, 1 / 3 + 1 / REFERENCE)
        lengths.append(
            LengthPlan(
                length=place.length,
                label=place_label(family, place.length),
                answers=len(place.members),
                contexts=len(np.unique(own.context)),
                differ=float(np.nanmean(np.abs(np.diff(own.scores[good], axis=0)))),
                one=min(100.0, needed * one),
                three=min(100.0, needed * three),
                margin=min(100.0, passing * one),
            )
        )
    contexts = _TIMES * max(each.contexts for each in lengths)
    about = {"model": model, "family": family, "nights": len(good), "tokens": tokens, "contexts": contexts}
    return GatePlan.parse(about | {"lengths": tuple(lengths)}, "plan --gate")
