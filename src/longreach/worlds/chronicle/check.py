"""Checks claims against the world's events and kinship, independently of sentences and writers."""

from __future__ import annotations

from collections.abc import Iterator

from .kin import Kin
from .kinds import KINDS
from .world import Act, Claim, Event, Register, World

__all__ = ["causes", "core", "find", "happened", "holds", "loosely"]

_PARTS = ("other", "amount", "item", "place", "day", "manner")


def holds(world: World, claim: Claim) -> bool:
    """Whether everything in the claim is true; an act that happened anywhere in the book counts.

    Direct and indirect causes both count: the flood that caused the debt also caused the quarrel over it.
    """
    if claim.relation is not None:
        relation = claim.relation
        return relation.name in Kin(world, claim.unit).names(relation.subject, relation.object)
    if claim.act is None:
        return False
    for event in find(world, claim.act):
        if claim.cause is not None and not any(_fits(cause, claim.cause) for cause in causes(world, event)):
            continue
        if claim.reason is not None and not any(step.reason == claim.reason for step in (event, *causes(world, event))):
            continue
        if claim.later is not None and not any(event.id < after.id for after in find(world, claim.later)):
            continue
        return True
    return False


def happened(world: World, act: Act) -> bool:
    """Whether there is such an event."""
    return next(find(world, act), None) is not None


def find(world: World, act: Act) -> Iterator[Event]:
    """Every event that matches the description."""
    return (event for event in world.by_action.get(act.action, ()) if _fits(event, act))


def causes(world: Register, event: Event) -> list[Event]:
    """The direct and indirect causes of an event."""
    found: list[Event] = []
    while event.cause is not None:
        event = world.events[event.cause]
        found.append(event)
    return found


def core(act: Act) -> Act:
    """Who did what to whom, and nothing else."""
    return Act(action=act.action, subject=act.subject, object=act.object)


def loosely(world: World, act: Act) -> bool:
    """Whether a similar event between the same people might make a reader accept the act."""
    people = {act.subject, act.object} - {None}
    return any(
        people <= {event.subject, event.object, event.other} and (act.item is None or event.item in (None, act.item))
        for action in (act.action, *KINDS[act.action].also)
        for event in world.by_action.get(action, ())
        if event.done
    )


def _fits(event: Event, act: Act) -> bool:
    if event.action != act.action or event.done != act.done:
        return False
    straight = event.subject == act.subject and act.object in (None, event.object)
    if not straight and not (
        KINDS[act.action].symmetric and event.object == act.subject and act.object in (None, event.subject)
    ):
        return False
    return all(getattr(act, part) in (None, getattr(event, part)) for part in _PARTS)
