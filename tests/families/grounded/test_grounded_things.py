"""English questions for things: which of six names a statement is about; figures with a unit."""

from __future__ import annotations

from collections import Counter

import pytest

from longreach.families.grounded.extractive.english.predicates import is_worth_asking, true_of_many
from longreach.families.grounded.extractive.english.reader import EnglishReader
from longreach.families.grounded.extractive.english.statements import first_statement
from longreach.families.grounded.extractive.english.words import content_words
from longreach.families.grounded.extractive.reading import Reading
from longreach.families.grounded.extractive.sentences import split_sentences
from longreach.families.grounded.extractive.terms import Fact


def _facts(text: str, *others: str) -> list[Fact]:
    """The questions on the first sentence of a document."""
    sentences = split_sentences([" ".join((text, *others))], "en", content_words)
    reader = EnglishReader(sentences)
    return list(reader.facts(sentences[0])) if not reader.unfit(sentences[0]) else []


def _asked(text: str, *others: str) -> dict[str, str]:
    return {fact.stem: fact.answer.text for fact in _facts(text, *others) if fact.score > 1}


THINGS = (
    (
        "The configure option --libdir controls where the main binary files are stored at night.",
        "Which configure option controls where the main binary files are stored at night?",
        "--libdir",
    ),
    (
        "Macro ‘LTO_LD’ selects the linker for static builds of large programs.",
        "Which macro selects the linker for static builds of large programs?",
        "LTO_LD",
    ),
    (
        "DDNS lets an operator edit the records of a zone from afar.",
        "Which of these lets an operator edit the records of a zone from afar?",
        "DDNS",
    ),
    (
        "However, DDNS rejects every upload with a broken signature file.",
        "Which of these rejects every upload with a broken signature file?",
        "DDNS",
    ),
    (
        "As of release 3.6, DDNS compresses each archive before the nightly upload.",
        "As of release 3.6, which of these compresses each archive before the nightly upload?",
        "DDNS",
    ),
    (
        "All harbour messages are translated into seven languages by DDNS.",
        "By which of these are all harbour messages translated into seven languages?",
        "DDNS",
    ),
    (
        "To remove stale locks from the spool directory, use the command qclean_all with care.",
        "Which command should you use to remove stale locks from the spool directory?",
        "qclean_all",
    ),
)


@pytest.mark.parametrize(("text", "question", "answer"), THINGS)
def test_a_statement_is_asked_for_what_it_is_about(text: str, question: str, answer: str) -> None:
    assert _asked(text).get(question) == answer


@pytest.mark.parametrize(
    "text",
    [
        "The menu system does not store the history of old sessions on disk.",  # so do others not
        "The stated value controls how many guests sleep in each room tonight.",  # which value
        "The appropriate program controls how many guests sleep in each hut.",
        "The spool program is available on most Linux systems of the last decade.",  # so are many
        "The parser program created last week by guests must remove the file.",  # the verb is 'must'
        "Permitted letters contain only the digits and the characters + and ~ .",
        "A related package is cowbuilder, which speeds up the build of archives.",  # no property
        "Explicit action changes the permissions of each harbour directory at noon.",  # written like no other thing
        "The given path controls how many guests sleep in each red hut.",
        "The spool program stores package #MINVER# in each large red hut.",
        "Guests sleep in the large hut near the old harbour at night.",  # one word says little
    ],
)
def test_a_statement_that_says_little_is_not_asked(text: str) -> None:
    assert not [stem for stem in _asked(text) if "Which of these" in stem]


def test_a_name_that_is_the_topic_is_not_asked_for() -> None:
    statement = "OpenHarbour stores the tide tables of all quays in one register."
    assert "OpenHarbour" in _asked(statement, "We like OpenHarbour.").values()
    assert "OpenHarbour" not in _asked(statement, *["We like OpenHarbour."] * 40).values()


def test_a_new_word_is_a_name_only_where_it_is_no_noun() -> None:
    statement = "The qmaild daemon moves every letter to the spool of a guest."
    assert "qmaild" in _asked(statement).values()
    assert "qmaild" not in _asked(statement, "Guests may start a qmaild.").values()


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("The PDF versions will be created on plain paper: this can be changed.", "on plain paper."),
        ("You’ll see the harbour lights from the upper hut, but they fade at noon.", "You will see the harbour lights"),
        ("The three huts that guests like most are these: red, blue and green.", "red, blue and green."),
        ("If the tide is low and the wind is up; the gate stays shut.", "the gate stays shut."),
    ],
)
def test_the_first_statement_stands_alone(text: str, first: str) -> None:
    found = first_statement(text)
    assert first in found
    assert "they fade" not in found
    assert "can be changed" not in found


FIGURES = (
    (
        "If you become the keeper of a child, you can take up to 16 weeks leave at full pay.",
        "If you become the keeper of a child, up to how many weeks leave can you take at full pay?",
        "16",
    ),
    (
        "Guests of the old hut may stay for 12 weeks of rest after the storm.",
        "For how many weeks of rest after the storm may guests of the old hut stay?",
        "12",
    ),
    (
        "The Short Term policy replaces up to 70% of your salary, up to 12 weeks.",
        "Up to what percentage of your salary does the Short Term policy replace?",
        "70%",
    ),
    (
        "During your first year, you can expense up to $3,000 on a desk, a chair, or a lamp.",
        "During your first year, up to what amount can you expense on a desk, a chair, or a lamp?",
        "$3,000",
    ),
)


@pytest.mark.parametrize(("text", "question", "answer"), FIGURES)
def test_a_figure_is_asked_with_its_unit(text: str, question: str, answer: str) -> None:
    assert _asked(text).get(question) == answer


@pytest.mark.parametrize(
    "text", ["You will be offered an additional 2 weeks pay at noon.", "The keeper checks the harbour every 5 days."]
)
def test_a_figure_inside_a_noun_phrase_is_not_asked(text: str) -> None:
    assert not [stem for stem in _asked(text) if "ow many" in stem]


@pytest.mark.parametrize(
    "text",
    [
        "The 3 buttons at the bottom of the harbour window remain grey at night.",
        "Tide tables are kept in 2 file formats, the harbour format and the quay format.",
    ],
)
def test_a_gap_is_not_told_by_its_statement(text: str) -> None:
    assert not [fact.stem for fact in _facts(text) if "____" in fact.stem]


def test_a_question_of_common_words_is_asked_where_no_other_sentence_has_most_of_them() -> None:
    statement = "The configure option --libdir controls where the main binary files go."
    common = [f"The {word} is old." for word in ("configure option", "main control", "binary file")] * 6
    reading = Reading([" ".join((statement, *common))], "en")
    asked = [fact.stem for fact in reading.facts(0, Counter()) if not fact.titled]
    assert "Which configure option controls where the main binary files go?" in asked


def test_what_is_told_must_say_enough() -> None:
    assert is_worth_asking("stores the tide tables of all quays in one register")
    assert not is_worth_asking("stores the tide tables")
    assert true_of_many("is available on most systems of the last decade")
    assert not true_of_many("is used to store the tide tables")
