"""LongBench v2 (THUDM): hard multiple-choice questions about long documents."""

from __future__ import annotations

import json
import re

from longreach.core.types import Question
from longreach.errors import one_line
from longreach.families.stock.benchmark import Benchmark, Scored, Scorer, StockRow, asked_with, counted, options_of
from longreach.families.stock.benchmark import text as one_text
from longreach.families.stock.sources import RawRow


def _letter(reply: str) -> str | None:
    plain = reply.replace("*", "")
    found = re.search(r"The correct answer is \(([A-D])\)", plain) or re.search(r"The correct answer is ([A-D])", plain)
    return found[1] if found else None


def _score(reply: str, question: Question, nothing: float = 0.0) -> Scored:
    letter = _letter(reply)
    if letter is None:
        return Scored(nothing, None, "no 'The correct answer is (X)'")
    return Scored(float(letter == question.key.answer), letter, f"chose {letter}")


def _compensated(reply: str, question: Question) -> Scored:
    return _score(reply, question, 0.25)


def _read(row: RawRow) -> StockRow:
    options = {letter: row.text(f"choice_{letter}").strip() for letter in "ABCD"}
    answer, context = row.text("answer").strip(), row.text("context").strip()
    if answer not in options:
        raise row.fault(f"column 'answer' is '{one_line(answer, 40)}', not one of A, B, C, D; give a file of {row.hub}")
    groups = {name: row.text(name) for name in ("difficulty", "length")}
    return StockRow(
        task=row.text("domain"),
        length=counted(context),
        question=asked_with(row.text("question").strip(), options, "Choices:"),
        answer=answer,
        context=one_text(context),
        prompt="longbench-v2",
        details={"options": json.dumps(options), **groups},
    )


def _sample(question: Question, right: bool) -> str:
    other = next(letter for letter in options_of(question) if letter != question.key.answer)
    return f"The correct answer is ({question.key.answer if right else other})"


_CODE = "THUDM/LongBench at 2e00731 (January 2025)"
BENCHMARK = Benchmark(
    released="THUDM/LongBench-v2",
    licence="Apache-2.0",
    columns=("domain", "difficulty", "length", "question", "context", "answer", *(f"choice_{x}" for x in "ABCD")),
    bins="o200k_base tokens of the document, next power of two; short, medium and long in a table of their own",
    asks="as published (prompts/0shot.txt)",
    scorers={
        "2025-01": Scorer(_score, f"extract_answer in pred.py, {_CODE}"),
        "compensated": Scorer(_compensated, f"result.py with compensated = True, {_CODE}: no answer scores 0.25"),
    },
    sample=_sample,
    read=_read,
    settings={"temperature": 0.1, "max_tokens": 128},
    control="longbench-v2-no-context",
    caution="128 output tokens starve a model that reasons first; raise them with run --max-tokens.",
    differs="Published runs cut the middle out of prompts over 120,000 tokens: here only with --set cut=120000, else "
    "they overflow. They also leave failed calls out of the mean. The variant with two calls (cot) is not run.",
    results=("LongBench v2, overall accuracy", "Bai et al. 2024; README of THUDM/LongBench (commit 2e00731, 2025)."),
)
