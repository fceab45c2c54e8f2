"""German questions of the builder without a model: which thing a statement is about, and what is left out."""

from __future__ import annotations

from collections import Counter

import pytest

from longreach.families.grounded.extractive.reading import Reading


def _asked(text: str, kind: str = "name") -> dict[str, str]:
    reading = Reading([text], "de")
    facts = [fact for sentence in reading.sentences for fact in reading.reader.facts(sentence)]
    return {fact.stem: fact.answer.text for fact in facts if fact.answer.kind == kind}


def test_sentences_that_have_lost_their_umlauts_are_skipped() -> None:
    good = "Wenn die Tore offen sind, können alle Boote durch die Schleuse fahren."
    assert _asked(f"{good} Viele Boote fahren für Geld.", "condition")
    lost = "Wenn die Tore offen sind, knnen alle Boote durch die Schleuse fahren."
    assert not _asked(f"{lost} Alle Boote können am Morgen fahren.", "condition")


@pytest.mark.parametrize(
    "clause",
    [
        "damit können Sie die Tore öffnen",  # 'with that'
        "wenn möglich auf der Stelle zu öffnen",
        "wenn der geschlossen wird",  # what was code
        "um Besucher\\*innen vor dem Wasser zu schützen",  # markup
        "falls das Tor offen ist und sonst falls nicht",
    ],
)
def test_clauses_that_are_no_options(clause: str) -> None:
    reading = Reading([f"Die Schleuse ist schmal, {clause}."], "de")
    assert not [term for terms in reading.terms.values() for term in terms if term.text == clause]


def test_aims_at_the_head_of_a_sentence_that_are_no_options() -> None:
    text = "Um Besucher{}innen vor dem Wasser zu schützen, müssen die Tore der Schleuse schließen."
    assert _asked(text.format(""), "purpose")
    assert not Reading([text.format("\\*")], "de").terms[0]


def test_aims_with_an_infinitive_and_with_a_verb_are_not_mixed() -> None:
    text = "Er hob das Tor an, um die Boote zu retten. Er hob das Tor an, damit alle Boote durch die Schleuse kommen."
    terms = [term for terms in Reading([text], "de").terms.values() for term in terms if term.kind == "purpose"]
    assert len({term.form for term in terms}) == len(terms) == 2


def test_a_case_about_a_thing_named_before_needs_the_title_of_its_section() -> None:
    text = "Wenn die Tore offen sind, zeigt der Pegel in der Datei alle Boote der Schleuse."
    facts = Reading([text], "de").facts(0, Counter())
    assert {fact.titled for fact in facts if fact.answer.kind == "condition"} == {True}


@pytest.mark.parametrize(
    ("text", "kind", "question"),
    [
        (
            "Um die Boote im Hafen zu schützen, müssen die Tore der Schleuse schließen.",
            "purpose",
            "Wozu müssen die Tore der Schleuse schließen?",
        ),
        (
            "Die Fahrt durch die Schleuse ist aber nur dann möglich, wenn alle Tore offen sind.",
            "condition",
            "Unter welcher Bedingung ist die Fahrt durch die Schleuse möglich?",
        ),
        (
            "Bei einer Sturmflut können die Boote im Hafen bleiben, wenn alle Tore geschlossen sind.",
            "condition",
            "Unter welcher Bedingung können bei einer Sturmflut die Boote im Hafen bleiben?",
        ),
    ],
)
def test_cases_and_aims(text: str, kind: str, question: str) -> None:
    assert question in _asked(text, kind)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Wenn die Tore offen sind, können trotzdem alle Boote im Hafen bleiben.", "condition"),  # and if not
        ("Wenn die Tore am Morgen offen sind, fahren Boote ab.", "condition"),  # says too little
        ("Die Boote sollten zwar im Hafen bleiben, wenn die Winde sich ändern.", "condition"),  # but
        ("Die Boote sollten im Hafen bleiben, wenn sich die genannten Winde ändern.", "condition"),  # named where?
        ("Der Pegel ist eine Tafel, um die Boote vor dem Wasser zu warnen.", "purpose"),  # what it is, not why
        ("Wenn Sie am Morgen fahren möchten, müssen die Tore der Schleuse offen sein.", "consequence"),  # of a wish
        ("Die Schleuse muss seit 2020 von allen Booten des Landes benutzt werden.", "year"),  # no date by itself
    ],
)
def test_cases_aims_and_years_that_are_not_asked_for(text: str, kind: str) -> None:
    assert not _asked(text, kind)


def test_words_in_capitals_before_titles_are_no_names() -> None:
    text = "TIPP Die Boote fahren auch bei Nacht. Am Ende hilft ein TIPP Der Hafen ist groß. Das THW hilft dem THW."
    terms = [term.text for terms in Reading([text], "de").terms.values() for term in terms]
    assert "TIPP" not in terms
    assert "THW" in terms
