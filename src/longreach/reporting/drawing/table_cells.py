"""Tables in the form the template needs: formatted cells with their raw numbers."""

from __future__ import annotations

from typing import Any

from longreach.core.estimate import Estimate
from longreach.core.figure import Table, Unit
from longreach.core.number_format import interval_text, number_text

from .looks import PUBLISHED

__all__ = ["cell_text", "fine_columns", "table_cells"]

_SHORT = 28
"""A name up to this long stays on one line of a table."""
_FOLDED = 12
"""More published rows than this beside results are folded away."""


def cell_text(value: Estimate | float | str | None, unit: Unit, *, fine: bool = False) -> str:
    """A cell of a table without its interval."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return number_text(value.value if isinstance(value, Estimate) else value, unit, fine=fine)


def fine_columns(table: Table) -> set[int]:
    """The columns of shares, if a paper reports any to a tenth of a percent: rounding would change its figures."""
    shares = {place for place, column in enumerate(table.columns) if column.unit == "share"}
    return shares if any(_between_percents(row[place]) for row in table.rows for place in shares) else set()


def table_cells(table: Table) -> dict[str, Any]:
    """A table with its cells formatted: what a reader sees, and the number behind it."""
    fine = fine_columns(table)
    apart = 0 < len(set(table.references)) < len(table.rows)
    marked = set(table.references) if apart else set()
    lines = []
    for number, row in enumerate(table.rows):
        cells = []
        same = _repeated(table, number) if (number in marked) == (number - 1 in marked) else 0
        for place, (value, column) in enumerate(zip(row, table.columns, strict=True)):
            cell: dict[str, Any] = {"text": cell_text(value, column.unit), "raw": value, "numeric": True}
            if isinstance(value, str):
                cell |= {"numeric": False, "short": len(value) <= _SHORT, "same": place < same}
                if number in marked and place == 0:
                    cell |= {"raw": f"{PUBLISHED}: {value}", "tag": "" if same else PUBLISHED}
            elif value is None:
                cell |= {"raw": "", "numeric": any(_numeric(other[place]) for other in table.rows)}
            elif isinstance(value, Estimate):
                ends = {"low": round(value.low, 4), "high": round(value.high, 4)}
                cell |= {"raw": round(value.value, 4), "small": interval_text(value, column.unit), **ends}
                cell["title"] = f"n = {value.n}"
            else:
                cell["text"] = cell_text(value, column.unit, fine=place in fine)
                cell["raw"] = round(value, 6)
            cells.append(cell)
        lines.append(cells)
    intervals = {i for i in range(len(table.columns)) if any(isinstance(row[i], Estimate) for row in table.rows)}
    return {
        "head": [column.title for column in table.columns],
        "lines": lines,
        "intervals": intervals,
        "marked": marked,
        "folded": len(marked) if len(marked) > _FOLDED else 0,
    }


def _repeated(table: Table, number: int) -> int:
    """How many leading names a row repeats from the row above: they are hidden."""
    if not number:
        return 0
    for place, (value, above) in enumerate(zip(table.rows[number], table.rows[number - 1], strict=True)):
        if not isinstance(value, str) or value != above:
            return place
    return 0


def _between_percents(value: Estimate | float | str | None) -> bool:
    return isinstance(value, float) and 0.001 < 100 * value % 1 < 0.999


def _numeric(value: Estimate | float | str | None) -> bool:
    return value is not None and not isinstance(value, str)
