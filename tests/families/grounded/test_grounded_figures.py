"""The summaries of a report, and the paper's own table out of our arithmetic."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest
from tests.present import of
from tests.rows import row_of

import longreach
from longreach.core.bench import Bench
from longreach.core.figure import Bars, Lines, Table
from longreach.core.types import Estimate, Row, Status, Verdict
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.grounded.family import FAMILY
from longreach.families.grounded.figures import PublishedRow, chance_corrected, published_rows, weighted_means


@pytest.mark.parametrize("row", published_rows(), ids=lambda row: row.model)
def test_the_published_table_is_reproduced(row: PublishedRow) -> None:
    inc, dec = weighted_means(row.by_length)
    assert 100 * inc == pytest.approx(100 * row.inc, abs=0.03)
    assert 100 * dec == pytest.approx(100 * row.dec, abs=0.03)
    assert sum(row.by_length.values()) / 6 == pytest.approx(row.mean, abs=0.0004)
    assert 100 * row.by_length[128000] / row.by_length[8000] == pytest.approx(100 * row.ratio, abs=0.03)


def test_all_nine_models_are_there() -> None:
    assert len(published_rows()) == 9
    table, lines = FAMILY.published()
    assert isinstance(table, Table)
    assert isinstance(lines, Lines)
    assert table.references == tuple(range(9))
    assert all(trace.reference for trace in lines.traces)


def test_chance() -> None:
    assert chance_corrected(1 / 6, 6) == pytest.approx(0)
    assert chance_corrected(1, 6) == 1
    assert chance_corrected(0.5, 2) == 0
    assert chance_corrected(0, 6) == pytest.approx(-0.2)


def _rows(bench: Bench, model: str, wrong_at: int | None) -> list[Row]:
    rows = []
    for item in bench.items.values():
        (question,) = item.questions
        question_type = bench.questions[question].question_type
        value = 0.0 if item.cell.get("length") == wrong_at or question_type == "closed_book" else 1.0
        status: Status = (
            "unparsed" if item.id.startswith("2000-") and item.id.endswith("d80") and model == "b" else "scored"
        )
        verdict = Verdict(status=status, value=value if status == "scored" else None, answer="B) it")
        rows.append(row_of(bench, item, question, verdict, model=model))
    return rows


def test_what_guessing_gets(extractive: Bench) -> None:
    for kind in ("reading", "gold_only", "closed_book"):
        assert FAMILY.chance(extractive, kind) == pytest.approx(1 / 6)
    assert FAMILY.chance(extractive, "other") == 0


def test_figures_of_results(extractive: Bench) -> None:
    rows = [*_rows(extractive, "a", 4000), *_rows(extractive, "b", None)]
    figures = {
        figure.id: figure for figure in FAMILY.figures(rows, {extractive.info.digest: extractive}, published=False)
    }
    assert list(figures) == ["by-length", "controls", "funnel"]
    table = of(Table, figures["by-length"])
    titles = [column.title for column in table.columns]
    assert titles[:2] == ["Model", "Mean"]  # the chart has each length
    first, second = (dict(zip(titles, row, strict=True)) for row in table.rows)
    assert first["Mean"] == 0.5
    assert first["wAvg (inc)"] == pytest.approx(1 / 3)
    assert first["wAvg (dec)"] == pytest.approx(2 / 3)
    assert first["Longest / shortest"] == 0
    assert first["Above chance"] == pytest.approx(0.4)
    assert re.fullmatch(r"[A-F]: \d+ % \(\d+ % right\)", str(first["Most chosen letter"]))
    assert (first["Not scored"], second["Not scored"]) == (0, 1)
    beside = FAMILY.figures(rows, {extractive.info.digest: extractive}, published=True)
    assert [figure.id for figure in beside[:2]] == ["by-length", "beside-published"]
    assert isinstance(beside[0], Table)
    short = of(Estimate, beside[0].rows[1][[column.title for column in beside[0].columns].index("2k")])
    assert short.n == 3, "what cannot be read was asked and not delivered"
    assert short.value == pytest.approx(2 / 3)
    controls = of(Table, figures["controls"])
    _, alone, read, closed, guessing = controls.rows[0]
    assert [one.value for one in (alone, read, closed) if isinstance(one, Estimate)] == [1, 0.5, 0]
    assert guessing == pytest.approx(1 / 6)
    funnel = of(Bars, figures["funnel"])
    assert "Not checked: closed book" in funnel.note
    assert [(dot.x, dot.y) for dot in funnel.traces[0].dots][-1] == ("passed", 3)


def test_a_favourite_letter_stands_beside_the_headline(extractive: Bench) -> None:
    rows = [
        row.model_copy(update={"verdict": Verdict(status="scored", value=0.0, answer="C) it")})
        for row in _rows(extractive, "a", None)
    ]
    table = of(Table, FAMILY.figures(rows, {extractive.info.digest: extractive}, published=False)[0])
    titles = [column.title for column in table.columns]
    right = [q.key.answer for q in extractive.questions.values() if q.question_type == "reading"].count("C")
    assert table.rows[0][titles.index("Most chosen letter")] == f"C: 100 % ({100 * right / 3:.0f} % right)"
    line = FAMILY.beside_verdict(rows, {extractive.info.digest: extractive})
    assert line.startswith("without the text 0 % right; most chosen letter C: 100 % (")


def test_evidence_has_a_table(extractive: Bench) -> None:
    rows = [
        row.model_copy(
            update={"verdict": Verdict(status="scored", value=1.0, answer="C) it", scores={"evidence": 0.0})}
        )
        for row in _rows(extractive, "a", None)
    ]
    figures = {one.id: one for one in FAMILY.figures(rows, {extractive.info.digest: extractive}, published=False)}
    table = of(Table, figures["evidence"])
    _, both, wrong, *_ = table.rows[0]
    assert isinstance(both, Estimate)
    assert isinstance(wrong, Estimate)
    assert (both.value, wrong.value) == (0, 1)


def test_published_figures_stand_beside(extractive: Bench) -> None:
    rows = _rows(extractive, "a", None)
    figures = FAMILY.figures(rows, {extractive.info.digest: extractive}, published=True)
    table, lines = figures[0], figures[1]
    assert isinstance(table, Table)
    assert isinstance(lines, Lines)
    assert table.references == tuple(range(1, 10))
    assert [column.title for column in table.columns][1:9] == ["2k", "4k", "8k", "16k", "32k", "64k", "96k", "128k"]
    assert all(len(row) == len(table.columns) for row in table.rows)
    assert [trace.reference for trace in lines.traces] == [False] + [True] * 9


def test_domains_have_a_table_of_their_own(extractive: Bench) -> None:
    rows = _rows(extractive, "a", 4000)
    for number, row in enumerate(rows):
        row.cell["domain"] = "law" if number % 2 else "finance"
    figures = FAMILY.figures(rows, {extractive.info.digest: extractive}, published=False)
    table = of(Table, next(figure for figure in figures if figure.id == "by-domain"))
    assert [row[:2] for row in table.rows] == [("finance", "a"), ("law", "a")]


def test_rows_without_their_benchmark_still_make_figures(extractive: Bench) -> None:
    assert FAMILY.figures(_rows(extractive, "a", None), {}, published=False)
    assert FAMILY.figures([], {}, published=False) == []


@pytest.mark.parametrize("seed", [7, 8])
def test_needles_in_the_same_documents_are_in_the_same_figure(seed: int, extractive: Bench, tmp_path: Path) -> None:
    settings = {"docs": [f"chronicle:{seed}/en/20k"], "lengths": "2k,4k", "depths": "50", "facts": 2}
    needles = build_bench(make_spec("needles", settings), tmp_path / "b", BuildContext(warn=lambda _: None))
    for bench in (extractive, needles):
        longreach.simulate(bench, "perfect", tmp_path / "runs")
    longreach.report(tmp_path / "runs", tmp_path / "out", formats=("csv",))
    figure = tmp_path / "out" / "charts" / "same-documents-same-documents.csv"
    assert figure.exists() == (extractive.spec["docs"] == settings["docs"])
    if figure.exists():
        lines = list(csv.DictReader(figure.open(encoding="utf-8")))
        assert {line["series"].partition(":")[0] for line in lines} == {"Grounded", "Needles"}
        assert {line["length"] for line in lines} == {"2000", "4000"}
        assert {float(line["value"]) for line in lines if line["series"] == "Grounded: reading"} == {1.0}
