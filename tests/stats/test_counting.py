"""Different experiments are never pooled, and what has no length stays out of what is said of lengths."""

from __future__ import annotations

from tests.present import some
from tests.reporting.findings import findings, verdict_sentence
from tests.rows import make_row

from longreach.core.figure import Axis, Curve, FamilyView, Heatmap
from longreach.core.types import Cell, Row, Status, Verdict
from longreach.stats.counting import experiment_axes, experiments, sample, tally, with_lengths
from longreach.stats.intervals import wilson
from longreach.stats.series import difference_maps, ordered, tallies

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
)
MAP = Heatmap(id="map", title="Map", x="length", y="depth", by=("prompt",))
LINE = Curve(id="line", title="Line", x="length")


def rows(right: int, n: int = 100, *, model: str = "m", **cell: str | int | float) -> list[Row]:
    """So many right of `n` in one cell."""
    return [
        make_row(
            value=float(number < right),
            model=model,
            item=repr(sorted(cell.items())),
            question=f"q{number}",
            context=f"{sorted(cell.items())} {number}",
            cell=cell,
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
    assert said.startswith("m holds to 8k (99 of 100 right, 95 % CI ")
    assert verdict_sentence(SCATTERED, VIEW, "m") == "m gets 0 of 100 right, 95 % CI 0 to 4."


def test_each_experiment_has_its_own_finding_in_the_order_of_the_axis() -> None:
    first, second = findings(BOTH, VIEW, "m")
    assert (first.experiment, second.experiment) == ("paragraph layout", "comb layout")
    assert first.sentence.startswith("m (paragraph layout) holds to 8k")
    assert second.sentence.startswith("m (comb layout) fails at 8k")
    assert [found.headlines[0].tally.asked for found in (first, second)] == [200, 200]
    assert verdict_sentence(BOTH, VIEW, "m") == f"{first.sentence} {second.sentence}"


def test_an_unusual_experiment_is_named_even_alone_and_the_usual_one_is_not() -> None:
    (usual,) = findings(layout("paragraph", 100, 99), VIEW, "m")
    assert usual.experiment == ""
    (unusual,) = findings(layout("comb", 100, 99), VIEW, "m")
    assert unusual.sentence.startswith("m (comb layout) holds to 8k")


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
    assert sum(len(cell.rows) for found in tallies(MAP, VIEW, every) for cell in found.cells.values()) == 300


def test_charts_that_do_not_ask_for_it_are_parted_too() -> None:
    maps = tallies(MAP, VIEW, BOTH)
    assert [dict(found.by)["layout"] for found in maps] == ["paragraph", "comb"]
    assert {found.cells[500, 50].right for found in maps} == {100.0, 80.0}
    lines = tallies(LINE, VIEW, BOTH)
    assert [[tally.right for tally in line.cells.values()] for line in lines] == [[100, 99], [80, 4]]
    single = tallies(LINE, VIEW, layout("comb", 80, 4))
    assert [line.by for line in single] == [()]


def test_differences_are_paired_inside_an_experiment() -> None:
    other = [
        row.model_copy(update={"cell": {**row.cell, "prompt": "anti_hallucination"}}) for row in layout("comb", 70, 4)
    ]
    (found,) = difference_maps(MAP, VIEW, BOTH + other, "prompt", "anti_hallucination", "standard")
    assert dict(found.by) == {"layout": "comb"}
    estimate = some(found.cells[500, 50].estimate)
    assert (round(estimate.value, 6), estimate.n) == (-0.1, 100)


def test_the_familys_own_sentence_follows_or_replaces() -> None:
    own = VIEW.model_copy(update={"sentences": {"m": "m keeps every character."}})
    said = verdict_sentence(layout("paragraph", 100, 99), own, "m")
    assert said.startswith("m holds to 8k")
    assert said.endswith(" m keeps every character.")
    flat = own.model_copy(update={"axes": own.axes[1:]})
    assert verdict_sentence(layout("paragraph", 100, 99), flat, "m").endswith(" m keeps every character.")
    assert verdict_sentence(layout("paragraph", 100, 99, "other"), own, "other").startswith("other holds")


# Rows to cells and points: every question is counted once, and none silently dropped.

SERIES_VIEW = FamilyView(
    name="needles",
    title="Needles",
    about="",
    axes=(
        Axis(name="length", title="Length", unit="tokens", scale="log"),
        Axis(name="depth", title="Depth", unit="%", scale="linear"),
        Axis(name="prompt", title="Prompt", values=("standard", "anti_hallucination")),
    ),
    charts=(),
)


def row(
    value: float | None = 1.0,
    *,
    status: Status = "scored",
    item: str = "i",
    question: str = "q",
    question_type: str = "literal",
    model: str = "m",
    **cell: str | int | float,
) -> Row:
    where: Cell = {"length": 1000, "depth": 50, "prompt": "standard", **cell}
    return make_row(value, status, model=model, item=item, question=question, question_type=question_type, cell=where)


def test_a_cell_counts_every_status_and_has_both_accuracies() -> None:
    rows = [
        row(1.0, item="a", question="1"),
        row(0.0, item="a", question="2"),
        row(status="truncated", item="b", question="3"),
        row(status="unparsed", item="b", question="4"),
        row(status="error", item="c", question="5"),
    ]
    (found,) = tallies(MAP, SERIES_VIEW, rows)
    tally = found.cells[1000, 50]
    assert (tally.asked, tally.counted, tally.faults, tally.scored, tally.right) == (5, 4, 1, 2, 1.0)
    assert (some(tally.delivered).value, some(tally.delivered).n) == (0.25, 4)
    assert (some(tally.answered).value, some(tally.answered).n) == (0.5, 2)
    assert tally.statuses == {
        "scored": 2,
        "unparsed": 1,
        "refused": 0,
        "truncated": 1,
        "overflow": 0,
        "cut": 0,
        "tool_call": 0,
        "error": 1,
        "judge_failed": 0,
        "not_condensed": 0,
    }
    assert tally.rows == (0, 1, 2, 3, 4)


def test_what_was_not_delivered_is_not_right_and_a_fault_is_no_result() -> None:
    (found,) = tallies(MAP, SERIES_VIEW, [row(status="overflow")])
    cell = found.cells[1000, 50]
    assert some(cell.delivered).value == 0
    assert cell.answered is None
    (lost,) = tallies(MAP, SERIES_VIEW, [row(status="error"), row(status="judge_failed")])
    assert lost.cells[1000, 50].delivered is None


def test_axes_are_in_order_and_untested_places_absent() -> None:
    rows = [row(length=16000, depth=10), row(length=500, depth=90), row(length=4000, depth=10)]
    (found,) = tallies(MAP, SERIES_VIEW, rows)
    assert found.axes == ((500, 4000, 16000), (10, 90))
    assert list(found.cells) == [(4000, 10), (16000, 10), (500, 90)]


def test_names_follow_the_declared_order_then_appearance() -> None:
    axis = Axis(name="prompt", title="", values=("standard", "anti_hallucination"))
    assert ordered(["own", "anti_hallucination", "standard", "own"], axis) == ("standard", "anti_hallucination", "own")


def test_combinations_make_maps_by_model_first() -> None:
    rows = [row(model=m, prompt=p) for m in ("z", "a") for p in ("anti_hallucination", "standard")]
    found = tallies(MAP, SERIES_VIEW, rows)
    assert [(each.model, each.by[0][1]) for each in found] == [
        ("z", "standard"),
        ("z", "anti_hallucination"),
        ("a", "standard"),
        ("a", "anti_hallucination"),
    ]


def test_rows_without_an_axis_or_of_another_family_stay_out() -> None:
    other = row().model_copy(update={"family": "novel"})
    lacking = row().model_copy(update={"cell": {"length": 1000, "prompt": "standard"}})
    (found,) = tallies(MAP, SERIES_VIEW, [row(), other, lacking])
    assert found.cells[1000, 50].rows == (0,)


def test_curve_points_pool_cells_and_know_of_stories() -> None:
    # Five stories, each all right or all wrong: the interval must be much wider than twenty free questions give.
    rows = [row(float(depth > 30), depth=depth, question=str(n)) for depth in (10, 30, 50, 70, 90) for n in range(8)]
    (line,) = tallies(Curve(id="c", title="", x="length", lines=("question_type",)), SERIES_VIEW, rows)
    (((x,), tally),) = line.cells.items()
    assert x == 1000
    assert line.by == (("question_type", "literal"),)
    score = some(tally.delivered)
    assert score.value == 0.6
    assert score.high - score.low > 1.5 * (wilson(24, 40).high - wilson(24, 40).low)


def test_prompts_over_one_context_share_it() -> None:
    both = [row(float(d > 30), depth=d, prompt=p) for d in (10, 30, 50, 70, 90) for p in ("standard", "own")]
    assert len(set(sample(both).context.tolist())) == 5
    told = [each.model_copy(update={"context": "one"}) for each in both]
    assert set(sample(told).context.tolist()) == {0}


def test_the_same_question_in_other_cells_is_one_question() -> None:
    rows = [row(depth=depth, question=name) for depth in (10, 50) for name in "abc"]
    assert sample(rows).question.tolist() == [0, 1, 2, 0, 1, 2]
    assert len(sample(rows).groups) == 0
    sets = [each.model_copy(update={"cell": {**each.cell, "fact_set": n % 2}}) for n, each in enumerate(rows)]
    assert sample(sets).groups[0].tolist() == [0, 1, 0, 1, 0, 1]


def test_differences_pair_the_same_question() -> None:
    rows = [
        row(1.0, question="q1", prompt="anti_hallucination", item="a"),
        row(0.0, question="q1", item="s"),
        row(1.0, question="q2", prompt="anti_hallucination", item="a"),
        row(1.0, question="q2", item="s"),
        row(0.0, question="q3", prompt="anti_hallucination", item="a"),
        row(status="error", question="q3", item="s"),
    ]
    (found,) = difference_maps(MAP, SERIES_VIEW, rows, "prompt", "anti_hallucination", "standard")
    cell = found.cells[1000, 50]
    assert found.by == ()
    assert (some(cell.estimate).value, some(cell.estimate).n) == (0.5, 2)
    assert cell.left_out == 2
    assert cell.rows == (0, 1, 2, 3, 4, 5)


def test_no_difference_map_without_both_settings() -> None:
    assert difference_maps(MAP, SERIES_VIEW, [row()], "prompt", "anti_hallucination", "standard") == ()


def test_a_value_on_an_unscored_row_never_counts() -> None:
    odd = row().model_copy(update={"verdict": Verdict(status="refused", value=1.0)})
    found = tally([odd])
    assert found.answered is None
    assert some(found.delivered).value == 0
