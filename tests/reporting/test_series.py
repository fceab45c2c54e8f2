"""Rows to cells and points: every question is counted once, and none silently dropped."""

from __future__ import annotations

from collections import Counter

from longreach.core.chart import Axis, Curve, Heatmap
from longreach.core.family_view import FamilyView
from longreach.core.item import Cell
from longreach.core.row import Row
from longreach.core.verdict import Status, Verdict
from longreach.reporting.views import Report
from longreach.stats.intervals import wilson
from longreach.stats.series import curves, difference_maps, heatmaps, length_samples, ordered, pooled_tally

VIEW = FamilyView(
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
MAP = Heatmap(id="map", title="Map", x="length", y="depth", by=("prompt",))


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
    return Row(
        model=model,
        family="needles",
        bench="b",
        item=item,
        question=question,
        question_type=question_type,
        cell=where,
        realised=where,
        verdict=Verdict(status=status, value=value if status == "scored" else None),
        tokens_in=1,
        tokens_cached=0,
        tokens_out=1,
        seconds=0.1,
        cost=None,
    )


def test_a_cell_counts_every_status_and_scores_only_scored() -> None:
    rows = [row(1.0, item="a"), row(0.0, item="a"), row(status="truncated", item="b"), row(status="unparsed", item="b")]
    (found,) = heatmaps(MAP, VIEW, rows)
    tally = found.cells[1000, 50]
    assert (tally.asked, tally.scored, tally.right) == (4, 2, 1.0)
    assert tally.score == wilson(1, 2)
    assert tally.statuses == {
        "scored": 2,
        "unparsed": 1,
        "refused": 0,
        "truncated": 1,
        "overflow": 0,
        "error": 0,
        "judge_failed": 0,
    }
    assert tally.items == ("a", "b")
    assert tally.rows == (0, 1, 2, 3)


def test_a_cell_without_scores_has_no_score() -> None:
    (found,) = heatmaps(MAP, VIEW, [row(status="overflow")])
    assert found.cells[1000, 50].score is None
    assert found.cells[1000, 50].statuses["overflow"] == 1


def test_axes_are_in_order_and_untested_places_absent() -> None:
    rows = [row(length=16000, depth=10), row(length=500, depth=90), row(length=4000, depth=10)]
    (found,) = heatmaps(MAP, VIEW, rows)
    assert found.xs == (500, 4000, 16000)
    assert found.ys == (10, 90)
    assert set(found.cells) == {(16000, 10), (500, 90), (4000, 10)}


def test_names_follow_the_declared_order_then_appearance() -> None:
    axis = Axis(name="prompt", title="", values=("standard", "anti_hallucination"))
    assert ordered(["own", "anti_hallucination", "standard", "own"], axis) == ("standard", "anti_hallucination", "own")


def test_combinations_make_maps_by_model_first() -> None:
    rows = [row(model=m, prompt=p) for m in ("z", "a") for p in ("anti_hallucination", "standard")]
    found = heatmaps(MAP, VIEW, rows)
    assert [(each.model, each.by[0][1]) for each in found] == [
        ("z", "standard"),
        ("z", "anti_hallucination"),
        ("a", "standard"),
        ("a", "anti_hallucination"),
    ]


def test_rows_without_an_axis_or_of_another_family_stay_out() -> None:
    other = row().model_copy(update={"family": "novel"})
    lacking = row().model_copy(update={"cell": {"length": 1000, "prompt": "standard"}})
    (found,) = heatmaps(MAP, VIEW, [row(), other, lacking])
    assert found.cells[1000, 50].rows == (0,)


def test_every_row_is_in_exactly_one_cell(report: Report) -> None:
    family = report.families[0]
    chart = next(chart for chart in family.charts if isinstance(chart, Heatmap))
    seen = Counter(i for each in heatmaps(chart, family, report.rows) for t in each.cells.values() for i in t.rows)
    assert set(seen.values()) == {1}
    assert len(seen) == len(report.rows)


def test_curve_points_pool_cells_and_know_of_stories() -> None:
    # Five stories, each all right or all wrong: the interval must be much wider than twenty free questions give.
    rows = [row(float(depth > 30), depth=depth, question=str(n)) for depth in (10, 30, 50, 70, 90) for n in range(8)]
    (line,) = curves(Curve(id="c", title="", x="length", lines=("question_type",)), VIEW, rows)
    (point,) = line.points
    assert point.x == 1000
    assert line.by == (("question_type", "literal"),)
    assert point.tally.score is not None
    assert point.tally.score.value == 0.6
    assert point.tally.score.high - point.tally.score.low > 1.5 * (wilson(24, 40).high - wilson(24, 40).low)


def test_prompts_over_one_story_are_one_cluster() -> None:
    both = [row(float(d > 30), depth=d, prompt=p) for d in (10, 30, 50, 70, 90) for p in ("standard", "own")]
    single = [row(float(d > 30), depth=d) for d in (10, 30, 50, 70, 90)]
    (pooled,) = length_samples(both, range(10), "length").values()
    assert len(set(pooled.clusters)) == len(set(length_samples(single, range(5), "length")[1000.0].clusters)) == 5


def test_few_stories_fall_back_to_items() -> None:
    rows = [row(float(n % 2), item=str(n)) for n in range(6)]
    (found,) = length_samples(rows, range(6), "length").values()
    assert len(set(found.clusters)) == 6


def test_differences_pair_the_same_question() -> None:
    rows = [
        row(1.0, question="q1", prompt="anti_hallucination", item="a"),
        row(0.0, question="q1", item="s"),
        row(1.0, question="q2", prompt="anti_hallucination", item="a"),
        row(1.0, question="q2", item="s"),
        row(0.0, question="q3", prompt="anti_hallucination", item="a"),
        row(status="truncated", question="q3", item="s"),
    ]
    (found,) = difference_maps(MAP, VIEW, rows, "prompt", "anti_hallucination", "standard")
    cell = found.cells[1000, 50]
    assert found.by == ()
    assert cell.estimate is not None
    assert (cell.estimate.value, cell.estimate.n) == (0.5, 2)
    assert cell.left_out == 2
    assert cell.rows == (0, 1, 2, 3, 4, 5)


def test_no_difference_map_without_both_settings() -> None:
    assert difference_maps(MAP, VIEW, [row()], "prompt", "anti_hallucination", "standard") == ()


def test_a_value_on_an_unscored_row_never_counts() -> None:
    odd = row().model_copy(update={"verdict": Verdict(status="refused", value=1.0)})
    assert pooled_tally([odd], [0]).score is None
