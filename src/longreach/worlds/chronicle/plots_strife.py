"""Quarrels, blows, the magistrate, thefts, offices and apprentices."""

from __future__ import annotations

from .cast import fits_place
from .simulation import Draft, Plot, Simulation, Thread
from .world import Event

__all__ = ["PLOTS", "quarrel_over"]


def quarrel_over(sim: Simulation, one: str, two: str, cause: Event | None, wait: int | None = None) -> Thread:
    """A quarrel with its possible consequences: a blow, the magistrate, a peace."""
    pair = frozenset((one, two))
    place, manner = sim.spot(one, two), sim.manner("quarrel")
    words = yield Draft(
        "quarrel",
        one,
        two,
        place=place,
        manner=manner if fits_place(manner, place) else "public",
        cause=None if cause is None else cause.id,
        reason=sim.reason("quarrel") if cause is None else None,
        wait=sim.count(1, 8) if wait is None else wait,
        check=lambda: sim.spouse(one) != two,
    )
    sim.feuds.add(pair)
    if sim.chance(0.4):
        blow = yield Draft(
            "strike",
            one,
            two,
            place=sim.spot(one, two),
            manner=sim.manner("strike"),
            cause=words.id,
            wait=sim.count(0, 6),
        )
        if sim.chance(0.55):
            won = sim.chance(0.6)
            yield Draft(
                "sue",
                two,
                one,
                amount=sim.money(4, 30),
                place="hall",
                done=won,
                cause=blow.id if won else None,
                reason=None if won else sim.reason("sue", False),
                wait=sim.count(2, 10),
            )
    if sim.chance(0.75):
        yield from _peace(sim, one, two)
    else:
        sim.feuds.discard(pair)


def _peace(sim: Simulation, one: str, two: str) -> Thread:
    """Somebody tries to reconcile them, once or twice."""
    friend = sim.third(one, two)
    if friend is None:
        return
    for turn in range(2):
        done = turn == 1 or sim.chance(0.6)
        yield Draft(
            "reconcile",
            one,
            two,
            friend,
            place=sim.spot(friend),
            done=done,
            reason=sim.reason("reconcile", done),
            wait=sim.count(8, 30),
        )
        if done:
            break
    sim.feuds.discard(frozenset((one, two)))


def quarrel(sim: Simulation) -> Thread:
    """Neighbours quarrel over a trifle."""
    two = sim.pair(20)
    if two is not None:
        yield from quarrel_over(sim, two[0].id, two[1].id, None, wait=0)


def theft(sim: Simulation) -> Thread:
    """Something is missing, somebody is accused, and it may or may not turn up."""
    two = sim.pair(16)
    thing = sim.thing()
    if two is None or thing is None:
        return
    owner, blamed = (p.id for p in two)
    try:
        yield from _theft(sim, owner, blamed, thing)
    finally:
        sim.owned.discard(thing)


def _theft(sim: Simulation, owner: str, blamed: str, thing: str) -> Thread:
    missed = yield Draft("miss", owner, item=thing, place=sim.person[owner].home)
    charge: Event | None = None
    if sim.chance(0.75):
        by_cause = sim.chance(0.5)
        charge = yield Draft(
            "accuse",
            owner,
            blamed,
            item=thing,
            place=sim.spot(owner, blamed),
            cause=missed.id if by_cause else None,
            reason=None if by_cause else sim.reason("accuse"),
            wait=sim.count(1, 5),
            check=lambda: sim.spouse(owner) != blamed,
        )
    finder = sim.third(owner, blamed)
    if finder is None:
        return
    done = sim.chance(0.75)
    found = yield Draft(
        "find",
        finder,
        owner,
        item=thing,
        place=sim.spot(),
        done=done,
        cause=missed.id if done else None,
        reason=None if done else sim.reason("find", False),
        wait=sim.count(3, 14),
    )
    if charge is None:
        return
    if not found.done:
        yield from quarrel_over(sim, blamed, owner, charge)
        return
    sorry = sim.chance(0.6)
    word = yield Draft(
        "apologise",
        owner,
        blamed,
        place=sim.spot(blamed),
        done=sorry,
        cause=found.id if sorry else None,
        reason=None if sorry else sim.reason("apologise", False),
        wait=sim.count(0, 6),
    )
    if not sorry:
        yield from quarrel_over(sim, blamed, owner, word)


def office(sim: Simulation) -> Thread:
    """An office becomes vacant and is filled, to somebody's disappointment."""
    free = sorted(set(sim.offices) - sim.contested)
    if not free:
        return
    name = sim.pick(free)
    sim.contested.add(name)
    try:
        yield from _vacancy(sim, name)
    finally:
        sim.contested.discard(name)


def _vacancy(sim: Simulation, name: str) -> Thread:
    holder = sim.offices[name]
    gone: Event | None = None
    if holder not in sim.dead:
        gone = yield Draft("resign", holder, item=name, place="hall", reason=sim.reason("resign"))
    else:
        gone = next((e for e in sim.by_action.get("die", ()) if e.subject == holder), None)
    two = sim.pair(26, sex="m")
    if two is None or {two[0].id, two[1].id} & {holder, *sim.offices.values()}:
        sim.offices[name] = next((p.id for p in sim.adults(sex="m") if p.id not in sim.offices.values()), holder)
        return
    one, other = (p.id for p in two)
    done = sim.chance(0.65)
    by_cause = done and gone is not None and sim.chance(0.6)
    vote = yield Draft(
        "elect",
        one,
        other,
        amount=sim.count(9, 40),
        item=name,
        place="hall",
        done=done,
        cause=gone.id if gone is not None and by_cause else None,
        reason=None if by_cause else sim.reason("elect", done),
        wait=sim.count(4, 14),
    )
    sim.offices[name] = one if done else other
    if sim.chance(0.35):
        yield from quarrel_over(sim, other if done else one, one if done else other, vote)


def apprentice(sim: Simulation) -> Thread:
    """A young person is apprenticed, and does well or badly."""
    masters, young = sim.adults(28), sim.adults(15, 19)
    if not masters or not young:
        return
    boy = young[0].id
    master = masters[0].id
    if sim.person[boy].father == master or sim.person[boy].mother == master:
        return
    done = sim.chance(0.75)
    bound = yield Draft(
        "apprentice",
        master,
        boy,
        amount=sim.count(3, 7),
        place=sim.person[master].home,
        done=done,
        reason=sim.reason("apprentice", done),
        check=lambda: not any("master" in names for names in sim.kin().about(boy).values()),
    )
    if not bound.done or sim.chance(0.3):
        return
    gone = yield Draft(
        "dismiss",
        master,
        boy,
        place=sim.person[master].home,
        reason=sim.reason("dismiss"),
        wait=sim.count(20, 80),
    )
    if sim.chance(0.4):
        yield Draft(
            "depart",
            boy,
            place=sim.pick(sorted(p for p in sim.places if p.startswith("town"))),
            manner=sim.manner("depart"),
            cause=gone.id,
            wait=sim.count(1, 6),
        )
        sim.away.add(boy)
        town = sim.by_action["depart"][-1].place
        yield Draft(
            "return",
            boy,
            place=town,
            manner=sim.manner("return"),
            reason=sim.reason("return"),
            wait=sim.count(10, 40),
            abed=True,
        )
        sim.away.discard(boy)


PLOTS: tuple[Plot, ...] = (quarrel, theft, theft, office, apprentice)
