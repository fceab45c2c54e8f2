"""Report figures of grounded: accuracy by length with its weighted means, by domain, the controls, the funnel."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, partial
from math import fsum
from pathlib import Path

from longreach.core.bench import Bench
from longreach.core.figure import Axis, Bars, Column, Dot, Figure, Lines, Table, Trace
from longreach.core.formatting import format_tokens, percent
from longreach.core.types import Estimate, Frozen, Row
from longreach.stats.counting import delivered, delivered_rate, sample
from longreach.stats.intervals import mean_estimate

from .build import CONTROLS, QUESTION_TYPE
from .rounds import FUNNEL

_FILE = Path(__file__).parent / "published" / "grounded_by_length.csv"
_SOURCE = "TAIL, Table 2"
_LENGTH = Axis(name="length", title="Length", unit="tokens", scale="log")
_TOKENS = {"8k": 8000, "16k": 16000, "32k": 32000, "64k": 64000, "96k": 96000, "128k": 128000}


class PublishedRow(Frozen):
    """One model of the paper's table; shares of 1."""

    model: str
    by_length: dict[int, float]
    mean: float
    inc: float
    dec: float
    ratio: float


@cache
def published_rows() -> tuple[PublishedRow, ...]:
    """The paper's table."""
    with _FILE.open(encoding="utf-8", newline="") as file:
        return tuple(
            PublishedRow(
                model=line["model"],
                by_length={tokens: float(line[name]) / 100 for name, tokens in _TOKENS.items()},
                mean=float(line["avg"]) / 100,
                inc=float(line["wavg_inc"]) / 100,
                dec=float(line["wavg_dec"]) / 100,
                ratio=float(line["ratio_128k_8k_pct"]) / 100,
            )
            for line in csv.DictReader(file)
        )


def weighted_means(by_length: Mapping[int, float]) -> tuple[float, float]:
    """Accuracy weighted by length, and by the same weights the other way round."""
    lengths = sorted(by_length)
    scores = [by_length[length] for length in lengths]
    whole = fsum(lengths)
    inc = fsum(weight * score for weight, score in zip(lengths, scores, strict=True)) / whole
    dec = fsum(weight * score for weight, score in zip(reversed(lengths), scores, strict=True)) / whole
    return inc, dec


def chance_corrected(accuracy: float, options: float) -> float:
    """0 for guessing, 1 for all right; negative where worse than guessing."""
    return (accuracy - 1 / options) / (1 - 1 / options)


def published_figures() -> list[Figure]:
    """The paper's own table and lines."""
    rows = tuple(_published_cells(row, tuple(_TOKENS.values())) for row in published_rows())
    table = Table(
        id="published-by-length",
        title="Accuracy by length, as published",
        note=f"{_SOURCE}: six options, four domains, 8k to 128k tokens.",
        columns=_columns(tuple(_TOKENS.values())),
        rows=rows,
        references=tuple(range(len(rows))),
    )
    lines = Lines(
        id="published-lines",
        title="Accuracy by length, as published",
        note=_SOURCE,
        x=_LENGTH,
        traces=tuple(_published_trace(row) for row in published_rows()),
    )
    return [table, lines]


def result_figures(rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> list[Figure]:
    """Everything beyond the declared charts."""
    figures: list[Figure] = []
    reading = [row for row in rows if row.question_type == QUESTION_TYPE and "length" in row.cell]
    if reading:
        figures.append(_by_length(reading, benches, published))
        if published:
            figures.append(_beside(reading))
        if len({row.cell.get("domain") for row in reading}) > 1:
            figures.append(_by_domain(reading, benches))
    if any("evidence" in row.verdict.scores for row in reading):
        figures.append(_evidence(reading))
    if any(row.question_type in CONTROLS for row in rows):
        figures.append(_controls(rows, benches))
    for digest, bench in benches.items():
        funnel = bench.build.get("funnel")
        if isinstance(funnel, dict) and any(row.bench == digest for row in rows):
            figures.append(_funnel(bench, digest, funnel, several=len(benches) > 1))
    return figures


def _columns(lengths: Sequence[int]) -> tuple[Column, ...]:
    return (
        Column(title="Model"),
        *(Column(title=format_tokens(length), unit="share") for length in lengths),
        Column(title="Mean", unit="share"),
        Column(title="wAvg (inc)", unit="share"),
        Column(title="wAvg (dec)", unit="share"),
        Column(title="Longest / shortest", unit="share"),
        Column(title="Above chance", unit="share"),
        Column(title="Most chosen letter"),
        Column(title="Not scored", unit="count"),
    )


_Cells = tuple[Estimate | int | float | str | None, ...]


def _published_cells(row: PublishedRow, lengths: Sequence[int]) -> _Cells:
    scores = (row.by_length.get(length) for length in lengths)
    return (
        f"{row.model} ({_SOURCE})",
        *scores,
        row.mean,
        row.inc,
        row.dec,
        row.ratio,
        chance_corrected(row.mean, 6),
        "",
        None,
    )


def _published_trace(row: PublishedRow) -> Trace:
    dots = tuple(Dot(x=length, y=score) for length, score in row.by_length.items())
    return Trace(name=f"{row.model} ({_SOURCE})", model=row.model, dots=dots, reference=True)


def _by_length(rows: Sequence[Row], benches: Mapping[str, Bench], published: bool) -> Table:
    lengths = sorted({int(row.cell["length"]) for row in rows} | (set(_TOKENS.values()) if published else set()))
    # The chart has each length; beside the paper's table they are wanted again.
    shown = lengths if published else []
    table: list[_Cells] = []
    for model in _models(rows):
        own = [row for row in rows if row.model == model]
        by_length = {length: [row for row in own if row.cell["length"] == length] for length in lengths}
        scores = {length: found for length, members in by_length.items() if (found := delivered_rate(members))}
        values = {length: found.value for length, found in scores.items()}
        inc, dec = weighted_means(values) if values else (None, None)
        shortest, longest = (values[min(values)], values[max(values)]) if values else (0.0, 0.0)
        table.append(
            (
                model,
                *(scores.get(length) for length in shown),
                fsum(values.values()) / len(values) if values else None,
                inc,
                dec,
                longest / shortest if len(values) > 1 and shortest else None,
                _above_chance(own, benches),
                _letter_bias(own, benches),
                sum(row.verdict.status != "scored" for row in own),
            )
        )
    ours = len(table)
    if published:
        table += [_published_cells(row, shown) for row in published_rows()]
    return Table(
        id="by-length",
        title="Accuracy over all lengths and above chance",
        note=(
            "Delivered accuracy with 95 % CI. Mean is over lengths; wAvg (inc) weights each length by its tokens, "
            "wAvg (dec) by the same weights reversed. Above chance is 0 for guessing and 1 for everything right. "
            "Most chosen letter: its share of the answers, then of the right answers."
        ),
        columns=_columns(shown),
        rows=tuple(table),
        references=tuple(range(ours, len(table))),
    )


def _beside(rows: Sequence[Row]) -> Lines:
    """The paper's lines with those of these runs."""
    traces = []
    for model in _models(rows):
        own = [row for row in rows if row.model == model]
        dots = []
        for length in sorted({int(row.cell["length"]) for row in own}):
            found = delivered_rate([row for row in own if row.cell["length"] == length])
            if found:
                dots.append(Dot.of(length, found, ""))
        traces.append(Trace(name=model, model=model, dots=tuple(dots)))
    traces += [_published_trace(row) for row in published_rows()]
    return Lines(
        id="beside-published",
        title="Accuracy by length, with the published models",
        note="The same questions at every length; the published models read other texts.",
        x=_LENGTH,
        traces=tuple(traces),
    )


def _by_domain(rows: Sequence[Row], benches: Mapping[str, Bench]) -> Table:
    domains = sorted({str(row.cell.get("domain", "")) for row in rows})
    table: list[_Cells] = []
    for domain in domains:
        own = [row for row in rows if str(row.cell.get("domain", "")) == domain]
        for model in _models(own):
            mine = [row for row in own if row.model == model]
            table.append(
                (domain, model, delivered_rate(mine), _above_chance(mine, benches), len({r.question for r in mine}))
            )
    return Table(
        id="by-domain",
        title="Accuracy by domain",
        note="Over all lengths and depths; the 95 % CI counts the lengths of one question as one.",
        columns=(
            Column(title="Domain"),
            Column(title="Model"),
            Column(title="Accuracy", unit="share"),
            Column(title="Above chance", unit="share"),
            Column(title="Questions", unit="count"),
        ),
        rows=tuple(table),
    )


def _letter_bias(rows: Sequence[Row], benches: Mapping[str, Bench]) -> str:
    """The letter that a model chooses most often, with its share of the answers and of the right answers."""
    chosen = Counter(row.verdict.answer[:1] for row in rows if row.verdict.value is not None and row.verdict.answer)
    right = Counter(benches[row.bench].questions[row.question].key.answer for row in rows if row.bench in benches)
    if not chosen or not right:
        return ""
    letter, count = max(sorted(chosen.items()), key=lambda one: one[1])
    return f"{letter}: {100 * count / chosen.total():.0f} % ({100 * right[letter] / right.total():.0f} % right)"


def beside_verdict(rows: Sequence[Row], benches: Mapping[str, Bench]) -> str:
    """One model's accuracy without the text, and the letter it chooses most often."""
    closed = delivered_rate([row for row in rows if row.question_type == "closed_book"])
    bias = _letter_bias([row for row in rows if row.question_type == QUESTION_TYPE], benches)
    parts = [
        f"without the text {percent(closed.value)} right" if closed else "",
        f"most chosen letter {bias}" if bias else "",
    ]
    return "; ".join(filter(None, parts))


def _evidence(rows: Sequence[Row]) -> Table:
    """Right and wrong answers by whether their evidence is right."""
    table: list[_Cells] = []
    for model in _models(rows):
        own = [row for row in rows if row.model == model and "evidence" in row.verdict.scores]
        cells = [
            mean_estimate(sample(own, partial(_both, value=value, quoted=quoted))) if own else None
            for value, quoted in ((1.0, 1.0), (1.0, 0.0), (0.0, 1.0), (0.0, 0.0))
        ]
        table.append((model, *cells, len(own)))
    return Table(
        id="evidence",
        title="Answers and the evidence quoted for them",
        note="A right answer with wrong evidence may be a guess. Over scored answers at all lengths.",
        columns=(
            Column(title="Model"),
            Column(title="Right, right evidence", unit="share"),
            Column(title="Right, wrong evidence", unit="share"),
            Column(title="Wrong, right evidence", unit="share"),
            Column(title="Wrong, wrong evidence", unit="share"),
            Column(title="Answers", unit="count"),
        ),
        rows=tuple(table),
    )


def _both(row: Row, value: float, quoted: float) -> float:
    """Whether answer and evidence have these grades."""
    return float(row.verdict.value == value and row.verdict.scores["evidence"] == quoted)


def _controls(rows: Sequence[Row], benches: Mapping[str, Bench]) -> Table:
    table: list[_Cells] = []
    for model in _models(rows):
        own = [row for row in rows if row.model == model]
        read, alone, closed = (
            delivered_rate([row for row in own if row.question_type == question_type])
            for question_type in (QUESTION_TYPE, *CONTROLS)
        )
        chances = [1 / _options(row, benches) for row in own]
        table.append((model, alone, read, closed, fsum(chances) / len(chances)))
    return Table(
        id="controls",
        title="The same questions with and without the text",
        note=(
            "The passage alone shows what a model makes of the right passage; no text shows what it knows or guesses. "
            "What lies between is reading."
        ),
        columns=(
            Column(title="Model"),
            Column(title="Passage alone", unit="share"),
            Column(title="Whole text", unit="share"),
            Column(title="No text", unit="share"),
            Column(title="Guessing", unit="share"),
        ),
        rows=tuple(table),
    )


def _funnel(bench: Bench, digest: str, funnel: Mapping[str, int], *, several: bool) -> Bars:
    names = ("places", *FUNNEL)
    filters = bench.build.get("filters", {})
    unchecked = [step for step, who in filters.items() if who == "not checked"]
    reviews = bench.build.get("reviews", [])
    gone, edited = (sum(review[what] for review in reviews) for what in ("rejected", "edited"))
    summary = f"{funnel.get('places', 0)} questions wanted, {funnel.get('passed', 0) - gone} in the benchmark"
    if reviews:
        summary += f" after review ({gone} rejected, {edited} edited)"
    moved = funnel.get("moved", 0)
    note = f"{summary}; {moved} times the passage before was taken." if moved else f"{summary}."
    if unchecked:
        note += f" Not checked: {', '.join(unchecked).replace('_', ' ')} (that needs a checker model)."
    dots = tuple(Dot(x=name, y=float(funnel.get(name, 0))) for name in names)
    return Bars(
        id=f"funnel-{digest[:8]}" if several else "funnel",
        title=f"How the questions were found ({digest[:8]})" if several else "How the questions were found",
        note=note,
        x=Axis(name="step", title="Step", values=names),
        unit="count",
        traces=(Trace(name="questions", dots=dots),),
    )


def _models(rows: Sequence[Row]) -> list[str]:
    return sorted({row.model for row in rows})


def _above_chance(rows: Sequence[Row], benches: Mapping[str, Bench]) -> float | None:
    found = [chance_corrected(value, _options(row, benches)) for row in rows if (value := delivered(row)) is not None]
    return fsum(found) / len(found) if found else None


def _options(row: Row, benches: Mapping[str, Bench]) -> int:
    """The number of options of a row's question."""
    bench = benches.get(row.bench)
    key = bench.questions[row.question].key if bench else None
    return len(key.rivals) + 1 if key and key.rivals else 6
