"""A model that says the same of every summary reaches nowhere, by whichever method it is asked."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner, Result
from tests.present import some
from tests.reporting.findings import findings

from longreach import api
from longreach.cli import results
from longreach.core.bench import Bench
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.showing import guessing_scores
from longreach.reporting.views import Report
from longreach.results.grading import grade_runs
from longreach.runner.logs import collect_calls

METHODS = ("zero_shot_last", "window")
SAME = ("always,label=faithful", "always,label=hallucinated")
PER_CLASS = 8


def chronicle(folder: Path, *methods: str) -> Bench:
    settings = {"sizes": "S", "per_class": PER_CLASS, "books": 2, "methods": ",".join(methods)}
    settings |= {"embedder": "ngrams"} if "window" in methods else {}
    return build_bench(make_spec("novel", settings), folder / "b", BuildContext(warn=lambda _: None))


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return chronicle(tmp_path_factory.mktemp("methods"), *METHODS)


@pytest.fixture(scope="module")
def runs(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All models in one folder."""
    folder = tmp_path_factory.mktemp("answered")
    for name in ("perfect", *SAME, "guesser"):
        api.simulate(bench, name, folder)
    return folder


@pytest.fixture(scope="module")
def report(runs: Path) -> Report:
    return api.report(runs, runs / "page", formats=("html", "csv"))


def gate(runs: Path, rule: str, model: str) -> Result:
    return CliRunner().invoke(results.gate, [str(runs), "--require", rule, "--model", f"simulated/{model}"])


def test_every_row_is_a_whole_summary(bench: Bench, report: Report) -> None:
    blocks = [item for item in bench.items.values() if item.cell["method"] == "window"]
    assert len(blocks) > 2 * PER_CLASS, "summaries have several blocks"
    own = [row for row in report.rows if row.model == "simulated/perfect"]
    assert {row.question_type for row in own} == {"summary"}
    for method in METHODS:
        asked = [row for row in own if row.cell["method"] == method]
        assert len(asked) == 2 * PER_CLASS
        assert all(row.verdict.value == 1 for row in asked)
    behind = {item for row in own for item in row.items}
    assert behind == set(bench.items), "no answer is lost"
    assert guessing_scores({"b": bench}) == {"novel": {"summary": 0.5}}


@pytest.mark.parametrize("name", [*SAME, "guesser"])
def test_the_same_verdict_on_everything_has_no_effective_length(name: str, report: Report) -> None:
    found = findings(report.rows, report.families[0], f"simulated/{name}")
    assert [finding.headlines[0].experiment_values for finding in found] == [(method,) for method in METHODS]
    for finding in found:
        (headline,) = finding.headlines
        assert headline.tally.asked == 2 * PER_CLASS
        assert some(headline.effective).length == 0
        assert some(headline.corrected).low <= 0
        assert " fails already at " in finding.sentence
        if name in SAME:
            assert headline.delivered is not None
            assert headline.delivered.value == 0.5


@pytest.mark.parametrize("method", METHODS)
def test_the_gate_fails_them_and_lets_the_perfect_one_pass(method: str, runs: Path) -> None:
    rule = f"novel.summary.effective[method={method}] >= 1k"
    assert gate(runs, rule, "perfect").exit_code == 0
    for name in (*SAME, "guesser"):
        done = gate(runs, rule, name)
        assert done.exit_code == 1, done.output
        assert done.output.startswith("failed ")


@pytest.mark.parametrize("method", METHODS)
def test_the_gate_fails_them_where_one_method_was_asked(method: str, tmp_path: Path) -> None:
    bench, names = chronicle(tmp_path, method), ("perfect", *SAME)
    for name in names:
        api.simulate(bench, name, tmp_path / "runs")
    codes = {name: gate(tmp_path / "runs", "novel.summary.effective >= 1k", name).exit_code for name in names}
    assert codes == {"perfect": 0, SAME[0]: 1, SAME[1]: 1}
    report = api.report(tmp_path / "runs", tmp_path / "page.html")
    assert len(report.rows) == len(names) * 2 * PER_CLASS


def test_a_summary_whose_blocks_are_not_all_answered_is_in_no_score(bench: Bench, tmp_path: Path) -> None:
    api.simulate(bench, "perfect", tmp_path)
    digest, calls = bench.info.digest, collect_calls(tmp_path)
    left = next(call for call in calls if call.item.endswith("-window-002"))
    rows = [row for row in grade_runs(tmp_path, [call for call in calls if call != left]) if row.bench == digest]
    (open_,) = [row for row in rows if row.verdict.status != "scored"]
    assert open_.verdict.status == "error"
    assert "blocks of this summary have an answer so far" in open_.verdict.reason
    assert len(rows) == len(METHODS) * 2 * PER_CLASS


def test_tables_comparison_and_summary_count_summaries(runs: Path, report: Report) -> None:
    tables = [path for path in (runs / "page").rglob("*.csv") if "summary" in path.name]
    lines = [line for path in tables for line in csv.DictReader(path.open(encoding="utf-8"))]
    assert {line["asked"] for line in lines} == {str(2 * PER_CLASS)}
    compared = api.compare(runs, runs, models=("simulated/perfect", "simulated/always,label=faithful"))
    (match,) = compared.matches
    assert len(match.flips) == len(METHODS) * PER_CLASS
    assert {row.question_type for row in report.rows} == {"summary"}
