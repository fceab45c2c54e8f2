"""The faithful assertions of a unit, and exact wrong versions of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from longreach.worlds import ErrorType

from .narration import act_of, people_of
from .simulation import GOODS, ILLNESSES, OFFICES, PUBLIC, SPOTS, THINGS, TOWNS, TRADES, fits_place, likely_sum
from .world import (
    KINDS,
    ONLY_IN,
    RELATIONS,
    Act,
    Assertion,
    CauseKind,
    Event,
    Kin,
    Register,
    Relation,
    RelationKind,
    World,
    causes,
    core,
    find,
    happened,
    holds,
    is_dateable,
    loosely,
    season,
)

# Derives the faithful assertions of a unit from its events and kinship.

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


def shortened(assertion: Assertion, rng: Random) -> Assertion:
    """The assertion as one wording states it: half of them omit the cause, and half how a debt was paid."""
    act = assertion.act
    if rng.random() < _LEFT_OUT:
        assertion = assertion.model_copy(update={"cause": None, "reason": None})
    if act is not None and act.action == "repay" and rng.random() < _LEFT_OUT:
        assertion = assertion.model_copy(update={"act": act.model_copy(update={"manner": None})})
    return assertion


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


def assertions_of(world: Register, unit: int, unit_events: list[Event], relation: Relation | None) -> list[Assertion]:
    """Four to eight assertions in the order of events, one of which orders two events."""
    main = [event for event in unit_events if event.action != "feel"]
    pair = _pair(world, main) if len(main) > _ALONE else ()
    assertions: list[Assertion] = []
    felt = 0
    for event in unit_events:
        if event.action == "feel":
            felt += 1
            if len(main) + felt > _MOST:
                continue
        if event not in pair:
            cause = None if event.cause is None else summary_act(world.events[event.cause], dated=False)
            assertions.append(Assertion(id="", unit=unit, act=summary_act(event), cause=cause, reason=event.reason))
        elif pair and event is pair[0]:
            first, later = (summary_act(one, dated=False) for one in pair)
            assertions.append(Assertion(id="", unit=unit, act=first, later=later))
        if relation is not None and {relation.subject, relation.object} & {event.subject, event.object, event.other}:
            assertions.append(Assertion(id="", unit=unit, relation=relation))
            relation = None
    return [assertion.model_copy(update={"id": f"u{unit}.c{n}"}) for n, assertion in enumerate(assertions, start=1)]


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


# Invents events that never happened, with parts as likely as those of real ones.

_FEELINGS = ("gratitude", "shame", "resentment", "pity", "remorse", "envy", "fear", "suspicion", "respect", "hope")


def other_amount(true: int, rng: Random) -> int:
    """Another amount of the same magnitude and roundness."""
    step = 5 if true >= 20 and true % 5 == 0 else 1
    for _ in range(20):
        amount = round(true * rng.uniform(0.5, 1.7) / step) * step
        if amount != true and amount >= 2:
            return amount
    return true + step


def invent(
    world: World,
    action: str,
    people: Sequence[str],
    rng: Random,
    *,
    like: Act | None = None,
    places: tuple[str, ...] = (),
    done: bool = True,
) -> Act:
    """An act of a kind between these people, reusing as many parts of another act as fit and inventing the rest."""
    kind = KINDS[action]
    old = KINDS[like.action] if like is not None else None
    amount = item = place = manner = None
    if kind.measure and kind.measure != "days":
        same = like is not None and old is not None and old.measure == kind.measure
        amount = like.amount if like is not None and same else likely_sum(*kind.sums, rng)
    if kind.item:
        same = like is not None and old is not None and old.item == kind.item
        item = like.item if like is not None and same else _item(world, kind.item, people[0], rng)
    if kind.place == "town":
        place = like.place if like is not None and like.place in TOWNS else rng.choice(TOWNS)
    elif kind.place == "spot":
        spots = kind.spots or places or PUBLIC
        kept = like is not None and like.place in (kind.spots or SPOTS)
        place = like.place if like is not None and kept else rng.choice(spots)
    if kind.manners and done:
        fitting = [manner for manner in kind.manners if fits_place(manner, place)]
        manner = like.manner if like is not None and like.manner in fitting else rng.choice(fitting)
    return Act(
        action=action,
        subject=people[0],
        object=people[1] if kind.people > 1 else None,
        other=people[2] if kind.people > 2 else None,
        amount=amount,
        item=item,
        place=place,
        manner=manner,
        done=done,
    )


def _item(world: World, kind: str, owner: str, rng: Random) -> str:
    if kind == "goods":
        goods = TRADES[world.person[owner].trade][1]
        return goods if rng.random() < 0.7 else rng.choice(GOODS)
    return rng.choice({"thing": THINGS, "illness": ILLNESSES, "feeling": _FEELINGS}[kind])


# Exact wrong versions of an assertion: one part replaced by something equally plausible that is false in the world.

_FIXED_SEX = ("propose", "marry", "birth")
"""Kinds in which a man cannot replace a woman."""
_DAYS = 6
"""Maximum shift of the first or last date of a book."""


@dataclass(frozen=True)
class AssertionChange:
    """A wrong assertion and what was changed in it."""

    assertion: Assertion
    part: str
    """The field of the act that changed, `swap` for exchanged roles, `repeat` for an act stated a second time, or empty
    where the whole changed."""


@dataclass(frozen=True)
class Surroundings:
    """The unit that an assertion belongs to."""

    world: World
    assertions: tuple[Assertion, ...]
    cast: tuple[str, ...]
    """Who takes part in it, without the dead."""
    places: tuple[str, ...]


def changes(around: Surroundings, assertion: Assertion, kind: ErrorType, rng: Random) -> Iterator[AssertionChange]:
    """Wrong versions of one type in random order; each is false in the whole book."""
    found = list(_MAKERS[kind](around, assertion, rng))
    rng.shuffle(found)
    return (change for change in found if not holds(around.world, change.assertion))


def look_around(world: World, assertions: tuple[Assertion, ...]) -> Surroundings:
    """The unit of these assertions."""
    unit = assertions[0].unit
    events = [event for event in world.events if event.unit == unit]
    dead = {event.subject for event in world.by_action.get("die", ()) if event.unit <= unit}
    cast = dict.fromkeys(who for event in events for who in people_of(event).values() if who not in dead)
    places = dict.fromkeys(event.place for event in events if event.place in SPOTS)
    return Surroundings(world, assertions, tuple(cast), tuple(places))


def _entity(around: Surroundings, assertion: Assertion, rng: Random) -> Iterator[AssertionChange]:
    if assertion.act is None or assertion.later is not None:
        return
    # A person also named in the cause cannot be replaced in the act alone.
    linked = set(people_of(assertion.cause).values()) if assertion.cause is not None else set()
    yield from _other_people(around, assertion, assertion.act, linked)
    yield from _swapped_people(around.world, assertion, assertion.act, linked)
    yield from _other_places(around.world, assertion, assertion.act)
    pool = {"thing": THINGS, "goods": GOODS, "office": OFFICES}.get(KINDS[assertion.act.action].item, ())
    for item in rng.sample(pool, min(3, len(pool))) if assertion.cause is None or assertion.cause.item is None else ():
        if item != assertion.act.item and not _happened_with(around.world, assertion.act, item=item):
            yield _change(assertion, _with(assertion.act, item=item), "item")


def _happened_with(world: World, act: Act, **changed: object) -> bool:
    """Whether an act also happened with other parts."""
    return happened(world, _with(core(act), **changed, done=act.done))


def _other_people(around: Surroundings, assertion: Assertion, act: Act, linked: set[str]) -> Iterator[AssertionChange]:
    world = around.world
    for role in ("subject", "object", "other")[: KINDS[act.action].people]:
        true = getattr(act, role)
        for who in around.cast if true not in linked else ():
            if who in people_of(act).values() or world.person[who].sex != world.person[true].sex:
                continue
            wrong = _with(act, **{role: who})
            if not loosely(world, core(wrong)):
                yield _change(assertion, wrong, role)


def _swapped_people(world: World, assertion: Assertion, act: Act, linked: set[str]) -> Iterator[AssertionChange]:
    kind = KINDS[act.action]
    if kind.people >= 2 and act.object and not kind.symmetric and act.action not in _FIXED_SEX and not linked:
        wrong = _with(act, subject=act.object, object=act.subject)
        if not happened(world, core(wrong)):
            yield _change(assertion, wrong, "swap")


def _other_places(world: World, assertion: Assertion, act: Act) -> Iterator[AssertionChange]:
    if act.place is None:
        return
    homes = [world.person[who].home for who in people_of(act).values()]
    for place in TOWNS if act.place in TOWNS else KINDS[act.action].spots or (*homes, *PUBLIC):
        same = place == act.place or not fits_place(act.manner, place)
        if not same and not _happened_with(world, act, place=place):
            yield _change(assertion, _with(act, place=place), "place")


def _numerical(around: Surroundings, assertion: Assertion, rng: Random) -> Iterator[AssertionChange]:
    if assertion.act is None or assertion.later is not None:
        return
    world, act = around.world, assertion.act
    if act.amount is not None:
        for _ in range(3):
            amount = other_amount(act.amount, rng)
            if not _happened_with(world, act, amount=amount):
                yield _change(assertion, _with(act, amount=amount), "amount")
    if act.day is not None:
        for day in _other_days(around, assertion, act.day, rng):
            if not _happened_with(world, act, day=day):
                yield _change(assertion, _with(act, day=day), "day")


def _other_days(around: Surroundings, assertion: Assertion, true: int, rng: Random) -> list[int]:
    """Days that preserve the order of dates in the summary: after the previous date and before the next."""
    number = around.assertions.index(assertion) if assertion in around.assertions else 0
    dates = [other.act.day if other.act is not None else None for other in around.assertions]
    outside = [event.day for event in around.world.events if event.unit == assertion.unit - 1]
    beyond = [event.day for event in around.world.events if event.unit == assertion.unit + 1]
    low = max([day for day in dates[:number] if day is not None] + outside, default=true - _DAYS)
    high = min([day for day in dates[number + 1 :] if day is not None] + beyond, default=true + _DAYS)
    free = [day for day in range(max(0, low + 1), high) if day != true and is_dateable(day)]
    return rng.sample(free, min(3, len(free)))


def _relation(around: Surroundings, assertion: Assertion, rng: Random) -> Iterator[AssertionChange]:
    if assertion.relation is None:
        return
    relation, people = assertion.relation, around.world.person
    one, other = people[relation.subject], people[relation.object]
    true = Kin(around.world).names(one.id, other.id)
    common = partial(RelationKind.count, same_family=one.family == other.family, to_woman=other.sex == "f")
    kind = RELATIONS[relation.name]
    for name in kind.replaceable_by:
        if name not in true and _accepted(common(RELATIONS[name]), common(kind), rng):
            wrong = Relation(subject=one.id, name=name, object=other.id)
            yield AssertionChange(assertion.model_copy(update={"relation": wrong}), "relation")


def _inversion(around: Surroundings, assertion: Assertion, rng: Random) -> Iterator[AssertionChange]:
    """Negate the act and nothing else: a cause or manner in the assertion would have to change with it."""
    act = _bare(assertion)
    if act is None or not KINDS[act.action].polar or act.manner is not None:
        return
    wrong, kind = _with(act, done=not act.done), KINDS[act.action]
    common = _accepted(kind.count(wrong.done), kind.count(act.done), rng)
    if common and not happened(around.world, _with(core(wrong), done=wrong.done)):
        yield _change(assertion, wrong, "done")


def _event(around: Surroundings, assertion: Assertion, rng: Random) -> Iterator[AssertionChange]:
    """Another manner, illness, errand, child or feeling, or another kind of event with the same parts."""
    if assertion.act is None or assertion.later is not None:
        return
    world, act = around.world, assertion.act
    kind = KINDS[act.action]
    for manner in kind.manners:
        if act.manner is not None and manner != act.manner and fits_place(manner, act.place):
            wrong = _with(act, manner=manner)
            if not happened(world, _with(core(wrong), manner=manner)):
                yield _change(assertion, wrong, "manner")
    if _bare(assertion) is None:
        return
    for item in _other_items(world, act):
        if not _happened_with(world, act, item=item):
            yield _change(assertion, _with(act, item=item), "item")
    yield from _other_kinds(world, assertion, act, rng)


def _other_kinds(world: World, assertion: Assertion, act: Act, rng: Random) -> Iterator[AssertionChange]:
    kind = KINDS[act.action]
    for action in kind.replaceable_by if act.done else ():
        wrong, other = _with(act, action=action), KINDS[action]
        counted = (act.amount is None) == (other.measure in ("", "days"))
        if not counted or (act.manner is not None and act.manner not in other.manners):
            continue
        common = _accepted(other.count(True), kind.count(True), rng)
        if common and not loosely(world, core(wrong)):
            yield _change(assertion, wrong, "")


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


def _temporal(around: Surroundings, assertion: Assertion, rng: Random) -> Iterator[AssertionChange]:  # noqa: ARG001
    if assertion.act is None or assertion.later is None:
        return
    yield AssertionChange(assertion.model_copy(update={"act": assertion.later, "later": assertion.act}), "order")


def _causal(around: Surroundings, assertion: Assertion, rng: Random) -> Iterator[AssertionChange]:
    """Another possible cause of the act: a reason, or an event of the same people, preferably a real one."""
    if assertion.act is None or assertion.later is not None or (assertion.cause is None and assertion.reason is None):
        return
    world, act = around.world, assertion.act
    event = next(find(world, act), None)
    if event is None:
        return
    kind = KINDS[act.action]
    known = kind.causes if act.done else ()
    per_reason = kind.per_reason if known else 1
    old = per_reason if assertion.reason is not None else _cause_count(act, assertion.cause)
    for reason in kind.reasons if act.done else kind.reasons_not:
        if reason != assertion.reason and _in_season(reason, event.day) and _accepted(per_reason, old, rng):
            yield AssertionChange(assertion.model_copy(update={"cause": None, "reason": reason}), "cause")
    for cause_kind in known:
        if assertion.cause is not None and (assertion.cause.action, assertion.cause.done) == (
            cause_kind.action,
            cause_kind.done,
        ):
            continue
        cause = _other_cause(around, event, cause_kind, rng) if _accepted(cause_kind.count, old, rng) else None
        if cause is not None:
            yield AssertionChange(assertion.model_copy(update={"cause": cause, "reason": None}), "cause")


def _cause_count(act: Act, cause: Act | None) -> int:
    if cause is None:
        return 0
    known = KINDS[act.action].causes
    return sum(kind.count for kind in known if (kind.action, kind.done) == (cause.action, cause.done))


def _accepted(new: int, old: int, rng: Random) -> bool:
    """Whether an item of frequency `old` may be replaced by one of frequency `new`: always if more common, else with
    proportional probability. Replacements then go equally often in both directions."""
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

    def cast(role: str) -> str | None:
        if role != "?":
            return roles[role]
        return rng.choice(others) if others else None

    people = [cast(role) for role in kind.roles]
    if None in people or (kind.action == "propose" and [world.person[who or ""].sex for who in people] != ["m", "f"]):
        return None
    named = [who for who in people if who is not None]
    act = invent(world, kind.action, named, rng, like=summary_act(event, dated=False), done=kind.done)
    return _with(act, item=event.item) if kind.action == "buy" else act


def _fabrication(around: Surroundings, assertion: Assertion, rng: Random) -> Iterator[AssertionChange]:
    act = _bare(assertion)
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
        yield AssertionChange(assertion.model_copy(update={"act": _with(made, day=act.day)}), "")
    yield from _repeats(around, assertion, rng)


def _repeats(around: Surroundings, assertion: Assertion, rng: Random) -> Iterator[AssertionChange]:
    """An event already in the summary, repeated on a later day on which something else happened."""
    if assertion.act is None or assertion.act.day is None:
        return
    world, day = around.world, assertion.act.day
    for other in around.assertions:
        act = other.act
        if act is None or other.later is not None or not act.done or act.action not in _AGAIN:
            continue
        once = list(find(world, core(act)))
        if len(once) != 1 or once[0].day >= day or not set(people_of(act).values()) <= set(around.cast):
            continue
        amount = None if act.amount is None else other_amount(act.amount, rng)
        yield _change(assertion, _with(act, day=day, amount=amount), "repeat")


_AGAIN = ("lend", "wager", "quarrel", "strike", "accuse", "apologise", "rescue", "ill", "sue", "sell", "cheat", "wreck")
"""Kinds of event that could plausibly happen twice between the same people."""

_INVENTED = (
    *("lend", "give", "buy", "sell", "wager", "rent", "partner", "quarrel", "strike", "accuse"),
    *("apologise", "rescue", "depart", "ill", "nurse", "mend", "reconcile", "sue", "miss"),
)
"""Kinds of event that can be invented about anybody."""

_Maker = Callable[[Surroundings, Assertion, Random], Iterator[AssertionChange]]
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


def _bare(assertion: Assertion) -> Act | None:
    """The act of an assertion that has neither a cause nor a second event."""
    return assertion.act if assertion.later is None and assertion.cause is None and assertion.reason is None else None


def _with(act: Act, **fields: object) -> Act:
    return act.model_copy(update=fields)


def _change(assertion: Assertion, act: Act, part: str) -> AssertionChange:
    return AssertionChange(assertion.model_copy(update={"act": act}), part)
