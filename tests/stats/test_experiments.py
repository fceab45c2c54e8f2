"""Different experiments are never pooled, and what has no length stays out of what is said of lengths."""

from __future__ import annotations

from tests.reporting.findings import findings, verdict_sentence

from longreach.core.chart import Axis, Curve, Heatmap
from longreach.core.family_view import FamilyView
from longreach.core.row import Row
from longreach.core.verdict import Verdict
from longreach.stats.counting import experiment_axes, experiments, with_lengths
from longreach.stats.series import curves, difference_maps, heatmaps

VIEW = FamilyView(
    name="needles",
    title="",
    about="",
    axes=(
        Axis(name="length", title="Length", unit="tokens", scale="log"),
        Axis(name="depth", title="Depth", unit="%", scale="linear"),
        Axis(name="layout", title="Layout", values=("paragraph", "comb"), experiment=True),
        Axis(name="prompt", title="Prompt", values=("standard", "anti_hallucination")),
        Axis(name="question_type", title="Question type", values=("literal", "abstention")),
    ),
    charts=(),
    doing={"literal": ("finds planted facts", "find planted facts")},
)
MAP = Heatmap(id="map", title="Map", x="length", y="depth", by=("prompt",))
LINE = Curve(id="line", title="Line", x="length")


def rows(right: int, n: int = 100, *, model: str = "m", **cell: str | int | float) -> list[Row]:
    """So many right of `n` in one cell."""
    return [
        Row(
            model=model,
            family="needles",
            bench="b",
            item=repr(sorted(cell.items())),
            question=f"q{number}",
            question_type="literal",
            cell=cell,
            realised=cell,
            verdict=Verdict(status="scored", value=float(number < right)),
            tokens_in=1,
            tokens_cached=0,
            tokens_out=1,
            seconds=0.1,
            cost=None,
        )
        for number in range(n)
    ]


def layout(name: str, at_500: int, at_8000: int, model: str = "m") -> list[Row]:
    return rows(at_500, model=model, length=500, depth=50, layout=name, prompt="standard") + rows(
        at_8000, model=model, length=8000, depth=50, layout=name, prompt="standard"
    )


BOTH = layout("comb", 80, 4) + layout("paragraph", 100, 99)
SCATTERED = rows(0, distribution="uniform", prompt="standard")


def test_what_has_no_length_stays_out_where_something_has() -> None:
    every = layout("paragraph", 100, 99) + SCATTERED
    assert with_lengths(every, VIEW, range(len(every))) == list(range(200))
    assert with_lengths(SCATTERED, VIEW, range(len(SCATTERED))) == list(range(100))
    said = verdict_sentence(every, VIEW, "m")
    assert said == "m finds planted facts reliably up to 8k tokens, the longest tested."
    assert verdict_sentence(SCATTERED, VIEW, "m") == "m finds planted facts in 0 % of cases (95 % CI 0–4 %, n = 100)."


def test_each_experiment_has_its_own_finding_in_the_order_of_the_axis() -> None:
    first, second = findings(BOTH, VIEW, "m")
    assert (first.experiment, second.experiment) == ("paragraph layout", "comb layout")
    assert first.sentence.startswith("In the paragraph layout, m finds planted facts reliably up to 8k tokens")
    assert second.sentence.startswith("In the comb layout, m does not find planted facts reliably even at 500 tokens")
    assert [found.headlines[0].tally.asked for found in (first, second)] == [200, 200]
    assert verdict_sentence(BOTH, VIEW, "m") == f"{first.sentence} {second.sentence}"


def test_an_unusual_experiment_is_named_even_alone_and_the_usual_one_is_not() -> None:
    (usual,) = findings(layout("paragraph", 100, 99), VIEW, "m")
    assert usual.experiment == ""
    (unusual,) = findings(layout("comb", 100, 99), VIEW, "m")
    assert unusual.sentence.startswith("In the comb layout, m finds")


def test_models_that_ran_different_experiments_are_told_apart() -> None:
    every = layout("paragraph", 100, 99, "a") + layout("comb", 100, 99, "b")
    assert [axis.name for axis in experiment_axes(every, VIEW)] == ["layout"]
    assert findings(every, VIEW, "a")[0].experiment == "paragraph layout"


def test_a_row_that_does_not_name_its_experiment_is_not_lost() -> None:
    old = rows(50, length=500, depth=50, prompt="standard")
    every = old + layout("comb", 80, 4)
    axes = experiment_axes(every, VIEW)
    parted = experiments(every, VIEW, range(len(every)), axes)
    assert sorted(len(each.rows) for each in parted) == [100, 200]
    assert sum(len(cell.rows) for found in heatmaps(MAP, VIEW, every) for cell in found.cells.values()) == 300


def test_charts_that_do_not_ask_for_it_are_parted_too() -> None:
    maps = heatmaps(MAP, VIEW, BOTH)
    assert [dict(found.by)["layout"] for found in maps] == ["paragraph", "comb"]
    assert {found.cells[500, 50].right for found in maps} == {100.0, 80.0}
    lines = curves(LINE, VIEW, BOTH)
    assert [[point.tally.right for point in line.points] for line in lines] == [[100, 99], [80, 4]]
    single = curves(LINE, VIEW, layout("comb", 80, 4))
    assert [line.by for line in single] == [()]


def test_differences_are_paired_inside_an_experiment() -> None:
    other = [
        row.model_copy(update={"cell": {**row.cell, "prompt": "anti_hallucination"}}) for row in layout("comb", 70, 4)
    ]
    (found,) = difference_maps(MAP, VIEW, BOTH + other, "prompt", "anti_hallucination", "standard")
    assert dict(found.by) == {"layout": "comb"}
    estimate = found.cells[500, 50].estimate
    assert estimate is not None
    assert (round(estimate.value, 6), estimate.n) == (-0.1, 100)


def test_the_familys_own_sentence_follows_or_replaces() -> None:
    own = VIEW.model_copy(update={"sentences": {"m": "m keeps every character."}})
    said = verdict_sentence(layout("paragraph", 100, 99), own, "m")
    assert said.startswith("m finds planted facts reliably up to 8k")
    assert said.endswith(" m keeps every character.")
    flat = own.model_copy(update={"axes": own.axes[1:]})
    assert verdict_sentence(layout("paragraph", 100, 99), flat, "m") == "m keeps every character."
    assert verdict_sentence(layout("paragraph", 100, 99, "other"), own, "other").startswith("other finds")
