"""Figures beyond the declared charts, and those of the LongNovel paper."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from operator import attrgetter
from statistics import fmean
from types import SimpleNamespace
from typing import Any

from longreach.core.bench import Bench
from longreach.core.figure import Axis, Bars, Dot, Dots, Entry, Figure, Lines, Table, Trace, columns
from longreach.core.formatting import length_label
from longreach.core.types import Estimate, Row
from longreach.families.showing import groups_by, in_order, label, published_lines
from longreach.stats.series import MeasuredColumn, grouped, table_by
from longreach.worlds import POSITIONS, TYPES

from .scores import Outcome, outcomes, recall, score, share
from .spec import METHODS, SIZES

PAPER = "LongNovel"
PAPER_METHODS = {
    "zero-shot": "zero_shot_last",
    "zero-shot-summary-first": "zero_shot_first",
    "CoT": "cot",
    "RAG": "window",
    "RAG-summary-first": "window_first",
    "SFT": "sft",
}
"""The paper's methods under our names."""
_STARRED = (
    "Table 6 marks some methods with * and does not say why. They are read as the summary before the text (Prompt-B), "
    "which the paper describes and has no other rows for."
)
_FOUR = ("entity", "numerical", "inversion", "event")
"""The types of middling recall to which the paper limits its figure by position."""


@cache
def paper_rows() -> tuple[Any, ...]:
    """All of them, in the order printed: a model, method and size with its accuracies on wrong and on faithful
    summaries, their `mean` (in a few rows it is not the mean of the two) and `mcc`."""
    return tuple(map(_paper_row, published_lines(__package__, "novel_detection.csv")))


def _paper_row(line: Any) -> Any:
    scores = (
        {"hallucinated": line.hallucinated_acc, "faithful": line.faithful_acc} if "faithful_acc" in vars(line) else {}
    )
    method, mcc = PAPER_METHODS[line.method], float(line.mcc)
    return SimpleNamespace(model=line.model, method=method, size=line.length, mean=line.accuracy, mcc=mcc, **scores)


_SIZES = ("S", *SIZES)
_BESIDE = f"Rows marked as published are from {PAPER}, on Chinese novels."
_FAILURES = (
    "A failure is an answer without a verdict: not readable, cut off, refused or too long. Accuracies, mean and MCC "
    "are given with failures as wrong verdicts, as the paper counts, and also with failures left out. Faults of the "
    "provider are in neither."
)


def novel_figures(rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> list[Figure]:
    """All figures of some rows."""
    found = outcomes(rows)
    if not found:
        return []
    four = [one for one in found if one.type in _FOUR]
    figures: list[Figure | None] = [
        _detection(found, published=published),
        _lines(found, published=published),
        _by_block(found),
        _by_type(found),
        _by_position(found),
        _by_position(four, "-four", f", {', '.join(_FOUR)} errors only") if len(four) < len(found) else None,
        _pointing(found),
        *_made_of(benches),
        _probes(benches),
    ]
    return [figure for figure in figures if figure is not None]


def _made_of(benches: Mapping[str, Bench]) -> Iterator[Figure]:
    """What the benchmarks consist of: tokens by size, errors by type and by position."""
    sizes = {
        (digest[:12], size): (bench, balance)
        for digest, bench in benches.items()
        for size, balance in bench.build.get("sizes", {}).items()
    }
    if not sizes:
        return
    lines: list[tuple[Entry, ...]] = []
    for (digest, size), (bench, balance) in sizes.items():
        items = (item for item in bench.items.values() if item.cell["size"] == size and not item.cell["block"])
        stories = list({item.cell["sample"]: item.context.tokens for item in items}.values())
        tokens = [min(stories), round(fmean(stories)), max(stories)] if stories else [None] * 3
        lines.append((digest, size, balance["hallucinated"], balance["faithful"], balance["stories"], *tokens))
    counts = ("Hallucinated", "Faithful", "Stories", "Fewest tokens", "Mean tokens", "Most tokens")
    yield Table(
        id="made-of",
        title="How many summaries were there, and how long were they?",
        note="Tokens of the story, by the benchmark's tokenizer; none where only method window is asked.",
        columns=(*columns("Benchmark", "Size"), *columns(*counts, unit="count")),
        rows=tuple(lines),
    )
    for name, title, values in (("types", "type", TYPES), ("positions", "position in the story", POSITIONS)):
        yield Bars(
            id=f"made-of-{name}",
            title=f"Errors of the benchmark, by {title}",
            note="Number of wrong summaries.",
            x=Axis(name="size", title="Size", values=tuple(dict.fromkeys(size for _, size in sizes))),
            stacked=True,
            unit="count",
            traces=tuple(
                Trace(
                    name=value,
                    panel=digest if len(benches) > 1 else "",
                    dots=tuple(
                        Dot(x=size, y=float(balance.get(name, {}).get(value, 0)))
                        for (of, size), (_, balance) in sizes.items()
                        if of == digest
                    ),
                )
                for digest in dict.fromkeys(digest for digest, _ in sizes)
                for value in values
            ),
        )


def _by_block(found: Sequence[Outcome]) -> Lines | None:
    """Mean accuracy of method window by the sizes of its blocks, where several were tried."""
    traces: dict[tuple[str, str], dict[int, Estimate | None]] = {}
    for (model, method, size), own in _grouped(found).items():
        base, *sizes = re.split(r"_(?=\d)", method)
        if len(sizes) == 2:
            story, summary = map(int, sizes)
            mean, name = score(own, failures_wrong=True).mean, f"{model}, {label(base)}, {size}"
            traces.setdefault((name, f"blocks of a summary of {summary}"), {})[story] = mean
            traces.setdefault((name, f"blocks of a story of {story}"), {})[summary] = mean
    several = {key: dots for key, dots in traces.items() if len(dots) > 1}
    if not several:
        return None
    return Lines(
        id="by-block",
        title="Does the size of the retrieved blocks matter?",
        note="The mean of the accuracies on wrong and on faithful summaries; 50 % is guessing.",
        x=Axis(name="block", title="Characters of a block", scale="linear"),
        traces=tuple(
            Trace(
                name=name, panel=panel, dots=tuple(Dot.of(at, dots[at], "nothing was answered") for at in sorted(dots))
            )
            for (name, panel), dots in several.items()
        ),
    )


def published_figures() -> list[Figure]:
    """The paper's own table and lines."""
    return [_detection([], published=True), _lines([], published=True), _contradictions()]


def _contradictions() -> Table:
    """Where the paper's Table 4 prints other numbers than its Tables 5 and 6."""
    detailed = {(row.model, row.method, row.size): row for row in paper_rows()}
    printed = list(map(_paper_row, published_lines(__package__, "novel_table4.csv")))
    lines = [
        (row.model, label(row.method), row.size, row.mean, other.mean, row.mcc, other.mcc)
        for row in printed
        if (row.mean, row.mcc) != ((other := detailed[row.model, row.method, row.size]).mean, other.mcc)
    ]
    return Table(
        id="table-4",
        title="Do the paper's Table 4 and Tables 5 and 6 agree?",
        note=f"{len(lines)} of the {len(printed)} results in Table 4 of {PAPER} differ from the detailed tables; "
        "everywhere else Longreach uses the detailed ones.",
        columns=(
            *columns("Model", "Method", "Size"),
            *columns("Mean, Table 4", "Mean, Tables 5 and 6", unit="share"),
            *columns("MCC, Table 4", "MCC, Tables 5 and 6", unit="number"),
        ),
        rows=tuple(lines),
        references=tuple(range(len(lines))),
    )


def _detection(found: Sequence[Outcome], *, published: bool) -> Table:
    """One line per model, method and size."""
    failures = any(one.failed for one in found)
    groups = {
        (model, label(method), size): SimpleNamespace(
            own=own, counted=score(own, failures_wrong=True), apart=score(own, failures_wrong=False)
        )
        for (model, method, size), own in _grouped(found).items()
    }
    notes = (
        [_FAILURES]
        if found
        else [
            f"{PAPER}, Tables 5 and 6; format failures count as wrong, "
            f"and 'says hallucinated' is blank where they take the scores below chance. {_STARRED}"
        ]
    )
    if any(each.counted.undefined for each in groups.values()):
        notes.append("MCC is undefined where every verdict is the same; it stands as 0 there.")
    if published and found:
        notes.append(_BESIDE)
    return table_by(
        "detection",
        "Accuracy on wrong and on faithful summaries",
        columns("Model", "Method", "Size"),
        groups,
        (
            MeasuredColumn("n", "count", lambda each: sum(one.answered for one in each.own)),
            *_score_measures("counted", ""),
            MeasuredColumn("Says hallucinated", "share", attrgetter("apart.bias")),
            *(_score_measures("apart", ", answered") if failures else ()),
            MeasuredColumn("No verdict", "count", lambda each: sum(one.failed for one in each.own)),
            MeasuredColumn("Faults", "count", lambda each: sum(not one.answered for one in each.own)),
        ),
        note=" ".join(notes),
        published=[_paper_line(row, failures) for own in _paper_order().values() for row in own] if published else (),
    )


def _score_measures(which: str, suffix: str) -> list[MeasuredColumn]:
    shares = ("hallucinated", "faithful", "mean")
    measures = [
        MeasuredColumn(f"{name.capitalize()}{suffix}", "share", attrgetter(f"{which}.{name}")) for name in shares
    ]
    return [*measures, MeasuredColumn(f"MCC{suffix}", "number", attrgetter(f"{which}.mcc"))]


def _paper_line(row: Any, failures: bool) -> tuple[Entry, ...]:
    # Below chance the paper counts replies without a verdict as wrong: how often a verdict was given is not known.
    bias = (row.hallucinated + 1 - row.faithful) / 2 if row.hallucinated + row.faithful >= 1 else None
    n = 100 if row.size in ("XL", "XXL") else 150
    apart = (None,) * 4 if failures else ()
    scores = (row.hallucinated, row.faithful, row.mean, row.mcc, bias)
    return (f"{row.model} ({PAPER})", label(row.method), row.size, n, *scores, *apart, None, None)


def _paper_order() -> dict[tuple[str, str], list[Any]]:
    """By model and method, sizes in order."""
    by_size = sorted(paper_rows(), key=lambda row: _SIZES.index(row.size))
    models, methods = (in_order(map(attrgetter(name), paper_rows())) for name in ("model", "method"))
    return groups_by(by_size, (attrgetter("model"), models), (attrgetter("method"), methods))


def _lines(found: Sequence[Outcome], *, published: bool) -> Lines:
    """Mean accuracy by size, one line per model and method; failures count as wrong."""
    # One unit that is not 2k to 4k tokens long is not the paper's S.
    named = {one.size: f"S ({length_label(one.length)})" for one in found if one.size == "S" and one.length < 2000}
    traces: list[Trace] = []
    for (model, method), own in _by_method(found).items():
        by_size = grouped(own, _size)
        means = {size: score(by_size[size], failures_wrong=True).mean for size in _sizes(found) if size in by_size}
        traces.append(_trace(model, method, [_dot(named.get(size, size), mean) for size, mean in means.items()]))
    for (model, method), printed in _paper_order().items() if published else ():
        dots = tuple(Dot(x=row.size, y=row.mean) for row in printed)
        name, how = f"{model}, {label(method)} ({PAPER})", label(method)
        traces.append(Trace(name=name, model=model, variant=how, dots=dots, reference=True))
    sizes = [named.get(size, size) for size in _sizes(found)]
    sizes += [size for size in _SIZES if published and size not in sizes]
    return Lines(
        id="by-size",
        title="Up to which size are summaries judged rightly?",
        note="The mean of the accuracies on wrong and on faithful summaries: 50 % is guessing. Format failures count "
        "as wrong.",
        x=Axis(name="size", title="Size", values=tuple(sizes)),
        traces=tuple(traces),
    )


def _by_type(found: Sequence[Outcome]) -> Dots:
    types = [name for name in TYPES if any(one.type == name for one in found)]
    return Dots(
        id="by-type",
        title="Which errors are noticed?",
        note="Share of wrong summaries that are called wrong, over all sizes; a missing verdict is a miss. A model "
        "that calls every summary wrong notices all of them: read it beside the accuracy on faithful ones.",
        x=Axis(name="type", title="Type of error", values=tuple(types)),
        traces=_with_mean(
            [
                _trace(model, method, [_dot(name, recall([one for one in own if one.type == name])) for name in types])
                for (model, method), own in _by_method(found).items()
            ]
        ),
    )


def _with_mean(traces: Sequence[Trace]) -> tuple[Trace, ...]:
    """The traces, and for each method and panel with several models the mean of theirs, without an interval."""
    means = []
    for (variant, panel), own in grouped(traces, lambda trace: (trace.variant, trace.panel)).items():
        columns_ = zip(*(trace.dots for trace in own), strict=True)
        known = [(dots[0].x, [dot.y for dot in dots if dot.y is not None]) for dots in columns_]
        dots = tuple(Dot(x=x, y=fmean(ys) if ys else None, note=f"mean of {len(ys)} models") for x, ys in known)
        if len(own) > 1:
            means.append(Trace(name=f"mean of {len(own)} models, {variant}", variant=variant, panel=panel, dots=dots))
    return (*traces, *means)


def _by_position(found: Sequence[Outcome], name: str = "", which: str = "") -> Dots:
    traces = []
    for size in _sizes(found):
        for (model, method), own in _by_method([one for one in found if one.size == size]).items():
            dots = [_dot(place, recall([one for one in own if one.position == place])) for place in POSITIONS]
            traces.append(_trace(model, method, dots, f"size {size}"))
    return Dots(
        id=f"by-position{name}",
        title=f"Errors noticed, by position in the story{which}",
        note="Share of wrong summaries that are called wrong, by the third of the story in which the error lies; a "
        "missing verdict is a miss.",
        x=Axis(name="position", title="Place of the error", values=POSITIONS),
        traces=_with_mean(traces),
    )


def _pointing(found: Sequence[Outcome]) -> Table:
    """For wrong summaries: detected, the sentence found, the type found."""
    wrong = {
        (model, label(method), size): [one for one in own if one.wrong and one.answered]
        for (model, method, size), own in _grouped(found).items()
    }
    return table_by(
        "pointing",
        "Was the error itself found?",
        columns("Model", "Method", "Size"),
        wrong,
        (
            MeasuredColumn("Wrong summaries", "count", len),
            MeasuredColumn("Called wrong", "share", recall),
            MeasuredColumn("Right sentence", "share", lambda own: share(own, [one.sentence_hit for one in own])),
            MeasuredColumn("Right type", "share", lambda own: share(own, [one.type_hit for one in own])),
            MeasuredColumn("Both in one finding", "share", lambda own: share(own, [one.both_hit for one in own])),
        ),
        note="Of the wrong summaries that were answered. A summary can be called wrong for a sentence that is right.",
    )


def _probes(benches: Mapping[str, Bench]) -> Table | None:
    """What plain classifiers make of style alone, by benchmark: the label, overall and per type, and the place."""
    lines: list[tuple[Entry, ...]] = []
    for digest, bench in benches.items():
        for name, what in (("style_probe", "label"), ("place_probe", "place")):
            probe = bench.build.get(name)
            if not isinstance(probe, dict) or probe.get("accuracy") is None:
                continue
            found = {"all": probe} | probe.get("types", {})
            lines += [
                (digest[:12], what, kind, _accuracy(one), probe.get("chance"), probe.get("limit"), str(probe["by"]))
                for kind, one in found.items()
            ]
    if not lines:
        return None
    return Table(
        id="probes",
        title="Does style give the label or the place away?",
        note="Label: how often a plain classifier tells wrong from faithful by length and style of the altered part "
        "alone. Place: how often it finds the unit with the error in a wrong summary of several units. It is tried on "
        "books that it did not learn from. It should be near chance and not above the limit: then a model cannot do "
        "better than guess without reading the text.",
        columns=(
            *columns("Benchmark", "What", "Type of error"),
            *columns("Found", "Chance", "Limit", unit="share"),
            *columns("Tried on other"),
        ),
        rows=tuple(lines),
    )


def _accuracy(probe: Mapping[str, Any]) -> Estimate:
    return Estimate(
        value=float(probe["accuracy"]), low=float(probe["low"]), high=float(probe["high"]), n=int(probe["n"])
    )


def _trace(model: str, method: str, dots: Sequence[Dot], panel: str = "") -> Trace:
    """A model's results by one method."""
    how = label(method)
    return Trace(name=f"{model}, {how}", model=model, variant=how, dots=tuple(dots), panel=panel)


_size = attrgetter("size")


def _grouped(found: Iterable[Outcome]) -> dict[tuple[str, str, str], list[Outcome]]:
    """By model, method and size: models in order of appearance, methods and sizes in their own order."""
    groups = grouped(found, lambda one: (one.model, one.method, one.size))
    models, methods = in_order(model for model, _, _ in groups), [*METHODS, *(method for _, method, _ in groups)]
    known = len(METHODS)
    rank = {
        key: (models.index(key[0]), min(known, methods.index(key[1])), own[0].length) for key, own in groups.items()
    }
    return {key: groups[key] for key in sorted(groups, key=lambda key: rank[key])}


def _by_method(found: Iterable[Outcome]) -> dict[tuple[str, str], list[Outcome]]:
    return grouped(chain.from_iterable(_grouped(found).values()), lambda one: (one.model, one.method))


def _sizes(found: Iterable[Outcome]) -> list[str]:
    lengths = {one.size: one.length for one in found}
    return sorted(lengths, key=lambda size: lengths[size])


def _dot(name: str, estimate: Estimate | None) -> Dot:
    return Dot.of(name, estimate, "nothing was answered")
