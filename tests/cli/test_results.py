"""import, grade, report, published, families and models as a user calls them, and progress of slow work."""

from __future__ import annotations

import io
import json
import time
from pathlib import Path

import pytest
from tests.command_line import longreach, result

from longreach.core.progress import ProgressLine
from longreach.families import FAMILIES


@pytest.fixture(scope="module")
def runs(bench: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("results") / "runs"
    longreach("simulate", bench, "-m", "perfect", "-o", folder)
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
    said = result("report", runs, "-o", tmp_path / "files", "--format", "html,svg,csv,md")
    assert said["page"] == str(tmp_path / "files" / "page.html")
    assert set(said["files"]) == {str(path) for path in (tmp_path / "files").rglob("*") if path.is_file()}
    assert {Path(path).suffix for path in said["files"]} == {".html", ".svg", ".csv", ".md"}
    assert "makes several" in longreach("report", runs, "-o", page, "--format", "csv,md", code=2).err


def test_published_figures_name_their_family() -> None:
    assert longreach("published", "needles").out.strip()
    assert "novell" in longreach("published", "novell", code=2).err


def test_import_suggests_the_report(bench: Path, tmp_path: Path) -> None:
    answers = tmp_path / "answers.jsonl"
    lines = [json.dumps({"id": item["id"], "text": "1. No idea"}) for item in result("show", bench)["items"]]
    answers.write_text("\n".join(lines), encoding="utf-8")
    done = longreach("import", bench, answers, "-m", "x", "-o", tmp_path / "r")
    assert f"next: longreach report {tmp_path / 'r'} -o page.html" in done.err


def test_families_are_listed_with_what_they_measure() -> None:
    listed = longreach("families").out
    for name, about in FAMILIES.items():
        assert name in listed
        assert about.split(".")[0] in listed


def test_models_tell_ready_from_not_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    for key, state in (("", "no key set (OPENAI_API_KEY)"), ("sk-0123456789abcdef", "ready")):
        monkeypatch.setenv("OPENAI_API_KEY", key)
        states = {entry["name"]: entry["state"] for entry in result("models")["models"]}
        assert (states["embedded"], states["openai/NAME"]) == ("ready", state)


def test_progress_is_silent_when_quick_and_shows_step_and_count_when_slow() -> None:
    quick, slow = io.StringIO(), io.StringIO()
    with ProgressLine(quick, silent=60) as steps:
        steps("grading answers", 1, 9)
    assert quick.getvalue() == ""
    with ProgressLine(slow, silent=0.01) as steps:
        steps("grading answers", 1, 9)
        while not slow.getvalue():
            time.sleep(0.005)
    assert slow.getvalue().startswith("grading answers 1 of 9, ")
