"""The page as text: complete, self-contained, and deaf to what models say."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup, Tag
from tests.present import of, some
from tests.reporting.findings import findings

from longreach.core.figure import Axis, Curve, Heatmap
from longreach.core.formatting import amount
from longreach.core.types import STATUSES, Row
from longreach.errors import BadInput
from longreach.reporting.html import embedded_json
from longreach.reporting.page import render_page, write_page
from longreach.reporting.report import rows_on_page
from longreach.reporting.views import Report
from longreach.stats.series import tallies

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


def _data(text: str, id: str = "data") -> dict[str, Any]:
    node = some(re.search(rf'<script type="application/json" id="{id}">([^<]*)</script>', text))
    found: dict[str, Any] = json.loads(node[1])
    return found


def unpack(chunks: list[str]) -> list[Any]:
    """All values of some chunks, as the browser reads them."""
    return [value for chunk in chunks for value in json.loads(zlib.decompress(base64.b64decode(chunk)))]


def _shelf(text: str, name: str) -> list[Any]:
    chunks = re.findall(rf'<script type="text/plain" id="{name}-\d+">([^<]*)</script>', text)
    starts = [len(unpack(chunks[:place])) for place in range(len(chunks))]
    assert starts == _data(text)["shelves"][name]
    return unpack(chunks)


def test_the_verdict_of_each_model_is_on_the_page(report: Report, soup: BeautifulSoup) -> None:
    said = {node.get_text() for node in soup.select(".sentence")}
    for model in ("embedded", "example/long-reader-2"):
        (found,) = findings(report.rows, report.families[0], model)
        assert len(found.statements) > 1
        assert {each.text for each in found.statements} <= said


def test_one_map_for_each_model_prompt_and_probe(soup: BeautifulSoup) -> None:
    maps = soup.select("#needles-map svg.map")
    assert len(maps) == 2 * 2 * 3
    for each in maps:
        assert len(each.select('.cell[role="button"]')) == 29
        assert len(each.select("g[role=cell] > .untested")) == 1
        assert [node.get_text() for node in each.select("[role=columnheader]")] == [
            "500",
            "1k",
            "2k",
            "4k",
            "8k",
            "16k",
        ]


def test_cells_tell_n_and_interval_and_what_was_not_scored(report: Report, soup: BeautifulSoup) -> None:
    labels = [str(button["aria-label"]) for button in soup.select("#needles-map .cell")]
    assert all(re.search(r"95 % CI \d+–\d+ %|no result", label) for label in labels)
    marked = soup.select("#needles-map .cell.partial, #needles-map .cell.none")
    unscored = {(r.model, r.item, r.question_type) for r in report.rows if r.verdict.status != "scored"}
    assert len(marked) == len(unscored)
    assert all("not answered" in str(b["aria-label"]) or "no result" in str(b["aria-label"]) for b in marked)


def test_tables_show_asked_scored_and_every_status(report: Report, text: str, soup: BeautifulSoup) -> None:
    table = _data(text, "needles-map-table")
    head, rows = table["head"], table["rows"]
    assert head[-1 - len(STATUSES) :] == ["asked", *STATUSES]
    assert sum(int(row[-1 - len(STATUSES)]) for row in rows) == len(report.rows)
    truncated = head.index("truncated")
    assert sum(int(row[truncated]) for row in rows) == sum(r.verdict.status == "truncated" for r in report.rows)
    every = some(soup.select_one("#statuses-counts-table"))
    assert len(every.select("tbody tr")) == 2 * 3


def test_charts_without_data_are_left_out(soup: BeautifulSoup) -> None:
    assert soup.select_one("#needles-by-length svg.curve") is not None
    assert soup.select_one("#needles-by-distribution") is None


def test_the_prompts_effect_is_drawn_where_both_prompts_ran(soup: BeautifulSoup, report_maker: Maker) -> None:
    assert len(soup.select("#needles-map-prompt-effect svg.map")) == 2 * 3
    single = render_page(report_maker(prompts=("standard",), lengths=(500, 1000), each=1))
    assert "prompt-effect" not in BeautifulSoup(single, "html.parser").get_text()
    assert 'id="needles-map-prompt-effect"' not in single


def test_names_axis_gets_dots_and_the_spread(report_maker: Maker) -> None:
    report = report_maker(lengths=(500, 1000), depths=(10, 50))
    kinds = ("uniform", "normal", "arcsine")
    rows = tuple(
        row.model_copy(update={"cell": {**row.cell, "distribution": kinds[i % 3]}}) for i, row in enumerate(report.rows)
    )
    page = BeautifulSoup(render_page(report.model_copy(update={"rows": rows})), "html.parser")
    chart = some(page.select_one("#needles-by-distribution"))
    assert "points between" in chart.get_text()
    assert not chart.select(".panels path.line")


def test_nothing_points_outside(text: str, soup: BeautifulSoup) -> None:
    for node in soup.find_all(True):
        for name in ("src", "href", "action", "data", "poster", "srcset"):
            value = node.get(name)
            assert value is None or str(value).startswith(("#", "data:"))
        assert not [name for name in node.attrs if name.startswith("on")]
    assert "@import" not in text
    assert not re.search(r"url\((?!#)", text)


def test_policy_allows_exactly_the_page_script(soup: BeautifulSoup) -> None:
    meta = of(Tag, soup.find("meta", attrs={"http-equiv": "Content-Security-Policy"}))
    policy = str(meta["content"])
    assert policy.startswith("default-src 'none';")
    scripts = [node for node in soup.find_all("script") if node.get("type") not in ("application/json", "text/plain")]
    assert len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256((scripts[0].string or "").encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}';" in policy


def test_answers_cannot_leave_the_data_block(report_maker: Maker) -> None:
    answer = "\n".join(HOSTILE)
    report = report_maker(lengths=(500,), depths=(10,), models=("m",), each=1, answers={"lit-500-10-0": answer})
    text = render_page(report)
    calm = render_page(report_maker(lengths=(500,), depths=(10,), models=("m",), each=1))
    assert len(BeautifulSoup(text, "html.parser").find_all(True)) == len(
        BeautifulSoup(calm, "html.parser").find_all(True)
    )
    rows = _data(text)["rows"]
    assert answer in [row[5] for row in rows]
    assert answer in [said for _, _, every in _shelf(text, "entries") for said, _ in every]


def test_embedded_json_round_trips_and_is_inert() -> None:
    data = {"a": "<>&\u2028\u2029</script>", "b": ["é", "\U0001f4a1", 1.5, None]}
    text = embedded_json(data)
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == data


def test_every_row_call_and_question_is_embedded(report: Report, text: str) -> None:
    data, replies, asked = _data(text), _shelf(text, "entries"), _shelf(text, "questions")
    assert len(data["rows"]) == len(report.rows)
    assert [number for number, _, _ in replies] == list(range(len(data["entries"])))
    assert sum(len(calls) for _, calls, _ in replies) == len(report.calls)
    met: dict[int, int] = {}
    known = {question.id: question for request in report.requests for question in request.questions}
    for row, (entry, question, question_type, status, value, _, detail) in zip(report.rows, data["rows"], strict=True):
        model, _, item, *_ = data["entries"][entry]
        assert (data["models"][model], item, data["questions"][question][0]) == (row.model, row.item, row.question)
        assert (data["question_types"][question_type], STATUSES[status], value) == (
            row.question_type,
            row.verdict.status,
            row.verdict.value,
        )
        assert replies[entry][2][met.get(entry, 0)] == [row.verdict.answer, row.verdict.reason]
        met[entry] = met.get(entry, 0) + 1
        key = known[row.question].key
        assert asked[detail] == [
            question,
            known[row.question].text,
            key.answer,
            list(key.accept),
            list(known[row.question].evidence),
            key.details,
        ]


def test_excerpts_are_on_the_page_once(report: Report, text: str) -> None:
    excerpts, requests = _shelf(text, "excerpts"), _shelf(text, "requests")
    assert len({json.dumps(each) for each in excerpts}) == len(excerpts)
    data = _data(text)
    by_item = {request.item: request for request in report.requests}
    for _, _, item, _, _, place in data["entries"]:
        prompt, tokens, sha256, shown = requests[place]
        request = by_item[item]
        assert (prompt, tokens, sha256) == (request.prompt, request.tokens, request.sha256)
        assert [excerpts[number] for number, _ in shown] == [
            [list(part) for part in excerpt.parts] for excerpt in request.excerpts
        ]
    assert len(excerpts) < sum(len(request.excerpts) for request in report.requests) / 10


def test_a_large_run_keeps_the_page_small(report_maker: Maker) -> None:
    sizes = {}
    for each in (5, 50):
        made = report_maker(models=("m",), lengths=(500, 1000, 2000, 4000), each=each, hole=False)
        text = render_page(made)
        sizes[len(made.rows)] = (len(text), len(re.findall("<[a-z]", text)))
    (few, (small, elements)), (many, (large, more)) = sizes.items()
    assert many == 10 * few
    assert more <= elements + 1 + 120  # chunks of data and notches, and nothing else, grow with the answers
    assert (large - small) / (many - few) < 150  # bytes an answer


def test_long_texts_stay_out_of_the_index(report_maker: Maker) -> None:
    long = "word " * 200_000
    report = report_maker(lengths=(500,), depths=(10,), models=("m",), each=1, answers={"lit-500-10-0": long})
    text = render_page(report)
    assert len(text) < 140_000
    assert long in [said for _, _, every in _shelf(text, "entries") for said, _ in every]


def test_a_page_without_requests_or_calls_still_stands(report_maker: Maker) -> None:
    report = report_maker(lengths=(500,), depths=(10,), each=1).model_copy(update={"requests": (), "calls": ()})
    text = render_page(report)
    assert {entry[5] for entry in _data(text)["entries"]} == {-1}
    assert "No model calls are on record" in text


def test_requests_of_two_benchmarks_do_not_mix(report_maker: Maker) -> None:
    report = report_maker(lengths=(500,), depths=(10,), models=("m",), each=1, prompts=("standard",))
    request = report.requests[0]
    first, second = (request.model_copy(update={"bench": name, "sha256": name * 32}) for name in ("b1", "b2"))
    again = tuple(row.model_copy(update={"bench": "b2"}) for row in report.rows)
    both = report.model_copy(update={"requests": (second, first), "rows": report.rows + again})
    text = render_page(both)
    assert [_shelf(text, "requests")[entry[5]][2][:2] for entry in _data(text)["entries"]] == ["b1", "b2"]


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
    assert keys == ["literal", "inference", "abstention"]


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
    text = render_page(single)
    page = BeautifulSoup(text, "html.parser")
    captions = [node.get_text() for node in page.select("#needles-map .panel h4")]
    assert captions == ["literal", "inference", "abstention"]
    assert not page.select("#needles-by-length .panel h4")
    assert _data(text)["cells"][0][0] == "m · standard, literal · Depth 10 %, Length 500"


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
    who = [" ".join(node.get_text().split()[1:]) for node in page.select(".rank:not(.at) th[scope=row]")]
    assert sorted(who) == ["m · comb layout", "m · paragraph layout"]
    head = [node.get_text() for node in page.select("#needles-summary-table thead th")]
    assert head[:5] == ["model", "layout", "prompt", "question type", "delivered"]
    lines = [[td.get_text() for td in tr.select("td")] for tr in page.select("#needles-summary-table tbody tr")]
    assert [line[1] for line in lines] == ["paragraph"] * 6 + ["comb"] * 6
    assert sum(int(line[head.index("asked")]) for line in lines) == len(rows)
    assert "The 7 control questions are not included." in page.get_text()
    assert len(page.select("#needles-map svg.map")) == 2 * 2 * 3
    assert len(page.select("#needles-map-prompt-effect svg.map")) == 2 * 3


def test_every_row_is_in_exactly_one_cell(report: Report) -> None:
    family = report.families[0]
    chart = next(chart for chart in family.charts if isinstance(chart, Heatmap))
    seen = Counter(i for each in tallies(chart, family, report.rows) for t in each.cells.values() for i in t.rows)
    assert set(seen.values()) == {1}
    assert len(seen) == len(report.rows)


def test_a_page_of_too_many_answers_lists_whole_requests_of_every_cell(report: Report) -> None:
    most = len(report.rows) // 3
    listed = rows_on_page(report.rows, most)
    assert most - 15 < len(listed) <= most
    kept = {(report.rows[place].model, report.rows[place].item) for place in listed}
    assert sum((row.model, row.item) in kept for row in report.rows) == len(listed), "requests are whole"
    page = render_page(report.model_copy(update={"listed": listed}))
    shown = some(BeautifulSoup(page, "html.parser").select_one("#questions .note"))
    assert f"These are {amount(len(listed))} of {amount(len(report.rows))} answers" in shown.text
    data = _data(page)
    assert len(data["rows"]) == len(listed)
    assert sorted({place for _, rows in data["cells"] for place in rows}) == list(range(len(listed)))
    assert rows_on_page(report.rows) == tuple(range(len(report.rows))), "few answers are all listed"
