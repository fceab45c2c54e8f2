"""Invents events that never happened, with parts as likely as those of real ones."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from .cast import GOODS, PUBLIC, SPOTS, THINGS, TOWNS, TRADES, fits_place
from .kinds import KINDS
from .world import Act, World

__all__ = ["invent", "other_amount"]

_ILLNESSES = ("fever", "ague", "lungs", "leg", "throat")
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


def _sum(sums: tuple[int, int], rng: Random) -> int:
    """An amount of the usual size, mostly round."""
    n = rng.randint(*sums)
    return n if n < 20 or rng.random() < 0.4 else n // 5 * 5


def _item(world: World, kind: str, owner: str, rng: Random) -> str:
    if kind == "goods":
        goods = TRADES[world.person[owner].trade][1]
        return goods if rng.random() < 0.7 else rng.choice(GOODS)
    return rng.choice({"thing": THINGS, "illness": _ILLNESSES, "feeling": _FEELINGS}[kind])
