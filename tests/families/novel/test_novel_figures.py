"""Tables and drawings from rows."""

from __future__ import annotations

from typing import Any

from tests.families.novel.rows import rows_of
from tests.reporting.findings import verdict_sentence

from longreach.core.bench import Bench
from longreach.core.estimate import Estimate
from longreach.core.family_view import FamilyView
from longreach.core.figure import Dots, Lines, Table
from longreach.core.item import Item
from longreach.families.novel.family import FAMILY
from longreach.families.novel.grade import Gold, verdict_json
from longreach.stats.headline import headlines

ACQUIT = verdict_json(Gold(truth="faithful"), "en")
ACCUSE = verdict_json(Gold(truth="hallucinated"), "en")


def figure(figures: list[Any], id: str) -> Any:
    return next(found for found in figures if found.id == id)


def keen(item: Item, right: str) -> str:
    """Right at S, accuses everybody at the longer size, and forgets the form on one pair."""
    if item.cell["sample"] in ("S-003-h", "S-003-f"):
        return "I have read the story twice."
    return right if item.cell["size"] == "S" else ACCUSE


def test_the_table_has_a_line_a_model_method_and_size(brought: Bench) -> None:
    rows = rows_of(brought, "keen", keen) + rows_of(brought, "calm", lambda *_: ACQUIT)
    figures = FAMILY.figures(rows, {brought.info.digest: brought}, published=False)
    table = figure(figures, "detection")
    assert isinstance(table, Table)
    assert len(table.rows) == 2 * 4 * 2
    assert table.rows[0][:4] == ("keen", "zero shot last", "S", 24)
    titles = [column.title for column in table.columns]
    first: dict[str, Any] = dict(zip(titles, table.rows[0], strict=True))
    assert isinstance(first["Hallucinated"], Estimate)
    assert first["Hallucinated"].value == 11 / 12
    assert first["Hallucinated, answered"].value == 1
    assert first["No verdict"] == 2
    longer: dict[str, Any] = dict(zip(titles, table.rows[1], strict=True))
    assert [longer[name].value for name in ("Hallucinated", "Faithful", "Mean", "MCC")] == [1, 0, 0.5, 0]
    assert longer["Says hallucinated"].value == 1
    assert "undefined" in table.note


def test_recall_by_type_and_place(brought: Bench) -> None:
    def only_numbers_at_the_end(item: Item, right: str) -> str:
        return right if item.cell["type"] == "numerical" or item.cell["position"] == "end" else ACQUIT

    rows = [row for row in rows_of(brought, "m", only_numbers_at_the_end) if row.cell["method"] == "zero_shot_last"]
    figures = FAMILY.figures(rows, {}, published=False)
    by_type, by_position = figure(figures, "by-type"), figure(figures, "by-position")
    assert isinstance(by_type, Dots)
    recalls = {dot.x: dot.y for dot in by_type.traces[0].dots}
    assert set(recalls) == {"entity", "numerical", "inversion", "event"}
    assert recalls["numerical"] == 1
    assert recalls["entity"] is not None
    assert recalls["entity"] < 1
    assert {trace.panel for trace in by_position.traces} == {"size S", "size 800"}
    for trace in by_position.traces:
        places = {dot.x: dot.y for dot in trace.dots}
        assert places["end"] == 1
        assert list(places) == ["beginning", "middle", "end"]
    pointing = figure(figures, "pointing")
    assert [row[4].value for row in pointing.rows] == [row[5].value for row in pointing.rows], "all that it accuses"


def test_both_probes_are_shown(brought: Bench) -> None:
    rows = rows_of(brought, "m", lambda _, right: right)
    figures = FAMILY.figures(rows, {brought.info.digest: brought}, published=False)
    style = figure(figures, "style-probe")
    assert style.rows[0][1].value == brought.build["style_probe"]["accuracy"]
    assert [row[3] for row in style.rows] == ["all", *brought.build["style_probe"]["types"]]
    place, probe = figure(figures, "place-probe"), brought.build["place_probe"]
    assert place.rows[0][1].value == probe["accuracy"]
    assert place.rows[0][2:4] == (probe["chance"], probe["limit"])


def test_published_figures_stand_beside_and_alone(brought: Bench) -> None:
    rows = rows_of(brought, "m", lambda _, right: right)
    beside = FAMILY.figures(rows, {}, published=True)
    table, lines = figure(beside, "detection"), figure(beside, "by-size")
    assert len(table.references) == 148
    assert len(table.rows) == 148 + 8
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert sum(trace.reference for trace in lines.traces) == len(lines.traces) - 4
    assert isinstance(lines, Lines)
    assert lines.x.values == ("S", "800", "M", "L", "XL", "XXL")
    alone = FAMILY.published()
    assert [len(alone[0].rows), len(alone[0].references)] == [148, 148]  # type: ignore[union-attr]
    gpt = next(row for row in alone[0].rows if row[:3] == ("GPT-4.1 (LongNovel)", "zero shot last", "S"))  # type: ignore[union-attr]
    assert gpt[4:8] == (0.8, 0.7867, 0.7933, 0.5867)
    assert FAMILY.figures([], {}, published=True) == []


def test_one_sentence_says_what_it_notices(brought: Bench) -> None:
    said = FAMILY.sentence(rows_of(brought, "keen", keen), "keen")
    assert said.startswith("keen judges summaries with 92 % balanced accuracy at ")
    assert "notices 11 of 12 wrong summaries, accuses 0 of 12 faithful ones; 2 of 24 answers held no verdict" in said
    assert "; does no better than guessing at 800 tokens (balanced accuracy 50 %, 95 % CI " in said
    assert "MCC" not in said.rpartition("guessing")[2]
    dumb = FAMILY.sentence(rows_of(brought, "dumb", lambda *_: "?"), "dumb")
    assert "gave no verdict" in dumb
    assert FAMILY.sentence([], "nobody") == ""
    window = [row for row in rows_of(brought, "w", lambda _, right: right) if row.cell["method"] == "window"]
    assert FAMILY.sentence(window, "w").endswith("(method window).")


def test_no_headline_rests_on_blocks_of_a_window(brought: Bench) -> None:
    view = FamilyView(
        name="novel", title="Novel", about="", axes=FAMILY.axes, charts=(), chances={"summary": 0.5, "analysis": 0.5}
    )
    rows = rows_of(brought, "right", lambda _, right: right)
    found = headlines(rows, view)
    assert {each.question_type for each in found} == {"summary", "analysis"}
    summaries = {row.cell["sample"] for row in rows}
    assert {each.tally.asked for each in found} == {len(summaries)}, "every method has one row per summary"
    window = [row for row in rows if row.cell["method"] == "window"]
    assert "balanced accuracy" in verdict_sentence(
        window, view.model_copy(update={"sentences": {"right": FAMILY.sentence(window, "right")}}), "right"
    )
