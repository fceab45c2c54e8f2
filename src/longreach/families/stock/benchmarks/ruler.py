"""RULER (NVIDIA): retrieval, tracing, counting and questions at a length of one's choice, from its own generator."""

from __future__ import annotations

import json
import re
from pathlib import Path

from longreach.core.types import Question
from longreach.families.stock.benchmark import Benchmark, Scored, Scorer, StockMessage, StockRow, bin_of, text
from longreach.families.stock.sources import RawRow

_SETS = ("validation", "test", "train", "data")


def contained(reply: str, references: list[str]) -> list[bool]:
    """Which references a reply contains, in any case, after control characters became line breaks."""
    shown = re.sub(r"[\x00-\x1f]", "\n", reply.strip()).strip().lower()
    return [each.lower() in shown for each in references]


def _score(reply: str, question: Question) -> Scored:
    hits = contained(reply, json.loads(question.key.answer))
    value = float(any(hits)) if question.key.details["kind"] == "any" else sum(hits) / len(hits)
    return Scored(value, reply.strip()[:200] or None, f"{sum(hits)} of {len(hits)} references contained")


def _read(row: RawRow) -> StockRow:
    path = Path(row.source.partition(" ")[0])
    task = path.parent.name if path.stem in _SETS else path.stem
    outputs, prefix = row.texts("outputs"), str(row.values.get("answer_prefix") or "")
    if not outputs:
        raise row.fault(f"column 'outputs' is empty; generate the file again with {row.hub}")
    return StockRow(
        task=task or "all",
        length=bin_of(row.whole("length")),
        question=f"{row.text('input')}{prefix}".strip().rpartition("\n")[2][-500:].strip(),
        answer=json.dumps(outputs),
        context=(*text(row.text("input")), *([StockMessage("prefill", prefix)] if prefix else [])),
        details={"kind": "any" if task.startswith("qa") else "all"},
    )


BENCHMARK = Benchmark(
    released="NVIDIA/RULER",
    licence="Apache-2.0",
    on_hub=False,
    columns=("input", "outputs", "length", "answer_prefix"),
    bins="length of the row by the generator's tokenizer, next power of two",
    asks="the data's own, with its answer prefix at the end, or as the beginning of the reply (vllm, sglang)",
    scorers={"2024": Scorer(_score, "scripts/eval (evaluate.py, constants.py), NVIDIA/RULER at c3f5e3b (July 2026)")},
    sample=lambda question, right: ", ".join(json.loads(question.key.answer)) if right else "none of these",
    read=_read,
    settings={"temperature": 0.0, "max_tokens": 128},
    caution="Extra output costs nothing; a reply that lists everything scores 1. CWE and FWE repeat answer positions.",
    differs="One output cap for all tasks, the longest; published caps are 128, 30, 120, 50 and 32 by task. "
    "top_k=32, which changes nothing at temperature 0, is not sent.",
    results=(
        "RULER, mean of 13 tasks by length",
        "Hsieh et al. 2024; table in the README of NVIDIA/RULER (commit c3f5e3b, 2026), without rows that other "
        "authors report.",
    ),
)
