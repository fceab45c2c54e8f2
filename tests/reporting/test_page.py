"""The page as text: complete, self-contained, and deaf to what models say."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag

from sonde.core.chart import Axis, Curve
from sonde.core.row import Row
from sonde.core.verdict import STATUSES
from sonde.errors import BadInput
from sonde.reporting.embed import embedded_json
from sonde.reporting.page import render_page, write_page
from sonde.reporting.verdict import verdict_sentence
from sonde.reporting.views import Report

from .conftest import Maker

HOSTILE = (
    "</script><script>window.hacked=1</script>",
    "<img src=x onerror=window.hacked=1>",
    "<!-- <script> \u2028 alert(1) \u2029",
    "\u202egnirts neddih\u202c {{ 7*7 }} {% raw %} &lt;b&gt;",
    "]]> \" ' ` \\ \x00 \x1b",
)


@pytest.fixture(scope="module")
def text(report: Report) -> str:
    return render_page(report)


@pytest.fixture(scope="module")
def soup(text: str) -> BeautifulSoup:
    return BeautifulSoup(text, "html.parser")


def _data(text: str) -> dict[str, Any]:
    node = BeautifulSoup(text, "html.parser").find(id="data")
    assert isinstance(node, Tag)
    found: dict[str, Any] = json.loads(node.string or "")
    return found


def test_the_verdict_of_each_model_is_on_the_page(report: Report, soup: BeautifulSoup) -> None:
    said = [node.get_text() for node in soup.select(".sentence")]
    for model in ("embedded", "example/long-reader-2"):
        window = report.windows[model]
        assert verdict_sentence(report.rows, report.families[0], model, window=window) in said


def test_one_map_for_each_model_prompt_and_probe(soup: BeautifulSoup) -> None:
    maps = soup.select("#needles-map table.map")
    assert len(maps) == 2 * 2 * 3
    for each in maps:
        assert len(each.select("button.cell")) == 29
        assert len(each.select(".cell.untested")) == 1
        assert [th.get_text() for th in each.select("thead th")] == ["500", "1k", "2k", "4k", "8k", "16k"]


def test_cells_tell_n_and_interval_and_what_was_not_scored(report: Report, soup: BeautifulSoup) -> None:
    labels = [str(button["aria-label"]) for button in soup.select("#needles-map button.cell")]
    assert all(re.search(r"95 % interval \d+ to \d+ %|no score", label) for label in labels)
    marked = soup.select("#needles-map button.cell.partial, #needles-map button.cell.unscored")
    unscored = {(r.model, r.item, r.probe) for r in report.rows if r.verdict.status != "scored"}
    assert len(marked) == len(unscored)
    assert all("not scored" in str(b["aria-label"]) or "could be scored" in str(b["aria-label"]) for b in marked)


def test_tables_show_asked_scored_and_every_status(report: Report, soup: BeautifulSoup) -> None:
    head = [th.get_text() for th in soup.select("#needles-map-table thead th")]
    assert head[-8:] == ["asked", *STATUSES]
    rows = [[td.get_text() for td in tr.select("td")] for tr in soup.select("#needles-map-table tbody tr")]
    assert sum(int(row[-8]) for row in rows) == len(report.rows)
    truncated = head.index("truncated")
    assert sum(int(row[truncated]) for row in rows) == sum(r.verdict.status == "truncated" for r in report.rows)
    every = soup.select_one("#statuses-table")
    assert every is not None
    assert len(every.select("tbody tr")) == 2 * 3


def test_the_denominator_is_explained_in_words(soup: BeautifulSoup) -> None:
    reading = soup.select_one("#reading")
    assert reading is not None
    assert "never called wrong and never dropped" in reading.get_text()


def test_charts_without_data_are_left_out(soup: BeautifulSoup) -> None:
    assert soup.select_one("#needles-by-length svg.curve") is not None
    assert soup.select_one("#needles-by-distribution") is None


def test_safety_tax_is_drawn_where_both_prompts_ran(soup: BeautifulSoup, report_maker: Maker) -> None:
    assert len(soup.select("#needles-map-safety-tax table.map")) == 2 * 3
    single = render_page(report_maker(prompts=("standard",), lengths=(500, 1000), each=1))
    assert "safety-tax" not in BeautifulSoup(single, "html.parser").get_text()
    assert 'id="needles-map-safety-tax"' not in single


def test_names_axis_gets_dots_and_the_spread(report_maker: Maker) -> None:
    report = report_maker(lengths=(500, 1000), depths=(10, 50))
    kinds = ("uniform", "normal", "arcsine")
    rows = tuple(
        row.model_copy(update={"cell": {**row.cell, "distribution": kinds[i % 3]}}) for i, row in enumerate(report.rows)
    )
    page = BeautifulSoup(render_page(report.model_copy(update={"rows": rows})), "html.parser")
    chart = page.select_one("#needles-by-distribution")
    assert chart is not None
    assert "points between" in chart.get_text()
    assert not chart.select(".panels path.line")


def test_nothing_points_outside(text: str, soup: BeautifulSoup) -> None:
    for node in soup.find_all(True):
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            value = node.get(name)
            assert value is None or str(value).startswith(("#", "data:"))
        assert not [name for name in node.attrs if name.startswith("on")]
    assert "@import" not in text
    assert not re.search(r"url\(", text)


def test_policy_allows_exactly_the_page_script(soup: BeautifulSoup) -> None:
    meta = soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"})
    assert isinstance(meta, Tag)
    policy = str(meta["content"])
    assert policy.startswith("default-src 'none';")
    scripts = [node for node in soup.find_all("script") if node.get("type") != "application/json"]
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256((scripts[0].string or "").encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy


@pytest.mark.parametrize("answer", HOSTILE)
def test_answers_cannot_leave_the_data_block(answer: str, report_maker: Maker) -> None:
    report = report_maker(lengths=(500,), depths=(10,), models=("m",), each=1, answers={"lit-500-10-0": answer})
    text = render_page(report)
    calm = render_page(report_maker(lengths=(500,), depths=(10,), models=("m",), each=1))
    assert len(BeautifulSoup(text, "html.parser").find_all(True)) == len(
        BeautifulSoup(calm, "html.parser").find_all(True)
    )
    rows = _data(text)["rows"]
    assert answer in [row[5] for row in rows]


def test_hostile_names_are_escaped_everywhere(report_maker: Maker) -> None:
    bad = '<b onclick="x">"m\'</b></title></script>'
    report = report_maker(models=(bad, "calm"), lengths=(500, 1000), depths=(10, 50), each=1)
    report = report.model_copy(update={"title": bad, "notes": (bad,)})
    soup = BeautifulSoup(render_page(report), "html.parser")
    assert soup.title is not None
    assert soup.title.string == bad
    assert not soup.find_all("b", attrs={"onclick": True})
    assert bad in [option["value"] for option in soup.select('[data-filter="model"] option')]
    assert len(soup.find_all("script")) == 2


def test_embedded_json_round_trips_and_is_inert() -> None:
    data = {"a": "<>&\u2028\u2029</script>", "b": ["é", "\U0001f4a1", 1.5, None]}
    text = embedded_json(data)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == data


def test_every_row_call_and_question_is_embedded(report: Report, text: str) -> None:
    data = _data(text)
    assert len(data["rows"]) == len(report.rows)
    assert sum(len(entry["calls"]) for entry in data["entries"]) == len(report.calls)
    assert sorted(i for entry in data["entries"] for i in entry["rows"]) == list(range(len(report.rows)))
    for row, kept in zip(report.rows, data["rows"], strict=True):
        entry = data["entries"][kept[0]]
        assert (entry["model"], entry["item"], kept[1]) == (row.model, row.item, row.question)
        assert kept[1] in [question[0] for question in data["quizzes"][entry["quiz"]]["questions"]]


def test_a_page_without_quizzes_or_calls_still_stands(report_maker: Maker) -> None:
    report = report_maker(lengths=(500,), depths=(10,), each=1).model_copy(update={"quizzes": (), "calls": ()})
    text = render_page(report)
    assert {entry["quiz"] for entry in _data(text)["entries"]} == {-1}
    assert "No model calls are on record" in text


def test_quizzes_of_two_benches_are_kept_apart(report_maker: Maker) -> None:
    report = report_maker(lengths=(500,), depths=(10,), models=("m",), each=1, prompts=("standard",))
    quiz = report.quizzes[0]
    first, second = (quiz.model_copy(update={"bench": name, "sha256": name * 32}) for name in ("b1", "b2"))
    again = tuple(row.model_copy(update={"bench": "b2"}) for row in report.rows)
    both = report.model_copy(update={"quizzes": (second, first), "rows": report.rows + again})
    data = _data(render_page(both))
    assert [data["quizzes"][entry["quiz"]]["sha256"][:2] for entry in data["entries"]] == ["b1", "b2"]


def test_the_same_report_gives_the_same_bytes(report_maker: Maker) -> None:
    small = report_maker(lengths=(500, 1000), depths=(10, 50), each=2)
    assert render_page(small) == render_page(small)


def test_no_rows_and_unknown_families_are_bad_input(report: Report) -> None:
    with pytest.raises(BadInput, match="no results"):
        render_page(report.model_copy(update={"rows": ()}))
    strange: Row = report.rows[0].model_copy(update={"family": "needle"})
    with pytest.raises(BadInput, match=r"'needle'.*needles"):
        render_page(report.model_copy(update={"rows": (strange,)}))


def test_curve_lines_are_the_axis_that_varies(report_maker: Maker) -> None:
    small = report_maker(models=("m",), prompts=("standard",), lengths=(500, 1000), depths=(10,), each=2)
    assert any(isinstance(chart, Curve) for chart in small.families[0].charts)
    soup = BeautifulSoup(render_page(small), "html.parser")
    keys = [node.get_text() for node in soup.select("#needles-by-length .keys bdi")]
    assert keys == ["literal", "inference", "faithfulness"]


def test_write_page_leaves_only_the_page(tmp_path: Path, report_maker: Maker) -> None:
    report = report_maker(lengths=(500,), depths=(10,), each=1)
    target = tmp_path / "page.html"
    target.write_text("old", encoding="utf-8")
    write_page(report, target)
    assert target.read_text(encoding="utf-8") == render_page(report)
    assert list(tmp_path.iterdir()) == [target]


def test_write_page_names_a_folder_that_is_not_there(tmp_path: Path, report_maker: Maker) -> None:
    with pytest.raises(BadInput, match="nowhere"):
        write_page(report_maker(lengths=(500,), depths=(10,), each=1), tmp_path / "nowhere" / "page.html")


def test_captions_name_only_what_varies(report_maker: Maker) -> None:
    single = report_maker(models=("m",), prompts=("standard",), lengths=(500, 1000), depths=(10, 50), each=1)
    page = BeautifulSoup(render_page(single), "html.parser")
    captions = [node.find(string=True, recursive=False) for node in page.select("#needles-map caption")]
    assert captions == ["literal", "inference", "faithfulness"]
    assert not page.select("#needles-by-length .panel h4")
    assert _data(str(page))["cells"][0]["title"] == "m · standard, literal · Depth 10 %, Length 500"


def test_two_layouts_have_a_card_a_line_and_a_map_each_and_what_has_no_length_is_counted(report_maker: Maker) -> None:
    report = report_maker(models=("m",), lengths=(500, 1000), depths=(10, 50), each=1, hole=False)
    layout = Axis(name="layout", title="Layout", values=("paragraph", "comb"), experiment=True)
    family = report.families[0].model_copy(update={"axes": (*report.families[0].axes, layout)})
    rows = [
        row.model_copy(update={"cell": {**row.cell, "layout": name}, "item": f"{name}/{row.item}"})
        for name in layout.values
        for row in report.rows
    ]
    scattered = [
        row.model_copy(update={"cell": {"distribution": "normal", "prompt": "standard"}, "item": "spread"})
        for row in report.rows[:7]
    ]
    report = report.model_copy(update={"rows": (*rows, *scattered), "families": (family,)})
    page = BeautifulSoup(render_page(report), "html.parser")
    assert [node.get_text() for node in page.select(".card h3")] == ["m · paragraph layout", "m · comb layout"]
    assert [node.get_text() for node in page.select("#summary-needles thead th")][:5] == [
        "model",
        "layout",
        "prompt",
        "probe",
        "whole sweep",
    ]
    lines = [[td.get_text() for td in tr.select("td")] for tr in page.select("#summary-needles tbody tr")]
    assert [line[1] for line in lines] == ["paragraph"] * 6 + ["comb"] * 6
    assert sum(int(line[-3]) for line in lines) == len(rows)
    assert "7 questions of another kind of test" in page.get_text()
    assert len(page.select("#needles-map table.map")) == 2 * 2 * 3
    assert len(page.select("#needles-map-safety-tax table.map")) == 2 * 3
