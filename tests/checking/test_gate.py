"""Rules: what they may say, what they hold, and what they answer when they name nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from tests.present import some
from tests.reporting.sample_runs import calls_of, own_contexts, rows_of

from longreach import api as verbs
from longreach.checking.gate import Gate, check_gate, gate_lines, gate_markdown, parse_rule, write_junit
from longreach.cli import results
from longreach.core.bench import Bench
from longreach.core.runs import imported_file, keep_answers, keep_bench, run_folders
from longreach.core.types import Row, Verdict
from longreach.errors import BadInput
from longreach.families.showing import family_view
from longreach.results.grading import run_gaps


@pytest.fixture(scope="module")
def rows(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """A model that is right at 600 and 1,000 tokens and wrong at 2,000, under both prompts; as if every question had a
    context of its own."""
    folder = tmp_path_factory.mktemp("rows")
    return own_contexts(rows_of(bench, folder, calls_of(bench, "m", lambda item: item.cell["length"] != 2000)))


P, F, N = "passed", "failed", "not shown"


def outcomes(rows: Sequence[Row], *rules: str, **options: Any) -> list[str]:
    return [check.outcome for check in check_gate(rows, rules, **options).checks]


def changed(rows: Sequence[Row], **update: Any) -> list[Row]:
    return [row.model_copy(update=update) for row in rows]


def test_a_rule_in_all_its_parts() -> None:
    rule = parse_rule(" needles.literal@64k[prompt=standard, depth=50] >= 90% ")
    assert (rule.family, rule.question_type, rule.length, rule.op, rule.bound) == (
        "needles",
        "literal",
        "64k",
        ">=",
        0.9,
    )
    assert rule.where == {"prompt": "standard", "depth": "50"}
    assert rule.measure == "score"
    assert parse_rule("needles.literal.effective>=32k").bound == 32_000
    assert parse_rule("verbatim.sort_copy<0.5").question_type == "sort_copy"


def test_the_number_fails_a_rule_and_the_interval_passes_it(rows: list[Row]) -> None:
    rules = ["needles.literal@1k >= 1", "needles.literal@2000 >= 0.1", "needles.literal@2k <= 0"]
    assert outcomes(rows, *rules) == [N, F, N]
    assert outcomes(rows, *rules, strict=True) == [F, F, F]
    rules = ["needles.literal > 0.66", "needles.literal >= 0.67", "needles.literal < 0.67", "needles.literal > 0.1"]
    assert outcomes(rows, *rules) == [N, F, N, P]
    rules = ["needles.literal@1k >= 0.95", "needles.literal@1k >= 0.6", "needles.literal@2k <= 0.05"]
    assert outcomes(rows, *rules) == [N, P, N]
    assert outcomes(rows, *rules, strict=True) == [F, P, F]
    (check,) = check_gate(rows, ["needles.literal@1k >= 1"]).checks
    assert some(check.estimate).n == 4 * 2 * 4  # depths, prompts, literal questions
    assert check.detail.startswith("1 (0.")
    assert "to 1), n = 32; what is observed meets it, what is shown does not" in check.detail


def test_axes_hold_other_things_fast(rows: list[Row]) -> None:
    (check,) = check_gate(rows, ["needles.inference@1k[prompt=standard,depth=30%] >= 0.5"]).checks
    assert some(check.estimate).n == 4


def test_effective_length_and_share_of_scored_answers(rows: list[Row]) -> None:
    gate = check_gate(rows, ["needles.literal.effective >= 1k", "needles.literal.effective >= 2k"])
    assert [check.outcome for check in gate.checks] == [P, F]
    assert gate.checks[0].detail.startswith("1000")
    cut = [
        row.model_copy(update={"verdict": Verdict(status="truncated")}) if row.cell["length"] == 2000 else row
        for row in rows
    ]
    scored = [f"needles.literal.scored >= {bound}" for bound in (0.1, 0.6, 0.7)]
    assert outcomes(cut, *scored) == [P, N, F]
    gate = check_gate(cut, ["needles.literal@2k >= 0.01", "needles.literal.answered@2k >= 0"])
    assert [check.outcome for check in gate.checks] == [
        F,
        F,
    ]  # cut off is not delivered, and nothing answered is not good enough for anything
    assert gate.checks[0].detail.startswith("0 (0 to 0.")
    assert gate.checks[0].detail.endswith("n = 32 (32 truncated)")
    assert gate.checks[1].detail == "nothing answered of 32 asked (32 truncated)"
    lost = [
        row.model_copy(update={"verdict": Verdict(status="error")}) if row.cell["length"] == 2000 else row
        for row in rows
    ]
    gate = check_gate(lost, ["needles.literal@2k >= 0", "needles.literal >= 1"])
    assert [check.outcome for check in gate.checks] == [F, N]
    assert gate.checks[0].detail == "no result of 32 asked (32 error)"


def test_a_model_at_chance_has_no_effective_length(rows: list[Row]) -> None:
    """It keeps its level to the end, and that says nothing."""
    half = [
        row.model_copy(update={"verdict": Verdict(status="scored", value=float(n % 2))}) for n, row in enumerate(rows)
    ]
    views = {"needles": family_view("needles").model_copy(update={"chances": {"literal": 0.5}})}
    rules = ["needles.literal.effective >= 600", "needles.literal.keeps >= 600"]
    gate = check_gate(half, rules, views=views)
    assert [check.outcome for check in gate.checks] == [F, F]
    assert gate.checks[0].detail.startswith("none shown, none observed (")
    assert gate.checks[1].detail.startswith("none: no better than guessing at 600")
    assert outcomes(rows, "needles.literal.keeps >= 1k", views=views) != [F]


def test_experiments_are_not_pooled_by_a_rule(rows: list[Row]) -> None:
    both = changed(rows, bench="c", cell={**rows[0].cell, "layout": "comb"}) + [
        row.model_copy(update={"cell": {**row.cell, "layout": "paragraph"}}) for row in rows
    ]
    with pytest.raises(
        BadInput, match=r"different experiments \(layout comb, paragraph\); choose one: \[layout=comb\]"
    ):
        check_gate(both, ["needles.literal >= 0.1"])
    assert outcomes(both, "needles.literal[layout=paragraph] >= 0.2") == [P]


def test_a_rule_holds_for_every_model_or_the_named_one(rows: list[Row]) -> None:
    wrong = Verdict(status="scored", value=0.0)
    both = [*rows, *changed(rows, model="n", verdict=wrong), *changed(rows[:3], model="other", family="novel")]
    gate = check_gate(both, ["needles.literal >= 0.2"])
    assert [(check.model, check.outcome) for check in gate.checks] == [("m", P), ("n", F)]
    assert outcomes(both, "needles.literal >= 0.2", models=["m"]) == [P]
    with pytest.raises(BadInput, match="no results of other in family 'needles'"):
        check_gate(both, ["needles.literal >= 0.5"], models=["other"])
    with pytest.raises(BadInput, match="no results of model 'mm'"):
        check_gate(both, ["needles.literal >= 0.5"], models=["mm"])
    with pytest.raises(BadInput, match="no rule"):
        check_gate(rows, [])


def test_the_length_may_stand_before_or_after_the_other_axes() -> None:
    one, other = (parse_rule(f"needles.literal{where} >= 0.9") for where in ("@64k[depth=50]", "[depth=50]@64k"))
    assert (one.length, one.where) == (other.length, other.where) == ("64k", {"depth": "50"})


def test_no_worse_than_before(rows: list[Row], bench: Bench, tmp_path: Path) -> None:
    right = rows_of(bench, tmp_path, calls_of(bench, "m", lambda _: True))
    better = check_gate(right, [], old={"old": rows}, name="new")
    assert not better.failed
    kinds = ("literal", "inference", "abstention")
    assert [check.rule for check in better.checks] == [
        *(f"no worse than old: needles.{kind}" for kind in kinds),
        "no worse than old: needles at each of 3 lengths",
        *(f"no worse than old: needles.{kind} at each of 3 lengths" for kind in kinds),
    ]
    assert {check.outcome for check in better.checks[:3]} == {P}  # better as a whole
    assert {check.outcome for check in better.checks[3:]} == {N}  # nothing changed at two lengths
    worse = check_gate(rows, [], old={"old": right}, name="new")
    assert {check.outcome for check in worse.checks} == {F}
    assert worse.checks[0].detail.startswith("-0.3333 (-0.")
    assert worse.checks[0].detail.endswith("n = 96 pairs; clearly worse")
    at = worse.checks[3]
    assert "at 2k, n = 96 pairs; clearly worse" in at.detail
    assert [(each.length, each.change.value) for each in at.lengths] == [(600, 0), (1000, 0), (2000, -1)]
    tolerant = check_gate(rows, [], old={"old": right}, margin=0.9)
    assert {check.outcome for check in tolerant.checks[:3]} == {P}
    assert check_gate(rows, [], old={"old": right}, margin=0.4).failed, "the longest length loses all"
    same = check_gate(rows, [], old={"old": changed(rows, model="last week's")})
    assert same.outcome == N  # one model each side: names may differ
    with pytest.raises(BadInput, match="no question in common"):
        check_gate(rows, [], old={"old": changed(rows, bench="f" * 64)})
    joined = check_gate([*rows, *changed(rows, model="newcomer")], [], old={"old": rows}, name="new")
    assert joined.notes == ("newcomer is not in old: nothing to compare it with",)


def test_answers_that_can_no_longer_be_read_do_not_pass_as_no_worse(rows: list[Row]) -> None:
    unread = Verdict(status="unparsed", reason="no line for this question")
    new = [row.model_copy(update={"verdict": unread}) if row.cell["depth"] != 100 else row for row in rows]
    gate = check_gate(new, [], old={"old": rows}, name="new")
    failed = [check for check in gate.checks if check.outcome == F]
    assert "no worse than old: needles, answers that can be graded" in [check.rule for check in failed]
    assert gate.notes == ()


def test_what_is_not_shown_says_which_drop_would_have_been_seen(rows: list[Row]) -> None:
    gate = check_gate(rows, [], old={"old": rows}, name="new", margin=0.05)
    for check in gate.checks:
        assert check.outcome == N
        assert check.smallest_drop is not None
        assert "not shown to be worse by more than 0.05; 80 % of such runs show a drop of 0." in check.detail
    drops = [check.smallest_drop or 0 for check in gate.checks]
    assert 0.05 < drops[0] < drops[4] <= 1  # literal, and literal at each length
    at_1k = [n for n, row in enumerate(rows) if (row.cell["length"], row.question_type) == (1000, "literal")]
    refused = Verdict(status="refused")
    lost = [row.model_copy(update={"verdict": refused}) if n in at_1k[:13] else row for n, row in enumerate(rows)]
    told = check_gate(lost, [], old={"old": rows}).checks
    below = [check.estimate is not None and check.estimate.high < 0 for check in told]
    assert set(below) == {True, False}
    assert {check.outcome for check in told} == {N}
    assert below == ["% CI that the number of comparisons asks for" in check.detail for check in told]
    strict = check_gate(rows, [], old={"old": rows}, name="new", margin=0.05, strict=True)
    assert {check.outcome for check in strict.checks} == {F}
    assert strict.checks[0].detail.endswith("a loss of more than 0.05 is not excluded")
    assert check_gate(rows, [], old={"old": rows}, margin=0.99, strict=True).passed
    with pytest.raises(BadInput, match="--margin above 0"):
        check_gate(rows, [], old={"old": rows}, strict=True)


def test_lines_json_and_junit(rows: list[Row], tmp_path: Path) -> None:
    odd = changed(rows, model='<m & "n">\x07')
    gate = check_gate(odd, ["needles.literal@1k >= 0.5", "needles.literal@2k > 0.9", "needles.literal@1k >= 0.9"])
    lines = gate_lines(gate)
    assert [line.split("  <m &")[0].strip() for line in lines[:3]] == ["passed", "FAILED", "not shown"]
    assert lines[3] == "1 of 3 checks failed, 1 not shown"
    data = gate.model_dump(mode="json")
    assert (data["outcome"], data["failed"], data["summary"]) == (F, True, lines[3])
    write_junit(gate, tmp_path / "reports" / "gate.xml")
    root = ElementTree.fromstring((tmp_path / "reports" / "gate.xml").read_text(encoding="utf-8"))
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["skipped"]) == ("3", "1", "1")
    cases = root.findall("testsuite/testcase")
    assert [case.attrib["name"] for case in cases] == [check.rule for check in gate.checks]
    assert cases[0].attrib["classname"] == 'longreach.<m & "n">'
    assert [[part.tag for part in case] for case in cases] == [["system-out"], ["failure"], ["skipped"]]
    assert Gate(checks=gate.checks[:1]).summary == "the check passed"
    assert Gate(checks=gate.checks[:1] * 3).summary == "all 3 checks passed"
    assert Gate(checks=(gate.checks[0], gate.checks[2])).summary == "1 of 2 checks passed, 1 not shown"


@pytest.fixture(scope="module")
def folder(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of runs, as a run leaves it: a model that reads to 1,000 tokens."""
    runs = tmp_path_factory.mktemp("folder") / "runs"
    verbs.simulate(bench, "cliff,at=1k", runs)
    return runs


def gate_command(*arguments: object) -> Any:
    return CliRunner().invoke(results.gate, list(map(str, arguments)))


def test_exit_codes(folder: Path, tmp_path: Path) -> None:
    rule = "needles.literal >= 0.2"
    good = gate_command(folder, "--require", rule, "--junit", tmp_path / "g.xml")
    assert (good.exit_code, good.output.splitlines()[-1]) == (0, "the check passed")
    assert (tmp_path / "g.xml").is_file()
    open_ = ("--require", "needles.literal@1k >= 0.95")
    assert gate_command(folder, *open_).exit_code == 0
    assert gate_command(folder, *open_).output.splitlines()[-1] == "0 of 1 check passed, 1 not shown"
    assert gate_command(folder, *open_, "--strict").exit_code == 1
    assert gate_command(folder, "--require", rule, "--no-worse-than", folder).exit_code == 0
    assert gate_command(folder, "--require", "needles.literal@2k >= 0.9").exit_code == 1
    bad = gate_command(folder, "--require", "needles.literal@3k >= 0.9")
    assert isinstance(bad.exception, BadInput)
    assert bad.exception.exit_code == 2


@pytest.mark.parametrize("lost", ["missing", "error"])
def test_a_run_without_all_answers_fails_unless_partial(bench: Bench, folder: Path, tmp_path: Path, lost: str) -> None:
    """Stopped at a budget, interrupted, or with failed calls: what was not tested does not pass."""
    calls = calls_of(bench, "m", lambda _: True)
    keep_bench(bench, tmp_path / "runs")
    left = calls[5:]
    if lost == "error":
        left += [call.model_copy(update={"text": "", "stop": "", "error": "HTTP 503"}) for call in calls[:5]]
    keep_answers(imported_file(tmp_path / "runs", "m", bench.info.digest), left)
    for checked in (("--require", "needles.literal >= 0.1"), ("--no-worse-than", folder)):
        done = gate_command(tmp_path / "runs", *checked)
        assert done.exit_code == 1
        failed = f" ({5} failed)" if lost == "error" else ""
        missing = f"answers to {len(calls) - 5} of the {len(calls)} items of needles benchmark {bench.info.digest[:12]}"
        assert f"FAILED     m  every item answered: {missing}{failed}; the same run command resumes" in done.output
        done = gate_command(tmp_path / "runs", *checked, "--partial")
        assert done.exit_code == 0, done.output
        assert f"note: m: {missing}{failed}" in done.output


def test_a_search_is_complete_without_every_item(bench: Bench) -> None:
    """It sends no more than it needs; a call of it that failed is missing all the same."""
    calls = calls_of(bench, "m", lambda _: True)[:9]
    assert [(gap.answered, gap.items) for gap in run_gaps([bench], calls)] == [(9, len(bench.items))]
    searched = [("m", bench.info.digest)]
    assert run_gaps([bench], calls, searched) == []
    calls[0] = calls[0].model_copy(update={"error": "HTTP 503"})
    assert [(gap.answered, gap.items, gap.failed) for gap in run_gaps([bench], calls, searched)] == [(8, 9, 1)]


def test_reused_answers_are_named_in_gate_page_and_json(bench: Bench, tmp_path: Path) -> None:
    """Answers that were not asked again say nothing about the model of today."""
    calls = calls_of(bench, "m", lambda _: True)
    keep_bench(bench, tmp_path / "runs")
    again = [call.model_copy(update={"reused": True}) for call in calls[:7]]
    keep_answers(imported_file(tmp_path / "runs", "m", bench.info.digest), [*again, *calls[7:]])
    line = f"m: 7 of {len(calls)} answers reused from earlier runs, not asked again"
    done = gate_command(tmp_path / "runs", "--require", "needles.literal >= 0.1")
    assert f"note: {line}\n" in done.output
    made = verbs.report(tmp_path / "runs", tmp_path / "page.html")
    assert made.numbers.usage["m"].reused == 7
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert f"m: 7 of {len(calls)} answers were reused from earlier runs" in page
    assert made.chart("run-usage").rows[0]["reused"] == 7


def test_a_drift_over_nights_fails_the_trend_and_history_shows_it(bench: Bench, tmp_path: Path) -> None:
    """Each night is a little worse; `night-10` comes after `night-9`, and a night without answers is noted."""
    nights = tmp_path / "nights"
    for number in range(1, 11):
        model = f"silent,rate={0.09 * number:.2f}"
        verbs.simulate(bench, model, nights / f"night-{number}", seed=number, name="m")
    (nights / "night-5b" / "benches").mkdir(parents=True)
    assert [path.name for path in run_folders(nights)][-2:] == ["night-9", "night-10"]
    done = gate_command(nights / "night-10", "--trend", nights)
    assert done.exit_code == 1, done.output
    assert "FAILED     m  no downward trend over 10 runs: needles.literal: -0." in done.output
    assert "note: night-5b has 0 of the 288 questions of m: not in the trend" in done.output
    few = gate_command(nights / "night-3", "--trend", nights)
    assert few.exit_code == 0
    assert "not shown  m  no downward trend: 3 runs with the same questions; a trend needs 5" in few.output
    assert "over 5 runs" in gate_command(nights / "night-10", "--trend", nights, "--last", 5).output
    folders = [nights / f"night-{number}" for number in range(1, 11)]
    shown = CliRunner().invoke(results.history, [*map(str, folders), "-o", str(tmp_path / "page.html")])
    assert "needles.literal: falls by " in shown.output
    assert "over 10 versions (95 % CI" in (tmp_path / "page.html").read_text(encoding="utf-8")
    found = verbs.history(folders)
    assert {each.direction for each in found.trends if each.length is None} == {"falls"}
    assert not verbs.history(folders[:4]).trends


def test_markdown_has_failures_first_and_no_markup_from_outside(rows: list[Row]) -> None:
    named = changed(rows, model="<b>m|x</b>")
    gate = check_gate(named, ["needles.literal@600 >= 0.5", "needles.literal@2k >= 0.9", "needles.literal@1k >= 0.9"])
    text = gate_markdown(gate)
    assert text.startswith("### Long-context gate: failed\n")
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert lines[2].startswith("| **FAILED** | &lt;b&gt;m\\|x&lt;/b&gt; | needles.literal\\@2k")
    assert [line.split(" | ")[0] for line in lines[3:]] == ["| not shown", "| passed"]


def test_a_rule_on_over_refusal_counts_only_not_mentioned(rows: list[Row]) -> None:
    def say(row: Row) -> Row:
        long = row.cell.get("length") == 2000 and row.cell["prompt"] == "anti_hallucination"
        text = "Not mentioned in the text or story." if long else "a copper kettle"
        return row.model_copy(update={"verdict": Verdict(status="scored", value=0.0, answer=text)})

    said = [say(row) for row in rows]
    rule = "needles.literal.over_refusal"
    assert outcomes(said, f"{rule}@2000[prompt=anti_hallucination] >= 0.5", f"{rule}@1000 <= 0.5") == [P, P]
    assert outcomes(said, f"{rule} <= 0.1", f"{rule}@2000[prompt=anti_hallucination] <= 50%") == [F, F]
    (check,) = check_gate(said, [f"{rule}@2000 <= 0.1"]).checks
    assert some(check.estimate).value == 0.5
    with pytest.raises(BadInput, match="over-refused; name another question type"):
        check_gate(said, ["needles.abstention.over_refusal <= 0.1"])
