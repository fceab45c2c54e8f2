"""The paper behind verbatim: its tables as points, and what its claims measure in rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from longreach.core.types import Estimate, Row
from longreach.families.base import mean_score
from longreach.families.papers import Load, Paper, Point
from longreach.stats.series import grouped

from .figures import mean, meaning_measure, measured, published_traces
from .spec import VerbatimSpec

_USUAL_DIGITS = 9
_RECALL = {"category recall": "recall", "global recall": "global_recall"}


def _points() -> Iterator[Point]:
    """Sorting by order, sentences as means over the paper's corpora, grouping by both kinds of recall."""
    yield from _sort_points()
    yield from _sentence_points()
    yield from _group_points()


def _sort_points() -> Iterator[Point]:
    for trace in published_traces("sort"):
        about = {"task": "sort", "control": "none", "digits": _USUAL_DIGITS, "order": trace.panel}
        for dot in trace.dots:
            yield Point(model=trace.model, axes={**about, "n": dot.x}, measure="similarity", value=dot.y or 0.0)


def _sentence_points() -> Iterator[Point]:
    sentences: dict[tuple[str, int], dict[str, list[float]]] = {}
    for kind, measure in (("restore", "similarity"), ("semantic", "semantic")):
        for trace in published_traces(kind):
            for dot in trace.dots:
                found = sentences.setdefault((trace.model, int(dot.x)), {"similarity": [], "semantic": []})
                found[measure].append(dot.y or 0.0)
    for (model, n), found in sentences.items():
        axes = {"task": "restore", "control": "none", "n": n}
        means = {measure: mean(values) or 0.0 for measure, values in found.items()}
        for measure, value in {**means, "both": mean(list(means.values())) or 0.0}.items():
            yield Point(model=model, axes=axes, measure=measure, value=value)


def _group_points() -> Iterator[Point]:
    for panel, traces in grouped(published_traces("group"), lambda trace: trace.panel).items():
        measure = next(name for words, name in _RECALL.items() if panel.startswith(words))
        for trace in traces:
            for dot in trace.dots:
                axes = {"task": "group", "control": "none", "n": dot.x}
                yield Point(model=trace.model, axes=axes, measure=measure, value=dot.y or 0.0)


def _measured(rows: Sequence[Row], measure: str) -> Estimate | None:
    """The mean of a measure; `both` is the mean of wording and meaning."""
    meaning = meaning_measure(rows)
    names = {"semantic": (meaning,), "both": ("similarity", meaning)}.get(measure, (measure,))

    def score(row: Row) -> float | None:
        found = [measured(row, name) for name in names]
        known = [value for value in found if value is not None]
        return mean(known) if len(known) == len(names) else None

    return mean_score(rows, score)


_OF_SENTENCE, _OF_NAME, _OF_RULES = 33, 5, 150
"""Tokens of a sentence, of a name, and of the rules."""


def _outline(spec: VerbatimSpec) -> list[Load]:
    copies = int(spec.control)
    loads = []

    def load(what: str, requests: int, tokens: float) -> None:
        loads.append(Load(what=what, requests=requests, tokens=round(tokens) + _OF_RULES, answer=round(tokens)))

    if "sort" in spec.tasks:
        asked, usual = spec.sort_samples * (len(spec.orders) + copies), len(str(spec.high - 1))
        load("sort", asked * len(spec.sort_sizes), _mean(spec.sort_sizes) * _of_number(usual))
        if spec.digits:
            each = _mean([_of_number(digits) for digits in spec.digits])
            again = usual in spec.digits and spec.digits_size in spec.sort_sizes
            load("sort by digits", asked * (len(spec.digits) - again), spec.digits_size * each)
    if "restore" in spec.tasks:
        asked = spec.restore_samples * (1 + copies) * len(spec.restore_sizes) * max(1, len(spec.docs))
        load("restore", asked, (_mean(spec.restore_sizes) + spec.spread / 2) * _OF_SENTENCE)
    if "group" in spec.tasks:
        load("group", spec.group_samples * (1 + copies) * len(spec.group_sizes), _mean(spec.group_sizes) * _OF_NAME)
    return loads


def _of_number(digits: int) -> float:
    return -(-digits // 3) + 1


def _mean(numbers: Sequence[float]) -> float:
    return sum(numbers) / len(numbers)


PAPER = Paper(
    outline=_outline,
    package=__package__ or "",
    points=lambda: tuple(_points()),
    measured=_measured,
    axes=("task", "control", "digits", "order", "n"),
    lengths="n",
)
