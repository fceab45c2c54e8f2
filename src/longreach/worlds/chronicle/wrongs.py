"""Exact wrong versions of a claim: one part changed into something plausible that the world knows to be false."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from random import Random

from ..error_types import ErrorType
from .calendar import day_of_month
from .cast import GOODS, SPOTS, THINGS, TOWNS
from .check import causes, core, find, happened, holds, loosely
from .claims import summary_act
from .inventions import invent, other_amount
from .kin import RELATIONS, Kin
from .kinds import KINDS
from .nouns import Act, Claim, Relation, World
from .scene import people_of

__all__ = ["Around", "Change", "changes", "look_around"]

_OFFICES = ("warden", "bailiff", "treasurer", "ferrymaster")
_FIXED_SEX = ("propose", "marry", "birth")
"""Kinds in which a man cannot stand for a woman."""


@dataclass(frozen=True)
class Change:
    """A wrong claim and what was changed in it."""

    claim: Claim
    part: str
    """The field of the act that changed, `swap` for exchanged roles, `repeat` for an act told a second time, or empty
    where the whole changed."""


@dataclass(frozen=True)
class Around:
    """The unit that a claim stands in."""

    world: World
    claims: tuple[Claim, ...]
    cast: tuple[str, ...]
    """Who takes part in it, the dead left out."""
    places: tuple[str, ...]


def changes(around: Around, claim: Claim, kind: ErrorType, rng: Random) -> Iterator[Change]:
    """Wrong versions of one type, the first being as good as any; every one is false in the whole story."""
    found = list(_MAKERS[kind](around, claim, rng))
    rng.shuffle(found)
    return (change for change in found if not holds(around.world, change.claim))


def look_around(world: World, claims: tuple[Claim, ...]) -> Around:
    """The unit of these claims."""
    unit = claims[0].unit
    events = [event for event in world.events if event.unit == unit]
    dead = {event.subject for event in world.by_action.get("die", ()) if event.unit <= unit}
    cast = dict.fromkeys(who for event in events for who in people_of(event).values() if who not in dead)
    places = dict.fromkeys(event.place for event in events if event.place in SPOTS)
    return Around(world, claims, tuple(cast), tuple(places))


def _entity(around: Around, claim: Claim, rng: Random) -> Iterator[Change]:
    if claim.act is None or claim.later is not None:
        return
    world, act = around.world, claim.act
    kind = KINDS[act.action]
    roles = ("subject", "object", "other")[: kind.people]
    for role in roles:
        true = getattr(act, role)
        for who in around.cast:
            sexes = world.person[who].sex == world.person[true].sex if true else False
            if who in people_of(act).values() or (act.action in _FIXED_SEX and not sexes):
                continue
            wrong = _with(act, **{role: who})
            if not loosely(world, core(wrong)):
                yield _change(claim, wrong, role)
    if kind.people >= 2 and act.object and not kind.symmetric and act.action not in _FIXED_SEX:
        wrong = _with(act, subject=act.object, object=act.subject)
        if not happened(world, core(wrong)):
            yield _change(claim, wrong, "swap")
    if act.place is not None:
        spots = TOWNS if act.place in TOWNS else kind.spots or (*around.places, *rng.sample(SPOTS, 3))
        for place in spots:
            if place != act.place and not happened(world, _with(core(act), place=place, done=act.done)):
                yield _change(claim, _with(act, place=place), "place")
    pool = {"thing": THINGS, "goods": GOODS, "office": _OFFICES}.get(kind.item, ())
    for item in rng.sample(pool, min(3, len(pool))):
        if item != act.item and not happened(world, _with(core(act), item=item, done=act.done)):
            yield _change(claim, _with(act, item=item), "item")


def _numerical(around: Around, claim: Claim, rng: Random) -> Iterator[Change]:
    if claim.act is None or claim.later is not None:
        return
    world, act = around.world, claim.act
    if act.amount is not None:
        for _ in range(3):
            amount = other_amount(act.amount, rng)
            if not happened(world, _with(core(act), amount=amount, done=act.done)):
                yield _change(claim, _with(act, amount=amount), "amount")
    if act.day is not None:
        number = day_of_month(act.day)[2]
        for other in rng.sample(range(1, 29), 4):
            day = act.day + other - number
            if abs(other - number) > 2 and not happened(world, _with(core(act), day=day, done=act.done)):
                yield _change(claim, _with(act, day=day), "day")


def _relation(around: Around, claim: Claim, rng: Random) -> Iterator[Change]:  # noqa: ARG001
    if claim.relation is None:
        return
    relation, people = claim.relation, around.world.person
    one, other = people[relation.subject], people[relation.object]
    gap = other.born - one.born
    ages = ("older",) if gap > 25 * 365 else ("older", "even") if gap > 10 * 365 else ("even",)
    ages = ("younger",) if gap < -25 * 365 else ("younger", "even") if gap < -10 * 365 else ages
    true = Kin(around.world).names(one.id, other.id)
    for age in ages:
        for name in RELATIONS[one.sex][age]:
            if name not in true:
                wrong = Relation(subject=one.id, name=name, object=other.id)
                yield Change(claim.model_copy(update={"relation": wrong}), "relation")


def _inversion(around: Around, claim: Claim, rng: Random) -> Iterator[Change]:
    if claim.act is None or claim.later is not None or not KINDS[claim.act.action].polar:
        return
    act = claim.act
    kind = KINDS[act.action]
    manner = rng.choice(kind.manners) if kind.manners and not act.done else None
    wrong = _with(act, done=not act.done, manner=manner)
    if not happened(around.world, _with(core(wrong), done=wrong.done)):
        yield _change(_moved(claim, wrong, rng), wrong, "done")


def _event(around: Around, claim: Claim, rng: Random) -> Iterator[Change]:
    if claim.act is None or claim.later is not None:
        return
    world, act = around.world, claim.act
    kind = KINDS[act.action]
    for manner in kind.manners:
        if act.manner is not None and manner != act.manner:
            wrong = _with(act, manner=manner)
            if not happened(world, _with(core(wrong), manner=manner)):
                yield _change(claim, wrong, "manner")
    if kind.item in ("illness", "topic", "child", "feeling"):
        for item in sorted({event.item for event in world.by_action[act.action] if event.item} - _near(act.item)):
            if not happened(world, _with(core(act), item=item, done=act.done)):
                yield _change(claim, _with(act, item=item), "item")
    for action in kind.altered if act.done else ():
        other = invent(around.world, around.cast, action, rng, like=act)
        if other is not None and not loosely(world, core(other)):
            yield _change(_moved(claim, other, rng), other, "")


def _temporal(around: Around, claim: Claim, rng: Random) -> Iterator[Change]:  # noqa: ARG001
    if claim.act is None or claim.later is None:
        return
    yield Change(claim.model_copy(update={"act": claim.later, "later": claim.act}), "order")


def _causal(around: Around, claim: Claim, rng: Random) -> Iterator[Change]:  # noqa: ARG001
    if claim.act is None or claim.later is not None:
        return
    world, act = around.world, claim.act
    event = next(find(world, act), None)
    if event is None:
        return
    kind = KINDS[act.action]
    for reason in kind.reasons if act.done else kind.reasons_not:
        if reason != claim.reason:
            yield Change(claim.model_copy(update={"cause": None, "reason": reason}), "cause")
    known = {event.id, *(cause.id for cause in causes(world, event))}
    for other in world.events:
        if other.unit != event.unit or other.id in known or other.action == "feel" or other.action == act.action:
            continue
        # What shares a root with the act is too near to be called unconnected.
        if known & {cause.id for cause in causes(world, other)}:
            continue
        cause = summary_act(other, dated=False)
        yield Change(claim.model_copy(update={"cause": cause, "reason": None}), "cause")
    if claim.cause is not None and claim.act.action != "feel":
        turned = {"act": _with(claim.cause, day=None), "cause": _with(act, day=None), "reason": None}
        yield Change(claim.model_copy(update=turned), "turned")


def _fabrication(around: Around, claim: Claim, rng: Random) -> Iterator[Change]:
    if claim.act is None or claim.later is not None or len(around.cast) < 3:
        return
    for action in (*rng.sample(_INVENTED, 3), "feel"):
        act = invent(around.world, around.cast, action, rng, places=around.places)
        if act is None or loosely(around.world, core(act)):
            continue
        if action == "feel" and _acquainted(around.world, act):
            # Of people who have to do with each other a reader might well infer it.
            continue
        dated = _with(act, day=claim.act.day)
        yield Change(_moved(claim, dated, rng, around).model_copy(update={"act": dated}), "")
    yield from _repeats(around, claim, rng)


def _repeats(around: Around, claim: Claim, rng: Random) -> Iterator[Change]:
    """What the summary tells once already, told again of a later day on which something else happened."""
    if claim.act is None or claim.act.day is None:
        return
    world, day = around.world, claim.act.day
    for other in around.claims:
        act = other.act
        if act is None or other.later is not None or not act.done or act.action not in _AGAIN:
            continue
        once = list(find(world, core(act)))
        if len(once) != 1 or once[0].day >= day or not set(people_of(act).values()) <= set(around.cast):
            continue
        amount = None if act.amount is None else other_amount(act.amount, rng)
        again = _with(act, day=day, amount=amount)
        yield _change(_moved(claim, again, rng, around), again, "repeat")


_AGAIN = ("lend", "wager", "quarrel", "strike", "accuse", "apologise", "rescue", "ill", "sue", "sell", "cheat", "wreck")
"""Kinds of event that could well happen twice between the same people."""

_INVENTED = (
    "lend",
    "give",
    "buy",
    "sell",
    "wager",
    "rent",
    "partner",
    "quarrel",
    "strike",
    "accuse",
    "apologise",
    "rescue",
    "depart",
    "ill",
    "nurse",
    "mend",
    "reconcile",
    "sue",
    "miss",
)
"""Kinds of event that can be made up about anybody."""

_Maker = Callable[[Around, Claim, Random], Iterator[Change]]
_MAKERS: dict[ErrorType, _Maker] = {
    "entity": _entity,
    "numerical": _numerical,
    "relation": _relation,
    "inversion": _inversion,
    "event": _event,
    "temporal": _temporal,
    "causal": _causal,
    "fabrication": _fabrication,
}


_ALIKE = (
    {"gratitude", "respect", "relief", "hope"},
    {"shame", "remorse", "pity"},
    {"resentment", "suspicion", "envy", "fear"},
)
"""Feelings that a reader might take for one another."""


def _near(item: str | None) -> set[str | None]:
    return next(({*alike} for alike in _ALIKE if item in alike), {item})


def _acquainted(world: World, act: Act) -> bool:
    return any(act.object in people_of(event).values() for event in world.by_person.get(act.subject, ()))


def _moved(claim: Claim, act: Act, rng: Random, around: Around | None = None) -> Claim:
    """The claim with a cause that suits another act, where it had one at all, so that its length tells nothing."""
    if claim.cause is None and claim.reason is None:
        return claim
    kind = KINDS[act.action]
    reasons = kind.reasons if act.done else kind.reasons_not
    if reasons:
        return claim.model_copy(update={"cause": None, "reason": rng.choice(reasons)})
    near = [
        other.act
        for other in (around.claims if around else ())
        if other.act is not None and other.act.action not in (act.action, "feel") and other.id != claim.id
        if {act.subject, act.object} & set(people_of(other.act).values())
    ]
    cause = rng.choice(near).model_copy(update={"day": None}) if near else None
    return claim.model_copy(update={"cause": cause, "reason": None})


def _with(act: Act, **fields: object) -> Act:
    return act.model_copy(update=fields)


def _change(claim: Claim, act: Act, part: str) -> Change:
    return Change(claim.model_copy(update={"act": act}), part)
