"""The kinds of event in a chronicle: participants, what is counted, and possible replacements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pydantic import TypeAdapter

from longreach.core.packaged import yaml_table

__all__ = ["KINDS", "ONLY_IN", "CauseKind", "Kind"]


@dataclass(frozen=True)
class CauseKind:
    """A kind of event as a cause."""

    action: str
    done: bool
    roles: str
    """Who takes part, as roles of the caused event (`BA`: its object, then its subject); `?` for somebody else."""
    count: int
    """How often it is the cause."""


@dataclass(frozen=True)
class Kind:
    """One kind of event, independent of language."""

    people: int = 2
    """Number of participants: the subject, the object, the other."""
    measure: str = ""
    """What its amount counts: money, goods, nights, days, votes, years, age, weeks; empty for none."""
    item: str = ""
    """What its item is: thing, goods, illness, office, child, topic, feeling; empty for none."""
    place: str = "spot"
    """`spot` for a place in the town, `town` for another town; `home` where the place is uninformative."""
    stage: str = "meet"
    """The opening of its scene: sick, road, letter, court, water, or somebody somewhere."""
    spots: tuple[str, ...] = ()
    """The only places in the town where it can happen; empty for anywhere."""
    sums: tuple[int, int] = (5, 90)
    """Minimum and maximum of a likely amount."""
    manners: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    """Causes that are not events."""
    reasons_not: tuple[str, ...] = ()
    """The same for an event that did not happen."""
    symmetric: bool = False
    """Whether subject and object can be swapped without other changes."""
    polar: bool = False
    """Whether its negation can be narrated: a refusal, a failure."""
    also: tuple[str, ...] = ()
    """Kinds that make this one loosely true between the same people: a blow is also a quarrel."""
    replaceable_by: tuple[str, ...] = ()
    """Kinds with the same parts, which can stand for it without further changes."""
    counts: tuple[int, int] = (0, 0)
    """How often it happened and how often it did not, counted over 560 units of 14 worlds."""
    feelings: tuple[tuple[str, str], ...] = ()
    """Who may feel what towards the other after it."""
    feelings_not: tuple[tuple[str, str], ...] = ()
    """The same where it did not happen."""
    causes: tuple[CauseKind, ...] = ()
    """Kinds of event that can have caused it, where more than one cause is possible. Obvious ones (a letter before its
    answer, a loss before the accusation) are omitted: naming them is never wrong.
    """
    per_reason: int = 0
    """How often each of the reasons is the cause, counted over the same units."""

    def count(self, done: bool) -> int:
        """How often it happened, or did not."""
        return self.counts[not done]

    def felt(self, done: bool) -> tuple[tuple[str, str], ...]:
        """Who may feel what after it happened, or did not."""
        return self.feelings if done else self.feelings_not


KINDS: Mapping[str, Kind] = TypeAdapter(dict[str, Kind]).validate_python(yaml_table(__package__, "kinds.yaml"))
"""By name. The language's word lists name reasons under the same kind."""

ONLY_IN: Mapping[str, set[str]] = {
    "thaw": {"winter", "spring"},
    "lightning": {"spring", "summer"},
    "fog": {"autumn", "winter"},
    "snow": {"autumn", "winter"},
}
"""Causes and wagers restricted to seasons."""
