"""A run that searches: round after round of whole contexts, each chosen from the answers in the folder."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from longreach.core.bench import Bench
from longreach.core.settings import GenerationSettings
from longreach.core.types import Call
from longreach.errors import Stopped
from longreach.planning.plan import Plan, PlanSettings, with_forecast
from longreach.planning.search.choice import UNTIL, Search, SearchResult, search_result
from longreach.planning.search.grid import SearchGrid
from longreach.results.grading import key_rows
from longreach.stats.intervals import Floats

from .logs import collect_calls
from .remaining import unanswered
from .run_settings import RunResult, RunSettings, generation_of


class SearchState:
    """A search with the answers that there are."""

    def __init__(self, search: Search) -> None:
        self.search = search
        self.values: Floats = search.grid.values(())
        self.begun: set[int] = set()
        self.done: set[int] = set()

    def read(self, calls: Iterable[Call], left: Collection[str]) -> None:
        """Take in all answers so far; `left` are the items that are still to be asked."""
        grid = self.search.grid
        good = [call for call in calls if not call.error and call.item in grid.unit_of]
        self.values = grid.values(key_rows(grid.bench, good))
        self.begun = {grid.unit_of[call.item] for call in good}
        self.done = {number for number, unit in enumerate(grid.units) if not set(unit.items) & set(left)}

    def next_items(self) -> list[str]:
        """The items of the next round, answered ones included; empty if the search is over."""
        batch = self.search.next_round(self.values, self.begun, self.done)
        return [item for unit in batch for item in self.search.grid.units[unit].items]

    def result(self) -> SearchResult:
        """What the answers say so far."""
        return search_result(self.search, self.values, self.begun)


def run_search(
    bench: Bench, model: str, folder: Path, settings: RunSettings, send: Callable[[Collection[str]], RunResult]
) -> RunResult:
    """Search until the effective lengths are known, more answers are not worth their tokens, or the budget is spent.
    `send` sends those of some items that have no answer."""
    generation = generation_of(bench, model, settings)
    state = SearchState(Search(SearchGrid(bench), until=settings.until or UNTIL))
    asked, failed = set[str](), set[str]()
    results: list[RunResult] = []
    while True:
        calls = [
            call
            for call in collect_calls(folder)
            if call.model == generation.series and call.bench == bench.info.digest
        ]
        open_ = {item.id for item in unanswered(bench, model, generation, calls)}
        failed |= open_ & asked
        state.read(calls, open_ - failed)
        if not (asked := set(state.next_items()) - failed):
            break
        try:
            results.append(send(asked))
        except Stopped as error:
            raise Stopped(f"{error}{_so_far(state, folder)}") from None
        if results[-1].failed == results[-1].sent > 0:
            break  # a round without any answer: the next one would fare no better
    return _whole(bench, generation.series, results, state)


def _so_far(state: SearchState, folder: Path) -> str:
    """What was known before the round that was stopped."""
    if not state.begun:
        return ""
    found = "; ".join(found.line() for found in state.result().found)
    return f" (known so far: {found}; the answers are in {folder})"


def _whole(bench: Bench, series: str, results: Sequence[RunResult], state: SearchState) -> RunResult:
    """One result of all rounds."""
    sent = sum(each.sent for each in results)
    failed = sum(each.failed for each in results)
    units = state.search.grid.units
    faults: dict[str, int] = {}
    for each in results:
        for name, count in each.faults.items():
            faults[name] = faults.get(name, 0) + count
    return RunResult(
        model=series,
        asked=len(bench.items),
        had=results[0].had if results else sum(len(units[number].items) for number in state.begun & state.done),
        sent=sent,
        failed=failed,
        error=next((each.error for each in results if each.error), ""),
        faults=faults,
        search=state.result(),
    )


def with_forecasts(
    bench: Bench,
    planned: Plan,
    generations: Sequence[tuple[str, GenerationSettings]],
    calls: Sequence[Call],
    settings: PlanSettings,
) -> Plan:
    """The plan, with what a search would take for each model."""
    state = SearchState(Search(SearchGrid(bench), until=settings.until or UNTIL))
    parts = []
    for (model, generation), part in zip(generations, planned.models, strict=True):
        own = [call for call in calls if call.model == generation.series and call.bench == bench.info.digest]
        state.read(own, {item.id for item in unanswered(bench, model, generation, own)})
        parts.append(with_forecast(part, state.search, state.values, state.begun | state.done, settings))
    return planned.model_copy(update={"models": tuple(parts)})
