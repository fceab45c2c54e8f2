"""The headline numbers, with effective length: computed once and used by everything that states them."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from itertools import takewhile
from statistics import fmean, stdev

import numpy as np

from longreach.core.figure import Axis, FamilyView
from longreach.core.types import AxisValue, EffectiveLength, Estimate, Frozen, Row
from longreach.errors import BadInput

from .counting import (
    Tally,
    at_best,
    axis_value,
    columns_of,
    delivered,
    experiment_axes,
    experiments,
    tally,
    wrong,
    wrong_at_worst,
)
from .evidence import BAR, ContextScore, Panel, Standard, bar_of, evidence
from .intervals import Sample, claimed, mean_estimate
from .series import ordered

# How far a model reaches: effective length, and the length up to which it holds its own level.

THRESHOLD = BAR


def corrected(estimate: Estimate, chance: float) -> Estimate:
    low, value, high = ((end - chance) / (1 - chance) for end in (estimate.low, estimate.value, estimate.high))
    return estimate.model_copy(update={"value": value, "low": low, "high": high})


def effective_length(
    by_length: Mapping[float, Sample],
    *,
    chance: float = 0.0,
    threshold: float = THRESHOLD,
    at_best: Mapping[float, Sample] | None = None,
) -> EffectiveLength:
    """The longest tested length up to which accuracy, corrected for chance, is shown to be at or above `threshold`.

    Each length is decided by its own contexts, all looked at together (stats/evidence.py). A length that is shown to
    fail ends what longer ones show; one that is shown to hold speaks for shorter ones too. `at_best` has the same
    answers with undecided ones counted as right."""
    _check(by_length, threshold, "effective length")
    standard = Standard(bar=bar_of(chance, threshold))
    lengths = sorted(by_length)
    shown = {
        length: evidence(_panels(by_length[length], (at_best or by_length)[length]), standard) for length in lengths
    }
    fails = next((place for place, length in enumerate(lengths) if shown[length].verdict == "fails"), len(lengths))
    holds = max((place + 1 for place in range(fails) if shown[lengths[place]].verdict == "holds"), default=0)
    means = [float(by_length[length].values.mean()) if len(by_length[length]) else 0.0 for length in lengths]
    # The tolerance prevents a score equal to the threshold from failing by rounding.
    observed = sum(1 for _ in takewhile(lambda mean: mean >= standard.bar - 1e-12, means))
    ends = (0.0, *lengths)
    return EffectiveLength(
        length=ends[holds],
        observed=ends[min(max(observed, holds), fails)],
        high=ends[fails],
        base=means[0] if len(by_length[lengths[0]]) else None,
        share=threshold,
    )


def _panels(sample: Sample, best: Sample) -> list[Panel]:
    """All contexts of one length as one panel; repeats of an item count as one answer."""
    own, most = sample.per_item, best.per_item
    scores = []
    for context in np.unique(own.context):
        here = own.context == context
        scores.append(ContextScore(float(own.values[here].sum()), float(most.values[here].sum()), int(here.sum())))
    return [tuple(scores)] if scores else []


def keeps_level(
    by_length: Mapping[float, Sample], *, chance: float = 0.0, share: float = THRESHOLD
) -> EffectiveLength | None:
    """The longest tested length up to which a model has `share` of its own score at the shortest, both corrected for
    chance: a plain figure, no claim. None for a model that is not above chance there."""
    _check(by_length, share, "level")
    lengths = list(takewhile(lambda length: len(by_length[length]), sorted(by_length)))
    first = mean_estimate(by_length[lengths[0]]) if lengths else None
    if first is None or first.low <= chance or first.value <= 0:
        return None
    base = first.value
    bar = chance + share * (base - chance) - 1e-12
    kept = list(takewhile(lambda length: by_length[length].values.mean() >= bar, lengths))
    return EffectiveLength(length=kept[-1], observed=kept[-1], high=kept[-1], base=base, share=share)


def _check(by_length: Mapping[float, Sample], threshold: float, what: str) -> None:
    if not by_length:
        raise BadInput(f"{what}: no length was tested; give at least one")
    if not 0 < threshold <= 1 or math.isnan(threshold):
        raise BadInput(f"{what}: threshold {threshold} is not a share; give a number above 0 and up to 1")


# The headline numbers: computed once per model, family, experiment, prompt and question type, and used by everything
# that shows or checks a result.


class LengthTally(Frozen):
    length: float
    tally: Tally


class RepeatSpread(Frozen):
    """How far the repeats of the same items differ."""

    accuracies: tuple[float, ...]
    """Delivered accuracy of each repeat, in order."""
    sd: float
    """Standard deviation of those."""
    same: float
    """Share of questions whose repeats all have the same score."""


class Headline(Frozen):
    """All numbers of one model on one question type."""

    model: str
    family: str
    experiment: str = ""
    experiment_values: tuple[AxisValue, ...] = ()
    """One per axis of `experiment_axes`."""
    prompt: str = ""
    question_type: str
    tally: Tally
    """Over all lengths: delivered and answered accuracy, counts."""
    wrong: Estimate | None
    """Graded and wrong, of all asked: on unanswerable questions, hallucinated."""
    chance: float
    corrected: Estimate | None
    """Delivered accuracy corrected for chance: 0 is guessing."""
    by_length: tuple[LengthTally, ...] = ()
    """In order; empty if the family has no lengths."""
    effective: EffectiveLength | None = None
    """None if there are no lengths; its length is 0 if the model has no effective length."""
    keeps: EffectiveLength | None = None
    """The length up to which it holds its own level; None for a model that is not clearly above chance."""
    repeats: RepeatSpread | None = None
    """None if every item was asked once."""

    @property
    def delivered(self) -> Estimate | None:
        return self.tally.delivered

    @property
    def answered(self) -> Estimate | None:
        return self.tally.answered

    @property
    def lengths(self) -> tuple[float, ...]:
        return tuple(each.length for each in self.by_length)

    @property
    def longest(self) -> Tally | None:
        return self.by_length[-1].tally if self.by_length else None


def headlines(
    rows: Sequence[Row],
    family: FamilyView,
    *,
    models: Iterable[str] | None = None,
    by_prompt: bool = False,
    threshold: float = THRESHOLD,
) -> tuple[Headline, ...]:
    """All of a family's headlines: models in order of appearance, experiments, prompts and question types in axis
    order. Results without a length are left out if others have one."""
    rows = tuple(rows)
    own: dict[str, list[int]] = {}
    for place, row in enumerate(rows):
        if row.family == family.name:
            own.setdefault(row.model, []).append(place)
    axes = experiment_axes(rows, family)
    found: list[Headline] = []
    for model in own if models is None else models:
        for experiment in experiments(rows, family, own.get(model, []), axes):
            groups: dict[tuple[str, str], list[int]] = {}
            for place in experiment.rows:
                asked = str(axis_value(rows[place], "prompt") or "") if by_prompt else ""
                groups.setdefault((asked, rows[place].question_type), []).append(place)
            about = {"experiment": experiment.label, "experiment_values": experiment.values}
            for prompt in map(str, ordered((prompt for prompt, _ in groups), family.axis("prompt"))):
                for kind in map(str, ordered((kind for _, kind in groups), family.axis("question_type"))):
                    if members := groups.get((prompt, kind)):
                        made = headline(rows, members, family, threshold=threshold)
                        found.append(made.model_copy(update=about | {"prompt": prompt}))
    return tuple(found)


def headline(
    rows: tuple[Row, ...], members: Sequence[int], family: FamilyView, *, threshold: float = THRESHOLD
) -> Headline:
    """The numbers of some rows of one model and question type."""
    first = rows[members[0]]
    chance = family.chance_of(first.question_type)
    counted = [place for place in members if delivered(rows[place]) is not None]
    whole = columns_of(rows).sample(counted)
    axis = size_axis(family)
    asked: dict[float, list[int]] = {}
    for place in members:
        if axis is not None and isinstance(size := axis_value(rows[place], axis.name), int | float):
            asked.setdefault(float(size), []).append(place)
    order = {place: number for number, place in enumerate(counted)}

    def by_size(scores: Sample) -> dict[float, Sample]:
        places = {size: [order[place] for place in asked[size] if place in order] for size in sorted(asked)}
        return {size: scores.at(np.array(own, dtype=np.int64)) for size, own in places.items()}

    parts = by_size(whole)
    total = tally(rows, members).claimed()
    wrongs = columns_of(rows).mean(members, wrong, wrong_at_worst)
    most = by_size(columns_of(rows).sample(counted, at_best))
    effective = effective_length(parts, chance=chance, threshold=threshold, at_best=most) if parts else None
    return Headline(
        model=first.model,
        family=family.name,
        question_type=first.question_type,
        tally=total,
        wrong=wrongs and claimed(wrongs, total.contexts),
        chance=chance,
        corrected=corrected(total.delivered, chance) if total.delivered else None,
        by_length=tuple(LengthTally(length=size, tally=tally(rows, asked[size]).claimed()) for size in parts),
        effective=effective,
        keeps=keeps_level(parts, chance=chance, share=threshold) if parts else None,
        repeats=repeat_spread(rows[place] for place in counted),
    )


def headline_at(each: Headline, rows: tuple[Row, ...], length: float) -> Headline | None:
    """The same numbers at one length alone; None if nothing was asked there."""
    found = next((at.tally for at in each.by_length if at.length == length), None)
    if found is None:
        return None
    wrongs = columns_of(rows).mean(found.rows, wrong, wrong_at_worst)
    return each.model_copy(
        update={
            "tally": found,
            "wrong": wrongs and claimed(wrongs, found.contexts),
            "corrected": corrected(found.delivered, each.chance) if found.delivered else None,
            "by_length": (),
            "effective": None,
            "keeps": None,
        }
    )


def repeat_spread(rows: Iterable[Row]) -> RepeatSpread | None:
    """How far the repeats of some items differ; None if every item was asked once."""
    found: dict[int, list[float]] = {}
    items: dict[Hashable, set[float]] = {}
    for row in rows:
        if (score := delivered(row)) is not None:
            found.setdefault(row.repeat, []).append(score)
            items.setdefault((row.model, row.bench, row.item, row.question), set()).add(score)
    if len(found) < 2:
        return None
    means = tuple(fmean(found[repeat]) for repeat in sorted(found))
    return RepeatSpread(accuracies=means, sd=stdev(means), same=fmean(len(own) == 1 for own in items.values()))


def size_axis(family: FamilyView) -> Axis | None:
    """The axis along which the input grows: tokens, or the family's own unit."""
    return family.length_axis() or next((axis for axis in family.axes if axis.scale == "log"), None)
