"""Debts, bargains, partners, houses and wagers."""

from __future__ import annotations

from .plots_strife import quarrel_over
from .simulation import Draft, Plot, Simulation, Thread
from .world import Event

__all__ = ["PLOTS"]


def debt(sim: Simulation) -> Thread:
    """A loss causes a debt; the debt is paid, forgiven, or leads to worse."""
    two = sim.pair(24)
    if two is None:
        return
    debtor, lender = (p.id for p in two)
    action = sim.pick(("flood", "fire", "wreck"))
    place = sim.pick(sorted(p for p in sim.places if p.startswith("town")))
    loss = yield Draft(
        action,
        debtor,
        amount=sim.count(6, 60),
        item=sim.goods(debtor),
        place=place if action == "wreck" else sim.person[debtor].home,
        reason=sim.reason(action),
    )
    lent = sim.chance(0.72)
    loan = yield Draft(
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
            sale = yield Draft(
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
    due = yield Draft(
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
        yield Draft(
            "lend", friend, debtor, amount=sim.money(20), place=sim.spot(friend), cause=loss.id, wait=sim.count(2, 9)
        )


def _unpaid(sim: Simulation, debtor: str, lender: str, due: Event) -> Thread:
    """A creditor's options: forgive, seize something, sue, or quarrel."""
    turn = sim.rng.random()
    if turn < 0.3:
        done = sim.chance(0.55)
        mercy = yield Draft(
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
            taken = yield Draft(
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
        yield Draft(
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
    sale = yield Draft(
        "sell",
        seller,
        buyer,
        amount=sim.count(8, 60),
        item=sim.goods(seller),
        place=sim.spot(seller, buyer),
        reason=sim.reason("sell"),
    )
    if sim.chance(0.5):
        short = yield Draft(
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
            yield Draft(
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
    made = yield Draft(
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
    bought = yield Draft(
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
        yield Draft(
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
    let = yield Draft(
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
    yield Draft(
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
    won = yield Draft(
        "wager",
        winner,
        loser,
        amount=sim.money(3, 25),
        place=sim.pick(("inn", "market", "quay")),
        manner=sim.manner("wager"),
    )
    if sim.chance(0.5):
        yield from quarrel_over(sim, loser, winner, won)


PLOTS: tuple[Plot, ...] = (debt, debt, debt, trade, trade, bargain, bargain, house, repairs, wager)
