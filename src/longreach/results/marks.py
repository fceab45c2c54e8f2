"""A person's verdicts on answers: kept beside the runs, and stronger than key and judge."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from longreach.core.files import Journal, Store
from longreach.core.types import Call, Frozen, Question, Verdict
from longreach.errors import BadInput
from longreach.grading.reading.reply_text import strip_reasoning

__all__ = ["MARKS", "AnswerMark", "by_person", "mark_key", "markable", "read_marks", "save_mark"]

MARKS = "marks.jsonl"
_SAID = "a person says "


class AnswerMark(Frozen):
    """What a person said of an answer."""

    id: str
    """Of the question, its key and the answer: equal answers to equal questions share it."""
    right: bool | None
    """None: taken back."""
    reviewer: str = ""
    question: str = ""
    answer: str = ""


def mark_key(question: Question, verdict: Verdict, call: Call) -> str:
    """The id of an answer."""
    return Store.key("mark", question.text, question.key.answer, shown_answer(verdict, call))[:24]


def shown_answer(verdict: Verdict, call: Call) -> str:
    """The answer as it was read, or all of a reply that could not be read."""
    return verdict.answer or strip_reasoning(call.text).strip()


def markable(verdict: Verdict) -> bool:
    """Whether there is an answer that a person can judge."""
    return verdict.status in ("scored", "unparsed", "refused", "judge_failed")


def read_marks(runs: Path) -> dict[str, bool]:
    """The last verdict on each answer."""
    found: dict[str, bool | None] = {}
    path = runs / MARKS
    if path.is_file():
        for line in Journal.lines(path):
            with contextlib.suppress(BadInput):  # a line that was cut off
                mark = AnswerMark.parse_json(line, str(path))
                found[mark.id] = mark.right
    return {name: right for name, right in found.items() if right is not None}


def save_mark(runs: Path, mark: AnswerMark) -> None:
    """Add a verdict."""
    with Journal(runs / MARKS, fsync=True) as journal:
        journal.add(mark.model_dump_json())


def by_person(
    marks: Mapping[str, bool], call: Call, questions: Sequence[Question], verdicts: Sequence[Verdict]
) -> list[Verdict]:
    """The verdicts on one call, with those of a person in place of the others."""
    found = []
    for question, verdict in zip(questions, verdicts, strict=True):
        right = marks.get(mark_key(question, verdict, call)) if markable(verdict) else None
        if right is not None:
            before = verdict.key if verdict.key is not None else verdict.value
            said = f"{_SAID}{'right' if right else 'wrong'}; before: {verdict.reason}"
            changed = {"status": "scored", "value": float(right), "certain": True, "reason": said, "key": before}
            verdict = verdict.model_copy(update=changed | {"answer": shown_answer(verdict, call)})
        found.append(verdict)
    return found
