"""The narrator of a whole book."""

from __future__ import annotations

from collections.abc import Callable

from .narration_state import NarrationState
from .unit_narration import UnitNarration
from .voice import Voice
from .world import Event, Register, Relation

__all__ = ["Narrator"]


class Narrator:
    """Narrates one unit after another without repeating a paragraph."""

    def __init__(self, voice: Voice, seed: int, count: Callable[[str], float], low: int, high: int) -> None:
        self._state = NarrationState(voice, seed, count, low, high)

    def unit(self, world: Register, number: int, events: list[Event], relation: Relation | None) -> str:
        """The text of a unit."""
        return self.narrate(world, number, events, relation).text()

    def narrate(self, world: Register, number: int, events: list[Event], relation: Relation | None) -> UnitNarration:
        """The next unit, scene by scene."""
        self._state.next_unit()
        return UnitNarration(self._state, world, number, events, relation)
