"""Report figures of trace: a curve per task with its floor, how far each model reaches, and what goes wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from longreach.core.figure import Dot, Entry, FamilyView, Figure, Lines, Table, Trace, columns
from longreach.core.types import EffectiveLength, Row
from longreach.stats.counting import delivered, sample
from longreach.stats.headline import Headline, headlines
from longreach.stats.intervals import mean_estimate
from longreach.stats.series import grouped

from .build import TASKS
from .grade import CLASSES, class_of

_FIFTHS = 5
_STATUSES = {
    "unparsed": "format",
    "truncated": "cut off",
    "overflow": "overflow",
    "cut": "cut prompt",
    "refused": "refusal",
    "tool_call": "tool call",
    "error": "fault",
}


def trace_figures(rows: Sequence[Row], view: FamilyView) -> list[Figure]:
    """The family's figures."""
    if not rows:
        return []
    found = sorted(headlines(rows, view), key=lambda each: (TASKS.index(each.question_type), each.model))
    return [_curves(found, view), _reach(found), *_depths(rows, view), _errors(rows)]


def _curves(found: Sequence[Headline], view: FamilyView) -> Lines:
    traces: list[Trace] = []
    for each in found:
        dots = tuple(Dot.of(score.length, score.tally.delivered, "nothing asked") for score in each.by_length)
        traces.append(Trace(name=each.model, model=each.model, dots=dots, panel=each.question_type))
    for task in dict.fromkeys(each.question_type for each in found):
        lengths = sorted({score.length for each in found if each.question_type == task for score in each.by_length})
        floor = tuple(Dot(x=length, y=view.chance_of(task)) for length in lengths)
        traces.append(Trace(name="guessing", dots=floor, panel=task, variant="guessing"))
    return Lines(
        id="trace-by-task",
        title="Up to which length can it do each task?",
        note="Right of all asked, with its 95 % CI. Guessing: the best score without following the text.",
        x=view.axis("length"),
        traces=tuple(traces),
    )


def _reach(found: Sequence[Headline]) -> Table:
    rows = tuple(
        (each.question_type, each.model, each.chance, each.delivered, _length(each.effective), _length(each.keeps))
        for each in found
    )
    return Table(
        id="trace-reach",
        title="What is the effective length of each task?",
        note="Effective, absolute: up to where accuracy above guessing is at least 85 %. Keeps its level: up to where "
        "it is 85 % of the model's own score at the shortest length. A dash: not shown (95 % CI); see --worlds.",
        columns=(
            *columns("Task", "Model"),
            *columns("Guessing", "Score", unit="share"),
            *columns("Effective length", "Keeps its level to", unit="tokens"),
        ),
        rows=rows,
    )


def _depths(rows: Sequence[Row], view: FamilyView) -> list[Lines]:
    """Scores by the fifth of the context in which the evidence lies, over all lengths."""
    groups: dict[tuple[str, str, int], list[Row]] = {}
    for row in rows:
        if "depth" in row.realised and delivered(row) is not None:
            fifth = min(_FIFTHS - 1, int(float(row.realised["depth"]) * _FIFTHS / 100))
            groups.setdefault((row.question_type, row.model, fifth), []).append(row)
    traces: dict[tuple[str, str], list[Dot]] = {}
    for (task, model, fifth), each in sorted(groups.items(), key=lambda entry: _order(entry[0])):
        middle = 100 * (fifth + 0.5) / _FIFTHS
        traces.setdefault((task, model), []).append(Dot.of(middle, mean_estimate(sample(each)), "nothing asked"))
    if not traces:
        return []
    drawn = tuple(Trace(name=m, model=m, dots=tuple(dots), panel=task) for (task, m), dots in traces.items())
    return [
        Lines(
            id="trace-by-depth",
            title="Does the place in the text matter?",
            note="By fifths of the context, all lengths together. Several parts of evidence: their mean depth.",
            x=view.axis("depth"),
            traces=drawn,
        )
    ]


def _length(reach: EffectiveLength | None) -> float | None:
    return reach.length or None if reach is not None else None


def _errors(rows: Sequence[Row]) -> Table:
    """What becomes of answers, and the mean partial credit and output, by task, model and length."""
    groups = grouped(rows, lambda row: (row.question_type, row.model, int(row.cell["length"])))
    kinds = {key: Counter(map(_kind, each)) for key, each in groups.items()}
    known = [name for name in (*CLASSES, *_STATUSES.values()) if any(each[name] for each in kinds.values())]
    lines: list[tuple[Entry, ...]] = []
    for (task, model, length), each in sorted(groups.items(), key=lambda entry: _order(entry[0])):
        counted: Mapping[str, int] = kinds[task, model, length]
        partial = [row.verdict.scores.get("partial", delivered(row) or 0.0) for row in each]
        out = [row.tokens_out for row in each if row.tokens_out]
        lines.append(
            (
                task, model, length, len(each), counted["right"] / len(each), sum(partial) / len(each),
                *(counted[name] / len(each) for name in known), sum(out) / len(out) if out else None,
            )
        )  # fmt: skip
    return Table(
        id="trace-errors",
        title="Which errors does it make?",
        note="Shares of all asked. Partial credit: F1 of a set, 0.75 to the power of the distance of a number. One "
        "step too few or too many: the whole set at that distance. Output: tokens per answer.",
        columns=(
            *columns("Task", "Model"),
            *columns("Length", unit="tokens"),
            *columns("Asked", unit="count"),
            *columns("Right", "Partial credit", *known, unit="share"),
            *columns("Output", unit="count"),
        ),
        rows=tuple(lines),
    )


def _kind(row: Row) -> str:
    if row.verdict.value == 1:
        return "right"
    return _STATUSES.get(row.verdict.status) or class_of(row.verdict) or "another value"


def _order(key: tuple[str, str, int]) -> tuple[int, str, int]:
    return TASKS.index(key[0]), *key[1:]
