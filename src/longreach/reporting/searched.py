"""What a search found, for the page: the effective lengths, the curves with their bands, the cells that were asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from longreach.core.bench import Bench
from longreach.core.chart import Axis
from longreach.core.estimate import EffectiveLength
from longreach.core.family_view import FamilyView, reach_key
from longreach.core.figure import Dot, Figure, Lines, Table, Trace, columns
from longreach.core.generation import model_name
from longreach.core.number_format import length_label, percent, value_label
from longreach.core.row import Call, Row
from longreach.core.runs import run_notes
from longreach.families.showing import family_view, guessing_scores
from longreach.planning.plan import PlanSettings, plan_items
from longreach.planning.search.choice import Search
from longreach.planning.search.found import SearchResult, search_result
from longreach.planning.search.grid import SearchGrid
from longreach.stats.intervals import Floats

__all__ = ["Searched", "measured_views", "search_figures", "search_notes", "searched", "searched_lengths"]

_RESULT = (
    "A search asks where the effective length is still open. Probability: that the length is right to a factor of 1.5. "
    "Tokens are input tokens by the benchmark's own count; the cost of the full grid is planned, with caching."
)
_CURVE = (
    "Delivered accuracy over length as the search sees it after all answers, with its 95 % band, wide where "
    "little was asked. Accuracy is assumed to fall with length unless the answers contradict it."
)
_CELLS = "Contexts asked of all contexts, by length. A full run fills the rest."


@dataclass(frozen=True)
class Searched:
    """One series that was searched."""

    model: str
    search: Search
    values: Floats
    asked: frozenset[int]
    result: SearchResult
    cost: float | None
    """US dollars, as far as the calls have one."""
    full_cost: float | None
    """Planned cost of a full run."""


def searched(
    runs: Path, rows: Sequence[Row], calls: Sequence[Call], benches: Mapping[str, Bench], threshold: float
) -> list[Searched]:
    """The series of a folder whose last run was a search and whose grid is not full."""
    found: list[Searched] = []
    grids: dict[str, SearchGrid] = {}
    for (model, digest), note in run_notes(runs).items():
        own = [call for call in calls if (call.model, call.bench) == (model, digest) and not call.error]
        if note.until is None or not own or digest not in benches:
            continue
        grid = grids.setdefault(digest, SearchGrid(benches[digest]))
        search = Search(grid, until=note.until, threshold=threshold)
        values = grid.values(row for row in rows if (row.model, row.bench) == (model, digest))
        asked = frozenset(grid.unit_of[call.item] for call in own if call.item in grid.unit_of)
        if len(asked) == len(grid.units):
            continue
        costs = [call.cost for call in own if call.cost is not None]
        how = PlanSettings(price=note.price, workers=note.workers, sharing=note.sharing, sample=False)
        full = plan_items(
            grid.bench, grid.items(range(len(grid.units))), [model_name(note.model)], settings=how
        ).models[0]
        found.append(
            Searched(
                model=model,
                search=search,
                values=values,
                asked=asked,
                result=search_result(search, values, asked),
                cost=sum(costs) if costs else None,
                full_cost=full.cost,
            )
        )
    return found


def searched_lengths(every: Sequence[Searched], family: str) -> dict[str, EffectiveLength]:
    """Effective lengths by model, experiment and question type: they replace those of the few lengths asked."""
    return {
        reach_key(each.model, standing.aim.experiment, standing.aim.question_type): found.effective
        for each in every
        if each.search.grid.family.name == family
        for standing, found in zip(each.search.standings(each.values), each.result.found, strict=True)
    }


def measured_views(
    runs: Path, rows: Sequence[Row], calls: Sequence[Call], benches: Mapping[str, Bench], threshold: float
) -> dict[str, FamilyView]:
    """The families of a folder with the scores of guessing, and with the effective lengths of its searches."""
    found, chances = searched(runs, rows, calls, benches, threshold), guessing_scores(benches)
    return {
        name: family_view(name).model_copy(
            update={"chances": chances.get(name, {}), "reach": searched_lengths(found, name)}
        )
        for name in dict.fromkeys(row.family for row in rows)
    }


def search_notes(every: Sequence[Searched]) -> list[str]:
    """What a reader must know: which series were searched, and where the assumption of a search does not hold."""
    notes = []
    for each in every:
        notes.append(
            f"{each.model} was searched: {each.result.contexts} of {each.result.all_contexts} contexts asked, "
            f"{percent(each.result.share)} of the full grid's input tokens; effective lengths are those of the search."
        )
        for found in each.result.found:
            if found.non_monotone:
                notes.append(
                    f"Check: non-monotone results ({each.model}): {found.label} accuracy rises again, "
                    f"so the search was widened to all lengths; a full run shows where."
                )
            elif not found.known:
                notes.append(
                    f"{each.model}: the effective length of {found.label} is still open "
                    f"({percent(found.certainty)} sure to a factor of 1.5); "
                    "a higher --until, a larger --budget or a full run asks more."
                )
    return notes


def search_figures(every: Sequence[Searched]) -> list[Figure]:
    """The result, the curves and the cells asked; none if nothing was searched."""
    if not every:
        return []
    return [_results(every), *(_curve(each, number) for number, each in enumerate(every)), *map(_cells, every)]


def _results(every: Sequence[Searched]) -> Table:
    rows: list[tuple[str | int | float | None, ...]] = []
    for each in every:
        for found in each.result.found:
            held = found.effective
            low, high = (length_label(end) if end else "none" for end in (held.low, held.high))
            rows.append(
                (
                    each.model,
                    found.label,
                    length_label(held.length) if held.length else "none",
                    low if low == high else f"{low} to {high}",
                    found.certainty,
                    "non-monotone" if found.non_monotone else "known" if found.known else "open",
                    each.result.tokens,
                    each.result.all_tokens,
                    each.result.share,
                    each.cost,
                    each.full_cost,
                )
            )
    heads = (
        *columns("model", "question type", "effective length", "95 % CI"),
        *columns("probability", unit="share"),
        *columns("result"),
        *columns("tokens", "full grid, tokens", unit="count"),
        *columns("share of the grid", unit="share"),
        *columns("US dollars", "full grid, US dollars", unit="number"),
    )
    return Table(id="search", title="Search", note=_RESULT, columns=heads, rows=tuple(rows))


def _curve(each: Searched, number: int) -> Lines:
    axis = each.search.grid.axis or Axis(name="length", title="Length")
    traces = []
    for standing in each.search.standings(each.values):
        dots = [
            Dot(
                x=length,
                y=float(mean),
                low=float(low),
                high=float(high),
                note=f"{asked} answers" if asked else "not asked",
            )
            for length, low, mean, high, asked in zip(
                standing.aim.lengths, *standing.curve.accuracy(), standing.asked, strict=True
            )
        ]
        traces.append(Trace(name=standing.aim.label, dots=tuple(dots), panel=standing.aim.label))
    return Lines(
        id=f"search-curve-{number}",
        title=f"Accuracy as the search sees it: {each.model}",
        note=_CURVE,
        x=axis,
        traces=tuple(traces),
    )


def _cells(each: Searched) -> Table:
    """Rows are depths where there are any; otherwise one row."""
    grid = each.search.grid
    axis = next((axis for axis in grid.family.axes if axis.name == "depth"), None)
    sizes = sorted({unit.size for unit in grid.units})
    cells: dict[tuple[object, float], list[int]] = {}
    for number, unit in enumerate(grid.units):
        depth = dict(unit.axes).get("depth")
        name = value_label(axis, depth) if axis is not None and depth is not None else "all"
        pair = cells.setdefault((name, unit.size), [0, 0])
        pair[0] += number in each.asked
        pair[1] += 1
    names = list(dict.fromkeys(name for name, _ in cells))
    shown = {key: f"{asked} of {every}" if asked else "–" for key, (asked, every) in cells.items()}
    label = grid.axis or Axis(name="length", title="Length")
    return Table(
        id=f"search-cells-{each.search.grid.bench.info.digest[:6]}-{each.model}".replace("/", "-"),
        title=f"Contexts asked: {each.model}",
        note=_CELLS,
        columns=columns(
            axis.title.lower() if axis and len(names) > 1 else "contexts", *(value_label(label, size) for size in sizes)
        ),
        rows=tuple((str(name), *(shown.get((name, size), "") for size in sizes)) for name in names),
    )
