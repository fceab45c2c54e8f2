"""What a plan says of its own sharpness."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.present import some

from longreach import api
from longreach.cli.run import plan
from longreach.core.bench import Bench
from longreach.stats.counting import sample
from longreach.stats.headline import effective_length
from longreach.stats.power import powers


def test_a_plan_says_what_it_can_show(bench: Bench) -> None:
    literal, *_ = powers(bench)
    assert (literal.question_type, literal.questions, literal.asked) == ("literal", 4, 4 * 2 * 4)
    assert 4 < literal.effective < literal.asked
    assert 0 < literal.width < literal.drop_paired < literal.drop <= 1
    assert literal.needed is None
    wide, narrow = powers(bench, detect=0.2)[0], powers(bench, detect=0.1)[0]
    assert 3.4 < some(narrow.needed) / some(wide.needed) < 4, (
        "four times as many, less what answers vary more after a large drop"
    )
    # (0.85 x 0.15 + 0.75 x 0.25) x (1.96 + 0.84)^2 / 0.1^2
    assert some(narrow.needed_questions) == 248
    assert some(narrow.needed) > some(narrow.needed_questions)


@pytest.mark.parametrize("chance", [0.0, 0.25, 0.5])
def test_what_a_design_can_show_is_what_a_model_without_errors_gets(chance: float, tmp_path: Path) -> None:
    made = api.build("needles", tmp_path / "b", lengths="600,900", depths="0..100/5", facts=2, warn=lambda _: None)
    api.simulate(made, "perfect", tmp_path / "runs")
    rows = [row for row in api.grade(tmp_path / "runs") if row.question_type == "literal"]
    parts = {float(size): sample([row for row in rows if row.cell["length"] == size]) for size in (600, 900)}
    shown = powers(made, chance=lambda _: chance)[0]
    assert shown.question_type == "literal"
    assert shown.shows == effective_length(parts, chance=chance).length
    if chance:
        assert shown.contexts_needed > powers(made)[0].contexts_needed


def test_plan_prints_it_and_has_it_as_data(bench: Bench) -> None:
    said = CliRunner().invoke(plan, [str(bench.folder), "-m", "openai/gpt-5-mini", "--detect", "10"])
    assert said.exit_code == 0, said.output
    assert "smallest detectable drop" in said.output
    assert "needed per length: 248 questions about different contexts" in said.output
    assert api.plan(bench, ["openai/gpt-5-mini"], detect=10).powers[0].needed_questions == 248
