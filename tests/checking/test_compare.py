"""Two sides on the same questions: differences, flips, what could not be paired."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bs4 import BeautifulSoup
from tests.present import some
from tests.reporting.sample_runs import calls_of, own_contexts, rows_of
from tests.rows import make_row

from longreach.checking.compare import (
    Comparison,
    compare_many,
    compare_rows,
    comparison_text,
    render_comparison,
    write_comparison_page,
)
from longreach.checking.pairs import match_models, pair_rows
from longreach.core.bench import Bench
from longreach.core.types import Row, Verdict
from longreach.errors import BadInput
from longreach.results.filters import rows_at
from longreach.stats.intervals import student

FOLDERS = ("old", "new")


@pytest.fixture(scope="module")
def before(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """Right everywhere but at 2,000 tokens."""
    folder = tmp_path_factory.mktemp("before")
    return own_contexts(rows_of(bench, folder, calls_of(bench, "m", lambda item: item.cell["length"] != 2000)))


@pytest.fixture(scope="module")
def after(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> list[Row]:
    """Right everywhere but at 600 tokens, depth 0."""
    folder = tmp_path_factory.mktemp("after")
    wrong = {"length": 600, "depth": 0.0}
    calls = calls_of(bench, "m", lambda item: any(item.cell[name] != wrong[name] for name in wrong))
    return own_contexts(rows_of(bench, folder, calls))


@pytest.fixture(scope="module")
def compared(before: list[Row], after: list[Row], bench: Bench) -> Comparison:
    return compare_rows(before, after, folders=FOLDERS, benches={bench.info.digest: bench})


def test_differences_are_second_less_first_overall_by_probe_and_by_length(compared: Comparison) -> None:
    (match,) = compared.matches
    asked = 3 * 4 * 2 * 12  # lengths, depths, prompts, questions
    assert match.pairs == asked
    by_type = {change.question_type: change for change in match.changes if change.place is None}
    assert list(by_type) == ["", "literal", "inference", "abstention"]  # all together first
    overall = by_type["literal"]
    lost, won = asked // 3 // 12, asked // 3 // 3
    assert (overall.worse, overall.better) == (lost, won)
    assert overall.difference.value == pytest.approx((won - lost) / (asked / 3))
    assert overall.difference.low <= overall.difference.value <= overall.difference.high
    assert overall.second - overall.first == pytest.approx(overall.difference.value)
    at = {change.place: change for change in match.changes if change.question_type == "literal" and change.place}
    assert list(at) == [600, 1000, 2000]
    assert at[600].difference.value == pytest.approx(-0.25)
    assert at[1000].difference.value == 0
    assert at[2000].difference.value == 1
    assert at[2000].direction == "better"
    assert at[1000].direction == ""


def test_the_page_draws_the_differences_by_type_and_by_length(compared: Comparison) -> None:
    page = BeautifulSoup(render_comparison(compared), "html.parser")
    by_type = some(page.select_one("#match-1-difference-chart svg.curve"))
    assert len(by_type.select("svg > g > path.whisker")) == 4
    panels = page.select("#match-1-length-chart-needles svg.curve")
    assert len(panels) == 4
    assert all(len(panel.select("path.band")) == 1 for panel in panels)
    html = compared._repr_html_()
    assert html.count("<svg") == 1 + 4


def test_flips_are_named_with_both_answers_and_the_right_one(compared: Comparison, bench: Bench) -> None:
    (match,) = compared.matches
    worse = [flip for flip in match.flips if flip.gain < 0]
    assert {flip.item for flip in worse} == {item for item in bench.items if item.startswith("600-0-")}
    assert match.flips[: len(worse)] == tuple(worse)  # losses first
    flip = next(flip for flip in worse if flip.question_type == "literal")
    question = bench.questions[flip.question]
    assert (flip.text, flip.key) == (question.text, question.key.answer)
    assert flip.first.answer
    assert flip.first.answer != flip.second.answer


def test_text_and_page_say_the_same(compared: Comparison, tmp_path: Path) -> None:
    text = comparison_text(compared)
    assert text.startswith("Worse at 600: 75 of 100 instead of 100.\n")
    assert "needles.literal: new is better, by 25 points (95 % CI +" in text
    assert "needles: new is better at 2k." in text
    assert "needles: new is worse at 600." in text
    assert "Got worse (24):" in text
    assert "and 16 more" in text
    write_comparison_page(compared, tmp_path / "page.html")
    page = BeautifulSoup((tmp_path / "page.html").read_text(encoding="utf-8"), "html.parser")
    assert some(page.h1).get_text() == "new against old"
    source = some(page.select_one("script#match-1-difference-chart-table"))
    table = json.loads(source.get_text())
    assert table["head"] == [
        *("family", "question_type", "old", "new"),
        *("difference", "difference low", "difference high", "better", "worse", "pairs", "state"),
    ]
    assert table["rows"][0][table["head"].index("difference")] == 0.25
    assert len(page.select("#match-1-got-worse tbody tr")) == 24
    assert not page.select("#match-1-not-compared")


def test_what_models_say_is_never_markup(before: list[Row]) -> None:
    evil = "<script>alert(1)</script>\u202e\x1b[2J"
    after = [
        row.model_copy(update={"verdict": Verdict(status="scored", value=0.0, answer=evil), "model": "<b>n</b>"})
        for row in before
    ]
    compared = compare_rows(before, after, folders=FOLDERS)
    assert "alert(1)</script>��[2J" in comparison_text(compared)
    page = BeautifulSoup(render_comparison(compared), "html.parser")
    (script,) = page.find_all("script", type=False)  # the others are data
    assert "alert(1)" not in script.get_text()
    assert evil in page.get_text()
    assert some(page.h1).get_text() == "<b>n</b> against m"


def test_what_cannot_be_paired_is_counted_with_its_reason(before: list[Row]) -> None:
    cut = Verdict(status="error", reason="HTTP 500")
    items = list(dict.fromkeys(row.item for row in before))
    after = [
        row.model_copy(update={"verdict": cut}) if row.item == items[0] else row
        for row in before
        if row.item != items[1]
    ]
    after += [row.model_copy(update={"bench": "f" * 64}) for row in before[:5]]
    paired = pair_rows(before, after, FOLDERS)
    assert {each.reason: each.questions for each in paired.unpaired} == {
        "error in new": 12,
        "asked in old, not in new": 12,
        "of benchmark ffffffffffff, which was only asked in new": 5,
    }
    assert next(each for each in paired.unpaired if "error" in each.reason).examples == (items[0],)
    assert len(paired.pairs) == len(before) - 24
    page = BeautifulSoup(render_comparison(compare_rows(before, after, folders=FOLDERS)), "html.parser")
    assert len(page.select("#match-1-not-compared tbody tr")) == 3


def test_two_models_in_one_folder(before: list[Row]) -> None:
    rows = before + [row.model_copy(update={"model": "n"}) for row in before]
    both = ("runs", "runs")
    (match,) = compare_rows(rows, rows, folders=both, models=("n", "m")).matches
    assert (match.first, match.second, len(match.flips)) == ("n", "m", 0)
    assert compare_rows(rows, rows, folders=both).matches[0].models == ("m", "n")
    assert "needles: passed, 0 points" in comparison_text(compare_rows(rows, rows, folders=both))
    with pytest.raises(BadInput, match="no results of model 'nn'"):
        compare_rows(rows, rows, folders=both, models=("m", "nn"))
    with pytest.raises(BadInput, match="with itself"):
        compare_rows(rows, rows, folders=both, models=("m", "m"))
    with pytest.raises(BadInput, match=r"1 model .*--models"):
        compare_rows(before, before, folders=both)


def _skilled(rows: list[Row], model: str, share: float) -> list[Row]:
    """The same questions, every so many of them right."""
    return [
        row.model_copy(
            update={"model": model, "verdict": Verdict(status="scored", value=float(place % 10 < 10 * share))}
        )
        for place, row in enumerate(rows)
    ]


def test_many_are_compared_two_at_a_time_with_intervals_that_hold_together(before: list[Row]) -> None:
    skills = {"lab/good": 0.9, "lab/fair": 0.8, "lab/bad": 0.2, "lab/as-bad": 0.2}
    rows = [row for name, share in skills.items() for row in _skilled(before, name, share)]
    made = compare_many({"runs": rows})
    assert made.sides == ("good", "fair", "bad", "as-bad"), "what all names begin with is left out"
    assert [match.models for match in made.matches] == list(combinations(skills, 2))
    assert made.confidence == pytest.approx(1 - 0.05 / 6)
    (two,) = compare_many({"runs": rows}, ["fair", "lab/bad"]).matches
    same = next(match for match in made.matches if match.models == two.models)
    assert two.flips
    for one, other in zip(two.changes, same.changes, strict=True):
        assert one.difference.value == other.difference.value
        if not one.difference.few:
            assert other.difference.low < one.difference.low <= one.difference.high < other.difference.high
    text = comparison_text(made)
    assert "good is shown to be more accurate than fair, bad and as-bad" in text
    assert "bad cannot be told from as-bad" in text
    page = BeautifulSoup(render_comparison(made), "html.parser")
    (first, *_) = page.select("table")
    cells = [[cell.get_text().strip() for cell in line.select("td")] for line in first.select("tbody tr")]
    for at, line in enumerate(cells, 1):
        assert line[at] == "–"
        for over in range(1, 5):
            value, turned = line[over].split(" ")[0], cells[over - 1][at].split(" ")[0]
            assert value == turned.translate({ord("+"): "\N{MINUS SIGN}", ord("\N{MINUS SIGN}"): "+"})


def test_folders_and_models_are_named_as_shortly_as_is_clear(before: list[Row]) -> None:
    one, other = _skilled(before, "m", 0.5), _skilled(before, "n", 0.5)
    assert compare_many({"old": one, "mid": one, "new": one}).sides == ("old", "mid", "new")
    assert compare_many({"old": one, "mid": other, "new": one}).sides == ("old", "new", "n")
    assert compare_many({"old": one + other, "mid": one, "new": one}).sides == ("old: m", "mid", "new", "n")
    assert compare_many({"old": one + other, "mid": one, "new": one}, ["m"]).sides == ("old", "mid", "new")
    assert compare_many({"runs": one + other + _skilled(before, "m/n", 0.5)}).sides == ("m", "n", "m/n")
    rows = one + other + _skilled(before, "maker/north-2", 0.5)
    (match,) = compare_many({"runs": rows}, ["North", "m"]).matches
    assert match.models == ("maker/north-2", "m"), "an exact name before a part of another"
    with pytest.raises(BadInput, match="model 'or' is any of maker/north-2, nord; write more of its name"):
        compare_many({"runs": rows + _skilled(before, "nord", 0.5)}, ["or", "m"])
    apart = [[row.model_copy(update={"bench": bench}) for row in one] for bench in "abc"]
    with pytest.raises(BadInput, match="no question in common"):
        compare_many(dict(zip(("x", "y", "z"), apart, strict=True)))


def test_models_are_matched_by_name_or_by_being_the_only_ones() -> None:
    assert match_models(["a", "b"], ["b", "c"]) == [("b", "b")]
    assert match_models(["a"], ["b"]) == [("a", "b")]
    with pytest.raises(BadInput, match="no model is both in x"):
        match_models(["a", "b"], ["c"], ("x", "y"))


def test_a_model_of_one_side_only_is_told(before: list[Row]) -> None:
    more = before + [row.model_copy(update={"model": "n"}) for row in before]
    compared = compare_rows(before, more, folders=FOLDERS)
    assert compared.notes == ("n is only in new and is not compared.",)
    assert compared.matches[0].models == ("m", "m")


def test_tasks_of_their_own_have_no_mean(before: list[Row]) -> None:
    """Sorting, and copying the same numbers: nothing is said of the two together."""
    own = [
        row.model_copy(
            update={"family": "verbatim", "question_type": ("sort", "sort_copy")[place % 2], "cell": {"n": 10}}
        )
        for place, row in enumerate(before)
    ]
    made = compare_rows(own, own, folders=("old", "new"))
    assert [change.question_type for change in made.matches[0].changes] == ["sort", "sort_copy"]


def test_nothing_in_common_is_bad_input(before: list[Row]) -> None:
    other = [row.model_copy(update={"bench": "f" * 64}) for row in before]
    with pytest.raises(BadInput, match="no question to compare: 288 needles questions of benchmark"):
        compare_rows(before, other, folders=FOLDERS)


def test_experiments_are_compared_apart(before: list[Row]) -> None:
    def layout(rows: list[Row], name: str, bench: str) -> list[Row]:
        return [row.model_copy(update={"cell": row.cell | {"layout": name}, "bench": bench}) for row in rows]

    wrong = Verdict(status="scored", value=0.0)
    old = layout(before, "paragraph", "p") + layout(before, "comb", "c")
    new = layout(before, "paragraph", "p") + [
        row.model_copy(update={"verdict": wrong}) for row in layout(before, "comb", "c")
    ]
    (match,) = compare_rows(old, new, folders=FOLDERS).matches
    whole = {
        change.experiment: change
        for change in match.changes
        if change.question_type == "literal" and change.place is None
    }
    assert list(whole) == ["paragraph layout", "comb layout"]
    assert whole["paragraph layout"].difference.value == 0
    assert whole["comb layout"].direction == "worse"


def _gaps(pairs: list[tuple[float, float]], contexts: int, length: int = 60_000) -> tuple[list[Row], list[Row]]:
    """Two sides of right or wrong answers over so many contexts in turn."""
    sides: tuple[list[Row], list[Row]] = ([], [])
    for number, values in enumerate(pairs):
        for side, value in zip(sides, values, strict=True):
            where: dict[str, Any] = {
                "question": str(number),
                "context": str(number % contexts),
                "cell": {"length": length},
            }
            side.append(make_row(value, item=str(number), **where))
    return sides


def test_twenty_two_better_and_three_worse_of_fifty_is_better() -> None:
    """Answers of real models over one context are nearly free of each other: five contexts of ten show it."""
    pairs = [(0.0, 1.0)] * 22 + [(1.0, 0.0)] * 3 + [(1.0, 1.0)] * 15 + [(0.0, 0.0)] * 10
    (match,) = compare_rows(*_gaps(pairs, 5), folders=FOLDERS).matches
    (whole, *_) = match.changes
    assert (whole.outcome, round(whole.difference.value, 2)) == ("better", 0.38)
    assert 0.18 < whole.difference.low < whole.difference.high < 0.58


@pytest.mark.parametrize("contexts", [12, 24, 48])
def test_intervals_are_as_wide_as_a_plain_paired_t_over_contexts(contexts: int) -> None:
    rng = np.random.default_rng(contexts)
    wider = []
    for _ in range(60):
        before, after = (rng.random((contexts * 9, 2)) < 0.9).T.astype(float)
        pairs = list(zip(before.tolist(), after.tolist(), strict=True))
        (match,) = compare_rows(*_gaps(pairs, contexts), folders=FOLDERS).matches
        found = match.changes[0].difference
        means = np.array([(after - before)[n::contexts].mean() for n in range(contexts)])
        plain = student(contexts - 1) * means.std(ddof=1) / np.sqrt(contexts)
        wider.append((found.high - found.low) / 2 / plain)
    assert 0.9 < np.mean(wider) < 1.15


def test_contexts_that_stand_or_fall_together_are_the_unit() -> None:
    """Twelve contexts of nine: three are lost as a whole."""
    pairs = [(1.0, float(number % 12 >= 3)) for number in range(108)]
    (match,) = compare_rows(*_gaps(pairs, 12), folders=FOLDERS).matches
    found = match.changes[0].difference
    assert found.low < -0.45
    assert found.high > -0.1


def test_a_smaller_loss_than_the_margin_is_suspicious_and_settings_have_their_own_margin() -> None:
    pairs = [(1.0, 0.0)] * 20 + [(1.0, 1.0)] * 480
    old, new = _gaps(pairs, 60)
    compared = compare_rows(old, new, folders=FOLDERS)
    assert (compared.margin, compared.matches[0].changes[0].outcome) == (5.0, "suspicious")
    assert comparison_text(compared).startswith("Suspicious in needles.literal: 96 of 100 instead of 100.\n")
    other = [row.model_copy(update={"model": "m [kv=fp8]"}) for row in new]
    compared = compare_rows(old, other, folders=FOLDERS)
    assert (compared.margin, compared.matches[0].changes[0].outcome) == (3.0, "worse")
    assert compare_rows(old, new, folders=FOLDERS, margin=2).matches[0].changes[0].outcome == "worse"


def test_one_length_alone_is_judged(before: list[Row]) -> None:
    assert {row.cell["length"] for row in rows_at(before, 700)} == {1000}
    with pytest.raises(BadInput, match="nothing was tested at this length"):
        rows_at(before, 64_000)
