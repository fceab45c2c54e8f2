"""A run that measures: whole panels of contexts, each chosen from the answers in the folder, until the length up to
which the model holds the bar is known."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import Path

from longreach.core.bench import Bench
from longreach.core.settings import GenerationSettings
from longreach.core.types import Call
from longreach.errors import Stopped
from longreach.planning.measure import Measure
from longreach.planning.plan import Forecast, Plan
from longreach.results.decisions import decisions_of
from longreach.results.grading import key_rows

from .logs import collect_calls
from .remaining import unanswered
from .run_settings import Measured, RunResult, RunSettings, generation_of


class MeasureState:
    """A measurement with the answers that there are."""

    def __init__(self, bench: Bench, *, all_lengths: bool = False) -> None:
        self.bench = bench
        self.measure = Measure(bench, all_lengths=all_lengths)
        self._calls: list[Call] = []

    def read(self, calls: Iterable[Call], left: Collection[str]) -> None:
        """Take in all answers so far; `left` are the items that are still to be asked."""
        self._calls = [call for call in calls if not call.error and call.item in self.bench.items]
        self.measure.read(key_rows(self.bench, self._calls), left)

    def next_items(self) -> list[str]:
        """The items to ask next, answered ones included; empty if the measurement is over."""
        return self.measure.next_items()

    def result(self) -> Measured:
        """What the answers say so far."""
        rows = key_rows(self.bench, self._calls)
        every = [unit for lengths in self.measure.panels.by_length.values() for own in lengths.values() for unit in own]
        return Measured(
            decisions=tuple(decisions_of(rows, {self.bench.info.digest: self.bench})),
            contexts=sum(len(unit.contexts) for unit in self.measure.begun),
            all_contexts=sum(len(unit.contexts) for unit in every),
            tokens=self.measure.tokens,
            all_tokens=self.measure.all_tokens,
        )


def run_measure(
    bench: Bench, model: str, folder: Path, settings: RunSettings, send: Callable[[Collection[str]], RunResult]
) -> RunResult:
    """Ask panel after panel until it is known up to which length the model holds, until more is not worth its tokens,
    or the budget is spent. `send` sends those of some items that have no answer."""
    generation = generation_of(bench, model, settings)
    state = MeasureState(bench, all_lengths=settings.all_lengths)
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
            raise type(error)(f"{error}{_so_far(state, folder)}") from None
        if results[-1].failed == results[-1].sent > 0:
            break  # a round without any answer: the next one would fare no better
    return _whole(bench, generation.series, results, state)


def _so_far(state: MeasureState, folder: Path) -> str:
    """What was known before the round that was stopped."""
    if not state.measure.begun:
        return ""
    found = " ".join(state.result().lines()[:-1])
    return f" (known so far: {found} The answers are in {folder})" if found else ""


def _whole(bench: Bench, series: str, results: Sequence[RunResult], state: MeasureState) -> RunResult:
    """One result of all rounds."""
    faults: dict[str, int] = {}
    for each in results:
        for name, count in each.faults.items():
            faults[name] = faults.get(name, 0) + count
    begun = sum(len(unit.items) for unit in state.measure.begun)
    return RunResult(
        model=series,
        asked=len(bench.items),
        had=results[0].had if results else begun,
        sent=sum(each.sent for each in results),
        failed=sum(each.failed for each in results),
        error=next((each.error for each in results if each.error), ""),
        faults=faults,
        measured=state.result(),
    )


def with_forecasts(
    bench: Bench, planned: Plan, generations: Sequence[tuple[str, GenerationSettings]], calls: Sequence[Call]
) -> Plan:
    """The plan, with what a measurement would take for each model."""
    state = MeasureState(bench)
    parts = []
    for (model, generation), part in zip(generations, planned.models, strict=True):
        own = [call for call in calls if call.model == generation.series and call.bench == bench.info.digest]
        state.read(own, {item.id for item in unanswered(bench, model, generation, own)})
        found = state.measure.expected()
        forecast = Forecast(
            expected_tokens=round(found.median), largest_tokens=round(found.most), full_tokens=state.measure.all_tokens
        )
        parts.append(part.model_copy(update={"forecast": forecast}))
    return planned.model_copy(update={"models": tuple(parts)})
