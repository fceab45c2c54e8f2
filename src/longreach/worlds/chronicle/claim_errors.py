"""Exact wrong versions of a claim: one part replaced by something equally plausible that is false in the world.

The rest of the claim is unchanged, and the replacement is about as frequent as the original, so that the wrong sentence
cannot be recognised without the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from random import Random

from ..error_types import ErrorType
from .calendar import is_dateable, season
from .cast import GOODS, PUBLIC, SPOTS, THINGS, TOWNS, fits_place
from .check import causes, core, find, happened, holds, loosely
from .claims import summary_act
from .inventions import invent, other_amount
from .kin import RELATIONS, Kin, RelationKind
from .kinds import KINDS, ONLY_IN, CauseKind
from .scene import people_of
from .world import Act, Claim, Event, Relation, World

__all__ = ["Change", "Surroundings", "changes", "look_around"]

_OFFICES = ("warden", "bailiff", "treasurer", "ferrymaster")
_FIXED_SEX = ("propose", "marry", "birth")
"""Kinds in which a man cannot replace a woman."""
_DAYS = 6
"""Maximum shift of the first or last date of a book."""


@dataclass(frozen=True)
class Change:
    """A wrong claim and what was changed in it."""

    claim: Claim
    part: str
    """The field of the act that changed, `swap` for exchanged roles, `repeat` for an act stated a second time, or empty
    where the whole changed."""


@dataclass(frozen=True)
class Surroundings:
    """The unit that a claim belongs to."""

    world: World
    claims: tuple[Claim, ...]
    cast: tuple[str, ...]
    """Who takes part in it, without the dead."""
    places: tuple[str, ...]


def changes(around: Surroundings, claim: Claim, kind: ErrorType, rng: Random) -> Iterator[Change]:
    """Wrong versions of one type in random order; each is false in the whole book."""
    found = list(_MAKERS[kind](around, claim, rng))
    rng.shuffle(found)
    return (change for change in found if not holds(around.world, change.claim))


def look_around(world: World, claims: tuple[Claim, ...]) -> Surroundings:
    """The unit of these claims."""
    unit = claims[0].unit
    events = [event for event in world.events if event.unit == unit]
    dead = {event.subject for event in world.by_action.get("die", ()) if event.unit <= unit}
    cast = dict.fromkeys(who for event in events for who in people_of(event).values() if who not in dead)
    places = dict.fromkeys(event.place for event in events if event.place in SPOTS)
    return Surroundings(world, claims, tuple(cast), tuple(places))


def _entity(around: Surroundings, claim: Claim, rng: Random) -> Iterator[Change]:
    if claim.act is None or claim.later is not None:
        return
    world, act = around.world, claim.act
    kind = KINDS[act.action]
    # A person also named in the cause cannot be replaced in the act alone.
    linked = set(people_of(claim.cause).values()) if claim.cause is not None else set()
    for role in ("subject", "object", "other")[: kind.people]:
        true = getattr(act, role)
        for who in around.cast if true not in linked else ():
            if who in people_of(act).values() or world.person[who].sex != world.person[true].sex:
                continue
            wrong = _with(act, **{role: who})
            if not loosely(world, core(wrong)):
                yield _change(claim, wrong, role)
    if kind.people >= 2 and act.object and not kind.symmetric and act.action not in _FIXED_SEX and not linked:
        wrong = _with(act, subject=act.object, object=act.subject)
        if not happened(world, core(wrong)):
            yield _change(claim, wrong, "swap")
    if act.place is not None:
        homes = [world.person[who].home for who in people_of(act).values()]
        for place in TOWNS if act.place in TOWNS else kind.spots or (*homes, *PUBLIC):
            same = place == act.place or not fits_place(act.manner, place)
            if not same and not happened(world, _with(core(act), place=place, done=act.done)):
                yield _change(claim, _with(act, place=place), "place")
    pool = {"thing": THINGS, "goods": GOODS, "office": _OFFICES}.get(kind.item, ())
    for item in rng.sample(pool, min(3, len(pool))) if claim.cause is None or claim.cause.item is None else ():
        if item != act.item and not happened(world, _with(core(act), item=item, done=act.done)):
            yield _change(claim, _with(act, item=item), "item")


def _numerical(around: Surroundings, claim: Claim, rng: Random) -> Iterator[Change]:
    if claim.act is None or claim.later is not None:
        return
    world, act = around.world, claim.act
    if act.amount is not None:
        for _ in range(3):
            amount = other_amount(act.amount, rng)
            if not happened(world, _with(core(act), amount=amount, done=act.done)):
                yield _change(claim, _with(act, amount=amount), "amount")
    if act.day is not None:
        for day in _other_days(around, claim, act.day, rng):
            if not happened(world, _with(core(act), day=day, done=act.done)):
                yield _change(claim, _with(act, day=day), "day")


def _other_days(around: Surroundings, claim: Claim, true: int, rng: Random) -> list[int]:
    """Days that preserve the order of dates in the summary: after the previous date and before the next."""
    number = around.claims.index(claim) if claim in around.claims else 0
    dates = [other.act.day if other.act is not None else None for other in around.claims]
    outside = [event.day for event in around.world.events if event.unit == claim.unit - 1]
    beyond = [event.day for event in around.world.events if event.unit == claim.unit + 1]
    low = max([day for day in dates[:number] if day is not None] + outside, default=true - _DAYS)
    high = min([day for day in dates[number + 1 :] if day is not None] + beyond, default=true + _DAYS)
    free = [day for day in range(max(0, low + 1), high) if day != true and is_dateable(day)]
    return rng.sample(free, min(3, len(free)))


def _relation(around: Surroundings, claim: Claim, rng: Random) -> Iterator[Change]:
    if claim.relation is None:
        return
    relation, people = claim.relation, around.world.person
    one, other = people[relation.subject], people[relation.object]
    true = Kin(around.world).names(one.id, other.id)
    common = partial(RelationKind.count, same_family=one.family == other.family, to_woman=other.sex == "f")
    kind = RELATIONS[relation.name]
    for name in kind.replaceable_by:
        if name not in true and _accepted(common(RELATIONS[name]), common(kind), rng):
            wrong = Relation(subject=one.id, name=name, object=other.id)
            yield Change(claim.model_copy(update={"relation": wrong}), "relation")


def _inversion(around: Surroundings, claim: Claim, rng: Random) -> Iterator[Change]:
    """Negate the act and nothing else: a cause or manner in the claim would have to change with it."""
    act = _bare(claim)
    if act is None or not KINDS[act.action].polar or act.manner is not None:
        return
    wrong, kind = _with(act, done=not act.done), KINDS[act.action]
    common = _accepted(kind.count(wrong.done), kind.count(act.done), rng)
    if common and not happened(around.world, _with(core(wrong), done=wrong.done)):
        yield _change(claim, wrong, "done")


def _event(around: Surroundings, claim: Claim, rng: Random) -> Iterator[Change]:
    """Another manner, illness, errand, child or feeling, or another kind of event with the same parts."""
    if claim.act is None or claim.later is not None:
        return
    world, act = around.world, claim.act
    kind = KINDS[act.action]
    for manner in kind.manners:
        if act.manner is not None and manner != act.manner and fits_place(manner, act.place):
            wrong = _with(act, manner=manner)
            if not happened(world, _with(core(wrong), manner=manner)):
                yield _change(claim, wrong, "manner")
    if _bare(claim) is None:
        return
    for item in _other_items(world, act):
        if not happened(world, _with(core(act), item=item, done=act.done)):
            yield _change(claim, _with(act, item=item), "item")
    for action in kind.replaceable_by if act.done else ():
        wrong, other = _with(act, action=action), KINDS[action]
        counted = (act.amount is None) == (other.measure in ("", "days"))
        if not counted or (act.manner is not None and act.manner not in other.manners):
            continue
        common = _accepted(other.count(True), kind.count(True), rng)
        if common and not loosely(world, core(wrong)):
            yield _change(claim, wrong, "")


def _other_items(world: World, act: Act) -> list[str]:
    """What else an illness, an errand or a child could be, or what else the same event could make somebody feel."""
    item = KINDS[act.action].item
    if item in ("illness", "topic", "child"):
        return sorted({event.item for event in world.by_action[act.action] if event.item} - {act.item})
    if item != "feeling":
        return []
    event = next(find(world, act), None)
    if event is None or event.cause is None:
        return []
    cause = world.events[event.cause]
    role = "A" if cause.subject == act.subject else "B"
    choices = KINDS[cause.action].felt(cause.done)
    return [feeling for who, feeling in choices if who == role and feeling not in _near(act.item)]


def _temporal(around: Surroundings, claim: Claim, rng: Random) -> Iterator[Change]:  # noqa: ARG001
    if claim.act is None or claim.later is None:
        return
    yield Change(claim.model_copy(update={"act": claim.later, "later": claim.act}), "order")


def _causal(around: Surroundings, claim: Claim, rng: Random) -> Iterator[Change]:
    """Another possible cause of the act: a reason, or an event of the same people, preferably a real one."""
    if claim.act is None or claim.later is not None or (claim.cause is None and claim.reason is None):
        return
    world, act = around.world, claim.act
    event = next(find(world, act), None)
    if event is None:
        return
    kind = KINDS[act.action]
    known = kind.causes if act.done else ()
    per_reason = kind.per_reason if known else 1
    old = per_reason if claim.reason is not None else _cause_count(act, claim.cause)
    for reason in kind.reasons if act.done else kind.reasons_not:
        if reason != claim.reason and _in_season(reason, event.day) and _accepted(per_reason, old, rng):
            yield Change(claim.model_copy(update={"cause": None, "reason": reason}), "cause")
    for cause_kind in known:
        if claim.cause is not None and (claim.cause.action, claim.cause.done) == (cause_kind.action, cause_kind.done):
            continue
        cause = _other_cause(around, event, cause_kind, rng) if _accepted(cause_kind.count, old, rng) else None
        if cause is not None:
            yield Change(claim.model_copy(update={"cause": cause, "reason": None}), "cause")


def _cause_count(act: Act, cause: Act | None) -> int:
    if cause is None:
        return 0
    known = KINDS[act.action].causes
    return sum(kind.count for kind in known if (kind.action, kind.done) == (cause.action, cause.done))


def _accepted(new: int, old: int, rng: Random) -> bool:
    """Whether an item of frequency `old` may be replaced by one of frequency `new`: always if more common, else with
    proportional probability. Replacements then go equally often in both directions.
    """
    return old > 0 and rng.random() * old < new


def _in_season(reason: str, day: int) -> bool:
    return season(day) in ONLY_IN.get(reason, {season(day)})


def _other_cause(around: Surroundings, event: Event, kind: CauseKind, rng: Random) -> Act | None:
    """An event of this kind that could have caused another: a real earlier one, else an invented one."""
    world = around.world
    roles = {"A": event.subject, "B": event.object}
    chain = {event.id, *(cause.id for cause in causes(world, event))}
    for other in reversed(world.by_action.get(kind.action, ())):
        given = zip(kind.roles, (other.subject, other.object), strict=False)
        fits = all(role == "?" or roles[role] == who for role, who in given)
        if fits and other.done == kind.done and other.id < event.id and other.id not in chain:
            # An event with the same root cause is too close to count as unrelated.
            if chain & {cause.id for cause in causes(world, other)}:
                return None
            return summary_act(other, dated=False)
    taken = {event.subject, event.object, event.other}
    others = [who for who in around.cast if who not in taken]
    people = [roles[role] if role != "?" else rng.choice(others) if others else None for role in kind.roles]
    if None in people or (kind.action == "propose" and [world.person[who or ""].sex for who in people] != ["m", "f"]):
        return None
    named = [who for who in people if who is not None]
    act = invent(world, kind.action, named, rng, like=summary_act(event, dated=False), done=kind.done)
    return _with(act, item=event.item) if kind.action == "buy" else act


def _fabrication(around: Surroundings, claim: Claim, rng: Random) -> Iterator[Change]:
    act = _bare(claim)
    if act is None or len(around.cast) < 3:
        return
    weights = [KINDS[action].count(True) for action in _INVENTED]
    for action in (*rng.choices(_INVENTED, weights, k=3), "feel"):
        people = rng.sample(around.cast, min(len(around.cast), KINDS[action].people))
        made = invent(around.world, action, people, rng, places=around.places)
        if loosely(around.world, core(made)):
            continue
        if action == "feel" and _acquainted(around.world, made):
            # Between people who deal with each other, a reader might infer it.
            continue
        yield Change(claim.model_copy(update={"act": _with(made, day=act.day)}), "")
    yield from _repeats(around, claim, rng)


def _repeats(around: Surroundings, claim: Claim, rng: Random) -> Iterator[Change]:
    """An event already in the summary, repeated on a later day on which something else happened."""
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
        yield _change(claim, _with(act, day=day, amount=amount), "repeat")


_AGAIN = ("lend", "wager", "quarrel", "strike", "accuse", "apologise", "rescue", "ill", "sue", "sell", "cheat", "wreck")
"""Kinds of event that could plausibly happen twice between the same people."""

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
"""Kinds of event that can be invented about anybody."""

_Maker = Callable[[Surroundings, Claim, Random], Iterator[Change]]
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
"""Feelings that a reader might confuse."""


def _near(item: str | None) -> set[str | None]:
    return next(({*alike} for alike in _ALIKE if item in alike), {item})


def _acquainted(world: World, act: Act) -> bool:
    return any(act.object in people_of(event).values() for event in world.by_person.get(act.subject, ()))


def _bare(claim: Claim) -> Act | None:
    """The act of a claim that has neither a cause nor a second event."""
    return claim.act if claim.later is None and claim.cause is None and claim.reason is None else None


def _with(act: Act, **fields: object) -> Act:
    return act.model_copy(update=fields)


def _change(claim: Claim, act: Act, part: str) -> Change:
    return Change(claim.model_copy(update={"act": act}), part)
