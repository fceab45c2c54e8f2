"""Options that give nothing away: no echo of the question, one form, whole clauses; cases that stand alone."""

from __future__ import annotations

import pytest

from longreach.families.grounded.extractive.english.cases import case_facts, case_terms
from longreach.families.grounded.extractive.english.reader import EnglishReader
from longreach.families.grounded.extractive.english.words import content_words
from longreach.families.grounded.extractive.fields import Fields
from longreach.families.grounded.extractive.german.reader import GermanReader
from longreach.families.grounded.extractive.options import told_by_words
from longreach.families.grounded.extractive.reading import Reading
from longreach.families.grounded.extractive.sections import Sections, find_sections
from longreach.families.grounded.extractive.sentences import split_sentences
from longreach.families.grounded.extractive.terms import Sentence


def _sentence(text: str) -> Sentence:
    return Sentence(0, 0, text, text, content_words(text))


@pytest.mark.parametrize(
    ("question", "right", "shared"),
    [
        ("要在整份报告中搜索词语，应该怎么做？", "请打开「搜索」窗口", "请关闭搜索结果"),
        ("What happens if the pump loses pressure?", "the pressure valve closes", "the gauge shows the pressure"),
        ("Was geschieht, wenn der Druckserver ausfällt?", "übernimmt ein anderer Server", "startet der Server neu"),
        ("Was ist zu tun, um ein Tabellenblatt einzufügen?", "wählen Sie Einfügen", "klicken Sie auf Einfügen"),
        ("What does the option --cache-sim do?", "Simulate every level", "Write simulated costs to a file"),
        ("What happens if x is a vector of length M?", "the grid has M rows", "the grid has M columns"),
        ("What happens if f1 is a list of names?", "f2 must be a directory", "f3 is opened for reading"),
        ("What happens if the TEX mode is used?", "the file is processed by LATEX", "LATEX prints a warning"),
        ("What happens if issparse is logically true?", "a sparse matrix is returned", "the sparse storage is freed"),
        ("What happens if no function is named?", "every function is compiled", "the first function is called"),
    ],
)
def test_a_repeated_word_must_be_in_two_wrong_options(question: str, right: str, shared: str) -> None:
    others = ["x", "y", "z"]
    assert told_by_words(question, right, [shared, "w", *others])
    assert not told_by_words(question, right, [shared, f"{shared} 2", *others])


def test_the_first_part_of_a_compound_is_not_the_word() -> None:
    wrong = ["klicken Sie auf Seitenvorlagen", "wenden Sie den Seitenumbruch an", "x", "y", "z"]
    assert told_by_words("Was ist zu tun, um eine Seitennummer zu setzen?", "wählen Sie Seitennummer", wrong)


@pytest.mark.parametrize(
    ("question", "right"),
    [
        ("要显示公式栏，应该怎么做？", "请按 F2 键"),
        ("What should you do if you want to leave?", "close your window and wait for the lamp"),
        ("Was ist zu tun, wenn Sie die Lampe wechseln wollen?", "schalten Sie zuerst den Strom ab"),
    ],
)
def test_function_words_tell_nothing(question: str, right: str) -> None:
    assert not told_by_words(question, right, ["x"] * 5)


@pytest.mark.parametrize(
    "text",
    [
        "Return the number of open valves if the lamp is the only argument of the call.",
        "Control whether the list of lamps is updated when new lamps are added to the hall.",
        "If the lamp count is greater than zero, join the lamps with the given wire.",
        "If you have problems with the wiring of a lamp, a tutorial on repair can be found in the second part.",
        "The lamp factor measures the change of the mains voltage when small lamps are added to a circuit.",
        "If the lamp is used for any other purpose, the fuse will blow after a few minutes.",
        "If the same lamp is chosen, the fuse will blow after a few minutes.",
        "When the lamp has been mounted, you can paint the wall in any colour.",
    ],
)
def test_a_case_that_refers_outside_is_dropped(text: str) -> None:
    assert not list(case_facts(_sentence(text)))


@pytest.mark.parametrize(
    "text",
    [
        "If a valve leaks, hoses, the pump will be stopped at once by the guard.",
        "If a valve leaks, there's no reason to stop the pump at once.",
        "If a valve leaks, the number of hoses that will be replaced.",
    ],
)
def test_half_a_statement_is_no_option(text: str) -> None:
    assert not [term for term in case_terms(_sentence(text)) if term.kind == "consequence"]


def test_parts_of_statements_and_what_you_can_do_are_options() -> None:
    text = "The lamp is cleaned by the guard, and the fuse will blow after an hour."
    assert [term.text for term in case_terms(_sentence(text))] == [
        "the lamp is cleaned by the guard",
        "the fuse will blow after an hour",
    ]
    (term,) = case_terms(_sentence("Today you can paint the wall with a thin brush."))
    assert (term.kind, term.text) == ("instruction", "paint the wall with a thin brush")


@pytest.mark.parametrize(
    ("text", "titled"),
    [
        ("If b is a vector of lamps, the fuse will blow after a few minutes.", True),
        ("If a vector of lamps is given, the fuse will blow after a few minutes.", False),
    ],
)
def test_a_variable_needs_the_title_of_its_section(text: str, *, titled: bool) -> None:
    (fact,) = case_facts(_sentence(text))
    assert fact.titled is titled


def test_a_question_that_finds_another_sentence_is_not_specific() -> None:
    case = "If the lamp of the harbour gate is broken, the guard will ring a bell."
    other = "The guards know that the lamp of the harbour gate is broken."
    between = "The ferry sails past the old mill at noon. " * 8
    for text, specific in ((case, True), (f"{case} {between}{other}", False)):
        reading = Reading([text], "en")
        (fact,) = case_facts(reading.sentences[0])
        assert reading.specific(fact) is specific


def test_a_number_of_an_idiom_or_counted_out_is_not_asked() -> None:
    for text in (
        "After two or three days of rain the guard called at the lighthouse again.",
        "There are two kinds of lamps in the hall, red ones and green ones.",
    ):
        assert not [fact for fact in EnglishReader([_sentence(text)]).facts(_sentence(text)) if fact.answer.size]
    output = _sentence("The shelf of the lighthouse contains 528 lamps in 41 boxes of wood.")
    assert not [fact for fact in EnglishReader([output]).facts(output) if "____" in fact.stem]


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


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("Wenn der Kessel leer ist, füllen Sie kaltes Wasser nach.", {("instruction", "")}),
        ("Wenn der Kessel leer ist, sollten Sie kaltes Wasser nachfüllen.", {("instruction", "must")}),
        ("Wenn der Kessel leer ist, können Sie kaltes Wasser nachfüllen.", {("instruction", "may")}),
        ("Wenn der Kessel leer ist, seien Sie nicht zu besorgt.", set()),
        ("Um den Kessel zu leeren, stellen Sie zunächst den Wasserstand fest.", set()),
    ],
)
def test_german_instructions_of_one_question_begin_alike(text: str, forms: set[tuple[str, ...]]) -> None:
    sentence = Sentence(0, 0, text, text, GermanReader.content(text))
    terms = GermanReader([sentence]).terms(sentence)
    assert {term.form for term in terms if term.kind == "instruction"} == forms


def test_a_list_of_bugs_has_no_sentences() -> None:
    text = "Fixed:\n\n27527 The pump does not start in winter.\n27907 The valve leaks.\n\nAll is well now."
    assert [one.text for one in split_sentences([text], "en", content_words) if one.whole] == ["All is well now."]


def test_a_section_ends_at_the_next_line_that_may_be_a_title() -> None:
    prose = "The pump runs at night, and the valve is closed by hand in the morning before the guard comes."
    text = f"4.1. The pump house\n\n{prose}\n\n4.2. Valves\n\n--hose\n\n4.3. The guard at night\n\n{prose}"
    first, second = find_sections(text)
    assert "Valves" not in text[first.start : first.end]
    assert second.title == "4.3. The guard at night"


def test_fields_of_sections_that_are_built_alike() -> None:
    things = ["steam", "water", "sand", "gravel", "copper", "timber", "paper"]
    effects = ["stops", "drains", "fills", "lifts", "melts", "splits", "folds"]
    pairs = zip(things, effects, strict=True)
    texts = [
        f"3.{n}. The {thing} lever\n\nEffect:\n\nThe lever {effect} whatever is inside tank {n}.\n\nNotes:\n\nNone."
        for n, (thing, effect) in enumerate(pairs, 1)
    ]
    fields = Fields(texts, [0] * len(texts), "en")
    (fact,) = fields.facts(2)
    assert fact.stem == "Under “3.3. The sand lever”: What is given as “Effect”?"
    assert fact.answer.text == "The lever fills whatever is inside tank 3"
    assert {term.form for n in range(7) for term in fields.terms(n)} == {("field", "Effect")}
    assert not list(Fields(texts[:5], [0] * 5, "en").facts(2))


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            "If you don't like the colour, paint it with a thin brush.",
            "What should you do if you don't like the colour?",
            "paint it with a thin brush",
        ),
        (
            "If someone has lost your key, set up a second lock at the gate.",
            "What should you do if someone has lost your key?",
            "set up a second lock at the gate",
        ),
    ],
)
def test_short_forms_and_particles_are_read(text: str, question: str, answer: str) -> None:
    (fact,) = case_facts(_sentence(text))
    assert (fact.stem, fact.answer.text) == (question, answer)


def test_notes_on_changes_are_recognised() -> None:
    prose = "The pump runs at night, and the valve is closed by hand in the morning before the guard comes."
    sections = Sections([f"2. What's New in this Release\n\n{prose}", f"3. Running the pump\n\n{prose} Always."])
    assert sections.is_news(0, prose)
    assert not sections.is_news(1, f"{prose} Always.")
