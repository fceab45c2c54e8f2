"""Report figures and tables of verbatim, as data, with the paper's own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial

from longreach.core.figure import Axis, Bars, Dot, Entry, Figure, Lines, Radar, Table, Trace, Unit, columns
from longreach.core.files import csv_lines
from longreach.core.types import Row
from longreach.families.base import MEANING
from longreach.grading.reading.lists import LAYERS
from longreach.stats.counting import delivered, sample
from longreach.stats.intervals import paired_difference
from longreach.stats.series import Measure, table_by

from .grade import KINDS, SCORE, paper_measure
from .results import Cell, cells, dot, estimate, input_of, is_copy, mean, meaning_measure, measured, spread, values

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
    of recall for `group`."""
    traces: dict[tuple[str, str], list[Dot]] = {}
    for panel, model, n, share, sd in _rows(kind):
        dot = Dot(
            x=n,
            y=share,
            low=max(0.0, share - sd),
            high=min(1.0, share + sd),
            note=f"standard deviation {100 * sd:.1f} points",
        )
        panel = panel.lower() if kind in ("sort", "group") else panel
        traces.setdefault((panel, model), []).append(dot)
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
    both = Lines(
        id="published-both", title=f"Published: {_BOTH}", note=_FIGURE_3, x=COUNT, traces=tuple(_published_both())
    )
    return [
        *(
            Lines(id=f"published-{kind}", title=title, note=note, x=COUNT, traces=tuple(published_traces(kind)))
            for kind, (_, _, title, note) in _TABLES.items()
        ),
        both,
    ]


_BOTH = "sentences put back in order, mean of wording and meaning"
_FIGURE_3 = (
    "As in the paper's Figure 3: lines are the mean of similarity by sentence and similarity of meaning, bands reach "
    "from the lower of the two to the higher. They are no confidence intervals."
)


# Every score as a table, with its confidence interval and what truncated answers had room for.

_WHERE = (*columns("Model", "Task", "Corpus", "Order"), *columns("Digits", "Items", unit="count"))


def _where(cell: Cell) -> tuple[Entry, ...]:
    task = f"{cell.task}, copy only" if is_copy(cell.question_type) else cell.task
    return cell.model, task, cell.corpus, cell.order, cell.digits or None, cell.n


def score_table(grouped: Mapping[Cell, Sequence[Row]]) -> Table | None:
    """One score per cell with its interval, sd and n, and order, floor and the paper's measures."""
    every = [row for held in grouped.values() for row in held]
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
        Measure("Score", "share", estimate),
        _mean("Kendall's tau", "kendall_tau", "number"),
        _mean("Floor", "floor"),
        Measure("sd", "share", lambda rows: spread([score for row in rows if (score := delivered(row)) is not None])),
        Measure("Scored", "count", lambda rows: len(values(rows, SCORE))),
        Measure("Asked", "count", len),
        Measure("Cut off", "count", lambda rows: sum(map(_is_cut, rows))),
        Measure("Score in its room", "share", lambda rows: _in_room(rows) if any(map(_is_cut, rows)) else None),
        Measure("Exact prefix", "count", lambda rows: sum(map(_ends_early, rows))),
        Measure("Raw similarity", "share", lambda rows: mean(values(rows, paper_measure(rows[0].question_type)))),
        *(_mean(name.capitalize(), name) for name in ("ratio", "exact", "precision")),
        Measure("Meaning", "share", lambda rows: mean(values(rows, meaning_measure(rows)))),
    ]
    return _table("verbatim-scores", "All scores", grouped, measures, note)


def _table(
    id: str, title: str, grouped: Mapping[Cell, Sequence[Row]], measures: Iterable[Measure], note: str
) -> Table | None:
    """One row per cell; None without any."""
    groups = {_where(cell): held for cell, held in grouped.items()}
    return table_by(id, title, _WHERE, groups, measures, note=note) if groups else None


def _mean(title: str, name: str, unit: Unit = "share") -> Measure:
    return Measure(title, unit, lambda rows: mean(values(rows, name)))


def _is_cut(row: Row) -> bool:
    return row.verdict.status == "truncated"


def _ends_early(row: Row) -> bool:
    return row.verdict.status == "scored" and bool(row.verdict.scores.get("prefix"))


def _in_room(rows: Sequence[Row]) -> float | None:
    """The mean score where truncated answers count by the part they had room for."""
    own = [row.verdict.scores.get(f"room_{SCORE}") if _is_cut(row) else delivered(row) for row in rows]
    return mean([score for score in own if score is not None])


def cost_table(rows: Sequence[Row]) -> Table | None:
    """The cost of reasoning: copying minus the task, over the same inputs."""
    copies = {(row.model, row.bench, input_of(row)): row for row in rows if is_copy(row.question_type)}
    found: list[tuple[Entry, ...]] = []
    for cell, held in cells(row for row in rows if not is_copy(row.question_type)).items():
        # For names, copying is compared with finding the name at all.
        name = "global_recall" if cell.task == "group" else paper_measure(cell.question_type)
        pairs: list[tuple[float, float]] = []
        inputs: list[Row] = []
        for row in held:
            copy = copies.get((row.model, row.bench, input_of(row)))
            copied = measured(copy, name) if copy else None
            done = measured(row, name)
            if copied is not None and done is not None:
                pairs.append((copied, done))
                inputs.append(row)
        if pairs:
            copied_all, done_all = [one for one, _ in pairs], [other for _, other in pairs]
            gap = paired_difference(copied_all, done_all, sample(inputs, lambda _: 0.0))
            found.append((*_where(cell), mean(copied_all), mean(done_all), gap, len(pairs)))
    if not found:
        return None
    return Table(
        id="verbatim-cost",
        title="What reasoning costs",
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


def order_table(grouped: Mapping[Cell, Sequence[Row]]) -> Table | None:
    """Item accounting and order as numbers."""
    given = {cell: held for cell, held in grouped.items() if values(held, "given")}
    measures = [
        *(_mean(kind.capitalize(), kind, "number") for kind in KINDS),
        _mean("Kendall's tau", "kendall_tau", "number"),
        _mean("Longest run", "longest_run", "number"),
        Measure("Read as", "", _layers),
    ]
    note = (
        "Mean numbers of items. Kendall's tau and the longest run of items that follow each other as they should "
        "are over the items kept exactly."
    )
    return _table("verbatim-items", "Items and their order", given, measures, note)


def usage_table(grouped: Mapping[Cell, Sequence[Row]]) -> Table | None:
    """Tokens and cost per request, as mean and standard deviation over the requests of a cell."""
    used = {
        "Tokens in": "tokens_in",
        "Tokens out": "tokens_out",
        "Reasoning tokens": "tokens_reasoning",
        "US dollars": "cost",
    }
    measures = [
        Measure(f"{title}, {what}", "number", partial(_used, name=name, of=of))
        for title, name in used.items()
        for what, of in (("mean", mean), ("SD", spread))
    ]
    note = "As the provider counts them. SD: standard deviation over the requests."
    requests = Measure("Requests", "count", len)
    return _table("verbatim-usage", "Tokens and cost per request", grouped, [requests, *measures], note)


def _used(rows: Sequence[Row], name: str, of: Callable[[Sequence[float]], float | None]) -> float | None:
    return of([number for row in rows if (number := getattr(row, name)) is not None])


def _layers(rows: Sequence[Row]) -> str:
    """How the answers were parsed: 'list 4, lines 1'."""
    found = [int(value) for value in values(rows, "layer")]
    counts = [(name, found.count(number)) for number, name in enumerate(LAYERS, 1)]
    return ", ".join(f"{name} {count}" for name, count in counts if count)


# Report figures of verbatim, as data.

_BAND = (
    "Lines are means, bands 95 % confidence intervals (of published lines one standard deviation); a cut-off answer "
    "counts as far as it goes."
)
_DIGITS = Axis(name="digits", title="Digits", scale="linear")
_RECALL = "recall_"


def verbatim_figures(rows: Sequence[Row], *, published: bool) -> list[Figure]:
    """All figures that the rows have data for."""
    grouped = cells(rows)
    tasks = {cell.task for cell in grouped}
    found: list[Figure | None] = []
    if "sort" in tasks:
        found += [_sort(grouped, published), _digits(grouped)]
    if "restore" in tasks:
        found += [_both(grouped, published), _restore(grouped, published), _meaning(grouped, published)]
    if "group" in tasks:
        found += [_group(grouped, published), _radar(grouped)]
    found += [*_accounting(grouped), score_table(grouped), cost_table(rows), order_table(grouped), usage_table(grouped)]
    return [figure for figure in found if figure is not None]


def _sort(grouped: Mapping[Cell, Sequence[Row]], published: bool) -> Lines:
    """Similarity by number of items: one panel per order, copying in each of them."""
    chosen = _usual_numbers(grouped)
    orders = sorted({cell.order for cell in chosen if not is_copy(cell.question_type)})
    traces: list[Trace] = []
    for panel in orders:
        in_panel = {cell: rows for cell, rows in chosen.items() if cell.order == panel or is_copy(cell.question_type)}
        traces += _traces(in_panel, panel, "similarity")
    if published:
        traces += [trace for trace in published_traces("sort") if trace.panel in orders or not orders]
    note = "An unsorted copy of the input already scores about 66 %: see the corrected score in the table."
    return _lines("sort", "Numbers sorted: raw similarity to the true list", note, traces)


def _usual_numbers(grouped: Mapping[Cell, Sequence[Row]]) -> dict[Cell, Sequence[Row]]:
    """The sort results over the number range used at most sizes; others are a different test."""
    sizes: dict[tuple[int, str], set[int]] = {}
    for cell in grouped:
        if cell.task == "sort":
            sizes.setdefault((cell.digits, cell.corpus), set()).add(cell.n)
    usual = max(sizes, key=lambda kind: (len(sizes[kind]), kind))
    return {cell: rows for cell, rows in grouped.items() if cell.task == "sort" and (cell.digits, cell.corpus) == usual}


def _digits(grouped: Mapping[Cell, Sequence[Row]]) -> Lines | None:
    """Score against the number of digits, at the size where several were tried."""
    sorts = {cell: rows for cell, rows in grouped.items() if cell.task == "sort" and cell.corpus == "numbers"}
    kinds = Counter(n for n, _ in {(cell.n, cell.digits) for cell in sorts})
    size = max((n for n, count in kinds.items() if count > 1), key=lambda n: kinds[n], default=None)
    if size is None:
        return None
    traces: list[Trace] = []
    for panel in sorted({cell.order for cell in sorts if not is_copy(cell.question_type)}):
        chosen = {
            cell: rows
            for cell, rows in sorts.items()
            if cell.n == size and (cell.order == panel or is_copy(cell.question_type))
        }
        traces += _traces(chosen, panel, "similarity", x="digits")
    return _lines("digits", f"Numbers sorted: raw similarity by digits, {size} numbers", "", traces, x=_DIGITS)


def _restore(grouped: Mapping[Cell, Sequence[Row]], published: bool) -> Lines:
    """One panel per corpus."""
    traces = _by_corpus(grouped, "similarity")
    if published:
        traces += published_traces("restore")
    note = (
        "Each true sentence counts by its best match in the answer, wherever that stands: order does not count here "
        "(see Kendall's tau), only wording."
    )
    if _meaning(grouped, published=False) is None:
        note += " Meaning was not compared: the offline embedder reads English; grade with --embedder openai:MODEL."
    return _lines("restore", "Sentences put back in order: similarity by sentence", note, traces)


def _both(grouped: Mapping[Cell, Sequence[Row]], published: bool) -> Lines | None:
    """The paper's figure."""
    name = _used_meaning(grouped)
    traces = [
        wording.model_copy(update={"dots": tuple(map(_between, wording.dots, meaning.dots))})
        for wording, meaning in zip(_by_corpus(grouped, "similarity"), _by_corpus(grouped, name), strict=True)
        if not wording.variant and any(dot.y is not None for dot in meaning.dots)
    ]
    if not traces:
        return None
    traces += _published_both() if published else []
    title = _BOTH[0].upper() + _BOTH[1:]
    return Lines(id="verbatim-both", title=title, note=f"{_FIGURE_3} {_by(name)}", x=COUNT, traces=tuple(traces))


def _used_meaning(grouped: Mapping[Cell, Sequence[Row]]) -> str:
    return meaning_measure([row for cell, rows in grouped.items() if cell.task == "restore" for row in rows])


def _by(name: str) -> str:
    """Which embedder measured meaning, and what that means for the published lines."""
    used = name.removeprefix(MEANING).strip()
    if used == _PAPERS_EMBEDDER:
        return f"Meaning by {used}, as in the paper."
    return f"Meaning by {used or 'the offline embedder'}; the paper used another, so its level is not comparable."


_PAPERS_EMBEDDER = "openai:text-embedding-3-large"


def _meaning(grouped: Mapping[Cell, Sequence[Row]], published: bool) -> Lines | None:
    name = _used_meaning(grouped)
    traces = [trace for trace in _by_corpus(grouped, name) if any(dot.y is not None for dot in trace.dots)]
    if not traces:
        return None
    if published:
        traces += published_traces("semantic")
    note = f"Cosine of embeddings of the whole passages. {_by(name)}"
    return _lines("meaning", "Sentences put back in order: similarity of meaning", note, traces)


def _by_corpus(grouped: Mapping[Cell, Sequence[Row]], name: str) -> list[Trace]:
    restored = {cell: rows for cell, rows in grouped.items() if cell.task == "restore"}
    traces: list[Trace] = []
    for panel in dict.fromkeys(cell.corpus for cell in restored):
        traces += _traces({cell: rows for cell, rows in restored.items() if cell.corpus == panel}, panel, name)
    return traces


def _group(grouped: Mapping[Cell, Sequence[Row]], published: bool) -> Lines:
    """Recall by category, and of names in any category: two panels (per list of names, where there are several)."""
    groups = {cell: rows for cell, rows in grouped.items() if cell.task == "group"}
    corpora = list(dict.fromkeys(cell.corpus for cell in groups))
    traces: list[Trace] = []
    for corpus in corpora:
        chosen = {cell: rows for cell, rows in groups.items() if cell.corpus == corpus}
        more = f" · {corpus}" if len(corpora) > 1 else ""
        sorted_out = {cell: rows for cell, rows in chosen.items() if not is_copy(cell.question_type)}
        copied = {cell: rows for cell, rows in chosen.items() if is_copy(cell.question_type)}
        for panel, name in (("category recall", "recall"), ("global recall", "global_recall")):
            traces += _traces(copied, panel + more, "global_recall") + _traces(sorted_out, panel + more, name)
    if published:
        traces += published_traces("group")
    note = (
        "Category recall asks for the name in its category, global recall for the name anywhere; copying needs no "
        "categories and is shown by its global recall."
    )
    return _lines("group", "Names grouped: recall", note, traces)


def _lines(name: str, title: str, note: str, traces: Sequence[Trace], x: Axis = COUNT) -> Lines:
    return Lines(id=f"verbatim-{name}", title=title, note=f"{_BAND} {note}".strip(), x=x, traces=tuple(traces))


def _traces(chosen: Mapping[Cell, Sequence[Row]], panel: str, name: str, x: str = "n") -> list[Trace]:
    """One trace per model, and one for its copies, drawn first."""
    dots: dict[tuple[str, bool], list[Dot]] = {}
    for cell, rows in chosen.items():
        dots.setdefault((cell.model, is_copy(cell.question_type)), []).append(dot(getattr(cell, x), rows, name))
    return [
        Trace(
            name=f"{model} · copy only" if copied else model,
            model=model,
            variant="copy only" if copied else "",
            dots=tuple(sorted(found, key=lambda dot: float(dot.x))),
            panel=panel,
        )
        for (model, copied), found in sorted(dots.items(), key=lambda entry: (entry[0][0], not entry[0][1]))
    ]


def _radar(grouped: Mapping[Cell, Sequence[Row]]) -> Radar | None:
    """Recall by category at the largest N of each model."""
    groups = {cell: rows for cell, rows in grouped.items() if cell.question_type == "group"}
    if not groups:
        return None
    size = max(cell.n for cell in groups)
    traces: list[Trace] = []
    spokes: dict[str, None] = {}
    for cell, rows in groups.items():
        if cell.n != size:
            continue
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


def _accounting(grouped: Mapping[Cell, Sequence[Row]]) -> Iterator[Bars]:
    """Items kept, altered and lost: a figure per task, a panel per model (and order or corpus), a bar per size."""
    for task, title in (
        ("sort", "Numbers kept, altered and lost"),
        ("restore", "Sentences kept, altered and lost"),
        ("group", "Names kept, altered and lost"),
    ):
        traces: list[Trace] = []
        sizes: set[int] = set()
        mine: Mapping[Cell, Sequence[Row]] = {cell: rows for cell, rows in grouped.items() if cell.task == task}
        mine = _usual_numbers(mine) if task == "sort" and mine else mine
        for panel in dict.fromkeys(map(_panel, mine)):
            held = {cell.n: rows for cell, rows in mine.items() if _panel(cell) == panel and values(rows, "given")}
            sizes |= held.keys()
            for kind in KINDS if held else ():
                dots = tuple(Dot(x=str(n), y=mean(values(held[n], f"{kind}_share"))) for n in sorted(held))
                traces.append(Trace(name=kind, dots=dots, panel=panel))
        if traces:
            yield Bars(
                id=f"verbatim-items-{task}",
                title=title,
                note="Per item given: kept, altered and lost make up the whole; duplicated and invented come on top.",
                x=Axis(name="n", title="Items", values=tuple(str(n) for n in sorted(sizes))),
                stacked=True,
                traces=tuple(traces),
            )


def _panel(cell: Cell) -> str:
    what = "copy only" if is_copy(cell.question_type) else cell.order if cell.task == "sort" else ""
    where = "" if cell.task == "sort" else cell.corpus
    return " · ".join(part for part in (cell.model, where, what) if part)
