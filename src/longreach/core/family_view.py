"""How a family is presented in statistics and on pages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from .chart import Axis, ChartSpec
from .estimate import EffectiveLength
from .figure import Figure
from .item import AxisValue
from .model import Frozen

__all__ = ["FamilyView", "reach_key"]


def reach_key(model: str, experiment: Sequence[AxisValue], question_type: str) -> str:
    """The name of one effective length."""
    return "\n".join((model, *map(str, experiment), question_type))


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
    doing: dict[str, tuple[str, str]] = Field(default_factory=dict)
    """Phrases per question type: what the model does, after 'the model' and after 'does not'."""
    beside: dict[str, str] = Field(default_factory=dict)
    """What stands beside the verdict on each model: controls and biases."""
    sentences: dict[str, str] = Field(default_factory=dict)
    """Verdict sentences by model, written by the family."""
    chances: dict[str, Annotated[float, Field(ge=0, lt=1)]] = Field(default_factory=dict)
    """By question type: the score that guessing, or the best single answer to everything, gets."""

    reach: dict[str, EffectiveLength] = Field(default_factory=dict)
    """Effective lengths that a search found, by `reach_key`: they stand for those of the lengths that it asked."""

    def chance_of(self, question_type: str) -> float:
        """The score of guessing; 0 if there is nothing to choose from."""
        return self.chances.get(question_type, 0.0)

    def axis(self, name: str) -> Axis:
        """The axis of that name; an undeclared one shows its values unchanged."""
        return next((axis for axis in self.axes if axis.name == name), Axis(name=name, title=name))

    def length_axis(self) -> Axis | None:
        """The axis that counts tokens, if there is one."""
        return next((axis for axis in self.axes if axis.unit == "tokens"), None)
