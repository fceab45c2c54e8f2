"""Books and documents: the same bytes everywhere, longer books that begin like shorter ones, plain refusals."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from functools import cache
from pathlib import Path

import pytest
from docs.chronicle_sample import sample

from longreach.errors import BadInput
from longreach.models.tokenizers import get_tokenizer
from longreach.worlds.chronicle import (
    UNIT_SIZE,
    Act,
    Assertion,
    Chapter,
    Chronicle,
    Language,
    unit_range,
    write_book,
    write_documents,
)
from longreach.worlds.chronicle.book import load
from longreach.worlds.chronicle.narration import people_of
from longreach.worlds.chronicle.simulation import FAMILIES, GIVEN, GOODS, HABITS, SPOTS, THINGS, TRADES
from longreach.worlds.chronicle.template import Decks, Pattern, expand, load_stock, load_vocabulary, parse, slots_always
from longreach.worlds.chronicle.voices import Chinese, English, Voice
from longreach.worlds.chronicle.world import KINDS

LANGUAGES: tuple[Language, ...] = ("en", "zh")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_bytes_are_those_that_were_agreed_on(language: Language) -> None:
    """Changes with every change of the generator; the family's version must then be raised."""
    text = "\n".join(unit.text + unit.summary for unit in write_book(1, language=language, units=3).units)
    assert (
        hashlib.sha256(text.encode()).hexdigest()[:16] == {"en": "061091b98c850db3", "zh": "4dcd720875308454"}[language]
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_longer_book_begins_with_the_shorter_one(language: Language) -> None:
    short = write_book(9, language=language, units=4)
    long = write_book(9, language=language, units=9)
    assert [unit.text for unit in long.units[:4]] == [unit.text for unit in short.units]
    assert [unit.summary for unit in long.units[:4]] == [unit.summary for unit in short.units]


def test_both_languages_tell_one_world() -> None:
    english, chinese = (write_book(3, language=language, units=5) for language in LANGUAGES)
    assert english.world == chinese.world
    assert [unit.assertions for unit in english.units] == [unit.assertions for unit in chinese.units]
    assert english.units[0].text != chinese.units[0].text


def test_seeds_give_different_books() -> None:
    books = [write_book(seed, language="en", units=2) for seed in range(5)]
    assert len({book.units[0].text for book in books}) == 5
    assert len({unit.text for book in books for unit in book.units}) == 10


@pytest.mark.parametrize("language", LANGUAGES)
def test_documents_are_of_the_asked_length(language: Language) -> None:
    documents = write_documents(2, 12_000, language)
    assert 4 <= len(documents) <= 6
    assert len({document.id for document in documents}) == len(documents)
    for document in documents:
        assert document.language == language
        assert document.source == "chronicle:2"
        assert document.text.startswith(document.title)
        assert document.sha256 == hashlib.sha256(document.text.encode()).hexdigest()


def test_a_source_names_seed_language_and_length() -> None:
    silent: list[str] = []
    documents = load("4/zh/5k", warn=silent.append)
    assert [document.text for document in documents] == [unit.text for unit in write_documents(4, 5000, "zh")]
    assert load("4/en/2000", warn=silent.append)[0].language == "en"
    assert silent == []
    for name in ("", "x", "4/fr", "4/zh/", "4/zh/99m", "-1", "4/zh/5k/more"):
        with pytest.raises(BadInput, match="is not a chronicle; give a seed"):
            load(name, warn=silent.append)


def test_the_sample_in_the_documentation_is_what_the_code_writes() -> None:
    page = Path(__file__).parents[3] / "docs" / "chronicle-sample.md"
    assert page.read_text(encoding="utf-8") == sample(), "write it again; the page says how"


def test_what_cannot_be_is_refused_in_one_line() -> None:
    cases = (
        (lambda: write_book(1, language="fr", units=2), "unknown language 'fr'"),  # type: ignore[arg-type]
        (lambda: write_book(1, language="en"), "give the length of the book once"),
        (lambda: write_book(1, language="en", units=2, tokens=2000), "give the length of the book once"),
        (lambda: write_book(1, language="en", units=0), "a book of 0 is not possible"),
        (lambda: write_book(1, language="en", tokens=-5), "a book of -5 is not possible"),
        (lambda: write_book(1, language="en", units=2).units[0].wrong("typo", 1), "unknown type of error 'typo'"),  # type: ignore[arg-type]
    )
    for call, message in cases:
        with pytest.raises(BadInput) as caught:
            call()
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


# The prose: long without repeating itself, units of the asked length, and every fact of a summary told in its unit.

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
            for assertion in unit.assertions:
                for fact in facts(unit, assertion):
                    assert fact.lower() in text, (seed, assertion.id, fact)


def facts(unit: Chapter, assertion: Assertion) -> list[str]:
    """Names, places, amounts, days, things and manners that the claim's sentence states."""
    voice, people = voice_of(unit), unit.world.person
    if assertion.relation is not None:
        relation = assertion.relation
        named = [voice.full(people[who]) for who in (relation.subject, relation.object)]
        return [*named, voice.relation(relation, unit.world)["rel"]]
    assert assertion.act is not None
    found = act_facts(unit, assertion.act)
    if assertion.later is not None:
        found += act_facts(unit, assertion.later)
    if assertion.cause is not None:
        found += act_facts(unit, assertion.cause, cause=True)
    if assertion.reason is not None:
        pattern = load_stock(unit.language)[f"{assertion.act.action}.because.{assertion.reason}"][0]
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


# The word lists: every language has every pattern, and every pattern tells what its event is about.

WORDS_LANGUAGES = ("en", "zh")


def people(slots: set[str]) -> set[str]:
    return {slot[0] for slot in slots if slot[0] in "ABC" and slot[1:2] in ("", ".", "'")}


@pytest.mark.parametrize("language", WORDS_LANGUAGES)
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


@pytest.mark.parametrize("language", WORDS_LANGUAGES)
def test_wordings_of_a_assertion_all_say_the_same(language: str) -> None:
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


@pytest.mark.parametrize("language", WORDS_LANGUAGES)
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
    for words in map(load_vocabulary, WORDS_LANGUAGES):
        for names, size in ((words.men, GIVEN), (words.women, GIVEN), (words.families, FAMILIES)):
            assert len(set(names)) == len(names) >= size
        assert not set(words.men) & set(words.women)
        assert set(words.things) == set(THINGS)
        assert set(words.goods) == set(GOODS)
        assert set(words.spots) == set(SPOTS)


@pytest.mark.parametrize("language", WORDS_LANGUAGES)
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
