"""What more money would buy: intervals narrow with the root of the number of questions; no more is promised."""

from __future__ import annotations

import pytest

from longreach.core.statements import Rate
from longreach.deciding.result import narrower
from longreach.deciding.rows import DecideRow


def _row(low: float, high: float, *, usd: float | None = None, letter: str = "a", of: int = 300) -> DecideRow:
    right = Rate(value=(low + high) / 2, low=low, high=high, of=of)
    return DecideRow(model="m", way="whole", verdict="open", right=right, usd_per_1000=usd, questions=of, letter=letter)


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([_row(0.80, 0.96, usd=1.0, of=300)], "1 USD more would narrow m on the whole text from 8 to about 4 points"),
        ([_row(0.80, 0.96, usd=100.0, of=50)], "5 USD more would narrow m on the whole text from 8 to about 6 points"),
        ([_row(0.80, 0.96)], "As many questions again would narrow m on the whole text from 8 to about 6 points"),
        ([_row(0.80, 0.96, letter="ab"), _row(0.70, 0.90, letter="b")], "the first 2 from 10 to about 7 points"),
        ([_row(0.80, 0.96), _row(0.2, 0.5, letter="c")], "narrow m on the whole text from 8"),
    ],
)
def test_what_more_would_narrow(rows: list[DecideRow], says: str) -> None:
    assert says in narrower(rows)


def test_nothing_is_promised_where_nothing_was_asked_or_all_is_known() -> None:
    assert narrower([]) == narrower([_row(0.995, 1.0)]) == ""
