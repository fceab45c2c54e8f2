"""Report figures of grounded: accuracy by length with its weighted means, by domain, the controls, the funnel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache, partial
from math import fsum

from longreach.core.bench import Bench
from longreach.core.figure import Axis, Bars, Column, Dot, Entry, Figure, Lines, Table, Trace, columns
from longreach.core.files import csv_lines
from longreach.core.formatting import format_tokens, percent
from longreach.core.types import Estimate, Frozen, Row
from longreach.stats.counting import delivered, delivered_rate, sample
from longreach.stats.intervals import mean_estimate
from longreach.stats.series import MeasuredColumn, grouped, table_by

from .build import CONTROLS, QUESTION_TYPE
from .rounds import FUNNEL

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
    return tuple(
        PublishedRow(
            model=line["model"],
            by_length={tokens: float(line[name]) / 100 for name, tokens in _TOKENS.items()},
            mean=float(line["avg"]) / 100,
            inc=float(line["wavg_inc"]) / 100,
            dec=float(line["wavg_dec"]) / 100,
            ratio=float(line["ratio_128k_8k_pct"]) / 100,
        )
        for line in csv_lines(__package__, "published/grounded_by_length.csv")
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
    return (accuracy - 1 / options) / (1 - 1 / options) if options > 1 else accuracy


def published_figures() -> list[Figure]:
    """The paper's own table and lines."""
    rows = tuple(_published_cells(row, tuple(_TOKENS.values())) for row in published_rows())
    table = Table(
        id="published-by-length",
        title="What did the paper find, by length?",
        note=f"{_SOURCE}: six options, four domains, 8k to 128k tokens.",
        columns=_columns(tuple(_TOKENS.values())),
        rows=rows,
        references=tuple(range(len(rows))),
    )
    lines = Lines(
        id="published-lines",
        title="What did the paper find, by length?",
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
    shares = ("Mean", "wAvg (inc)", "wAvg (dec)", "Longest / shortest", "Above chance")
    return (
        *columns("Model"),
        *columns(*map(format_tokens, lengths), *shares, unit="share"),
        *columns("Most chosen letter"),
        *columns("Not scored", unit="count"),
    )


_Cells = tuple[Entry, ...]


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
        title="How accurate is each model, over all lengths and above chance?",
        note=(
            "Delivered accuracy with 95 % CI. Mean is over lengths; wAvg (inc) weights each length by its tokens. "
            "wAvg (dec) has the same weights reversed. Above chance is 0 for guessing and 1 for everything right. "
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
        title="How does it compare with the published models?",
        note="The same questions at every length; the published models read other texts.",
        x=_LENGTH,
        traces=tuple(traces),
    )


def _by_domain(rows: Sequence[Row], benches: Mapping[str, Bench]) -> Table:
    groups = grouped(rows, lambda row: (str(row.cell.get("domain", "")), row.model))
    return table_by(
        "by-domain",
        "Accuracy by domain",
        columns("Domain", "Model"),
        dict(sorted(groups.items())),
        (
            MeasuredColumn("Accuracy", "share", delivered_rate),
            MeasuredColumn("Above chance", "share", lambda own: _above_chance(own, benches)),
            MeasuredColumn("Questions", "count", lambda own: len({row.question for row in own})),
        ),
        note="Over all lengths and depths; the 95 % CI counts the lengths of one question as one.",
    )


def _letter_bias(rows: Sequence[Row], benches: Mapping[str, Bench]) -> str:
    """The letter that a model chooses most often, with its share of the answers and of the right answers."""
    known = [row for row in rows if row.bench in benches and benches[row.bench].questions[row.question].key.rivals]
    chosen = Counter(row.verdict.answer[:1] for row in known if row.verdict.value is not None and row.verdict.answer)
    right = Counter(benches[row.bench].questions[row.question].key.answer for row in known)
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
    own = [row for row in rows if "evidence" in row.verdict.scores]
    grades = {"Right": 1.0, "Wrong": 0.0}
    return table_by(
        "evidence",
        "Answers and the evidence quoted for them",
        columns("Model"),
        {(model,): grouped(own, _model).get(model, []) for model in _models(rows)},
        (
            *(
                MeasuredColumn(
                    f"{answer}, {evidence.lower()} evidence", "share", partial(_both, value=value, quoted=quoted)
                )
                for answer, value in grades.items()
                for evidence, quoted in grades.items()
            ),
            MeasuredColumn("Answers", "count", len),
        ),
        note="A right answer with wrong evidence may be a guess. Over scored answers at all lengths.",
    )


def _both(rows: Sequence[Row], value: float, quoted: float) -> Estimate | None:
    """How often answer and evidence have these grades."""

    def have(row: Row) -> float:
        return float(row.verdict.value == value and row.verdict.scores["evidence"] == quoted)

    return mean_estimate(sample(rows, have)) if rows else None


def _controls(rows: Sequence[Row], benches: Mapping[str, Bench]) -> Table:
    alone, closed = CONTROLS
    kinds = {"Passage alone": alone, "Whole text": QUESTION_TYPE, "No text": closed}
    return table_by(
        "controls",
        "The same questions with and without the text",
        columns("Model"),
        {(model,): own for model, own in sorted(grouped(rows, _model).items())},
        (
            *(MeasuredColumn(title, "share", partial(_rate, question_type=kind)) for title, kind in kinds.items()),
            MeasuredColumn("Guessing", "share", lambda own: fsum(_guessing(row, benches) for row in own) / len(own)),
        ),
        note="The passage alone shows what a model makes of the right passage; no text shows what it knows or guesses. "
        "What lies between is reading.",
    )


def _rate(rows: Sequence[Row], question_type: str) -> Estimate | None:
    return delivered_rate([row for row in rows if row.question_type == question_type])


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


def _model(row: Row) -> str:
    return row.model


def _models(rows: Sequence[Row]) -> list[str]:
    return sorted(set(map(_model, rows)))


def _above_chance(rows: Sequence[Row], benches: Mapping[str, Bench]) -> float | None:
    found = [chance_corrected(value, _options(row, benches)) for row in rows if (value := delivered(row)) is not None]
    return fsum(found) / len(found) if found else None


def _guessing(row: Row, benches: Mapping[str, Bench]) -> float:
    options = _options(row, benches)
    return 1 / options if options > 1 else 0.0


def _options(row: Row, benches: Mapping[str, Bench]) -> int:
    """The number of options of a row's question; 1 for one without options."""
    bench = benches.get(row.bench)
    return len(bench.questions[row.question].key.rivals) + 1 if bench else 6
