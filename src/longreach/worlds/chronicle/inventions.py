"""Events that never happened, with parts as likely as those of real ones."""

from __future__ import annotations

from random import Random

from .cast import GOODS, PUBLIC, SPOTS, THINGS, TOWNS, TRADES
from .kinds import KINDS
from .nouns import Act, World

__all__ = ["invent", "other_amount"]

_ILLNESSES = ("fever", "ague", "lungs", "leg", "throat")
_FEELINGS = ("gratitude", "shame", "resentment", "pity", "remorse", "envy", "fear", "suspicion", "respect", "hope")


def other_amount(true: int, rng: Random) -> int:
    """Another amount of the same order, as round as the true one."""
    step = 5 if true >= 20 and true % 5 == 0 else 1
    for _ in range(20):
        amount = round(true * rng.uniform(0.5, 1.7) / step) * step
        if amount != true and amount >= 2:
            return amount
    return true + step


def invent(
    world: World,
    cast: tuple[str, ...],
    action: str,
    rng: Random,
    *,
    like: Act | None = None,
    places: tuple[str, ...] = (),
) -> Act | None:
    """An act of a kind: between the people of another act, with as many of its parts as fit, or all made up."""
    kind = KINDS[action]
    people = [] if like is None else [who for who in (like.subject, like.object) if who is not None]
    others = [who for who in cast if who not in people]
    rng.shuffle(others)
    people = [*people, *others][: kind.people]
    if len(people) < kind.people:
        return None
    old = KINDS[like.action] if like is not None else None
    amount = item = place = manner = None
    if kind.measure and kind.measure != "days":
        same = like is not None and old is not None and old.measure == kind.measure
        amount = like.amount if like is not None and same else _sum(kind.sums, rng)
    if kind.item:
        same = like is not None and old is not None and old.item == kind.item
        item = like.item if like is not None and same else _item(world, kind.item, people[0], rng)
    if kind.place == "town":
        place = like.place if like is not None and like.place in TOWNS else rng.choice(TOWNS)
    elif kind.place == "spot":
        spots = kind.spots or places or PUBLIC
        kept = like is not None and like.place in (kind.spots or SPOTS)
        place = like.place if like is not None and kept else rng.choice(spots)
    if kind.manners:
        manner = rng.choice(kind.manners)
    return Act(
        action=action,
        subject=people[0],
        object=people[1] if kind.people > 1 else None,
        other=people[2] if kind.people > 2 else None,
        amount=amount,
        item=item,
        place=place,
        day=None if like is None else like.day,
        manner=manner,
    )


def _sum(sums: tuple[int, int], rng: Random) -> int:
    """An amount as the town deals in: round more often than not."""
    n = rng.randint(*sums)
    return n if n < 20 or rng.random() < 0.4 else n // 5 * 5


def _item(world: World, kind: str, owner: str, rng: Random) -> str:
    if kind == "goods":
        goods = TRADES[world.person[owner].trade][1]
        return goods if rng.random() < 0.7 else rng.choice(GOODS)
    return rng.choice({"thing": THINGS, "illness": _ILLNESSES, "feeling": _FEELINGS}[kind])
