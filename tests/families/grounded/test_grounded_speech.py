"""Lines of English dialogue: every usual way to name a speaker, and none that is guessed."""

from __future__ import annotations

import pytest

from longreach.families.grounded.extractive.english.speech import LEAST_TOLD, find_lines, find_speeches, told_words


@pytest.mark.parametrize(
    ("paragraph", "name", "parts"),
    [
        ("“The boat leaks,” said Nora.", "Nora", ("The boat leaks,",)),
        ('"The boat leaks," Mrs. Dunn put in.', "Mrs. Dunn", ("The boat leaks,",)),
        ("‘The boat’s leaking,’ said Nora.", "Nora", ("The boat’s leaking,",)),
        ("Nora turned round and said, “The boat leaks.”", "Nora", ("The boat leaks.",)),
        ("“It leaks.” Nora laughed. “Bail it out.”", "Nora", ("It leaks.", "Bail it out.")),
        ("“The old boat,” said Nora, “leaks at the stern.” She sighed. “Bail it out.”", "Nora", ("Bail it out.",)),
        ("“It leaks,” said Nora, “Ask Barney.”", "Nora", ("It leaks,", "Ask Barney.")),
    ],
)
def test_a_speaker_is_named_in_the_paragraph(paragraph: str, name: str, parts: tuple[str, ...]) -> None:
    (speech,) = find_speeches(f"The tide was low.\n\n{paragraph}\n\nNobody came.")
    assert (speech.name, speech.parts) == (name, parts)
    assert name in f"The tide was low.\n\n{paragraph}"[speech.start : speech.end]


@pytest.mark.parametrize(
    "paragraph",
    [
        "“The boat leaks.”",
        "Nora asked after the boat. “It leaks at the stern.”",
        "“The boat leaks.” Nora obeyed.",
        "“Does it leak?” Nora said not.",
        "The “leaking boat” Nora laughed about.",
        "“It leaks,” said he. “Bail it out,” said Nora.",
        "Nora named the boats. Tom made no reply; but when he left her cried, “It leaks at the stern.”",
        "When Nora had left Mrs. Dunn asked, “Does it leak?”",
        "“The boat leaks.” Nora said goodbye.",
        "“The boat leaks!” Nora said no more.",
        "“The boat leaks,” said the ferryman, and Nora laughed.",
        "“The boat leaks,” said Nora. “Bail it",
    ],
)
def test_a_speaker_is_not_guessed(paragraph: str) -> None:
    assert not list(find_speeches(paragraph))


def test_two_speakers_of_one_paragraph_say_what_stands_before_their_names() -> None:
    text = "“The boat leaks,” said Nora. “Bail it out,” said Barney. “It is,” said Tom, “no use.”"
    assert [(one.name, one.parts) for one in find_speeches(text)] == [
        ("Nora", ("The boat leaks,",)),
        ("Barney", ("Bail it out,",)),
    ]


def test_a_line_has_no_marks_of_emphasis_and_is_not_cut() -> None:
    text = (
        "“--The _old_ boat was never at the upper harbour. The new boat has always been seen at the lower--” said Nora."
    )
    assert [line.question for line in find_lines(text)] == ["Who says “The old boat was never at the upper harbour”?"]


@pytest.mark.parametrize(
    ("line", "asked"),
    [
        ("'When the old boat came to the harbour it leaked.", False),
        ("The song of 'the old boat' was sung at the harbour.", True),
        ("'Tis the old boat that came to the lower harbour.", True),
    ],
)
def test_a_line_has_whole_quotations(line: str, *, asked: bool) -> None:
    assert len(list(find_lines(f"“{line}” cried Nora.".replace(".”", "!”")))) == asked


def test_a_line_without_substance_tells_nothing() -> None:
    assert not told_words("I never know what to think, I suppose")
    assert len(told_words("I am afraid you cannot hear him, Mr. Dunn")) < LEAST_TOLD
    assert len(told_words("The growth of cotton mills warranted it")) == 4
