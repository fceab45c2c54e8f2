"""What is said with a verdict."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.core.statements import Decision, LengthDecision, Rate, TypeRate
from longreach.results.decisions import decision_statements
from longreach.stats.drift import drift_of
from longreach.stats.evidence import ContextScore

RATE = Rate(value=0.5, low=0.4, high=0.6, of=90)
WEAK = TypeRate(type="inference", right=0.6, bar=0.85, of=30)
FINE = TypeRate(type="literal", right=0.97, bar=0.85, of=30)


def decision(holds: int | None = None, fails: int | None = None, **more: object) -> Decision:
    def word(length: int) -> str:
        return "holds" if length <= (holds or 0) else "fails" if fails and length >= fails else "open"

    lengths = [
        LengthDecision.model_validate(
            {"length": each, "verdict": word(each), "right": RATE, "contexts": 3}
            | ({"missing": 4, "missing_tokens": 300_000, "in_stock": 2} if word(each) == "open" else {})
        )
        for each in (4000, 8000, 16_000)
    ]
    about = {"model": "m", "verdict": lengths[-1].verdict, "holds_to": holds, "fails_at": fails, "right": RATE}
    return Decision.model_validate(about | {"by_length": lengths} | more)


@pytest.mark.parametrize(
    ("decided", "wanted"),
    [
        (decision(16_000, types=(WEAK, FINE)), ["holds to 16k", "under the bar in inference (60 of 100)"]),
        (decision(4000, 16_000), ["about 4 more contexts (300k tokens) would decide it; the benchmark has 2 left"]),
        (decision(None, 4000, types=(WEAK, FINE)), ["the test is too hard for it", "bar in literal (97 of 100)"]),
        (decision(None, 4000, types=(WEAK,)), ["in no question type; best is inference (60 of 100)"]),
        (decision(None, 4000, types=(WEAK,), unanswered=0.9), ["90 of 100 answers there are empty"]),
        (
            decision(None, 4000, drift=Rate(value=-0.2, low=-0.3, high=-0.1, of=99)),
            ["worse during the run: by 20"],
        ),
    ],
)
def test_what_stands_beside_a_verdict(decided: Decision, wanted: list[str]) -> None:
    said = [statement.text for statement in decision_statements(decided)]
    for each in wanted:
        assert any(each in text for text in said), said
    assert all(len(text.split()) <= 30 for text in said)


def test_a_model_that_fails_with_the_passage_alone_is_told_so_first() -> None:
    first = decision_statements(decision(None, 4000, passage=RATE))[0].text
    assert first.startswith("m fails with the passage alone (50 of 100 right")
    assert first.endswith("Length is not measured.")


def test_a_drift_is_seen_and_a_steady_run_has_none() -> None:
    generator = np.random.default_rng(2)

    def lengths(first: float, second: float) -> list[list[ContextScore]]:
        means = [first] * 5 + [second] * 5
        return [[ContextScore(k, k, 30) for k in generator.binomial(30, means)] for _ in range(4)]

    steady = [drift_of(lengths(0.9, 0.9)) for _ in range(200)]
    assert sum(found is not None for found in steady) <= 4
    worse = [drift_of(lengths(0.95, 0.75)) for _ in range(20)]
    assert all(found is not None and found.value < -0.1 for found in worse)
    assert drift_of([[ContextScore(1, 1, 1)] * 3]) is None
