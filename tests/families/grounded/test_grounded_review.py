"""A reviewed benchmark is still a grounded one: its report says what the review did, and it imports from TAIL too."""

from __future__ import annotations

from pathlib import Path

from tests.rows import row_of

from longreach.core.bench import Bench, write_bench
from longreach.core.figure import Bars
from longreach.core.types import Verdict
from longreach.families import get_family
from longreach.families.building import check_bench
from longreach.families.grounded.family import CRITERIA, FAMILY
from longreach.families.parts import Reportable, part_of
from longreach.families.reviewing import Reviewable, ReviewDecision, tally


def test_the_report_says_what_the_review_did(extractive: Bench, tmp_path: Path) -> None:
    cards = FAMILY.review_cards(extractive)
    decisions = {cards[0].id: ReviewDecision(id=cards[0].id, verdict="reject")}
    assert tally(len(cards), decisions) == {"accepted": 0, "edited": 0, "rejected": 1, "undecided": 2}
    bench = write_bench(tmp_path / "b", FAMILY.reviewed(extractive, decisions), extractive.corpus)
    assert check_bench(tmp_path / "b") == []
    item = next(iter(bench.items.values()))
    row = row_of(bench, item, item.questions[0], Verdict(status="scored", value=1))
    figures = part_of(get_family("grounded"), Reportable).figures([row], {bench.info.digest: bench}, published=False)
    funnel = next(figure for figure in figures if isinstance(figure, Bars) and figure.id == "funnel")
    assert "3 questions wanted, 2 in the benchmark after review (1 rejected, 0 edited)" in funnel.note


def test_the_family_can_be_reviewed(extractive: Bench) -> None:
    family = get_family("grounded")
    assert isinstance(family, Reviewable)
    assert family.review_criteria == CRITERIA
    assert len(CRITERIA) == 5
    cards = family.review_cards(extractive)
    assert [card.right for card in cards] == [extractive.questions[card.id].key.answer for card in cards]
    long = ReviewDecision(id=cards[0].id, verdict="edit", fields={"question": "x" * 701})
    assert FAMILY.review_fault(cards[0], long) == "the question has 701 characters, at most 700 are allowed"
    assert not isinstance(get_family("verbatim"), Reviewable)


def test_an_edit_of_one_field_leaves_the_others_alone(extractive: Bench) -> None:
    card = FAMILY.review_cards(extractive)[1]
    decision = ReviewDecision(
        id=card.id, verdict="edit", right=next(f.name for f in card.fields[1:] if f.name != card.right)
    )
    assert FAMILY.review_fault(card, decision) == ""
    draft = FAMILY.reviewed(extractive, {card.id: decision})
    new = {question.id: question for question in draft.questions}[card.id]
    old = extractive.questions[card.id]
    assert new.text == old.text
    assert new.key.answer == decision.right != old.key.answer
    assert {*new.key.accept, *new.key.rivals} == {*old.key.accept, *old.key.rivals}
    assert draft.items == tuple(extractive.items.values()), "the prompt is the same, only the key is not"
