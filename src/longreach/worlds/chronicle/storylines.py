"""Plots, each a thread of causes and effects: debts, bargains, quarrels, thefts, offices; sickness, courtship, births,
journeys, rescues and strangers."""

from __future__ import annotations

from functools import partial
from typing import Any

from .simulation import ILLNESSES, EventDraft, Late, Plot, Simulation, Thread, during, fits_place
from .world import Event, Sex

# Quarrels, blows, the magistrate, thefts, offices and apprentices.


def _quarrel_over(
    sim: Simulation, one: str, two: str, cause: Event | None, wait: tuple[int, int] | int = (1, 8)
) -> Thread:
    """A quarrel with its possible consequences: a blow, the magistrate, a peace."""
    pair = frozenset((one, two))
    place, manner = sim.spot(one, two), sim.manner("quarrel")
    manner = manner if fits_place(manner, place) else "public"
    apart = partial(_not_married, sim, one, two)
    words = yield sim.draft("quarrel", one, two, place=place, manner=manner, why=cause or True, wait=wait, check=apart)
    sim.feuds.add(pair)
    if sim.chance(0.4):
        blow = yield sim.draft("strike", one, two, place=sim.spot(one, two), manner=True, why=words, wait=(0, 6))
        if sim.chance(0.55):
            yield from _lawsuit(sim, two, one, blow, 0.6, (4, 30), wait=(2, 10))
    if sim.chance(0.75):
        yield from _peace(sim, one, two)
    else:
        sim.feuds.discard(pair)


def _not_married(sim: Simulation, one: str, two: str) -> bool:
    return sim.spouse(one) != two


def _friendly(sim: Simulation, one: str, two: str) -> bool:
    return frozenset((one, two)) not in sim.feuds


def _lawsuit(
    sim: Simulation,
    one: str,
    two: str,
    over: Event,
    share: float,
    sums: tuple[int, int] | None = None,
    *,
    wait: tuple[int, int],
) -> Thread:
    """The magistrate decides, for a new sum or for that of the dispute."""
    won = sim.chance(share)
    amount = sim.money(*sums) if sums else over.amount
    yield sim.draft("sue", one, two, amount=amount, place="hall", done=won, why=over if won else True, wait=wait)


def _peace(sim: Simulation, one: str, two: str) -> Thread:
    """Somebody tries to reconcile them, once or twice."""
    friend = sim.third(one, two)
    if friend is None:
        return
    for turn in range(2):
        done = turn == 1 or sim.chance(0.6)
        yield sim.draft("reconcile", one, two, friend, place=sim.spot(friend), done=done, why=True, wait=(8, 30))
        if done:
            break
    sim.feuds.discard(frozenset((one, two)))


def quarrel(sim: Simulation) -> Thread:
    """Neighbours quarrel over a trifle."""
    two = sim.pair(20)
    if two is not None:
        yield from _quarrel_over(sim, *two, None, wait=0)


def theft(sim: Simulation) -> Thread:
    """Something is missing, somebody is accused, and it may or may not turn up."""
    two, thing = sim.pair(16), sim.thing()
    if two is not None and thing is not None:
        with during(sim.owned, thing):
            yield from _theft(sim, *two, thing)


def _theft(sim: Simulation, owner: str, blamed: str, thing: str) -> Thread:
    missed = yield sim.draft("miss", owner, item=thing, place=sim.person[owner].home)
    charge: Event | None = None
    if sim.chance(0.75):
        why, place = missed if sim.chance(0.5) else True, sim.spot(owner, blamed)
        apart = partial(_not_married, sim, owner, blamed)
        charge = yield sim.draft("accuse", owner, blamed, item=thing, place=place, why=why, wait=(1, 5), check=apart)
    finder = sim.third(owner, blamed)
    if finder is None:
        return
    done = sim.chance(0.75)
    why = missed if done else True
    found = yield sim.draft("find", finder, owner, item=thing, place=sim.spot(), done=done, why=why, wait=(3, 14))
    if charge is None:
        return
    if not found.done:
        yield from _quarrel_over(sim, blamed, owner, charge)
        return
    sorry = sim.chance(0.6)
    why = found if sorry else True
    word = yield sim.draft("apologise", owner, blamed, place=sim.spot(blamed), done=sorry, why=why, wait=(0, 6))
    if not sorry:
        yield from _quarrel_over(sim, blamed, owner, word)


def office(sim: Simulation) -> Thread:
    """An office becomes vacant and is filled, to somebody's disappointment."""
    free = sorted(set(sim.offices) - sim.contested)
    if free:
        name = sim.pick(free)
        with during(sim.contested, name):
            yield from _vacancy(sim, name)


def _vacancy(sim: Simulation, name: str) -> Thread:
    holder = sim.offices[name]
    if holder not in sim.dead:
        gone: Event | None = yield sim.draft("resign", holder, item=name, place="hall", why=True)
    else:
        gone = next((e for e in sim.by_action.get("die", ()) if e.subject == holder), None)
    two = sim.pair(26, sex="m")
    if two is None or {*two} & {holder, *sim.offices.values()}:
        sim.offices[name] = next((p.id for p in sim.adults(sex="m") if p.id not in sim.offices.values()), holder)
        return
    one, other = two
    done = sim.chance(0.65)
    why = gone if done and gone is not None and sim.chance(0.6) else True
    votes = sim.count(9, 40)
    vote = yield sim.draft("elect", one, other, amount=votes, item=name, place="hall", done=done, why=why, wait=(4, 14))
    sim.offices[name] = one if done else other
    if sim.chance(0.35):
        yield from _quarrel_over(sim, other if done else one, one if done else other, vote)


def apprentice(sim: Simulation) -> Thread:
    """A young person is apprenticed, and does well or badly."""
    masters, young = sim.adults(28), sim.adults(15, 19)
    if not masters or not young:
        return
    boy, master = young[0].id, masters[0].id
    if master in (sim.person[boy].father, sim.person[boy].mother):
        return
    bound = yield sim.draft(
        "apprentice",
        master,
        boy,
        done=sim.chance(0.75),
        amount=sim.count(3, 7),
        place=sim.person[master].home,
        why=True,
        check=lambda: not any("master" in names for names in sim.kin().about(boy).values()),
    )
    if not bound.done or sim.chance(0.3):
        return
    gone = yield sim.draft("dismiss", master, boy, place=sim.person[master].home, why=True, wait=(20, 80))
    if sim.chance(0.4):
        left = yield sim.draft("depart", boy, place=sim.town(), manner=True, why=gone, wait=(1, 6))
        sim.away.add(boy)
        yield sim.draft("return", boy, place=left.place, manner=True, why=True, wait=(10, 40), abed=True)
        sim.away.discard(boy)


# Debts, bargains, partners, houses and wagers.


def debt(sim: Simulation) -> Thread:
    """A loss causes a debt; the debt is paid, forgiven, or leads to worse."""
    two = sim.pair(24)
    if two is None:
        return
    debtor, lender = two
    action, town = sim.pick(("flood", "fire", "wreck")), sim.town()
    place = town if action == "wreck" else sim.person[debtor].home
    loss = yield sim.draft(action, debtor, amount=sim.count(6, 60), item=sim.goods(debtor), place=place, why=True)
    lent = sim.chance(0.72)
    loan = yield sim.draft(
        "lend",
        lender,
        debtor,
        amount=sim.money(20),
        place=sim.spot(lender),
        done=lent,
        why=loss if lent else True,
        wait=(1, 6),
        check=partial(_friendly, sim, lender, debtor),
    )
    if not lent:
        yield from _refused(sim, debtor, lender, loan, loss)
        return
    sale: Event | None = None
    if sim.chance(0.4):
        buyer = sim.third(debtor, lender)
        if buyer is not None:
            sale = yield _sell(sim, debtor, buyer, 50, why=loan, wait=(8, 30))
    paid = sim.chance(0.8 if sale else 0.35)
    due = yield sim.draft(
        "repay",
        debtor,
        lender,
        amount=loan.amount,
        place=sim.spot(lender),
        manner=paid,
        done=paid,
        why=sale if sale is not None and paid else True,
        wait=(15, 60),
    )
    if not paid:
        yield from _unpaid(sim, debtor, lender, due)


def _sell(sim: Simulation, seller: str, buyer: str, most: int, **fields: Any) -> EventDraft:
    amount, goods = sim.count(8, most), sim.goods(seller)
    return sim.draft("sell", seller, buyer, amount=amount, item=goods, place=sim.spot(seller, buyer), **fields)


def _refused(sim: Simulation, debtor: str, lender: str, refusal: Event, loss: Event) -> Thread:
    """The person who was refused is offended, or looks for money elsewhere."""
    if sim.chance(0.5):
        yield from _quarrel_over(sim, debtor, lender, refusal)
        return
    friend = sim.third(debtor, lender)
    if friend is not None:
        yield sim.draft("lend", friend, debtor, amount=sim.money(20), place=sim.spot(friend), why=loss, wait=(2, 9))


def _unpaid(sim: Simulation, debtor: str, lender: str, due: Event) -> Thread:
    """A creditor's options: forgive, seize something, sue, or quarrel."""
    turn, amount = sim.rng.random(), due.amount
    if turn < 0.3:
        done = sim.chance(0.55)
        place = sim.spot(lender)
        mercy = yield sim.draft(
            "forgive", lender, debtor, amount=amount, place=place, done=done, why=True, wait=(3, 12)
        )
        if not done:
            yield from _quarrel_over(sim, debtor, lender, mercy)
    elif turn < 0.6:
        thing, home = sim.thing(), sim.person[debtor].home
        if thing is None:
            return
        with during(sim.owned, thing):
            taken = yield sim.draft(
                "seize", lender, debtor, amount=amount, item=thing, place=home, why=due, wait=(3, 12)
            )
        if sim.chance(0.5):
            yield from _quarrel_over(sim, debtor, lender, taken)
    elif turn < 0.8:
        yield from _lawsuit(sim, lender, debtor, due, 0.6, wait=(4, 15))
    else:
        yield from _quarrel_over(sim, lender, debtor, due)


def trade(sim: Simulation) -> Thread:
    """A sale that goes wrong, or that leads to a partnership."""
    two = sim.pair(22)
    if two is None:
        return
    seller, buyer = two
    sale = yield _sell(sim, seller, buyer, 60, why=True)
    if sim.chance(0.5):
        amount, home = sim.count(2, max(3, (sale.amount or 8) // 3)), sim.person[buyer].home
        short = yield sim.draft(
            "cheat", buyer, seller, amount=amount, item=sale.item, place=home, why=sale, wait=(1, 7)
        )
        if sim.chance(0.5):
            yield from _lawsuit(sim, buyer, seller, short, 0.5, (5, 40), wait=(3, 12))
        else:
            yield from _quarrel_over(sim, buyer, seller, short)
        return
    done = sim.chance(0.7)
    made = yield sim.draft(
        "partner",
        seller,
        buyer,
        amount=sim.money(40, 120),
        place=sim.spot(seller, buyer),
        done=done,
        why=sale if done and sim.chance(0.6) else None,
        wait=(5, 25),
        check=lambda: _friendly(sim, seller, buyer) and not {"partner"} & sim.kin().names(seller, buyer),
    )
    if not done and sim.chance(0.4):
        yield from _quarrel_over(sim, seller, buyer, made)


def bargain(sim: Simulation) -> Thread:
    """Something is sold, and perhaps passed on as a gift."""
    two, thing = sim.pair(20), sim.thing()
    if two is not None and thing is not None:
        with during(sim.owned, thing):
            yield from _sale(sim, *two, thing)


def _sale(sim: Simulation, buyer: str, owner: str, thing: str) -> Thread:
    bought = yield sim.draft(
        "buy",
        buyer,
        owner,
        done=sim.chance(0.65),
        amount=sim.money(3, 28),
        item=thing,
        place=sim.spot(owner),
        why=True,
        check=partial(_friendly, sim, buyer, owner),
    )
    friend = sim.spouse(buyer)
    if friend is None or friend == owner:
        friend = sim.third(buyer, owner)
    if bought.done and friend is not None and sim.chance(0.6):
        place, good = sim.spot(buyer), partial(_friendly, sim, buyer, friend)
        yield sim.draft("give", buyer, friend, item=thing, place=place, why=bought, wait=(1, 15), check=good)


def house(sim: Simulation) -> Thread:
    """A house is let, repaired, or disputed."""
    two = sim.pair(24)
    if two is None:
        return
    owner, tenant = two
    place = sim.pick(("bridge", "market", "church", "quay", "mill"))
    let = yield sim.draft(
        "rent",
        owner,
        tenant,
        amount=sim.money(5, 30),
        place=place,
        why=True,
        check=lambda: not {"tenant", "landlord"} & sim.kin().names(owner, tenant),
    )
    if sim.chance(0.5):
        yield from _quarrel_over(sim, tenant, owner, let, wait=sim.count(20, 60))


def repairs(sim: Simulation) -> Thread:
    """Somebody pays for a public repair."""
    found = sim.adults(28)
    if found:
        amount, place = sim.money(10, 60), sim.pick(("bridge", "church", "market", "school", "quay"))
        yield sim.draft("mend", found[0].id, amount=amount, place=place, why=True)


def wager(sim: Simulation) -> Thread:
    """A bet that somebody loses."""
    two = sim.pair(20)
    if two is None:
        return
    winner, loser = two
    amount, place = sim.money(3, 25), sim.pick(("inn", "market", "quay"))
    won = yield sim.draft("wager", winner, loser, amount=amount, place=place, manner=True)
    if sim.chance(0.5):
        yield from _quarrel_over(sim, loser, winner, won)


# Sickness, death, courtship, births, journeys, letters, rescues and strangers.

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
    name = sim.pick(ILLNESSES[:3] if cause else ILLNESSES)
    home = sim.person[who].home
    fell = yield sim.draft("ill", who, item=name, place=home, why=cause or True)
    sim.ill.add(who)
    kin = sim.kin()
    near = [*kin.spouses(who), *kin.children(who), *kin.siblings(who), *kin.parents(who)]
    free = {p.id for p in sim.adults(15)}
    nurse = next((one for one in near if one in free), None) or sim.third(who)
    if nurse is not None and sim.chance(0.85):
        sim.spawn(_nursing(sim, nurse, fell))
    alive = sum(1 for p in sim.person.values() if p.stage and p.id not in sim.dead and sim.age(p.id) >= 18)
    done = alive <= _FEWEST or sim.chance(0.82 if sim.age(who) < 50 else 0.6)
    end = yield sim.draft(
        "recover",
        who,
        item=name,
        place=home,
        done=done,
        why=None if done else True,
        wait=(11, 22),
        abed=True,
        late=lambda: {"cause": _care(sim, fell)} if done else {},
    )
    if done:
        sim.ill.discard(who)
        yield from _thanks(sim, who, fell)
    elif sim.chance(0.3):
        # A second turn of the illness, for the better.
        yield sim.draft("recover", who, item=name, place=home, wait=(10, 20), abed=True)
        sim.ill.discard(who)
    else:
        yield from _death(sim, who, name, end, fell)


def _nursing(sim: Simulation, nurse: str, fell: Event) -> Thread:
    """Somebody nurses the patient, if that happens before the end."""
    yield sim.draft(
        "nurse",
        nurse,
        fell.subject,
        place=fell.place,
        why=fell,
        wait=(3, 9),
        abed=True,
        # Every night since it began, where the calendar allows counting them.
        late=lambda: {"amount": sim.days_since(fell) or max(2, sim.day - fell.day - 3)},
        check=lambda: fell.subject in sim.ill and nurse not in sim.away | sim.ill,
    )


def _care(sim: Simulation, fell: Event) -> int | None:
    """The nursing in this illness, if there was any."""
    return next((e.id for e in sim.by_action.get("nurse", ()) if e.cause == fell.id), None)


def _thanks(sim: Simulation, who: str, fell: Event) -> Thread:
    found = _care(sim, fell)
    thing = sim.thing() if found is not None and sim.chance(0.4) else None
    if found is not None and thing is not None:
        care = sim.events[found]
        with during(sim.owned, thing):
            yield sim.draft("give", who, care.subject, item=thing, place=fell.place, why=care, wait=(3, 12))


def _death(sim: Simulation, who: str, name: str, worse: Event, fell: Event) -> Thread:
    gone = yield sim.draft(
        "die",
        who,
        item=name,
        place=sim.person[who].home,
        why=worse,
        wait=(1, 5),
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
    why = care if care is not None and care.subject == heir else gone
    left = yield sim.draft("bequeath", who, heir, amount=sim.money(15, 120), place="hall", why=why, wait=(3, 10))
    envious = next((p for p in near if p not in sim.dead and p != heir and sim.person[p].stage), None)
    if envious is not None and sim.chance(0.5):
        yield from _quarrel_over(sim, envious, heir, left)


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
            (man.id, woman.id)
            for man in men
            for woman in women
            if man.family != woman.family and not kin.names(man.id, woman.id) and abs(man.born - woman.born) < 12 * 365
        ),
        None,
    )
    if match is not None:
        with during(sim.courting, *match):
            yield from _match(sim, *match)


def _match(sim: Simulation, man: str, woman: str) -> Thread:
    done = sim.chance(0.6)
    place = sim.pick(("church", "bridge", "market", "quay", sim.person[woman].home))
    asked = yield sim.draft("propose", man, woman, place=place, done=done, why=None if done else True)
    if done:
        dowry = sim.money(10, 90)
        yield sim.draft("marry", man, woman, amount=dowry, place="church", manner=True, why=asked, wait=(12, 50))
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
        child, ready = "daughter" if sex == "f" else "son", partial(_at_home, sim, mother.id, father)
        yield sim.draft("birth", mother.id, father, item=child, place=mother.home, abed=True, check=ready)
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
        yield from _journey(sim, *two, None)


def _journey(sim: Simulation, who: str, friend: str, cause: Event | None) -> Thread:
    town = sim.town()
    here = partial(_is_here, sim, who)
    left = yield sim.draft("depart", who, place=town, manner=True, why=cause or True, wait=(1, 6), check=here)
    sim.away.add(who)
    if sim.chance(0.75):
        topic = "pardon" if cause is not None and sim.chance(0.5) else sim.pick(("money", "news", "summons"))
        sim.spawn(_letters(sim, left, friend, topic))
    by_letter, reason = sim.chance(0.6), sim.reason("return")

    def why() -> Late:
        reply = next((e for e in reversed(sim.by_action.get("answer", ())) if e.object == who and e.id > left.id), None)
        fields: Late = {"amount": sim.days_since(left)}
        return fields | ({"cause": reply.id} if reply is not None and by_letter else {"reason": reason})

    yield sim.draft("return", who, place=town, manner=True, wait=(10, 24), abed=True, late=why)
    sim.away.discard(who)


def _is_here(sim: Simulation, who: str) -> bool:
    return who not in sim.away


def _letters(sim: Simulation, left: Event, friend: str, topic: str) -> Thread:
    """A letter home, and its consequences while the writer is away."""
    who = left.subject
    letter = yield sim.draft(
        "write",
        who,
        friend,
        item=topic,
        place=left.place,
        why=left,
        wait=(2, 7),
        abed=True,
        check=lambda: friend not in sim.away and who in sim.away,
    )
    done = sim.chance(0.6)
    why = letter if done and sim.chance(0.6) else True
    home, here = sim.person[friend].home, partial(_is_here, sim, friend)
    yield sim.draft("answer", friend, who, place=home, done=done, why=why, wait=(1, 5), abed=True, check=here)


def rescue(sim: Simulation) -> Thread:
    """Somebody is rescued, and the rescuer is thanked or falls ill."""
    two = sim.pair(16, 60, friendly=False)
    if two is None:
        return
    saver, saved = two
    deed = yield sim.draft("rescue", saver, saved, place=sim.pick(("bridge", "quay", "mill")), why=True)
    turn = sim.rng.random()
    thing = sim.thing() if turn < 0.6 else None
    if thing is not None:
        with during(sim.owned, thing):
            yield sim.draft("give", saved, saver, item=thing, place=sim.spot(saver), why=deed, wait=(1, 8))
    elif turn > 0.75:
        yield from _sickness(sim, saver, deed)


def stranger(sim: Simulation) -> Thread:
    """Somebody comes to the town and stays."""
    hosts = sim.adults(26)
    if not hosts or not sim.cast.names_left():
        return
    town = sim.town()
    guest = sim.cast.stranger(sim.day).id
    arrived = yield sim.draft("arrive", guest, hosts[0].id, amount=sim.count(2, 9), place=town, why=True)
    masters = [p.id for p in sim.adults(26) if p.id != guest]
    if masters and sim.chance(0.5):
        amount, place = sim.money(4, 24), sim.pick(("bridge", "market", "church", "quay"))
        # Not before the time in the first lodging is over.
        wait = 7 * (arrived.amount or 0) + sim.count(0, 10)
        yield sim.draft("rent", masters[0], guest, amount=amount, place=place, why=arrived, wait=wait)


PLOTS: tuple[Plot, ...] = (
    *(debt, debt, debt, trade, trade, bargain, bargain, house, repairs, wager),
    *(illness, illness, illness, courtship, courtship, birth, journey, journey, rescue, stranger),
    *(quarrel, theft, theft, office, apprentice),
)
"""Every plot, repeated by its relative frequency."""
