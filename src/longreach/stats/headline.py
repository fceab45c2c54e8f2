"""The headline numbers, with effective length: computed once and used by everything that states them."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cache
from itertools import takewhile
from statistics import NormalDist, fmean, stdev

import numpy as np

from longreach.core.figure import Axis, FamilyView, effective_length_key
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
from .intervals import (
    FEWEST_ANSWERS,
    Floats,
    Sample,
    claimed,
    contrast,
    effective_sample,
    joined,
    mean_estimate,
    too_few,
)
from .series import ordered

# How far a model reaches: effective length, and the length up to which it holds its own level.

THRESHOLD = 0.85
"""Delivered accuracy, corrected for chance, that counts as reliable."""


def corrected(estimate: Estimate, chance: float) -> Estimate:
    low, value, high = ((end - chance) / (1 - chance) for end in (estimate.low, estimate.value, estimate.high))
    return estimate.model_copy(update={"value": value, "low": low, "high": high})


def effective_length(
    by_length: Mapping[float, Sample], *, chance: float = 0.0, threshold: float = THRESHOLD
) -> EffectiveLength:
    """The longest tested length up to which accuracy, corrected for chance, is shown to be at or above `threshold`.

    Accuracy is assumed not to rise with length: answers at longer lengths speak for shorter ones too, and a dip that
    longer lengths contradict is smoothed unless it is clear. The interval starts at the longest length that is clearly
    above the threshold and ends before the first that is clearly below it. A length with too few contexts or effective
    answers shows nothing. The samples must be parts of one sample."""
    _check(by_length, threshold, "effective length")
    bar = chance + threshold * (1 - chance)
    known = _known(by_length)
    places = _frontier(known, lambda sample: _above(claimed(mean_estimate(sample), sample.contexts), bar))
    base = mean_estimate(known[0]).value if known else None
    return _reach((0.0, *sorted(by_length)), places, base, threshold, known)


def keeps_level(
    by_length: Mapping[float, Sample], *, chance: float = 0.0, share: float = THRESHOLD
) -> EffectiveLength | None:
    """The longest tested length that holds `share` of the model's own score at the shortest, both corrected for chance;
    None for a model that is not clearly better than chance there."""
    _check(by_length, share, "level")
    known = _known(by_length)
    base = claimed(mean_estimate(known[0]), known[0].contexts) if known else None
    if base is None or base.low <= chance or base.value <= 0:
        return None
    # score(L) - chance >= share * (score(shortest) - chance)
    offset = chance * (1 - share)
    places = _frontier(known[1:], lambda sample: _above(contrast(sample, known[0], share), offset))
    return _reach(sorted(by_length), places, base.value, share, known[1:])


def _known(by_length: Mapping[float, Sample]) -> list[Sample]:
    """Samples in order of length; a length without any result ends what is known."""
    return list(takewhile(len, (by_length[length] for length in sorted(by_length))))


def _above(estimate: Estimate, bar: float) -> Estimate:
    return Estimate(value=estimate.value - bar, low=estimate.low - bar, high=estimate.high - bar, n=estimate.n)


def _reach(
    ends: Sequence[float], places: tuple[int, int, int], base: float | None, share: float, known: Sequence[Sample]
) -> EffectiveLength:
    low, observed, high = (ends[place] for place in places)
    # What ends the claim: too little at the first length that is not shown, unless the answers there are against it.
    few = _too_little(known, places[0]) if places[0] < min(places[1], len(known)) or high > low else ""
    return EffectiveLength(length=low, observed=observed, high=high, few=few, base=base, share=share)


def _too_little(known: Sequence[Sample], place: int) -> str:
    """'too few: 3 contexts', 'too few: 14 effective answers': why a length shows nothing; empty if it has enough.
    Effective answers at longer lengths count too."""
    if place >= len(known):
        return ""
    if few := too_few(known[place].contexts):
        return few
    worth = max(effective_sample(joined(known[place:end]))[0] for end in range(place + 1, len(known) + 1))
    return "" if worth >= FEWEST_ANSWERS else f"too few: {worth:.0f} effective answers"


def _frontier(known: Sequence[Sample], level: Callable[[Sample], Estimate]) -> tuple[int, int, int]:
    """How many lengths hold a level (0 is the threshold): at least, the best guess, at most.

    Of several lengths one may be clearly below or above by chance. Being above counts if the mean with any number of
    shorter lengths is clearly above too; likewise being below, with longer lengths, unless the length alone is below
    with an interval wide enough for that many lengths: a dip."""
    if not known:
        return 0, 0, 0
    count = len(known)
    levels = [level(sample) for sample in known]
    wider = NormalDist().inv_cdf(1 - 0.025 / count) / NormalDist().inv_cdf(0.975)

    # The tolerance below prevents a score equal to the threshold from failing by rounding.
    @cache
    def together(first: int, end: int) -> Estimate:
        return level(joined(known[first:end]))

    def dips(own: Estimate) -> bool:
        return own.value + wider * (own.high - own.value) < -1e-12

    def shown(number: int) -> bool:
        """Alone or with longer lengths, and with any number of shorter ones."""
        ends = range(number, count + 1)
        return any(all(together(first, end).low >= -1e-12 for first in range(number - 1, -1, -1)) for end in ends)

    def below(number: int) -> bool:
        return all(together(number, end).high < -1e-12 for end in range(number + 1, count + 1))

    high = next((number for number in range(count) if dips(levels[number]) or below(number)), count)
    low = sum(1 for _ in takewhile(lambda n: shown(n) and not _too_little(known, n - 1), range(1, high + 1)))
    smooth = _falling(np.array([each.value for each in levels]), np.array([float(each.n) for each in levels]))
    point = int((smooth >= -1e-12).sum())
    return low, min(max(point, low), high), high


def _falling(values: Floats, weights: Floats) -> Floats:
    """The nearest sequence that never rises (pool adjacent violators)."""
    blocks: list[list[float]] = []
    for value, weight in zip(values.tolist(), weights.tolist(), strict=True):
        blocks.append([value, weight, 1])
        while len(blocks) > 1 and blocks[-2][0] < blocks[-1][0]:
            later = blocks.pop()
            before = blocks[-1]
            whole = before[1] + later[1]
            before[0] = (before[0] * before[1] + later[0] * later[1]) / whole
            before[1], before[2] = whole, before[2] + later[2]
    return np.concatenate([np.full(int(size), value) for value, _, size in blocks])


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
            several = len({prompt for prompt, _ in groups}) > 1
            about = {"experiment": experiment.label, "experiment_values": experiment.values}
            for prompt in map(str, ordered((prompt for prompt, _ in groups), family.axis("prompt"))):
                for kind in map(str, ordered((kind for _, kind in groups), family.axis("question_type"))):
                    if members := groups.get((prompt, kind)):
                        made = headline(rows, members, family, threshold=threshold)
                        reach = family.reach.get(effective_length_key(model, experiment.values, kind))
                        if reach is not None and not several:  # a search is about all prompts together
                            made = made.model_copy(update={"effective": reach})
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
    effective = effective_length(parts, chance=chance, threshold=threshold) if parts else None
    if effective and total.undecided:  # what a judge may still decide could reach further
        most = by_size(columns_of(rows).sample(counted, at_best))
        high = effective_length(most, chance=chance, threshold=threshold).high
        effective = effective.model_copy(update={"high": max(effective.high, high)})
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
