"""HELMET, RAG: short questions about many retrieved documents (Natural Questions, TriviaQA, HotpotQA, PopQA)."""

from __future__ import annotations

import json
from pathlib import Path

from longreach.families.stock.benchmark import Benchmark, Scorer, StockRow, counted, text
from longreach.families.stock.benchmarks.helmet_recall import CODE, contains_answer
from longreach.families.stock.sources import RawRow

_PROMPT = (
    "Use the given documents to write a concise and short answer to the question. Write your answer in the following "
    "format:\nAnswer: [answer]\n\n{{context}}\n\nQuestion: {{question}}\nAnswer:"
)


def _read(row: RawRow) -> StockRow:
    documents, answers = row.value("ctxs"), row.texts("answers")
    plain = isinstance(documents, list) and all(
        isinstance(one, dict) and {"title", "text"} <= {*one} for one in documents
    )
    if not plain or not answers:
        raise row.fault(f"column 'ctxs' holds no documents with title and text; give a file of {row.hub}")
    context = "\n\n".join(f"Document (Title: {one['title']}): {one['text']}" for one in documents)
    return StockRow(
        task=Path(row.source.partition(" ")[0]).name.partition("-")[0].partition("_")[0],
        length=counted(context),
        question=row.text("question"),
        answer=json.dumps(answers),
        context=text(context),
        prompt=_PROMPT,
    )


BENCHMARK = Benchmark(
    released="princeton-nlp/HELMET",
    licence="MIT; the documents of KILT have their own",
    columns=("ctxs", "question", "answers"),
    bins="o200k_base tokens of the documents, next power of two",
    asks="as published, without examples",
    scorers={"2025-04": Scorer(contains_answer, f"substring_exact_match in {CODE}")},
    sample=lambda question, right: json.loads(question.key.answer)[0] if right else "none of these",
    read=_read,
    settings={"temperature": 0.0, "max_tokens": 20},
    caution="An answer of one short word is easily part of a longer reply.",
    differs="Published runs put two examples with documents of their own before the text; here there are none. "
    "They also stop at the first line break.",
)
