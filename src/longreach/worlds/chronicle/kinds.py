"""The kinds of event in a chronicle: participants, what is counted, and possible replacements."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

__all__ = ["FEELINGS", "KINDS", "ONLY_IN", "Kind"]


@dataclass(frozen=True)
class Kind:
    """One kind of event, independent of language."""

    people: int = 2
    """Number of participants: the subject, the object, the other."""
    measure: str = ""
    """What its amount counts: money, goods, nights, days, votes, years, age, weeks; empty for none."""
    item: str = ""
    """What its item is: thing, goods, illness, office, child, topic, feeling; empty for none."""
    place: str = "spot"
    """`spot` for a place in the town, `town` for another town; `home` where the place is uninformative."""
    spots: tuple[str, ...] = ()
    """The only places in the town where it can happen; empty for anywhere."""
    sums: tuple[int, int] = (5, 90)
    """Minimum and maximum of a likely amount."""
    manners: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    """Causes that are not events."""
    reasons_not: tuple[str, ...] = ()
    """The same for an event that did not happen."""
    symmetric: bool = False
    """Whether subject and object can be swapped without other changes."""
    polar: bool = False
    """Whether its negation can be narrated: a refusal, a failure."""
    also: tuple[str, ...] = ()
    """Kinds that make this one loosely true between the same people: a blow is also a quarrel."""


_RIDE = ("foot", "cart", "horse", "boat", "coach")
_HOUSES = ("bridge", "market", "church", "quay", "mill")
_REPAIRED = ("bridge", "church", "market", "school", "quay")
_STRIFE = ("quarrel", "strike", "sue", "accuse", "dismiss", "cheat", "seize")
_PEACE = ("reconcile", "apologise", "forgive")

KINDS: Mapping[str, Kind] = {
    "flood": Kind(1, "goods", "goods", sums=(6, 60), reasons=("thaw", "rain", "dam")),
    "fire": Kind(1, "goods", "goods", sums=(6, 60), reasons=("candle", "chimney", "lightning", "pipe")),
    "wreck": Kind(1, "goods", "goods", "town", sums=(6, 60), reasons=("storm", "axle", "robbers", "fog")),
    "ill": Kind(1, item="illness", place="home", reasons=("wet", "well", "overwork", "roof"), also=("die", "recover")),
    "recover": Kind(1, item="illness", place="home", polar=True, reasons_not=("late", "damp")),
    "die": Kind(1, "age", "illness", "home"),
    "nurse": Kind(2, "nights", place="home", sums=(3, 14)),
    "bequeath": Kind(2, "money", place="home"),
    "lend": Kind(2, "money", polar=True, reasons_not=("security", "principle", "burnt"), also=("seize",)),
    "repay": Kind(
        2,
        "money",
        manners=("whole", "parts"),
        polar=True,
        reasons=("season", "saved"),
        reasons_not=("market", "owed", "bank"),
        also=("seize",),
    ),
    "forgive": Kind(2, "money", polar=True, reasons=("tired",), reasons_not=("example", "promise")),
    "seize": Kind(2, "money", "thing"),
    "give": Kind(2, item="thing", also=("buy", "seize")),
    "buy": Kind(
        2,
        "money",
        "thing",
        sums=(3, 28),
        polar=True,
        reasons=("fancy", "cheap", "broken"),
        reasons_not=("price", "heirloom"),
        also=("give", "seize"),
    ),
    "sell": Kind(2, "goods", "goods", sums=(8, 60), reasons=("room", "order")),
    "cheat": Kind(2, "goods", "goods", sums=(2, 20)),
    "partner": Kind(
        2,
        "money",
        sums=(40, 120),
        polar=True,
        symmetric=True,
        reasons=("shop", "alone"),
        reasons_not=("terms", "warned"),
    ),
    "wager": Kind(
        2,
        "money",
        spots=("inn", "market", "quay"),
        sums=(3, 25),
        manners=("race", "boats", "snow", "pig"),
    ),
    "rent": Kind(2, "money", spots=_HOUSES, sums=(5, 30), reasons=("empty", "near")),
    "mend": Kind(1, "money", spots=_REPAIRED, sums=(10, 60), reasons=("vow", "shame")),
    "propose": Kind(2, polar=True, reasons_not=("young", "poor", "other", "mother"), also=("marry",)),
    "marry": Kind(2, "money", spots=("church",), manners=("quiet", "feast"), symmetric=True),
    "birth": Kind(2, item="child", place="home"),
    "depart": Kind(1, place="town", manners=_RIDE, reasons=("fair", "kin", "lawyer", "work"), also=("return",)),
    "return": Kind(1, "days", place="town", manners=_RIDE, reasons=("money", "homesick")),
    "write": Kind(2, item="topic", place="town", also=("answer",)),
    "answer": Kind(2, place="home", polar=True, reasons=("conscience",), reasons_not=("pride", "burned", "forbidden")),
    "quarrel": Kind(
        2,
        manners=("public", "private"),
        reasons=("hens", "remark", "wall", "pew", "dog", "weights", "song", "water"),
        symmetric=True,
        also=_STRIFE,
    ),
    "strike": Kind(2, manners=("stick", "fist", "strap", "bottle"), also=("sue", "dismiss")),
    "sue": Kind(2, "money", spots=("hall",), sums=(4, 40), polar=True, reasons_not=("witness", "paper")),
    "reconcile": Kind(
        3,
        polar=True,
        symmetric=True,
        reasons=("old", "bread"),
        reasons_not=("apology", "proud"),
        also=_PEACE,
    ),
    "miss": Kind(1, item="thing", also=("accuse", "find")),
    "accuse": Kind(2, item="thing", reasons=("seen", "past")),
    "find": Kind(2, item="thing", polar=True, reasons_not=("dark", "chest")),
    "apologise": Kind(2, polar=True, reasons_not=("stiff", "doubt"), also=_PEACE),
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
    ),
    "dismiss": Kind(2, reasons=("broke", "late", "asleep")),
    "rescue": Kind(2, spots=("bridge", "quay", "mill"), reasons=("ice", "current", "night")),
    "arrive": Kind(2, "weeks", place="town", sums=(2, 9), reasons=("trade", "debts", "map", "sister")),
    "feel": Kind(2, item="feeling", place="home"),
}
"""By name. The language's word lists name reasons under the same kind."""

FEELINGS: Mapping[tuple[str, bool], tuple[tuple[str, str], ...]] = {
    ("lend", True): (("B", "gratitude"), ("B", "shame"), ("A", "pity")),
    ("lend", False): (("B", "resentment"), ("A", "remorse")),
    ("repay", True): (("A", "respect"), ("B", "respect"), ("A", "relief")),
    ("repay", False): (("A", "shame"), ("B", "suspicion")),
    ("forgive", True): (("B", "gratitude"), ("B", "shame")),
    ("forgive", False): (("B", "resentment"),),
    ("seize", True): (("B", "resentment"), ("A", "remorse"), ("A", "pity")),
    ("give", True): (("B", "gratitude"),),
    ("cheat", True): (("A", "resentment"), ("B", "shame")),
    ("wager", True): (("B", "envy"), ("A", "pity")),
    ("nurse", True): (("B", "gratitude"), ("A", "pity")),
    ("propose", False): (("A", "shame"), ("B", "pity"), ("A", "resentment")),
    ("propose", True): (("A", "gratitude"), ("B", "hope")),
    ("partner", False): (("B", "suspicion"), ("A", "relief")),
    ("partner", True): (("B", "hope"), ("A", "hope")),
    ("write", True): (("B", "pity"), ("B", "suspicion")),
    ("answer", False): (("B", "resentment"), ("A", "remorse")),
    ("answer", True): (("B", "relief"), ("B", "hope")),
    ("strike", True): (("A", "remorse"), ("B", "fear"), ("A", "shame")),
    ("quarrel", True): (("A", "remorse"), ("B", "resentment"), ("A", "suspicion")),
    ("sue", True): (("B", "resentment"), ("B", "shame")),
    ("sue", False): (("A", "shame"), ("B", "relief")),
    ("reconcile", True): (("A", "relief"), ("B", "relief")),
    ("accuse", True): (("B", "resentment"), ("B", "fear"), ("B", "shame")),
    ("apologise", True): (("B", "respect"), ("A", "relief")),
    ("elect", True): (("B", "envy"), ("B", "respect")),
    ("elect", False): (("A", "envy"), ("A", "relief")),
    ("apprentice", True): (("B", "hope"), ("A", "hope")),
    ("dismiss", True): (("B", "shame"), ("B", "fear"), ("A", "pity")),
    ("rescue", True): (("B", "gratitude"), ("B", "shame"), ("B", "respect")),
    ("buy", False): (("A", "envy"), ("B", "suspicion")),
}
"""Kind and whether it happened -> who may feel what towards the other."""

ONLY_IN: Mapping[str, set[str]] = {
    "thaw": {"winter", "spring"},
    "lightning": {"spring", "summer"},
    "fog": {"autumn", "winter"},
    "snow": {"autumn", "winter"},
}
"""Causes and wagers restricted to seasons."""
