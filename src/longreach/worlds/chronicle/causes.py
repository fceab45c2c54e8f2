"""Possible causes in a chronicle: for each kind of event, the kinds of event that can have caused it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["CAUSES", "CauseKind", "Causes"]


@dataclass(frozen=True)
class CauseKind:
    """A kind of event as a cause."""

    action: str
    done: bool
    roles: str
    """Who takes part, as roles of the caused event (`BA`: its object, then its subject); `?` for somebody else."""
    count: int
    """How often it is the cause, counted over 560 units."""


@dataclass(frozen=True)
class Causes:
    """The causes of one kind of event; reasons that are not events are in `KINDS`."""

    kinds: tuple[CauseKind, ...]
    per_reason: int = 0
    """How often each of the reasons is the cause, counted over the same units."""


_kind = CauseKind
CAUSES: Mapping[str, Causes] = {
    "lend": Causes((_kind("wreck", True, "B", 55), _kind("flood", True, "B", 44), _kind("fire", True, "B", 59))),
    "give": Causes((_kind("buy", True, "A?", 48), _kind("rescue", True, "BA", 32), _kind("nurse", True, "BA", 25))),
    "sue": Causes((_kind("repay", False, "BA", 7), _kind("strike", True, "BA", 30), _kind("cheat", True, "AB", 10))),
    "quarrel": Causes(
        (
            _kind("cheat", True, "AB", 31),
            _kind("accuse", True, "BA", 28),
            _kind("rent", True, "BA", 31),
            _kind("lend", False, "BA", 24),
            _kind("forgive", False, "BA", 7),
            _kind("bequeath", True, "?B", 18),
            _kind("repay", False, "BA", 11),
            _kind("partner", False, "AB", 6),
            _kind("apologise", False, "BA", 19),
            _kind("wager", True, "BA", 27),
            _kind("seize", True, "BA", 5),
        ),
        8,
    ),
    "ill": Causes((_kind("rescue", True, "A?", 15),), 50),
    "depart": Causes((_kind("dismiss", True, "?A", 9), _kind("propose", False, "A?", 24)), 33),
    "rent": Causes((_kind("arrive", True, "B?", 33),), 33),
    "repay": Causes((_kind("sell", True, "A?", 45),), 12),
    "return": Causes((_kind("answer", True, "?A", 14),), 73),
    "sell": Causes((_kind("lend", True, "?A", 60),), 66),
}
"""Kinds with more than one possible cause, at least one of them an event. Kinds whose cause is obvious (a letter before
its answer, a loss before the accusation) are omitted: naming it is never wrong.
"""
