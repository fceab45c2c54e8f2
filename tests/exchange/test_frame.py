"""Results as a flat table."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest
from bs4 import BeautifulSoup

import longreach
from longreach.core.bench import Bench
from longreach.core.formatting import percent
from longreach.core.types import Row, Verdict
from longreach.exchange.export import frame_of, write_parquet


def row(item: str, question: str, value: float | None = 1.0, cost: float | None = 0.5) -> Row:
    verdict = Verdict(status="unparsed" if value is None else "scored", value=value, scores={"tau": 0.5})
    return Row(
        model="m",
        family="needles",
        bench="b",
        item=item,
        question=question,
        question_type="literal",
        cell={"length": 1000, "prompt": "standard"},
        realised={"length": 990},
        verdict=verdict,
        tokens_in=1000,
        tokens_cached=10,
        tokens_out=20,
        seconds=2.0,
        cost=cost,
    )


def test_a_request_is_counted_once_however_many_questions_it_asks() -> None:
    rows = [row(item, f"q{number}") for item in ("one", "two") for number in range(30)]
    frame = frame_of(rows)
    assert len(frame) == 60
    assert frame.cost.sum() == 1.0
    assert frame.tokens_in.sum() == 2000
    assert frame.groupby("item").seconds.sum().to_dict() == {"one": 2.0, "two": 2.0}
    assert frame.value.mean() == 1.0
    assert set(frame.length) == {1000}
    assert set(frame.realised_length) == {990}
    assert set(frame.score_tau) == {0.5}


def test_an_unknown_cost_and_an_unread_answer_stay_empty() -> None:
    frame = frame_of([row("one", "q1", value=None, cost=None)])
    assert frame.cost.isna().all()
    assert frame.value.isna().all()
    assert list(frame.status) == ["unparsed"]


def test_means_are_the_accuracies_of_the_page_to_the_digit(bench: Bench, tmp_path: Path) -> None:
    """Answers left empty, refused, cut off, wrong and lost to faults: each counts in the frame as on the page."""
    for examinee in ("declines,at=1k", "silent,rate=0.4", "refuser,rate=0.5,beyond=900", "capped,tokens=40"):
        longreach.simulate(bench, examinee, tmp_path / "runs")
    made = longreach.report(tmp_path / "runs", tmp_path / "page.html")
    frame = longreach.frame(tmp_path / "runs")
    page = BeautifulSoup((tmp_path / "page.html").read_text(encoding="utf-8"), "html.parser")
    head = [node.get_text() for node in page.select("#needles-summary-table thead th")]
    shown = {}
    for line in page.select("#needles-summary-table tbody tr"):
        cells = dict(zip(head, (td.get_text(" ", strip=True) for td in line.select("td")), strict=True))
        by = cells["model"], cells["prompt"].replace(" ", "_"), cells["question type"]
        shown[by] = [" ".join(cells[name].split()[:2]) for name in ("delivered", "answered")]
    groups = frame.groupby(["model", "prompt", "question_type"])
    assert len(shown) == len(groups) > 20
    for by, own in groups:
        means = [own[name].mean() for name in ("delivered", "answered")]
        assert shown[by] == ["–" if pd.isna(mean) else percent(mean) for mean in means]
    (part,) = made.contents.families
    whole = {(each.model, each.question_type): each for found in part.findings for each in found.headlines}
    for by, own in frame.groupby(["model", "question_type"]):
        found = whole[by].tally
        assert found.delivered is not None
        assert own.delivered.mean() == found.delivered.value
        assert own.answered.count() == found.scored
    assert set(frame.status) >= {"scored", "unparsed", "refused", "truncated"}
    assert (frame.delivered[frame.status != "scored"] < 1).all()
    assert frame.certain.dtype == bool


def test_a_fault_counts_in_neither_accuracy() -> None:
    fault = row("two", "q2").model_copy(update={"verdict": Verdict(status="error", reason="HTTP 500")})
    frame = frame_of([row("one", "q1"), fault, row("three", "q3", value=None)])
    assert (frame.delivered.mean(), frame.answered.mean()) == (0.5, 1.0)


def test_parquet_holds_the_same(tmp_path: Path) -> None:
    rows = [row("one", "q1"), row("one", "q2", value=0.0)]
    write_parquet(rows, tmp_path / "rows.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "rows.parquet"), frame_of(rows), check_dtype=False)


def test_the_verb_names_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(longreach.LongreachError, match="there is no folder of runs"):
        longreach.frame(tmp_path / "none")
