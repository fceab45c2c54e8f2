"""`order`: which of six statements from different places comes first in the text, or last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from random import Random

from .balance import Balance
from .questions import Candidate
from .statements import Reading, Statement
from .windows import Stretch

_APART = 12
"""Two statements have at least this part of the shortest test document between them."""
_POOL = 24


class Order:
    """Writes the questions, as many for the first statement as for the last."""

    def __init__(self) -> None:
        self._asked: Counter[str] = Counter()

    def write(
        self,
        reading: Reading,
        statement: Statement,
        stretch: Stretch,
        balance: Balance,
        rng: Random,
        questions: Mapping[str, str],
    ) -> Candidate | None:
        """A question for which a statement is the right answer; None where too little text is on either side of it."""
        for which in sorted(("first", "last"), key=lambda one: self._asked[one]):
            pool = self._others(reading, statement, stretch, rng, last=which == "last")
            measures = {"length": lambda one: float(len(one.text))}
            chosen = balance.choose("order", statement, pool, measures, rng, text=lambda one: one.text)
            if chosen is None:
                continue
            self._asked[which] += 1
            return Candidate(
                question=questions[which],
                options=(statement.text, *(one.text for one in chosen)),
                evidence=reading.document.corpus.read(statement.start, statement.end),
                also=tuple((one.start, one.end) for one in sorted(chosen, key=lambda one: one.start)),
                kind="order",
            )
        return None

    @staticmethod
    def _others(
        reading: Reading, statement: Statement, stretch: Stretch, rng: Random, *, last: bool
    ) -> list[Statement]:
        """Statements on one side of a statement, far from it and from each other."""
        apart = sum(end - start for start, end in stretch.common) // _APART
        found = [
            one
            for start, end in stretch.common
            for one in reading.between(start, end)
            if one.usable and one.end <= end and (one.start < statement.start) == last
        ]
        rng.shuffle(found)
        chosen: list[Statement] = []
        for one in found:
            far = all(abs(one.start - other.start) >= apart for other in (statement, *chosen))
            if far and reading.unique(one):
                chosen.append(one)
            if len(chosen) == _POOL:
                break
        return chosen
