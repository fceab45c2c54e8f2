"""Planned against real, and results over time."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from click.testing import CliRunner
from tests.doubles.chat_server import ChatServer, Reply
from tests.present import some

import longreach
from longreach import api as verbs
from longreach.cli import cli
from longreach.core.bench import Bench
from longreach.errors import BadInput
from longreach.reporting.figures import planned_table
from longreach.runner.logs import collect_calls

MODEL = "openai-api/local/double"


def test_the_page_holds_planned_against_real(bench: Bench, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    with ChatServer(lambda _: Reply(cached=60)) as server:
        verbs.run(
            bench, MODEL, runs, base_url=server.base_url, concurrency=1, price="10,1,100", prefill=1000, decode=50
        )
    made = verbs.report(runs, tmp_path / "page.html")
    table = some(planned_table(runs, collect_calls(runs)))
    assert table in made.figures
    planned, real = (
        dict(zip([column.title or "which" for column in table.columns], row, strict=True)) for row in table.rows
    )
    foreseen = verbs.plan(bench, [MODEL], concurrency=1, price="10,1,100", rate=1000, rate_out=50, sample=False).models[
        0
    ]
    count = len(bench.items)
    assert (planned["which"], real["which"]) == ("planned", "real")
    assert planned["requests"] == real["requests"] == count
    assert planned["tokens in"] == foreseen.input_tokens
    assert planned["computed"] == foreseen.caches.get("provider", foreseen.prefill_workers)
    assert planned["US dollars"] == pytest.approx(foreseen.cost)
    assert planned["seconds"] == pytest.approx(foreseen.seconds)
    # As the server says of every call: 100 tokens in, 60 of them cached, 5 out.
    assert (real["tokens in"], real["computed"], real["cached"]) == (100 * count, 40 * count, 60 * count)
    assert real["US dollars"] == pytest.approx(count * (40 * 10 + 60 * 1 + 5 * 100) / 1e6)
    assert "Was the plan right?" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_without_a_note_there_is_nothing_to_hold_against(tmp_path: Path) -> None:
    assert planned_table(tmp_path, []) is None


@pytest.fixture(scope="module")
def folders(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Three checkpoints of growing skill, each in a folder of its own, and all in one."""
    folder = tmp_path_factory.mktemp("history")
    settings = {"lengths": "600,1200", "depths": "30,60", "sets": 1, "prompts": "standard"}
    longreach.build("needles", folder / "b", docs=docs, warn=lambda _: None, settings=settings)
    for number, model in enumerate(("guesser", "cliff,at=600", "perfect"), 1):
        for out in (f"run-{number}", "all"):
            longreach.simulate(folder / "b", model, folder / out, name=f"lab/model-step{number}00")
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
    assert page.select("#needles-effective svg.curve")
    rows = page.select("#changes tbody tr")
    assert len(rows) == 2 * 4  # all together, and each question type
    assert "better" in page.get_text()
    (link,) = page.select(".index a")
    assert (tmp_path / str(link["href"])).resolve() == (folders[0] / "page.html").resolve()


def test_one_folder_is_no_history(folders: list[Path]) -> None:
    with pytest.raises(BadInput, match="two or more folders"):
        longreach.history(folders[:1])


def test_a_report_of_checkpoints_shows_them_over_time(folders: list[Path], tmp_path: Path) -> None:
    made = longreach.report(folders[0].parent / "all", tmp_path / "page.html")
    page = BeautifulSoup((tmp_path / "page.html").read_text(encoding="utf-8"), "html.parser")
    section = some(page.select_one("#over-time"))
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
