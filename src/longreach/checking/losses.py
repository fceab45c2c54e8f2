"""Losses since earlier runs: paired changes on the same questions, between two runs or along a line through several."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from longreach.core.formatting import count
from longreach.core.types import AxisValue, Estimate, Row
from longreach.families.showing import family_view
from longreach.stats.counting import delivered, sample
from longreach.stats.intervals import POWERED, Floats, Sample, difference_estimate, smallest_drop, student

from .pairs import gradable, row_groups

FEWEST_RUNS = 5
"""A trend over fewer runs is not tested."""
_FALSE_ALARMS = 0.05
"""How often a gate on an unchanged model may fail, all its comparisons together."""


@dataclass(frozen=True)
class Part:
    """The change of a score on some questions from the first run to the last."""

    contrast: Sample
    """Per question the later scores minus the earlier ones, weighted along the line: between -1 and 1."""
    means: Floats
    """The mean score of each run."""

    @classmethod
    def of(cls, rows: Sequence[Row], scores: Floats) -> Part:
        """From the rows of one run, and the scores of all runs: one line per row, one column per run."""
        at = _centred(scores.shape[1])
        weighted = np.asarray(scores @ (at / at[at > 0].sum()))
        return cls(sample(rows, lambda _: 0.0).with_values(weighted).pooled(), scores.mean(axis=0))

    def at(self, places: Sequence[int], scores: Floats) -> Part:
        """Some of the questions; they know what all of them show."""
        return Part(self.contrast.at(np.array(places, dtype=np.int64)), scores[places].mean(axis=0))

    @property
    def _scale(self) -> float:
        """The contrast of a line that falls by 1 from the first run to the last."""
        at = _centred(len(self.means))
        return float(at @ at / ((len(at) - 1) * at[at > 0].sum()))

    def _between(self) -> float:
        """Standard error of the change as the runs scatter around the line: what a whole run has in common."""
        at, runs = _centred(len(self.means)), len(self.means)
        if runs < 3:
            return 0.0
        slope = float(at @ self.means / (at @ at))
        rest = self.means - self.means.mean() - slope * at
        return (runs - 1) * math.sqrt(float(rest @ rest) / (runs - 2) / float(at @ at))

    def estimate(self, confidence: float = 0.95) -> Estimate:
        """The change with its interval. Over three or more runs it covers both how questions differ and how whole runs
        do: the wider of the two."""
        found, scale = difference_estimate(self.contrast, confidence), self._scale
        value = found.value / scale
        if found.few:
            return found.model_copy(update={"value": value})
        half = student(len(self.means) - 2, confidence) * between if (between := self._between()) else 0.0
        low, high = min(found.low / scale, value - half), max(found.high / scale, value + half)
        return Estimate(value=value, low=max(-1.0, min(low, value)), high=min(1.0, max(high, value)), n=found.n)

    def smallest_drop(self, margin: float, confidence: float) -> float:
        """The smallest drop that 80 % of such runs show to be beyond `margin`."""
        scale, between = self._scale, self._between()
        drop = smallest_drop(self.contrast, margin * scale, confidence) / scale
        if between:
            drop = max(drop, margin + (student(len(self.means) - 2, confidence) + POWERED) * between)
        return min(1.0, drop)


Kind = Literal["types", "lengths", "types at lengths"]


@dataclass(frozen=True)
class Loss:
    """What may have got worse: a question type, all of a family at each length, or a question type at each length."""

    model: str
    family: str
    name: str
    """'needles.literal at each of 5 lengths'."""
    kind: Kind
    parts: Mapping[AxisValue | None, Part]
    """By length, or one under None."""


def losses(model: str, runs: Sequence[Sequence[Row]]) -> list[Loss]:
    """What may have changed over some runs, oldest first: the delivered accuracy of each family and question type, and
    the share of answers that can be graded if any could not. All runs have the same questions in the same order."""
    last, scores = runs[-1], _scores(runs, delivered)
    kept = np.flatnonzero(~np.isnan(scores).any(axis=1)).tolist()
    rows, scores = [last[index] for index in kept], scores[kept]
    groups = [group for group in row_groups(rows) if group.question_type]
    found: dict[tuple[str, str, Kind], dict[AxisValue | None, list[int]]] = {}
    for group in groups:
        types = {each.question_type for each in groups if each.part == group.part}
        if group.place is None:
            found[group.family, group.name, "types"] = {None: list(group.members)}
            continue
        if len(types) > 1 and not family_view(group.family).axis("question_type").experiment:
            # A loss at a length is mostly one of all question types, and together they show it sooner.
            whole = found.setdefault((group.family, group.part, "lengths"), {})
            whole.setdefault(group.place, []).extend(group.members)
        found.setdefault((group.family, group.name, "types at lengths"), {})[group.place] = list(group.members)
    every = [
        Loss(
            model=model,
            family=family,
            name=name if None in places else f"{name} at each of {len(places)} lengths",
            kind=kind,
            parts=_parts(rows, scores, places),
        )
        for (family, name, kind), places in found.items()
    ]
    for family in dict.fromkeys(row.family for row in last):
        own = [index for index, row in enumerate(last) if row.family == family]
        graded = _scores(runs, gradable)[own]
        if not graded.all():
            part = Part.of([last[index] for index in own], graded)
            every.append(Loss(model, family, f"{family}, answers that can be graded", "types", {None: part}))
    return every


def _parts(
    rows: Sequence[Row], scores: Floats, places: Mapping[AxisValue | None, Sequence[int]]
) -> dict[AxisValue | None, Part]:
    every = [index for own in places.values() for index in own]
    whole, ends = (
        Part.of([rows[index] for index in every], scores[every]),
        np.cumsum([len(own) for own in places.values()]),
    )
    return {
        place: whole.at(range(end - len(own), end), scores[every])
        for (place, own), end in zip(places.items(), ends.tolist(), strict=True)
    }


def trend_runs(
    model: str, rows: Sequence[Row], earlier: Mapping[str, Sequence[Row]]
) -> tuple[list[Sequence[Row]], list[str]]:
    """A model's rows in earlier runs, oldest first, and now; and notes on runs that are left out. A model of another
    name counts if it is the only one of its run, as checkpoints are."""
    now = [row for row in rows if row.model == model]
    keys = {(row.bench, row.item, row.question) for row in now}
    alone = len({row.model for row in rows}) == 1
    found: list[Sequence[Row]] = []
    notes: list[str] = []
    for name, own in earlier.items():
        names = list(dict.fromkeys(row.model for row in own))
        chosen = model if model in names else names[0] if alone and len(names) == 1 else None
        before = [row for row in own if row.model == chosen and delivered(row) is not None]
        shared = len({(row.bench, row.item, row.question) for row in before} & keys)
        if 2 * shared > len(keys):
            found.append(before)
        else:
            notes.append(f"{name} has {shared} of the {count(len(keys), 'question')} of {model}: not in the trend")
    return [*found, now], notes


def common_rows(runs: Sequence[Sequence[Row]]) -> list[list[Row]]:
    """The rows of questions that every run was asked, in one order."""
    sides = [{(row.bench, row.item, row.repeat, row.question): row for row in rows} for rows in runs]
    keys = [key for key in sides[-1] if all(key in side for side in sides)]
    return [[side[key] for key in keys] for side in sides]


def confidences(every: Sequence[Loss]) -> dict[Kind, float]:
    """The level at which a loss of each kind counts as shown: all comparisons together raise a false alarm in at most
    5 % of gates, with an equal part for each kind."""
    sizes = Counter[Kind]()
    for loss in every:
        sizes[loss.kind] += len(loss.parts)
    return {kind: 1 - 2 * _FALSE_ALARMS / len(sizes) / number for kind, number in sizes.items()}


def _scores(runs: Sequence[Sequence[Row]], score: Callable[[Row], float | None]) -> Floats:
    """One line per question, one column per run; nan where a fault left no score."""
    return np.array([[score(row) for row in run] for run in runs], dtype=np.float64).T


def _centred(runs: int) -> Floats:
    return np.arange(runs, dtype=np.float64) - (runs - 1) / 2
