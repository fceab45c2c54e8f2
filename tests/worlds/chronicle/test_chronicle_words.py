"""The word lists: every language has every pattern, and every pattern tells what its event is about."""

from __future__ import annotations

import pytest

from longreach.worlds.chronicle.simulation import FAMILIES, GIVEN, GOODS, HABITS, SPOTS, THINGS, TRADES
from longreach.worlds.chronicle.template import Decks, Pattern, expand, load_stock, load_vocabulary, parse, slots_always
from longreach.worlds.chronicle.world import KINDS

LANGUAGES = ("en", "zh")


def people(slots: set[str]) -> set[str]:
    return {slot[0] for slot in slots if slot[0] in "ABC" and slot[1:2] in ("", ".", "'")}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_event_can_be_told_and_says_all_its_parts(language: str) -> None:
    stock = load_stock(language)
    for name, kind in KINDS.items():
        if name == "feel":
            continue
        for done in (True, False) if kind.polar else (True,):
            pool = name if done else f"{name}.not"
            for part in ("core", "talk", "after"):
                assert len(stock[f"{pool}.{part}"]) >= 2, f"{pool}.{part}"
            for pattern in stock[f"{pool}.core"]:
                slots = slots_always(pattern)
                assert people(slots) >= set("ABC"[: kind.people]), pattern
                assert not kind.measure or name == "return" or slots & {"n", "N"}, pattern
                assert kind.item in ("", "goods") or slots & {"i", "a.i", "I"}, pattern
                assert not kind.manners or not done or "m" in slots, pattern
                assert kind.place != "town" or "p" in slots, pattern


@pytest.mark.parametrize("language", LANGUAGES)
def test_wordings_of_a_claim_all_say_the_same(language: str) -> None:
    stock = load_stock(language)
    for name, kind in KINDS.items():
        for tense in ("past", "had", *(("not", "hadnot") if kind.polar else ())):
            wordings = [_said(pattern) for pattern in stock[f"{name}.{tense}"]]
            assert len(set(wordings)) == 1, (name, tense, wordings)
            assert len(wordings) >= (3 if tense in ("past", "not") else 2)
        for reason in (*kind.reasons, *kind.reasons_not):
            assert f"{name}.because.{reason}" in stock
    for frame in ("act", "why", "order", "kin"):
        assert len(stock[f"sum.{frame}"]) >= 3


def _said(pattern: Pattern) -> frozenset[str]:
    slots = slots_always(pattern)
    plain = {slot.replace("a.i", "i") for slot in slots if slot[0] not in "ABC"}
    return frozenset(plain | people(slots))


@pytest.mark.parametrize("language", LANGUAGES)
def test_scenes_name_their_day_and_place(language: str) -> None:
    stock = load_stock(language)
    for stage in ("meet", "court", "water", "sick", "road", "letter"):
        for pattern in stock[f"begin.{stage}"]:
            slots = slots_always(pattern)
            assert slots & {"when", "When"}, pattern
            assert stage not in ("meet", "court", "water") or slots & {"at", "At", "p", "P"}, pattern
    for pool in (*(f"place.{spot}" for spot in SPOTS), *(f"month.{month}" for month in range(12))):
        assert len(stock[pool]) >= 2
    for pool in (*(f"habit.{habit}" for habit in HABITS), *(f"work.{trade}" for trade in TRADES)):
        assert len(stock[pool]) >= 3


def test_names_are_as_many_as_the_world_draws_and_none_is_another() -> None:
    for words in map(load_vocabulary, LANGUAGES):
        for names, size in ((words.men, GIVEN), (words.women, GIVEN), (words.families, FAMILIES)):
            assert len(set(names)) == len(names) >= size
        assert not set(words.men) & set(words.women)
        assert set(words.things) == set(THINGS)
        assert set(words.goods) == set(GOODS)
        assert set(words.spots) == set(SPOTS)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_given_name_is_a_word_of_the_prose(language: str) -> None:
    """Else a name could seem to be told where only the word stands."""
    words = load_vocabulary(language)
    prose = " ".join(part for patterns in load_stock(language).values() for p in patterns for part in _plain(p))
    found = [name for name in (*words.men, *words.women) if (f" {name} " if language == "en" else name) in prose]
    assert found == []


def _plain(pattern: Pattern) -> list[str]:
    found: list[str] = []
    for part in pattern:
        if isinstance(part, str):
            found.append(part)
        elif hasattr(part, "options"):
            for option in part.options:
                found += _plain(option)
    return found


def test_patterns_are_read_and_filled() -> None:
    pattern = parse("{A} [went|came [in|out]] <where>.")
    assert slots_always(pattern) == {"A"}
    text = expand(pattern, lambda name: f"<{name}>", lambda _: parse("here"), iter([0.9, 0.0]).__next__)
    assert text == "<A> came in here."
    for broken in ("a [b", "a ]", "a }"):
        with pytest.raises(ValueError, match="unbalanced"):
            parse(broken)


def test_a_deck_deals_all_before_one_comes_back() -> None:
    from random import Random

    stock = {"pool": tuple(parse(str(n)) for n in range(9))}
    decks = Decks(stock, Random("deck"))
    dealt = [decks.draw("pool") for _ in range(90)]
    for start in range(0, 90, 9):
        assert len(set(dealt[start : start + 9])) == 9
    for at, pattern in enumerate(dealt[:-4]):
        assert pattern not in dealt[at + 1 : at + 5]
