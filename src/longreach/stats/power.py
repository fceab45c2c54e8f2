"""What a benchmark can show before a single request: how wide its intervals will be, and the smallest detectable
drop."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from longreach.core.bench import Bench
from longreach.core.types import Frozen, Item

from .counting import SIZES
from .intervals import POWERED

_ACCURACY = 0.85
"""The accuracy that a plan assumes: that of a model at its effective length."""
_Z = 1.959963984540054
_CORRELATION = (0.3, 0.1)
_PAIRED = 0.6
"""Assumed correlation of two runs on the same questions."""


class Power(Frozen):
    """What one question type of a benchmark can show about one model."""

    question_type: str
    questions: int
    """Different questions, over all lengths."""
    asked: int
    """Per length, at the length with the fewest."""
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

    def line(self) -> str:
        """For a terminal."""
        text = (
            f"{self.question_type}: {self.asked} answers per length carry the information of {self.effective:.0f} "
            f"independent answers; 95 % CI ±{100 * self.width:.0f} points at 85 % right; smallest detectable drop "
            f"{100 * self.drop:.0f} points between lengths, {100 * self.drop_paired:.0f} between models"
        )
        if self.needed is None:
            return text
        return (
            f"{text}; needed per length: {self.needed_questions} questions about different contexts, or {self.needed} "
            f"answers as here"
        )


def powers(bench: Bench, *, detect: float | None = None) -> tuple[Power, ...]:
    """Per question type; `detect` is a drop (a share of 1) to be detected."""
    types = dict.fromkeys(question.question_type for question in bench.questions.values())
    groups: dict[str, dict[object, list[tuple[Item, str]]]] = {kind: {} for kind in types}
    for item in bench.items.values():
        size = next((item.cell[name] for name in SIZES if name in item.cell), "")
        for question in item.questions:
            kind = bench.questions[question].question_type
            groups.setdefault(kind, {}).setdefault(size, []).append((item, question))
    return tuple(_power(kind, list(by_size.values()), detect) for kind, by_size in groups.items() if by_size)


def _power(kind: str, lengths: Sequence[Sequence[tuple[Item, str]]], detect: float | None) -> Power:
    fewest = min(lengths, key=len)
    design = _design(fewest)
    worth = len(fewest) / design
    error = math.sqrt(_ACCURACY * (1 - _ACCURACY) / worth)
    # Two lengths share their questions in part; without knowing how much, they are assumed independent.
    alone = _both(detect) * ((_Z + POWERED) / detect) ** 2 if detect else None
    return Power(
        question_type=kind,
        questions=len({question for length in lengths for _, question in length}),
        asked=len(fewest),
        effective=round(worth, 1),
        width=round(_Z * error, 4),
        drop=round(_smallest(worth), 4),
        drop_paired=round(_smallest(worth / (1 - _PAIRED)), 4),
        needed=math.ceil(alone * design) if alone else None,
        needed_questions=math.ceil(alone) if alone else None,
    )


def _both(drop: float) -> float:
    """The variance of one answer before a drop plus that of one after it."""
    after = max(0.0, _ACCURACY - drop)
    return _ACCURACY * (1 - _ACCURACY) + after * (1 - after)


def _smallest(worth: float) -> float:
    """The smallest drop that `worth` independent answers on each side show in 80 % of runs; at most 1."""
    low, high = 0.0, 1.0
    for _ in range(40):
        drop = (low + high) / 2
        shown = drop >= (_Z + POWERED) * math.sqrt(_both(drop) / worth)
        low, high = (low, drop) if shown else (drop, high)
    return high


def _design(asked: Sequence[tuple[Item, str]]) -> float:
    """How many answers are worth one independent answer, under the usual correlations."""
    n = len(asked)
    contexts = [item.context.sha256 if item.context.tokens else item.id for item, _ in asked]
    design = 1.0
    for labels, shared in zip(([question for _, question in asked], contexts), _CORRELATION, strict=True):
        sizes = np.unique(np.array(labels), return_counts=True)[1].astype(np.float64)
        if len(sizes) > 1:
            design += shared * (float((sizes**2).sum()) / n - 1)
    return design
