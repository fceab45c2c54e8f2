"""What needles works out: the numbers of its tables and drawings, from rows and from the paper's files."""

from __future__ import annotations

import csv
from importlib.resources import files
from pathlib import Path

import pytest
from tests.present import of
from tests.rows import make_row

from longreach.core.bench import Bench
from longreach.core.figure import Bars, Figure, Lines, Radar, Table
from longreach.core.types import Estimate, Row, Verdict
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.families.needles.distributions import DISTRIBUTIONS, bin_masses
from longreach.families.needles.figures import needles_figures, published_figures
from longreach.reporting.drawing.drawings import table_cells
from longreach.stats.counting import tally

SCORED = {"literal": 8, "inference": 5, "abstention": 10}


def rows(right: int, n: int = 10, *, question_type: str = "literal", model: str = "m", **cell: str | int) -> list[Row]:
    """One item: so many right of `n`."""
    return [
        make_row(
            value=float(number < right),
            model=model,
            item="-".join(map(str, cell.values())),
            question=f"{question_type}-{number}",
            question_type=question_type,
            cell=dict(cell),
        )
        for number in range(n)
    ]


def sweep(layout: str = "paragraph", model: str = "m", prompt: str = "standard") -> list[Row]:
    """Right as in SCORED at 1000 tokens, half of that at 2000, at six depths."""
    return [
        row
        for length, share in ((1000, 1), (2000, 2))
        for depth in (10, 30, 50, 70, 90, 100)
        for question_type, right in SCORED.items()
        for row in rows(
            right // share,
            question_type=question_type,
            model=model,
            length=length,
            depth=depth,
            layout=layout,
            prompt=prompt,
        )
    ]


def scattered(scores: dict[str, int], question_type: str = "literal", prompt: str = "standard") -> list[Row]:
    return [
        row
        for name, right in scores.items()
        for row in rows(right, question_type=question_type, distribution=name, prompt=prompt)
    ]


def by_id(figures: list[Figure]) -> dict[str, Figure]:
    return {figure.id: figure for figure in figures}


def table(figures: list[Figure], name: str) -> Table:
    return of(Table, by_id(figures)[name])


def value(cell: object) -> float:
    assert isinstance(cell, Estimate)
    return round(cell.value, 6)


def test_scores_over_the_sweep_and_at_full_length() -> None:
    found = table(needles_figures(sweep() + sweep(prompt="anti_hallucination"), {}, published=True), "scores")
    assert [column.title for column in found.columns[:4]] == ["model", "prompt", "tokens", "literal, aggregate"]
    assert len(found.columns) == 3 + 2 * 3
    ours = [row[:3] for row in found.rows[: found.references[0]]]
    assert ours == [("m", "standard", 2000), ("m", "anti hallucination", 2000)]
    assert [value(cell) for cell in found.rows[0][3:]] == [0.6, 0.4, 0.35, 0.2, 0.75, 0.5]
    assert [figure.id for figure in needles_figures(sweep(), {})] == ["over-refusal"]  # the summary has these numbers


def test_intervals_are_those_of_the_whole_page() -> None:
    found = table(needles_figures(sweep(), {}, published=True), "scores").rows[0][3]
    assert found == tally([row for row in sweep() if row.question_type == "literal"]).delivered


def test_layouts_are_never_pooled() -> None:
    scores = table(needles_figures(sweep() + sweep("comb"), {}, published=True), "scores")
    assert [row[:4] for row in scores.rows[: scores.references[0]]] == [
        ("m", "paragraph", "standard", 2000),
        ("m", "comb", "standard", 2000),
    ]
    assert "compete" in scores.note
    assert "compete" in table(needles_figures(sweep("comb"), {}, published=True), "scores").note
    assert "compete" not in table(needles_figures(sweep(), {}, published=True), "scores").note


def test_what_has_no_result_has_no_number_and_what_did_not_fit_was_not_delivered() -> None:
    long = rows(0, length=2000, depth=10)
    cut = [row.model_copy(update={"verdict": Verdict(status="overflow")}) for row in long]
    found = table(needles_figures(rows(5, length=1000, depth=10) + cut, {}, published=True), "scores")
    assert [value(cell) for cell in found.rows[0][3:5]] == [0.25, 0]
    lost = [row.model_copy(update={"verdict": Verdict(status="error")}) for row in long]
    found = table(needles_figures(rows(5, length=1000, depth=10) + lost, {}, published=True), "scores")
    assert value(found.rows[0][3]) == 0.5
    assert found.rows[0][4] is None


def test_the_effect_of_the_prompt_is_paired_and_has_an_interval() -> None:
    both = sweep() + [
        row.model_copy(update={"verdict": row.verdict.model_copy(update={"value": 0.0})})
        if row.question_type == "literal" and row.cell["length"] == 2000
        else row
        for row in sweep(prompt="anti_hallucination")
    ]
    both += scattered({"normal": 9}) + scattered({"normal": 2}, prompt="anti_hallucination")
    effect = table(needles_figures(both, {}), "prompt-effect")
    assert [row[:2] for row in effect.rows] == [("m", "all lengths"), ("m", "longest length")]
    everywhere, longest = effect.rows
    (normal,) = table(needles_figures(both, {}), "prompt-effect-by-distribution").rows
    assert normal[:2] == ("m", "distribution normal")
    assert [value(cell) for cell in everywhere[2:]] == [-0.2, 0, 0]
    assert [value(cell) for cell in longest[2:]] == [-0.4, 0, 0]
    assert (value(normal[2]), normal[3:]) == (-0.7, (None, None))
    assert isinstance(longest[2], Estimate)
    assert longest[2].low < -0.4 < longest[2].high
    assert "prompt-effect" not in by_id(needles_figures(sweep(), {}))
    layouts = table(
        needles_figures(both + sweep("comb") + sweep("comb", prompt="anti_hallucination"), {}), "prompt-effect"
    )
    assert [row[1] for row in layouts.rows[:4]] == [
        f"{over}, {layout} layout" for layout in ("paragraph", "comb") for over in ("all lengths", "longest length")
    ]


def test_published_effects_follow_from_the_tables() -> None:
    tables = [table(published_figures(), f"prompt-effect{end}") for end in ("", "-by-distribution")]
    assert [len(each.rows) for each in tables] == [len(each.references) for each in tables] == [4 * 2, 4 * 9]
    found = {row[:2]: row[2:] for effect in tables for row in effect.rows}
    assert found["ChatGPT-5-mini", "longest length"] == (-0.17, -0.2, 0.17)
    assert found["Gemini-2.5-flash", "all lengths"] == (-0.004, 0.004, 0.005)
    assert found["ChatGPT-5-mini", "distribution normal"] == (-0.6, -0.6, 0.2)


def test_own_and_published_effects_of_one_kind_stand_together_with_the_papers_decimals() -> None:
    both = sweep() + sweep(prompt="anti_hallucination")
    effect = table(needles_figures(both, {}, published=True), "prompt-effect")
    assert [row[1] for row in effect.rows] == ["all lengths"] * 5 + ["longest length"] * 5
    assert [place for place in range(10) if place not in effect.references] == [0, 5]
    drawn = table_cells(effect)
    assert drawn["folded"] == 0, "beside the own results, not folded away"
    assert [line[2]["text"] for line in drawn["lines"][1:5]] == ["−0.4", "−6.1", "+0.1", "−0.7"]


def test_over_refusal_counts_not_mentioned_on_answerable_questions() -> None:
    def answered(text: str) -> Verdict:
        return Verdict(status="scored", value=0.0, answer=text)

    every = sweep() + sweep(prompt="anti_hallucination")
    silent = [
        row.model_copy(update={"verdict": answered("Not mentioned in the text or story.")})
        if row.cell["prompt"] == "anti_hallucination" and row.cell["length"] == 2000
        else row.model_copy(update={"verdict": answered("a copper kettle")})
        for row in every
    ]
    found = of(Lines, by_id(needles_figures(silent, {}))["over-refusal"])
    assert {trace.panel: [(dot.x, dot.y) for dot in trace.dots] for trace in found.traces} == {
        "standard": [(1000, 0), (2000, 0)],
        "anti hallucination": [(1000, 0), (2000, 1)],
    }
    assert found.traces[0].dots[0].note == "n = 120"  # literal and inference, not abstention


def test_a_radar_has_a_panel_for_each_prompt_and_probe() -> None:
    every = scattered({"normal": 2, "uniform": 9, "arcsine": 5}) + scattered({"uniform": 1}, "inference")
    radar = of(Radar, by_id(needles_figures(every, {}))["distributions"])
    assert [trace.panel for trace in radar.traces] == ["standard, literal", "standard, inference"]
    assert [(dot.x, dot.y) for dot in radar.traces[0].dots] == [("uniform", 0.9), ("normal", 0.2), ("arcsine", 0.5)]
    assert all(dot.low is not None and dot.low <= (dot.y or 0) for dot in radar.traces[0].dots)
    beside = of(Radar, by_id(needles_figures(every, {}, published=True))["distributions"])
    assert len(beside.traces) == 2 + 4 * 6
    assert sum(trace.reference for trace in beside.traces) == 4 * 6


def test_the_placement_table_shows_the_spread_with_its_interval() -> None:
    every = scattered({"uniform": 9, "normal": 2, "arcsine": 9, "rayleigh": 5})
    found = table(needles_figures(every, {}), "placement")
    (line,) = found.rows
    assert line[:3] == ("m", "standard", "literal")
    assert (line[3], value(line[4]), line[5], value(line[6])) == ("uniform and 1 more", 0.9, "normal", 0.2)
    spread = of(Estimate, line[7])
    assert value(spread) == 0.7
    assert 0 < spread.low < 0.7 < spread.high <= 1


def test_published_rows_are_marked_and_stand_after_ours() -> None:
    found = table(needles_figures(sweep(), {}, published=True), "scores")
    assert found.references == tuple(range(1, 9))
    assert found.rows[1] == ("Gemini-2.5-flash", "standard", 1_000_000, 0.984, 0.99, 0.985, 0.98, 0.865, 0.86)
    named = table(needles_figures(sweep() + sweep("comb"), {}, published=True), "scores")
    assert {named.rows[place][1] for place in named.references} == {"paragraph"}


def test_the_papers_figures_are_those_of_its_files() -> None:
    figures = published_figures()
    assert list(by_id(figures)) == [
        "scores",
        "prompt-effect",
        "prompt-effect-by-distribution",
        "distributions",
        "placement",
    ]
    folder = files("longreach.families.needles") / "published"
    lines = list(csv.DictReader((folder / "needles_aggregate.csv").read_text(encoding="utf-8").splitlines()))
    scores = table(figures, "scores")
    shown = [cell for row in scores.rows for cell in row[3:]]
    assert shown == [round(float(line[part]) / 100, 6) for line in lines for part in ("aggregate_pct", "capacity_pct")]
    assert len(scores.rows) == len(scores.references) == 8
    radar = of(Radar, by_id(figures)["distributions"])
    assert len(radar.traces) == 24
    assert all([dot.x for dot in trace.dots] == list(DISTRIBUTIONS) for trace in radar.traces)
    placement = {row[:3]: row[3:] for row in table(figures, "placement").rows}
    assert placement["ChatGPT-5-mini", "anti hallucination", "literal"] == (
        "exponential",
        0.9,
        "normal and 2 more",
        0.0,
        0.9,
    )
    assert placement["Deepseek-v3.2-chat", "standard", "literal"][-1] == 0.1
    assert len(placement) == 24


@pytest.fixture(scope="module")
def bench(docs: Path, tmp_path_factory: pytest.TempPathFactory) -> Bench:
    settings = {
        "docs": [str(docs)],
        "protocols": "distribution",
        "distributions": "uniform,normal",
        "lengths": "3000",
        "bins": 10,
        "facts": 4,
        "question_types": "literal",
    }
    folder = tmp_path_factory.mktemp("figures") / "b"
    return build_bench(make_spec("needles", settings), folder, BuildContext(warn=pytest.fail))


def test_places_count_each_story_once_and_every_fact(bench: Bench) -> None:
    every = [
        row.model_copy(update={"bench": bench.info.digest, "item": item.id})
        for item in bench.items.values()
        for row in rows(3, 4, **{name: str(each) for name, each in item.cell.items()})
    ]
    found = of(Bars, by_id(needles_figures(every, {bench.info.digest: bench}))["places"])
    assert [(trace.panel, trace.name) for trace in found.traces] == [
        (panel, name) for panel in ("uniform", "normal") for name in ("nominal", "realised")
    ]
    for trace in found.traces:
        assert [dot.x for dot in trace.dots] == [10 * number for number in range(10)]
        assert sum(dot.y or 0 for dot in trace.dots) == pytest.approx(4, abs=0.01)  # two prompts, one story
    asked, realised = found.traces[2:]
    assert [dot.y for dot in asked.dots] == pytest.approx([4 * mass for mass in bin_masses("normal", 10)], abs=1e-3)
    item = next(item for item in bench.items.values() if item.cell["distribution"] == "normal")
    bins = [int(10 * place.token / item.context.tokens) for place in item.placed]
    assert [dot.y for dot in realised.dots] == [bins.count(number) for number in range(10)]


def test_without_the_benchmark_there_are_no_places() -> None:
    assert "places" not in by_id(needles_figures(scattered({"uniform": 1, "normal": 2}), {}))
