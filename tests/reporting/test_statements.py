"""One fact has one wording: what terminal, page, JSON, Markdown, notebook, compare and history say about one run."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from tests.command_line import longreach as command
from tests.command_line import result

import longreach
from longreach.reporting.report_files import ReportResult


@pytest.fixture(scope="module")
def runs(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Two folders: models of known skill, one of which refuses; the other one has a model that is in both."""
    folder = tmp_path_factory.mktemp("said")
    settings = {"lengths": "600,1200", "depths": "0..100/20", "sets": 6, "prompts": "standard", "facts": 4}
    longreach.build("needles", folder / "b", docs=docs, warn=lambda _: None, settings=settings)
    for skill in ("perfect", "inventor", "refuser,rate=0.5,beyond=700"):
        longreach.simulate(folder / "b", skill, folder / "first")
    for skill in ("perfect", "cliff,at=600"):
        longreach.simulate(folder / "b", skill, folder / "second")
    return folder / "first", folder / "second"


@pytest.mark.parametrize("at", [None, "600"])
def test_terminal_page_json_and_markdown_say_the_same(runs: tuple[Path, Path], tmp_path: Path, at: str | None) -> None:
    only = ["--at", at] if at else []
    page, folder = tmp_path / "page.html", tmp_path / "files"
    terminal = " ".join(command("report", runs[0], "-o", page, *only).out.split())
    told = result("report", runs[0], "-o", page, *only)["statements"]
    command("report", runs[0], "-o", folder, "--format", "md,csv", *only)
    shown = " ".join(BeautifulSoup(page.read_text(encoding="utf-8"), "html.parser").get_text(" ").split())
    markdown = re.sub(r"\\(.)", r"\1", (folder / "report.md").read_text(encoding="utf-8"))
    markdown = " ".join(html.unescape(markdown).split())
    assert {each["about"] for each in told} >= {"verdict", "made_up", "refused"}, "--at hides no refusal, no warning"
    for each in told:
        for where in (terminal, shown, markdown):
            assert each["text"] in where
    assert [each["severity"] for each in told].index("broken") == 0


def test_compare_and_history_word_the_verdicts_as_the_report_does(runs: tuple[Path, Path], tmp_path: Path) -> None:
    made = longreach.report(runs[1], tmp_path / "page.html")
    verdicts = {each.text for each in made.contents.statements if each.about in ("verdict", "open") and each.model}
    compared = command("compare", runs[1]).out
    assert {text for text in verdicts if text in " ".join(compared.split())} == verdicts
    history = " ".join(command("history", *runs).out.split())
    assert {text for text in verdicts if text in history} == verdicts


def test_the_number_in_a_statement_is_that_of_table_picture_and_data(runs: tuple[Path, Path], tmp_path: Path) -> None:
    made = longreach.report(runs[0], tmp_path / "page.html")
    assert isinstance(made, ReportResult)
    (family,) = made.contents.families
    picture = family.overview
    assert picture is not None
    drawn = {(row[1], row[2]): row[3:6] for row in picture.table["rows"] if row[0] == "length"}
    for finding in family.findings:
        assert finding.decision is not None
        longest = finding.decision.by_length[-1]
        assert longest.right is not None
        shown = [round(end, 4) for end in (longest.right.value, longest.right.low, longest.right.high)]
        assert drawn[finding.name, "1.2k"] == shown
        (line,) = [line for line in (family.ranking.lines if family.ranking else ()) if line.name == finding.name]
        (cell,) = [cell for cell in line.numbers if cell.column == "At longest length"]
        assert [round(end or 0.0, 4) for end in (cell.value, cell.low, cell.high)] == shown
        said = [each for each in finding.statements if each.about == "verdict" and each.length == longest.length]
        assert all(each.number == longest.right for each in said)


def test_one_set_of_filters_works_in_report_compare_and_history(runs: tuple[Path, Path], tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    only = ("--family", "needles", "-m", "perfect", "--type", "literal", "--at", "600")
    told = result("report", *runs, "-o", page, *only)
    (family,) = told["families"]
    assert [each["model"] for each in family["models"]] == ["simulated/perfect (first)", "simulated/perfect (second)"]
    assert {kind["question_type"] for each in family["models"] for kind in each["question_types"]} == {"literal"}
    assert "literal" in command("compare", *runs, *only).out
    assert "literal" in command("history", *runs, *only).out
    wrong = command("report", runs[0], "-o", page, "--type", "litteral", code=2)
    assert "Did you mean 'literal'?" in wrong.err


def test_plan_takes_one_length_and_type(runs: tuple[Path, Path]) -> None:
    bench = runs[0].parent / "b"
    whole, part = (result("plan", bench, "-m", "none/model", *only)["models"][0] for only in ((), ("--at", "600")))
    assert 0 < part["requests"] < whole["requests"]
    assert "nothing of this length" in command("plan", bench, "-m", "none/model", "--at", "1M", code=2).err
