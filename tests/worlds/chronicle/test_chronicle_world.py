"""The simulated world: causes come first, the dead rest, travellers are away, and kin are what they are."""

from __future__ import annotations

from functools import cache

from longreach.worlds.chronicle import World
from longreach.worlds.chronicle.book import PLOTS
from longreach.worlds.chronicle.simulation import Simulation
from longreach.worlds.chronicle.world import KINDS, Kin, day_of_month, settle


def live(seed: int, units: int = 60) -> World:
    simulation = Simulation(seed, PLOTS)
    for _ in range(units):
        simulation.unit()
    return simulation.world()


@cache
def worlds() -> list[World]:
    return [live(seed) for seed in range(4)]


def test_causes_come_before_their_effects_and_ids_are_places() -> None:
    for world in worlds():
        for number, event in enumerate(world.events):
            assert event.id == number
            assert event.cause is None or event.cause < number
            assert event.cause is None or event.reason is None
        caused = sum(event.cause is not None or event.reason is not None for event in world.events)
        assert caused > 0.75 * len(world.events)


def test_every_kind_of_event_happens_and_has_its_parts() -> None:
    seen = {(event.action, event.done) for world in worlds() for event in world.events}
    wanted = {(name, True) for name in KINDS} | {(name, False) for name, kind in KINDS.items() if kind.polar}
    assert len(wanted - seen) <= 3
    for world in worlds():
        for event in world.events:
            kind = KINDS[event.action]
            people = [who for who in (event.subject, event.object, event.other) if who is not None]
            assert len(set(people)) == len(people) == kind.people
            assert (event.item is not None) == bool(kind.item)
            assert event.action == "return" or (event.amount is not None) == bool(kind.measure)
            assert event.place.startswith("town") == (kind.place == "town")
            assert event.reason in (None, *kind.reasons, *kind.reasons_not)
            assert kind.polar or event.done


def test_the_dead_do_nothing_and_the_absent_write() -> None:
    for world in worlds():
        dead: set[str] = set()
        away: set[str] = set()
        for event in world.events:
            people = {event.subject, event.object, event.other}
            if event.action == "bequeath":
                assert event.subject in dead
                people.discard(event.subject)
            if event.action != "feel":
                assert not people & dead, event
            if event.action not in ("write", "answer", "return", "feel"):
                assert not people & away, event
            if event.action == "die":
                dead.add(event.subject)
            elif event.action == "depart":
                away.add(event.subject)
            elif event.action == "return":
                away.discard(event.subject)


def test_nobody_marries_kin_or_twice_and_children_follow() -> None:
    for world in worlds():
        for event in world.by_action.get("marry", ()):
            assert event.object is not None
            assert not Kin(world, event.unit - 1).names(event.subject, event.object)
        for event in world.by_action.get("birth", ()):
            assert event.object is not None
            assert event.object in Kin(world, event.unit).spouses(event.subject)
            sex = "m" if event.item == "son" else "f"
            children = [p for p in world.people if p.mother == event.subject and p.born == event.day]
            assert not children or children[0].sex == sex


def test_kinship_reads_both_ways() -> None:
    other = {"father": {"son", "daughter"}, "uncle": {"nephew", "niece"}, "husband": {"wife"}, "cousin": {"cousin"}}
    checked = 0
    for world in worlds():
        kin = Kin(world)
        for person in world.people:
            for who, names in kin.about(person.id).items():
                for name in names & set(other):
                    assert kin.names(person.id, who) & other[name], (name, who, person.id)
                    checked += 1
    assert checked > 100


def test_nights_at_a_bedside_and_days_abroad_fit_their_dates() -> None:
    for world in worlds():
        for event in world.by_action.get("nurse", ()):
            assert event.cause is not None
            assert event.amount is not None
            assert event.amount <= event.day - world.events[event.cause].day
        for event in world.by_action.get("die", ()):
            assert event.amount == (event.day - world.person[event.subject].born) // 365


def test_days_exist_in_every_calendar() -> None:
    assert day_of_month(0) == (0, 0, 1)
    assert day_of_month(31) == (0, 1, 1)
    assert day_of_month(364) == (0, 11, 28)
    assert day_of_month(365) == (1, 0, 1)
    assert settle(29) == 31
    assert all(day_of_month(event.day)[2] <= 28 for world in worlds() for event in world.events)


def test_given_names_are_nobody_elses() -> None:
    for world in worlds():
        names = [(person.sex, person.given) for person in world.people if person.stage]
        assert len(set(names)) == len(names)
