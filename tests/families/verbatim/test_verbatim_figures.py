"""What the report shows: drawn from graded rows, published figures beside."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import TypeVar

import pytest
from tests.present import of, some
from tests.rows import make_row

from longreach.core.bench import Draft
from longreach.core.figure import Bars, Figure, Lines, Radar, Table
from longreach.core.types import Estimate, Row
from longreach.families.base import BuildContext, mean_score
from longreach.families.verbatim.family import FAMILY
from longreach.families.verbatim.spec import VerbatimSpec
from longreach.models.tokenizers import get_tokenizer
from longreach.text.documents import built_in_documents

F = TypeVar("F", bound=Figure)


@pytest.fixture(scope="module")
def draft() -> Draft:
    spec = VerbatimSpec.parse(
        {
            "sort_sizes": "8,16",
            "sort_samples": 3,
            "digits": "3,5",
            "digits_size": 16,
            "restore_sizes": "6,12",
            "restore_samples": 2,
            "group_sizes": "14,28",
            "group_samples": 2,
        },
        "spec",
    )
    documents = built_in_documents()[:4]
    return FAMILY.build(spec, documents, get_tokenizer("o200k_base"), BuildContext(warn=pytest.fail))[0]


@pytest.fixture(scope="module")
def rows(draft: Draft) -> list[Row]:
    """A model that forgets the second half of long inputs and copies well; one answer of each task was cut off."""
    questions = {question.id: question for question in draft.questions}
    rng = Random("figures")
    made: list[Row] = []
    for item in draft.items:
        question = questions[item.questions[0]]
        text = FAMILY.sample_answer([question], right=True)
        if not question.question_type.endswith("_copy"):
            text = text[: int(len(text) * (0.5 if item.cell["n"] in (16, 12, 28) else 1 - rng.random() / 5))]
        verdict = FAMILY.grade([question], text)[0]
        if item.id.endswith(("12-1-original", "16-9d-2-ascending")):
            verdict = verdict.model_copy(update={"status": "truncated", "value": None})
        made.append(
            make_row(
                family="verbatim",
                item=item.id,
                question=question.id,
                question_type=question.question_type,
                cell=item.cell,
                realised=item.realised,
                verdict=verdict,
            )
        )
    return made


def by_id(figures: Sequence[Figure], name: str, kind: type[F]) -> F:
    return of(kind, next(figure for figure in figures if figure.id == name))


def test_all_figures_are_there_once(rows: list[Row]) -> None:
    figures = FAMILY.figures(rows, {}, published=False)
    names = [figure.id for figure in figures]
    assert len(names) == len(set(names))
    expected = {"verbatim-sort", "verbatim-digits", "verbatim-restore", "verbatim-group", "verbatim-categories"}
    expected |= {"verbatim-items-sort", "verbatim-items-restore", "verbatim-items-group"}
    expected |= {"verbatim-scores", "verbatim-cost", "verbatim-items"}
    assert expected <= set(names)
    assert not any(trace.reference for figure in figures if isinstance(figure, Lines) for trace in figure.traces)
    assert FAMILY.figures([], {}, published=False) == []


def test_orders_are_apart_with_the_copy_above(rows: list[Row]) -> None:
    figure = by_id(FAMILY.figures(rows, {}, published=False), "verbatim-sort", Lines)
    assert {trace.panel for trace in figure.traces} == {"ascending", "descending"}
    for panel in ("ascending", "descending"):
        copy, task = [trace for trace in figure.traces if trace.panel == panel]
        assert (copy.name, task.name) == ("m · copy only", "m")
        assert [dot.x for dot in task.dots] == [8, 16]
        assert all((dot.y or 0) >= (other.y or 0) for dot, other in zip(copy.dots, task.dots, strict=True))
    # Only numbers of nine digits: the others are another test.
    mine = [
        row.verdict.scores["similarity"]
        for row in rows
        if row.question_type == "sort"
        and row.cell["order"] == "ascending"
        and row.cell["n"] == 16
        and row.cell["digits"] == 9
    ]
    dot = next(trace for trace in figure.traces if trace.name == "m" and trace.panel == "ascending").dots[1]
    assert len(mine) == 3
    assert dot.y == pytest.approx(sum(mine) / 3)
    assert (
        some(dot.low) < (dot.y or 0) < some(dot.high)
    )  # the 95 % CI that every score has, not the spread of the samples
    assert "3 of 3 answers" in dot.note
    assert "1 cut off" in dot.note


def test_digits(rows: list[Row]) -> None:
    figure = by_id(FAMILY.figures(rows, {}, published=False), "verbatim-digits", Lines)
    assert figure.x.name == "digits"
    assert all([dot.x for dot in trace.dots] == [3, 5, 9] for trace in figure.traces)


def test_categories_at_the_largest_size(rows: list[Row]) -> None:
    figure = by_id(FAMILY.figures(rows, {}, published=False), "verbatim-categories", Radar)
    assert "28 names" in figure.title
    (trace,) = figure.traces
    assert [dot.x for dot in trace.dots] == list(figure.x.values)
    assert len(trace.dots) == 14
    # Half of the answer: the categories at its beginning are there, the last are not.
    assert trace.dots[0].y == 1
    assert trace.dots[-1].y == 0


def test_items_are_shared_out(rows: list[Row]) -> None:
    figures = FAMILY.figures(rows, {}, published=False)
    for name in ("verbatim-items-sort", "verbatim-items-restore", "verbatim-items-group"):
        figure = by_id(figures, name, Bars)
        assert figure.stacked
        for panel in {trace.panel for trace in figure.traces}:
            parts = {trace.name: trace for trace in figure.traces if trace.panel == panel}
            assert set(parts) == {"kept", "altered", "lost", "duplicated", "invented"}
            for place in range(len(parts["kept"].dots)):
                whole = sum(parts[kind].dots[place].y or 0 for kind in ("kept", "altered", "lost"))
                assert whole == pytest.approx(1, abs=1e-5)


def test_the_table_counts_cut_answers_both_ways(rows: list[Row]) -> None:
    table = by_id(FAMILY.figures(rows, {}, published=False), "verbatim-scores", Table)
    titles = [column.title for column in table.columns]
    lines = [dict(zip(titles, row, strict=True)) for row in table.rows]
    assert len(lines) == len({tuple(row[:6]) for row in table.rows})
    line = next(each for each in lines if each["Task"] == "restore" and each["Items"] == 12)
    assert (line["Cut off"], line["Asked"], line["Scored"]) == (1, 2, 2)
    score, room = line["Score"], line["Score in its room"]
    assert isinstance(score, Estimate)
    assert isinstance(room, float)
    assert score.low <= score.value <= score.high
    assert room > score.value
    whole = next(each for each in lines if each["Task"] == "restore" and each["Items"] == 6)
    assert whole["Score in its room"] is None


def test_the_cost_of_reasoning_is_paired(rows: list[Row]) -> None:
    table = by_id(FAMILY.figures(rows, {}, published=False), "verbatim-cost", Table)
    for line in table.rows:
        copied, done, cost = line[6:9]
        assert copied == 1
        assert isinstance(done, float)
        assert isinstance(cost, Estimate)
        assert cost.value == pytest.approx(1 - done)
    assert {line[1] for line in table.rows} == {"sort", "restore", "group"}


def test_published_figures() -> None:
    figures = FAMILY.published()
    assert [figure.id for figure in figures] == [
        "published-sort",
        "published-restore",
        "published-semantic",
        "published-group",
        "published-both",
    ]
    tables = figures[:-1]
    assert sum(len(trace.dots) for figure in tables if isinstance(figure, Lines) for trace in figure.traces) == 300
    sort = by_id(figures, "published-sort", Lines)
    trace = next(each for each in sort.traces if each.name.startswith("gemini-1.5-pro") and each.panel == "ascending")
    assert [dot.y for dot in trace.dots] == pytest.approx([0.9995, 0.9995, 0.8538, 0.6636, 0.5426])
    assert all(trace.reference for figure in figures if isinstance(figure, Lines) for trace in figure.traces)


def test_published_lines_stand_in_our_panels(rows: list[Row]) -> None:
    figures = FAMILY.figures(rows, {}, published=True)
    for name in ("verbatim-sort", "verbatim-group"):
        figure = by_id(figures, name, Lines)
        ours = {trace.panel for trace in figure.traces if not trace.reference}
        assert {trace.panel for trace in figure.traces if trace.reference} == ours
    restore = by_id(figures, "verbatim-restore", Lines)
    assert {"sotu", "MeetingBank", "GovReport", "QASPER", "Wiki-727K"} == {trace.panel for trace in restore.traces}


def test_the_sentence_tells_order_from_wording_and_leaves_no_task_out(draft: Draft, rows: list[Row]) -> None:
    """A passage written backwards keeps every sentence and no pair; numbers that nobody could read are named too."""
    questions = {question.id: question for question in draft.questions}
    given: list[Row] = []
    for row in rows:
        if row.question_type == "restore":
            asked = questions[row.question]
            passage = FAMILY.sample_answer([asked], right=True).split("\n")
            backwards = FAMILY.grade([asked], "\n".join(reversed(passage)))[0]
            given.append(row.model_copy(update={"verdict": backwards}))
        elif row.question_type == "sort":
            unread = row.verdict.model_copy(update={"status": "unparsed", "value": None, "scores": {}})
            given.append(row.model_copy(update={"verdict": unread}))
    said = FAMILY.sentence(given, "m")
    assert "Putting 12 sentences back in order: low confidence, 8 % of items unchanged and in order (" in said
    assert "Kendall's tau -1.00" in said
    assert "100 % of items unchanged" in said
    assert "Sorting 16 numbers: none of" in said


def test_the_sentence(rows: list[Row]) -> None:
    said = FAMILY.sentence(rows, "m")
    assert said.startswith("m ")
    assert said.endswith(".")
    parts = ("Sorting 16 numbers", "Putting 12 sentences back in order", "Grouping 28 names", "100 % when only")
    for part in (*parts, "of items unchanged", "of items unchanged and in order (", "Kendall's tau", "floor "):
        assert part in said
    assert FAMILY.sentence(rows, "another") == ""


def test_the_interval_comes_from_the_spread(rows: list[Row]) -> None:
    """Samples between 0.90 and 0.95 leave little doubt, once there are enough of them."""
    held = [row for row in rows if row.question_type == "sort"][:3]
    scored = [
        row.model_copy(
            update={
                "verdict": row.verdict.model_copy(update={"status": "scored", "value": value}),
                "question": f"q{value}",
                "context": f"c{value}",
            }
        )
        for row, value in zip(held, (0.90, 0.92, 0.94), strict=True)
    ]
    found = some(mean_score(scored))
    assert found.value == pytest.approx(0.92)
    assert (found.few, found.low, found.high) == ("too few: 3 contexts", 0, 1), "three inputs have no interval"
    assert mean_score([]) is None


def test_a_cut_off_answer_has_one_score_and_its_room_beside_it(rows: list[Row]) -> None:
    """Half of a right list: a low score as far as it goes, 1 in its room, and no other number for the cell."""
    row = next(row for row in rows if row.question_type == "sort")
    scores = {"score": 0.4, "room_score": 1.0, "given": 16.0, "written": 8.0, "kept_share": 0.5, "prefix": 1.0}
    cut = row.verdict.model_copy(update={"status": "truncated", "value": 0.4, "scores": scores})
    table = of(
        Table,
        next(
            one
            for one in FAMILY.figures([row.model_copy(update={"verdict": cut})], {}, published=False)
            if one.id == "verbatim-scores"
        ),
    )
    line = dict(zip([column.title for column in table.columns], table.rows[0], strict=True))
    score = of(Estimate, line["Score"])
    assert (score.value, line["Score in its room"], line["Cut off"], line["Exact prefix"]) == (0.4, 1.0, 1, 0)


def test_an_exact_prefix_without_a_finish_reason_is_pointed_out(draft: Draft, rows: list[Row]) -> None:
    questions = {question.id: question for question in draft.questions}
    row = next(row for row in rows if row.question_type == "sort")
    asked = questions[row.question]
    early = FAMILY.grade([asked], ", ".join(asked.key.answer.split(", ")[:5]))[0]
    said = FAMILY.sentence([row.model_copy(update={"verdict": early})], "m")
    assert "1 of these answers is an exact prefix of the right one: perhaps cut off." in said


def test_published_bands_are_called_standard_deviations() -> None:
    for figure in FAMILY.published()[:-1]:
        assert isinstance(figure, Lines)
        assert "one standard deviation" in figure.note
        assert "confidence" not in figure.note
        dot = figure.traces[0].dots[-1]
        assert dot.note.startswith("standard deviation ")
        spread = float(dot.note.split()[2]) / 100
        assert some(dot.high) == pytest.approx(min(1, some(dot.y) + spread), abs=1e-3)


def test_the_papers_figure_is_the_mean_of_both_measures_between_them(rows: list[Row]) -> None:
    for figures in (FAMILY.published(), FAMILY.figures(rows, {}, published=True)):
        both = of(Lines, next(each for each in figures if each.id in ("published-both", "verbatim-both")))
        assert "no confidence intervals" in both.note
        known = [dot for trace in both.traces for dot in trace.dots if dot.y is not None]
        assert known
        assert all(dot.y == pytest.approx(((dot.low or 0) + (dot.high or 0)) / 2) for dot in known)
    one, other = (by_id(FAMILY.published(), f"published-{name}", Lines) for name in ("restore", "semantic"))
    both = by_id(FAMILY.published(), "published-both", Lines)
    for trace in both.traces:
        wording, meaning = (
            next(each for each in figure.traces if (each.panel, each.name) == (trace.panel, trace.name))
            for figure in (one, other)
        )
        assert [dot.y for dot in trace.dots] == pytest.approx(
            [((a.y or 0) + (b.y or 0)) / 2 for a, b in zip(wording.dots, meaning.dots, strict=True)]
        )


def test_tokens_and_cost_have_mean_and_deviation(rows: list[Row]) -> None:
    held = [row.model_copy(update={"tokens_in": 100 + 10 * n, "cost": 0.5}) for n, row in enumerate(rows[:1] * 3)]
    table = by_id(FAMILY.figures(held, {}, published=False), "verbatim-usage", Table)
    found = dict(zip((column.title for column in table.columns), table.rows[0], strict=True))
    assert (found["Requests"], found["Tokens in, mean"], found["Tokens in, SD"]) == (3, 110.0, 10.0)
    assert (found["US dollars, mean"], found["US dollars, SD"]) == (0.5, 0.0)
