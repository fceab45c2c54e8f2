"""Rules: what they may say, what they hold, and what they answer when they name nothing."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from tests.reporting.sample_runs import calls_of, rows_of

from longreach import api as verbs
from longreach.checking.gate import Gate, check_gate, gate_json, gate_lines, gate_markdown, junit_text, write_junit
from longreach.checking.rules import parse_rule
from longreach.cli import tools
from longreach.core.bench import Bench
from longreach.core.row import Row
from longreach.core.verdict import Verdict
from longreach.errors import BadInput
from longreach.families.showing import family_view


@pytest.fixture(scope="module")
def rows(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """A model that is right at 600 and 1,000 tokens and wrong at 2,000, under both prompts."""
    folder = tmp_path_factory.mktemp("rows")
    return rows_of(bench, folder, calls_of(bench, "m", lambda item: item.cell["length"] != 2000))


def held(rows: Sequence[Row], *rules: str, **options: Any) -> list[bool]:
    return [check.holds for check in check_gate(rows, rules, **options).checks]


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


@pytest.mark.parametrize(
    ("text", "detail"),
    [
        ("needles.literal = 0.9", "cannot be read"),
        ("needles >= 0.9", "cannot be read"),
        ("needles.literal >= 0.9 or so", "cannot be read"),
        ("needles.literal >= 90", "from 0 to 1"),
        ("needles.literal >= 1k", "from 0 to 1"),
        ("needles.literal.efective >= 1k", "Did you mean 'effective'"),
        ("needles.literal.effective@2k >= 1k", "leave out @2k"),
        ("needles.literal.effective >= 50%", "in tokens"),
        ("needles.literal[prompt] >= 0.5", "'prompt' is no AXIS=VALUE"),
        ("needles.literal[] >= 0.5", "is no AXIS=VALUE"),
    ],
)
def test_a_rule_that_cannot_be_one_says_why(text: str, detail: str) -> None:
    with pytest.raises(BadInput, match=detail) as caught:
        parse_rule(text)
    assert "\n" not in str(caught.value)


def test_the_number_decides_and_strict_asks_the_interval(rows: list[Row]) -> None:
    assert held(rows, "needles.literal@1k >= 1", "needles.literal@2000 >= 0.1", "needles.literal@2k <= 0") == [
        True,
        False,
        True,
    ]
    assert held(rows, "needles.literal > 0.66", "needles.literal >= 0.67", "needles.literal < 0.67") == [
        True,
        False,
        True,
    ]
    assert held(rows, "needles.literal@1k >= 0.95", strict=True) == [False]
    assert held(rows, "needles.literal@1k >= 0.6", "needles.literal@2k <= 0.05", strict=True) == [True, False]
    (check,) = check_gate(rows, ["needles.literal@1k >= 1"]).checks
    assert check.estimate is not None
    assert check.estimate.n == 4 * 2 * 4  # depths, prompts, literal questions
    assert check.detail.startswith("1 (0.")
    assert check.detail.endswith("to 1), n = 32")


def test_axes_hold_other_things_fast(rows: list[Row]) -> None:
    (check,) = check_gate(rows, ["needles.inference@1k[prompt=standard,depth=30%] >= 0.5"]).checks
    assert check.estimate is not None
    assert check.estimate.n == 4


def test_effective_length_and_share_of_scored_answers(rows: list[Row]) -> None:
    gate = check_gate(rows, ["needles.literal.effective >= 1k", "needles.literal.effective >= 2k"])
    assert [check.holds for check in gate.checks] == [True, False]
    assert gate.checks[0].detail.startswith("1000 (")
    cut = [
        row.model_copy(update={"verdict": Verdict(status="truncated")}) if row.cell["length"] == 2000 else row
        for row in rows
    ]
    assert held(cut, "needles.literal.scored >= 0.6", "needles.literal.scored >= 0.7") == [True, False]
    gate = check_gate(cut, ["needles.literal@2k >= 0.01", "needles.literal.answered@2k >= 0"])
    assert not gate.passed  # cut off is not delivered, and nothing answered is not good enough for anything
    assert gate.checks[0].detail.startswith("0 (0 to 0.")
    assert gate.checks[0].detail.endswith("n = 32 (32 truncated)")
    assert gate.checks[1].detail == "nothing answered of 32 asked (32 truncated)"
    lost = [
        row.model_copy(update={"verdict": Verdict(status="error")}) if row.cell["length"] == 2000 else row
        for row in rows
    ]
    gate = check_gate(lost, ["needles.literal@2k >= 0", "needles.literal >= 1"])
    assert [check.holds for check in gate.checks] == [False, True]
    assert gate.checks[0].detail == "no result of 32 asked (32 error)"


def test_a_model_at_chance_has_no_effective_length(rows: list[Row]) -> None:
    """It keeps its level to the end, and that says nothing."""
    half = [
        row.model_copy(update={"verdict": Verdict(status="scored", value=float(n % 2))}) for n, row in enumerate(rows)
    ]
    views = {"needles": family_view("needles").model_copy(update={"chances": {"literal": 0.5}})}
    rules = ["needles.literal.effective >= 600", "needles.literal.keeps >= 600"]
    gate = check_gate(half, rules, views=views)
    assert [check.holds for check in gate.checks] == [False, False]
    assert gate.checks[0].detail.startswith("none (none to ")
    assert gate.checks[1].detail.startswith("none: no better than guessing at 600")
    assert held(rows, "needles.literal.keeps >= 1k", views=views) == [True]


@pytest.mark.parametrize(
    ("rule", "detail"),
    [
        ("nedles.literal >= 0.9", "Did you mean 'needles'"),
        ("novel.summary >= 0.9", "no results of m in family 'novel'; there are: needles"),
        ("needles.litteral >= 0.9", "Did you mean 'literal'"),
        ("needles.literal@64k >= 0.9", "length 64k was not tested; there are: 600, 1k, 2k"),
        ("needles.literal@long >= 0.9", "length long was not tested"),
        ("needles.literal[depth=42] >= 0.9", "depth 42 was not tested; there are: 0, 30, 60, 100"),
        ("needles.literal[promt=standard] >= 0.9", "no axis 'promt'. Did you mean 'prompt'"),
    ],
)
def test_a_rule_that_names_nothing_says_what_there_is(rows: list[Row], rule: str, detail: str) -> None:
    with pytest.raises(BadInput, match=detail) as caught:
        check_gate(rows, [rule])
    assert "\n" not in str(caught.value)


def test_experiments_are_not_pooled_by_a_rule(rows: list[Row]) -> None:
    both = changed(rows, bench="c", cell={**rows[0].cell, "layout": "comb"}) + [
        row.model_copy(update={"cell": {**row.cell, "layout": "paragraph"}}) for row in rows
    ]
    with pytest.raises(
        BadInput, match=r"different experiments \(layout comb, paragraph\); choose one: \[layout=comb\]"
    ):
        check_gate(both, ["needles.literal >= 0.1"])
    assert held(both, "needles.literal[layout=paragraph] >= 0.6") == [True]


def test_a_rule_holds_for_every_model_or_the_named_one(rows: list[Row]) -> None:
    wrong = Verdict(status="scored", value=0.0)
    both = [*rows, *changed(rows, model="n", verdict=wrong), *changed(rows[:3], model="other", family="novel")]
    gate = check_gate(both, ["needles.literal >= 0.5"])
    assert [(check.model, check.holds) for check in gate.checks] == [("m", True), ("n", False)]
    assert held(both, "needles.literal >= 0.5", models=["m"]) == [True]
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
    better = check_gate(right, [], old=rows, names=("new", "old"))
    assert better.passed
    assert [check.rule for check in better.checks] == [
        f"no worse than old: needles.{question_type}" for question_type in ("literal", "inference", "abstention")
    ]
    worse = check_gate(rows, [], old=right, names=("new", "old"))
    assert [check.holds for check in worse.checks] == [False] * 3
    assert worse.checks[0].detail.startswith("-0.3333 (-0.")
    assert worse.checks[0].detail.endswith("n = 96 pairs; clearly worse")
    assert check_gate(rows, [], old=right, margin=0.5).passed
    same = check_gate(rows, [], old=changed(rows, model="last week's"))
    assert same.passed  # one model each side: names may differ
    with pytest.raises(BadInput, match="no question in common"):
        check_gate(rows, [], old=changed(rows, bench="f" * 64))
    joined = check_gate([*rows, *changed(rows, model="newcomer")], [], old=rows, names=("new", "old"))
    assert joined.notes == ("newcomer is not in old: nothing to compare it with",)


def test_answers_that_can_no_longer_be_read_do_not_pass_as_no_worse(rows: list[Row]) -> None:
    unread = Verdict(status="unparsed", reason="no line for this question")
    new = [row.model_copy(update={"verdict": unread}) if row.cell["depth"] in (0, 30) else row for row in rows]
    gate = check_gate(new, [], old=rows, names=("new", "old"))
    failed = [check for check in gate.checks if not check.holds]
    assert "no worse than old: needles, answers that can be graded" in [check.rule for check in failed]
    assert gate.notes == ()


def test_lines_json_and_junit(rows: list[Row], tmp_path: Path) -> None:
    odd = changed(rows, model='<m & "n">\x07')
    gate = check_gate(odd, ["needles.literal@1k >= 0.9", "needles.literal@2k > 0.9"])
    lines = gate_lines(gate)
    assert lines[0].startswith("ok    <m &")
    assert lines[1].startswith("FAIL  <m &")
    assert lines[2] == "1 of 2 checks failed"
    assert gate_json(gate)["ok"] is False
    write_junit(gate, tmp_path / "reports" / "gate.xml")
    root = ElementTree.fromstring((tmp_path / "reports" / "gate.xml").read_text(encoding="utf-8"))
    assert root.attrib["failures"] == "1"
    cases = root.findall("testsuite/testcase")
    assert [case.attrib["name"] for case in cases] == ["needles.literal@1k >= 0.9", "needles.literal@2k > 0.9"]
    assert cases[0].attrib["classname"] == 'longreach.<m & "n">'
    assert [case.find("failure") is not None for case in cases] == [False, True]
    assert junit_text(Gate(checks=gate.checks[:1])).count("<failure") == 0


def test_exit_codes(rows: list[Row], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(verbs, "_graded", lambda *_: rows)
    monkeypatch.setattr(verbs, "_measured", lambda *_: (rows, {}))

    def run(*arguments: str) -> Any:
        return CliRunner().invoke(tools.gate, [str(tmp_path), *arguments])

    good = run("--require", "needles.literal@1k >= 0.9", "--no-worse-than", "old", "--junit", str(tmp_path / "g.xml"))
    assert good.exit_code == 0, good.output
    assert "all of 4 checks hold" in good.output
    assert (tmp_path / "g.xml").is_file()
    assert run("--require", "needles.literal@2k >= 0.9").exit_code == 1
    bad = run("--require", "needles.literal@3k >= 0.9")
    assert isinstance(bad.exception, BadInput)
    assert bad.exception.exit_code == 2


def test_markdown_has_failures_first_and_no_markup_from_outside(rows: list[Row]) -> None:
    named = changed(rows, model="<b>m|x</b>")
    gate = check_gate(named, ["needles.literal@600 >= 0.9", "needles.literal@2k >= 0.9"])
    text = gate_markdown(gate)
    assert text.startswith("### Long-context gate: failed\n")
    lines = [line for line in text.splitlines() if line.startswith("| ")]
    assert lines[2].startswith("| **FAIL** | &lt;b&gt;m\\|x&lt;/b&gt; | needles.literal\\@2k")
    assert lines[3].startswith("| ok |")
