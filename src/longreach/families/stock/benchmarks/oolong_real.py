"""OOLONG (real part): questions about transcripts of role-playing games."""

from __future__ import annotations

import re

from longreach.core.types import Question
from longreach.families.stock.benchmark import Benchmark, Scored, Scorer, StockMessage, StockRow, counted
from longreach.families.stock.benchmarks.oolong import CODE, SYSTEM
from longreach.families.stock.sources import RawRow


def _parsed(answer: str) -> int | str | list[str]:
    try:
        return int(answer)
    except ValueError:
        return [part.strip() for part in answer.split(",") if part.strip()] if "," in answer else answer


def _score(reply: str, question: Question) -> Scored:
    gold = _parsed(question.key.answer)
    found = re.search(r"\\boxed\{\\text\{([^}]*)\}\}", reply) or re.search(r"\\boxed[\{]+([^}]*)[\}]+", reply)
    given, value = _parsed(found[1]) if found else reply, 0.0
    if isinstance(gold, int) and isinstance(given, int):
        value = 0.75 ** min(abs(gold - given), 10_000)
    elif isinstance(gold, str) and isinstance(given, str):
        value = float(gold.strip().lower() == given.strip().lower())
    elif isinstance(gold, list) and isinstance(given, list):
        value = len(set(gold) & set(given)) / len(gold) if gold else 0.0
    return Scored(value, str(given)[:200] if found or value else None, f"read as '{str(given)[-100:]}'")


def _read(row: RawRow) -> StockRow:
    window = row.text("context_window_text")
    return StockRow(
        task=str(row.values.get("question_type") or row.values.get("campaign") or "all"),
        length=counted(window),
        question=row.text("question"),
        answer=str(row.value("answer")),
        context=(StockMessage("system", SYSTEM + window), StockMessage("user", "")),
        prompt="asked",
    )


BENCHMARK = Benchmark(
    released="oolongbench/oolong-real",
    licence="not stated",
    columns=("context_window_text", "question", "answer", "question_type", "campaign"),
    bins="o200k_base tokens of the text, next power of two",
    asks="the data's own: the text as the system message, then the question",
    scorers={"2025-11": Scorer(_score, f"dnd_process_response in {CODE}")},
    sample=lambda question, right: f"\\boxed{{{question.key.answer if right else 'none of them'}}}",
    read=_read,
    caution="Parts of a list score its share of the right ones; wrong ones beside them cost nothing.",
    differs="Published runs leave temperature to the provider; here it is 0.",
    whole_text="every line of the text counts",
)
