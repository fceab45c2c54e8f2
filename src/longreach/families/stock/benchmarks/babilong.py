"""BABILong: facts of a bAbI task, spread over a long text."""

from __future__ import annotations

import json
import re

from longreach.core.files import yaml_table
from longreach.core.types import Question
from longreach.families.stock.benchmark import Benchmark, Scored, Scorer, StockRow, counted, options_of, text
from longreach.families.stock.sources import RawRow

_LENGTH = re.compile(r"(?<![A-Za-z0-9])(\d+)([km])(?![A-Za-z0-9])", re.IGNORECASE)
_LONGEST_NAME = 3
"""A target with a comma in so many characters is one label: 'n,e'."""


def _score(reply: str, question: Question) -> Scored:
    said = reply.lower().split(".")[0].split("<context>")[0].split("<example>")[0]
    labels, target = {label.lower() for label in options_of(question)}, question.key.answer.lower()
    named = {label for label in labels if label in said and label not in question.text.lower()}
    wanted = target.split(",") if "," in target and len(target) > _LONGEST_NAME else [target]
    right = all(each in named for each in wanted) and len(named) == len(wanted)
    shown = ", ".join(sorted(named))
    return Scored(float(right), shown if named else None, f"labels in the first sentence: {shown or 'none'}")


def _table() -> dict[str, dict[str, dict[str, str]]]:
    return yaml_table(__package__.rpartition(".")[0], "babilong.yaml")


def _prompt(task: str) -> str:
    """Instruction, examples and rule of the task, then the text and the question."""
    own = _table()["prompts"][task]
    rules = f"{own['instruction']}\n\n{own['examples']}\n\n{own['post_prompt']}"
    return f"{rules}\n\n<context>\n{{{{context}}}}\n</context>\n\nQuestion: {{{{question}}}}"


def _read(row: RawRow) -> StockRow:
    task = next(reversed(re.findall(r"(?<![A-Za-z0-9])qa\d+", row.source)), "")
    labels = _table()["labels"].get(task)
    sizes = [int(size) * (1000 if unit in "kK" else 1_000_000) for size, unit in _LENGTH.findall(row.source)]
    if labels is None or not sizes:
        what = "task (qa1 to qa20)" if labels is None else "length (0k, 4k, 10M)"
        raise row.fault(f"the path names no {what}; keep the folders of {row.hub}, as in qa1/4k.json")
    return StockRow(
        task=task,
        length=sizes[-1] or counted(row.text("input")),
        question=row.text("question").strip(),
        answer=row.text("target").strip(),
        context=text(row.text("input").strip()),
        prompt=_prompt(task),
        details={"options": json.dumps({label: label for label in labels})},
    )


def _sample(question: Question, right: bool) -> str:
    asked, answer = question.text.lower(), question.key.answer
    others = (each for each in options_of(question) if each.lower() not in answer.lower() + asked)
    return answer if right else next(others, "?")


BENCHMARK = Benchmark(
    released="RMT-team/babilong",
    licence="Apache-2.0",
    columns=("input", "question", "target"),
    bins="the length that the path names, 0k to 10M, as published",
    asks="as published (babilong/prompts.py: instruction, examples and rule of each task)",
    scorers={
        "2024-06": Scorer(_score, "babilong/metrics.py, booydar/babilong at 7a6efee (2026; unchanged since 2024)")
    },
    sample=_sample,
    read=_read,
    settings={"temperature": 0.0, "max_tokens": 20},
    caution="'one' is inside 'none', so that qa7 never counts 'none' as right. Other public graders differ.",
    differs="Every model gets its chat template; published runs choose with or without it per model.",
)
