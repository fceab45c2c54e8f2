"""What counts: the two accuracies, what answers have in common, and the tally of a group of questions."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Literal

import numpy as np

from longreach.core.estimate import Estimate
from longreach.core.item import AxisValue
from longreach.core.model import Frozen
from longreach.core.row import Row
from longreach.core.verdict import STATUSES

from .intervals import Sample, mean_estimate

__all__ = ["FAULTS", "Scope", "Tally", "answered", "axis_value", "delivered", "sample", "scope_of", "tally", "wrong"]

FAULTS = ("error", "judge_failed")
"""Faults of the provider or the judge, not of the model: in no accuracy, counted separately."""
_GRADED = ("scored", "truncated")
GROUPS = ("fact_set", "document", "story", "book")
"""Axes whose values group several related questions; any family may use them in its cells."""
SIZES = ("length", "n")
"""Axes along which the input grows: fixed by design, so that differences along them are no uncertainty."""

Scope = Literal["questions and contexts", "questions", "contexts"]
"""The population of an interval: all questions and contexts of this kind; all questions of this kind about these
contexts; or these questions about contexts of this kind."""


class Tally(Frozen):
    """The counts and accuracies of a group of questions."""

    asked: int
    faults: int
    """Of them, lost to the provider or the judge: in no accuracy."""
    scored: int
    """Of them, answered in a gradable form."""
    right: float
    """Sum of the scores."""
    delivered: Estimate | None
    """Right of all asked, without faults: what a user gets. None if nothing is left."""
    answered: Estimate | None
    """Right of answered: without refusals, format errors, truncated answers and overflows. None if none was
    answered."""
    statuses: dict[str, int]
    """Count of every status, zero included."""
    items: tuple[str, ...]
    """Ids of the items behind it."""
    rows: tuple[int, ...]
    """Indexes of the rows behind it, in the rows that were grouped."""

    @property
    def counted(self) -> int:
        """Questions in the delivered accuracy."""
        return self.asked - self.faults


def delivered(row: Row) -> float | None:
    """The score that a user got: 0 if refused, too long or unreadable; a truncated answer gets its partial credit, if
    the family gives any; None for a fault."""
    if row.verdict.status in FAULTS:
        return None
    return row.verdict.value or 0.0 if row.verdict.status in _GRADED else 0.0


def answered(row: Row) -> float | None:
    """The score of a gradable answer; None for everything else."""
    return row.verdict.value if row.verdict.status == "scored" else None


def wrong(row: Row) -> float | None:
    """The wrong part of a graded answer; 0 if there was none, None for a fault."""
    if row.verdict.status in FAULTS:
        return None
    return 1 - (row.verdict.value or 0.0) if row.verdict.status == "scored" else 0.0


def axis_value(row: Row, name: str) -> AxisValue | None:
    """A row's value on an axis; None if its cell has no such axis."""
    return row.question_type if name == "question_type" else row.cell.get(name)


def sample(rows: Sequence[Row], score: Callable[[Row], float | None] = delivered) -> Sample:
    """The scores of some rows, with what they have in common: question, context, larger groups."""
    taken = [(row, value) for row in rows if (value := score(row)) is not None]
    return Sample.of(
        (value for _, value in taken),
        [(row.bench, row.question) for row, _ in taken],
        [_context(row) for row, _ in taken],
        [
            [(row.bench, row.cell[name]) for row, _ in taken]
            for name in GROUPS
            if taken and all(name in row.cell for row, _ in taken)
        ],
        [_size(row) for row, _ in taken],
    )


def tally(rows: Sequence[Row], members: Iterable[int] | None = None) -> Tally:
    """Count some rows; `members` are their indexes, by default all."""
    places = tuple(range(len(rows)) if members is None else members)
    own = [rows[place] for place in places]
    statuses: dict[str, int] = dict.fromkeys(STATUSES, 0)
    for row in own:
        statuses[row.verdict.status] += 1
    asked_for = sample(own)
    # If everything was scored, the two accuracies are the same number.
    whole = statuses["scored"] == len(own) and all(row.verdict.value is not None for row in own)
    graded = asked_for if whole else sample(own, answered)
    right_of_all = mean_estimate(asked_for) if len(asked_for) else None
    right_of_answered = mean_estimate(graded) if len(graded) and not whole else None
    return Tally(
        asked=len(own),
        faults=sum(statuses[status] for status in FAULTS),
        scored=len(graded),
        right=float(graded.values.sum()),
        delivered=right_of_all,
        answered=right_of_all if whole else right_of_answered,
        statuses=statuses,
        items=tuple(dict.fromkeys(item for row in own for item in row.items)),
        rows=places,
    )


def scope_of(found: Sample) -> Scope:
    """The population that a sample's interval covers."""
    questions, contexts, lengths = (len(np.unique(each)) for each in (found.question, found.context, found.strata))
    if questions > 1 and contexts > lengths:
        return "questions and contexts"
    return "questions" if questions > 1 else "contexts"


def _context(row: Row) -> Hashable:
    """Requests that differ only in their rules share one context: it is a cell without its prompt."""
    if row.context:
        return row.bench, row.context
    return row.bench, tuple(sorted((name, str(value)) for name, value in row.cell.items() if name != "prompt"))


def _size(row: Row) -> Hashable:
    return next((row.cell[name] for name in SIZES if name in row.cell), "")
