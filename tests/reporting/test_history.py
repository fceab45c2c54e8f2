"""Runs over time: trends with intervals, what changed, the index; a report of checkpoints; results in a notebook."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner

import longreach
from longreach.cli import cli
from longreach.errors import BadInput


@pytest.fixture(scope="module")
def folders(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three checkpoints of growing skill, each in a folder of its own, and all in one."""
    folder = tmp_path_factory.mktemp("history")
    settings = {"lengths": "600,1200", "depths": "30,60", "sets": 1, "prompts": "standard"}
    longreach.build("needles", folder / "b", docs=docs, warn=lambda _: None, settings=settings)
    for number, examinee in enumerate(("guesser", "cliff,at=600", "perfect"), 1):
        for out in (f"run-{number}", "all"):
            longreach.simulate(folder / "b", examinee, folder / out, name=f"lab/model-step{number}00")
    return [folder / f"run-{number}" for number in (1, 2, 3)]


def test_the_page_has_trends_changes_and_an_index(folders: list[Path], tmp_path: Path) -> None:
    longreach.report(folders[0], folders[0] / "page.html")
    done = CliRunner().invoke(cli, ["history", *map(str, folders), "-o", str(tmp_path / "history.html")])
    assert done.exit_code == 0, done.output
    assert "run-1 -> run-2" in done.output
    page = BeautifulSoup((tmp_path / "history.html").read_text(encoding="utf-8"), "html.parser")
    panels = page.select("#needles-accuracy svg.curve")
    assert len(panels) == 3  # one per question type
    assert all(len(panel.select("svg > g > .marker")) == 3 for panel in panels)
    assert all(len(panel.select("svg > path.band")) == 1 for panel in panels)
    assert page.select("#needles-effective svg.curve")
    rows = page.select("#changes tbody tr")
    assert len(rows) == 2 * 3
    assert "better" in page.get_text()
    (link,) = page.select(".index a")
    assert (tmp_path / str(link["href"])).resolve() == (folders[0] / "page.html").resolve()


def test_one_folder_is_no_history(folders: list[Path]) -> None:
    with pytest.raises(BadInput, match="two or more folders"):
        longreach.history(folders[:1])


def test_a_report_of_checkpoints_shows_them_over_time(folders: list[Path], tmp_path: Path) -> None:
    made = longreach.report(folders[0].parent / "all", tmp_path / "page.html")
    page = BeautifulSoup((tmp_path / "page.html").read_text(encoding="utf-8"), "html.parser")
    section = page.select_one("#over-time")
    assert section is not None
    assert section.select("svg.curve")
    html = made._repr_html_()
    assert "lab/model-step300" in html
    assert "<svg" in html
    assert "needles-by-length" in made.charts
    chart = made.chart("needles-by-length")
    assert chart.rows[0]["model"] == "lab/model-step100"
    assert all(svg.startswith("<svg xmlns") for svg in chart.svgs.values())
    assert chart.save(tmp_path / "one.svg").read_text(encoding="utf-8").startswith("<svg")
    assert chart.save(tmp_path / "one.csv").is_file()
    with pytest.raises(BadInput, match="needles-by-length"):
        made.chart("needles-by-lenght")
    with pytest.raises(BadInput, match=r"\.csv, \.svg"):
        chart.save(tmp_path / "one.gif")
