"""Answers, documents and names that try to be more than text: on the page, in a comparison, in files."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import expect
from tests.browsing import HOSTILE, Watched

from longreach.checking.compare import compare_rows, write_comparison_page
from longreach.core.figure import Bars, Column, Dot, Lines, Radar, Table, Trace
from longreach.core.types import Row
from longreach.reporting.drawing.drawings import standalone
from longreach.reporting.markdown import plain, report_markdown
from longreach.reporting.page import Contents, write_page
from longreach.reporting.report_files import write_report
from longreach.reporting.views import Report

from .conftest import NEEDLES, Maker

MEGABYTE = "word " * 200_000
LINE = "x" * 1_000_000  # not one place to break it


@pytest.fixture(scope="module")
def hostile(report_maker: Maker) -> Report:
    """Hostile in every text that comes from outside: answers, reasons, replies, errors, questions, keys, stories, item
    ids, names of models, axes' values and figures."""
    said = {"lit-500-10-0": HOSTILE, "inf-500-10-0": MEGABYTE, "abs-500-10-0": LINE}
    made = report_maker(
        models=(f"m {HOSTILE}", "calm"), lengths=(500, 1000), depths=(10,), each=1, prompts=("standard",), answers=said
    )
    rows = [
        row.model_copy(
            update={
                "item": f"{row.item} {HOSTILE}",
                "cell": {**row.cell, "prompt": HOSTILE},
                "verdict": row.verdict.model_copy(
                    update={"status": "scored", "value": 0.0, "answer": said[row.question], "reason": HOSTILE}
                    if row.question in said
                    else {"reason": HOSTILE}
                ),
            }
        )
        for row in made.rows
    ]
    calls = [
        call.model_copy(update={"item": f"{call.item} {HOSTILE}", "text": f"{HOSTILE} {MEGABYTE}", "error": HOSTILE})
        for call in made.calls
    ]
    requests = [
        request.model_copy(
            update={
                "item": f"{request.item} {HOSTILE}",
                "prompt": HOSTILE,
                "excerpts": tuple(
                    each.model_copy(
                        update={"parts": ((HOSTILE, ""), (HOSTILE + MEGABYTE, each.parts[1][1]), (HOSTILE, ""))}
                    )
                    for each in request.excerpts
                ),
                "questions": tuple(
                    each.model_copy(
                        update={
                            "text": f"{each.text} {HOSTILE}",
                            "key": each.key.model_copy(update={"answer": HOSTILE, "accept": (HOSTILE,)}),
                        }
                    )
                    for each in request.questions
                ),
            }
        )
        for request in made.requests
    ]
    table = Table(id="t", title=HOSTILE, note=HOSTILE, columns=(Column(title=HOSTILE),), rows=((HOSTILE,),))
    bars = Bars(
        id="b",
        title=HOSTILE,
        note=HOSTILE,
        x=NEEDLES.axis("prompt"),
        traces=tuple(
            Trace(name=HOSTILE + end, panel=HOSTILE, dots=(Dot(x=HOSTILE, y=0.5, note=HOSTILE),)) for end in ("a", "b")
        ),
    )
    ring = tuple(Dot(x=f"{HOSTILE}{n}", y=0.1 * n, low=0.0, high=0.5) for n in range(4))
    other = {"title": HOSTILE, "x": NEEDLES.axis("prompt"), "traces": (Trace(name=HOSTILE, panel=HOSTILE, dots=ring),)}
    figures = (table, bars, Lines(id="l", **other), Radar(id="r", **other))
    family = made.families[0].model_copy(update={"figures": figures, "title": HOSTILE, "about": HOSTILE})
    return made.model_copy(
        update={
            "title": HOSTILE,
            "rows": tuple(rows),
            "calls": tuple(calls),
            "requests": tuple(requests),
            "families": (family,),
            "notes": (HOSTILE,),
        }
    )


def test_everything_hostile_on_the_page_is_shown_as_text(watched: Watched, tmp_path: Path, hostile: Report) -> None:
    write_page(hostile, tmp_path / "page.html")
    address = (tmp_path / "page.html").as_uri()
    page = watched.page
    page.goto(address)
    expect(page.locator("h1")).to_have_text(HOSTILE)
    for details in page.locator("details.data").all():
        details.evaluate("node => { node.open = true; }")
    page.locator("#needles-map .cell").first.click()
    answer = page.locator("dialog .q dd div.answer-text")
    assert answer.nth(1).text_content() == HOSTILE
    assert answer.nth(1).evaluate("node => getComputedStyle(node).unicodeBidi") == "plaintext"
    expect(page.locator("dialog .excerpt").first).to_contain_text(HOSTILE)
    assert all(len(text) < 5_000 for text in page.locator("dialog .excerpt, dialog .reply").all_text_contents())
    more = page.locator("dialog button.more:visible")
    assert more.count() >= 1
    for _ in range(more.count()):
        more.first.click()
    expect(page.locator("dialog .excerpt mark").first).to_contain_text(HOSTILE + MEGABYTE[:3_000])
    assert len(page.locator("dialog .excerpt mark").first.text_content() or "") == len(HOSTILE + MEGABYTE)
    link = page.url
    page.keyboard.press("Escape")
    watched.is_calm(address)
    page.goto("about:blank")
    page.goto(link)
    expect(page.locator("dialog .entry")).to_have_count(1)
    page.keyboard.press("Escape")
    page.fill('[data-filter="text"]', "onerror='window")
    expect(page.locator("#shown")).to_have_text(f"{len(hostile.rows)} of {len(hostile.rows)} answers")
    page.select_option('[data-filter="model"]', f"m {HOSTILE}")
    page.locator(".row").nth(2).click()
    expect(page.locator("dialog .entry")).to_have_count(1)
    assert page.evaluate("window.hacked") is None
    assert watched.messages == []


@pytest.mark.parametrize("long", [MEGABYTE, LINE])
def test_a_megabyte_is_shown_on_request_and_does_not_widen_the_page(
    watched: Watched, tmp_path: Path, report_maker: Maker, long: str
) -> None:
    report = report_maker(models=("m",), lengths=(500,), depths=(10,), each=1, answers={"lit-500-10-0": long})
    write_page(report, tmp_path / "page.html")
    page = watched.page
    page.goto((tmp_path / "page.html").as_uri())
    page.locator("#needles-map .cell").first.click()
    answer = page.locator("dialog .q dd div.answer-text").nth(1)
    assert len(answer.text_content() or "") < 3_000
    page.locator("dialog .q button.more").click()
    assert answer.text_content() == long
    assert page.evaluate(
        "document.getElementById('answer').scrollWidth <= document.getElementById('answer').clientWidth"
    )
    watched.is_calm((tmp_path / "page.html").as_uri())


def test_a_comparison_shows_it_as_text(watched: Watched, tmp_path: Path, hostile: Report) -> None:
    def turned(row: Row) -> Row:
        if row.verdict.value is None:
            return row
        return row.model_copy(update={"verdict": row.verdict.model_copy(update={"value": 1 - row.verdict.value})})

    mine = [row for row in hostile.rows if row.model == "calm"]
    compared = compare_rows(mine, [turned(row) for row in mine], folders=(HOSTILE, "new"))
    write_comparison_page(compared, tmp_path / "compare.html")
    address = (tmp_path / "compare.html").as_uri()
    watched.page.goto(address)
    expect(watched.page.locator("main")).to_contain_text(HOSTILE)
    watched.is_calm(address)


def test_a_drawing_opened_by_itself_runs_nothing(watched: Watched, tmp_path: Path, hostile: Report) -> None:
    panels = [panel for figure in Contents(hostile).every_figure() for panel in (*figure.panels, *figure.radars)]
    for number, panel in enumerate(panels):
        path = tmp_path / f"{number}.svg"
        path.write_text(standalone(panel.svg), encoding="utf-8")
        watched.page.goto(path.as_uri())
        assert watched.page.locator("text").count() > 3
        assert watched.page.evaluate("window.hacked") is None
        assert watched.page.evaluate("document.querySelectorAll('script, a, image, foreignObject').length") == 0
    assert watched.messages == []
    assert all(url.endswith(".svg") for url in watched.asked)


def test_files_hold_it_as_text(tmp_path: Path, hostile: Report) -> None:
    nasty = hostile.model_copy(update={"title": f"{HOSTILE} \x00\x1b\ufffe end"})
    write_report(nasty, tmp_path / "out", ("svg", "csv", "md"))
    for path in (tmp_path / "out" / "charts").glob("*.svg"):
        root = ElementTree.parse(path).getroot()
        assert {node.tag.rpartition("}")[2] for node in root.iter()} <= {
            *("svg", "style", "defs", "pattern", "rect", "path", "g", "text", "tspan", "title", "circle"),
            *("linearGradient", "stop"),
        }
        assert not [name for node in root.iter() for name in node.attrib if name.startswith("on") or "href" in name]
    for path in (tmp_path / "out" / "charts").glob("*.csv"):
        assert not [line for line in path.read_text(encoding="utf-8-sig").splitlines() if line[:1] in "=+@"]


def test_markdown_has_no_markup_from_outside(hostile: Report) -> None:
    text = report_markdown(Contents(hostile), {})
    assert "\u202e" not in text
    assert not BeautifulSoup(text, "html.parser").find_all(True)
    assert "](" not in text  # no link at all: there are no files to link to
    for line in text.splitlines():
        assert "javascript:" not in line  # the colon is escaped


@pytest.mark.parametrize(
    ("said", "written"),
    [
        ("a|b", "a\\|b"),
        ("two\nlines", "two lines"),
        ("<b>&", "&lt;b&gt;&amp;"),
        ("# no title", "\\# no title"),
        ("1k to 4k (95 %)", "1k to 4k \\(95 %\\)"),
    ],
)
def test_plain_words(said: str, written: str) -> None:
    assert plain(said) == written
