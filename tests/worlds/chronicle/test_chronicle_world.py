"""The simulated world: causes come first, the dead rest, travellers are away, and kin are what they are."""

from __future__ import annotations

from collections import Counter
from functools import cache

import pytest
from tests.present import some

from longreach.worlds import TYPES
from longreach.worlds.chronicle import Act, Assertion, Chapter, Chronicle, Language, World, Wrong, holds, write_book
from longreach.worlds.chronicle.plots import PLOTS
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
            assert some(event.amount) <= event.day - world.events[event.cause].day
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


# Labels from the world: faithful assertions hold, wrong ones do not, and a second checker that shares no code agrees.

LANGUAGES: tuple[Language, ...] = ("en", "zh")
SYMMETRIC = {"quarrel", "marry", "partner", "reconcile"}


@cache
def book(language: Language, seed: int) -> Chronicle:
    return write_book(seed, language=language, units=20)


def wrongs(unit: Chapter, seed: int) -> list[Wrong]:
    return [wrong for kind in TYPES if (wrong := unit.wrong(kind, seed)) is not None]


# A second checker, written from the meaning of assertions alone: rows of plain values and nothing else.


PARTS = ("action", "subject", "object", "other", "amount", "item", "place", "manner", "done", "day")


def matching(world: World, act: Act) -> list[int]:
    asked = {name: value for name in PARTS if (value := getattr(act, name)) is not None}
    versions = [asked]
    if act.action in SYMMETRIC:
        versions.append({**asked, "subject": act.object, "object": act.subject})
    return [
        number
        for number, event in enumerate(world.events)
        if event.action == act.action
        if any(all(getattr(event, name) == value for name, value in version.items()) for version in versions)
    ]


def chain(world: World, number: int) -> list[int]:
    found = []
    cause = world.events[number].cause
    while cause is not None:
        found.append(cause)
        cause = world.events[cause].cause
    return found


def parents(world: World, who: str) -> set[str]:
    return {parent for parent in (world.person[who].father, world.person[who].mother) if parent}


def spouses(world: World, who: str, unit: int) -> set[str]:
    wed = {event.object: event.subject for event in world.events if event.action == "marry" and event.unit <= unit}
    pairs = {(a, b) for a, b in wed.items() if a} | {(b, a) for a, b in wed.items() if a}
    before = {world.person[who].wed} - {None}
    return {b for a, b in pairs if a == who and b} | {name for name in before if name}


def related(world: World, a: str, name: str, b: str, unit: int) -> bool:
    """By hand, one relation at a time."""
    up_a, up_b = parents(world, a), parents(world, b)
    grand_a = {p for parent in up_a for p in parents(world, parent)}
    grand_b = {p for parent in up_b for p in parents(world, parent)}
    wed = spouses(world, b, unit)
    past = [event for event in world.events if event.unit <= unit and event.done]

    def agreed(action: str, one: str, two: str) -> bool:
        return any(e.action == action and (e.subject, e.object) == (one, two) for e in past)

    if name in ("father", "mother"):
        return a in up_b
    if name in ("son", "daughter"):
        return b in up_a
    if name in ("brother", "sister"):
        return a != b and bool(up_a & up_b)
    if name in ("husband", "wife"):
        return a in wed
    if name in ("uncle", "aunt"):
        return a not in up_b and bool(up_a & grand_b)
    if name in ("nephew", "niece"):
        return b not in up_a and bool(up_b & grand_a)
    if name == "cousin":
        return not up_a & up_b and bool(grand_a & grand_b)
    if name in ("father_in_law", "mother_in_law"):
        return any(a in parents(world, one) for one in wed)
    if name in ("son_in_law", "daughter_in_law"):
        return any(b in parents(world, one) for one in spouses(world, a, unit))
    if name == "partner":
        return agreed("partner", a, b) or agreed("partner", b, a)
    if name in ("landlord", "tenant"):
        return agreed("rent", a, b) if name == "landlord" else agreed("rent", b, a)
    pair = (a, b) if name == "master" else (b, a)
    bound = max((e.id for e in past if e.action == "apprentice" and (e.subject, e.object) == pair), default=-1)
    freed = max((e.id for e in past if e.action == "dismiss" and (e.subject, e.object) == pair), default=-1)
    return bound > freed


def true(world: World, assertion: Assertion) -> bool:
    if assertion.relation is not None:
        relation = assertion.relation
        return related(world, relation.subject, relation.name, relation.object, assertion.unit)
    for number in matching(world, some(assertion.act)):
        steps = chain(world, number)
        if assertion.cause is not None and not set(matching(world, assertion.cause)) & set(steps):
            continue
        if assertion.reason is not None and assertion.reason not in {world.events[n].reason for n in (number, *steps)}:
            continue
        if assertion.later is not None and max(matching(world, assertion.later), default=-1) <= number:
            continue
        return True
    return False


@pytest.mark.parametrize("language", LANGUAGES)
def test_faithful_assertions_hold_and_wrong_ones_do_not(language: Language) -> None:
    for seed in range(3):
        written = book(language, seed)
        for unit in written.units:
            for assertion in unit.assertions:
                assert holds(written.world, assertion), assertion
                assert true(written.world, assertion), assertion
            for wrong in wrongs(unit, 1 + unit.number % 3):
                assert not holds(written.world, wrong.assertion), wrong
                assert not true(written.world, wrong.assertion), wrong


def test_a_world_that_was_changed_changes_the_labels() -> None:
    """The checker reads the world: take an event out of it, and the claim about it holds no longer."""
    written = book("en", 0)
    lost = 0
    for unit in written.units[:6]:
        for assertion in unit.assertions:
            if assertion.act is None:
                continue
            numbers = set(matching(written.world, assertion.act))
            events = [
                event.model_copy(update={"done": not event.done}) if event.id in numbers else event
                for event in written.world.events
            ]
            world = written.world
            changed = World(seed=world.seed, people=world.people, places=world.places, events=tuple(events))
            assert not holds(changed, assertion)
            lost += 1
    assert lost > 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_fabrications_are_events_feelings_and_repeats_that_the_world_does_not_have(language: Language) -> None:
    """Counted by hand: what is made up happened never, what is repeated happened once, on an earlier day, and the
    summary tells that one too."""
    kinds: Counter[str] = Counter()
    for seed in range(3):
        for unit in book(language, seed).units:
            for turn in range(3):
                wrong = unit.wrong("fabrication", turn)
                if wrong is None:
                    continue
                act = some(wrong.assertion.act)
                told = matching(unit.world, Act(action=act.action, subject=act.subject, object=act.object))
                if not told:
                    kinds["feeling" if act.action == "feel" else "event"] += 1
                    continue
                kinds["repeat"] += 1
                first = unit.world.events[told[0]]
                assert len(told) == 1
                assert first.unit == unit.number
                assert first.day < some(act.day)
                assert any(
                    assertion.act is not None and told[0] in matching(unit.world, assertion.act)
                    for assertion in unit.assertions
                    if assertion != unit.assertions[wrong.position]
                )
    assert min(kinds[name] for name in ("event", "feeling", "repeat")) >= 8, kinds


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_wrong_summary_differs_from_the_faithful_one_in_one_sentence(language: Language) -> None:
    for seed in range(2):
        for unit in book(language, seed).units:
            for wrong in wrongs(unit, seed):
                faithful = unit.sentences(seed)
                assert wrong.sentence != wrong.corrected == faithful[wrong.position]
                faithful[wrong.position] = wrong.sentence
                assert wrong.summary == ("" if language == "zh" else " ").join(faithful)
                assert wrong.summary.count(wrong.sentence) == 1
                assert wrong.reason.endswith((".", "。"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_unit_offers_six_types_and_a_book_all_of_them(language: Language) -> None:
    for seed in range(3):
        offered = [
            [kind for kind in TYPES if any(unit.wrong(kind, wording) for wording in range(6))]
            for unit in book(language, seed).units
        ]
        assert min(map(len, offered)) >= 6
        assert {kind for kinds in offered for kind in kinds} == set(TYPES)


def test_wrong_values_are_those_of_the_unit_or_near_the_truth() -> None:
    for seed in range(3):
        for unit in book("en", seed).units:
            cast = {
                who
                for event in unit.world.events
                if event.unit == unit.number
                for who in (event.subject, event.object, event.other)
            }
            amounts = [wrong for turn in range(3) if (wrong := unit.wrong("numerical", turn)) is not None]
            for wrong in amounts:
                assertion = unit.assertions[wrong.position]
                assert assertion.act is not None
                assert wrong.assertion.act is not None
                if assertion.act.amount != wrong.assertion.act.amount:
                    assert wrong.assertion.act.amount is not None
                    assert (
                        0.4 * some(assertion.act.amount)
                        <= wrong.assertion.act.amount
                        <= 2 * some(assertion.act.amount) + 5
                    )
                else:
                    assert wrong.assertion.act.day != assertion.act.day
            swapped = unit.wrong("entity", 0)
            if swapped is not None and swapped.assertion.act is not None:
                assert {swapped.assertion.act.subject, swapped.assertion.act.object} <= {*cast, None}


@pytest.mark.parametrize("language", LANGUAGES)
def test_summaries_are_four_to_eight_sentences_in_many_wordings(language: Language) -> None:
    stop = "." if language == "en" else "。"
    longer: Counter[bool] = Counter()
    for unit in book(language, 0).units:
        assert 4 <= len(unit.assertions) <= 8
        assert all(sentence.endswith(stop) and sentence.count(stop) == 1 for sentence in unit.sentences())
        wordings = {unit.paraphrase(seed) for seed in range(6)}
        assert len(wordings) == 6
        assert unit.summary not in wordings
        longer.update(len(text) > len(unit.summary) for text in wordings)
        by_seed = [unit.sentences(seed) for seed in range(16)]
        assert all(len(set(sentences)) >= 3 for sentences in zip(*by_seed, strict=True))
    assert min(longer.values()) > 0.05 * longer.total()


@pytest.mark.parametrize("language", LANGUAGES)
def test_length_does_not_give_the_wrong_ones_away(language: Language) -> None:
    faithful, wrong = [], []
    for seed in range(3):
        for unit in book(language, seed).units:
            faithful.append(len(unit.paraphrase(1)))
            wrong += [len(version.summary) for version in wrongs(unit, 2)]
    above = sum((w > f) + 0.5 * (w == f) for w in wrong for f in faithful) / len(wrong) / len(faithful)
    assert 0.42 < above < 0.58
