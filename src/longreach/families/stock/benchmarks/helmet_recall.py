"""HELMET, recall: the value of one key of a long JSON object (json_kv). Its RULER tasks are read by `ruler`."""

from __future__ import annotations

import json

from longreach.core.types import Question
from longreach.families.stock.benchmark import Benchmark, Scored, Scorer, StockRow, counted, normalised, text
from longreach.families.stock.sources import RawRow

CODE = "utils.py and data.py, princeton-nlp/HELMET at 4526dfb (April 2025)"
_SHOTS = 2


def contains_answer(reply: str, question: Question) -> Scored:
    """Whether the normalised reply contains a normalised answer, as a part of words too."""
    said = normalised(reply)
    found = next((each for each in json.loads(question.key.answer) if normalised(each) in said), None)
    return Scored(
        float(found is not None), reply.strip()[:200] or None, f"contains '{found}'" if found else "not in it"
    )


def _read(row: RawRow) -> StockRow:
    demos, key = row.value("demos"), row.text("question")
    if not isinstance(demos, list) or not all(isinstance(d, list) and len(d) == 2 for d in demos):
        raise row.fault(f"column 'demos' holds no pairs of key and value; give a file of {row.hub}")
    shown = "\n\n".join(f"Key: {name}\nCorresponding value: {value}" for name, value in demos[:_SHOTS])
    context = row.text("context")
    return StockRow(
        task="json_kv",
        length=counted(context),
        question="\n\n".join(filter(None, [shown, f"Key: {key}\nCorresponding value:"])),
        answer=json.dumps(row.texts("answer")),
        context=text(context),
        prompt="{{context}}\n\nExtract the value corresponding to the specified key in the JSON object below.\n\n"
        "{{question}}",
    )


BENCHMARK = Benchmark(
    released="princeton-nlp/HELMET",
    licence="MIT",
    columns=("context", "question", "answer", "demos"),
    bins="o200k_base tokens of the JSON object, next power of two",
    asks="as published, with the row's first two examples",
    scorers={"2025-04": Scorer(contains_answer, f"substring_exact_match in {CODE}")},
    sample=lambda question, right: json.loads(question.key.answer)[0] if right else "none of these",
    read=_read,
    settings={"temperature": 0.0, "max_tokens": 100},
    caution="A reply that repeats the whole object counts as right.",
    differs="Base models get a chat template here; the published run of json_kv sends none.",
)
