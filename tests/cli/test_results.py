"""grade, report and published as a user calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import longreach, result


@pytest.fixture(scope="module")
def runs(bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results") / "runs"
    longreach("simulate", bench, "--examinee", "perfect", "-o", folder)
    return folder


def test_grade_counts_every_question_and_grades_the_same_again(runs: Path) -> None:
    first = result("grade", runs)
    assert first["rows"] == 18 * 30
    rows = (runs / "rows.jsonl").read_bytes()
    assert result("grade", runs) == first
    assert (runs / "rows.jsonl").read_bytes() == rows
    assert all(json.loads(line)["verdict"]["status"] == "scored" for line in rows.splitlines())


def test_report_writes_the_page_and_the_formats_asked_for(runs: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    assert result("report", runs, "-o", page)["page"] == str(page)
    assert "<script" in page.read_text(encoding="utf-8")
    longreach("report", runs, "-o", tmp_path / "files", "--format", "csv,md")
    assert list((tmp_path / "files").rglob("*.csv"))
    assert list((tmp_path / "files").rglob("*.md"))
    assert "makes several" in longreach("report", runs, "-o", page, "--format", "csv,md", code=2).err


def test_published_figures_name_their_family() -> None:
    assert longreach("published", "needles").out.strip()
    assert "novell" in longreach("published", "novell", code=2).err
