"""A run that reads in steps: each step is sent, kept and resumed like any benchmark, the questions last."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from longreach.core.bench import Bench
from longreach.core.formatting import count
from longreach.core.runs import CallJournal, has_bench, keep_bench, kept_bench
from longreach.core.types import Call, Item, Row
from longreach.errors import BadInput
from longreach.families.readings import STEP, full_item, record_of
from longreach.grading.reading.reply_text import strip_reasoning
from longreach.models.prices import limits_of
from longreach.planning.cost import Speed
from longreach.planning.measure import Measure
from longreach.planning.plan import ModelPlan, Plan, PlanSettings, WayPlan, chosen_items, joined, plan_bench, plan_items
from longreach.results.grading import key_rows
from longreach.ways import Reader, Way
from longreach.ways.steps import StepReply, check_way, part_of, placeholder, read_in_steps

from .logs import collect_calls, journal_file
from .measuring import with_forecasts
from .remaining import unanswered
from .run import run_bench
from .run_settings import RunResult, RunSettings, generation_of

_FAULTS = ("model_length", "cut", "content_filter", "tool_calls")
"""Ends of a request without a text; the question ends the same way."""


def run_way(
    bench: Bench, way: Way, model: str, folder: Path, settings: RunSettings | None = None, **shown: Any
) -> RunResult:
    """Ask a benchmark's questions in steps. With `search`, panel after panel until it is known. `shown` as for
    `run_bench`."""
    settings = settings or RunSettings()
    if not way.steps:
        own = way.bench(bench, shown.get("note") or (lambda _: None))
        record = record_of(own)
        found = run_bench(own, model, folder, settings, **shown)
        return found.model_copy(update={"way": record.label}) if record else found
    items = check_way(bench, way)
    run = _WayRun(part_of(bench, items), way, model, folder, settings, shown)
    return run.searched() if settings.search else run.asked(items)


class WayPlanner:
    """Plans a benchmark on some models, in any way of reading."""

    def __init__(
        self,
        bench: Bench,
        models: Sequence[str],
        settings: PlanSettings,
        *,
        runs: Path | None = None,
        measured: Callable[[str], Speed | None] | None = None,
        note: Callable[[str], None] | None = None,
    ) -> None:
        """`runs`: a folder whose answers need not be sent again."""
        self._bench, self._models, self._settings, self._runs = bench, models, settings, runs
        self._measured, self._note = measured, note or (lambda _: None)
        self._calls = collect_calls(runs) if runs is not None else []
        self._generations = [(model, generation_of(bench, model, settings)) for model in models]

    def first(self, way: Way) -> Plan:
        """The plan of the first way, which others stand beside."""
        if way.steps:
            found = self._stepped(way)
            return Plan(bench=self._bench.info.digest, models=found.models, first=found.line)
        bench = way.bench(self._bench, self._note)
        planned = self._planned(bench)
        if self._settings.search:
            planned = with_forecasts(bench, planned, self._generations, self._calls)
        return planned

    def way(self, way: Way) -> WayPlan:
        """The plan of a further way."""
        if way.steps:
            return self._stepped(way)
        bench = way.bench(self._bench, self._note)
        record = record_of(bench)
        models = tuple(joined([each], f"{each.model}, {way.name}") for each in self._planned(bench).models)
        return WayPlan(way=way.name, line=record.line() if record else way.name, models=models)

    def _planned(self, bench: Bench) -> Plan:
        if self._runs is None:
            return plan_bench(bench, self._models, settings=self._settings, measured=self._measured)
        parts = [self._model(bench, model) for model in self._models]
        return parts[0].model_copy(update={"models": tuple(part.models[0] for part in parts)})

    def _model(self, bench: Bench, model: str) -> Plan:
        """What one model has not answered of a benchmark."""
        generation, repeats = dict(self._generations)[model], self._settings.repeats
        wanted = {item.id for item in chosen_items(bench, self._settings)}
        left = unanswered(bench, model, generation, self._calls, repeats=repeats)
        items = [item for item in left if item.id in wanted]
        return plan_items(bench, items, [model], settings=self._settings, measured=self._measured)

    def _stepped(self, way: Way) -> WayPlan:
        """What a way with steps would send: its replies are taken to be as long as they may be."""
        items, plans, steps = check_way(self._bench, way), list[ModelPlan](), 0
        part = part_of(self._bench, items)
        for model, generation in self._generations:
            done, known = set[str](), dict[str, StepReply]()
            if self._runs is not None:
                done = _answered(part, way, self._runs, generation.series)
                known = step_replies(self._calls, self._runs, generation.series)
            send, made = placeholder(part, known)
            left = [item for name, item in part.items.items() if name not in done]
            reader = Reader(name=model, window=self._settings.window or limits_of(model).window)
            final = read_in_steps(part, way, left, reader, send) if left else None
            benches = [*made, *([final.bench] if final and final.bench else [])]
            parts = [self._model(each, model).models[0] for each in benches]
            nothing = plan_items(part, [], [model], settings=self._settings).models[0]
            steps = max(steps, sum(each.info.items for each in made))
            plans.append(joined(parts or [nothing], f"{model}, {way.name}"))
        line = f"{way.name}: at most {count(steps, 'step')} before {count(len(items), 'question')}"
        return WayPlan(way=way.name, line=line, steps=max(1, steps), models=tuple(plans))


def step_replies(calls: Iterable[Call], folder: Path, series: str) -> dict[str, StepReply]:
    """What is known of a model's steps, by the digest of their prompt."""
    found: dict[str, StepReply] = {}
    for call in calls:
        if call.family == STEP and call.model == series and not call.error and has_bench(folder, call.bench):
            item = kept_bench(folder, call.bench).items.get(call.item)
            text = strip_reasoning(call.text).strip()
            stop = call.stop if call.stop in _FAULTS else ""
            if item is not None and stop != "cut":
                found[item.sha256] = StepReply(text, stop)
    return found


def _last_steps(bench: Bench, way: Way, folder: Path, series: str) -> list[tuple[Bench, list[Call]]]:
    """The benchmarks of a way's last step in a folder, with one model's calls."""
    found: dict[str, list[Call]] = {}
    for call in collect_calls(folder):
        if call.model == series and call.family == bench.info.family and not call.error:
            found.setdefault(call.bench, []).append(call)
    kept = [(kept_bench(folder, digest), calls) for digest, calls in found.items() if has_bench(folder, digest)]
    about = {digest: record_of(each) for each, _ in kept if (digest := each.info.digest)}
    wanted = (way.name, bench.info.digest, 0)
    return [
        (each, calls)
        for each, calls in kept
        if (record := about[each.info.digest]) and (record.way, record.of, record.step) == wanted
    ]


def _answered(bench: Bench, way: Way, folder: Path, series: str) -> set[str]:
    """Items of a benchmark with all of their questions answered in a way."""
    done = {
        (full_item(call.item), question)
        for own, calls in _last_steps(bench, way, folder, series)
        for call in calls
        if call.stop != "cut" and call.item in own.items
        for question in own.items[call.item].questions
    }
    return {name for name, item in bench.items.items() if all((name, one) in done for one in item.questions)}


class _WayRun:
    """One model that reads in one way."""

    def __init__(
        self, bench: Bench, way: Way, model: str, folder: Path, settings: RunSettings, shown: dict[str, Any]
    ) -> None:
        self.bench, self.way, self.model, self.folder = bench, way, model, folder
        self.settings, self.shown = settings, shown
        self.series = generation_of(bench, model, settings).series
        self.reader = Reader(name=model, window=limits_of(model).window)
        self._results: list[RunResult] = []
        self._steps: list[RunResult] = []
        self._failed = 0
        self._checked = 0
        """Tokens of the longest prompt that a preflight has seen arrive."""

    def asked(self, items: Collection[str]) -> RunResult:
        """Ask some items, those that have an answer left out."""
        done = self.answers()
        left = [self.bench.items[name] for name in self.bench.items if name in items and name not in done]
        self._ask(left)
        return self._result(len(done))

    def searched(self) -> RunResult:
        """Ask panel after panel until more is not needed, or not possible."""
        measure, tried = Measure(self.bench, all_lengths=self.settings.all_lengths), set[str]()
        before = len(self.answers())
        while True:
            rows, done = self._rows(), set(self.answers())
            measure.read(rows, {name for name in self.bench.items if name not in done and name not in tried})
            chosen = [name for name in measure.next_items() if name not in done and name not in tried]
            if not chosen:
                return self._result(before)
            tried |= set(chosen)
            self._ask([self.bench.items[name] for name in chosen])

    def _ask(self, items: Collection[Item]) -> None:
        if not items:
            return
        final = read_in_steps(self.bench, self.way, items, self.reader, self._send)
        self._failed += final.failed
        if final.bench is None:
            return
        if final.stopped:
            self._keep_stopped(final.bench, final.stopped)
        self._results.append(self._run(final.bench, self.settings))

    def _send(self, items: Mapping[str, Item], make: Callable[[Collection[str]], Bench]) -> Mapping[str, StepReply]:
        """Send the requests of one step that have no reply yet."""
        known = self.known()
        if missing := [digest for digest in items if digest not in known]:
            made = make(missing)
            self._note(f"{self.way.name}: {len(missing)} of {len(items)} requests of step {_step(made)} are to be sent")
            own = {"max_tokens": None, "repeats": 1}
            self._steps.append(self._run(made, self.settings.model_copy(update=own)))
            known = self.known() | self._lost(made)
        return {digest: known.get(digest, StepReply("", "error")) for digest in items}

    def _run(self, bench: Bench, settings: RunSettings) -> RunResult:
        longest = max(item.tokens for item in bench.items.values())
        preflight = settings.preflight and longest > 1.03 * self._checked
        self._checked = max(self._checked, longest)
        own = settings.model_copy(update={"search": False, "preflight": preflight})
        return run_bench(bench, self.model, self.folder, own, **self.shown)

    def known(self) -> dict[str, StepReply]:
        return step_replies(collect_calls(self.folder), self.folder, self.series)

    def _lost(self, made: Bench) -> dict[str, StepReply]:
        """Requests whose prompt the server cut: their questions are cut too."""
        own = [call for call in collect_calls(self.folder) if call.bench == made.info.digest]
        return {made.items[call.item].sha256: StepReply("", "cut") for call in own if call.stop == "cut"}

    def _keep_stopped(self, final: Bench, stopped: Mapping[str, str]) -> None:
        """Record questions that are not sent, with what became of their steps."""
        keep_bench(final, self.folder)
        about: dict[str, Any] = {"model": self.series, "family": final.info.family, "bench": final.info.digest}
        journal = CallJournal(journal_file(self.folder))
        try:
            for item, stop in stopped.items():
                journal.keep(Call(**about, item=item, text="", stop=stop, ended=round(time.time(), 3)))
        finally:
            journal.close()

    def answers(self) -> set[str]:
        """Items with all of their questions answered."""
        return _answered(self.bench, self.way, self.folder, self.series)

    def _rows(self) -> list[Row]:
        """The answers as if they were to the whole text, for measuring."""
        digest = self.bench.info.digest
        return [
            row.model_copy(update={"bench": digest, "item": full_item(row.item)})
            for bench, calls in _last_steps(self.bench, self.way, self.folder, self.series)
            for row in key_rows(bench, calls)
        ]

    def _note(self, line: str) -> None:
        if (note := self.shown.get("note")) is not None:
            note(line)

    def _result(self, had: int) -> RunResult:
        """One result of all rounds."""
        every = [*self._steps, *self._results]
        faults: dict[str, int] = {}
        for each in every:
            for name, number in each.faults.items():
                faults[name] = faults.get(name, 0) + number
        return RunResult(
            model=self.series,
            way=self.way.name,
            asked=sum(len(item.questions) for item in self.bench.items.values()),
            had=had,
            sent=sum(each.sent for each in self._results),
            steps=sum(each.sent for each in self._steps),
            failed=sum(each.failed for each in every),
            error=next((each.error for each in every if each.error), ""),
            faults=faults,
            cut=sum(each.cut for each in every),
            silent=next((each.silent for each in self._results if each.silent), ""),
            statements=tuple({said.text: said for each in every for said in each.statements}.values()),
        )


def _step(bench: Bench) -> int:
    record = record_of(bench)
    if record is None:
        raise BadInput(f"{bench.folder} is no step of a way of reading; remove it")
    return record.step
