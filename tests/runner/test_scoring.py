"""Items and verdicts as Inspect sees them."""

from __future__ import annotations

import math

from inspect_ai.scorer import SampleScore

from longreach.core.bench import Bench
from longreach.core.verdict import Verdict
from longreach.runner.scoring import rates_by, sample_of, score_of


def test_a_sample_has_a_reference_its_key_and_flat_metadata(bench: Bench) -> None:
    item = next(iter(bench.items.values()))
    sample = sample_of(bench, item)
    assert sample.input == f"longreach-prompt:sha256:{item.sha256}"
    assert isinstance(sample.target, str)
    assert len(sample.target.splitlines()) == len(item.questions)
    assert sample.metadata is not None
    assert sample.metadata["length"] == item.cell["length"]
    assert all(isinstance(value, str | int | float) for value in sample.metadata.values())


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


def test_rates_are_grouped_with_an_interval_where_there_are_several_contexts(bench: Bench) -> None:
    scores = []
    for number, item in enumerate(bench.items.values()):
        questions = [bench.questions[name] for name in item.questions]
        value = float(number % 2)
        score = score_of(questions, [Verdict(status="scored", value=value)] * len(questions))
        scores.append(SampleScore(score=score, sample_id=item.id, sample_metadata=sample_of(bench, item).metadata))
    found = rates_by("length")(scores)  # type: ignore[arg-type]
    assert isinstance(found, dict)
    lengths = {int(item.cell["length"]) for item in bench.items.values()}
    assert {f"length {length}" for length in lengths} <= set(found)
    for length in lengths:
        low, high = found[f"length {length} lower"], found[f"length {length} upper"]
        assert isinstance(low, float)
        assert isinstance(high, float)
        assert low <= 0.5 <= high
    assert "question_type literal" in rates_by("question_type")(scores)  # type: ignore[arg-type,operator]
