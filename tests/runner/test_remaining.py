"""What is left to send: items without a good answer in this series, with the limits that hold now."""

from __future__ import annotations

from typing import Any

import pytest

from longreach.core.bench import Bench
from longreach.core.types import Call
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

    def limit(model: str, *, budget: bool = False, **settings: Any) -> int | None:
        return output_limits(bench, model, generation_of(bench, model, RunSettings(**settings)), budget=budget)(item)

    assert limit(MODEL) is None, "the provider's own"
    assert limit(MODEL, max_tokens=7) == 7
    engine, capped = limit("embedded"), limit(MODEL, budget=True)
    assert engine is not None
    assert capped is not None
    assert 0 < engine <= capped
    assert limit(MODEL, budget=True, generation={"reasoning_tokens": 500}) == capped + 500
