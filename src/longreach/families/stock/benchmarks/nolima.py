"""NoLiMa (Adobe): a sentence that shares no word with the question, in a book."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from longreach.core.types import Question
from longreach.errors import BadInput
from longreach.families.stock.benchmark import Benchmark, Scored, Scorer
from longreach.families.stock.haystacks import CHARACTER, NeedleTest
from longreach.families.stock.sources import RawRow, ReleasedSource

Metric = Callable[[str, Sequence[str]], bool]
_METRICS: dict[str, Metric] = {
    "contains": lambda reply, gold: any(each in reply for each in gold),
    "EM": lambda reply, gold: reply.strip() in gold,
    "lastline_contains": lambda reply, gold: any(each in reply.strip().split("\n")[-1] for each in gold),
    "lastline_EM": lambda reply, gold: reply.strip().split("\n")[-1] in gold,
}


def _scorer(name: str, metric: Metric) -> Scorer:
    def score(reply: str, question: Question) -> Scored:
        found = metric(reply, (question.key.answer, *question.key.accept))
        return Scored(float(found), reply.strip()[:200] or None, f"{name}: {'yes' if found else 'no'}")

    return Scorer(score, f"evaluation/async_evaluate.py, adobe-research/NoLiMa at 7532e4e (May 2025), metric {name}")


def _needles(sources: Sequence[ReleasedSource]) -> list[NeedleTest]:
    found: list[NeedleTest] = []
    for row in (row for source in sources if source.where.endswith(".json") for row in source.rows()):
        questions, tests = row.value("questions"), row.value("tests")
        plain = (
            isinstance(questions, dict) and isinstance(tests, dict) and all(isinstance(t, dict) for t in tests.values())
        )
        if "distractors" in row.values or not plain:
            raise row.fault("not a needle of needle_set.json (sets with distractors are not read); give that file")
        found += [_needle(row, name, kind, str(questions[kind]), tests[name]) for kind in questions for name in tests]
    if not found:
        raise BadInput("nolima: no needle set among the files; give needle_set.json and the folder of books")
    return found


def _needle(row: RawRow, name: str, kind: str, question: str, test: Any) -> NeedleTest:
    needle, gold = row.text("needle"), test.get("gold_answers") or []
    for place, argument in enumerate(test.get("input_args") or (), 1):
        question, needle = (part.replace(f"{{{place}}}", str(argument)) for part in (question, needle))
    characters = row.texts("character_set") if CHARACTER in needle else []
    if not characters and not gold:
        raise row.fault(f"test '{name}' has neither {CHARACTER} in its needle nor gold_answers; give needle_set.json")
    template, system = (str(row.values.get(column) or "") for column in ("task_template", "system_prompt"))
    template = template.replace("{haystack}", "{{context}}").replace("{question}", "{{question}}")
    whole = template.count("{{") == 2 and "{{context}}" in template and "{{question}}" in template
    answers = (gold,) if isinstance(gold, str) else tuple(map(str, gold))
    named, own = f"{row.text('id')}_{name}", template if whole else ""
    return NeedleTest(named, kind, needle, question, own, system, tuple(characters), answers)


BENCHMARK = Benchmark(
    released="amodaresi/NoLiMa",
    licence="Adobe Research License, non-commercial",
    suffixes=(".json", ".txt"),
    bins="tokens of the book without needle and prompt, by the benchmark's tokenizer, as published",
    asks="the needle set's own, ours where it has none",
    scorers={name: _scorer(name, metric) for name, metric in _METRICS.items()},
    sample=lambda question, right: question.key.answer if right else next(iter(question.key.rivals), "None of these"),
    needles=_needles,
    settings={"temperature": 0.0, "top_p": 1.0, "max_tokens": 192, "system_message": "You are a helpful assistant"},
    caution="A reply that names every character counts as right.",
    differs="A needle set's own system prompt goes before the default one; published runs send it to Claude alone. The "
    "character of a needle is drawn with the benchmark's seed. Sets with distractors are not read.",
    results=("NoLiMa by length", "Modarressi et al. 2025; README of adobe-research/NoLiMa (commit 7532e4e, 2025)."),
)
