"""Figures that a family computes from its results beyond plain means, as data: reporting draws them."""

from __future__ import annotations

from typing import Literal

from .chart import Axis
from .estimate import Estimate
from .item import AxisValue
from .model import Frozen

__all__ = ["Bars", "Column", "Dot", "Figure", "Lines", "Radar", "Table", "Trace", "Unit"]

Unit = Literal["", "share", "points", "tokens", "count", "number"]
"""How a number is formatted: a `share` of 1 as percent, `points` as a signed difference of shares in percentage points,
`tokens` in short (128k), `count` whole, `number` to three figures, or unchanged."""


class Column(Frozen):
    """One column of a table."""

    title: str
    unit: Unit = ""


class Table(Frozen):
    """Rows and columns; an `Estimate` shows its interval, None a dash."""

    kind: Literal["table"] = "table"
    id: str
    title: str
    note: str = ""
    """A sentence under the title: what a reader must know to read it correctly."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Estimate | int | float | str | None, ...], ...]
    references: tuple[int, ...] = ()
    """Indexes of rows that are published figures, not results of these runs."""


class Dot(Frozen):
    """One point of a trace."""

    x: AxisValue
    y: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""


class Trace(Frozen):
    """A named series of points."""

    name: str
    dots: tuple[Dot, ...]
    panel: str = ""
    """Traces of one panel share a drawing; empty: all in one."""
    reference: bool = False
    """A published figure, drawn apart from the results."""


class _Drawing(Frozen):
    """Fields that all drawings share."""

    id: str
    title: str
    note: str = ""
    x: Axis
    unit: Unit = "share"
    traces: tuple[Trace, ...]


class Lines(_Drawing):
    """Values along an axis, with bands where dots have intervals."""

    kind: Literal["lines"] = "lines"


class Bars(_Drawing):
    """Values by name or bin, side by side or stacked."""

    kind: Literal["bars"] = "bars"
    stacked: bool = False


class Radar(_Drawing):
    """Values by name around a circle, from 0 at the centre to 1 at the rim. The axis' values are the spokes, in
    order."""

    kind: Literal["radar"] = "radar"


Figure = Table | Lines | Bars | Radar
