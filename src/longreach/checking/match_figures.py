"""Charts and tables of one comparison: paired differences, flipped questions, questions without a pair."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.core.figure import Axis, Data, Dot, Dots, Figure, Lines, Table, Trace, columns
from longreach.core.formatting import amount, count, value_label
from longreach.core.types import AxisValue, Estimate
from longreach.families.showing import family_view
from longreach.reporting.drawing.drawings import table_cells
from longreach.reporting.files import flat_table
from longreach.stats.headline import size_axis

from .pairs import Change, Flip, Match

__all__ = [
    "change_charts",
    "change_tables",
    "flip_tables",
    "matrices",
    "place_label",
    "sorted_flips",
    "unpaired_tables",
]

_ON_PAGE = 300
"""Flipped questions shown on a page, per kind; the data has all."""
_NOTE = (
    "Delivered accuracy on the questions that both sides were asked; provider faults are left out. The difference is "
    "paired by question, and its 95 % CI covers all questions and contexts of this kind; an interval that excludes "
    "0 is a clear difference. Of many such intervals, one in twenty is wrong by chance."
)

_Cell = Estimate | int | float | str | None


def change_charts(match: Match) -> list[Figure]:
    """Paired differences with their intervals: by question type, and by length. Their tables are the change tables."""
    whole = [change for change in match.changes if change.place is None]
    names = tuple(change.name for change in whole)
    label = f"{match.second} minus {match.first}"
    figures: list[Figure] = []
    if whole:
        figures.append(
            Dots(
                id="difference-chart",
                title=f"Difference by question type: {label}",
                note=_NOTE,
                x=Axis(name="what", title="Question type", values=names),
                unit="points",
                traces=(Trace(name=label, dots=tuple(_gap(change.name, change) for change in whole)),),
                data=_data(match, whole),
            )
        )
    for family in dict.fromkeys(change.family for change in match.changes if change.place is not None):
        own = [change for change in match.changes if change.family == family and change.place is not None]
        axis = size_axis(family_view(family))
        panels = dict.fromkeys(change.name for change in own)
        if axis is not None:
            figures.append(
                Lines(
                    id=f"length-chart-{family}",
                    title=f"Difference by {axis.title.lower()}: {label}",
                    x=axis,
                    unit="points",
                    traces=tuple(
                        Trace(
                            name=label,
                            panel=name,
                            dots=tuple(_gap(c.place, c) for c in own if c.name == name and c.place is not None),
                        )
                        for name in panels
                    ),
                    data=_data(match, own),
                )
            )
    return figures


def _gap(x: AxisValue, change: Change) -> Dot:
    return Dot.of(x, change.difference, "").model_copy(update={"note": count(change.difference.n, "pair")})


def _data(match: Match, shown: Sequence[Change]) -> Data:
    head, rows = flat_table(table_cells(_change_table(match, shown, "", "", "")))
    return Data(head=tuple(head), rows=tuple(map(tuple, rows)))


def change_tables(match: Match) -> list[Table]:
    """Overall and by question type in one table, by length in another."""
    whole = [change for change in match.changes if change.place is None]
    by_length = [change for change in match.changes if change.place is not None]
    made = []
    if whole:
        made.append(_change_table(match, whole, "differences", "Differences", _NOTE))
    if by_length:
        made.append(_change_table(match, by_length, "by-length", "Differences by length", ""))
    return made


def _change_table(match: Match, shown: Sequence[Change], id: str, title: str, note: str) -> Table:
    parted = any(change.experiment for change in shown)
    placed = any(change.place is not None for change in shown)
    rows: list[tuple[_Cell, ...]] = []
    for change in shown:
        names: list[_Cell] = [
            change.family,
            *([change.experiment or "–"] if parted else []),
            change.question_type or "all",
        ]
        if placed:
            names.append(place_label(change.family, change.place))
        gap = change.difference
        rows.append((*names, change.first, change.second, gap, change.better, change.worse, gap.n))
    heads = ["family", *(["experiment"] if parted else []), "question_type", *(["length"] if placed else [])]
    shown_columns = (
        *columns(*heads),
        *columns(match.first, match.second, unit="share"),
        *columns("difference", unit="points"),
        *columns("better", "worse", "pairs", unit="count"),
    )
    return Table(id=id, title=title, note=note, columns=shown_columns, rows=tuple(rows))


def place_label(family: str, place: AxisValue | None) -> str:
    """A length as the page writes it."""
    axis = size_axis(family_view(family))
    return value_label(axis, place) if axis and place is not None else "–"


def sorted_flips(match: Match) -> list[tuple[str, list[Flip]]]:
    kinds = [
        ("Got worse", [flip for flip in match.flips if flip.gain < 0]),
        ("Got better", [flip for flip in match.flips if flip.gain > 0]),
    ]
    return [(title, own) for title, own in kinds if own]


def _texts(flip: Flip) -> tuple[str, ...]:
    return flip.text, flip.first.answer, flip.second.answer, flip.key


_MATRIX = (
    "Row minus column, in percentage points of delivered accuracy, paired by question. The 95 % CIs of a table hold "
    "together (Bonferroni); one that excludes 0 is a clear difference."
)


def matrices(sides: Sequence[str], matches: Sequence[Match]) -> list[Table]:
    """The differences of every two sides: one table per family, experiment and question type over all lengths (their
    ids begin with `all-`), then one per length."""
    groups: dict[tuple[bool, str], dict[tuple[str, str], Estimate]] = {}
    for match in matches:
        for change in match.changes:
            where = f" at {place_label(change.family, change.place)}" if change.place is not None else ""
            cells = groups.setdefault((bool(where), f"{change.name}{where}"), {})
            gap = change.difference
            turned = {"value": -gap.value, "low": -gap.high, "high": -gap.low}
            cells[match.second, match.first], cells[match.first, match.second] = gap, gap.model_copy(update=turned)
    return [
        Table(
            id=f"{'at' if placed else 'all'}-{number}",
            title=title,
            note=_MATRIX if number == 1 else "",
            columns=(*columns("minus"), *columns(*sides, unit="points")),
            rows=tuple((one, *(cells.get((one, other)) for other in sides)) for one in sides),
        )
        for number, ((placed, title), cells) in enumerate(sorted(groups.items(), key=lambda each: each[0][0]), 1)
    ]


def flip_tables(match: Match) -> list[Table]:
    tables = []
    for title, own in sorted_flips(match):
        left = len(own) - _ON_PAGE
        tables.append(
            Table(
                id=title.lower().replace(" ", "-"),
                title=f"{title}: {count(len(own), 'question')}",
                note=f"The first {_ON_PAGE}; the data (--json) has {amount(left)} more." if left > 0 else "",
                columns=columns(
                    "item", "question", "question_type", "asked", match.first, match.second, "right answer"
                ),
                rows=tuple(
                    (flip.item, flip.question, flip.question_type, *(text or "–" for text in _texts(flip)))
                    for flip in own[:_ON_PAGE]
                ),
            )
        )
    return tables


def unpaired_tables(match: Match) -> list[Table]:
    if not match.unpaired:
        return []
    heads = (*columns("family", "why"), *columns("questions", unit="count"), *columns("for instance"))
    rows = tuple((each.family, each.reason, each.questions, ", ".join(each.examples)) for each in match.unpaired)
    note = "Questions that only one side was asked, or that a fault of provider or judge took from one side."
    return [Table(id="not-compared", title="Not compared", note=note, columns=heads, rows=rows)]
