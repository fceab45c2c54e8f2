"""Tables and drawings from rows."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import pytest
from tests.families.novel.rows import called, rows_of
from tests.present import of, some
from tests.reporting.findings import verdict_sentence
from tests.rows import make_row

from longreach.core.bench import Bench
from longreach.core.figure import Dots, FamilyView, Lines, Table
from longreach.core.types import Estimate, Item
from longreach.families.novel.family import FAMILY
from longreach.families.novel.figures import paper_rows
from longreach.families.novel.grade import Gold, verdict_json
from longreach.families.novel.scores import Outcome, mcc, outcomes, recall, score
from longreach.reporting.drawing.plots import looks_of
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
    table = of(Table, figure(figures, "detection"))
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
    assert some(recalls["entity"]) < 1
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
    table, probes = figure(figures, "probes"), [brought.build[name] for name in ("style_probe", "place_probe")]
    label, place = ([row for row in table.rows if row[1] == what] for what in ("label", "place"))
    assert [row[2] for row in label] == ["all", *probes[0]["types"]]
    for row, probe in ((label[0], probes[0]), (place[0], probes[1])):
        assert row[3].value == probe["accuracy"]
        assert row[4:6] == (probe["chance"], probe["limit"])


def test_the_mean_over_models_and_the_four_types_of_the_paper(brought: Bench) -> None:
    every = [row for name, right in (("good", True), ("bad", False)) for row in rows_of(brought, name, _always(right))]
    figures = FAMILY.figures(every, {brought.info.digest: brought}, published=False)
    for name in ("by-type", "by-position"):
        traces = {trace.name: trace for trace in figure(figures, name).traces if trace.variant == "zero shot last"}
        means = [trace for title, trace in traces.items() if title.startswith("mean of 2 models")]
        assert means
        assert all(dot.y in (0.5, None) for trace in means for dot in trace.dots), "one notices all, the other none"
        assert all(dot.low is None for trace in means for dot in trace.dots)
    four = figure(figures, "by-position-four")
    assert "entity, numerical, inversion, event" in four.title


def _always(right: bool) -> Callable[[Item, str], str]:
    """Calls every summary wrong, or every one faithful."""
    said = '{"verdict": "hallucinated", "findings": []}' if right else '{"verdict": "faithful", "findings": []}'
    return lambda _item, _right: said


def test_what_the_benchmark_consists_of_is_shown(brought: Bench) -> None:
    rows = rows_of(brought, "m", lambda _, right: right)
    figures = FAMILY.figures(rows, {brought.info.digest: brought}, published=False)
    table = figure(figures, "made-of")
    assert [(row[1], row[2], row[3]) for row in table.rows] == [("S", 12, 12), ("800", 12, 12)]
    for row in table.rows:
        assert row[5] <= row[6] <= row[7]
    types = figure(figures, "made-of-types")
    assert sum(dot.y or 0 for trace in types.traces for dot in trace.dots) == 24
    assert types.unit == "count"
    looks, _ = looks_of(types, {})
    assert len({look.colour for look in looks.values()}) == len(types.traces) == 8, "a colour per type"


def test_published_figures_stand_beside_and_alone(brought: Bench) -> None:
    rows = rows_of(brought, "m", lambda _, right: right)
    beside = FAMILY.figures(rows, {}, published=True)
    table, lines = figure(beside, "detection"), figure(beside, "by-size")
    assert len(table.references) == 148
    assert len(table.rows) == 148 + 8
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert sum(trace.reference for trace in lines.traces) == len(lines.traces) - 4
    assert isinstance(lines, Lines)
    short, *others = lines.x.values
    assert others == ["800", "S", "M", "L", "XL", "XXL"]
    assert short.startswith("S ("), "a unit of few tokens is not the paper's S"
    assert {dot.x for trace in lines.traces if not trace.reference for dot in trace.dots} == {short, "800"}
    alone = FAMILY.published()
    assert [len(alone[0].rows), len(alone[0].references)] == [148, 148]  # type: ignore[union-attr]
    gpt = next(row for row in alone[0].rows if row[:3] == ("GPT-4.1 (LongNovel)", "zero shot last", "S"))  # type: ignore[union-attr]
    assert gpt[4:8] == (0.8, 0.7867, 0.7933, 0.5867)
    assert FAMILY.figures([], {}, published=True) == []


def test_one_sentence_says_what_it_notices(brought: Bench) -> None:
    said = FAMILY.sentence(rows_of(brought, "keen", keen), "keen")
    assert said.startswith("keen judges summaries at ")
    assert "balanced accuracy 92 % (95 % CI " in said
    assert "It notices 11 of 12 wrong summaries and accuses 0 of 12 faithful ones. 2 of 24 answers held no" in said
    assert "keen does no better than guessing at 800 tokens: balanced accuracy 50 % (95 % CI " in said
    assert "MCC" not in said.rpartition("guessing")[2]
    dumb = FAMILY.sentence(rows_of(brought, "dumb", lambda *_: "?"), "dumb")
    assert "gave no verdict" in dumb
    assert FAMILY.sentence([], "nobody") == ""
    window = [row for row in rows_of(brought, "w", lambda _, right: right) if row.cell["method"] == "window"]
    assert FAMILY.sentence(window, "w").endswith("Method: window.")


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


# Scores against the paper's own table, and against counts made by hand.


def outcome(wrong: bool, called_wrong: bool | None, story: int = 0, *, failed: bool = False) -> Outcome:
    return Outcome(
        model="m",
        method="zero_shot_last",
        size="S",
        length=3000,
        wrong=wrong,
        type="event" if wrong else "none",
        position="middle",
        row=make_row(
            value=1,
            family="novel",
            item=f"{story}-{wrong}",
            question=f"{story}-{wrong}",
            question_type="summary",
            cell={"story": str(story), "length": 3000},
            realised={},
            context=str(story),
        ),
        called_wrong=called_wrong,
        failed=failed,
        sentence_hit=False,
        type_hit=False,
        both_hit=False,
    )


def test_the_correlation_reproduces_145_of_the_148_published_rows() -> None:
    rates = [(row, (row.hallucinated, 1 - row.hallucinated, row.faithful, 1 - row.faithful)) for row in paper_rows()]
    off = [row for row, classes in rates if abs(mcc(*classes) - row.mcc) > 0.001]
    assert len(paper_rows()) == 148
    assert [(row.model, row.size) for row in off] == [("GLM-4-9B", "M"), ("GLM-4-9B", "L"), ("Claude-4-sonnet", "XXL")]


def test_the_correlation_by_hand() -> None:
    assert mcc(10, 0, 10, 0) == 1
    assert mcc(0, 10, 0, 10) == -1
    assert mcc(5, 5, 5, 5) == 0
    assert mcc(10, 0, 0, 10) == 0, "undefined"
    assert mcc(3, 1, 4, 2) == pytest.approx((12 - 2) / math.sqrt(5 * 4 * 6 * 5))


def test_scores_by_hand() -> None:
    found = [outcome(True, True, n) for n in range(3)] + [outcome(True, False, 3)]
    found += [outcome(False, False, n) for n in range(2)] + [outcome(False, True, n) for n in (2, 3)]
    made = score(found, failures_wrong=True)
    assert made.mcc is not None
    assert (some(made.hallucinated).value, some(made.faithful).value, some(made.mean).value) == (0.75, 0.5, 0.625)
    assert made.mcc.value == pytest.approx(mcc(3, 1, 2, 2))
    assert made.mcc.low < made.mcc.value < made.mcc.high
    assert some(made.bias).value == 5 / 8
    assert not made.undefined


def test_a_few_that_are_all_wrong_are_no_certainty() -> None:
    """A bootstrap of summaries that all end alike has no width; what is known of each class has."""
    few = score([outcome(wrong, not wrong, n) for n in range(3) for wrong in (True, False)], failures_wrong=True)
    assert few.mean is not None
    assert (few.mean.value, few.mean.high, few.mean.few) == (0, 1, "too few: 3 contexts")
    made = score([outcome(wrong, not wrong, n) for n in range(6) for wrong in (True, False)], failures_wrong=True)
    assert made.mean is not None
    assert made.mcc is not None
    top = some(made.hallucinated).high
    assert (made.mean.value, made.mean.low) == (0, 0)
    assert 0.3 < made.mean.high < top
    assert (made.mcc.value, made.mcc.low) == (-1, -1)
    # One class at the end of its interval is the least that both together allow.
    assert mcc(6 * top, 6 * (1 - top), 0, 6) < made.mcc.high < 0
    many = score([outcome(wrong, n % 2 == 0, n) for n in range(400) for wrong in (True, False)], failures_wrong=True)
    assert some(many.mcc).low > -0.15
    assert some(many.mcc).high < 0.15


def test_format_failures_count_both_ways() -> None:
    found = [outcome(True, True), outcome(True, None, failed=True), outcome(False, False), outcome(False, None)]
    counted, apart = score(found, failures_wrong=True), score(found, failures_wrong=False)
    assert (some(counted.hallucinated).value, some(counted.hallucinated).n) == (0.5, 2)
    assert (some(apart.hallucinated).value, some(apart.hallucinated).n) == (1.0, 1)
    assert some(counted.faithful).n == 1, "a call that failed is no format failure"
    noticed = some(recall(found))
    assert (noticed.value, noticed.n) == (0.5, 2)


def test_the_same_verdict_everywhere_leaves_the_correlation_undefined() -> None:
    made = score([outcome(wrong, True, n) for n in range(4) for wrong in (True, False)], failures_wrong=True)
    assert made.undefined
    assert made.mcc is not None
    assert made.mcc.value == 0
    assert made.mcc.low < -0.3 < 0.3 < made.mcc.high, "four summaries of each class tell next to nothing"
    assert some(made.mean).value == 0.5
    assert score([], failures_wrong=True).mcc is None


def test_without_a_single_verdict_there_is_nothing_to_correlate() -> None:
    made = score(
        [outcome(wrong, None, n, failed=True) for n in range(4) for wrong in (True, False)], failures_wrong=True
    )
    assert some(made.mean).value == 0, "as the paper counts"
    assert made.mcc is None
    assert not made.undefined


def test_the_blocks_of_a_summary_are_one_verdict(brought: Bench) -> None:
    """Clean only if every block is clean; one accusation is enough, one missing verdict leaves it open."""
    rows = rows_of(brought, "m", lambda item, right: right if item.cell["method"] == "window" else ACQUIT)
    window = [one for one in outcomes(rows) if one.method == "window"]
    whole = [one for one in outcomes(rows) if one.method == "zero_shot_last"]
    assert len(window) == len(whole) == 48
    assert all(one.right for one in window), "blocks that are all judged rightly make a right verdict"
    assert {one.both_hit for one in window if one.wrong} == {True}
    assert all(one.called_wrong is False for one in whole)

    rows = rows_of(brought, "m", lambda item, _: ACCUSE if item.cell["block"] == 1 else ACQUIT)
    assert all(one.called_wrong for one in outcomes(rows) if one.method == "window")
    rows = rows_of(brought, "m", lambda item, _: "I cannot tell." if item.cell["block"] == 1 else ACQUIT)
    assert {(one.called_wrong, one.failed) for one in outcomes(rows) if one.method == "window"} == {(None, True)}
    rows = rows_of(brought, "m", lambda item, _: "?" if item.cell["block"] == 1 else ACCUSE)
    assert {(one.called_wrong, one.failed) for one in outcomes(rows) if one.method == "window"} == {(True, False)}


def test_a_fault_of_the_provider_is_no_missing_verdict(brought: Bench) -> None:
    faults = {
        "S-001-h": called("", error="no such host"),
        "S-001-f": called("", stop="model_length"),
        "S-002-h": called('{"verdict": "halluc', stop="max_tokens"),
        "S-002-f": called("no idea"),
    }
    rows = rows_of(brought, "m", lambda item, right: faults.get(str(item.cell["sample"]), right))
    found = [one for one in outcomes(rows) if one.method == "cot" and one.size == "S"]
    assert sum(one.failed for one in found) == 3, "too long, cut off, not readable"
    assert sum(not one.answered for one in found) == 1
    assert sum(one.right for one in found) == 20


def test_published_results_that_contradict_one_another_are_listed() -> None:
    detection, _, contradictions = FAMILY.published()
    assert isinstance(contradictions, Table)
    assert "7 of the 132 results" in contradictions.note
    shown = {row[:3]: row[3:] for row in contradictions.rows}
    assert shown["Qwen3-8B", "sft", "XXL"] == (0.6, 0.59, 0.3077, 0.2676)
    assert shown["Claude-4-sonnet", "zero shot last", "XXL"] == (0.5, 0.56, 0.0, 0.0)
    assert len(shown) == 7
    assert isinstance(detection, Table)
    says = [column.title for column in detection.columns].index("Says hallucinated")
    bias = {row[:3]: row[says] for row in detection.rows}
    llama = "Llama3.1-8B-instruct (LongNovel)"
    assert bias[llama, "zero shot last", "XXL"] is None, "no reply had a verdict"
    assert bias[llama, "window", "XXL"] == 1
    assert bias["GPT-4.1 (LongNovel)", "zero shot last", "S"] == pytest.approx((0.8 + 1 - 0.7867) / 2)
