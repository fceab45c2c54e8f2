"""`run --search` over real HTTP: part of the grid, the same path after an interruption, budgets, failures."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from tests.answering import answering
from tests.doubles.chat_server import Asked, ChatServer, Reply
from tests.present import some

from longreach import api as verbs
from longreach.cli import cli
from longreach.core.bench import Bench
from longreach.core.figure import Lines, Table
from longreach.errors import Stopped
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


def test_part_of_the_grid_gives_the_answer_and_a_full_run_fills_it(bench: Bench, tmp_path: Path) -> None:
    result = run(bench, tmp_path, cliff(bench, 900))
    assert result.search is not None
    assert [found.effective.observed for found in result.search.found] == [900, 900, 900]
    assert all(found.known and not found.non_monotone for found in result.search.found)
    assert 0 < result.sent == len(sent(tmp_path)) < len(bench.items) * 0.7
    again = run(bench, tmp_path, cliff(bench, 900))
    assert (again.sent, again.had, again.search) == (0, result.sent, result.search)
    report = verbs.report(tmp_path, tmp_path / "page.html")
    table, curve, cells = (figure for figure in report.figures if figure.id.startswith("search"))
    assert isinstance(table, Table)
    assert {row[3] for row in table.rows} == {"900"}
    assert isinstance(curve, Lines)
    for trace in curve.traces:
        assert all((dot.low or 0) <= (dot.y or 0) <= (dot.high or 0) for dot in trace.dots)
    assert isinstance(cells, Table)
    asked = sum(cell.startswith("1 of") for row in cells.rows for cell in map(str, row))
    assert asked == result.search.contexts
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "was searched" in page
    assert list(report.families[0].reach.values()) == [found.effective for found in result.search.found]
    literal = result.search.found[0].effective
    (check,) = verbs.gate(tmp_path, ["needles.literal.effective >= 900"]).checks
    assert check.estimate is not None
    assert (check.estimate.low, check.estimate.value, check.estimate.high) == (
        literal.length,
        literal.observed,
        literal.high,
    )
    history = verbs.history([tmp_path, tmp_path / ".." / tmp_path.name])
    (lengths,) = (figure for figure in history.figures if figure.id == "needles-effective")
    assert isinstance(lengths, Lines)
    assert {(dot.low, dot.y, dot.high) for dot in lengths.traces[0].dots} == {
        (literal.length, literal.length, literal.high)
    }
    full = run(bench, tmp_path, cliff(bench, 900), search=False)
    assert full.sent == len(bench.items) - result.sent
    assert not any(figure.id.startswith("search") for figure in verbs.report(tmp_path, tmp_path / "page.html").figures)


def test_whole_contexts_are_asked_and_two_models_search_on_their_own(bench: Bench, tmp_path: Path) -> None:
    run(bench, tmp_path, cliff(bench, 600))
    run(bench, tmp_path, cliff(bench, 2000), generation={"seed": 2})
    calls = collect_calls(tmp_path)
    series = {call.model for call in calls}
    assert len(series) == 2
    for model in series:
        asked = {call.item for call in calls if call.model == model}
        contexts = {bench.items[item].context.sha256 for item in asked}
        assert asked == {item.id for item in bench.items.values() if item.context.sha256 in contexts}


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


def test_failed_items_do_not_hold_up_a_search_and_are_sent_again(bench: Bench, tmp_path: Path) -> None:
    say, seen = cliff(bench, 900), set[str]()

    def first_fails(asked: Asked) -> Reply:
        seen.add(asked.sha256)
        return Reply(status=500, text="broken") if len(seen) == 1 else say(asked)

    result = run(bench, tmp_path, first_fails, concurrency=1)
    assert result.failed == 1
    again = run(bench, tmp_path, say)
    assert again.sent >= 1
    assert some(again.search).found[0].effective.observed == 900


def test_a_budget_ends_a_search_with_what_is_known(bench: Bench, tmp_path: Path) -> None:
    shorter = max(item.tokens for item in bench.items.values() if float(item.cell["length"]) <= 1300)
    with pytest.raises(Stopped, match=r"budget of .* is reached"):
        run(bench, tmp_path, cliff(bench, 2000), budget=f"{shorter + 400}tok", max_tokens=100, concurrency=1)
    assert sent(tmp_path)


def test_imported_answers_count(bench: Bench, tmp_path: Path) -> None:
    verbs.simulate(bench, "cliff,at=900", tmp_path, name=MODEL)
    result = run(bench, tmp_path, cliff(bench, 900))
    assert result.sent == 0
    assert some(result.search).found[0].effective.observed == 900


def test_a_plan_says_what_a_search_takes(bench: Bench) -> None:
    planned = verbs.plan(bench, ["openai/gpt-4o-mini"], search=True)
    forecast = some(planned.models[0].search)
    assert 0 < forecast.expected_tokens <= forecast.largest_tokens < forecast.full_tokens
    assert 0 < (forecast.expected_cost or 0) <= (forecast.largest_cost or 0) * 1.01 < (forecast.full_cost or 0)
    assert any(line.startswith("search: expected") for line in planned.lines())


def test_the_command_line_names_what_is_wrong(bench: Bench) -> None:
    out = CliRunner().invoke(cli, ["plan", str(bench.folder), "--set", "until=0.9"])
    assert out.exit_code != 0
    assert "--search" in (out.output + str(out.exception))
