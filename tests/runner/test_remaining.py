"""What is left to send: items without a good answer in this series, with the limits that hold now."""

from __future__ import annotations

from typing import Any

import pytest

from longreach.core.bench import Bench
from longreach.core.types import Call
from longreach.families import get_family
from longreach.runner.remaining import output_limits, unanswered
from longreach.runner.run_settings import RunSettings, generation_of

MODEL = "openai-api/local/x"


def left(bench: Bench, *calls: Call, model: str = MODEL, **settings: Any) -> set[str]:
    return {item.id for item in unanswered(bench, model, generation_of(bench, model, RunSettings(**settings)), calls)}


def call(of: Bench, name: str, /, **fields: Any) -> Call:
    given = {"model": MODEL, "family": "needles", "bench": of.info.digest, "item": name, "text": "x", "stop": "stop"}
    return Call(**given | fields)


def test_only_a_good_answer_of_this_series_and_benchmark_counts(bench: Bench) -> None:
    first, *others = bench.items
    assert left(bench) == set(bench.items)
    assert left(bench, call(bench, first)) == set(others)
    for fields in ({"error": "no"}, {"model": "m/other"}, {"bench": "another"}, {"item": "unknown"}):
        assert left(bench, call(bench, first, **fields)) == set(bench.items), fields
    assert first in left(bench, call(bench, first), temperature=0.5)


@pytest.mark.parametrize(
    ("before", "written", "now", "again"),
    [(20, 20, 40, True), (20, 20, 20, False), (20, 20, None, True), (None, 50, 40, False), (None, 50, 80, True)],
)
def test_a_truncated_answer_is_asked_for_again_if_a_longer_one_is_allowed(
    bench: Bench, before: int | None, written: int, now: int | None, again: bool
) -> None:
    first = next(iter(bench.items))
    cut = call(bench, first, stop="max_tokens", max_tokens=before, tokens_out=written)
    assert (first in left(bench, cut, max_tokens=now)) is again


def test_who_limits_answers(bench: Bench) -> None:
    item = next(iter(bench.items.values()))

    def limit(model: str, **settings: Any) -> int:
        return output_limits(bench, model, generation_of(bench, model, RunSettings(**settings)), [])(item)

    needed = get_family("needles").answer_tokens([bench.questions[one] for one in item.questions])
    assert limit(MODEL, max_tokens=7) == 7
    assert limit("embedded") == needed
    capped = limit(MODEL)
    assert needed < capped < 10_000, "with room, and none for reasoning"
    assert limit("openai/gpt-4o") == capped
    reasoning = limit("openai/gpt-5")
    assert reasoning > capped + 10_000, "a model that is known to reason"
    for name, value, on in (
        ("reasoning_effort", "high", True),
        ("reasoning_effort", "none", False),
        ("extra_body.enable_thinking", True, True),
        ("extra_body.chat_template_kwargs.enable_thinking", False, False),
        ("extra_body.thinking.type", "enabled", True),
    ):
        expected = reasoning if on else capped
        assert limit(MODEL, generation={name: value}) == expected, (name, value)
        assert limit("openai/gpt-5", generation={name: value}) == expected, (name, value)
    assert limit(MODEL, generation={"reasoning_tokens": 500}) == reasoning + 500
