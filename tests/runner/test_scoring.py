"""Items and verdicts as Inspect sees them."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import Any, cast

import pytest
from inspect_ai.scorer import SampleScore
from tests.present import some
from tests.rows import row_of

from longreach.core.bench import Bench
from longreach.core.types import Row, Verdict
from longreach.runner.scoring import rates_by, sample_of, score_of
from longreach.stats.counting import answered, columns_of
from longreach.stats.intervals import mean_estimate


def test_a_sample_has_a_reference_its_key_and_flat_metadata(bench: Bench) -> None:
    item = next(iter(bench.items.values()))
    sample = sample_of(bench, item)
    assert sample.input == f"longreach-prompt:sha256:{item.sha256}"
    assert isinstance(sample.target, str)
    assert len(sample.target.splitlines()) == len(item.questions)
    assert some(sample.metadata)["length"] == item.cell["length"]
    assert all(isinstance(value, str | int | float) for value in some(sample.metadata).values())


def test_a_score_is_the_share_of_answered_questions(bench: Bench) -> None:
    item = next(iter(bench.items.values()))
    questions = [bench.questions[name] for name in item.questions]
    verdicts = [Verdict(status="scored", value=float(n % 2), answer="x", reason="r") for n in range(len(questions))]
    verdicts[0] = Verdict(status="refused", reason="declined")
    score = score_of(questions, verdicts)
    answered = [verdict.value for verdict in verdicts[1:] if verdict.value is not None]
    assert score.value == sum(answered) / len(answered)
    assert score.metadata is not None
    assert score.metadata["asked"] == len(questions)
    assert score.metadata["answered"] == len(questions) - 1
    assert score.metadata["status"] == "mixed"


def test_no_answer_is_no_number_and_has_its_reason(bench: Bench) -> None:
    item = next(iter(bench.items.values()))
    questions = [bench.questions[name] for name in item.questions]
    score = score_of(questions, [Verdict(status="error", reason="HTTP 503")] * len(questions))
    assert isinstance(score.value, float)
    assert math.isnan(score.value)
    assert "HTTP 503" in (score.explanation or "")


def graded(bench: Bench, rng: Random, right: float) -> list[list[Verdict]]:
    """Random verdicts for every item, some of them refusals."""

    def verdict() -> Verdict:
        if rng.random() < 0.2:
            return Verdict(status="refused", reason="declined")
        return Verdict(status="scored", value=float(rng.random() < right), answer="x", reason="r")

    return [[verdict() for _ in item.questions] for item in bench.items.values()]


@pytest.mark.parametrize("right", [0.0, 0.05, 0.5, 0.95, 1.0])
def test_rates_and_intervals_are_those_of_the_page(bench: Bench, right: float) -> None:
    verdicts = graded(bench, Random(str(right)), right)
    scores, rows = [], []
    for item, given in zip(bench.items.values(), verdicts, strict=True):
        score = score_of([bench.questions[name] for name in item.questions], given)
        scores.append(SampleScore(score=score, sample_id=item.id, sample_metadata=sample_of(bench, item).metadata))
        for name, verdict in zip(item.questions, given, strict=True):
            rows.append(row_of(bench, item, name, verdict, context=item.context.sha256))
    found: dict[str, float] = {}
    for key in ("", "length", "question_type"):
        found |= cast("Any", rates_by(key))(scores)
    groups: dict[str, list[Row]] = {"": rows}
    for row in rows:
        groups.setdefault(f"length {row.cell['length']} ", []).append(row)
        groups.setdefault(f"question_type {row.question_type} ", []).append(row)
    assert len(found) == 3 * len(groups)
    for name, own in groups.items():
        # A log knows only its answers: how alike they are comes from those, on the page from all that was asked.
        page = mean_estimate(replace(columns_of(tuple(own)).sample(score=answered), run=None))
        shown = [found[name.strip() or "mean"], found[f"{name}lower"], found[f"{name}upper"]]
        assert shown == pytest.approx([page.value, page.low, page.high], abs=1e-12)
        assert 0 <= shown[1] <= shown[0] <= shown[2] <= 1


def test_a_mean_of_several_epochs_is_taken_as_it_is(bench: Bench) -> None:
    item = next(iter(bench.items.values()))
    questions = [bench.questions[name] for name in item.questions]
    score = score_of(questions, [Verdict(status="scored", value=1.0)] * len(questions))
    mean = score.model_copy(update={"value": 0.25})
    one = SampleScore(score=mean, sample_id=item.id, sample_metadata=sample_of(bench, item).metadata)
    assert cast("Any", rates_by())([one])["mean"] == 0.25
