"""Persons of a narrative: one name each, no bystanders, none that a pronoun rules out."""

from __future__ import annotations

from collections import Counter

import pytest

from longreach.families.grounded.extractive.english.persons import Persons
from longreach.families.grounded.extractive.english.reader import EnglishReader
from longreach.families.grounded.extractive.english.words import content_words
from longreach.families.grounded.extractive.sentences import split_sentences
from longreach.families.grounded.extractive.terms import Term

NAMES = {
    "Nance": 9,
    "Nance Mockridge": 3,
    "Donald Farfrae": 4,
    "Mr. Farfrae": 5,
    "Mrs. Farfrae": 5,
    "Mr. Bath": 3,
    "Mrs. Bath": 3,
    "Jopp": 8,
    "Mr. Jopp": 2,
    "Mrs. Abel Whittle": 2,
    "Duke of Varn": 2,
}


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("Nance", "Nance Mockridge"),
        ("Mr. Farfrae", ""),
        ("Mrs. Farfrae", ""),
        ("Mr. Bath", "Mr. Bath"),
        ("Mrs. Bath", "Mrs. Bath"),
        ("Jopp", "Mr. Jopp"),
        ("Mrs. Abel Whittle", ""),
        ("Duke of Varn", ""),
    ],
)
def test_one_person_has_one_name(name: str, who: str) -> None:
    assert Persons(NAMES, {}).who(name) == who


def test_options_have_the_fullest_name_that_is_there() -> None:
    persons = Persons(NAMES, {})
    terms = [Term("name", (), text, 0, 0) for text in ("Nance", "Jopp", "Nance Mockridge")]
    assert [term.text for term in persons.fullest(terms)] == ["Nance Mockridge", "Jopp", "Nance Mockridge"]


def test_somebody_who_is_only_mentioned_does_not_act() -> None:
    persons = Persons(NAMES, Counter({"Nance": 1, "Nance Mockridge": 1, "Jopp": 1}))
    assert persons.acts("Nance")
    assert not persons.acts("Mr. Jopp")


def _reader(text: str) -> tuple[EnglishReader, dict[str, str]]:
    sentences = split_sentences([text], "en", content_words)
    reader = EnglishReader(sentences)
    return reader, {fact.stem: fact.answer.text for sentence in sentences for fact in reader.facts(sentence)}


STORY = (
    "He saw that Henry walked home with his dog. She knew that Henry took his hat and his stick. "
    "He thought that Martha lost her ring. She saw that Martha found her bag and her book. "
    "He heard that Rupert came. She said that Rupert went. "
)


def test_a_pronoun_of_the_question_rules_out_who_is_not_known_to_fit() -> None:
    reader, _ = _reader(STORY)
    assert not reader.ruled_out("Who waved his stick at the ferry?", "Henry")
    assert reader.ruled_out("Who waved his stick at the ferry?", "Martha")
    assert reader.ruled_out("Who waved his stick at the ferry?", "Rupert")
    assert reader.ruled_out("Who gave him a sigh and turned her face to the ferry?", "Martha")
    assert not reader.ruled_out("Who waved a stick at the ferry?", "Martha")


@pytest.mark.parametrize(
    ("sentence", "asked"),
    [
        ("Henry carried the broken lantern to the ferry.", True),
        ("Henry suggested, as he carried the lantern to the ferry.", False),
        ("Henry gave him the broken lantern of the ferry.", False),
        ("By the lantern, Henry did not mean the broken one.", False),
    ],
)
def test_a_deed_is_asked_for_where_it_is_complete(sentence: str, *, asked: bool) -> None:
    _, facts = _reader(STORY + sentence)
    who = [answer for stem, answer in facts.items() if " lantern" in stem]
    assert who == ["Henry"] * asked


def test_a_number_is_asked_for_without_somebody_unnamed() -> None:
    _, facts = _reader(STORY + "Thirteen winters had seen her mistress of the old harbour house.")
    assert "thirteen" not in facts.values()
