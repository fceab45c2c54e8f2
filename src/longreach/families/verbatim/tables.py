"""Every score in rows and columns: means with their intervals, both ways of counting answers that were cut off."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longreach.core.estimate import Estimate
from longreach.core.figure import Column, Table
from longreach.core.row import Row
from longreach.stats.counting import sample, tally
from longreach.stats.intervals import paired_difference

from .accounting import KINDS
from .grade import main_measure
from .results import Cell, cells, estimate, input_of, is_copy, measured, spread, values

__all__ = ["cost_table", "order_table", "score_table"]

_Entry = Estimate | int | float | str | None
_WHERE = (
    Column(title="Model"),
    Column(title="Task"),
    Column(title="Corpus"),
    Column(title="Order"),
    Column(title="Digits", unit="count"),
    Column(title="Items", unit="count"),
)


def _where(cell: Cell) -> tuple[_Entry, ...]:
    task = f"{cell.task}, copy only" if is_copy(cell.question_type) else cell.task
    return cell.model, task, cell.corpus, cell.order, cell.digits or None, cell.n


def score_table(grouped: Mapping[Cell, Sequence[Row]]) -> Table | None:
    """Main score with interval, sd and n; beside it the other measures, and what was cut off counted both ways."""
    rows: list[tuple[_Entry, ...]] = []
    for cell, held in grouped.items():
        name = main_measure(cell.question_type)
        cut = [row for row in held if row.verdict.status == "truncated"]
        whole = [row for row in held if row.verdict.status != "truncated"]
        rows.append(
            (
                *_where(cell),
                tally(held).delivered,
                estimate(held, name),
                spread(values(held, name)),
                len(values(held, name)),
                len(held),
                len(cut),
                _room(cut, whole, name),
                _mean(values(held, "corrected")),
                _mean(values(held, "floor")),
                _mean(values(held, "ratio")),
                _mean(values(held, "exact")),
                _mean(values(held, "precision")),
                _mean(values(held, "semantic")),
            )
        )
    if not rows:
        return None
    return Table(
        id="verbatim-scores",
        title="All scores",
        note="Score: similarity for sort and restore, mean recall of the categories for group, recall of the names for "
        "its copy; an answer that was cut off counts as far as it got. Delivered: the same, but what was cut off, "
        "refused or not readable counts 0. In its room: answers that were cut off are held only against the part they "
        "had room for. Corrected: 0 is what the unprocessed input scores, 1 is perfect.",
        columns=(
            *_WHERE,
            Column(title="Delivered", unit="share"),
            Column(title="Score", unit="share"),
            Column(title="sd", unit="share"),
            Column(title="Scored", unit="count"),
            Column(title="Asked", unit="count"),
            Column(title="Cut off", unit="count"),
            Column(title="Score in its room", unit="share"),
            Column(title="Corrected", unit="number"),
            Column(title="Floor", unit="share"),
            Column(title="Ratio", unit="share"),
            Column(title="Exact", unit="share"),
            Column(title="Precision", unit="share"),
            Column(title="Meaning", unit="share"),
        ),
        rows=tuple(rows),
    )


def _room(cut: Sequence[Row], whole: Sequence[Row], name: str) -> float | None:
    """The mean where answers that were cut off count by the part they had room for; None where none was."""
    return _mean([*values(cut, f"room_{name}"), *values(whole, name)]) if cut else None


def cost_table(rows: Sequence[Row]) -> Table | None:
    """What reasoning costs: copying less the task, over the same inputs."""
    copies = {(row.model, row.bench, input_of(row)): row for row in rows if is_copy(row.question_type)}
    found: list[tuple[_Entry, ...]] = []
    for cell, held in cells(row for row in rows if not is_copy(row.question_type)).items():
        # For names, what copying can be held against is finding the name at all.
        name = "global_recall" if cell.task == "group" else main_measure(cell.question_type)
        pairs: list[tuple[float, float]] = []
        inputs: list[Row] = []
        for row in held:
            copy = copies.get((row.model, row.bench, input_of(row)))
            copied = measured(copy, name) if copy else None
            done = measured(row, name)
            if copied is not None and done is not None:
                pairs.append((copied, done))
                inputs.append(row)
        if pairs:
            copied_all, done_all = [one for one, _ in pairs], [other for _, other in pairs]
            gap = paired_difference(copied_all, done_all, sample(inputs, lambda _: 0.0))
            found.append((*_where(cell), _mean(copied_all), _mean(done_all), gap, len(pairs)))
    if not found:
        return None
    return Table(
        id="verbatim-cost",
        title="What reasoning costs",
        note="Copying the input less doing the task, on the same inputs. For group both are recall of names.",
        columns=(
            *_WHERE,
            Column(title="Copying", unit="share"),
            Column(title="The task", unit="share"),
            Column(title="Cost", unit="points"),
            Column(title="Pairs", unit="count"),
        ),
        rows=tuple(found),
    )


def order_table(grouped: Mapping[Cell, Sequence[Row]]) -> Table | None:
    """Item accounting and order, in numbers."""
    rows = [
        (
            *_where(cell),
            *(_mean(values(held, kind)) for kind in KINDS),
            _mean(values(held, "kendall_tau")),
            _mean(values(held, "longest_run")),
            _layers(held),
        )
        for cell, held in grouped.items()
        if values(held, "given")
    ]
    if not rows:
        return None
    return Table(
        id="verbatim-items",
        title="Items and their order",
        note="Mean numbers of items. Kendall's tau and the longest run of items that follow each other as they should "
        "are over the items kept exactly.",
        columns=(
            *_WHERE,
            *(Column(title=kind.capitalize(), unit="number") for kind in KINDS),
            Column(title="Kendall's tau", unit="number"),
            Column(title="Longest run", unit="number"),
            Column(title="Read as"),
        ),
        rows=tuple(rows),
    )


def _layers(rows: Sequence[Row]) -> str:
    """How the answers could be read: 'list 4, lines 1'."""
    from .parsing import LAYERS

    found = [int(value) for value in values(rows, "layer")]
    counts = [(name, found.count(number)) for number, name in enumerate(LAYERS, 1)]
    return ", ".join(f"{name} {count}" for name, count in counts if count)


def _mean(numbers: Sequence[float]) -> float | None:
    return sum(numbers) / len(numbers) if numbers else None
