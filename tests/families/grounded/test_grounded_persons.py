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
    "Hood": 3,
    "Dr. Hood": 9,
    "Knight": 12,
    "Mr. Knight": 90,
    "Mrs. Knight": 5,
    "Ellis": 40,
    "Ellis Bell": 1,
    "Master Ellis": 2,
    "Monsieur Ellis": 2,
}


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("Nance", "Nance Mockridge"),
        ("Mr. Farfrae", "Mr. Farfrae"),
        ("Mrs. Farfrae", ""),
        ("Mr. Bath", "Mr. Bath"),
        ("Mrs. Bath", "Mrs. Bath"),
        ("Jopp", "Mr. Jopp"),
        ("Hood", "Dr. Hood"),
        ("Knight", ""),
        ("Mr. Knight", "Mr. Knight"),
        ("Ellis", "Ellis"),
        ("Master Ellis", "Ellis"),
        ("Ellis Bell", "Ellis"),
        ("Mrs. Abel Whittle", ""),
        ("Duke of Varn", ""),
    ],
)
def test_one_person_has_one_name(name: str, who: str) -> None:
    assert Persons(NAMES, {}).who(name) == who


def test_options_have_the_usual_name_of_those_that_are_there() -> None:
    persons = Persons(NAMES, {})
    terms = [Term("name", (), text, 0, 0) for text in ("Nance Mockridge", "Mr. Jopp", "Nance")]
    assert [term.text for term in persons.usual(terms)] == ["Nance", "Mr. Jopp", "Nance"]


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


HEROES = (
    "He saw that Frank smiled, to be frank. She knew that Frank rose. He knew that Frank left. "
    "She saw that Frank walked home. He saw that Frank turned back. He saw that Captain Wickes and Wickes laughed. "
    "He saw that Father Brown wore a brown hat like a father and a mayor. She met the Lord Mayor. "
    "She saw that the captain rowed. He knew that the subtle Celt bowed. She saw that the wily Celt rose. "
    "Everybody left. Everybody rose. Everybody slept. Everybody sat. Everybody smiled. He saw Everybody and everybody. "
    "He liked Miss Orme. She saw Miss Orme. He knew that Francis Orme slept. "
    "She saw that Bolt of Frank came. He saw that Bolt rose. She knew that Bolt left. "
)


def test_who_acts_often_is_a_person_whatever_else_the_word_means() -> None:
    names = _reader(HEROES)[0]._names
    assert names.is_name("Frank")
    assert names.is_name("Captain Wickes")
    assert names.is_name("Father Brown")
    assert not names.is_name("Lord Mayor")
    assert names.kind("Celt") == "thing"
    assert not names.is_name("Everybody")
    assert not names.is_name("Miss Orme")


def test_two_names_of_one_person() -> None:
    reader, _ = _reader(HEROES)
    assert reader.one_person("Frank", "Francis Orme")
    assert not reader.one_person("Bolt", "Frank")


def test_somebody_in_the_line_does_not_say_it() -> None:
    reader, _ = _reader(
        HEROES
        + "He knew that Rosa Hale sang. She heard that Rosa Hale wept. He saw that Rosa left. She saw that Rosa sat. "
    )
    assert reader.ruled_out("Who says “I saw Miss Hale at the ferry”?", "Rosa")
    assert not reader.ruled_out("Who says “I saw her at the ferry”?", "Rosa")


def test_a_narrative_asks_for_persons_and_counts_its_subjects_only() -> None:
    _, facts = _reader(
        STORY
        + "Henry found three broken oars in the deserted boat. Thirteen broken oars lay in the deserted boat. "
        + "He went to Ludgate Hill. She came from Ludgate Hill. Ludgate Hill stood above the quiet harbour of the town."
    )
    assert facts["How many broken oars lay in the deserted boat?"] == "thirteen"
    assert not {"three", "Ludgate Hill"} & set(facts.values())


def test_what_another_person_does_is_left_out() -> None:
    _, facts = _reader(
        STORY
        + "Henry carried the broken lantern to the ferry, and Martha did nothing worse than look cold. "
        + "Henry moved, had the ferry in full working order, and left."
    )
    assert [stem for stem in facts if "ferry" in stem] == ["Who carried the broken lantern to the ferry?"]


def test_the_narrator_at_the_end_of_a_sentence_is_no_name() -> None:
    text = "She went, and said I. went. She came, and said Ida went. "
    names = _reader(text * 8)[0]._names
    assert names.is_name("Ida")
    assert not names.is_name("I.")
