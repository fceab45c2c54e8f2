"""Questions for the place of a statement, and the headings that they rest on."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.families.grounded.test_grounded_extractive import _asked

from longreach.families.grounded.extractive.outline import Outline
from longreach.families.grounded.extractive.sections import Sections
from longreach.families.grounded.extractive.sentences import split_sentences

TITLES = (
    "Mending nets",
    "Hiring rowers",
    "Weighing coal",
    "Paying the dues",
    "Loading grain",
    "Opening locks",
    "Towing barges",
    "Lighting lamps",
)
STATEMENTS = (
    "Tarred hemp lasts two winters longer than plain cotton twine.",
    "Strong men from Lunde are paid twice as much as boys.",
    "Wet sacks must dry under canvas before the clerk arrives.",
    "Foreign captains settle their bills with the harbour treasurer.",
    "Barley dust can explode where lanterns burn beneath the hatches.",
    "Heavy sluices are raised by four oxen and an iron winch.",
    "Slack ropes have drowned several horses along the muddy bank.",
    "Whale oil gives a brighter flame than rendered mutton fat.",
)


def _manual(mark: str) -> list[str]:
    return [
        f"{mark.format(number)} {title}\n\n{statement}"
        for number, (title, statement) in enumerate(zip(TITLES, STATEMENTS, strict=True), 1)
    ]


def test_a_statement_is_asked_for_the_number_of_its_section() -> None:
    found = {one.question: one for one in _asked(_manual("4.{}"))}
    one = found["In which section is it stated that “Whale oil gives a brighter flame than rendered mutton fat”?"]
    assert one.right == "4.8"
    assert set(one.options) <= {f"4.{number}" for number in range(1, 9)}
    assert "4.7" in one.options


def test_the_right_section_takes_every_rank() -> None:
    """A guesser that picks the middle number gains nothing."""
    ranks = Counter(
        sorted(one.options).index(one.right)
        for seed in range(12)
        for one in _asked(_manual("4.{}"), seed)
        if one.question.startswith("In which section")
    )
    assert set(ranks) == set(range(6))
    assert max(ranks.values()) < 0.35 * ranks.total()


def test_a_statement_is_asked_for_the_heading_after_it() -> None:
    found = {one.question: one for one in _asked(["# The harbour book", *_manual("##")])}
    stem = "Which is the next heading after the sentence “Wet sacks must dry under canvas before the clerk arrives”?"
    assert found[stem].right == "Paying the dues"
    assert set(found[stem].options) <= set(TITLES)
    assert found[stem].also == ((4, "## Paying the dues"),)


def test_headings_in_the_order_of_the_alphabet_tell_the_next_one() -> None:
    lines = [f"## {letter}{title[1:].lower()}" for letter, title in zip("ABCDEFGH", TITLES, strict=True)]
    pairs = zip(lines, STATEMENTS, strict=True)
    assert not _asked(["# The harbour book", *(f"{line}\n\n{statement}" for line, statement in pairs)])


@pytest.mark.parametrize("between", ["4.9 towing", "the book, 4.9 Towing"])
def test_a_section_ends_at_what_may_be_a_heading(between: str) -> None:
    text = "\n\n".join([*_manual("4.{}"), between, "Nobody knows who paid for the second bell."])
    outline = Outline(Sections([text]))
    last = split_sentences([text], "en", lambda _: frozenset())[-1]
    assert len(outline.headings) == len(TITLES)
    assert outline.above(last) is None


def test_headings_of_another_file_are_no_siblings() -> None:
    texts = ["# One", *_manual("##")[:4], *_manual("##")[4:]]
    apart = Outline(Sections(texts), [(5, 0)])
    assert [apart.headings[one].bare for one in apart.siblings(1)] == list(TITLES[1:4])
    assert len(Outline(Sections(texts)).siblings(1)) == len(TITLES) - 1


def test_comments_in_code_are_no_headings() -> None:
    code = "```\n# set up\n\n## do not touch\n```"
    assert [one.bare for one in Outline(Sections([*_manual("##"), code])).headings] == list(TITLES)


def test_a_line_below_a_title_marks_it() -> None:
    texts = [
        "The harbour\n===",
        *(f"{title}\n---\n{statement}" for title, statement in zip(TITLES, STATEMENTS, strict=True)),
    ]
    assert [(one.level, one.bare) for one in Outline(Sections(texts)).headings] == [
        (1, "The harbour"),
        *((2, one) for one in TITLES),
    ]
    assert [one.bare for one in Outline(Sections([*_manual("##  "), "a | b\n---"])).headings] == list(TITLES)
