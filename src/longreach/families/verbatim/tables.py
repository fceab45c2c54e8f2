"""Every score as a table, with its confidence interval and what truncated answers had room for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longreach.core.figure import Entry, Table, columns
from longreach.core.row import Row
from longreach.grading.reading.item_lists import LAYERS
from longreach.stats.counting import delivered, sample
from longreach.stats.intervals import paired_difference

from .accounting import KINDS
from .grade import SCORE, paper_measure
from .results import Cell, cells, estimate, input_of, is_copy, mean, measured, spread, values

__all__ = ["cost_table", "order_table", "score_table"]

_WHERE = (*columns("Model", "Task", "Corpus", "Order"), *columns("Digits", "Items", unit="count"))

_MEASURES = ("ratio", "exact", "precision", "semantic")


def _where(cell: Cell) -> tuple[Entry, ...]:
    task = f"{cell.task}, copy only" if is_copy(cell.question_type) else cell.task
    return cell.model, task, cell.corpus, cell.order, cell.digits or None, cell.n


def score_table(grouped: Mapping[Cell, Sequence[Row]]) -> Table | None:
    """One score per cell with its interval, sd and n, and order, floor and the paper's measures."""
    rows: list[tuple[Entry, ...]] = []
    cut_off = prefixes = 0
    for cell, held in grouped.items():
        scores = [score for row in held if (score := delivered(row)) is not None]
        cut = [row for row in held if row.verdict.status == "truncated"]
        early = [row for row in held if row.verdict.status == "scored" and row.verdict.scores.get("prefix")]
        cut_off, prefixes = cut_off + len(cut), prefixes + len(early)
        rows.append(
            (
                *_where(cell),
                estimate(held),
                mean(values(held, "kendall_tau")),
                mean(values(held, "floor")),
                spread(scores),
                len(values(held, SCORE)),
                len(held),
                len(cut),
                _in_room(held) if cut else None,
                len(early),
                *(mean(values(held, name)) for name in (paper_measure(cell.question_type), *_MEASURES)),
            )
        )
    if not rows:
        return None
    note = (
        "Score: 1 where items and order are right, 0 where the input would score as much; for group, F1 of names in "
        "their categories; for a copy, similarity. What could not be read or was refused counts 0. The 95 % CI comes "
        "from the spread over the samples. Kendall's tau: order of the items kept exactly (1 right, 0 shuffled). "
        "Floor: similarity of the unprocessed input to the right answer. Raw similarity is the paper's "
        "measure (recall for group); it is never near 0."
    )
    if cut_off:
        note += " An answer that was cut off counts as far as it goes; in its room: held against that part alone."
    if prefixes:
        note += (
            f" {prefixes} of the answers end{'s' if prefixes == 1 else ''} early but right so far, with no sign that "
            f"the output cap was reached: perhaps cut off (imported without a finish reason?)."
        )
    return Table(
        id="verbatim-scores",
        title="All scores",
        note=note,
        columns=(
            *_WHERE,
            *columns("Score", unit="share"),
            *columns("Kendall's tau", unit="number"),
            *columns("Floor", "sd", unit="share"),
            *columns("Scored", "Asked", "Cut off", unit="count"),
            *columns("Score in its room", unit="share"),
            *columns("Exact prefix", unit="count"),
            *columns("Raw similarity", "Ratio", "Exact", "Precision", "Meaning", unit="share"),
        ),
        rows=tuple(rows),
    )


def _in_room(rows: Sequence[Row]) -> float | None:
    """The mean score where truncated answers count by the part they had room for."""
    own = [
        row.verdict.scores.get(f"room_{SCORE}") if row.verdict.status == "truncated" else delivered(row) for row in rows
    ]
    return mean([score for score in own if score is not None])


def cost_table(rows: Sequence[Row]) -> Table | None:
    """The cost of reasoning: copying minus the task, over the same inputs."""
    copies = {(row.model, row.bench, input_of(row)): row for row in rows if is_copy(row.question_type)}
    found: list[tuple[Entry, ...]] = []
    for cell, held in cells(row for row in rows if not is_copy(row.question_type)).items():
        # For names, copying is compared with finding the name at all.
        name = "global_recall" if cell.task == "group" else paper_measure(cell.question_type)
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
            found.append((*_where(cell), mean(copied_all), mean(done_all), gap, len(pairs)))
    if not found:
        return None
    return Table(
        id="verbatim-cost",
        title="What reasoning costs",
        note="Raw similarity of copying the input less that of doing the task, on the same inputs. For group both "
        "are recall of names.",
        columns=(
            *_WHERE,
            *columns("Copying", "The task", unit="share"),
            *columns("Cost", unit="points"),
            *columns("Pairs", unit="count"),
        ),
        rows=tuple(found),
    )


def order_table(grouped: Mapping[Cell, Sequence[Row]]) -> Table | None:
    """Item accounting and order as numbers."""
    rows = [
        (
            *_where(cell),
            *(mean(values(held, kind)) for kind in KINDS),
            mean(values(held, "kendall_tau")),
            mean(values(held, "longest_run")),
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
            *columns(*map(str.capitalize, KINDS), "Kendall's tau", "Longest run", unit="number"),
            *columns("Read as"),
        ),
        rows=tuple(rows),
    )


def _layers(rows: Sequence[Row]) -> str:
    """How the answers were parsed: 'list 4, lines 1'."""
    found = [int(value) for value in values(rows, "layer")]
    counts = [(name, found.count(number)) for number, name in enumerate(LAYERS, 1)]
    return ", ".join(f"{name} {count}" for name, count in counts if count)
