"""Claims on rows: what an interval shows, what it leaves open, and what a run lacks."""

from __future__ import annotations

import pytest
from tests.rows import make_row

from longreach.core.types import Row
from longreach.families.papers import Claim, Paper, Point, RunFigures, decide


def rows(model: str, shares: dict[int, float], contexts: int = 40) -> list[Row]:
    """One answer per context and length, of which a share is right."""
    return [
        make_row(
            float(at < share * contexts),
            model=model,
            item=f"{length}-{at}",
            question=f"{length}-{at}",
            cell={"length": length},
        )
        for length, share in shares.items()
        for at in range(contexts)
    ]


PAPER = Paper(package="longreach.families.grounded", points=lambda: (Point(model="a", axes={}, value=1.0),))
FALLS = Claim.parse(
    {
        "id": "falls",
        "statement": "longer is worse",
        "tests": [{"first": {"length": "longest"}, "minus": {"length": "shortest"}, "below": 0}],
        "needs": {"to": "32k", "n": 20},
    },
    "test",
)


@pytest.mark.parametrize(
    ("shares", "word"),
    [
        ({1000: 1.0, 64000: 0.2}, "agrees"),
        ({1000: 0.2, 64000: 1.0}, "contradicts"),
        ({1000: 0.6, 64000: 0.5}, "open"),
    ],
)
def test_a_claim_is_decided_by_an_interval(shares: dict[int, float], word: str) -> None:
    found = decide(FALLS, RunFigures(PAPER, rows("m", shares)))
    assert found.word == word, found.text
    assert not found.missing
    assert "95 % CI" in found.text


def test_what_a_run_lacks_is_named() -> None:
    short = decide(FALLS, RunFigures(PAPER, rows("m", {1000: 1.0, 4000: 0.0})))
    assert (short.word, short.missing) == ("open", True)
    assert short.text == "it needs lengths up to 32k; the longest here is 4k"
    few = decide(FALLS, RunFigures(PAPER, rows("m", {1000: 1.0, 64000: 0.0}, contexts=10)))
    assert few.text == "it needs 20 answers behind each number; there are 10"
    named = FALLS.model_copy(update={"tests": (FALLS.tests[0].model_copy(update={"models": ("gpt-4o",)}),)})
    assert "about gpt-4o" in decide(named, RunFigures(PAPER, rows("m", {1000: 1.0, 64000: 0.0}))).text


def test_one_model_against_it_contradicts_every_and_not_some() -> None:
    both = [*rows("falls", {1000: 1.0, 64000: 0.2}), *rows("rises", {1000: 0.2, 64000: 1.0})]
    assert decide(FALLS, RunFigures(PAPER, both)).word == "contradicts"
    some = FALLS.model_copy(update={"tests": (FALLS.tests[0].model_copy(update={"of": "some"}),)})
    assert decide(some, RunFigures(PAPER, both)).word == "agrees"
