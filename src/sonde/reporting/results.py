"""Calls to rows, rows to a report: everything a page needs, from a folder of runs and without calling a model."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from sonde.core.bench import Bench
from sonde.core.context import Piece
from sonde.core.item import Item
from sonde.core.question import Question
from sonde.core.row import Call, Row
from sonde.core.runs import ROWS, kept_bench, kept_corpus
from sonde.core.verdict import Verdict
from sonde.families import get_family
from sonde.families.showing import assembler_of

from .verdict import verdict_sentence
from .views import Excerpt, FamilyView, Quiz, Report

__all__ = ["call_verdicts", "grade_runs", "make_report", "summarise", "verdicts"]

_AROUND = 300
"""Bytes of story shown on each side of a planted fact."""


def call_verdicts(family: str, questions: Sequence[Question], call: Call) -> list[Verdict]:
    """A verdict for each question of a call; a fault of the call is never a wrong answer."""
    fault: Verdict | None = None
    if call.error:
        fault = Verdict(status="error", reason=call.error)
    elif call.stop == "model_length":
        fault = Verdict(status="overflow", reason=call.text or "the prompt did not fit the model's window")
    elif call.stop == "content_filter":
        fault = Verdict(status="refused", reason="the provider filtered the answer")
    if fault is not None:
        return [fault] * len(questions)
    graded = get_family(family).grade(questions, call.text)
    if call.stop != "max_tokens":
        return graded
    cut = Verdict(status="truncated", reason="the answer was cut off before this question")
    return [cut if verdict.status == "unparsed" else verdict for verdict in graded]


def grade_runs(runs: Path, calls: Sequence[Call]) -> list[Row]:
    """Grade every call and keep the rows in the folder."""
    benches = {digest: kept_bench(runs, digest) for digest in sorted({call.bench for call in calls})}
    rows = [row for call in calls for row in _rows(benches[call.bench], call)]
    staging = runs / f".{ROWS}.tmp"
    staging.write_text("".join(row.model_dump_json() + "\n" for row in rows), encoding="utf-8")
    staging.replace(runs / ROWS)
    return rows


def _rows(bench: Bench, call: Call) -> Iterable[Row]:
    item = bench.item(call.item)
    questions = [bench.questions[question] for question in item.questions]
    for question, verdict in zip(questions, call_verdicts(call.family, questions, call), strict=True):
        yield Row(
            model=call.model,
            family=call.family,
            bench=call.bench,
            item=call.item,
            question=question.id,
            probe=question.probe,
            cell=item.cell,
            realised=item.realised,
            verdict=verdict,
            tokens_in=call.tokens_in,
            tokens_cached=call.tokens_cached,
            tokens_out=call.tokens_out,
            seconds=call.seconds,
            cost=call.cost,
        )


def summarise(rows: Sequence[Row]) -> list[dict[str, Any]]:
    """Right, scored and asked by model, family, prompt and probe."""
    lines: dict[tuple[str, ...], dict[str, Any]] = {}
    for row in rows:
        key = (row.model, row.family, str(row.cell.get("prompt", "")), row.probe)
        line = lines.setdefault(
            key,
            dict(zip(("model", "family", "prompt", "probe"), key, strict=True)) | {"right": 0, "scored": 0, "asked": 0},
        )
        line["asked"] += 1
        line["scored"] += row.verdict.status == "scored"
        line["right"] += row.verdict.value == 1
    return list(lines.values())


def make_report(runs: Path, rows: Sequence[Row], calls: Sequence[Call], *, title: str = "") -> Report:
    """All that the page shows; stories around the facts where the benchmark is still at hand."""
    quizzes: list[Quiz] = []
    notes: list[str] = []
    for digest in sorted({call.bench for call in calls}):
        bench = kept_bench(runs, digest)
        asked = {call.item for call in calls if call.bench == digest}
        whole = kept_corpus(runs, digest)
        if whole is None:
            notes.append(f"The text of benchmark {digest[:12]} is no longer where it was: stories are not shown.")
        quizzes += [_quiz(bench, whole, bench.item(item)) for item in bench.items if item in asked]
        counted = bench.spec.get("tokenizer", "")
        notes.append(f"Benchmark {digest[:12]}: lengths counted by {counted}, seed {bench.spec.get('seed')}.")
    families = [get_family(name) for name in sorted({call.family for call in calls})]
    models = sorted({call.model for call in calls})
    return Report(
        title=title or f"What {', '.join(models)} can use of its context",
        rows=tuple(rows),
        calls=tuple(calls),
        quizzes=tuple(quizzes),
        families=tuple(
            FamilyView(name=f.name, title=f.title, about=f.about, axes=f.axes, charts=f.charts) for f in families
        ),
        windows=_windows(models),
        notes=tuple(notes),
    )


def verdicts(report: Report) -> dict[str, str]:
    """One sentence a model and family."""
    return {
        f"{model} {family.name}": verdict_sentence(
            report.rows, family, model, window=report.windows.get(model), threshold=report.threshold
        )
        for family in report.families
        for model in sorted({row.model for row in report.rows if row.family == family.name})
    }


def _quiz(bench: Bench, whole: Bench | None, item: Item) -> Quiz:
    return Quiz(
        item=item.id,
        bench=bench.info.digest,
        cell=item.cell,
        realised=item.realised,
        prompt=item.prompt,
        tokens=item.tokens,
        sha256=item.sha256,
        excerpts=_excerpts(whole, item) if whole else (),
        questions=tuple(bench.questions[question] for question in item.questions),
    )


def _excerpts(bench: Bench, item: Item) -> tuple[Excerpt, ...]:
    """The facts that the item's questions stand on (all, where they stand on none), each with the story around it."""
    asked = {fact for question in item.questions for fact in bench.questions[question].evidence}
    facts = [fact for fact in bench.evidence(item) if fact.id in asked] or bench.evidence(item)
    return tuple(
        Excerpt(
            before=_near(bench, item.context.pieces, fact.start - _AROUND, fact.start),
            fact=fact.text,
            after=_near(bench, item.context.pieces, fact.end, fact.end + _AROUND),
            evidence=fact.id,
            depth=min(1.0, fact.token / max(1, item.context.tokens)),
        )
        for fact in facts
    )


def _near(bench: Bench, pieces: Sequence[Piece], start: int, end: int) -> str:
    """Bytes `start` to `end` of a context, without building the rest of it."""
    found, at = [], 0
    for view in assembler_of(bench).views(pieces):
        low, high = max(0, start - at), min(len(view), end - at)
        if low < high:
            found.append(bytes(view[low:high]))
        at += len(view)
    return b"".join(found).decode("utf-8", errors="ignore")


def _windows(models: Iterable[str]) -> dict[str, int]:
    from sonde.models.engine import EMBEDDED_CONTEXT

    return {model: EMBEDDED_CONTEXT for model in models if model == "embedded"}
