"""How a family presents itself to statistics and pages."""

from __future__ import annotations

from pydantic import Field

from .chart import Axis, ChartSpec
from .figure import Figure
from .model import Frozen

__all__ = ["FamilyView"]


class FamilyView(Frozen):
    """How a family presents itself."""

    name: str
    title: str
    about: str
    """One paragraph for a reader who does not know the family."""
    axes: tuple[Axis, ...]
    charts: tuple[ChartSpec, ...]
    figures: tuple[Figure, ...] = ()
    """What the family worked out beyond its charts."""
    doing: dict[str, tuple[str, str]] = Field(default_factory=dict)
    """What a question_type shows a model doing, after 'the model' and after 'does not'."""
    sentences: dict[str, str] = Field(default_factory=dict)
    """Verdicts by model that the family words itself."""
    chance: float = Field(default=0.0, ge=0, lt=1)
    """Share of the questions that guessing gets right."""

    def axis(self, name: str) -> Axis:
        """The axis of that name; one that was not declared shows its values as they are."""
        return next((axis for axis in self.axes if axis.name == name), Axis(name=name, title=name))

    def length_axis(self) -> Axis | None:
        """The axis that counts tokens, if there is one."""
        return next((axis for axis in self.axes if axis.unit == "tokens"), None)
