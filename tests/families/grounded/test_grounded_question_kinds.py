"""Kinds of questions that code writes from lists, dialogue, sections and narratives."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.families.grounded.test_grounded_extractive import _asked

from longreach.families.grounded.extractive.dialogue import find_lines
from longreach.families.grounded.extractive.english.narrator import with_narrator
from longreach.families.grounded.extractive.english.speech import find_lines as english_lines
from longreach.families.grounded.extractive.english.words import content_words
from longreach.families.grounded.extractive.reading import Reading
from longreach.families.grounded.extractive.sections import find_sections
from longreach.families.grounded.extractive.sentences import split_sentences

SETTINGS = (
    ("--harbour", "Prints the tide table of the coming week.", "12"),
    ("--ballast", "Weighs every crate before it leaves the quay.", "40"),
    ("--lantern", "Opens the night gate for late arrivals.", "25"),
    ("--rigging", "Sends a copy of each invoice to the owner.", "30"),
    ("--compass", "Removes stale entries from the register.", "18"),
    ("--anchor", "Shows how many berths remain free.", "55"),
    ("--pilot", "Starts a second clerk at noon.", "77"),
)


def _manual() -> list[str]:
    return [f"{name}=N [default: {value}]\n\n{text} More follows.\n" for name, text, value in SETTINGS]


def test_an_entry_of_a_list_is_asked_by_its_name() -> None:
    found = {one.question: one for one in _asked(_manual())}
    assert found["What is the default value of the option --rigging?"].right == "30"
    which = found["Which option is described as follows: “Opens the night gate for late arrivals”?"]
    assert which.right == "--lantern"
    assert set(which.options) <= {name for name, _, _ in SETTINGS}


def test_an_entry_whose_name_is_in_its_description_is_not_asked_for() -> None:
    manual = _manual()
    manual[2] = manual[2].replace("night gate", "lanterngate")
    manual.append("-Pharness [default: no]\n\nSets the harness of all horses in the yard before noon.\n")
    manual.append("A.2.5\n\nThe basic harbour function creates a long wall between two old quays.\n")
    questions = [one.question for one in _asked(manual)]
    assert not [one for one in questions if "lanterngate" in one or "basic harbour" in one or "Pharness" in one]


def test_a_name_that_heads_two_entries_is_not_asked() -> None:
    found = {one.right for one in _asked([*_manual(), _manual()[0].replace("Prints", "Burns")])}
    assert "--harbour" not in found
    assert "--pilot" in found


def test_lines_of_dialogue_have_a_named_speaker() -> None:
    text = (
        "“I never saw the ferry leave before the bell,” said Mrs. Harrow.\n\n“We shall,” said Tom, “be late for supper "
        "again tonight.” “Where did you put the keys of the boathouse?” asked Mr. Dunn. “No,” he said."
    )
    lines = {line.name: line.question for line in english_lines(text)}
    assert lines == {
        "Mrs. Harrow": "Who says “I never saw the ferry leave before the bell”?",
        "Mr. Dunn": "Who asks “Where did you put the keys of the boathouse?”",
    }


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("“It was wickedness, by all\naccount, and no mistake at all. ’” said Mr. Dunn.", "mistake at all”?"),
        ("“It is a hard thing for us, as honest women, to hear,” said Mr. Dunn.", ""),
        ("“My wife has never seen the sea before this week,” said Mr. Dunn.", ""),
        ("“but nobody has ever seen the sea before this week,” said Mr. Dunn.", ""),
    ],
)
def test_a_line_has_no_stray_marks_and_does_not_tell_its_speaker(text: str, words: str) -> None:
    questions = [line.question for line in english_lines(text)]
    assert len(questions) == bool(words)
    assert all(question.endswith(words) for question in questions)


def test_a_chinese_line_has_its_speaker() -> None:
    (line,) = find_lines("周老爷笑着说：“明天一早我们就坐船到镇上去看戏。”", "zh")
    assert line.question == "“明天一早我们就坐船到镇上去看戏。”这句话是谁说的？"


def _sections() -> list[str]:
    things = (
        "valve_size",
        "crane_load",
        "rope_count",
        "mast_height",
        "deck_width",
        "keel_depth",
        "oar_length",
        "sail_area",
    )
    titles = ("Opening the lock", "Loading grain", "Weighing coal", "Hiring rowers", "Paying dues", "Mending nets")
    prose = "The crew reads the table on the wall before the work begins and signs the book."
    sections = []
    for number, title in enumerate((*titles, "Closing the lock", "Setting sail")):
        some = ("pump_rate", things[number]) if number in {0, 6} else (things[number],)
        sections.append(f"{title}\n\n{prose} " + " ".join(f"The log of day {number} lists {name}." for name in some))
    return sections


def test_two_sections_mention_one_thing() -> None:
    assert [section.title for section in find_sections("\n\n".join(_sections()))][:2] == [
        "Opening the lock",
        "Loading grain",
    ]
    found = [one for one in _asked(_sections()) if one.kind == "both"]
    assert (
        found[0].question == "Which of these is mentioned both under “Opening the lock” and under “Closing the lock”?"
    )
    assert found[0].right == "pump_rate"
    assert found[0].also


def _facts(text: str, language: str) -> dict[str, str]:
    reading = Reading([text], language)
    return {fact.stem: fact.answer.text for sentence in reading.sentences for fact in reading.reader.facts(sentence)}


@pytest.mark.parametrize(
    ("text", "question", "answer"),
    [
        (
            "Die Werft Nordhafen wurde 1874 von zwei Brüdern gegründet.",
            "In welchem Jahr wurde die Werft Nordhafen von zwei Brüdern gegründet?",
            "1874",
        ),
        (
            "Der Befehl tide_log zeigt die Gezeiten aller Häfen der Küste.",
            "Welcher Befehl zeigt die Gezeiten aller Häfen der Küste?",
            "tide_log",
        ),
        (
            "Sie können die Gezeiten aller Häfen mit dem Befehl tide_log anzeigen.",
            "Mit welchem Befehl können Sie die Gezeiten aller Häfen anzeigen?",
            "tide_log",
        ),
        (
            "Das tide-tools-Paket enthält Tabellen für alle Häfen der Küste.",
            "Welches Paket enthält Tabellen für alle Häfen der Küste?",
            "tide-tools",
        ),
    ],
)
def test_years_and_commands_in_german(text: str, question: str, answer: str) -> None:
    assert _facts(text, "de")[question] == answer


@pytest.mark.parametrize(
    "text",
    [
        "Wenn dies gesetzt ist, füllt die Pumpe den Keller mit Lauge.",
        "Mit dem Schlüssel öffnen Sie das untere Tor.",
        "Deshalb ist das Werkzeug ein Programm für die Anzeige.",
        "Wenn man das schafft, füllt die Pumpe den Keller mit Lauge.",
        "Wenn Sie damit malen, füllt die Pumpe den Keller mit Lauge.",
        "Wenn das obere Ventil offen bleibt, bedeutet das eine Gefahr für den Keller.",
        "Wenn das obere Ventil offen bleibt, versuchen Sie den Keller zu leeren.",
        "上面的代码运行以后，水泵会把盐水灌进地下室。",
        "如果它没有关好，水泵会把盐水灌进地下室。",
        "如果要从中取出铁锚，码头会派出两条小船。",
        "如果我们打开北边的水闸，水泵会把盐水灌进地下室。",
        "当水位超过码头的红线时，如果水闸没有关好就会进水。",
        "如果想减少水泵的磨损，也会换上更粗的铜管。",
        "如果北边的水闸没有关好，我们会看到码头的地下室进水。",
        "如果 x 大于水位的上限，水泵会把盐水灌进地下室。",
        "因为如果北边的水闸没有关好，码头的地下室常常进水。",
    ],
)
def test_sentences_that_refer_outside_are_not_asked_in_any_language(text: str) -> None:
    reading = Reading([text], "zh" if text[-1] == "。" else "de")
    assert not [fact for fact in reading.facts(0, Counter()) if fact.score >= 1]


def test_a_word_of_a_sentence_is_no_name_of_a_command() -> None:
    reading = Reading(["Das Paket enthält alle Tabellen. Der Befehl zeigt die Häfen der Küste."], "de")
    assert not [term for terms in reading.terms.values() for term in terms if term.kind == "code"]


def test_german_persons_act_and_speak() -> None:
    names = ("Albrecht", "Benno", "Clemens", "Dorothea", "Emil", "Friederike", "Gustav")
    deeds = (
        "trug die Fässer",
        "malte das Tor",
        "suchte den Anker",
        "kaufte die Seile",
        "holte das Salz",
        "zählte Boote",
        "putzte die Lampe",
    )
    texts = [
        f"{name} {deed} vor dem Sturm in den Schuppen am Hafen. „Ich habe den ganzen Tag auf die Fähre gewartet“, "
        f"sagte {name}. {name} lachte."
        for name, deed in zip(names, deeds, strict=True)
    ]
    found = {one.question: one.right for one in _asked(texts)}
    assert found["Wer malte das Tor vor dem Sturm in den Schuppen am Hafen?"] == "Benno"


def test_a_narrator_is_named_and_speech_is_not_narrated() -> None:
    told = "Captain Moss gave me the chart of the northern bay. I walked to the inn with the old pilot. "
    spoken = "“Wait. Mr. Ferris gave me the lamp of the northern bay. Go home.” I left. I slept. I woke."
    sentences = with_narrator(split_sentences([told + "\n\n" + spoken], "en", content_words))
    texts = [sentence.text for sentence in sentences if sentence.whole]
    assert "Captain Moss gave the narrator the chart of the northern bay." in texts
    assert "The narrator walked to the inn with the old pilot." in texts
    assert not [text for text in texts if "Ferris" in text and "narrator" in text]
