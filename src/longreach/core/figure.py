"""Charts and figures as data, and how a family is presented."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from .types import AxisValue, Estimate, Frozen


class Axis(Frozen):
    """One axis of a family's cells."""

    name: str
    """Key in `Cell`; `question_type` means the question's type."""
    title: str
    unit: Literal["", "tokens", "%", "digits"] = ""
    scale: Literal["linear", "log", "names"] = "names"
    values: tuple[str, ...] = ()
    """For names: the order to show them in; others follow in order of appearance."""
    words: dict[str, str] = Field(default_factory=dict)
    """Labels for values that mean little by themselves in a chart's heading; an empty label is left out."""
    experiment: bool = False
    """Whether its values are different experiments, which are never pooled."""
    usual: tuple[str, ...] = ()
    """Of an experiment: the values that are named only beside others, by default the first; any other is named also
    where it stands alone."""

    def is_usual(self, value: AxisValue) -> bool:
        """Whether an experiment's value needs no name where it stands alone."""
        return not self.values or value in (self.usual or self.values[:1])


class Heatmap(Frozen):
    """Mean score over two axes, one map per combination of `by`."""

    kind: Literal["heatmap"] = "heatmap"
    id: str
    title: str
    x: str
    y: str
    by: tuple[str, ...] = ()


class Curve(Frozen):
    """Mean score along one axis, one line per combination of `lines`."""

    kind: Literal["curve"] = "curve"
    id: str
    title: str
    x: str
    lines: tuple[str, ...] = ()


ChartSpec = Heatmap | Curve


Unit = Literal["", "share", "points", "tokens", "count", "number"]
"""How a number is formatted: a `share` of 1 as percent, `points` as a signed difference of shares in percentage points,
`tokens` in short (128k), `count` whole, `number` to three figures, or unchanged."""


class Column(Frozen):
    """One column of a table."""

    title: str
    unit: Unit = ""


def columns(*titles: str, unit: Unit = "") -> tuple[Column, ...]:
    """Columns of one unit."""
    return tuple(Column(title=title, unit=unit) for title in titles)


Entry = Estimate | int | float | str | None
"""What a table has in one place."""


class Table(Frozen):
    """Rows and columns; an `Estimate` shows its interval, None a dash."""

    kind: Literal["table"] = "table"
    id: str
    title: str
    note: str = ""
    """A sentence under the title: what a reader must know to read it correctly."""
    columns: tuple[Column, ...]
    rows: tuple[tuple[Entry, ...], ...]
    references: tuple[int, ...] = ()
    """Indexes of rows that are published figures, not results of these runs."""


class Data(Frozen):
    """The numbers behind a chart, one long table: what its CSV contains."""

    head: tuple[str, ...]
    rows: tuple[tuple[AxisValue, ...], ...]


class Dot(Frozen):
    """One point of a trace."""

    x: AxisValue
    y: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    words: str = ""
    """The whole tooltip; by default it is made from name, place, value, interval and note."""
    hollow: bool = False
    """Some answers are missing from it."""

    @classmethod
    def of(cls, x: AxisValue, estimate: Estimate | None, none: str) -> Dot:
        """An estimate with its interval and n; a gap with the note `none` where there is no estimate."""
        if estimate is None:
            return cls(x=x, y=None, note=none)
        note = f"n = {estimate.n}"
        if estimate.few:
            return cls(x=x, y=estimate.value, note=f"{estimate.few}, {note}")
        return cls(x=x, y=estimate.value, low=estimate.low, high=estimate.high, note=note)


class Trace(Frozen):
    """A named series of points."""

    name: str
    dots: tuple[Dot, ...]
    panel: str = ""
    """Traces of one panel share a drawing; empty: all in one."""
    model: str = ""
    """The model whose results these are: it has one colour in all charts. Empty for series that are no models."""
    variant: str = ""
    """What tells apart the traces of one model, such as the method: it decides dash and marker."""
    reference: bool = False
    """A published figure, drawn apart from the results."""


class Drawing(Frozen):
    """Fields that all drawings of traces share."""

    id: str
    title: str
    note: str = ""
    x: Axis
    unit: Unit = "share"
    traces: tuple[Trace, ...]
    panel_notes: dict[str, str] = Field(default_factory=dict)
    """A sentence under a panel."""
    data: Data | None = None
    """By default every point of every trace."""


class Lines(Drawing):
    """Values along an axis, with bands where dots have intervals."""

    kind: Literal["lines"] = "lines"


class Dots(Drawing):
    """Values by name, one row per name, with whiskers where dots have intervals."""

    kind: Literal["dots"] = "dots"


class Bars(Drawing):
    """Counts or shares by name or bin, side by side or stacked."""

    kind: Literal["bars"] = "bars"
    stacked: bool = False


class Radar(Drawing):
    """Dots that can also be drawn around a circle, from 0 at the centre to 1 at the rim. The axis' values are the
    spokes, in order."""

    kind: Literal["radar"] = "radar"


class MapCell(Frozen):
    """One tested place of a map."""

    x: AxisValue
    y: AxisValue
    value: float | None
    """None if nothing there could be measured."""
    text: str
    """What the cell shows."""
    words: str
    """The tooltip: place, score, interval, n."""
    title: str = ""
    """Heading of its answers."""
    partial: bool = False
    """Some answers are missing from it."""
    rows: tuple[int, ...] = ()
    """Indexes of the results behind it."""


class Map(Frozen):
    """One heatmap; places without a cell are untested."""

    model: str
    by: tuple[tuple[str, str], ...]
    """What else tells it apart: title and label of each axis."""
    xs: tuple[AxisValue, ...]
    ys: tuple[AxisValue, ...]
    cells: tuple[MapCell, ...]


class Maps(Frozen):
    """Heatmaps of one kind, one per model and combination of other axes."""

    kind: Literal["maps"] = "maps"
    id: str
    title: str
    note: str = ""
    x: Axis
    y: Axis
    limit: float = 0.0
    """For differences: the one that has the full colour. 0 for scores."""
    maps: tuple[Map, ...]
    data: Data


Figure = Table | Lines | Dots | Bars | Radar | Maps


class FamilyView(Frozen):
    """How a family is presented."""

    name: str
    title: str
    about: str
    """One paragraph for a reader who does not know the family."""
    axes: tuple[Axis, ...]
    charts: tuple[ChartSpec, ...]
    figures: tuple[Figure, ...] = ()
    """Figures that the family computes beyond its charts."""
    beside: dict[str, str] = Field(default_factory=dict)
    """What stands beside the verdict on each model: controls and biases."""
    sentences: dict[str, str] = Field(default_factory=dict)
    """Verdict sentences by model, written by the family."""
    chances: dict[str, Annotated[float, Field(ge=0, lt=1)]] = Field(default_factory=dict)
    """By question type: the score that guessing, or the best single answer to everything, gets."""

    def chance_of(self, question_type: str) -> float:
        """The score of guessing; 0 if there is nothing to choose from."""
        return self.chances.get(question_type, 0.0)

    def axis(self, name: str) -> Axis:
        """The axis of that name; an undeclared one shows its values unchanged."""
        return next((axis for axis in self.axes if axis.name == name), Axis(name=name, title=name))

    def length_axis(self) -> Axis | None:
        """The axis that counts tokens, if there is one."""
        return next((axis for axis in self.axes if axis.unit == "tokens"), None)
