"""Rules: what they may say, what they hold, and what they answer when they name nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner
from tests.present import some
from tests.reporting.sample_runs import calls_of, own_contexts, rows_of

from longreach import api as verbs
from longreach.checking.gate import Gate, GateSettings, check_gate, parse_rule
from longreach.checking.gate_text import gate_lines, gate_markdown, write_gate_page, write_junit
from longreach.checking.nights import Night
from longreach.cli import results, run
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


P, F, N = "passed", "failed", "open"


def outcomes(rows: Sequence[Row], *rules: str, views: Any = None, **options: Any) -> list[str]:
    return [check.outcome for check in check_gate(rows, rules, GateSettings(**options), views=views).checks]


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
    assert gate.checks[0].detail == "nothing was measured of 32 asked (32 truncated)"
    assert gate.checks[1].detail == "nothing was measured of 32 asked (32 truncated)"
    lost = [
        row.model_copy(update={"verdict": Verdict(status="error")}) if row.cell["length"] == 2000 else row
        for row in rows
    ]
    gate = check_gate(lost, ["needles.literal@2k >= 0", "needles.literal >= 1"])
    assert [check.outcome for check in gate.checks] == [F, N]
    assert gate.checks[0].detail == "nothing was measured of 32 asked (32 error)"


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
        check_gate(both, ["needles.literal >= 0.5"], GateSettings(models=["other"]))
    with pytest.raises(BadInput, match="no results of model 'mm'"):
        check_gate(both, ["needles.literal >= 0.5"], GateSettings(models=["mm"]))
    with pytest.raises(BadInput, match="no rule"):
        check_gate(rows, [])


def test_the_length_may_stand_before_or_after_the_other_axes() -> None:
    one, other = (parse_rule(f"needles.literal{where} >= 0.9") for where in ("@64k[depth=50]", "[depth=50]@64k"))
    assert (one.length, one.where) == (other.length, other.where) == ("64k", {"depth": "50"})


def night(name: str, rows: Sequence[Row], **options: Any) -> Night:
    return Night(name, rows, **options)


def by_length(gate: Gate) -> dict[Any, str]:
    return {place.length: place.outcome for each in gate.compared for place in each.lengths}


def test_tonight_against_one_earlier_run(rows: list[Row], bench: Bench, tmp_path: Path) -> None:
    right = rows_of(bench, tmp_path, calls_of(bench, "m", lambda _: True))
    better = check_gate(right, [], nights=[night("old", rows)], name="new")
    assert (better.outcome, better.failed) == ("better", False)
    assert by_length(better) == {600: "passed", 1000: "passed", 2000: "better"}
    assert better.statements[0].text == "Better at 2k: 100 of 100 instead of 0."
    worse = check_gate(rows, [], nights=[night("old", right)], name="new")
    assert (worse.outcome, worse.failed) == ("worse", True)
    assert by_length(worse) == {600: "passed", 1000: "passed", 2000: "worse"}
    assert worse.statements[0].text == "Worse at 2k: 0 of 100 instead of 100."
    (found,) = worse.compared
    assert found.reference == "old"
    (place,) = (each for each in found.lengths if each.length == 2000)
    assert place.decided.difference.value == -1
    one = check_gate(rows, [], GateSettings(at=700), nights=[night("old", right)])
    assert (one.outcome, list(by_length(one))) == ("passed", [1000])
    same = check_gate(rows, [], nights=[night("old", changed(rows, model="last week's"))])
    assert not same.failed, "one model each side: names may differ"
    with pytest.raises(BadInput, match="no question in common with old"):
        check_gate(rows, [], nights=[night("old", changed(rows, bench="f" * 64))])
    joined = check_gate([*rows, *changed(rows, model="newcomer")], [], nights=[night("old", rows)], name="new")
    assert joined.notes == ("old has no results of newcomer: not compared",)
    first = check_gate(rows, [], nights=[])
    assert (first.outcome, first.failed) == (N, False)
    assert first.statements[0].text == "Open: there is no earlier night to compare with yet."
    assert check_gate(rows, [], GateSettings(strict=True), nights=[]).failed


def test_a_perfect_night_is_passed_however_few_its_answers(rows: list[Row]) -> None:
    few = changed(rows[:6], verdict=Verdict(status="scored", value=1.0))
    gate = check_gate(few, [], GateSettings(strict=True), nights=[night("old", few)])
    assert (gate.outcome, gate.failed) == (P, False)
    half = [
        row.model_copy(update={"verdict": Verdict(status="scored", value=float(n % 2))}) for n, row in enumerate(few)
    ]
    gate = check_gate(half, [], nights=[night("old", half)])
    assert (gate.outcome, gate.failed) == (N, False)
    assert check_gate(half, [], GateSettings(strict=True), nights=[night("old", half)]).failed
    assert gate.statements[0].text.startswith("Open at 600: no loss is shown, and one of 5 points is not excluded (")


def test_refusals_are_named_with_where_they_are(rows: list[Row]) -> None:
    refused = Verdict(status="refused")
    new = [
        row.model_copy(update={"verdict": refused}) if row.cell["length"] != 600 and n % 5 == 0 else row
        for n, row in enumerate(rows)
    ]
    nights = [night(f"night-{n}", rows) for n in range(7)]
    gate = check_gate(new, [], nights=nights, name="new")
    assert gate.failed
    text = "\n".join(gate_lines(gate))
    assert "13 of 100 answers were refused (most at 1k and 2k); 0 before." in text
    assert ["refused", "0", "%", "13", "%"] in [line.split() for line in text.splitlines()]
    over = ["needles.literal.over_refusal <= 15%"]
    every = check_gate(changed(rows, verdict=refused), over, GateSettings(strict=True), nights=nights)
    assert (every.outcome, every.checks[0].outcome) == ("broken", F)
    assert every.statements[0].text == "Broken: nothing was measured, 288 of 288 answers were refused."
    assert every.checks[0].detail.startswith("nothing was measured")


def test_answers_that_can_no_longer_be_read_do_not_pass(rows: list[Row]) -> None:
    """Where the model was wrong before, nothing is lost in what is right: the lost format still shows."""
    unread = Verdict(status="unparsed", reason="no line for this question")
    new = [row.model_copy(update={"verdict": unread}) if row.cell["length"] == 2000 else row for row in rows]
    gate = check_gate(new, [], nights=[night("old", rows)], name="new")
    assert gate.outcome == "worse"
    assert gate.statements[0].text == "Worse in answers that can be graded: 67 of 100 instead of 100."


def test_a_night_that_failed_is_no_reference(rows: list[Row]) -> None:
    """Three bad nights in between: tonight is as good as the good ones, and is not called better."""
    bad = [row.model_copy(update={"verdict": Verdict(status="scored", value=0.0)}) for row in rows]
    nights = [night(f"n{n}", rows) for n in range(8)]
    nights += [night(f"bad{n}", bad, good=False) for n in range(3)]
    gate = check_gate(rows, [], nights=nights, name="tonight")
    places = {(c.nights, c.reference, c.of) for each in gate.compared for p in each.lengths for c in p.compared}
    assert (1, "before", 7) in places
    tonight = [place.nightly.outcome for each in gate.compared for place in each.lengths]
    assert set(tonight) == {P}
    assert gate.outcome in ("worse", "suspicious"), "the last three and seven nights have two and three bad ones"
    assert "under the 7 before" in gate.statements[0].text or "instead of" in gate.statements[0].text


def test_fresh_items_are_compared_over_contexts(rows: list[Row]) -> None:
    def asked(seed: int, source: Sequence[Row]) -> list[Row]:
        own = {"bench": f"b{seed}"}
        return [row.model_copy(update=own | {"question": f"{seed} {row.question}", "context": f"{seed} {row.context}"})
                for row in source]  # fmt: skip

    nights = [night(f"n{seed}", asked(seed, rows)) for seed in range(5)]
    good = check_gate(asked(9, rows), [], nights=nights, alike=True)
    assert not good.failed
    assert all(each.fresh for each in good.compared)
    assert good.notes == ("5 nights asked other items: compared over contexts",)
    wrong = [
        row.model_copy(update={"verdict": Verdict(status="scored", value=0.0)}) if row.cell["length"] == 600 else row
        for row in rows
    ]
    worse = check_gate(asked(9, wrong), [], nights=nights, alike=True)
    assert by_length(worse) == {600: "worse", 1000: P, 2000: P} or by_length(worse)[600] == "worse"
    with pytest.raises(BadInput, match="no question in common"):
        check_gate(asked(9, rows), [], nights=nights)


def test_lines_json_and_junit(rows: list[Row], tmp_path: Path) -> None:
    odd = changed(rows, model='<m & "n">\x07')
    gate = check_gate(odd, ["needles.literal@1k >= 0.5", "needles.literal@2k > 0.9", "needles.literal@1k >= 0.9"])
    lines = gate_lines(gate)
    assert [line.split("  <m &")[0].strip() for line in lines[:3]] == ["passed", "failed", "open"]
    assert lines[3] == "1 of 3 rules failed, 1 open."
    data = gate.model_dump(mode="json")
    assert (data["outcome"], data["failed"], data["summary"]) == (F, True, lines[3])
    write_junit(gate, tmp_path / "reports" / "gate.xml")
    root = ElementTree.fromstring((tmp_path / "reports" / "gate.xml").read_text(encoding="utf-8"))
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["skipped"]) == ("3", "1", "1")
    cases = root.findall("testsuite/testcase")
    assert [case.attrib["name"] for case in cases] == [check.rule for check in gate.checks]
    assert cases[0].attrib["classname"] == 'longreach.<m & "n">'
    assert [[part.tag for part in case] for case in cases] == [["system-out"], ["failure"], ["skipped"]]
    assert Gate(checks=gate.checks[:1]).summary == "The rule passed."
    assert Gate(checks=gate.checks[:1] * 3).summary == "All 3 rules passed."
    assert Gate(checks=(gate.checks[0], gate.checks[2])).summary == "1 of 2 rules passed, 1 open."


def test_everything_that_speaks_says_the_same(rows: list[Row], bench: Bench, tmp_path: Path) -> None:
    """Terminal, Markdown, JUnit, JSON and page have one verdict, one table, and repeats."""
    right = rows_of(bench, tmp_path / "right", calls_of(bench, "m", lambda _: True))
    gate = check_gate(rows, [], nights=[night("old", right)], name="new", repeated={"HTTP 500": 7})
    verdict, again = "Worse at 2k: 0 of 100 instead of 100.", "7 requests were repeated (HTTP 500)."
    write_junit(gate, tmp_path / "gate.xml")
    write_gate_page(gate, tmp_path / "gate.html")
    said = {
        "terminal": "\n".join(gate_lines(gate)),
        "markdown": gate_markdown(gate),
        "junit": (tmp_path / "gate.xml").read_text(encoding="utf-8"),
        "json": json.dumps(gate.model_dump(mode="json")),
        "page": BeautifulSoup((tmp_path / "gate.html").read_text(encoding="utf-8"), "html.parser").get_text(),
    }
    for text in said.values():
        assert verdict in text.replace("\\", "")
        assert again in text.replace("\\", "")
    assert said["terminal"].startswith(f"{verdict} Exit 1.\n\nlength ")
    for name in ("terminal", "markdown", "page"):
        assert "worse (margin 5)" in said[name].replace("\\", "")
    assert said["markdown"].replace("\\", "").startswith(f"### Long context: {verdict}\n")
    assert all(len(line.text.split()) <= 30 for line in gate.statements)
    assert len(said["terminal"].splitlines()) <= 30
    assert max(map(len, said["terminal"].splitlines())) <= 88


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
    assert (good.exit_code, good.output.splitlines()[-1]) == (0, "The rule passed.")
    assert (tmp_path / "g.xml").is_file()
    open_ = ("--require", "needles.literal@1k >= 0.95")
    assert gate_command(folder, *open_).exit_code == 0
    assert gate_command(folder, *open_).output.splitlines()[-1] == "0 of 1 rule passed, 1 open."
    assert gate_command(folder, *open_, "--strict").exit_code == 1
    assert gate_command(folder, "--require", rule, "--against", folder).exit_code == 0
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
    for checked in (("--require", "needles.literal >= 0.1"), ("--against", folder)):
        done = gate_command(tmp_path / "runs", *checked)
        assert done.exit_code == 1
        failed = f" ({5} failed)" if lost == "error" else ""
        missing = f"answers to {len(calls) - 5} of the {len(calls)} items of needles benchmark {bench.info.digest[:12]}"
        start = "Broken:" if "--against" in checked else "failed  m  every item answered:"
        assert f"{start} {missing}{failed}; import the others" in done.output
        done = gate_command(tmp_path / "runs", *checked, "--partial")
        assert done.exit_code == 0, done.output
        assert f"note: m: {missing}{failed}" in done.output


def test_a_search_is_complete_without_every_item(bench: Bench) -> None:
    """It sends no more than it needs; a call of it that failed is missing all the same."""
    calls = calls_of(bench, "m", lambda _: True)[:9]
    assert {gap.remedy for gap in run_gaps([bench], calls)} == {"the same run command resumes"}
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


@pytest.fixture
def week(bench: Bench, tmp_path: Path) -> Path:
    """Nights of one model that answers a little differently every night; from the tenth on it is silent more often."""
    nights = tmp_path / "nights"
    for number in range(1, 12):
        rate = "silent,rate=0.03" if number < 10 else "silent,rate=0.85"
        verbs.simulate(bench, rate, nights / f"night-{number}", seed=number, name="m")
    return nights


def test_nights_are_judged_one_after_the_other(week: Path) -> None:
    """`night-10` comes after `night-9`; a failed night is recorded, kept, and no reference; the pinned one stays."""
    assert [path.name for path in run_folders(week)][-3:] == ["night-9", "night-10", "night-11"]
    (week / "night-5b" / "benches").mkdir(parents=True)
    codes = {number: gate_command(week / f"night-{number}", "--against", week).exit_code for number in range(1, 12)}
    assert codes == {number: int(number >= 10) for number in range(1, 12)}
    pinned = json.loads((week / "reference.json").read_text(encoding="utf-8"))
    assert pinned["nights"] == [f"night-{number}" for number in range(1, 8)]
    record = json.loads((week / "night-10" / "gate.json").read_text(encoding="utf-8"))
    assert record["outcome"] in ("worse", "suspicious")
    again = gate_command(week / "night-11", "--against", week, "--json")
    found = json.loads(again.output)
    assert found["compared"][0]["reference"] == "7 nights"
    assert found["failed"]
    accepted = gate_command(week / "night-10", "--against", week, "--accept")
    assert accepted.exit_code == 0
    assert "note: accepted: the reference starts with night-10" in accepted.output
    assert gate_command(week / "night-11", "--against", week).exit_code == 0, "as good as the accepted night"
    elsewhere = gate_command(week / "night-9", "--against", week / "night-1", "--accept")
    assert isinstance(elsewhere.exception, BadInput)


def test_history_says_what_the_gate_says(week: Path, tmp_path: Path) -> None:
    shown = CliRunner().invoke(results.history, [str(week), "-o", str(tmp_path / "page.html")])
    assert shown.exit_code == 0, shown.output
    lines = {line.partition(":")[0]: line.partition(": ")[2] for line in shown.output.splitlines() if "night-" in line}
    assert lines["night-10"].startswith(("Worse", "Suspicious"))
    found = verbs.history([week])
    outcomes = {each.label: each.outcome for each in found.nights}
    assert {label for label, outcome in outcomes.items() if outcome in ("worse", "suspicious")} == {
        "night-10",
        "night-11",
    }
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Right of all asked, night by night" in page


def test_markdown_has_failures_first_and_no_markup_from_outside(rows: list[Row]) -> None:
    named = changed(rows, model="<b>m|x</b>")
    gate = check_gate(named, ["needles.literal@600 >= 0.5", "needles.literal@2k >= 0.9", "needles.literal@1k >= 0.9"])
    text = gate_markdown(gate)
    assert text.startswith("### Long context: 1 of 3 rules failed, 1 open.\n")
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert lines[2].startswith("| **failed** | &lt;b&gt;m\\|x&lt;/b&gt; | needles.literal\\@2k")
    assert [line.split(" | ")[0] for line in lines[3:]] == ["| open", "| passed"]


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


def test_a_plan_for_the_gate_from_the_last_nights(bench: Bench, week: Path) -> None:
    """What it says one night shows is what the gate itself says; half of it takes four times the contexts."""
    done = CliRunner().invoke(run.plan, [str(bench.folder), "--gate", str(week), "--json"])
    assert done.exit_code == 0, done.output
    (plan,) = json.loads(done.output)["plans"]
    assert [each["label"] for each in plan["lengths"]] == ["600", "1k", "2k"]
    assert all(0 < each["three"] < each["one"] and each["differ"] > 0 for each in plan["lengths"])
    assert plan["contexts"] == 4 * max(each["contexts"] for each in plan["lengths"])
    text = CliRunner().invoke(run.plan, [str(bench.folder), "--gate", str(week)]).output
    assert text.startswith("One night shows a drop of ")
    for number in (1, 2):
        verbs.simulate(bench, "perfect", week.parent / "few" / f"{number}", name="m")
    few = CliRunner().invoke(run.plan, [str(bench.folder), "--gate", str(week.parent / "few")])
    assert isinstance(few.exception, BadInput)
    assert "2 nights; 3 of the same items" in str(few.exception)
