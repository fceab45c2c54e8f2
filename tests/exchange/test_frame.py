"""Results as a flat table."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import longreach
from longreach.core.row import Row
from longreach.core.verdict import Verdict
from longreach.exchange.frame import frame_of, write_parquet


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


def test_parquet_holds_the_same(tmp_path: Path) -> None:
    rows = [row("one", "q1"), row("one", "q2", value=0.0)]
    write_parquet(rows, tmp_path / "rows.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "rows.parquet"), frame_of(rows), check_dtype=False)


def test_the_verb_names_a_missing_folder(tmp_path: Path) -> None:
    with pytest.raises(longreach.LongreachError, match="there is no folder of runs"):
        longreach.frame(tmp_path / "none")
