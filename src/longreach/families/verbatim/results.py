"""Rows grouped by what may be pooled, and the verdict on a model in one sentence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from longreach.core.figure import Dot
from longreach.core.formatting import ci_text
from longreach.core.types import AxisValue, Estimate, Frozen, Row
from longreach.families.base import MEANING
from longreach.stats.counting import delivered, sample
from longreach.stats.intervals import mean_estimate

from .samples import COPY, base_task

# Rows grouped by what may be pooled: one model, one task, one size, one order, one corpus, one number of digits.

_GRADED = ("scored", "truncated")


class Cell(Frozen):
    """The fields by which results must not be pooled."""

    model: str
    question_type: str
    corpus: str
    order: str
    digits: int
    n: int

    @property
    def task(self) -> str:
        return base_task(self.question_type)


def is_copy(question_type: str) -> bool:
    """Whether a question type is a copy-only control."""
    return question_type.endswith(COPY)


def cells(rows: Iterable[Row]) -> dict[Cell, list[Row]]:
    """Rows by cell, in the order of models, tasks, corpora, orders, digits and sizes."""
    found: dict[Cell, list[Row]] = {}
    for row in rows:
        cell = Cell(
            model=row.model,
            question_type=row.question_type,
            corpus=str(row.cell.get("corpus", "")),
            order=str(row.cell.get("order", "")),
            digits=_whole(row.cell.get("digits", 0)),
            n=_whole(row.cell.get("n", 0)),
        )
        found.setdefault(cell, []).append(row)
    order = ("sort", "restore", "group")
    return dict(
        sorted(
            found.items(),
            key=lambda entry: (
                entry[0].model,
                order.index(entry[0].task) if entry[0].task in order else len(order),
                entry[0].corpus,
                is_copy(entry[0].question_type),
                entry[0].order,
                entry[0].digits,
                entry[0].n,
            ),
        )
    )


def _whole(value: AxisValue) -> int:
    return int(value) if not isinstance(value, str) else 0


def measured(row: Row, name: str) -> float | None:
    """A measure of an answer. A truncated answer has it too, although it has no value."""
    return row.verdict.scores.get(name) if row.verdict.status in _GRADED else None


def values(rows: Sequence[Row], name: str) -> list[float]:
    """One measure of all answers that have it."""
    found = (measured(row, name) for row in rows)
    return [value for value in found if value is not None]


def meaning_measure(rows: Sequence[Row]) -> str:
    """The name of the similarity of meaning that rows have: by the embedder that was asked for, else by the offline
    one."""
    found = {name for row in rows for name in row.verdict.scores if name.startswith(MEANING)}
    return max(found, key=len, default=MEANING)


def spread(numbers: Sequence[float]) -> float | None:
    """Standard deviation over the samples (n - 1), as far as there are two."""
    if len(numbers) < 2:
        return None
    middle = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((number - middle) ** 2 for number in numbers) / (len(numbers) - 1))


def estimate(rows: Sequence[Row]) -> Estimate | None:
    """Delivered score with the 95 % CI that its spread over the samples gives."""
    found = sample(rows)
    return mean_estimate(found) if len(found) else None


def mean(numbers: Sequence[float]) -> float | None:
    """Mean of some numbers; None where there is none."""
    return math.fsum(numbers) / len(numbers) if numbers else None


def dot(x: AxisValue, rows: Sequence[Row], name: str) -> Dot:
    """Mean of a measure with its 95 % CI."""
    found = sample(rows, lambda row: measured(row, name))
    if not len(found):
        return Dot(x=x, y=None, note=_note(rows, 0))
    middle = mean_estimate(found)
    return Dot(x=x, y=middle.value, low=middle.low, high=middle.high, note=_note(rows, len(found)))


def _note(rows: Sequence[Row], scored: int) -> str:
    parts = [f"{scored} of {len(rows)} answers"]
    if cut := sum(row.verdict.status == "truncated" for row in rows):
        parts.append(f"{cut} cut off")
    return ", ".join(parts)


def input_of(row: Row) -> str:
    """The input of a row: its item's id without the question's part."""
    return row.item.rpartition("-")[0]


# The verdict on a model in one sentence.

_DOING = {
    "sort": ("sorting {} numbers", "of items unchanged and in order"),
    "restore": ("putting {} sentences back in order", "of items unchanged and in order"),
    "group": ("grouping {} names", "F1"),
}
_FEW = 3
"""Minimum answers for a meaningful interval."""


def headline(rows: Sequence[Row], model: str) -> str:
    """A model's result at the largest size of each task: the share of items unchanged and in order with its interval,
    exactly right outputs, Kendall's tau and the paper's similarity."""
    grouped = {cell: held for cell, held in cells(rows).items() if cell.model == model}
    clauses: list[str] = []
    largest: list[Row] = []
    for task in _DOING:
        asked = [cell for cell in grouped if cell.question_type == task]
        if asked:
            size = max(cell.n for cell in asked)
            held = [row for cell in asked if cell.n == size for row in grouped[cell]]
            copies = [cell for cell in grouped if cell.task == task and is_copy(cell.question_type) and cell.n == size]
            clauses.append(_clause(task, size, held, _copied(grouped, copies)))
            largest += held
    if not clauses:
        return ""
    return f"{model} at the largest sizes tried: {'; '.join(clauses)}.{_cut_off(largest)}"


def _clause(task: str, size: int, rows: Sequence[Row], copied: str) -> str:
    doing, measure = _DOING[task]
    what = doing.format(f"{size:,}")
    if not values(rows, "given"):
        return f"{what}: none of {len(rows)} answers could be scored"
    found = estimate(rows)
    if found is None:
        return f"{what}: no answer came back"
    beside = [f"{ci_text(found)}, n = {found.n}"]
    if task != "group":
        tau, floor = mean(values(rows, "kendall_tau")), mean(values(rows, "floor"))
        exact, alike = mean(values(rows, "exact")), mean(values(rows, "similarity"))
        beside += [] if exact is None else [f"{100 * exact:.0f} % of outputs exactly right"]
        beside += [] if alike is None else [f"the paper's similarity {100 * alike:.0f} %"]
        beside.append("Kendall's tau not defined" if tau is None else f"Kendall's tau {tau:.2f}")
        beside += [] if floor is None else [f"floor {100 * floor:.0f} % raw similarity"]
    kept = mean(values(rows, "kept_share")) or 0.0
    beside += [f"{100 * kept:.0f} % of items unchanged", *([copied] if copied else [])]
    doubt = "low confidence: " if found.n < _FEW else ""
    return f"{what} {doubt}{100 * found.value:.0f} % {measure} ({', '.join(beside)})"


def _copied(grouped: Mapping[Cell, Sequence[Row]], copies: Sequence[Cell]) -> str:
    found = mean([score for cell in copies for row in grouped[cell] if (score := delivered(row)) is not None])
    return "" if found is None else f"{100 * found:.0f} % when only copying"


def _cut_off(rows: Sequence[Row]) -> str:
    """Answers that ended early: by the output cap, or possibly."""
    cut = sum(row.verdict.status == "truncated" for row in rows)
    early = sum(row.verdict.status == "scored" and bool(row.verdict.scores.get("prefix")) for row in rows)
    note = ""
    if cut:
        note += f" {cut} of these answers {'was' if cut == 1 else 'were'} cut off and count as far as they go."
    if early:
        are = "is an exact prefix" if early == 1 else "are exact prefixes"
        note += f" {early} of these answers {are} of the right one: perhaps cut off."
    return note
