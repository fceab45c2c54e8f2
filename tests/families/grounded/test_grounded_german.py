"""German questions of the builder without a model: years, and what is no name."""

from __future__ import annotations

from longreach.families.grounded.extractive.reading import Reading


def _asked(text: str, kind: str) -> dict[str, str]:
    reading = Reading([text], "de")
    facts = [fact for sentence in reading.sentences for fact in reading.reader.facts(sentence)]
    return {fact.stem: fact.answer.text for fact in facts if fact.answer.kind == kind}


def test_words_in_capitals_before_titles_are_no_names() -> None:
    text = "TIPP Die Boote fahren auch bei Nacht. Am Ende hilft ein TIPP Der Hafen ist groß. Das THW hilft dem THW."
    terms = [term.text for terms in Reading([text], "de").terms.values() for term in terms]
    assert "TIPP" not in terms
    assert "THW" in terms


def test_sentences_that_have_lost_their_umlauts_are_skipped() -> None:
    good = "Die Schleuse am Hafen wurde 1921 für alle Boote der Küste gebaut."
    assert _asked(f"{good} Viele Boote fahren für Geld.", "year")
    lost = "Die Schleuse am Hafen wurde 1921 fr alle Boote der Küste gebaut."
    assert not _asked(f"{lost} Viele Boote fahren für Geld.", "year")


def test_a_year_that_is_no_date_by_itself_is_not_asked_for() -> None:
    assert not _asked("Die Schleuse muss seit 2020 von allen Booten des Landes benutzt werden.", "year")
