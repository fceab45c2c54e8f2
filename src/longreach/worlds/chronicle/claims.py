"""Derives the faithful claims of a unit from its events and kinship."""

from __future__ import annotations

from random import Random

from .check import causes
from .kin import RELATIONS, Kin
from .kinds import KINDS
from .scene import act_of
from .world import Act, Claim, Event, Register, Relation

__all__ = ["choose_relation", "claims_of", "shortened", "summary_act"]

_LEFT_OUT = 0.5
_MOST = 8
"""Events in a summary; two of them share a sentence, and the relation has one."""
_ALONE = 2
"""In a unit of at most so many events each has a sentence of its own."""


def summary_act(event: Event, *, dated: bool = True) -> Act:
    """An event as a summary states it: with its place if that is informative, and its day if the text names it."""
    kind = KINDS[event.action]
    return act_of(event).model_copy(
        update={
            "place": None if kind.place == "home" else event.place,
            "day": event.day if dated and event.dated else None,
        }
    )


def shortened(claim: Claim, rng: Random) -> Claim:
    """The claim as one wording states it: half of them omit the cause, and half how a debt was paid."""
    act = claim.act
    if rng.random() < _LEFT_OUT:
        claim = claim.model_copy(update={"cause": None, "reason": None})
    if act is not None and act.action == "repay" and rng.random() < _LEFT_OUT:
        claim = claim.model_copy(update={"act": act.model_copy(update={"manner": None})})
    return claim


def choose_relation(world: Register, unit: int, unit_events: list[Event], rng: Random) -> Relation | None:
    """Two people of a unit who are related both before and after it, else one of them and a relative."""
    before = Kin(world, unit - 1)
    # Only a dismissal ends a relation.
    after = Kin(world, unit) if any(event.action == "dismiss" for event in unit_events) else before
    cast = list(dict.fromkeys(p for e in unit_events for p in (e.subject, e.object, e.other) if p is not None))
    found = [
        Relation(subject=a, name=name, object=b)
        for b in cast
        for a, names in before.about(b).items()
        if world.person[a].stage
        for name in sorted(names & RELATIONS.keys())
        if after is before or name in after.names(a, b)
    ]
    inside = [relation for relation in found if relation.subject in cast]
    return rng.choice(inside or found) if found else None


def claims_of(world: Register, unit: int, unit_events: list[Event], relation: Relation | None) -> list[Claim]:
    """Four to eight claims in the order of events, one of which orders two events."""
    main = [event for event in unit_events if event.action != "feel"]
    pair = _pair(world, main) if len(main) > _ALONE else ()
    claims: list[Claim] = []
    felt = 0
    for event in unit_events:
        if event.action == "feel":
            felt += 1
            if len(main) + felt > _MOST:
                continue
        if event not in pair:
            cause = None if event.cause is None else summary_act(world.events[event.cause], dated=False)
            claims.append(Claim(id="", unit=unit, act=summary_act(event), cause=cause, reason=event.reason))
        elif pair and event is pair[0]:
            first, later = (summary_act(one, dated=False) for one in pair)
            claims.append(Claim(id="", unit=unit, act=first, later=later))
        if relation is not None and {relation.subject, relation.object} & {event.subject, event.object, event.other}:
            claims.append(Claim(id="", unit=unit, relation=relation))
            relation = None
    return [claim.model_copy(update={"id": f"u{unit}.c{n}"}) for n, claim in enumerate(claims, start=1)]


def _pair(world: Register, main: list[Event]) -> tuple[Event, Event]:
    """Two events, neither of which caused the other, adjacent if possible."""
    far = sorted(
        ((one, two) for i, one in enumerate(main) for two in main[i + 1 :]),
        key=lambda pair: (
            pair[0] in causes(world, pair[1]),
            bool({pair[0].subject, pair[0].object} & {pair[1].subject, pair[1].object} - {None}),
            pair[1].id - pair[0].id,
        ),
    )
    return far[0]
