"""English questions for figures with a unit, and the first statement of a sentence."""

from __future__ import annotations

import pytest

from longreach.families.grounded.extractive.english.reader import EnglishReader
from longreach.families.grounded.extractive.english.statements import first_statement
from longreach.families.grounded.extractive.english.words import content_words
from longreach.families.grounded.extractive.sentences import split_sentences
from longreach.families.grounded.extractive.terms import Fact


def _facts(text: str, *others: str) -> list[Fact]:
    """The questions on the first sentence of a document."""
    sentences = split_sentences([" ".join((text, *others))], "en", content_words)
    reader = EnglishReader(sentences)
    return list(reader.facts(sentences[0])) if not reader.unfit(sentences[0]) else []


def _asked(text: str, *others: str) -> dict[str, str]:
    return {fact.stem: fact.answer.text for fact in _facts(text, *others) if fact.score > 1}


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
