"""How often a ranking of three models, 4 points apart, comes out in their true order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from tests.reporting.findings import findings
from tests.rows import make_row
from tests.validity.worlds import expected, share

from longreach.core.figure import Axis, FamilyView
from longreach.core.types import Row
from longreach.reporting.ranking import Finding, ranking

TYPES = ("literal", "inference", "abstention")
TRUE = {"a": 0.92, "b": 0.88, "c": 0.84}
LENGTHS, CONTEXTS, QUESTIONS = (1000, 2000, 4000, 8000), 10, 5
VIEW = FamilyView(
    name="needles",
    title="",
    about="",
    axes=(
        Axis(name="length", title="Length", unit="tokens", scale="log"),
        Axis(name="question_type", title="Question type", values=TYPES),
    ),
    charts=(),
)


GRID = np.linspace(-2, 8, 400)
SHARES = np.array([expected(float(x), 1.0, 0.7) for x in GRID])


def odds(accuracy: float) -> float:
    """The middle log odds at which this share of all answers is right."""
    return float(np.interp(accuracy, SHARES, GRID))


def run(rng: np.random.Generator) -> list[Row]:
    """All models on the same questions and contexts, of unequal difficulty."""
    rows = []
    for kind in TYPES:
        hard = rng.normal(0, 1, QUESTIONS * 5)
        for length in LENGTHS:
            for place in range(CONTEXTS):
                read = rng.normal(0, 0.7)
                for slot in range(QUESTIONS):
                    question = (place % 5) * QUESTIONS + slot
                    for model, accuracy in TRUE.items():
                        right = rng.random() < share(odds(accuracy) + hard[question] + read)
                        rows.append(
                            make_row(
                                float(right),
                                model=model,
                                item=f"{length}-{place}",
                                question=f"{kind}-{question}",
                                question_type=kind,
                                context=f"{length}-{place}",
                                cell={"length": length},
                            )
                        )
    return rows


def by_first_type(found: Sequence[Finding]) -> list[str]:
    """As before: the observed effective length of the first question type, then accuracy at the longest length."""

    def order(each: Finding) -> tuple[float, float]:
        first = each.headlines[0]
        assert first.effective is not None
        assert first.longest is not None
        assert first.longest.delivered is not None
        return -first.effective.observed, -first.longest.delivered.value

    return [each.model for each in sorted(found, key=order)]


def measured(runs: int) -> dict[str, float]:
    ways: dict[str, Callable[[list[Finding], list[Row]], list[str]]] = {
        "first type, observed length": lambda found, _: by_first_type(found),
        "mean accuracy": lambda found, _: [
            each.model for each in sorted(found, key=lambda one: -(one.accuracy.value if one.accuracy else 0.0))
        ],
        "the ranking": _ranking,
    }
    rng = np.random.default_rng(1)
    hits = dict.fromkeys(ways, 0)
    for _ in range(runs):
        rows = run(rng)
        found = [each for model in TRUE for each in findings(rows, VIEW, model)]
        for name, way in ways.items():
            hits[name] += way(found, rows) == list(TRUE)
    return {name: hit / runs for name, hit in hits.items()}


def _ranking(found: list[Finding], rows: list[Row]) -> list[str]:
    made = ranking(found, {}, {}, rows)
    assert made is not None
    return [line.model for line in made.lines]


@pytest.mark.long
def test_the_ranking_comes_out_in_the_true_order_as_often_as_by_mean_accuracy() -> None:
    found = measured(200)
    print(found)
    assert found["the ranking"] >= 0.8
    assert found["the ranking"] >= found["first type, observed length"]


def test_a_ranking_in_a_quick_series() -> None:
    assert measured(6)["the ranking"] >= 0.5
