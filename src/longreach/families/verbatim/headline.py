"""The verdict on a model in one sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longreach.core.row import Row
from longreach.stats.counting import delivered

from .results import Cell, cells, estimate, is_copy, mean, values

__all__ = ["headline"]

_DOING = {
    "sort": ("sorting {} numbers", "corrected score"),
    "restore": ("putting {} sentences back in order", "corrected score"),
    "group": ("grouping {} names", "F1"),
}
_FEW = 3
"""Minimum answers for a meaningful interval."""


def headline(rows: Sequence[Row], model: str) -> str:
    """A model's result at the largest size of each task: the score, corrected for what the input itself scores, with
    its interval, Kendall's tau and the floor.
    """
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
    beside = [f"95 % CI {100 * found.low:.0f}-{100 * found.high:.0f}, n = {found.n}"]
    if task != "group":
        tau, floor = mean(values(rows, "kendall_tau")), mean(values(rows, "floor"))
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
