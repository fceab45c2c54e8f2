"""The ranking: best first, none where there is none, one axis for all."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

import longreach


@pytest.fixture(scope="module")
def page(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> BeautifulSoup:
    """Simulated models of known skill on one benchmark."""
    folder = tmp_path_factory.mktemp("ranking")
    settings = {"lengths": "600,1200,2400", "depths": "30,60", "sets": 1, "prompts": "standard"}
    longreach.build("needles", folder / "b", docs=docs, warn=lambda _: None, settings=settings)
    for examinee in ("guesser", "cliff,at=1.2k", "inventor", "perfect"):
        longreach.simulate(folder / "b", examinee, folder / "runs")
    longreach.report(folder / "runs", folder / "page.html")
    return BeautifulSoup((folder / "page.html").read_text(encoding="utf-8"), "html.parser")


def test_the_best_is_first_and_a_guesser_has_no_effective_length(page: BeautifulSoup) -> None:
    rows = page.select("table.rank tbody tr")
    models = [row.select_one("bdi").get_text() for row in rows]  # type: ignore[union-attr]
    assert models == ["simulated/perfect", "simulated/cliff,at=1.2k", "simulated/inventor", "simulated/guesser"]
    reached = [row.select_one("td.axis b").get_text() for row in rows]  # type: ignore[union-attr]
    assert reached == ["≥ 2.4k", "1.2k", "≥ 2.4k", "none"]
    marked = [row.select_one("bdi").get_text() for row in rows if row.select(".warn")]  # type: ignore[union-attr]
    assert marked == models[2:], "the inventor finds everything and hallucinates whenever there is nothing to find"
    assert "comes after all others" in page.select_one("section.ranking > .note").get_text()  # type: ignore[union-attr]


def test_all_bars_share_one_axis(page: BeautifulSoup) -> None:
    ticks = [tick.get_text() for tick in page.select("table.rank thead .ticks i")]
    assert ticks == ["600", "1.2k", "2.4k"]
    fills = [float(str(bar["width"])) for bar in page.select("table.rank .fill")]
    tracks = [float(str(bar["width"])) for bar in page.select("table.rank .track")]
    shares = [fill / track for fill, track in zip(fills, tracks, strict=True)]
    assert shares == pytest.approx([1, 2 / 3, 1, 0], abs=0.001), "log scale from half the shortest length"
    assert len(page.select("table.rank path.tick")) == 4 * 3


def test_it_is_a_chart_with_files_of_its_own(page: BeautifulSoup) -> None:
    figure = page.select_one("figure#needles-ranking")
    assert figure is not None
    (drawing,) = figure.select("svg[data-box]")
    assert len(drawing.select("rect.fill")) == 4
    source = figure.select_one("script")
    assert source is not None
    assert source["id"] == figure.select("[data-csv]")[0]["data-csv"]
    table = json.loads(source.get_text())
    start = ["place", "model", "effective length", "effective length low", "effective length high"]
    assert table["head"][:5] == start
    assert table["rows"][0][:3] == [1, "simulated/perfect", 2400]


def test_the_title_is_short(page: BeautifulSoup) -> None:
    heading = page.select_one("h1")
    assert heading is not None
    assert heading.get_text() == "Long-context report: 4 models"


def test_a_model_with_one_length_so_far_is_listed(docs: Path, tmp_path: Path) -> None:
    common = {"depths": "30,60", "sets": 1, "prompts": "standard"}
    for name, lengths in (("short", "600"), ("long", "600,1200")):
        settings = common | {"lengths": lengths}
        longreach.build("needles", tmp_path / name, docs=docs, warn=lambda _: None, settings=settings)
    longreach.simulate(tmp_path / "long", "cliff,at=600", tmp_path / "runs")
    longreach.simulate(tmp_path / "short", "perfect", tmp_path / "runs")
    longreach.report(tmp_path / "runs", tmp_path / "page.html")
    page = BeautifulSoup((tmp_path / "page.html").read_text(encoding="utf-8"), "html.parser")
    listed = [each.get_text() for each in page.select("table.rank tbody bdi")]
    assert listed == ["simulated/perfect", "simulated/cliff,at=600"], "the same length, and better at its longest"
