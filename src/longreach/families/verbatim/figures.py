"""Results of verbatim: rows grouped by what may be pooled, the verdict on a model in one sentence, figures and tables,
and the paper's own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import NamedTuple

from longreach.core.figure import Axis, Bars, Dot, Entry, Figure, Lines, Radar, Table, Trace, Unit, columns
from longreach.core.files import csv_lines
from longreach.core.formatting import ci_text
from longreach.core.types import AxisValue, Row
from longreach.families.base import MEANING, mean_score
from longreach.grading.reading.lists import LAYERS
from longreach.stats.counting import delivered, sample
from longreach.stats.intervals import mean_estimate, paired_difference
from longreach.stats.series import MeasuredColumn, grouped, table_by

from .grade import KINDS, SCORE, paper_measure
from .samples import COPY, CORPUS, base_task
from .spec import TASKS


class Cell(NamedTuple):
    """The fields by which results must not be pooled, in the order in which results are shown."""

    model: str
    place: int
    """Of its task among all tasks."""
    corpus: str
    copied: bool
    """Whether it is a copy-only control."""
    order: str
    digits: int
    n: int

    @property
    def task(self) -> str:
        return TASKS[self.place]


Cells = Mapping[Cell, Sequence[Row]]


def cells(rows: Iterable[Row]) -> Cells:
    """Rows by cell, in the order of cells."""

    def cell(row: Row) -> Cell:
        corpus, order = (str(row.cell.get(name, "")) for name in ("corpus", "order"))
        digits, n = (int(row.cell.get(name, 0)) for name in ("digits", "n"))
        place = [str(task) for task in TASKS].index(base_task(row.question_type))
        return Cell(row.model, place, corpus, is_copy(row), order, digits, n)

    return dict(sorted(grouped(rows, cell).items(), key=lambda entry: entry[0]))


def only(found: Cells, **fields: object) -> Cells:
    """The cells with these fields."""
    return {
        cell: rows
        for cell, rows in found.items()
        if all(getattr(cell, name) == value for name, value in fields.items())
    }


def is_copy(row: Row) -> bool:
    """Whether it is the answer to a copy-only control."""
    return row.question_type.endswith(COPY)


def measured(row: Row, name: str) -> float | None:
    """A measure of an answer. A truncated answer has it too, although it has no value."""
    return row.verdict.scores.get(name) if row.verdict.status in ("scored", "truncated") else None


def values(rows: Sequence[Row], name: str) -> list[float]:
    """One measure of all answers that have it."""
    return [value for row in rows if (value := measured(row, name)) is not None]


def scores(rows: Iterable[Row]) -> list[float]:
    """The delivered score of all answers that have one."""
    return [score for row in rows if (score := delivered(row)) is not None]


def meaning_measure(rows: Sequence[Row]) -> str:
    """The name of the similarity of meaning that rows have: by the embedder that was asked for, else by the offline
    one."""
    found = {name for row in rows for name in row.verdict.scores if name.startswith(MEANING)}
    return max(found, key=len, default=MEANING)


def spread(numbers: Sequence[float]) -> float | None:
    """Standard deviation over the samples (n - 1), as far as there are two."""
    if len(numbers) < 2:
        return None
    middle = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((number - middle) ** 2 for number in numbers) / (len(numbers) - 1))


def mean(numbers: Sequence[float]) -> float | None:
    """Mean of some numbers; None where there is none."""
    return math.fsum(numbers) / len(numbers) if numbers else None


def dot(x: AxisValue, rows: Sequence[Row], name: str) -> Dot:
    """Mean of a measure with its 95 % CI."""
    found = sample(rows, lambda row: measured(row, name))
    if not len(found):
        return Dot(x=x, y=None, note=_note(rows, 0))
    middle = mean_estimate(found)
    return Dot(x=x, y=middle.value, low=middle.low, high=middle.high, note=_note(rows, len(found)))


def _note(rows: Sequence[Row], scored: int) -> str:
    cut = sum(map(_is_cut, rows))
    return f"{scored} of {len(rows)} answers" + (f", {cut} cut off" if cut else "")


def _is_cut(row: Row) -> bool:
    return row.verdict.status == "truncated"


def _ends_early(row: Row) -> bool:
    return row.verdict.status == "scored" and bool(row.verdict.scores.get("prefix"))


def input_of(row: Row) -> str:
    """The input of a row: its item's id without the question's part."""
    return row.item.rpartition("-")[0]


# The verdict on a model in one sentence.

_DOING = {
    "sort": ("sorting {} numbers", "of items unchanged and in order"),
    "restore": ("putting {} sentences back in order", "of items unchanged and in order"),
    "group": ("grouping {} names", "F1"),
}
_FEW = 3
"""Minimum answers for a meaningful interval."""


def headline(rows: Sequence[Row], model: str) -> str:
    """A model's result at the largest size of each task: the share of items unchanged and in order with its interval,
    exactly right outputs, Kendall's tau and the paper's similarity."""
    mine = only(cells(rows), model=model)
    clauses: list[str] = []
    largest: list[Row] = []
    for task in _DOING:
        if sizes := [cell.n for cell in mine if cell.task == task and not cell.copied]:
            chosen = [(cell, own) for cell, own in mine.items() if cell.task == task and cell.n == max(sizes)]
            held, copies = ([row for cell, own in chosen if cell.copied == copied for row in own] for copied in (0, 1))
            clauses.append(_clause(task, max(sizes), held, copies))
            largest += held
    if not clauses:
        return ""
    return f"{model} at the largest sizes tried. {' '.join(clauses)}{_cut_off(largest)}"


def _clause(task: str, size: int, rows: Sequence[Row], copies: Sequence[Row]) -> str:
    """Two sentences on one task: the share with its interval, then what else is known."""
    doing, measure = _DOING[task]
    what = doing.format(f"{size:,}").capitalize()
    if not values(rows, "given"):
        return f"{what}: none of {len(rows)} answers could be scored."
    found = mean_score(rows)
    if found is None:
        return f"{what}: no answer came back."
    doubt = "low confidence, " if found.n < _FEW else ""
    first = f"{what}: {doubt}{100 * found.value:.0f} % {measure} ({ci_text(found)}, n = {found.n})."
    beside: list[str] = []
    if task != "group":
        tau, floor = mean(values(rows, "kendall_tau")), mean(values(rows, "floor"))
        exact, alike = mean(values(rows, "exact")), mean(values(rows, "similarity"))
        beside += [] if exact is None else [f"{100 * exact:.0f} % of outputs exactly right"]
        beside += [] if alike is None else [f"the paper's similarity {100 * alike:.0f} %"]
        beside += [] if tau is None else [f"Kendall's tau {tau:.2f}"]
        beside += [] if floor is None else [f"floor {100 * floor:.0f} %"]
    copied = mean(scores(copies))
    beside += [f"{100 * (mean(values(rows, 'kept_share')) or 0.0):.0f} % of items unchanged"]
    beside += [] if copied is None else [f"{100 * copied:.0f} % when only copying"]
    return f"{first} Also {', '.join(beside)}."


def _cut_off(rows: Sequence[Row]) -> str:
    """Answers that ended early: by the output cap, or possibly."""
    cut, early = sum(map(_is_cut, rows)), sum(map(_ends_early, rows))
    note = ""
    if cut:
        note += f" {cut} of these answers {'was' if cut == 1 else 'were'} cut off and count as far as they go."
    if early:
        are = "is an exact prefix" if early == 1 else "are exact prefixes"
        note += f" {early} of these answers {are} of the right one: perhaps cut off."
    return note


# The paper's own figures, from its printed tables.

COUNT = Axis(name="n", title="Items", scale="log")
_SPREAD = "Lines are means, bands one standard deviation to each side, as published."
_CAP = (
    f"{_SPREAD} The paper's drop of the Gemini models from 1,000 numbers on is what an answer "
    "cut off at 8,192 output tokens scores."
)
_TABLES = {
    "sort": ("verbatim_numeric_sorting.csv", "order", "Published: numbers sorted", _CAP),
    "restore": (
        "verbatim_sentences_levenshtein.csv",
        "corpus",
        "Published: sentences put back in order, similarity by sentence",
        _SPREAD,
    ),
    "semantic": (
        "verbatim_sentences_semantic.csv",
        "corpus",
        "Published: sentences put back in order, similarity of meaning",
        f"{_SPREAD} Embeddings by text-embedding-3-large.",
    ),
    "group": ("verbatim_entity_grouping.csv", "metric", "Published: names grouped", _SPREAD),
}
"""File, column of the panels, title and note of each."""


def published_traces(kind: str) -> list[Trace]:
    """One trace per model and panel: panels are orders for `sort`, corpora for `restore` and `semantic`, the two kinds
    of recall for `group`."""
    name, column, _, _ = _TABLES[kind]
    traces: dict[tuple[str, str], list[Dot]] = {}
    for row in csv_lines(__package__, f"published/{name}"):
        share, sd = float(row["mean_pct"]) / 100, float(row["sd"]) / 100
        low, high = max(0.0, share - sd), min(1.0, share + sd)
        panel = row[column].lower() if kind in ("sort", "group") else row[column]
        dot = Dot(x=int(row["n"]), y=share, low=low, high=high, note=f"standard deviation {100 * sd:.1f} points")
        traces.setdefault((panel, row["model"]), []).append(dot)
    return [
        Trace(name=model, model=model, dots=tuple(dots), panel=panel, reference=True)
        for (panel, model), dots in traces.items()
    ]


def _published_both() -> list[Trace]:
    """The mean of both published similarities of sentences, with a band from the lower to the higher."""
    meaning = {(trace.panel, trace.name): trace.dots for trace in published_traces("semantic")}
    return [
        trace.model_copy(update={"dots": tuple(map(_between, trace.dots, meaning[trace.panel, trace.name]))})
        for trace in published_traces("restore")
        if (trace.panel, trace.name) in meaning
    ]


def _between(wording: Dot, meaning: Dot) -> Dot:
    """The mean of two measures of the same answers, with a band from the lower to the higher."""
    known = [dot.y for dot in (wording, meaning) if dot.y is not None]
    if len(known) < 2:
        return wording.model_copy(update={"y": None, "low": None, "high": None})
    note = f"wording {100 * known[0]:.1f} %, meaning {100 * known[1]:.1f} %"
    return Dot(x=wording.x, y=mean(known), low=min(known), high=max(known), note=note)


def published_figures() -> list[Figure]:
    """All four tables, drawn like our results, and the paper's figure of two of them."""
    tables = (
        *((kind, title, note, published_traces(kind)) for kind, (_, _, title, note) in _TABLES.items()),
        ("both", f"Published: {_BOTH}", _FIGURE_3, _published_both()),
    )
    return [
        Lines(id=f"published-{kind}", title=title, note=note, x=COUNT, traces=tuple(traces))
        for kind, title, note, traces in tables
    ]


_BOTH = "sentences put back in order, mean of wording and meaning"
_FIGURE_3 = (
    "As in the paper's Figure 3: lines are the mean of similarity by sentence and similarity of meaning, bands reach "
    "from the lower of the two to the higher. They are no confidence intervals."
)


# Every score as a table, with its confidence interval and what truncated answers had room for.

_WHERE = (*columns("Model", "Task", "Corpus", "Order"), *columns("Digits", "Items", unit="count"))


def _where(cell: Cell) -> tuple[Entry, ...]:
    task = f"{cell.task}, copy only" if cell.copied else cell.task
    return cell.model, task, cell.corpus, cell.order, cell.digits or None, cell.n


def score_table(found: Cells) -> Table | None:
    """One score per cell with its interval, sd and n, and order, floor and the paper's measures."""
    every = [row for held in found.values() for row in held]
    prefixes = sum(map(_ends_early, every))
    note = (
        "Score: 1 where items and order are right, 0 where the input would score as much; for group, F1 of names in "
        "their categories; for a copy, similarity. What could not be read or was refused counts 0. The 95 % CI comes "
        "from the spread over the samples. Kendall's tau: order of the items kept exactly (1 right, 0 shuffled). "
        "Floor: similarity of the unprocessed input to the right answer. Raw similarity is the paper's "
        "measure (recall for group); it is never near 0."
    )
    if any(map(_is_cut, every)):
        note += " An answer that was cut off counts as far as it goes; in its room: held against that part alone."
    if prefixes:
        note += (
            f" {prefixes} of the answers end{'s' if prefixes == 1 else ''} early but right so far, with no sign that "
            f"the output cap was reached: perhaps cut off (imported without a finish reason?)."
        )
    measures = [
        MeasuredColumn("Score", "share", mean_score),
        _mean("Kendall's tau", "kendall_tau", "number"),
        _mean("Floor", "floor"),
        MeasuredColumn("sd", "share", lambda rows: spread(scores(rows))),
        MeasuredColumn("Scored", "count", lambda rows: len(values(rows, SCORE))),
        MeasuredColumn("Asked", "count", len),
        MeasuredColumn("Cut off", "count", lambda rows: sum(map(_is_cut, rows))),
        MeasuredColumn("Score in its room", "share", lambda rows: _in_room(rows) if any(map(_is_cut, rows)) else None),
        MeasuredColumn("Exact prefix", "count", lambda rows: sum(map(_ends_early, rows))),
        MeasuredColumn(
            "Raw similarity", "share", lambda rows: mean(values(rows, paper_measure(rows[0].question_type)))
        ),
        *(_mean(name.capitalize(), name) for name in ("ratio", "exact", "precision")),
        MeasuredColumn("Meaning", "share", lambda rows: mean(values(rows, meaning_measure(rows)))),
    ]
    return _table("verbatim-scores", "All scores", found, measures, note)


def _table(id: str, title: str, found: Cells, measures: Iterable[MeasuredColumn], note: str) -> Table | None:
    """One row per cell; None without any."""
    groups = {_where(cell): held for cell, held in found.items()}
    return table_by(id, title, _WHERE, groups, measures, note=note) if groups else None


def _mean(title: str, name: str, unit: Unit = "share") -> MeasuredColumn:
    return MeasuredColumn(title, unit, lambda rows: mean(values(rows, name)))


def _in_room(rows: Sequence[Row]) -> float | None:
    """The mean score where truncated answers count by the part they had room for."""
    own = [row.verdict.scores.get(f"room_{SCORE}") if _is_cut(row) else delivered(row) for row in rows]
    return mean([score for score in own if score is not None])


def cost_table(rows: Sequence[Row]) -> Table | None:
    """The cost of reasoning: copying minus the task, over the same inputs."""
    copies = {(row.model, row.bench, input_of(row)): row for row in rows if is_copy(row)}
    found: list[tuple[Entry, ...]] = []
    for cell, held in cells(row for row in rows if not is_copy(row)).items():
        # For names, copying is compared with finding the name at all.
        name = "global_recall" if cell.task == "group" else paper_measure(cell.task)
        pairs: list[tuple[float, float, Row]] = []
        for row in held:
            copy = copies.get((row.model, row.bench, input_of(row)))
            copied, done = measured(copy, name) if copy else None, measured(row, name)
            if copied is not None and done is not None:
                pairs.append((copied, done, row))
        if pairs:
            copied_all, done_all, inputs = (list(column) for column in zip(*pairs, strict=True))
            gap = paired_difference(copied_all, done_all, sample(inputs, lambda _: 0.0))
            found.append((*_where(cell), mean(copied_all), mean(done_all), gap, len(pairs)))
    if not found:
        return None
    return Table(
        id="verbatim-cost",
        title="What does reasoning cost?",
        note="Raw similarity of copying the input less that of doing the task, on the same inputs. For group both "
        "are recall of names.",
        columns=(
            *_WHERE,
            *columns("Copying", "The task", unit="share"),
            *columns("Cost", unit="points"),
            *columns("Pairs", unit="count"),
        ),
        rows=tuple(found),
    )


def order_table(found: Cells) -> Table | None:
    """Item accounting and order as numbers."""
    given = {cell: held for cell, held in found.items() if values(held, "given")}
    measures = [
        *(_mean(kind.capitalize(), kind, "number") for kind in KINDS),
        _mean("Kendall's tau", "kendall_tau", "number"),
        _mean("Longest run", "longest_run", "number"),
        MeasuredColumn("Read as", "", _layers),
    ]
    note = (
        "Mean numbers of items. Kendall's tau and the longest run of items that follow each other as they should "
        "are over the items kept exactly."
    )
    return _table("verbatim-items", "Items and their order", given, measures, note)


def usage_table(found: Cells) -> Table | None:
    """Tokens and cost per request, as mean and standard deviation over the requests of a cell."""
    used = ("Tokens in", "tokens_in"), ("Tokens out", "tokens_out"), ("Reasoning tokens", "tokens_reasoning")
    measures = [
        MeasuredColumn(f"{title}, {what}", "number", partial(_used, name=name, of=of))
        for title, name in (*used, ("US dollars", "cost"))
        for what, of in (("mean", mean), ("SD", spread))
    ]
    note = "As the provider counts them. SD: standard deviation over the requests."
    requests = MeasuredColumn("Requests", "count", len)
    return _table("verbatim-usage", "Tokens and cost per request", found, [requests, *measures], note)


def _used(rows: Sequence[Row], name: str, of: Callable[[Sequence[float]], float | None]) -> float | None:
    return of([number for row in rows if (number := getattr(row, name)) is not None])


def _layers(rows: Sequence[Row]) -> str:
    """How the answers were parsed: 'list 4, lines 1'."""
    found = [int(value) for value in values(rows, "layer")]
    counts = [(name, found.count(number)) for number, name in enumerate(LAYERS, 1)]
    return ", ".join(f"{name} {count}" for name, count in counts if count)


_BAND = (
    "Lines are means, bands 95 % confidence intervals (of published lines one standard deviation); a cut-off answer "
    "counts as far as it goes."
)
_PAPERS_EMBEDDER = "openai:text-embedding-3-large"
_DIGITS = Axis(name="digits", title="Digits", scale="linear")
_RECALL = "recall_"


def verbatim_figures(rows: Sequence[Row], *, published: bool) -> list[Figure]:
    """All figures that the rows have data for."""
    found = cells(rows)
    sort, restore, group = (only(found, task=task) for task in TASKS)
    figures: list[Figure | None] = []
    if sort:
        figures += [_sort(sort, published), _digits(sort)]
    if restore:
        figures += [_both(restore, published), _restore(restore, published), _meaning(restore, published)]
    if group:
        figures += [_group(group, published), _radar(group)]
    figures += [*_accounting(found), score_table(found), cost_table(rows), order_table(found), usage_table(found)]
    return [figure for figure in figures if figure is not None]


def _sort(found: Cells, published: bool) -> Lines:
    """Similarity by number of items: one panel per order, copying in each of them."""
    traces = _by_order(_usual_numbers(found))
    panels = {trace.panel for trace in traces}
    if published:
        traces += [trace for trace in published_traces("sort") if trace.panel in panels or not panels]
    note = "An unsorted copy of the input already scores about 66 %: see the corrected score in the table."
    return _lines("sort", "Numbers sorted: raw similarity to the true list", note, traces)


def _by_order(found: Cells, x: str = "n") -> list[Trace]:
    """A panel for each order, with copying in each of them."""
    traces: list[Trace] = []
    for panel in sorted({cell.order for cell in found if not cell.copied}):
        shown = {**only(found, copied=True), **only(found, copied=False, order=panel)}
        traces += _traces(shown, panel, "similarity", x)
    return traces


def _usual_numbers(found: Cells) -> Cells:
    """The sort results over the number range used at most sizes; others are a different test."""
    sizes = grouped(found, lambda cell: (cell.digits, cell.corpus))
    digits, corpus = max(sizes, key=lambda kind: (len({cell.n for cell in sizes[kind]}), kind))
    return only(found, digits=digits, corpus=corpus)


def _digits(found: Cells) -> Lines | None:
    """Score against the number of digits, at the size where several were tried."""
    sorts = only(found, corpus=CORPUS)
    kinds = Counter(n for n, _ in {(cell.n, cell.digits) for cell in sorts})
    size = max((n for n, count in kinds.items() if count > 1), key=lambda n: kinds[n], default=None)
    if size is None:
        return None
    traces = _by_order(only(sorts, n=size), "digits")
    return _lines("digits", f"Numbers sorted: raw similarity by digits, {size} numbers", "", traces, x=_DIGITS)


def _restore(found: Cells, published: bool) -> Lines:
    """One panel per corpus."""
    traces = _by_corpus(found, "similarity") + (published_traces("restore") if published else [])
    note = (
        "Each true sentence counts by its best match in the answer, wherever that stands: order does not count here "
        "(see Kendall's tau), only wording."
    )
    if _meaning(found, published=False) is None:
        note += " Meaning was not compared: the offline embedder reads English; grade with --embedder openai:MODEL."
    return _lines("restore", "Sentences put back in order: similarity by sentence", note, traces)


def _both(found: Cells, published: bool) -> Lines | None:
    """The paper's figure."""
    name = _used_meaning(found)
    traces = [
        wording.model_copy(update={"dots": tuple(map(_between, wording.dots, meaning.dots))})
        for wording, meaning in zip(_by_corpus(found, "similarity"), _by_corpus(found, name), strict=True)
        if not wording.variant and any(dot.y is not None for dot in meaning.dots)
    ]
    if not traces:
        return None
    traces += _published_both() if published else []
    title = _BOTH[0].upper() + _BOTH[1:]
    return Lines(id="verbatim-both", title=title, note=f"{_FIGURE_3} {_by(name)}", x=COUNT, traces=tuple(traces))


def _used_meaning(found: Cells) -> str:
    return meaning_measure([row for rows in found.values() for row in rows])


def _by(name: str) -> str:
    """Which embedder measured meaning, and what that means for the published lines."""
    used = name.removeprefix(MEANING).strip()
    if used == _PAPERS_EMBEDDER:
        return f"Meaning by {used}, as in the paper."
    return f"Meaning by {used or 'the offline embedder'}; the paper used another, so its level is not comparable."


def _meaning(found: Cells, published: bool) -> Lines | None:
    name = _used_meaning(found)
    traces = [trace for trace in _by_corpus(found, name) if any(dot.y is not None for dot in trace.dots)]
    if not traces:
        return None
    traces += published_traces("semantic") if published else []
    note = f"Cosine of embeddings of the whole passages. {_by(name)}"
    return _lines("meaning", "Sentences put back in order: similarity of meaning", note, traces)


def _by_corpus(found: Cells, name: str) -> list[Trace]:
    traces: list[Trace] = []
    for panel in dict.fromkeys(cell.corpus for cell in found):
        traces += _traces(only(found, corpus=panel), panel, name)
    return traces


def _group(found: Cells, published: bool) -> Lines:
    """Recall by category, and of names in any category: two panels (per list of names, where there are several)."""
    corpora = list(dict.fromkeys(cell.corpus for cell in found))
    traces: list[Trace] = []
    for corpus in corpora:
        copied, done = (only(found, corpus=corpus, copied=copied) for copied in (True, False))
        more = f" · {corpus}" if len(corpora) > 1 else ""
        for panel, name in (("category recall", "recall"), ("global recall", "global_recall")):
            traces += _traces(copied, panel + more, "global_recall") + _traces(done, panel + more, name)
    traces += published_traces("group") if published else []
    note = (
        "Category recall asks for the name in its category, global recall for the name anywhere; copying needs no "
        "categories and is shown by its global recall."
    )
    return _lines("group", "Names grouped: recall", note, traces)


def _lines(name: str, title: str, note: str, traces: Sequence[Trace], x: Axis = COUNT) -> Lines:
    return Lines(id=f"verbatim-{name}", title=title, note=f"{_BAND} {note}".strip(), x=x, traces=tuple(traces))


def _traces(chosen: Cells, panel: str, name: str, x: str = "n") -> list[Trace]:
    """One trace per model, and one for its copies, drawn first."""
    series = grouped(
        sorted(chosen, key=lambda cell: (cell.model, not cell.copied, getattr(cell, x))),
        lambda cell: (cell.model, cell.copied),
    )
    return [
        Trace(
            name=f"{model} · copy only" if copied else model,
            model=model,
            variant="copy only" if copied else "",
            dots=tuple(dot(getattr(cell, x), chosen[cell], name) for cell in own),
            panel=panel,
        )
        for (model, copied), own in series.items()
    ]


def _radar(found: Cells) -> Radar | None:
    """Recall by category at the largest N of each model."""
    groups = only(found, copied=False)
    size = max((cell.n for cell in groups), default=0)
    traces: list[Trace] = []
    spokes: dict[str, None] = {}
    for cell, rows in only(groups, n=size).items():
        names = [name for row in rows for name in row.verdict.scores if name.startswith(_RECALL)]
        categories = list(dict.fromkeys(name.removeprefix(_RECALL) for name in names))
        spokes |= dict.fromkeys(categories)
        dots = tuple(dot(category, rows, _RECALL + category) for category in categories)
        if dots:
            traces.append(Trace(name=cell.model, model=cell.model, dots=dots, panel=cell.corpus))
    if not traces:
        return None
    return Radar(
        id="verbatim-categories",
        title=f"Names grouped: recall by category, {size} names",
        note="Mean over the samples with its 95 % confidence interval.",
        x=Axis(name="category", title="Category", values=tuple(spokes)),
        traces=tuple(traces),
    )


def _accounting(found: Cells) -> Iterator[Bars]:
    """Items kept, altered and lost: a figure per task, a panel per model (and order or corpus), a bar per size."""
    for task, what in (("sort", "Numbers"), ("restore", "Sentences"), ("group", "Names")):
        traces: list[Trace] = []
        sizes: set[int] = set()
        mine = only(found, task=task)
        mine = _usual_numbers(mine) if task == "sort" and mine else mine
        for panel, own in grouped(mine, _panel).items():
            held = {cell.n: mine[cell] for cell in own if values(mine[cell], "given")}
            sizes |= held.keys()
            for kind in KINDS if held else ():
                dots = tuple(Dot(x=str(n), y=mean(values(held[n], f"{kind}_share"))) for n in sorted(held))
                traces.append(Trace(name=kind, dots=dots, panel=panel))
        if traces:
            yield Bars(
                id=f"verbatim-items-{task}",
                title=f"{what} kept, altered and lost",
                note="Per item given: kept, altered and lost make up the whole; duplicated and invented come on top.",
                x=Axis(name="n", title="Items", values=tuple(str(n) for n in sorted(sizes))),
                stacked=True,
                traces=tuple(traces),
            )


def _panel(cell: Cell) -> str:
    order = cell.order if cell.task == "sort" else ""
    what = "copy only" if cell.copied else order
    where = "" if cell.task == "sort" else cell.corpus
    return " · ".join(part for part in (cell.model, where, what) if part)
