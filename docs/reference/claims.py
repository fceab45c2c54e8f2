"""Writes docs/claims.md from the claims of the papers: `python -m docs.reference.write` does it too."""

from __future__ import annotations

from longreach.exchange.published import paper_of, published_claims
from longreach.families import FAMILIES

HEAD = """# Claims of the papers, tested

<!-- Written by `python -m docs.reference.write` from src/longreach/families/*/paper.yaml; edit those. -->

Each claim has a test. `longreach paper FAMILY -m MODEL -o OUT` repeats the experiment and says of each claim whether
your models show it; so does `longreach report RUNS --published`. `longreach published FAMILY` gives the paper's own
tables to the same tests: that is the outcome below. Open: the paper prints no numbers for it.
"""


def claims_page() -> str:
    """The whole page."""
    parts = [HEAD]
    for family in FAMILIES:
        paper = paper_of(family)
        if paper is None:
            continue
        parts.append(f"\n## {paper.title}\n\n| claim | the paper's own tables |\n| --- | --- |\n")
        for each in published_claims(family):
            known = each.claim.elsewhere
            beside = f". {known[:1].upper()}{known[1:]}" if known and known != each.text else ""
            parts.append(f"| {each.claim.statement} | {each.word}: {each.text}{beside} |\n")
        parts.append("\n| the preset `paper` | the paper |\n| --- | --- |\n")
        parts += [f"| {line.about}: {line.preset} | {line.paper} |\n" for line in paper.conformance]
    return "".join(parts)
