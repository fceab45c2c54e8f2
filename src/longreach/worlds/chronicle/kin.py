"""Kinship and other relations, derived from parents, marriages and indentures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from pydantic import TypeAdapter

from longreach.core.packaged import yaml_table

from .world import Event, Register

__all__ = ["RELATIONS", "Kin", "RelationKind"]


@dataclass(frozen=True)
class RelationKind:
    """One relation that a summary may state."""

    bond: bool = False
    """By agreement, not by blood."""
    counts: tuple[int, int, int, int] = (0, 0, 0, 0)
    """How often it was to a man or a woman of the same family name, and to a man or a woman of another."""
    replaceable_by: tuple[str, ...] = ()
    """Plausible ones in its place: blood for blood, with fitting ages, and agreement for agreement."""

    def count(self, *, same_family: bool, to_woman: bool) -> int:
        """How often somebody was in this relation to a man or woman of the same or of another family name."""
        return self.counts[2 * (not same_family) + to_woman]


RELATIONS: Mapping[str, RelationKind] = TypeAdapter(dict[str, RelationKind]).validate_python(
    yaml_table(__package__, "relations.yaml")
)


class Kin:
    """Relations at the end of a unit; None means at any time."""

    def __init__(self, world: Register, unit: int | None = None) -> None:
        self._people = world.person
        self._events = world.by_action
        self._unit = unit
        self._children: dict[str, list[str]] = {}
        for person in self._people.values():
            for parent in (person.father, person.mother):
                if parent is not None:
                    self._children.setdefault(parent, []).append(person.id)
        self._spouses: dict[str, set[str]] = {}
        for person in self._people.values():
            if person.wed is not None:
                self._spouses.setdefault(person.id, set()).add(person.wed)
        for event in self._past("marry"):
            if event.object is not None:
                self._spouses.setdefault(event.subject, set()).add(event.object)
                self._spouses.setdefault(event.object, set()).add(event.subject)

    def _past(self, action: str) -> Iterator[Event]:
        for event in self._events.get(action, ()):
            if event.done and (self._unit is None or event.unit <= self._unit):
                yield event

    def parents(self, who: str) -> list[str]:
        """The known parents, father first."""
        person = self._people[who]
        return [parent for parent in (person.father, person.mother) if parent is not None]

    def spouses(self, who: str) -> list[str]:
        """Everyone this person has been married to, earliest first."""
        return sorted(self._spouses.get(who, ()))

    def siblings(self, who: str) -> list[str]:
        """Those who share a parent."""
        found = [child for parent in self.parents(who) for child in self.children(parent) if child != who]
        return list(dict.fromkeys(found))

    def children(self, who: str) -> list[str]:
        """Sons and daughters."""
        return self._children.get(who, [])

    def names(self, a: str, b: str) -> set[str]:
        """All relations of `a` to `b`."""
        return self.about(b).get(a, set())

    def about(self, who: str) -> dict[str, set[str]]:
        """Everybody related to this person, and how."""
        found: dict[str, set[str]] = {}
        for step, words in _BLOOD:
            for other in step(self, who):
                found.setdefault(other, set()).update(words[self._people[other].sex == "f"])
        for one, name in self._bonds.get(who, ()):
            found.setdefault(one, set()).add(name)
        found.pop(who, None)
        return found

    @cached_property
    def _bonds(self) -> dict[str, list[tuple[str, str]]]:
        """Relations by agreement per person; a dismissed apprentice has none."""
        taken = {(event.subject, event.object or ""): event.id for event in self._past("apprentice")}
        gone = [(event.subject, event.object or "", event.id) for event in self._past("dismiss")]
        if self._unit is not None:
            for master, boy, when in gone:
                if taken.get((master, boy), when) < when:
                    del taken[master, boy]
        found: dict[str, list[tuple[str, str]]] = {}
        for one, other in taken:
            found.setdefault(other, []).append((one, "master"))
            found.setdefault(one, []).append((other, "apprentice"))
        for action, first, second in (("partner", "partner", "partner"), ("rent", "landlord", "tenant")):
            for event in self._past(action):
                if event.object is not None:
                    found.setdefault(event.object, []).append((event.subject, first))
                    found.setdefault(event.subject, []).append((event.object, second))
        return found


def _each(step: Callable[[Kin, str], Iterable[str]], then: Callable[[Kin, str], Iterable[str]]) -> _Step:
    return lambda kin, who: [found for middle in step(kin, who) for found in then(kin, middle)]


_Step = Callable[[Kin, str], list[str]]


def _in_law(kin: Kin, who: str) -> list[str]:
    """A brother's wife, a husband's brother, and similar."""
    return [
        *_each(Kin.spouses, Kin.siblings)(kin, who),
        *_each(Kin.siblings, Kin.spouses)(kin, who),
    ]


_BLOOD: tuple[tuple[_Step, tuple[tuple[str, ...], tuple[str, ...]]], ...] = (
    (Kin.parents, (("father",), ("mother",))),
    (Kin.children, (("son",), ("daughter",))),
    (Kin.siblings, (("brother",), ("sister",))),
    (Kin.spouses, (("husband",), ("wife",))),
    (_each(Kin.parents, Kin.siblings), (("uncle",), ("aunt",))),
    (_each(Kin.siblings, Kin.children), (("nephew",), ("niece",))),
    (_each(_each(Kin.parents, Kin.siblings), Kin.children), (("cousin",), ("cousin",))),
    (_each(Kin.spouses, Kin.parents), (("father_in_law",), ("mother_in_law",))),
    (_each(Kin.children, Kin.spouses), (("son_in_law",), ("daughter_in_law",))),
    (_in_law, (("brother_in_law",), ("sister_in_law",))),
)
"""Which relatives to search, and the term for a man or a woman found there."""
