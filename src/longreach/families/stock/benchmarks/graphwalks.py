"""GraphWalks (OpenAI): the nodes that a walk over a long list of edges reaches."""

from __future__ import annotations

import json
import re

from longreach.core.types import Question
from longreach.families.stock.benchmark import Benchmark, Scored, Scorer, StockRow, counted, text
from longreach.families.stock.sources import RawRow

_LIST = r"\[.*\]"
_OLD_LIST = r"Final Answer: ?\[.*\]"


def _nodes(reply: str, pattern: str) -> set[str] | None:
    """The nodes on the very last line; None where no list is found there."""
    line = reply.rpartition("\n")[2]
    found = re.search(pattern, line) if "Final Answer:" in line else None
    return {part.strip() for part in found[0].strip("[]").split(",") if part.strip()} if found else None


def _f1(given: set[str], gold: set[str], neither: float) -> float:
    both = len(given & gold)
    if not both:
        return neither
    recall, precision = both / len(gold), both / len(given)
    return 2 * (recall * precision) / (recall + precision)


def _scored(given: set[str] | None, value: float, gold: set[str]) -> Scored:
    if given is None:
        return Scored(value, None, "no 'Final Answer: [...]' on the last line")
    reason = f"{len(given & gold)} of {len(gold)} nodes, {len(given)} given"
    return Scored(value, ", ".join(sorted(given))[:2000], reason)


def _score(reply: str, question: Question) -> Scored:
    gold, given = set(json.loads(question.key.answer)), _nodes(reply, _LIST)
    return _scored(given, 0.0 if given is None else _f1(given, gold, float(not given and not gold)), gold)


def _score_2025(reply: str, question: Question) -> Scored:
    """The first card kept 'Final Answer: [' on the first node, and gave 1 where nothing overlaps."""
    gold, given = set(json.loads(question.key.answer)), _nodes(reply, _OLD_LIST)
    return _scored(given, 0.0 if given is None else _f1(given, gold, 1.0), gold)


def _read(row: RawRow) -> StockRow:
    prompt = row.text("prompt")
    return StockRow(
        task=row.text("problem_type"),
        length=counted(prompt),
        question=prompt.rpartition("Operation:")[2].strip()[-500:],
        answer=json.dumps(row.texts("answer_nodes", "answer")),
        context=text(prompt),
        added=str(row.values.get("date_added") or ""),
    )


BENCHMARK = Benchmark(
    released="openai/graphwalks",
    licence="MIT",
    columns=("prompt", "answer_nodes", "answer", "problem_type", "date_added"),
    bins="o200k_base tokens of the prompt, next power of two",
    asks="the data's own",
    scorers={
        "2026": Scorer(_score, "the card of openai/graphwalks at be6cc6e (2026)"),
        "2025": Scorer(_score_2025, "the card of openai/graphwalks at da70b39 (2025); a failed parse scores 0"),
    },
    sample=lambda question, right: f"Final Answer: [{', '.join(json.loads(question.key.answer) if right else 'x')}]",
    read=_read,
    caution="One line after the answer scores 0. Answers reach 6,940 nodes: an output cap truncates them.",
    differs="The card names no temperature and no output cap; here temperature is 0.",
)
