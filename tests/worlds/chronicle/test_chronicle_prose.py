"""The prose: long without repeating itself, units of the asked length, and every fact of a summary told in its unit."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest

from longreach.models.tokenizers import get_tokenizer
from longreach.worlds.chronicle import UNIT_SIZE, Act, Chapter, Chronicle, Claim, Language, unit_range, write_book
from longreach.worlds.chronicle.narration import people_of
from longreach.worlds.chronicle.template import load_stock
from longreach.worlds.chronicle.voices import Chinese, English, Voice
from longreach.worlds.chronicle.world import KINDS

LANGUAGES: tuple[Language, ...] = ("en", "zh")
VOICES: dict[str, type[Voice]] = {"en": English, "zh": Chinese}


def count(text: str) -> int:
    return get_tokenizer("o200k_base").count(text)


@cache
def book(language: Language, seed: int, units: int = 24) -> Chronicle:
    return write_book(seed, language=language, units=units, count=count)


def voice_of(unit: Chapter) -> Voice:
    return VOICES[unit.language](unit.world.seed, unit.world.places)


@pytest.mark.parametrize("tokens", [100_000, pytest.param(500_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_long_book_repeats_no_paragraph(language: Language, tokens: int) -> None:
    long = write_book(20, language=language, tokens=round(1.01 * tokens), count=count)
    assert count("\n\n".join(unit.text for unit in long.units)) >= tokens
    paragraphs = Counter(part for unit in long.units for part in unit.text.split("\n\n"))
    assert paragraphs.most_common(1)[0][1] == 1
    for unit in long.units:
        assert unit_range(UNIT_SIZE)[0] <= count(unit.text) <= unit_range(UNIT_SIZE)[1], unit.number


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_sentence_does_not_come_back_within_a_page_or_soon_after(language: Language) -> None:
    stop = r"(?<=[.?!”])\s+" if language == "en" else r"(?<=[。？！”])\s*"
    for seed in range(3):
        last: dict[str, int] = {}
        near = same = 0
        for unit in book(language, seed).units:
            for sentence in re.split(stop, unit.text):
                if len(sentence) > (40 if language == "en" else 16):
                    same += last.get(sentence) == unit.number
                    near += unit.number - last.get(sentence, -99) < 2
                    last[sentence] = unit.number
        assert same <= 1, "a unit repeats a sentence: one slip per book is known"
        assert near <= 12, "every other unit has a sentence of the unit before"


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_pattern_shows_its_seams(language: Language) -> None:
    for seed in range(3):
        for unit in book(language, seed).units:
            texts = [unit.text, unit.summary, unit.paraphrase(3)]
            for text in texts:
                assert not re.search(r"[{}\[\]<>|¶]|None|  |,,|，，|。。|\.\.|“”", text), unit.number
                assert text.count("“") == text.count("”")
            if language == "en":
                assert re.fullmatch(r"(?:[A-Z“].*\n*)+", unit.text), "a paragraph begins with a small letter"
                assert not re.search(r"[a-z]\. [a-z]", unit.text), "a sentence begins with a small letter"
                assert not re.search(r"\b[Aa] [aeio]\w", unit.text), "a for an"


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_fact_of_a_summary_is_told_in_its_unit(language: Language) -> None:
    for seed in range(3):
        for unit in book(language, seed).units:
            text = unit.text.lower()
            for claim in unit.claims:
                for fact in facts(unit, claim):
                    assert fact.lower() in text, (seed, claim.id, fact)


def facts(unit: Chapter, claim: Claim) -> list[str]:
    """Names, places, amounts, days, things and manners that the claim's sentence states."""
    voice, people = voice_of(unit), unit.world.person
    if claim.relation is not None:
        relation = claim.relation
        named = [voice.full(people[who]) for who in (relation.subject, relation.object)]
        return [*named, voice.relation(relation, unit.world)["rel"]]
    assert claim.act is not None
    found = act_facts(unit, claim.act)
    if claim.later is not None:
        found += act_facts(unit, claim.later)
    if claim.cause is not None:
        found += act_facts(unit, claim.cause, cause=True)
    if claim.reason is not None:
        pattern = load_stock(unit.language)[f"{claim.act.action}.because.{claim.reason}"][0]
        found += [part.strip() for part in pattern if isinstance(part, str)]
    return found


def act_facts(unit: Chapter, act: Act, *, cause: bool = False) -> list[str]:
    voice, people, kind = voice_of(unit), unit.world.person, KINDS[act.action]
    # In a cause the story may call those by their given names whom it has named in full before.
    found = [(voice.short if cause else voice.full)(people[who]) for who in people_of(act).values()]
    slots = voice.act(act)
    if act.amount is not None and not (cause and act.action == "return"):
        found.append(slots["n"])
    if kind.item in ("thing", "illness", "office", "topic", "child"):
        found.append(slots["i"])
    if act.manner is not None and not cause:
        found.append(slots["m"])
    if act.place is not None and (not cause or kind.place == "town"):
        found.append(slots["p"])
    if act.day is not None:
        found.append(voice.date(act.day))
    return found


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_unit_tells_its_events_in_their_order(language: Language) -> None:
    """The people of the first event of an order claim stand on the stage before those of the second."""
    for seed in range(3):
        for unit in book(language, seed).units:
            events = [event for event in unit.world.events if event.unit == unit.number]
            assert [event.id for event in events] == sorted(event.id for event in events)
            assert [event.day for event in events] == sorted(event.day for event in events)
            voice = voice_of(unit)
            dates = [voice.date(event.day) for event in events if event.dated]
            places = [unit.text.index(date) for date in dates]
            assert places == sorted(places), unit.number


def test_without_a_tokenizer_units_have_about_the_same_length() -> None:
    for language in LANGUAGES:
        for unit in write_book(8, language=language, units=12).units:
            assert unit_range(UNIT_SIZE)[0] * 0.95 <= count(unit.text) <= unit_range(UNIT_SIZE)[1]
