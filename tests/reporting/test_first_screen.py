"""The first screen, the list of answers and accessibility, in a real browser."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from tests.browsing import Watched

from longreach.core.types import Verdict
from longreach.reporting.page import write_page
from longreach.reporting.views import Report

from .conftest import Maker

SCREENS = ((1280, 800), (390, 844))


@pytest.fixture(scope="module")
def report(report_maker: Maker) -> Report:
    """Long names, and one model that refuses."""
    models = (*(f"a-provider-with-a-long-name/model-{n}-instruct-2026-11-19" for n in range(3)), "local/refuses")
    made = report_maker(models=models, lengths=(500, 2000, 8000), depths=(10, 30, 50, 70, 90), each=2)
    lost = Verdict(status="refused")
    rows = [row.model_copy(update={"verdict": lost}) if row.model == "local/refuses" else row for row in made.rows]
    return made.model_copy(update={"rows": tuple(rows)})


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, report: Report) -> str:
    path = tmp_path_factory.mktemp("screen") / "page.html"
    write_page(report, path)
    return path.as_uri()


def _bottom(page: Page, selector: str) -> float:
    box = page.locator(selector).first.bounding_box()
    assert box is not None
    return box["y"] + box["height"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(("wide", "tall"), SCREENS)
def test_verdict_table_and_picture_are_on_the_first_screen(
    browser: Browser, address: str, wide: int, tall: int, scheme: str
) -> None:
    context = browser.new_context(viewport={"width": wide, "height": tall}, color_scheme=scheme)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    for selector in (".broken", ".answer", "table.rank:visible"):
        assert _bottom(page, selector) < tall
    picture = page.locator(".overview svg").first.bounding_box()
    assert picture is not None
    assert picture["y"] < tall, "at least its beginning"
    if wide > 1000:
        assert _bottom(page, ".overview svg") <= tall
    assert page.evaluate("document.documentElement.scrollWidth") <= wide
    for link in page.locator("nav.sticky a").all():
        box = link.bounding_box()
        assert box is not None
        assert box["x"] + box["width"] <= wide, "no link of the navigation is cut off"
    heights = page.locator("table.rank:visible tbody bdi").evaluate_all("all => all.map(node => node.offsetHeight)")
    line = page.locator("table.rank:visible tbody bdi").first.evaluate("n => parseFloat(getComputedStyle(n).fontSize)")
    assert all(height < 2 * line for height in heights), "names stand on one line"
    context.close()


def test_a_shortened_name_has_the_whole_one_on_hover(watched: Watched, address: str, report: Report) -> None:
    page = watched.page
    page.goto(address)
    name = page.locator("table.rank:visible tbody bdi[title]").first
    assert "…" in name.inner_text()
    assert name.get_attribute("title") in {row.model for row in report.rows}


def test_answers_begin_with_wrong_ones_and_each_has_a_link(watched: Watched, address: str) -> None:
    page = watched.page
    page.goto(address)
    first = page.locator(".row").first
    expect(first.locator(".badge")).to_have_text(re.compile("^(wrong|made up)$"))
    link = str(first.get_attribute("href"))
    assert "question=" in link
    first.click()
    expect(page.locator("dialog#answer .q").first).to_be_visible()
    asked = page.locator("dialog#answer .asked").first.inner_text()
    page.goto("about:blank")
    page.goto(address + link)
    expect(page.locator("dialog#answer .q").first).to_be_visible()
    expect(page.locator("dialog#answer .asked").first).to_have_text(asked)
    page.keyboard.press("Escape")
    page.select_option('[data-filter="length"]', "2000")
    page.select_option('[data-filter="place"]', "middle")
    where = page.locator(".row .where").all_inner_texts()
    assert where
    assert all("2k" in text and ("50 %" in text or "· 50" in text) for text in where)


def test_what_broke_links_to_its_answers(watched: Watched, address: str, report: Report) -> None:
    page = watched.page
    page.goto(address)
    page.locator(".broken a").first.click()
    lost = [row for row in report.rows if row.verdict.status == "refused"]
    shown = f"{len(lost):,}".replace(",", "\u202f")
    expect(page.locator("#shown")).to_contain_text(shown if len(lost) > 9999 else str(len(lost))[:1])
    assert page.locator('[data-filter="status"]').input_value() == "refused"
    assert watched.messages == []


def _axe(folder: Path) -> Path:
    """The accessibility checker, from LONGREACH_AXE or npm; without either the test is skipped."""
    if given := os.environ.get("LONGREACH_AXE"):
        return Path(given)
    if not (npm := shutil.which("npm")):
        pytest.skip("no npm on this machine")
    packed = subprocess.run(
        [npm, "pack", "axe-core@4.14.1", "--silent"], cwd=folder, capture_output=True, timeout=120, check=False
    )
    if packed.returncode:
        pytest.skip("axe-core cannot be had from npm here")
    shutil.unpack_archive(str(next(folder.glob("*.tgz"))), folder)
    return folder / "package" / "axe.min.js"


@pytest.mark.long
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(browser: Browser, address: str, tmp_path: Path, scheme: str) -> None:
    checker = _axe(tmp_path)
    context = browser.new_context(color_scheme=scheme, bypass_csp=True)  # type: ignore[arg-type]
    page = context.new_page()
    page.goto(address)
    page.evaluate("for (const box of document.querySelectorAll('details')) box.open = true")
    page.add_script_tag(path=checker)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
    said = [f"{each['id']}: {[node['html'][:120] for node in each['nodes'][:3]]}" for each in found["violations"]]
    assert said == [], json.dumps(said, indent=1)
    context.close()


@pytest.mark.long
def test_twenty_thousand_answers_stay_below_five_megabytes_and_the_rest_is_beside(
    tmp_path: Path, report_maker: Maker
) -> None:
    made = report_maker(models=tuple(f"p/model-{n}" for n in range(8)), depths=(10, 20, 30, 50, 70, 80, 90), each=10)
    assert len(made.rows) > 19_000
    (page,) = write_page(made, tmp_path / "page.html")
    assert page.stat().st_size < 5_000_000
    page, beside = write_page(made.model_copy(update={"listed": tuple(range(2000))}), tmp_path / "few.html")
    assert beside.name in page.read_text(encoding="utf-8")
    assert beside.read_text(encoding="utf-8-sig").count("\n") >= len(made.rows) + 1
