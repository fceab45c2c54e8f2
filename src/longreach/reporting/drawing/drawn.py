"""A figure as the page and the files get it: finished panels, its legend, its numbers."""

from __future__ import annotations

from typing import Any, Literal

from longreach.core.model import Frozen

__all__ = ["Chooser", "Drawn", "Key", "Panel"]


class Key(Frozen):
    """One entry of a legend."""

    svg: str
    """The sample, 34 by 14."""
    text: str


class Panel(Frozen):
    """One drawing: the page shows it, and it is a file by itself."""

    name: str = ""
    """What tells it from the figure's other panels, for file names; empty if it is the only one."""
    caption: str
    svg: str
    """Title and legend are in it, outside the part that the page shows."""
    note: str = ""
    by: tuple[str, ...] = ()
    """Its value in each of the figure's choosers."""


class Chooser(Frozen):
    """An axis by which one of many maps is chosen."""

    title: str
    values: tuple[str, ...]


class Drawn(Frozen):
    """A figure, ready to be shown."""

    kind: Literal["table", "panels", "maps"]
    id: str
    title: str
    note: str = ""
    keys: tuple[Key, ...] = ()
    partial: bool = False
    """Whether some points are hollow."""
    panels: tuple[Panel, ...] = ()
    radars: tuple[Panel, ...] = ()
    """The same numbers around a circle."""
    choosers: tuple[Chooser, ...] = ()
    scale: tuple[str, ...] = ()
    """The colours of a map, from low to high."""
    ends: tuple[str, str] = ("", "")
    """The words at the ends of the scale."""
    cells: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """What the cells of its maps open: a heading and the rows behind it."""
    wide: bool = False
    """Its panels need more room than usual."""
    table: dict[str, Any]
    """Its numbers: `head` and `rows`, or `head` and formatted `lines`."""
