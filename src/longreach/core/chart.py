"""Charts that a family declares, as data: reporting renders them on the page and into files."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .model import Frozen

__all__ = ["Axis", "ChartSpec", "Curve", "Heatmap"]


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
    """Whether its values are different experiments, which are never pooled. The first of `values` is the default one;
    any other is named wherever its result is shown alone."""


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
