"""OOLONG (synthetic part): counts, labels and dates over all entries of a text."""

from __future__ import annotations

import ast
from datetime import datetime

from dateutil import parser

from longreach.core.types import Question
from longreach.families.stock.benchmark import Benchmark, Scored, Scorer, StockMessage, StockRow
from longreach.families.stock.sources import RawRow

SYSTEM = "You are a helpful assistant.\n"
CODE = "src/eval/eval_helpers.py, abertsch72/oolong at adbf1cb (November 2025)"
_PHRASES = ("more common", "less common", "same frequency")
_DATE = "[datetime.date(%Y, %m, %d)]"


def _given(reply: str) -> str:
    """What the published code reads: the text after the last colon, or a short reply, or the last word."""
    if ":" not in reply:
        return reply if len(reply) < 20 else next(reversed(reply.split()), "")
    given = reply.rpartition(":")[2].strip().translate({ord(mark): None for mark in "*[]"})
    return given if len(given) < 20 else next((phrase for phrase in _PHRASES if phrase in given), given)


def _score(reply: str, question: Question) -> Scored:
    gold, kind, given = question.key.answer, question.key.details["kind"], _given(reply)
    shown = Scored(0.0, given[-200:] if given.strip() else None, f"read as '{given[-100:]}'")
    if given == gold or given in _PHRASES:
        return shown._replace(value=float(given in gold))
    try:
        if kind == "DATE":
            return shown._replace(value=float(parser.parse(given) == datetime.fromisoformat(gold)))
        return shown._replace(value=0.75 ** abs(int(gold) - int(given))) if kind == "NUMERIC" else shown
    except (ValueError, OverflowError, TypeError, IndexError, AttributeError):
        return shown._replace(answer=None)


def literal_answer(text: str) -> str:
    """The gold answer, which is written as a Python list; a date as `[datetime.date(2023, 1, 5)]`."""
    try:
        found = datetime.strptime(text, _DATE) if "datetime" in text else ast.literal_eval(text)
        return str(found[0] if isinstance(found, list | tuple) and found else found)
    except (ValueError, SyntaxError, MemoryError, RecursionError, OverflowError):
        return text


def _read(row: RawRow) -> StockRow:
    return StockRow(
        task=row.text("task_group"),
        length=row.whole("context_len"),
        question=row.text("question"),
        answer=literal_answer(row.text("answer")),
        context=(StockMessage("system", SYSTEM + row.text("context_window_text")), StockMessage("user", "")),
        prompt="asked",
        details={"kind": row.text("answer_type").rpartition(".")[2].upper()},
    )


def _sample(question: Question, right: bool) -> str:
    wrong = {"NUMERIC": "9999", "DATE": "1900-01-01"}.get(question.key.details["kind"], "none of them")
    return f"Answer: {question.key.answer.removesuffix(' 00:00:00') if right else wrong}"


BENCHMARK = Benchmark(
    released="oolongbench/oolong-synth",
    licence="not stated",
    columns=("context_window_text", "question", "answer", "answer_type", "context_len", "task_group"),
    bins="context_len of the row, as published",
    asks="the data's own: the text as the system message, then the question",
    scorers={"2025-11": Scorer(_score, f"synth_process_response in {CODE}")},
    sample=_sample,
    read=_read,
    caution="A date without a year is read in the year of grading, as dateutil does; a count off by one scores 0.75.",
    differs="Published runs leave temperature to the provider; here it is 0.",
    whole_text="every line of the text counts",
)
