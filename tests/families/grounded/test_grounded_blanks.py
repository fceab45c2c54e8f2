"""Questions that quote a statement and leave out a figure, or a thing of a listed kind."""

from __future__ import annotations

from collections import Counter

import pytest
from tests.families.grounded.test_grounded_extractive import _asked

from longreach.families.grounded.extractive.blanks import blank_facts, blank_terms
from longreach.families.grounded.extractive.quotable import is_quotable
from longreach.families.grounded.extractive.reading import READERS
from longreach.families.grounded.extractive.terms import Sentence


def _sentence(text: str, language: str = "en") -> Sentence:
    return Sentence(0, 0, text, text, READERS[language].content(text))


def _questions(text: str, language: str = "en") -> dict[str, str]:
    content = READERS[language].content
    return {fact.stem: fact.answer.text for fact in blank_facts(_sentence(text, language), language, content)}


@pytest.mark.parametrize(
    ("text", "language", "question", "answer"),
    [
        (
            "The ferry needs 45 minutes for the crossing.",
            "en",
            "“The ferry needs … minutes for the crossing”: how many minutes?",
            "45",
        ),
        (
            "The mast is about 12 meters (39 feet) long.",
            "en",
            "“The mast is about … meters long”: how many meters?",
            "12",
        ),
        ("The lock was closed in 1931.", "en", "“The lock was closed in …”: in which year?", "1931"),
        ("Tolls make up 35% of the income.", "en", "“Tolls make up …% of the income”: what percentage?", "35"),
        (
            "The new crane cost $4.5 million.",
            "en",
            "“The new crane cost $… million”: how much money?",
            "4.5",
        ),
        ("The crew has seven rowers.", "en", "“The crew has … rowers”: how many rowers?", "seven"),
        ("Timber arrives each October by sea.", "en", "“Timber arrives each … by sea”: which month?", "October"),
        ("Most letters leave by SMTP at night.", "en", "“Most letters leave by … at night”: which protocol?", "SMTP"),
        ("Der Plan hat 45MB.", "de", "„Der Plan hat …MB“: wie viele MB?", "45"),
        ("Die Fahrt dauert 45 Minuten.", "de", "„Die Fahrt dauert … Minuten“: wie viele Minuten?", "45"),
        ("Der Kahn fährt im Juli nach Norden.", "de", "„Der Kahn fährt im … nach Norden“: welcher Monat?", "Juli"),
        ("渡船过河需要 45 分钟。", "zh", "“渡船过河需要 … 分钟”：是多少分钟？", "45"),
        ("码头的服务器使用Debian的内核。", "zh", "“码头的服务器使用…的内核”：是哪个操作系统？", "Debian"),
    ],
)  # fmt: skip
def test_what_is_left_out_is_asked_for(text: str, language: str, question: str, answer: str) -> None:
    assert _questions(text, language) == {question: answer}


@pytest.mark.parametrize(
    "text",
    [
        "The ferry needs 30 to 45 minutes for the crossing.",  # a range
        "The ferry needs between 30 and 45 minutes for the crossing.",
        "The harbour is open 24 hours on every day.",  # what everybody knows
        "Version 12 rows of tables are in chapter 12 examples.",  # a number of something
        "The ferry needs 45 minutes there and 45 minutes back.",  # stated twice
        "The first lock was closed in 1931.",  # the earliest of any year
        "The harbour has 2 cranes.",  # few
        "The boats arrive in June and October.",  # two of a kind
        "The harbour buys from Norway Timber every year.",  # a part of a name
        "The guards ask for the Norway-pass of each sailor.",
        "October brings timber from the north.",  # nothing before it
    ],
)
def test_what_is_not_asked_for(text: str) -> None:
    assert not _questions(text)


def test_what_is_not_asked_for_is_an_option() -> None:
    terms = list(blank_terms(_sentence("The boats arrive in June and October, and 30 minutes are enough."), "en"))
    assert [term.text for term in terms] == ["30", "June", "October"]


@pytest.mark.parametrize(
    ("text", "language", "fits"),
    [
        ("The ferry from Lunde needs 45 minutes for the crossing in winter.", "en", True),
        ("It needs about 45 minutes for the crossing of the bay in winter.", "en", False),
        ("The ferry is moored near the old bridge, see the map of the harbour.", "en", False),
        ("The ferry is 45 meters long and needs a deep berth in the harbour.", "en", False),  # which ferry
        ("Die Fähre von Lunde braucht im Winter 45 Minuten für die Fahrt.", "de", True),
        ("Die Fähre braucht dabei im Winter 45 Minuten für die ganze Fahrt.", "de", False),
        ("伦德的渡船在冬天过河需要 45 分钟。", "zh", True),
        ("它在冬天过河需要 45 分钟，比夏天多很多。", "zh", False),
    ],
)
def test_a_statement_is_quoted_where_it_is_understood(text: str, language: str, *, fits: bool) -> None:
    assert is_quotable(_sentence(text, language), language, telling=False) is fits


def test_options_are_figures_of_one_spelling_and_the_right_one_takes_every_rank() -> None:
    towns = ("Oster", "Belmar", "Kingsholt", "Varn", "Lunde", "Tarrow", "Mirefield", "Quill", "Harrow", "Stane")
    deeds = (
        "The steam ferry of {0} crosses the frozen estuary in {1} minutes.",
        "Bakers from {0} knead rye dough for {1} minutes before dawn.",
        "Anglers near {0} soak dried bait during {1} minutes of rain.",
        "Sentries at {0} relieve each other after {1} minutes on the wall.",
        "Pupils in {0} recite psalms for {1} minutes without a book.",
        "Smiths around {0} quench heavy anchors for {1} minutes in brine.",
        "Surgeons at {0} boil their knives during {1} minutes over charcoal.",
        "Brewers behind {0} stir the copper mash for {1} minutes with paddles.",
        "Carters from {0} water tired oxen within {1} minutes of arrival.",
        "Weavers in {0} steam coarse flannel for {1} minutes under pressure.",
    )
    texts = [deed.format(town, minutes) for deed, town, minutes in zip(deeds, towns, range(20, 70, 5), strict=True)]
    ranks: Counter[int] = Counter()
    for seed in range(6):
        for one in _asked([*texts, "The fog bell of the quay rings after 33 minutes of silence at night."], seed):
            assert "33" not in one.options[1:]
            ranks[sorted(one.options).index(one.right)] += one.right != "33"
    assert set(ranks) == set(range(6))
    assert max(ranks.values()) < 0.35 * ranks.total()


def test_a_part_of_a_usual_phrase_is_not_asked_for() -> None:
    months = ("January", "February", "June", "August", "November", "December")
    others = [f"The keeper of the northern gate painted his cart late in {month}." for month in months]
    asked = "The pilots of Oster pay an October tax with smoked eels and honey."
    assert any("which month" in one.question for one in _asked([asked, *others]) if one.right == "October")
    again = "Nobody else in the harbour owes any October tax."
    assert not any(one.right == "October" for one in _asked([asked, again, *others]))
