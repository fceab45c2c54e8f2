"""How a family presents itself to statistics and pages."""

from __future__ import annotations

from typing import Annotated

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
    parts: tuple[str, ...] = ()
    """Question types that ask about a part of something: no headline rests on them."""
    sentences: dict[str, str] = Field(default_factory=dict)
    """Verdicts by model that the family words itself."""
    chances: dict[str, Annotated[float, Field(ge=0, lt=1)]] = Field(default_factory=dict)
    """By question type: the score that guessing, or the best single answer to everything, gets."""

    def chance_of(self, question_type: str) -> float:
        """What guessing scores; 0 where there is nothing to choose from."""
        return self.chances.get(question_type, 0.0)

    def axis(self, name: str) -> Axis:
        """The axis of that name; one that was not declared shows its values as they are."""
        return next((axis for axis in self.axes if axis.name == name), Axis(name=name, title=name))

    def length_axis(self) -> Axis | None:
        """The axis that counts tokens, if there is one."""
        return next((axis for axis in self.axes if axis.unit == "tokens"), None)
