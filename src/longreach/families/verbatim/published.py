"""The paper's own figures, from its printed tables."""

from __future__ import annotations

from functools import cache

from longreach.core.chart import Axis
from longreach.core.figure import Dot, Figure, Lines, Trace
from longreach.core.packaged import csv_lines

__all__ = ["COUNT", "published_figures", "published_traces"]

COUNT = Axis(name="n", title="Items", scale="log")
_CAP = (
    "Mean and standard deviation as published. The paper's drop of the Gemini models from 1,000 numbers on is what an "
    "answer cut off at 8,192 output tokens scores."
)
_TABLES = {
    "sort": ("verbatim_numeric_sorting.csv", "order", "Published: numbers sorted", _CAP),
    "restore": (
        "verbatim_sentences_levenshtein.csv",
        "corpus",
        "Published: sentences put back in order, similarity by sentence",
        "Mean and standard deviation.",
    ),
    "semantic": (
        "verbatim_sentences_semantic.csv",
        "corpus",
        "Published: sentences put back in order, similarity of meaning",
        "Mean and standard deviation; embeddings by text-embedding-3-large.",
    ),
    "group": ("verbatim_entity_grouping.csv", "metric", "Published: names grouped", "Mean and standard deviation."),
}
"""File, column of the panels, title and note of each."""


@cache
def _rows(kind: str) -> tuple[tuple[str, str, int, float, float], ...]:
    """(panel, model, n, mean, sd), as shares of 1."""
    name, panel, _, _ = _TABLES[kind]
    return tuple(
        (row[panel], row["model"], int(row["n"]), float(row["mean_pct"]) / 100, float(row["sd"]) / 100)
        for row in csv_lines(__package__, f"published/{name}")
    )


def published_traces(kind: str) -> list[Trace]:
    """One trace per model and panel: panels are orders for `sort`, corpora for `restore` and `semantic`, the two kinds
    of recall for `group`.
    """
    traces: dict[tuple[str, str], list[Dot]] = {}
    for panel, model, n, mean, sd in _rows(kind):
        dot = Dot(x=n, y=mean, low=max(0.0, mean - sd), high=min(1.0, mean + sd), note=f"sd {100 * sd:.1f}")
        panel = panel.lower() if kind in ("sort", "group") else panel
        traces.setdefault((panel, model), []).append(dot)
    return [
        Trace(name=model, model=model, dots=tuple(dots), panel=panel, reference=True)
        for (panel, model), dots in traces.items()
    ]


def published_figures() -> list[Figure]:
    """All four tables, drawn like our results."""
    return [
        Lines(id=f"published-{kind}", title=title, note=note, x=COUNT, traces=tuple(published_traces(kind)))
        for kind, (_, _, title, note) in _TABLES.items()
    ]
