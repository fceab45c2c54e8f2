"""What the papers published, as a page and as text."""

from __future__ import annotations

from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from longreach.errors import BadInput
from longreach.families import get_family
from longreach.reporting.report_files import published_json, published_text, render_published, write_published_page


def test_the_text_has_the_papers_numbers_as_printed() -> None:
    text = published_text("needles")
    line = next(line for line in text.splitlines() if line.startswith("ChatGPT-5-mini") and "272k" in line)
    assert " ".join(line.split()) == "ChatGPT-5-mini standard 272k 96.4 % 89.0 % 95.8 % 88.0 % 74.1 % 73.0 %"


def test_the_page_stands_alone(tmp_path: Path) -> None:
    write_published_page("needles", tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert text == render_published("needles")
    page = BeautifulSoup(text, "html.parser")
    assert len(page.select("#needles-distributions svg.curve:not(.radar)")) == 6
    assert len(page.select("#needles-distributions details svg.radar")) == 6
    assert len(page.select("#needles-scores tbody tr")) == 8
    assert not page.select("dialog, #questions, .tag")
    assert len(page.find_all("script", type=False)) == 1  # the others are data
    assert "http" not in text.replace("http-equiv", "").replace("http://www.w3.org/2000/svg", "")


def test_json_is_the_figures() -> None:
    data = published_json("needles")
    assert [figure["kind"] for figure in data["figures"]] == ["table", "table", "table", "radar", "table"]
    assert data["figures"][0]["rows"][0] == [
        "Gemini-2.5-flash",
        "standard",
        1000000,
        0.984,
        0.99,
        0.985,
        0.98,
        0.865,
        0.86,
    ]


def test_unknown_families_and_families_without_figures_are_bad_input(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(BadInput, match="nedles"):
        published_text("nedles")
    monkeypatch.setattr(type(get_family("needles")), "published", lambda _: [])
    with pytest.raises(BadInput, match="no published figures"):
        render_published("needles")
