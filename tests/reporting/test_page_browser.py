"""The page in a real browser: no network, no errors, usable by keyboard and on a phone."""

from __future__ import annotations

import csv
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser, expect
from tests.browsing import Watched
from tests.present import some

from longreach.core.figure import Column, Table
from longreach.reporting.page import write_page
from longreach.reporting.report_files import write_published_page
from longreach.reporting.views import Report

from .conftest import Maker


@pytest.fixture(scope="module")
def report(report_maker: Maker) -> Report:
    """Smaller than that of other files: a browser draws it anew for each test."""
    return report_maker(lengths=(500, 1000, 2000), depths=(10, 50, 90), each=2)


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory, report: Report) -> str:
    path = tmp_path_factory.mktemp("page") / "page.html"
    write_page(report, path)
    return path.as_uri()


def test_a_cell_opens_with_enter_and_closes_with_escape(watched: Watched, address: str, report: Report) -> None:
    page = watched.page
    page.goto(address)
    first = page.locator("#needles-map .cell").first
    first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    dialog = page.locator("dialog#answer")
    expect(dialog).to_be_visible()
    row = next(row for row in report.rows if row.item == "needles/1000/10/standard" and row.question_type == "literal")
    question = next(q for request in report.requests for q in request.questions if q.id == row.question)
    expect(dialog).to_contain_text(question.text)
    expect(dialog).to_contain_text(f"Answered{row.verdict.answer}")
    expect(dialog).to_contain_text(row.verdict.reason)
    expect(dialog).to_contain_text("realised 993 tokens")
    request = next(request for request in report.requests if request.item == row.item)
    expect(dialog).to_contain_text(f"sha256 {request.sha256}")
    expect(dialog.locator("mark").first).to_contain_text("had sold the grey mare")
    link = page.url
    assert "#item=needles%2F1000%2F10%2Fstandard&model=embedded&question_type=literal" in link
    page.keyboard.press("Escape")
    expect(dialog).to_be_hidden()
    assert page.url == address
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("dialog#answer")).to_contain_text(question.text)
    assert watched.messages == []


def test_filters_narrow_the_list(watched: Watched, address: str, report: Report) -> None:
    page = watched.page
    page.goto(address)
    page.select_option('[data-filter="model"]', "embedded")
    page.select_option('[data-filter="prompt"]', "standard")
    page.select_option('[data-filter="question_type"]', "abstention")
    page.select_option('[data-filter="status"]', "made up")
    wanted = [
        row
        for row in report.rows
        if row.model == "embedded"
        and row.cell["prompt"] == "standard"
        and row.question_type == "abstention"
        and row.verdict.value == 0
    ]
    assert wanted
    shown = f"{len(wanted)} of {len(report.rows)} answers"
    expect(page.locator("#shown")).to_have_text(shown)
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#shown")).to_have_text(shown)
    assert watched.messages == []
    assert set(watched.asked) <= {address, link}
    page.fill('[data-filter="text"]', "no such words anywhere")
    expect(page.locator("#shown")).to_have_text(f"0 of {len(report.rows)} answers")
    expect(page.locator(".row")).to_have_count(0)


def test_ten_thousand_questions_are_drawn_as_needed(watched: Watched, tmp_path: Path, report_maker: Maker) -> None:
    big = report_maker(each=30)
    assert len(big.rows) > 10_000
    listed = tuple(family.model_copy(update={"charts": ()}) for family in big.families)
    big = big.model_copy(update={"families": listed})  # only the list is looked at here
    write_page(big, tmp_path / "big.html")
    page = watched.page
    page.goto((tmp_path / "big.html").as_uri())
    assert 5 < page.locator(".row").count() < 60
    page.evaluate("document.getElementById('list').scrollTop = 1e9")
    last = page.locator(f'[aria-posinset="{len(big.rows)}"] .row')
    expect(last).to_be_visible()
    assert page.locator(".row").count() < 60
    last.click()
    expect(page.locator("dialog#answer")).to_be_visible()


def test_csv_holds_the_table(watched: Watched, address: str, tmp_path: Path) -> None:
    page = watched.page
    page.goto(address)
    for table in ("needles-map-table", "needles-summary-table"):
        page.evaluate("for (const box of document.querySelectorAll('details[data-fold]')) box.open = true")
        with page.expect_download() as waiting:
            page.locator(f'[data-csv="{table}"]').click()
        saved = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(saved)
        with saved.open(encoding="utf-8-sig", newline="") as file:
            rows = list(csv.DictReader(file))
        if table == "needles-map-table":
            page.locator(f'details[data-table="{table}"] summary').click()
        shown = page.locator(f'#{table} tbody tr, [data-table="{table}"] tbody tr')
        expect(shown).to_have_count(len(rows))
        score, low = ("delivered", "low") if table == "needles-map-table" else ("delivered", "delivered low")
        assert all(0 <= float(row[low]) <= float(row[score]) <= 1 for row in rows if row[score])
    assert watched.messages == []


def test_dark_by_system_and_by_hand(browser: Browser, address: str) -> None:
    context = browser.new_context(color_scheme="dark")
    page = Watched(context.new_page()).page
    page.goto(address)
    ground = "getComputedStyle(document.body).backgroundColor"
    dark = page.evaluate(ground)
    page.locator("#theme").click()
    light = page.evaluate(ground)
    page.locator("#theme").click()
    assert page.evaluate(ground) == dark
    brightness = [sum(int(part) for part in colour[4:-1].split(",")) for colour in (dark, light)]
    assert brightness[0] < 150
    assert brightness[1] > 600
    context.close()


@pytest.mark.parametrize("width", [360, 1280])
def test_parts_of_a_listed_question_do_not_overlap(browser: Browser, address: str, width: int) -> None:
    context = browser.new_context(viewport={"width": width, "height": 780}, reduced_motion="reduce")
    page = Watched(context.new_page()).page
    page.goto(address)
    boxes = page.locator(".row").first.evaluate(
        "row => [row, ...row.children].map(node => node.getBoundingClientRect().toJSON())"
    )
    row, *parts = boxes
    for index, part in enumerate(parts):
        assert row["left"] <= part["left"] < part["right"] <= row["right"]
        assert row["top"] <= part["top"] < part["bottom"] <= row["bottom"]
        for other in parts[index + 1 :]:
            beside = part["right"] <= other["left"] or other["right"] <= part["left"]
            assert beside or part["bottom"] <= other["top"] or other["bottom"] <= part["top"]
    context.close()


@pytest.mark.parametrize("opened", [False, True])
def test_a_phone_needs_no_sideways_scroll(browser: Browser, address: str, opened: bool) -> None:
    context = browser.new_context(viewport={"width": 360, "height": 780}, reduced_motion="reduce")
    page = Watched(context.new_page()).page
    page.goto(address)
    for details in page.locator("details.data").all():
        details.evaluate("node => { node.open = true; }")
    if opened:
        page.locator("#needles-map .cell").first.click()
        expect(page.locator("dialog#answer")).to_be_visible()
        assert page.evaluate("document.getElementById('answer').scrollWidth") <= 360
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    context.close()


def test_a_cell_of_several_requests_has_a_link_too(watched: Watched, address: str) -> None:
    page = watched.page
    page.goto(address)
    page.locator("details:has(#needles-map-prompt-effect) > summary").click()
    page.locator("#needles-map-prompt-effect .cell").first.click()
    entries = page.locator("dialog .entry")
    expect(entries).to_have_count(2)
    link = page.url
    assert "#cell=" in link
    page.goto("about:blank")
    page.goto(link)
    expect(entries).to_have_count(2)
    entries.nth(1).locator("h3 a").click()
    expect(entries).to_have_count(1)
    expect(page.locator("dialog")).to_contain_text("anti_hallucination")
    assert watched.messages == []


@pytest.mark.parametrize("width", [360, 1280])
def test_published_figures_read_well_at_any_width(browser: Browser, tmp_path: Path, width: int) -> None:
    write_published_page("needles", tmp_path / "published.html")
    context = browser.new_context(viewport={"width": width, "height": 780}, reduced_motion="reduce")
    watched = Watched(context.new_page())
    page = watched.page
    page.goto((tmp_path / "published.html").as_uri())
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    page.get_by_text("As a radar").click()
    labels = "svg => [...svg.querySelectorAll(':scope > text')].map(node => node.getBoundingClientRect().toJSON())"
    radars = page.locator("svg.radar").evaluate_all(f"all => all.map({labels})")
    assert len(radars) == 6
    for labels in radars:
        assert len(labels) == 9 + 2
        for index, label in enumerate(labels):
            assert 0 <= label["left"] < label["right"] <= width
            for other in labels[index + 1 :]:
                beside = label["right"] <= other["left"] or other["right"] <= label["left"]
                assert beside or label["bottom"] <= other["top"] or other["bottom"] <= label["top"]
    with page.expect_download() as waiting:
        page.locator('[data-csv="needles-scores-table"]').click()
    waiting.value.save_as(tmp_path / "scores.csv")
    with (tmp_path / "scores.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[1]["model"] == "Gemini-2.5-flash"  # shown once, but in every line of the file
    assert rows[1]["literal, aggregate"] == "0.98"
    assert watched.messages == []
    assert len(watched.asked) == 1
    context.close()


def test_a_cell_says_at_once_what_it_holds_by_mouse_and_by_keyboard(watched: Watched, address: str) -> None:
    page = watched.page
    page.goto(address)
    first = page.locator("#needles-map .cell").first
    tip = page.locator(".tip")
    expect(tip).to_be_hidden()
    first.focus()
    page.keyboard.press("ArrowRight")
    expect(tip).to_be_visible()
    now = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert "95 % CI" in now
    expect(tip).to_have_text(now)
    page.keyboard.press("Enter")
    expect(tip).to_be_hidden()
    page.keyboard.press("Escape")
    first.hover()
    expect(tip).to_have_text(first.get_attribute("aria-label") or "?")
    box, size = tip.bounding_box(), page.viewport_size
    assert box is not None
    assert size is not None
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= size["width"]
    second = page.locator("#needles-map .cell").nth(1)
    second.hover()
    expect(tip).to_have_text(second.get_attribute("aria-label") or "?")
    page.locator("#needles-by-length .curve > g:not(.aside)").first.hover(force=True)
    expect(tip).to_contain_text("% delivered (")
    page.mouse.move(2, 2)
    expect(tip).to_be_hidden()
    assert watched.messages == []


def test_who_listens_hears_what_who_looks_sees(watched: Watched, address: str) -> None:
    """The tree a screen reader walks: every cell with its place and its score, every control with a name."""
    page = watched.page
    page.goto(address)
    page.get_by_role("button", name="All 12 maps").click()
    heard = page.locator("#needles-map").aria_snapshot()
    cells = [
        line for line in heard.splitlines() if line.strip().startswith(("- button", "- 'button")) and "95 %" in line
    ]
    assert len(cells) == page.locator("#needles-map .cell:not(.none)").count() > 0
    assert heard.count("- columnheader") > page.locator("#needles-map svg.map").count() > 0
    nameless = page.evaluate(
        """[...document.querySelectorAll('button, select, input, [role=region], [role=img], dialog, figure')]
        .filter(node => !(node.textContent.trim() || node.getAttribute('aria-label') || node.labels?.length ||
        document.getElementById(node.getAttribute('aria-labelledby')))).map(node => node.outerHTML.slice(0, 100))"""
    )
    assert nameless == []
    levels = [
        int(node[1]) for node in page.evaluate("[...document.querySelectorAll('h1,h2,h3,h4')].map(n => n.tagName)")
    ]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after - before <= 1 for before, after in pairwise(levels)), "a level is left out"


def test_names_of_rows_are_not_cut_off(watched: Watched, tmp_path: Path, report: Report) -> None:
    page = watched.page
    rows = [
        row.model_copy(update={"cell": row.cell | {"depth": f"in the middle of part {row.cell['depth']}"}})
        for row in report.rows
    ]
    write_page(report.model_copy(update={"rows": tuple(rows)}), tmp_path / "page.html")
    page.goto((tmp_path / "page.html").as_uri())
    out = """[...document.querySelectorAll('#needles-map .panel:not([hidden]) [role=rowheader]')].map(node =>
    node.getBoundingClientRect().left - node.closest('svg').getBoundingClientRect().left)"""
    places = page.evaluate(out)
    assert len(places) == 3
    assert min(places) >= 0


def test_many_published_rows_beside_results_are_folded(browser: Browser, tmp_path: Path, report: Report) -> None:
    columns = (Column(title="Model"), Column(title="Score", unit="share"))
    lines = (("mine", 0.5), *((f"theirs {n}", 0.25) for n in range(20)))
    table = Table(id="beside", title="Beside", columns=columns, rows=lines, references=tuple(range(1, 21)))
    (family, *rest) = report.families
    shown = family.model_copy(update={"figures": (table,)})
    write_page(report.model_copy(update={"families": (shown, *rest)}), tmp_path / "page.html")
    page = browser.new_page(viewport={"width": 1000, "height": 800})
    page.goto((tmp_path / "page.html").as_uri())
    page.locator("details:has(#needles-beside) > summary").click()
    published = page.locator("tr.published")
    expect(published).to_have_count(20)
    expect(published.first).to_be_hidden()
    page.get_by_role("button", name="Show 20 published rows").click()
    expect(published.last).to_be_visible()
    page.get_by_role("button", name="Hide 20 published rows").click()
    expect(published.last).to_be_hidden()
    page.close()


def test_one_map_is_shown_the_choice_is_in_the_address_and_all_are_one_click_away(
    watched: Watched, address: str
) -> None:
    page = watched.page
    page.goto(address)
    maps = page.locator("#needles-map svg.map:visible")
    expect(maps).to_have_count(1)
    page.locator("#needles-map select").first.select_option("example/long-reader-2")
    page.locator("#needles-map select").nth(2).select_option("abstention")
    caption = "example/long-reader-2 · standard, abstention"
    expect(page.locator("#needles-map .panel:visible h4")).to_have_text(caption)
    link = page.url
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("#needles-map .panel:visible h4")).to_have_text(caption)
    page.get_by_role("button", name="All 12 maps").click()
    expect(maps).to_have_count(12)
    page.get_by_role("button", name="One map").click()
    expect(maps).to_have_count(1)
    assert watched.messages == []


def test_the_ranking_sorts_by_any_column_and_the_address_keeps_it(watched: Watched, address: str) -> None:
    page = watched.page
    page.goto(address)
    names = page.locator(".rank:not(.at) tbody bdi")
    assert names.all_text_contents() == ["example/long-reader-2", "embedded"]
    page.locator(".rank:not(.at)").get_by_role("button", name="Hallucinates").click()
    head = page.locator(".rank:not(.at) th", has=page.get_by_role("button", name="Hallucinates"))
    assert head.get_attribute("aria-sort") == "ascending"
    rates = [float(text or 0) for text in page.locator(".rank:not(.at) tbody td:nth-child(4)").evaluate_all(
        "all => all.map(node => node.dataset.v)")]  # fmt: skip
    assert rates == sorted(rates)
    page.locator(".rank:not(.at)").get_by_role("button", name="Hallucinates").click()
    assert head.get_attribute("aria-sort") == "descending"
    assert names.all_text_contents() == ["embedded", "example/long-reader-2"]
    page.reload()
    assert names.all_text_contents() == ["embedded", "example/long-reader-2"]


def test_links_land_where_they_point_on_a_large_page(browser: Browser, tmp_path: Path, report_maker: Maker) -> None:
    models = tuple(f"maker/model-{number}" for number in range(4))
    write_page(report_maker(models=models, lengths=(500, 1000, 2000), each=1), tmp_path / "page.html")
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    page.goto((tmp_path / "page.html").as_uri())
    for link in page.locator("nav a").all():
        target = (link.get_attribute("href") or "")[1:]
        link.click()
        box = some(page.locator(f"[id='{target}']").bounding_box())
        nav = some(page.locator("nav").bounding_box())
        low = page.evaluate("document.documentElement.scrollHeight - innerHeight - scrollY") < 2  # the page ends here
        assert low or 0 <= box["y"] - nav["height"] < 40, target
    page.goto("about:blank")
    page.goto((tmp_path / "page.html").as_uri() + "#needles-map-prompt-effect")
    expect(page.locator("#needles-map-prompt-effect")).to_be_in_viewport()
    page.close()


def test_a_chart_is_taken_along_as_svg_and_png(watched: Watched, address: str, tmp_path: Path) -> None:
    page = watched.page
    page.goto(address)
    panel = page.locator("#needles-map .panel:visible")
    for kind in ("SVG", "PNG"):
        with page.expect_download() as waiting:
            panel.get_by_role("button", name=kind).click()
        assert waiting.value.suggested_filename == f"needles-map-embedded-standard-literal.{kind.lower()}"
        waiting.value.save_as(tmp_path / kind)
    svg = (tmp_path / "SVG").read_text(encoding="utf-8")
    root = ElementTree.fromstring(svg)
    assert root.get("width") == "3.5in"
    assert "var(" not in svg
    assert "Depth and length" in svg  # the title is in the file
    assert not [node for node in root.iter() if node.get("tabindex") or node.get("data-open")]
    picture = (tmp_path / "PNG").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert int.from_bytes(picture[16:20], "big") == 3 * 440
    assert watched.messages == []


def test_a_chart_is_copied_as_a_picture(watched: Watched, address: str) -> None:
    page = watched.page
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.goto(address)
    button = page.locator("#needles-map .panel:visible .take button").first
    button.click()
    expect(button).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.read().then(found => found.map(each => each.types.join()))") == [
        "image/png"
    ]


def test_the_list_as_csv_has_place_question_expected_answer_and_grade(
    watched: Watched, address: str, tmp_path: Path, report: Report
) -> None:
    page = watched.page
    page.goto(address)
    page.select_option('[data-filter="model"]', "embedded")
    with page.expect_download() as waiting:
        page.locator("#list-csv").click()
    waiting.value.save_as(tmp_path / "list.csv")
    with (tmp_path / "list.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    wanted = [row for row in report.rows if row.model == "embedded"]
    assert len(rows) == len(wanted)
    places = {
        (row["length"], row["depth"], row["prompt"])
        for row in rows
        if row["question"] == "In which town did Odile Marchand sell the grey mare?"
    }
    assert ("500", "10", "standard") in places
    keys = {question.id: question.key.answer for request in report.requests for question in request.questions}
    assert sorted(row["expected"] for row in rows) == sorted(keys[row.question] for row in wanted)
    assert sorted(row["answer"] for row in rows) == sorted(row.verdict.answer for row in wanted)
    grades = {1.0: "right", 0.0: "wrong", None: ""}
    given = [row["grade"].replace("made up", "wrong") for row in rows]
    assert sorted(given) == sorted(grades[row.verdict.value] or row.verdict.status for row in wanted)
    assert given == sorted(given, key=lambda grade: grade == "right"), "what is wrong comes first"
