"""`run --search` over real HTTP: part of the pool, the same path after an interruption, budgets, failures."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.answering import answering
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.present import some

from longreach import api as verbs
from longreach.core.bench import Bench
from longreach.errors import Stopped
from longreach.families.panels import BenchPanels
from longreach.runner.logs import collect_calls
from longreach.runner.run_settings import RunResult

MODEL = "openai-api/local/double"
Say = Callable[[Asked], Reply]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    settings = {"lengths": "400,600,900,1300,2k", "depths": "10,40,70,100", "facts": 4, "seed": 3}
    return verbs.build("needles", tmp_path_factory.mktemp("search") / "bench", warn=lambda _: None, settings=settings)


def cliff(bench: Bench, at: float) -> Say:
    """Right up to a length, wrong beyond."""
    return answering(bench, lambda item: float(item.cell["length"]) <= at)


def run(bench: Bench, runs: Path, say: Say, **settings: Any) -> RunResult:
    settings = {"search": True, "max_retries": 0} | settings
    with ChatServer(say) as server:
        return verbs.run(bench, MODEL, runs, base_url=server.base_url, **settings)


def sent(runs: Path) -> list[str]:
    return [call.item for call in collect_calls(runs)]


def test_part_of_the_benchmark_gives_the_answer(bench: Bench, tmp_path: Path) -> None:
    result = run(bench, tmp_path, cliff(bench, 900))
    measured = some(result.measured)
    (decision,) = measured.decisions
    assert (decision.holds_to, decision.fails_at, decision.verdict) == (900, 1300, "fails")
    assert 0 < result.sent == len(sent(tmp_path)) < len(bench.items)
    assert measured.tokens < measured.all_tokens
    again = run(bench, tmp_path, cliff(bench, 900))
    assert (again.sent, again.had, again.measured) == (0, result.sent, measured)
    full = run(bench, tmp_path, cliff(bench, 900), search=False)
    assert full.sent == len(bench.items) - result.sent


@pytest.mark.parametrize(("at", "holds_to", "fails_at"), [(10_000, 2000, None), (0, None, 400)])
def test_a_perfect_model_holds_and_one_that_is_always_wrong_fails(
    bench: Bench, tmp_path: Path, at: float, holds_to: int | None, fails_at: int | None
) -> None:
    (decision,) = some(run(bench, tmp_path, cliff(bench, at)).measured).decisions
    assert (decision.holds_to, decision.fails_at) == (holds_to, fails_at)


def test_whole_panels_are_asked_and_two_series_on_their_own(bench: Bench, tmp_path: Path) -> None:
    run(bench, tmp_path, cliff(bench, 600))
    run(bench, tmp_path, cliff(bench, 2000), generation={"seed": 2})
    calls = collect_calls(tmp_path)
    units = [unit for lengths in BenchPanels(bench).by_length.values() for own in lengths.values() for unit in own]
    assert {len(unit.contexts) for unit in units} == {4}, "one context per depth"
    assert len({call.model for call in calls}) == 2
    for model in {call.model for call in calls}:
        asked = {call.item for call in calls if call.model == model}
        assert asked
        assert all(asked >= set(unit.items) or not asked & set(unit.items) for unit in units)


def test_stopped_and_run_again_it_asks_the_same(bench: Bench, tmp_path: Path) -> None:
    say = cliff(bench, 900)
    run(bench, tmp_path / "whole", say)
    for after in (1, 6):
        answered = [0]

        def dies(asked: Asked, answered: list[int] = answered, after: int = after) -> Reply:
            answered[0] += 1
            return say(asked) if answered[0] <= after else Reply(status=401, text="no")

        with contextlib.suppress(Stopped):
            assert run(bench, tmp_path / str(after), dies, concurrency=1).failed
        assert len([call for call in collect_calls(tmp_path / str(after)) if not call.error]) == after
        run(bench, tmp_path / str(after), say)
        assert sorted(sent(tmp_path / str(after))) == sorted(sent(tmp_path / "whole"))


def test_failed_items_do_not_hold_up_a_search(bench: Bench, tmp_path: Path) -> None:
    say, seen = cliff(bench, 900), set[str]()

    def first_fails(asked: Asked) -> Reply:
        seen.add(asked.sha256)
        return Reply(status=500, text="broken") if len(seen) == 1 else say(asked)

    result = run(bench, tmp_path, first_fails, concurrency=1)
    assert result.failed == 1
    assert result.sent > 1
    assert some(run(bench, tmp_path, say).measured).decisions[0].fails_at == 1300


def test_a_budget_ends_it_with_what_is_known(bench: Bench, tmp_path: Path) -> None:
    shorter = max(item.tokens for item in bench.items.values() if float(item.cell["length"]) <= 1300)
    with pytest.raises(Stopped, match=r"budget of .* is reached"):
        run(bench, tmp_path, cliff(bench, 2000), budget=f"{shorter + 400}tok", max_tokens=100, concurrency=1)
    assert sent(tmp_path)


def test_imported_answers_count(bench: Bench, tmp_path: Path) -> None:
    verbs.simulate(bench, "cliff,at=900", tmp_path, name=MODEL)
    result = run(bench, tmp_path, cliff(bench, 900))
    assert result.sent == 0
    assert some(result.measured).decisions[0].holds_to == 900


def test_a_plan_says_what_a_search_takes(bench: Bench) -> None:
    planned = verbs.plan(bench, ["openai/gpt-4o-mini"], search=True)
    forecast = some(planned.models[0].forecast)
    assert 0 < forecast.expected_tokens <= forecast.largest_tokens <= forecast.full_tokens
    assert any(line.startswith("search: expected") for line in planned.lines())


@pytest.mark.long
def test_plain_inspect_asks_the_same(bench: Bench, tmp_path: Path) -> None:
    from inspect_ai import eval as evaluate

    from longreach.runner.tasks import bench_task

    run(bench, tmp_path / "ours", cliff(bench, 600))
    with ChatServer(cliff(bench, 600)) as server:
        evaluate(
            bench_task(bench, search=True),
            model=MODEL,
            model_base_url=server.base_url,
            log_dir=str(tmp_path / "plain"),
            display="none",
        )
    assert sorted(sent(tmp_path / "plain")) == sorted(sent(tmp_path / "ours"))
