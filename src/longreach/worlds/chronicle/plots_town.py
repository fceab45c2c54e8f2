"""Plots of the town: debts, bargains, houses and wagers; quarrels, thefts, offices and apprentices."""

from __future__ import annotations

from .simulation import EventDraft, Plot, Simulation, Thread, fits_place
from .world import Event

# Quarrels, blows, the magistrate, thefts, offices and apprentices.


def quarrel_over(sim: Simulation, one: str, two: str, cause: Event | None, wait: int | None = None) -> Thread:
    """A quarrel with its possible consequences: a blow, the magistrate, a peace."""
    pair = frozenset((one, two))
    place, manner = sim.spot(one, two), sim.manner("quarrel")
    words = yield EventDraft(
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
        blow = yield EventDraft(
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
            yield EventDraft(
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
        yield EventDraft(
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
    missed = yield EventDraft("miss", owner, item=thing, place=sim.person[owner].home)
    charge: Event | None = None
    if sim.chance(0.75):
        by_cause = sim.chance(0.5)
        charge = yield EventDraft(
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
    found = yield EventDraft(
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
    word = yield EventDraft(
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
        gone = yield EventDraft("resign", holder, item=name, place="hall", reason=sim.reason("resign"))
    else:
        gone = next((e for e in sim.by_action.get("die", ()) if e.subject == holder), None)
    two = sim.pair(26, sex="m")
    if two is None or {two[0].id, two[1].id} & {holder, *sim.offices.values()}:
        sim.offices[name] = next((p.id for p in sim.adults(sex="m") if p.id not in sim.offices.values()), holder)
        return
    one, other = (p.id for p in two)
    done = sim.chance(0.65)
    by_cause = done and gone is not None and sim.chance(0.6)
    vote = yield EventDraft(
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
    bound = yield EventDraft(
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
    gone = yield EventDraft(
        "dismiss",
        master,
        boy,
        place=sim.person[master].home,
        reason=sim.reason("dismiss"),
        wait=sim.count(20, 80),
    )
    if sim.chance(0.4):
        yield EventDraft(
            "depart",
            boy,
            place=sim.pick(sorted(p for p in sim.places if p.startswith("town"))),
            manner=sim.manner("depart"),
            cause=gone.id,
            wait=sim.count(1, 6),
        )
        sim.away.add(boy)
        town = sim.by_action["depart"][-1].place
        yield EventDraft(
            "return",
            boy,
            place=town,
            manner=sim.manner("return"),
            reason=sim.reason("return"),
            wait=sim.count(10, 40),
            abed=True,
        )
        sim.away.discard(boy)


STRIFE_PLOTS: tuple[Plot, ...] = (quarrel, theft, theft, office, apprentice)


# Debts, bargains, partners, houses and wagers.


def debt(sim: Simulation) -> Thread:
    """A loss causes a debt; the debt is paid, forgiven, or leads to worse."""
    two = sim.pair(24)
    if two is None:
        return
    debtor, lender = (p.id for p in two)
    action = sim.pick(("flood", "fire", "wreck"))
    place = sim.pick(sorted(p for p in sim.places if p.startswith("town")))
    loss = yield EventDraft(
        action,
        debtor,
        amount=sim.count(6, 60),
        item=sim.goods(debtor),
        place=place if action == "wreck" else sim.person[debtor].home,
        reason=sim.reason(action),
    )
    lent = sim.chance(0.72)
    loan = yield EventDraft(
        "lend",
        lender,
        debtor,
        amount=sim.money(20),
        place=sim.spot(lender),
        done=lent,
        cause=loss.id if lent else None,
        reason=None if lent else sim.reason("lend", False),
        wait=sim.count(1, 6),
        check=lambda: frozenset((lender, debtor)) not in sim.feuds,
    )
    if not lent:
        yield from _refused(sim, debtor, lender, loan, loss)
        return
    sale: Event | None = None
    if sim.chance(0.4):
        buyer = sim.third(debtor, lender)
        if buyer is not None:
            sale = yield EventDraft(
                "sell",
                debtor,
                buyer,
                amount=sim.count(8, 50),
                item=sim.goods(debtor),
                place=sim.spot(debtor, buyer),
                cause=loan.id,
                wait=sim.count(8, 30),
            )
    paid = sim.chance(0.8 if sale else 0.35)
    due = yield EventDraft(
        "repay",
        debtor,
        lender,
        amount=loan.amount,
        place=sim.spot(lender),
        manner=sim.manner("repay") if paid else None,
        done=paid,
        cause=sale.id if sale is not None and paid else None,
        reason=None if sale is not None and paid else sim.reason("repay", paid),
        wait=sim.count(15, 60),
    )
    if not paid:
        yield from _unpaid(sim, debtor, lender, due)


def _refused(sim: Simulation, debtor: str, lender: str, refusal: Event, loss: Event) -> Thread:
    """The person who was refused is offended, or looks for money elsewhere."""
    if sim.chance(0.5):
        yield from quarrel_over(sim, debtor, lender, refusal)
        return
    friend = sim.third(debtor, lender)
    if friend is not None:
        yield EventDraft(
            "lend", friend, debtor, amount=sim.money(20), place=sim.spot(friend), cause=loss.id, wait=sim.count(2, 9)
        )


def _unpaid(sim: Simulation, debtor: str, lender: str, due: Event) -> Thread:
    """A creditor's options: forgive, seize something, sue, or quarrel."""
    turn = sim.rng.random()
    if turn < 0.3:
        done = sim.chance(0.55)
        mercy = yield EventDraft(
            "forgive",
            lender,
            debtor,
            amount=due.amount,
            place=sim.spot(lender),
            done=done,
            reason=sim.reason("forgive", done),
            wait=sim.count(3, 12),
        )
        if not done:
            yield from quarrel_over(sim, debtor, lender, mercy)
    elif turn < 0.6:
        thing = sim.thing()
        if thing is None:
            return
        try:
            taken = yield EventDraft(
                "seize",
                lender,
                debtor,
                amount=due.amount,
                item=thing,
                place=sim.person[debtor].home,
                cause=due.id,
                wait=sim.count(3, 12),
            )
        finally:
            sim.owned.discard(thing)
        if sim.chance(0.5):
            yield from quarrel_over(sim, debtor, lender, taken)
    elif turn < 0.8:
        won = sim.chance(0.6)
        yield EventDraft(
            "sue",
            lender,
            debtor,
            amount=due.amount,
            place="hall",
            done=won,
            cause=due.id if won else None,
            reason=None if won else sim.reason("sue", False),
            wait=sim.count(4, 15),
        )
    else:
        yield from quarrel_over(sim, lender, debtor, due)


def trade(sim: Simulation) -> Thread:
    """A sale that goes wrong, or that leads to a partnership."""
    two = sim.pair(22)
    if two is None:
        return
    seller, buyer = (p.id for p in two)
    sale = yield EventDraft(
        "sell",
        seller,
        buyer,
        amount=sim.count(8, 60),
        item=sim.goods(seller),
        place=sim.spot(seller, buyer),
        reason=sim.reason("sell"),
    )
    if sim.chance(0.5):
        short = yield EventDraft(
            "cheat",
            buyer,
            seller,
            amount=sim.count(2, max(3, (sale.amount or 8) // 3)),
            item=sale.item,
            place=sim.person[buyer].home,
            cause=sale.id,
            wait=sim.count(1, 7),
        )
        if sim.chance(0.5):
            won = sim.chance(0.5)
            yield EventDraft(
                "sue",
                buyer,
                seller,
                amount=sim.money(5, 40),
                place="hall",
                done=won,
                cause=short.id if won else None,
                reason=None if won else sim.reason("sue", False),
                wait=sim.count(3, 12),
            )
        else:
            yield from quarrel_over(sim, buyer, seller, short)
        return
    done = sim.chance(0.7)
    made = yield EventDraft(
        "partner",
        seller,
        buyer,
        amount=sim.money(40, 120),
        place=sim.spot(seller, buyer),
        done=done,
        cause=sale.id if done and sim.chance(0.6) else None,
        wait=sim.count(5, 25),
        check=lambda: frozenset((seller, buyer)) not in sim.feuds and not {"partner"} & sim.kin().names(seller, buyer),
    )
    if not done and sim.chance(0.4):
        yield from quarrel_over(sim, seller, buyer, made)


def bargain(sim: Simulation) -> Thread:
    """Something is sold, and perhaps passed on as a gift."""
    two = sim.pair(20)
    thing = sim.thing()
    if two is None or thing is None:
        return
    buyer, owner = (p.id for p in two)
    try:
        yield from _sale(sim, buyer, owner, thing)
    finally:
        sim.owned.discard(thing)


def _sale(sim: Simulation, buyer: str, owner: str, thing: str) -> Thread:
    done = sim.chance(0.65)
    bought = yield EventDraft(
        "buy",
        buyer,
        owner,
        amount=sim.money(3, 28),
        item=thing,
        place=sim.spot(owner),
        done=done,
        reason=sim.reason("buy", done),
        check=lambda: frozenset((buyer, owner)) not in sim.feuds,
    )
    friend = sim.spouse(buyer)
    if friend is None or friend == owner:
        friend = sim.third(buyer, owner)
    if done and friend is not None and sim.chance(0.6):
        yield EventDraft(
            "give",
            buyer,
            friend,
            item=thing,
            place=sim.spot(buyer),
            cause=bought.id,
            wait=sim.count(1, 15),
            check=lambda: frozenset((buyer, friend)) not in sim.feuds,
        )


def house(sim: Simulation) -> Thread:
    """A house is let, repaired, or disputed."""
    two = sim.pair(24)
    if two is None:
        return
    owner, tenant = (p.id for p in two)
    place = sim.pick(("bridge", "market", "church", "quay", "mill"))
    let = yield EventDraft(
        "rent",
        owner,
        tenant,
        amount=sim.money(5, 30),
        place=place,
        reason=sim.reason("rent"),
        check=lambda: not {"tenant", "landlord"} & sim.kin().names(owner, tenant),
    )
    if sim.chance(0.5):
        yield from quarrel_over(sim, tenant, owner, let, wait=sim.count(20, 60))


def repairs(sim: Simulation) -> Thread:
    """Somebody pays for a public repair."""
    found = sim.adults(28)
    if not found:
        return
    yield EventDraft(
        "mend",
        found[0].id,
        amount=sim.money(10, 60),
        place=sim.pick(("bridge", "church", "market", "school", "quay")),
        reason=sim.reason("mend"),
    )


def wager(sim: Simulation) -> Thread:
    """A bet that somebody loses."""
    two = sim.pair(20)
    if two is None:
        return
    winner, loser = (p.id for p in two)
    won = yield EventDraft(
        "wager",
        winner,
        loser,
        amount=sim.money(3, 25),
        place=sim.pick(("inn", "market", "quay")),
        manner=sim.manner("wager"),
    )
    if sim.chance(0.5):
        yield from quarrel_over(sim, loser, winner, won)


MONEY_PLOTS: tuple[Plot, ...] = (debt, debt, debt, trade, trade, bargain, bargain, house, repairs, wager)
