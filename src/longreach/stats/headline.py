"""The headline numbers: computed once per model, family, experiment, prompt and question type, and used by everything
that shows or checks a result."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from longreach.core.chart import Axis
from longreach.core.estimate import EffectiveLength, Estimate
from longreach.core.family_view import FamilyView, reach_key
from longreach.core.item import AxisValue
from longreach.core.model import Frozen
from longreach.core.row import Row

from .counting import Tally, axis_value, columns_of, delivered, tally, wrong
from .experiments import experiment_axes, experiments
from .intervals import mean_estimate
from .reach import THRESHOLD, corrected, effective_length, keeps_level
from .series import ordered

__all__ = ["Headline", "LengthScore", "headline", "headlines", "size_axis"]


class LengthScore(Frozen):
    """Delivered accuracy at one length."""

    length: float
    tally: Tally


class Headline(Frozen):
    """All numbers of one model on one question type."""

    model: str
    family: str
    experiment: str = ""
    """'comb layout', if there are several; empty: the default one."""
    experiment_values: tuple[AxisValue, ...] = ()
    """One per axis of `experiment_axes`."""
    prompt: str = ""
    """Empty: all prompts together."""
    question_type: str
    tally: Tally
    """Over all lengths: delivered and answered accuracy, counts."""
    wrong: Estimate | None
    """Graded and wrong, of all asked: on unanswerable questions, hallucinated."""
    chance: float
    """The score of guessing."""
    corrected: Estimate | None
    """Delivered accuracy corrected for chance: 0 is guessing."""
    by_length: tuple[LengthScore, ...] = ()
    """In order; empty if the family has no lengths."""
    effective: EffectiveLength | None = None
    """None if there are no lengths; its length is 0 if the model has no effective length."""
    keeps: EffectiveLength | None = None
    """The length up to which it holds its own level; None for a model that is not clearly above chance."""

    @property
    def delivered(self) -> Estimate | None:
        """Right of all asked."""
        return self.tally.delivered

    @property
    def answered(self) -> Estimate | None:
        """Right of answered."""
        return self.tally.answered

    @property
    def lengths(self) -> tuple[float, ...]:
        """Those tested."""
        return tuple(each.length for each in self.by_length)

    @property
    def longest(self) -> Tally | None:
        """At the longest length alone."""
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
                        reach = family.reach.get(reach_key(model, experiment.values, kind))
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
    places: dict[float, list[int]] = {}
    for number, place in enumerate(counted):
        if axis is not None and isinstance(size := axis_value(rows[place], axis.name), int | float):
            places.setdefault(float(size), []).append(number)
    asked: dict[float, list[int]] = {}
    for place in members:
        if axis is not None and isinstance(size := axis_value(rows[place], axis.name), int | float):
            asked.setdefault(float(size), []).append(place)
    parts = {size: whole.at(np.array(places.get(size, []), dtype=np.int64)) for size in sorted(asked)}
    total = tally(rows, members)
    wrongs = columns_of(rows).sample(members, wrong)
    return Headline(
        model=first.model,
        family=family.name,
        question_type=first.question_type,
        tally=total,
        wrong=mean_estimate(wrongs) if len(wrongs) else None,
        chance=chance,
        corrected=corrected(total.delivered, chance) if total.delivered else None,
        by_length=tuple(LengthScore(length=size, tally=tally(rows, asked[size])) for size in parts),
        effective=effective_length(parts, chance=chance, threshold=threshold) if parts else None,
        keeps=keeps_level(parts, chance=chance, share=threshold) if parts else None,
    )


def size_axis(family: FamilyView) -> Axis | None:
    """The axis along which the input grows: tokens, or the family's own unit."""
    return family.length_axis() or next((axis for axis in family.axes if axis.scale == "log"), None)
