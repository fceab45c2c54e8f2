"""What a benchmark can show before a single request: how wide its intervals will be, and the smallest detectable
drop."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import count as count_from

import numpy as np

from longreach.core.bench import Bench
from longreach.core.types import Frozen, Item

from .counting import SIZES
from .headline import THRESHOLD, effective_length
from .intervals import FEWEST_CONTEXTS, POWERED, Correlations, Sample, smallest, wilson

_ACCURACY = 0.85
"""The accuracy that a plan assumes: that of a model at its effective length."""
_Z = 1.959963984540054
_PAIRED = 0.6
"""Assumed correlation of two runs on the same questions."""


class Power(Frozen):
    """What one question type of a benchmark can show about one model."""

    question_type: str
    questions: int
    """Different questions, over all lengths."""
    asked: int
    """Per length, at the length with the fewest."""
    contexts: int
    """Different contexts there."""
    shows: float
    """The longest length up to which a model that answers everything right is shown to be reliable; 0 if none."""
    longest: float
    """The longest length; 0 if there are none."""
    contexts_needed: int
    """Contexts per length, about, that show it at the longest too; more than there are where they do not."""
    effective: float
    """The number of independent answers that those are worth, given that questions differ and contexts are shared."""
    width: float
    """Half of the 95 % confidence interval at one length, for an accuracy of 85 %."""
    drop: float
    """The smallest drop between two lengths that 80 % of runs will show clearly."""
    drop_paired: float
    """The same between two models or runs on the same questions."""
    needed: int | None = None
    """Answers per length that would show a requested drop between two lengths, shared as here; None if none is
    requested."""
    needed_questions: int | None = None
    """The same with different questions about different contexts, each asked once."""
    flag: str = ""
    """The flag of `build` that adds contexts."""

    def line(self) -> str:
        text = (
            f"{self.question_type}: {self.asked} answers per length carry the information of {self.effective:.0f} "
            f"independent answers; 95 % CI ±{100 * self.width:.0f} points at 85 % right; smallest detectable drop "
            f"{100 * self.drop:.0f} points between lengths, {100 * self.drop_paired:.0f} between models"
        )
        if self.needed is None:
            return text
        return (
            f"{text}; needed per length: {self.needed_questions} questions about different contexts, or {self.needed} "
            f"answers as here ({math.ceil(self.needed * self.contexts / self.asked)} contexts"
            f"{f': more {self.flag}' if self.flag else ''})"
        )


def powers(
    bench: Bench, *, detect: float | None = None, flag: str = "", chance: Callable[[str], float] = lambda _: 0.0
) -> tuple[Power, ...]:
    """Per question type; `detect` is a drop (a share of 1) to be detected, `flag` the one that adds contexts, `chance`
    the score of guessing on a question type."""
    types = dict.fromkeys(question.question_type for question in bench.questions.values())
    groups: dict[str, dict[object, list[tuple[Item, str]]]] = {kind: {} for kind in types}
    for item in bench.items.values():
        size = next((item.cell[name] for name in SIZES if name in item.cell), "")
        for question in item.questions:
            kind = bench.questions[question].question_type
            groups.setdefault(kind, {}).setdefault(size, []).append((item, question))
    return tuple(_power(kind, by_size, detect, flag, chance(kind)) for kind, by_size in groups.items() if by_size)


def _power(
    kind: str, lengths: Mapping[object, Sequence[tuple[Item, str]]], detect: float | None, flag: str, chance: float
) -> Power:
    every = _perfect([asked for own in lengths.values() for asked in own])
    ends = np.cumsum([len(own) for own in lengths.values()]).tolist()
    parts = [every.at(np.arange(end - len(own), end)) for end, own in zip(ends, lengths.values(), strict=True)]
    sized = {float(size): part for size, part in zip(lengths, parts, strict=True) if isinstance(size, int | float)}
    longest = max(sized, default=0.0)
    fewest = min(parts, key=len)
    design = Correlations.of(fewest).design(fewest)
    worth = len(fewest) / design
    last = sized.get(longest, fewest)
    error = math.sqrt(_ACCURACY * (1 - _ACCURACY) / worth)
    bar = chance + THRESHOLD * (1 - chance)
    # Independent answers, all right; where guessing is always right, no number of them shows anything.
    enough = next(n for n in count_from(1) if wilson(n, n).low >= min(bar, 0.999))
    # Two lengths share their questions in part; without knowing how much, they are assumed independent.
    alone = _both(detect) * ((_Z + POWERED) / detect) ** 2 if detect else None
    shows = effective_length(sized, chance=chance).length if sized else 0.0
    more = math.ceil(last.contexts * enough * Correlations.of(last).design(last) / len(last))
    return Power(
        question_type=kind,
        questions=len({question for length in lengths.values() for _, question in length}),
        asked=len(fewest),
        contexts=min(sample.contexts for sample in sized.values()) if sized else fewest.contexts,
        shows=shows,
        longest=longest,
        contexts_needed=max(FEWEST_CONTEXTS, more, last.contexts + 1 if shows < longest else 0),
        effective=round(worth, 1),
        width=round(_Z * error, 4),
        drop=round(_smallest(worth), 4),
        drop_paired=round(_smallest(worth / (1 - _PAIRED)), 4),
        needed=math.ceil(alone * design) if alone else None,
        needed_questions=math.ceil(alone) if alone else None,
        flag=flag,
    )


def _perfect(asked: Sequence[tuple[Item, str]]) -> Sample:
    """The answers of a model that is always right: they show nothing of how alike they are."""
    contexts = [item.context.sha256 if item.context.tokens else item.id for item, _ in asked]
    return Sample.of(np.ones(len(asked)), [question for _, question in asked], contexts)


def _both(drop: float) -> float:
    """The variance of one answer before a drop plus that of one after it."""
    after = max(0.0, _ACCURACY - drop)
    return _ACCURACY * (1 - _ACCURACY) + after * (1 - after)


def _smallest(worth: float) -> float:
    """The smallest drop that `worth` independent answers on each side show in 80 % of runs; at most 1."""
    return smallest(lambda drop: drop >= (_Z + POWERED) * math.sqrt(_both(drop) / worth))
