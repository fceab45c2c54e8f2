"""Calls to a report: the family's own figures, words and sentences are on it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from tests.reporting.sample_runs import calls_of, rows_of

from longreach.core.bench import Bench
from longreach.core.figure import Column, Figure, Heatmap, Table
from longreach.core.types import Call, Row, Verdict
from longreach.families import get_family
from longreach.families.showing import family_view
from longreach.reporting.figures import difference_figure
from longreach.reporting.numbers import report_numbers
from longreach.reporting.page import Contents, render_page
from longreach.reporting.report import RunsSource, make_report
from longreach.results.grading import grade_runs

Ran = tuple[Path, list[Row], list[Call]]


def source(folder: Path, rows: Sequence[Row], calls: Sequence[Call]) -> list[RunsSource]:
    return [RunsSource(folder=folder, rows=tuple(rows), calls=tuple(calls))]


@pytest.fixture
def ran(bench: Bench, tmp_path: Path) -> Ran:
    """Every question answered right by one model and wrong by another."""
    calls = [*calls_of(bench, "right", lambda _: True), *calls_of(bench, "wrong", lambda _: False)]
    return tmp_path, rows_of(bench, tmp_path, calls), calls


def test_the_familys_figures_are_on_the_page_and_published_ones_only_when_asked(ran: Ran) -> None:
    plain = make_report(source(*ran))
    page = BeautifulSoup(render_page(plain), "html.parser")
    assert not page.select("#needles-scores, tr.published")  # the summary has these numbers
    beside = make_report(source(*ran), published=True)
    page = BeautifulSoup(render_page(beside), "html.parser")
    assert len(page.select("#needles-scores tr.published")) == 8
    ours = {tr.select("td")[0].get_text() for tr in page.select("#needles-scores tbody tr:not(.published)")}
    assert ours == {"right", "wrong"}
    assert any("published" in note for note in beside.notes)
    assert not any("published" in note for note in plain.notes)


def test_over_refusal_is_in_the_numbers_by_prompt_and_length(ran: Ran) -> None:
    runs, rows, calls = ran
    silent = [
        row.model_copy(update={"verdict": Verdict(status="scored", value=0.0, answer="Not mentioned in the text.")})
        if row.model == "wrong" and row.cell["prompt"] == "anti_hallucination" and row.cell["length"] == 2000
        else row
        for row in rows
    ]
    made = make_report(source(runs, silent, calls))
    (family,) = report_numbers(made, Contents(made)).families
    (wrong,) = [each for each in family.models if each.model == "wrong"]
    found = {
        (kind.prompt, kind.question_type, at.length): at.over_refusal and at.over_refusal.value
        for kind in wrong.by_prompt
        for at in kind.by_length
    }
    assert {place for place, rate in found.items() if rate} == {
        ("anti_hallucination", kind, 2000) for kind in ("literal", "inference")
    }
    assert found["standard", "literal", 2000] == 0
    assert found["standard", "abstention", 2000] is None


def test_the_scale_of_difference_maps_can_be_given(ran: Ran) -> None:
    family = family_view("needles")
    (chart,) = [chart for chart in family.charts if isinstance(chart, Heatmap)]
    scales = [difference_figure(chart, family, ran[1], scale) for scale in (None, 0.3)]
    assert [each.limit for each in scales if each] == [0.25, 0.3]  # equal under both prompts
    page = Contents(make_report(source(*ran), difference_scale=0.3))
    drawn = next(each for each in page.every_figure() if each.id == "needles-map-prompt-effect")
    assert "+30" in str(drawn)
    assert "+25" not in str(drawn)


def test_a_familys_own_sentence_follows_the_verdict(ran: Ran, monkeypatch: pytest.MonkeyPatch) -> None:
    family = type(get_family("needles"))
    monkeypatch.setattr(family, "sentence", lambda *given: "Best so far." if given[-1] == "right" else "")
    said = Contents(make_report(source(*ran))).sentences()
    assert said["right needles"].startswith("right holds to 2k (100 of 100 right, 95 % CI ")
    assert said["right needles"].endswith(" Best so far.")
    assert said["wrong needles"].startswith("wrong fails already at 600, the shortest length (0 of 100 right")


def test_a_family_sees_its_own_rows_and_benchmarks(ran: Ran, bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[int, list[str], bool]] = []

    def figures(_: object, rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> list[Figure]:
        seen.append((len(rows), list(benches), published))
        return [Table(id="own", title="Own", columns=(Column(title="a"),), rows=(("x",),))]

    monkeypatch.setattr(type(get_family("needles")), "figures", figures)
    runs, rows, calls = ran
    stranger = rows[0].model_copy(update={"family": "other"})
    report = make_report(source(runs, [*rows, stranger], calls), published=True)
    assert seen == [(len(rows), [bench.info.digest], True)]
    assert [figure.id for figure in report.families[0].figures] == ["own"]


def test_a_model_that_has_not_answered_all_items_is_named(ran: Ran, bench: Bench) -> None:
    runs, _, calls = ran
    assert make_report(source(*ran)).gaps == ()
    part = [call for call in calls if call.model == "right" or call.item != next(iter(bench.items))]
    made = make_report(source(runs, grade_runs(runs, part), part))
    (gap,) = made.gaps
    assert gap.startswith(f"wrong has answers to {len(bench.items) - 1} of the {len(bench.items)} items of needles")
    assert gap in BeautifulSoup(render_page(made), "html.parser").get_text()
