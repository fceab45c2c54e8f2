"""Sickness, death, courtship, births, journeys, letters, rescues and strangers."""

from __future__ import annotations

from functools import partial

from .plots_town import quarrel_over
from .simulation import EventDraft, Late, Plot, Simulation, Thread
from .world import Event, Sex

_ILLNESSES = ("fever", "ague", "lungs", "leg", "throat")
BETWEEN_CHILDREN = 300
"""Minimum days from a wedding or a birth to the next birth."""
_FEWEST = 24
"""Nobody dies if fewer adults are left."""


def illness(sim: Simulation) -> Thread:
    """Somebody falls ill."""
    found = sim.adults(16)
    if found:
        yield from _sickness(sim, found[0].id, None)


def _sickness(sim: Simulation, who: str, cause: Event | None) -> Thread:
    """The course of an illness to its good or bad end."""
    name = sim.pick(_ILLNESSES[:3] if cause else _ILLNESSES)
    home = sim.person[who].home
    fell = yield EventDraft(
        "ill",
        who,
        item=name,
        place=home,
        cause=None if cause is None else cause.id,
        reason=sim.reason("ill") if cause is None else None,
    )
    sim.ill.add(who)
    kin = sim.kin()
    near = [*kin.spouses(who), *kin.children(who), *kin.siblings(who), *kin.parents(who)]
    free = {p.id for p in sim.adults(15)}
    nurse = next((one for one in near if one in free), None) or sim.third(who)
    if nurse is not None and sim.chance(0.85):
        sim.spawn(_nursing(sim, nurse, fell))
    alive = sum(1 for p in sim.person.values() if p.stage and p.id not in sim.dead and sim.age(p.id) >= 18)
    done = alive <= _FEWEST or sim.chance(0.82 if sim.age(who) < 50 else 0.6)
    reason = None if done else sim.reason("recover", False)
    end = yield EventDraft(
        "recover",
        who,
        item=name,
        place=home,
        done=done,
        reason=reason,
        wait=sim.count(11, 22),
        abed=True,
        late=lambda: {"cause": _care(sim, fell)} if done else {},
    )
    if done:
        sim.ill.discard(who)
        yield from _thanks(sim, who, fell)
    elif sim.chance(0.3):
        # A second turn of the illness, for the better.
        yield EventDraft("recover", who, item=name, place=home, wait=sim.count(10, 20), abed=True)
        sim.ill.discard(who)
    else:
        yield from _death(sim, who, name, end, fell)


def _nursing(sim: Simulation, nurse: str, fell: Event) -> Thread:
    """Somebody nurses the patient, if that happens before the end."""
    yield EventDraft(
        "nurse",
        nurse,
        fell.subject,
        place=fell.place,
        cause=fell.id,
        wait=sim.count(3, 9),
        abed=True,
        # Every night since it began, where the calendar allows counting them.
        late=lambda: {"amount": sim.days_since(fell) or max(2, sim.day - fell.day - 3)},
        check=lambda: fell.subject in sim.ill and nurse not in sim.away | sim.ill,
    )


def _care(sim: Simulation, fell: Event) -> int | None:
    """The nursing in this illness, if there was any."""
    return next((e.id for e in sim.by_action.get("nurse", ()) if e.cause == fell.id), None)


def _thanks(sim: Simulation, who: str, fell: Event) -> Thread:
    care = _care(sim, fell)
    thing = sim.thing() if care is not None and sim.chance(0.4) else None
    if care is None or thing is None:
        return
    try:
        yield EventDraft(
            "give",
            who,
            sim.events[care].subject,
            item=thing,
            place=fell.place,
            cause=care,
            wait=sim.count(3, 12),
        )
    finally:
        sim.owned.discard(thing)


def _death(sim: Simulation, who: str, name: str, worse: Event, fell: Event) -> Thread:
    gone = yield EventDraft(
        "die",
        who,
        item=name,
        place=sim.person[who].home,
        cause=worse.id,
        wait=sim.count(1, 5),
        abed=True,
        late=lambda: {"amount": sim.age(who)},
    )
    sim.ill.discard(who)
    sim.dead.add(who)
    kin = sim.kin()
    nursed = _care(sim, fell)
    care = None if nursed is None else sim.events[nursed]
    near = [*kin.children(who), *kin.siblings(who), *kin.spouses(who)]
    heir = care.subject if care is not None and sim.chance(0.5) else next((p for p in near if p not in sim.dead), None)
    if heir is None or heir in sim.dead or not sim.person[heir].stage:
        return
    left = yield EventDraft(
        "bequeath",
        who,
        heir,
        amount=sim.money(15, 120),
        place="hall",
        cause=care.id if care is not None and care.subject == heir else gone.id,
        wait=sim.count(3, 10),
    )
    envious = next((p for p in near if p not in sim.dead and p != heir and sim.person[p].stage), None)
    if envious is not None and sim.chance(0.5):
        yield from quarrel_over(sim, envious, heir, left)


def courtship(sim: Simulation) -> Thread:
    """A proposal, and the consequences of yes or no."""
    kin = sim.kin()
    free = [
        p
        for p in sim.adults(18, 42)
        if p.id not in sim.courting and not any(s not in sim.dead for s in kin.spouses(p.id))
    ]
    men, women = ([p for p in free if p.sex == sex] for sex in "mf")
    match = next(
        (
            (man, woman)
            for man in men
            for woman in women
            if man.family != woman.family and not kin.names(man.id, woman.id) and abs(man.born - woman.born) < 12 * 365
        ),
        None,
    )
    if match is None:
        return
    man, woman = (p.id for p in match)
    sim.courting |= {man, woman}
    try:
        yield from _match(sim, man, woman)
    finally:
        sim.courting -= {man, woman}


def _match(sim: Simulation, man: str, woman: str) -> Thread:
    done = sim.chance(0.6)
    asked = yield EventDraft(
        "propose",
        man,
        woman,
        place=sim.pick(("church", "bridge", "market", "quay", sim.person[woman].home)),
        done=done,
        reason=None if done else sim.reason("propose", False),
    )
    if done:
        yield EventDraft(
            "marry",
            man,
            woman,
            amount=sim.money(10, 90),
            place="church",
            manner=sim.manner("marry"),
            cause=asked.id,
            wait=sim.count(12, 50),
        )
    elif sim.chance(0.5):
        yield from _journey(sim, man, woman, asked)


def birth(sim: Simulation) -> Thread:
    """A child is born to a couple."""
    kin = sim.kin()
    for mother in sim.adults(19, 44, "f"):
        father = next((s for s in kin.spouses(mother.id) if s not in sim.dead | sim.away), None)
        if father is None or not _may_give_birth(sim, mother.id):
            continue
        sex: Sex = "f" if sim.chance(0.5) else "m"
        yield EventDraft(
            "birth",
            mother.id,
            father,
            item="daughter" if sex == "f" else "son",
            place=mother.home,
            abed=True,
            check=partial(_at_home, sim, mother.id, father),
        )
        sim.cast.child(sex, sim.day, sim.person[father], mother)
        return


def _at_home(sim: Simulation, mother: str, father: str) -> bool:
    return _may_give_birth(sim, mother) and not {mother, father} & (sim.away | sim.dead)


def _may_give_birth(sim: Simulation, mother: str) -> bool:
    """Whether enough time has passed since her last child and since her wedding."""
    last = [event.day for event in sim.by_action.get("birth", ()) if event.subject == mother]
    last += [event.day for event in sim.by_action.get("marry", ()) if event.object == mother]
    return not last or sim.day - max(last) >= BETWEEN_CHILDREN


def journey(sim: Simulation) -> Thread:
    """Somebody goes away, writes, and comes back."""
    two = sim.pair(18)
    if two is not None:
        yield from _journey(sim, two[0].id, two[1].id, None)


def _journey(sim: Simulation, who: str, friend: str, cause: Event | None) -> Thread:
    town = sim.pick(sorted(p for p in sim.places if p.startswith("town")))
    left = yield EventDraft(
        "depart",
        who,
        place=town,
        manner=sim.manner("depart"),
        cause=None if cause is None else cause.id,
        reason=sim.reason("depart") if cause is None else None,
        wait=sim.count(1, 6),
        check=lambda: who not in sim.away,
    )
    sim.away.add(who)
    if sim.chance(0.75):
        topic = "pardon" if cause is not None and sim.chance(0.5) else sim.pick(("money", "news", "summons"))
        sim.spawn(_letters(sim, left, friend, topic))
    by_letter, reason = sim.chance(0.6), sim.reason("return")

    def why() -> Late:
        reply = next((e for e in reversed(sim.by_action.get("answer", ())) if e.object == who and e.id > left.id), None)
        fields: Late = {"amount": sim.days_since(left)}
        return fields | ({"cause": reply.id} if reply is not None and by_letter else {"reason": reason})

    yield EventDraft(
        "return",
        who,
        place=town,
        manner=sim.manner("return"),
        wait=sim.count(10, 24),
        abed=True,
        late=why,
    )
    sim.away.discard(who)


def _letters(sim: Simulation, left: Event, friend: str, topic: str) -> Thread:
    """A letter home, and its consequences while the writer is away."""
    who = left.subject
    letter = yield EventDraft(
        "write",
        who,
        friend,
        item=topic,
        place=left.place,
        cause=left.id,
        wait=sim.count(2, 7),
        abed=True,
        check=lambda: friend not in sim.away and who in sim.away,
    )
    done = sim.chance(0.6)
    by_letter = done and sim.chance(0.6)
    yield EventDraft(
        "answer",
        friend,
        who,
        place=sim.person[friend].home,
        done=done,
        cause=letter.id if by_letter else None,
        reason=None if by_letter else sim.reason("answer", done),
        wait=sim.count(1, 5),
        abed=True,
        check=lambda: friend not in sim.away,
    )


def rescue(sim: Simulation) -> Thread:
    """Somebody is rescued, and the rescuer is thanked or falls ill."""
    two = sim.pair(16, 60, friendly=False)
    if two is None:
        return
    saver, saved = (p.id for p in two)
    deed = yield EventDraft(
        "rescue",
        saver,
        saved,
        place=sim.pick(("bridge", "quay", "mill")),
        reason=sim.reason("rescue"),
    )
    turn = sim.rng.random()
    thing = sim.thing() if turn < 0.6 else None
    if thing is not None:
        try:
            yield EventDraft(
                "give", saved, saver, item=thing, place=sim.spot(saver), cause=deed.id, wait=sim.count(1, 8)
            )
        finally:
            sim.owned.discard(thing)
    elif turn > 0.75:
        yield from _sickness(sim, saver, deed)


def stranger(sim: Simulation) -> Thread:
    """Somebody comes to the town and stays."""
    hosts = sim.adults(26)
    if not hosts or not sim.cast.names_left():
        return
    town = sim.pick(sorted(p for p in sim.places if p.startswith("town")))
    guest = sim.cast.stranger(sim.day)
    arrived = yield EventDraft(
        "arrive",
        guest.id,
        hosts[0].id,
        amount=sim.count(2, 9),
        place=town,
        reason=sim.reason("arrive"),
    )
    masters = [p for p in sim.adults(26) if p.id != guest.id]
    if masters and sim.chance(0.5):
        yield EventDraft(
            "rent",
            masters[0].id,
            guest.id,
            amount=sim.money(4, 24),
            place=sim.pick(("bridge", "market", "church", "quay")),
            cause=arrived.id,
            # Not before the time in the first lodging is over.
            wait=7 * (arrived.amount or 0) + sim.count(0, 10),
        )


HEARTH_PLOTS: tuple[Plot, ...] = (
    illness,
    illness,
    illness,
    courtship,
    courtship,
    birth,
    journey,
    journey,
    rescue,
    stranger,
)
