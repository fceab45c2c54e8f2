"""Rows as grading makes them, from answers that a test chooses."""

from __future__ import annotations

from collections.abc import Callable

from tests.rows import make_row

from longreach.core.bench import Bench
from longreach.core.types import Call, Item, Row
from longreach.families.novel.family import FAMILY
from longreach.results.grading import call_verdicts


def rows_of(bench: Bench, model: str, answer: Callable[[Item, str], str | Call]) -> list[Row]:
    """Every item answered; `answer` gets the item and the right answer."""
    rows: list[Row] = []
    for item in bench.items.values():
        questions = [bench.questions[name] for name in item.questions]
        said = answer(item, FAMILY.sample_answer(questions, right=True))
        call = said if isinstance(said, Call) else called(said)
        verdict = call_verdicts(bench, call.model_copy(update={"item": item.id}))[0]
        rows.append(
            make_row(
                model=model,
                family="novel",
                bench=bench.info.digest,
                item=item.id,
                question=questions[0].id,
                question_type=questions[0].question_type,
                cell=item.cell,
                realised=item.realised,
                verdict=verdict,
            )
        )
    return FAMILY.counted_rows(rows, {bench.info.digest: bench})


def called(text: str, *, stop: str = "stop", error: str = "") -> Call:
    """A call with this answer."""
    return Call(model="m", family="novel", bench="b", item="i", text=text, stop=stop, error=error)
