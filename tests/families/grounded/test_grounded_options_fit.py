"""What is no option and no source of a question: idioms, things with names like persons, lists of bugs, news."""

from __future__ import annotations

from longreach.families.grounded.extractive.english.reader import EnglishReader
from longreach.families.grounded.extractive.english.words import content_words
from longreach.families.grounded.extractive.sections import Sections, find_sections
from longreach.families.grounded.extractive.sentences import split_sentences
from longreach.families.grounded.extractive.terms import Sentence


def _sentence(text: str) -> Sentence:
    return Sentence(0, 0, text, text, content_words(text))


def test_a_number_of_an_idiom_or_counted_out_is_not_asked() -> None:
    for text in (
        "After two or three days of rain the guard called at the lighthouse again.",
        "There are two kinds of lamps in the hall, red ones and green ones.",
    ):
        assert not [fact for fact in EnglishReader([_sentence(text)]).facts(_sentence(text)) if fact.answer.size]


def test_a_name_with_an_article_is_no_person() -> None:
    texts = [
        "He said that Henry walked home with his dog.",
        "Then Henry said that he was tired.",
        "Long before noon the Comet said that he was wrong.",
        "Next morning Comet said nothing of him, but he read the Comet again.",
    ]
    reader = EnglishReader([Sentence(0, n, text, text, content_words(text)) for n, text in enumerate(texts)])
    kinds = {term.text: term.form[1] for n, text in enumerate(texts) for term in reader.terms(_numbered(n, text))}
    assert kinds["Henry"] == "person"
    assert kinds["Comet"] == "thing"


def _numbered(number: int, text: str) -> Sentence:
    return Sentence(0, number, text, text, content_words(text))


def test_a_list_of_bugs_has_no_sentences() -> None:
    text = "Fixed:\n\n27527 The pump does not start in winter.\n27907 The valve leaks.\n\nAll is well now."
    assert [one.text for one in split_sentences([text], "en", content_words) if one.whole] == ["All is well now."]


def test_a_section_ends_at_the_next_line_that_may_be_a_title() -> None:
    prose = "The pump runs at night, and the valve is closed by hand in the morning before the guard comes."
    text = f"4.1. The pump house\n\n{prose}\n\n4.2. Valves\n\n--hose\n\n4.3. The guard at night\n\n{prose}"
    first, second = find_sections(text)
    assert "Valves" not in text[first.start : first.end]
    assert second.title == "4.3. The guard at night"


def test_notes_on_changes_are_recognised() -> None:
    prose = "The pump runs at night, and the valve is closed by hand in the morning before the guard comes."
    sections = Sections([f"2. What's New in this Release\n\n{prose}", f"3. Running the pump\n\n{prose} Always."])
    assert sections.is_news(0, prose)
    assert not sections.is_news(1, f"{prose} Always.")
