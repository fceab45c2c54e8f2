"""Simulated models of known skill, through the ordinary path: what is said of each is what it is."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.present import some
from tests.reporting.findings import findings

from longreach import api
from longreach.checking.gate import GateSettings, check_gate
from longreach.cli import results
from longreach.core.bench import Bench
from longreach.core.types import Row
from longreach.errors import BadInput
from longreach.reporting.ranking import calls_by_model, ranking
from longreach.reporting.views import Report
from longreach.stats.headline import Headline
from longreach.stats.simulated_models import SIMULATED_MODELS

MAIN = {"needles": "literal", "grounded": "reading", "novel": "summary", "verbatim": "sort", "trace": "nth"}
FAMILIES = list(MAIN)


def graded(bench: Bench, runs: Path, *models: str) -> list[Row]:
    for model in models:
        api.simulate(bench, model, runs)
    return api.grade(runs)


def answered(bench: Bench, runs: Path, *models: str) -> Report:
    graded(bench, runs, *models)
    return api.report(runs, runs / "page.html")


def first(report: Report, model: str) -> Headline:
    family = report.families[0]
    (found, *_) = findings(report.rows, family, f"simulated/{model}")
    return found.headlines[0]


@pytest.mark.parametrize("family", FAMILIES)
def test_right_answers_are_right_however_they_are_dressed(
    family: str, benches: dict[str, Bench], tmp_path: Path
) -> None:
    names = ["perfect", "worker", "thinker", "formatter,form=fenced", "formatter,form=heading"]
    if family == "needles":
        names += [f"formatter,form={form}" for form in ("numbers", "bold", "table", "json")]
    rows = graded(benches[family], tmp_path, *names)
    wrong = {(row.model, row.verdict.status, row.verdict.reason) for row in rows if row.verdict.value != 1}
    assert wrong == set()


@pytest.mark.parametrize("family", ["grounded", "novel"])
def test_saying_the_same_to_everything_reaches_nowhere(family: str, benches: dict[str, Bench], tmp_path: Path) -> None:
    labels = {"grounded": ("B",), "novel": ("faithful", "hallucinated")}[family]
    names = [f"always,label={label}" for label in labels]
    report = answered(benches[family], tmp_path, *names, "guesser")
    for name in (*names, "guesser"):
        found = first(report, name)
        assert some(found.effective).length == 0
        assert found.keeps is None or found.keeps.length == 0
        (said, *_) = findings(report.rows, report.families[0], f"simulated/{name}")
        assert " holds to " not in said.sentence
        rule = f"{family}.{MAIN[family]}.effective >= 1"
        gate = check_gate(
            report.rows, [rule], GateSettings(models=(f"simulated/{name}",)), views={family: report.families[0]}
        )
        assert gate.failed


@pytest.mark.parametrize("family", FAMILIES)
def test_empty_and_refused_answers_are_not_delivered(family: str, benches: dict[str, Bench], tmp_path: Path) -> None:
    report = answered(benches[family], tmp_path, "silent,rate=0.5", "refuser,rate=0.5")
    for name, status in (("silent,rate=0.5", "unparsed"), ("refuser,rate=0.5", "refused")):
        found = first(report, name)
        assert some(found.answered).value == 1
        assert some(found.delivered).value == pytest.approx(found.tally.scored / found.tally.asked)
        assert 0 < some(found.delivered).value < 1
        assert found.tally.statuses[status] == found.tally.asked - found.tally.scored
        assert found.effective is None or found.effective.length == 0


def test_lengths_places_and_unanswerable_questions(benches: dict[str, Bench], tmp_path: Path) -> None:
    names = ["cliff,at=1k", "window,tokens=900", "middle,lost=0,width=0.3", "inventor", "always,label=absent"]
    report = answered(benches["needles"], tmp_path, *names)

    def share(name: str, **where: object) -> float:
        rows = [row for row in report.rows if row.model == f"simulated/{name}" and _matches(row, where)]
        return sum(row.verdict.value or 0 for row in rows) / len(rows)

    held = some(first(report, "cliff,at=1k").effective)
    assert (held.length, held.observed) == (0, 1000), "three contexts show nothing"
    assert share("window,tokens=900", length=2000, depth=100, question_type="literal") == 1
    assert share("window,tokens=900", length=2000, depth=0, question_type="literal") == 0
    assert share("middle,lost=0,width=0.3", depth=50, question_type="literal") < 0.3
    assert share("middle,lost=0,width=0.3", depth=0, question_type="literal") > 0.7
    assert share("inventor", question_type="literal") == 1
    assert share("inventor", question_type="abstention") == 0
    assert share("always,label=absent", question_type="abstention") == 1
    assert share("always,label=absent", question_type="literal") == 0


def _matches(row: Row, where: dict[str, object]) -> bool:
    return all((row.question_type if name == "question_type" else row.cell.get(name)) == v for name, v in where.items())


@pytest.mark.parametrize("family", FAMILIES)
def test_one_that_repeats_the_prompt_has_answered_nothing(
    family: str, benches: dict[str, Bench], tmp_path: Path
) -> None:
    rows = graded(benches[family], tmp_path, "parrot")
    assert {row.verdict.status for row in rows} == {"unparsed"}


def test_one_that_refuses_beyond_a_length_reads_the_same_everywhere(benches: dict[str, Bench], tmp_path: Path) -> None:
    names = ("refuser,rate=1,beyond=1k", "perfect")
    for name in names:
        api.simulate(benches["needles"], name, tmp_path)
    model = f"simulated/{names[0]}"
    report = api.report(tmp_path, tmp_path / "page", formats=("html", "csv"))
    (found, *_) = findings(report.rows, report.families[0], model)
    literal = found.headlines[0]
    assert some(literal.answered).value == 1
    assert some(literal.effective).observed == 1000
    assert found.sentence.startswith(f"{model} holds to 1k (100 of 100 right, 95 % CI ")
    every = [each for name in names for each in findings(report.rows, report.families[0], f"simulated/{name}")]
    ranked = some(ranking(every, calls_by_model(report.calls), {}))
    assert [line.model for line in ranked.lines] == ["simulated/perfect", model]
    assert ranked.lines[1].numbers[0].text == "1k"
    gates = [
        not check_gate(report.rows, [f"needles.literal{rule}"], GateSettings(models=(model,))).failed
        for rule in (".effective >= 1k", ".effective >= 2k", "@2k >= 0.1", "@1k >= 0.99")
    ]
    assert gates == [True, False, False, True]
    (match,) = api.compare(tmp_path, tmp_path, models=("simulated/perfect", model)).matches
    at = {change.place: change.difference.value for change in match.changes if change.question_type == "literal"}
    assert (at[1000], at[2000]) == (0, -1)
    lines = [
        line
        for path in (tmp_path / "page").rglob("*by-length*.csv")
        for line in csv.DictReader(path.open(encoding="utf-8-sig"))
        if line["model"] == model and line["question_type"] == "literal"
    ]
    assert {(line["length"], float(line["delivered"])) for line in lines} == {("600", 1), ("1000", 1), ("2000", 0)}


def test_an_output_cap_is_told_from_a_wrong_answer(benches: dict[str, Bench], tmp_path: Path) -> None:
    report = answered(benches["needles"], tmp_path, "capped,tokens=30")
    assert {row.verdict.value for row in report.rows if row.verdict.status == "scored"} == {1}, "the last one was cut"
    (found, *_) = findings(report.rows, report.families[0], "simulated/capped,tokens=30")
    last = found.headlines[-1]
    assert last.tally.statuses["truncated"] == last.tally.asked - last.tally.scored > last.tally.scored
    assert some(last.effective).length == 0


def test_the_same_seed_gives_the_same_answers_and_another_gives_others(
    benches: dict[str, Bench], tmp_path: Path
) -> None:
    def texts(folder: str, seed: int) -> str:
        done = api.simulate(benches["needles"], "difficulty", tmp_path / folder, seed=seed)
        return Path(done.file).read_text(encoding="utf-8")

    assert texts("a", 1) == texts("b", 1) != texts("c", 2)


def test_every_simulated_model_answers_every_family(benches: dict[str, Bench], tmp_path: Path) -> None:
    for family, bench in benches.items():
        for name in SIMULATED_MODELS:
            done = api.simulate(bench, name, tmp_path / family)
            assert done.answers == len(bench.items)


def test_the_command(benches: dict[str, Bench], tmp_path: Path) -> None:
    bench = str(benches["needles"].folder)
    listed = CliRunner().invoke(results.simulate, ["--list"])
    assert all(name in listed.output for name in SIMULATED_MODELS)
    done = CliRunner().invoke(results.simulate, [bench, "-m", "perfect", "-o", str(tmp_path)])
    assert done.exit_code == 0
    assert "simulated/perfect: 18 answers" in done.output
    lacking = CliRunner().invoke(results.simulate, [bench])
    assert isinstance(lacking.exception, BadInput)
