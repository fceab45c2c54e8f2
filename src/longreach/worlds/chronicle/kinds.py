"""The kinds of event a chronicle knows: who takes part, what is counted, what may be changed into what."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["KINDS", "Kind"]


@dataclass(frozen=True)
class Kind:
    """One kind of event, as every language and the checker see it."""

    people: int = 2
    """How many take part: the subject, the object, the other."""
    measure: str = ""
    """What its amount counts: money, goods, nights, days, votes, years, age, weeks; empty for none."""
    item: str = ""
    """What its item is: thing, goods, illness, office, child, topic, feeling; empty for none."""
    place: str = "spot"
    """`spot` for a place in the town, `town` for another town; `home` where the place is not worth telling."""
    spots: tuple[str, ...] = ()
    """The only places in the town where it can happen; empty for anywhere."""
    sums: tuple[int, int] = (5, 90)
    """The least and the most that its amount is likely to be."""
    manners: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    """Causes that are no events of their own."""
    reasons_not: tuple[str, ...] = ()
    """The same where the thing was not done."""
    symmetric: bool = False
    """Whether subject and object may change places and nothing else changes."""
    polar: bool = False
    """Whether a story may also tell that it did not happen: a refusal, a failure."""
    altered: tuple[str, ...] = ()
    """Kinds with the same parts that a wrong summary may put in its place."""
    also: tuple[str, ...] = ()
    """Kinds that make this one loosely true between the same people: a blow is a quarrel too."""


_RIDE = ("foot", "cart", "horse", "boat", "coach")
_HOUSES = ("bridge", "market", "church", "quay", "mill")
_MENDED = ("bridge", "church", "market", "school", "quay")
_STRIFE = ("quarrel", "strike", "sue", "accuse", "dismiss", "cheat", "seize")
_PEACE = ("reconcile", "apologise", "forgive")

KINDS: Mapping[str, Kind] = {
    "flood": Kind(1, "goods", "goods", sums=(6, 60), reasons=("thaw", "rain", "dam"), altered=("fire",)),
    "fire": Kind(
        1, "goods", "goods", sums=(6, 60), reasons=("candle", "chimney", "lightning", "pipe"), altered=("flood",)
    ),
    "wreck": Kind(1, "goods", "goods", "town", sums=(6, 60), reasons=("storm", "axle", "robbers", "fog")),
    "ill": Kind(1, item="illness", place="home", reasons=("wet", "well", "overwork", "roof"), also=("die", "recover")),
    "recover": Kind(1, item="illness", place="home", polar=True, reasons_not=("late", "damp")),
    "die": Kind(1, "age", "illness", "home"),
    "nurse": Kind(2, "nights", place="home", sums=(3, 14)),
    "bequeath": Kind(2, "money", place="home"),
    "lend": Kind(
        2, "money", polar=True, reasons_not=("security", "principle", "burnt"), altered=("repay",), also=("seize",)
    ),
    "repay": Kind(
        2,
        "money",
        manners=("whole", "parts"),
        polar=True,
        reasons=("season", "saved"),
        reasons_not=("market", "owed", "bank"),
        altered=("lend",),
        also=("seize",),
    ),
    "forgive": Kind(2, "money", polar=True, reasons=("tired",), reasons_not=("example", "promise"), altered=("lend",)),
    "seize": Kind(2, "money", "thing", altered=("buy",)),
    "give": Kind(2, item="thing", altered=("accuse",), also=("buy", "seize")),
    "buy": Kind(
        2,
        "money",
        "thing",
        sums=(3, 28),
        polar=True,
        reasons=("fancy", "cheap", "broken"),
        reasons_not=("price", "heirloom"),
        altered=("seize",),
        also=("give", "seize"),
    ),
    "sell": Kind(2, "goods", "goods", sums=(8, 60), reasons=("room", "order"), altered=("cheat",)),
    "cheat": Kind(2, "goods", "goods", sums=(2, 20), altered=("sell",)),
    "partner": Kind(
        2,
        "money",
        sums=(40, 120),
        polar=True,
        symmetric=True,
        reasons=("shop", "alone"),
        reasons_not=("terms", "warned"),
        altered=("lend",),
    ),
    "wager": Kind(
        2,
        "money",
        spots=("inn", "market", "quay"),
        sums=(3, 25),
        manners=("race", "boats", "snow", "pig"),
        altered=("repay", "lend"),
    ),
    "rent": Kind(2, "money", spots=_HOUSES, sums=(5, 30), reasons=("empty", "near"), altered=("lend",)),
    "mend": Kind(1, "money", spots=_MENDED, sums=(10, 60), reasons=("vow", "shame")),
    "propose": Kind(
        2, polar=True, reasons_not=("young", "poor", "other", "mother"), altered=("quarrel",), also=("marry",)
    ),
    "marry": Kind(2, "money", spots=("church",), manners=("quiet", "feast"), symmetric=True),
    "birth": Kind(2, item="child", place="home"),
    "depart": Kind(
        1, place="town", manners=_RIDE, reasons=("fair", "kin", "lawyer", "work"), altered=("return",), also=("return",)
    ),
    "return": Kind(1, "days", place="town", manners=_RIDE, reasons=("money", "homesick"), altered=("depart",)),
    "write": Kind(2, item="topic", place="town", also=("answer",)),
    "answer": Kind(2, place="home", polar=True, reasons=("conscience",), reasons_not=("pride", "burned", "forbidden")),
    "quarrel": Kind(
        2,
        manners=("public", "private"),
        reasons=("hens", "remark", "wall", "pew", "dog", "weights", "song", "water"),
        symmetric=True,
        altered=("reconcile", "rescue"),
        also=_STRIFE,
    ),
    "strike": Kind(
        2, manners=("stick", "fist", "strap", "bottle"), altered=("apologise", "rescue"), also=("sue", "dismiss")
    ),
    "sue": Kind(
        2, "money", spots=("hall",), sums=(4, 40), polar=True, reasons_not=("witness", "paper"), altered=("lend",)
    ),
    "reconcile": Kind(
        3,
        polar=True,
        symmetric=True,
        reasons=("old", "bread"),
        reasons_not=("apology", "proud"),
        altered=("quarrel",),
        also=_PEACE,
    ),
    "miss": Kind(1, item="thing", also=("accuse", "find")),
    "accuse": Kind(2, item="thing", reasons=("seen", "past"), altered=("give",)),
    "find": Kind(2, item="thing", polar=True, reasons_not=("dark", "chest")),
    "apologise": Kind(2, polar=True, reasons_not=("stiff", "doubt"), altered=("strike", "rescue"), also=_PEACE),
    "elect": Kind(
        2,
        "votes",
        "office",
        spots=("hall",),
        sums=(9, 40),
        polar=True,
        reasons=("honest", "father"),
        reasons_not=("sharp", "absent"),
    ),
    "resign": Kind(1, item="office", spots=("hall",), reasons=("eyes", "years", "shortage")),
    "apprentice": Kind(
        2,
        "years",
        sums=(3, 7),
        polar=True,
        reasons=("hands", "promise"),
        reasons_not=("weak", "full"),
        altered=("dismiss",),
    ),
    "dismiss": Kind(2, reasons=("broke", "late", "asleep"), altered=("apprentice", "strike")),
    "rescue": Kind(
        2, spots=("bridge", "quay", "mill"), reasons=("ice", "current", "night"), altered=("strike", "quarrel")
    ),
    "arrive": Kind(2, "weeks", place="town", sums=(2, 9), reasons=("trade", "debts", "map", "sister")),
    "feel": Kind(2, item="feeling", place="home"),
}
"""By name. Reasons are named in the language's word lists under the same kind."""
