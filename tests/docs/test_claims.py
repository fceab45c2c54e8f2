"""The claims of the papers: each has a test, the paper's own tables decide most, and the page is made of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from docs.reference.claims import claims_page

from longreach.exchange.published import paper_of, published_claims
from longreach.families import FAMILIES

ROOT = Path(__file__).parents[2]
OUTCOMES = {
    "needles": {
        "longer-is-worse": "agrees",
        "prompt-helps": "contradicts",
        "central-clustering": "contradicts",
        "robust-everywhere": "contradicts",
        "literal-falls-faster": "contradicts",
        "nothing-made-up-when-clustered": "contradicts",
        "fragile-30-to-60": "agrees",
        "shorter-than-advertised": "agrees",
        "strong-models": "agrees",
        "red-zone": "open",
        "lost-in-the-middle": "open",
    },
    "grounded": {
        "every-model-falls": "agrees",
        "best-four": "contradicts",
        "glm-declines": "contradicts",
        "gemini-keeps": "agrees",
        "collapse-72b": "agrees",
        "weaker-fall-early": "agrees",
        "good-to-32k": "agrees",
        "released-questions": "contradicts",
    },
    "verbatim": {
        "sorting-falls": "agrees",
        "arranging-falls": "contradicts",
        "grouping-falls": "contradicts",
        "descending-harder": "agrees",
        "copying-is-easy": "open",
        "good-at-sentences": "agrees",
        "more-digits": "open",
    },
    "novel": {
        "falls-with-length": "agrees",
        "cot-short": "agrees",
        "training-helps": "contradicts",
        "mcc-follows": "contradicts",
        "summary-last": "agrees",
        "leans-to-wrong": "agrees",
        "leans-to-faithful": "agrees",
    },
}
"""What the papers' own tables say."""


@pytest.mark.parametrize("family", OUTCOMES)
def test_the_papers_own_tables_decide(family: str) -> None:
    words = {each.claim.id: each.word for each in published_claims(family)}
    assert {name: words[name] for name in OUTCOMES[family]} == OUTCOMES[family]


def test_every_claim_has_a_test_or_says_what_decides_it() -> None:
    claims = [claim for family in FAMILIES if (paper := paper_of(family)) for claim in paper.claims]
    assert len(claims) >= 50
    assert len({claim.id for claim in claims}) == len(claims)
    assert all(claim.tests or claim.elsewhere for claim in claims)
    assert all(len(claim.statement.split()) <= 25 for claim in claims)


def test_the_page_is_made_of_the_claims() -> None:
    page = (ROOT / "docs" / "claims.md").read_text(encoding="utf-8")
    assert page == claims_page(), "run: python -m docs.reference.write"
