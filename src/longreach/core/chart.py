"""What a family wants drawn, as data: reporting turns it into the page and into files."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .model import Frozen

__all__ = ["Axis", "ChartSpec", "Curve", "Heatmap"]


class Axis(Frozen):
    """One axis of a family's cells."""

    name: str
    """Key in `Cell`; `question_type` stands for the question's question_type."""
    title: str
    unit: Literal["", "tokens", "%", "digits"] = ""
    scale: Literal["linear", "log", "names"] = "names"
    values: tuple[str, ...] = ()
    """For names: the order to show them in; others follow in the order they appear."""
    words: dict[str, str] = Field(default_factory=dict)
    """How a value reads over a chart where it would say little by itself; an empty word is left out."""
    experiment: bool = False
    """Whether its values are different experiments: they are never pooled. The first of `values` is the usual one; any
    other is named wherever a result stands alone."""


class Heatmap(Frozen):
    """Mean score over two axes, one map for each combination of `by`."""

    kind: Literal["heatmap"] = "heatmap"
    id: str
    title: str
    x: str
    y: str
    by: tuple[str, ...] = ()


class Curve(Frozen):
    """Mean score along one axis, one line for each combination of `lines`."""

    kind: Literal["curve"] = "curve"
    id: str
    title: str
    x: str
    lines: tuple[str, ...] = ()


ChartSpec = Heatmap | Curve
