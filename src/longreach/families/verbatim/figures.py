"""Report figures of verbatim, as data."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from longreach.core.chart import Axis
from longreach.core.figure import Bars, Dot, Figure, Lines, Radar, Trace
from longreach.core.row import Row

from .accounting import KINDS
from .published import COUNT, published_traces
from .results import Cell, cells, dot, is_copy, mean, values
from .tables import cost_table, order_table, score_table

__all__ = ["verbatim_figures"]

_BAND = "Lines are means, bands 95 % confidence intervals; a cut-off answer counts as far as it goes."
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
        found += [_restore(grouped, published), _meaning(grouped, published)]
    if "group" in tasks:
        found += [_group(grouped, published), _radar(grouped)]
    found += [*_accounting(grouped), score_table(grouped), cost_table(rows), order_table(grouped)]
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
    return _lines("restore", "Sentences put back in order: similarity by sentence", note, traces)


def _meaning(grouped: Mapping[Cell, Sequence[Row]], published: bool) -> Lines | None:
    traces = [trace for trace in _by_corpus(grouped, "semantic") if any(dot.y is not None for dot in trace.dots)]
    if not traces:
        return None
    if published:
        traces += published_traces("semantic")
    note = (
        "Cosine of embeddings of the whole passages, by the offline embedder; the paper used another, so its level is "
        "not comparable."
    )
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
