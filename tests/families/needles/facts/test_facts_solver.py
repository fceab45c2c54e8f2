"""The solver, on statements written by hand."""

from __future__ import annotations

import pytest
from tests.families.needles.facts.solver import solve

from longreach.families.needles.facts import Ask, Statement

_TWO_AGES: list[Statement] = [("years", "A", 41), ("more_years", "B", "A", 3)]


@pytest.mark.parametrize(
    ("statements", "ask", "answer"),
    [
        (_TWO_AGES, ("years", "B"), (44,)),
        (_TWO_AGES, ("years_sum", "B", "A"), (85,)),
        (_TWO_AGES, ("years", "C"), None),
        ([("years", "B", 44), ("more_years", "B", "A", 3)], ("years", "A"), (41,)),
        ([("more_years", "B", "A", 3)], ("years", "B"), None),
        ([("above_by", "A", "B", 2), ("above_by", "B", "C", 2)], ("is_above", "C", "A"), ("no",)),
        ([("above_by", "A", "B", 2), ("above_by", "C", "B", 2)], ("is_above", "A", "C"), None),
        ([("above_by", "A", "B", 2), ("above_by", "C", "B", 2)], ("middle", "A", "B", "C"), None),
        ([("took_line", "A", "P", 570), ("line_hours", "P", 2)], ("arrived_by", "A", "P", 690), ("yes",)),
        ([("took_line", "A", "P", 570), ("line_hours", "P", 2)], ("arrived_by", "A", "P", 689), ("no",)),
        ([("took_line", "A", "P", 570), ("line_hours", "Q", 2)], ("arrived_by", "A", "P", 690), None),
        ([("superior", "A", "B"), ("superior", "B", "C")], ("superiors", "A"), ("B", "C")),
        ([("held_on", "A", 6, 314), ("days_after", "B", "A", 9)], ("acted_on_weekday", "B"), (1,)),
        (
            [("stayed", "A", 1, 780, "R", 900, "S", 1020), ("missed_at", "T", 2, 840)],
            ("room_when_missed", "A", "T"),
            None,
        ),
        ([("years", "A", 41), ("years", "A", 42)], ("years", "A"), None),
        (_TWO_AGES, ("detail", "eyes", "A"), None),
    ],
)
def test_answers(statements: list[Statement], ask: Ask, answer: tuple[str | int, ...] | None) -> None:
    assert solve(statements, ask) == answer
