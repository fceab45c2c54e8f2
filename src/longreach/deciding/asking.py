"""`decide`: facts planted in the user's own text, every model and way asked until it is known, one answer."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any

from longreach.core.bench import Bench
from longreach.core.files import write_whole
from longreach.core.formatting import count, format_dollars, format_tokens, length_label
from longreach.core.preflight import cut_at, last_preflights, preflight_statements
from longreach.core.runs import kept_bench
from longreach.core.settings import model_name, setting
from longreach.core.types import Call, Frozen, Row, canonical_json
from longreach.errors import BadInput, ModelFailed, Stopped, TooShort, one_line
from longreach.families import STEP
from longreach.families.building import check_same_settings, make_spec
from longreach.families.panels import BenchPanels
from longreach.models.addresses import ModelAddress, read_model, read_models
from longreach.models.reachable import check_reachable
from longreach.planning.measure import Measure
from longreach.results.decisions import WHOLE, way_of
from longreach.stats.paired import SETTINGS_MARGIN
from longreach.ways import Way, WayOptions, read_ways

from .baseline import AgainstBaseline, Comparing, Panels, ask_in_looks, check_baseline, held_against, not_held
from .own_questions import (
    answered_without_text,
    build_own,
    current_own,
    how_sure,
    is_own,
    own_notes,
    own_scores,
    own_watch,
)
from .result import DecideResult, conclude, conclude_settings, narrower
from .rows import MADE_UP, DecideRow, Spent, decide_rows, with_windows
from .trials import Trial, fitting, short_window, some_contexts, step_calls, way_bench

__all__ = ["DecideSettings", "Trial", "decide_models", "forecast_lines", "prepare"]

_ROOMY = 1500
"""Tokens of the shortest text in which ten facts are not most of it."""


class DecideSettings(Frozen):
    """What a decision may be told."""

    at: str = setting("32k", "Tokens of text that the models shall read: 60k.", form="TOKENS")
    ways: str = setting("whole,passages:10", "How the text reaches the models.", form="WAY,...")
    condense_prompt: str | None = setting(None, "Your own prompt for the way condense.", form="FILE", hidden=True)
    budget: str | None = setting(None, "Most that it may cost in all: 20usd or 20Mtok.", form="AMOUNT")
    baseline: str | None = setting(
        None,
        "Servers of the same weights: the label of the one that the others are held against, length by length.",
        form="LABEL",
    )
    margin: float = setting(
        SETTINGS_MARGIN, "With a baseline: a loss of so many points is not safe.", flag=None, gt=0, lt=100
    )
    questions: str | None = setting(
        None, "Your own questions: CSV, JSONL or XLSX with question, answer, ...", form="FILE"
    )
    judge: str | None = setting(None, "A model that grades answers in free text.", form="MODEL")
    retriever: str = setting("auto", "What finds the passages: auto, bm25, ngrams, openai:MODEL.", flag=None)
    family: str = setting("needles", "What is asked: needles plants facts in your text.", form="NAME", flag=None)
    set: dict[str, Any] = setting({}, "A setting of longreach build. May repeat.", flag="--set", form="KEY=VALUE")
    seed: int = setting(1, "Chooses texts and facts.", flag=None, ge=0)
    arguments: dict[str, Any] = setting({}, "Passed to the provider as is. May repeat.", flag="-M", form="KEY=VALUE")


Note = Callable[[str], None]


def prepare(
    docs: Sequence[str], models: Sequence[str | ModelAddress], out: Path, settings: DecideSettings, note: Note
) -> tuple[list[Trial], Bench, int]:
    """Everything before the first request: models that can be reached, the benchmark, and what each way sends."""
    from longreach import api
    from longreach.core.formatting import parse_tokens

    addresses = read_models(models)
    ways = _ways(settings)
    try:
        at = parse_tokens(settings.at)
    except ValueError as error:
        raise BadInput(f"--at {settings.at}: {error}") from None
    check_reachable([*addresses, *([read_model(settings.judge)] if settings.judge else [])])
    folder = out / "bench"
    own: Bench | None = None
    if settings.questions:
        about: dict[str, Any] = {"model": addresses[0].model, "seed": settings.seed, "note": note}
        with _offering(at):
            own = build_own(settings.questions, docs, at, out / "questions", **about)
    given = _build_settings(docs, at, settings)
    if folder.exists():
        bench = api.open_bench(folder)
        # Its tokenizer is that of the model that was named first when it was built.
        kept = {"tokenizer": bench.spec.get("tokenizer")} | given
        check_same_settings(bench, make_spec(settings.family, kept, "decide"))
    else:
        with _offering(at):
            bench = api.build(settings.family, folder, model=addresses[0].model, warn=note, settings=given)
    longest = max((max(found) for found in BenchPanels(bench).by_length.values()), default=at)
    made = {way.name: way_bench(bench, way, some_contexts(bench, longest), note) for way in ways}
    asked = {} if own is None else {way.name: way_bench(own, way, frozenset(own.items), note) for way in ways}
    trials = [
        found
        for address in addresses
        for way in ways
        if (found := _trial(address, way, made[way.name], asked.get(way.name), longest)) is not None
    ]
    if settings.baseline:
        check_baseline(trials, settings.baseline)
    if settings.budget is not None and not (out / "runs").exists():
        check_budget(settings.budget, trials)
    return trials, bench, longest


def _ways(settings: DecideSettings) -> list[Way]:
    """The ways that are asked for; with a baseline, whole texts alone where none are."""
    # The command line gives the default as if it had been typed.
    usual = settings.ways == DecideSettings.model_fields["ways"].default
    typed = WHOLE if settings.baseline and usual else settings.ways
    options = WayOptions(retriever=settings.retriever, condense_prompt=settings.condense_prompt)
    return read_ways(typed.split(","), options)


def _build_settings(docs: Sequence[str], at: int, settings: DecideSettings) -> dict[str, Any]:
    lengths = sorted({max(250, at // part) for part in (4, 2, 1)})
    given: dict[str, Any] = {"lengths": ",".join(map(str, lengths)), "seed": settings.seed}
    given |= {"docs": list(docs)} if docs else {}
    if settings.family == "needles":
        given = {"ask": "each", "prompts": "standard"} | given
        given |= {} if lengths[0] >= _ROOMY else {"facts": 4}
    return given | settings.set


def _trial(address: ModelAddress, way: Way, bench: Bench, own: Bench | None, at: int) -> Trial | None:
    """What a model is asked in a way: of whole texts, those that fit its window; None if none does."""
    window = short_window(address, at) if way.name == WHOLE else None
    if window is None:
        return Trial(address, way, bench, own)
    part = fitting(bench, window)
    return None if part is None else Trial(address, way, part)


def _windows(models: Sequence[str | ModelAddress], at: int) -> dict[str, int]:
    """By label, the windows that are shorter than the length."""
    found = {address.label: short_window(address, at) for address in read_models(models)}
    return {label: window for label, window in found.items() if window is not None}


@contextlib.contextmanager
def _offering(at: int) -> Iterator[None]:
    """Say how much text there is where it is too little, and offer a length."""
    try:
        yield
    except TooShort as error:
        room = int(0.95 * error.available)
        offer = max(250, room // 1000 * 1000 if room >= 2000 else room // 50 * 50)
        raise BadInput(
            f"--at {length_label(at)}: the documents have {format_tokens(error.available)} tokens; "
            + (f"ask --at {length_label(offer)}, or add documents" if room >= 250 else "add documents")
        ) from None


def check_budget(text: str, trials: Sequence[Trial]) -> None:
    """Refuse a budget that buys no model the fewest contexts that can show anything, and name the least that does."""
    from longreach.runner.budget import Budget

    budget = Budget.read(text)
    prices = [each.price for each in trials]
    needed = [Measure(each.bench).least for each in trials]
    if budget.tokens is not None:
        least, given, unit = float(min(needed)), float(budget.tokens), "tok"
    else:
        costs = [price.cost(tokens, 0, 0) for price, tokens in zip(prices, needed, strict=True) if price is not None]
        least, given, unit = min(costs, default=0.0), budget.usd or 0.0, "usd"
    if given < least:
        offer = f"{format_tokens(math.ceil(least))}tok" if unit == "tok" else f"{math.ceil(100 * least) / 100:g}usd"
        raise BadInput(f"--budget {text} is too small to tell anything of any model; the least that does: {offer}")


def forecast_lines(trials: Sequence[Trial], settings: DecideSettings) -> list[str]:
    """One screen before sending: models, addresses, prices, the expected and the largest cost."""
    lines = [f"{'model':<28} {'way':<12} {'expected':>10} {'at most':>10}  cost"]
    total = 0.0
    for trial in trials:
        found = trial.expected()
        price = trial.price
        cost = price.cost(round(found.median), 0, 0) if price else None
        most = price.cost(round(found.most), 0, 0) if price else None
        total += most or 0.0
        unpriced = "your own server" if trial.is_free else "unknown price"
        money = unpriced if cost is None or most is None else f"{format_dollars(cost)} to {format_dollars(most)}"
        lines.append(
            f"{trial.address.label[:28]:<28} {trial.way.name:<12} {format_tokens(found.median):>10} "
            f"{format_tokens(found.most):>10}  {money}"
        )
    if own := next((trial.own for trial in trials if trial.own is not None), None):
        lines += own_notes(own, len(trials), settings.judge)
    lines.append(f"at most {format_dollars(total)} in all" + (f", budget {settings.budget}" if settings.budget else ""))
    return lines


def decide_models(
    docs: Sequence[str],
    models: Sequence[str | ModelAddress],
    out: Path,
    settings: DecideSettings,
    *,
    note: Note = lambda _: None,
    agree: Callable[[Sequence[Trial]], None] = lambda _: None,
    progress: Callable[[str], Any] | None = None,
    **screen: Any,
) -> DecideResult:
    """Ask every model, in every way, until it is known whether it is good enough at the length; the same call resumes.
    `agree` sees what will be asked before anything is sent and may raise `Stopped`; `progress` opens a line; `screen`
    are members of the result that only its screen has."""
    from longreach import api

    begun = time.monotonic()
    trials, bench, at = prepare(docs, models, out, settings, note)
    agree(trials)
    runs, page = out / "runs", out / "page.html"
    stopped = _ask(trials, runs, settings, note, progress)
    if settings.judge and not stopped:
        api.grade(runs, judge=settings.judge, progress=note)
    windows = _windows(models, at)
    result = concluded(
        *(runs, bench, at, docs),
        trials=trials,
        stopped=stopped,
        windows=windows,
        baseline=settings.baseline or "",
        margin=settings.margin,
    )
    result = result.model_copy(update={"seconds": time.monotonic() - begun, "page": str(page)} | screen)
    write_whole(out / "decide.json", canonical_json(result.data()) + "\n")
    chosen = result.recommendation.model if result.recommendation else ""
    api.report(runs, page, at=at, title=result.about, opening=result.lines(), wrong_first=chosen)
    return result


def _ask(
    trials: Sequence[Trial], runs: Path, settings: DecideSettings, note: Note, progress: Callable[[str], Any] | None
) -> str:
    """Ask each model in each way; what stopped it early, if anything did. A model that fails stops itself alone."""
    from longreach import api

    def send(trial: Trial, bench: Bench, name: str, search: Mapping[str, Any] = MappingProxyType({})) -> str:
        """Ask a benchmark; why its model failed, if it did. What stops everything is raised."""
        line = progress(name) if progress else None
        shown: dict[str, Any] = {} if line is None else {"start": line.start, "progress": line.call}
        how: dict[str, Any] = {
            "budget": _budget(trial, settings),
            "arguments": settings.arguments,
            "note": note,
        } | shown
        how |= trial.settings(settings.condense_prompt)
        try:
            with line or contextlib.nullcontext():
                api.run(bench, trial.address, runs, **how, **search)
        except ModelFailed as error:
            note(str(error))
            return str(error)
        except BaseExceptionGroup as group:  # raised where requests run in a task group
            if (early := group.subgroup(Stopped)) is None:
                raise
            raise Stopped(str(_first(early))) from None
        return ""

    stopped = ""
    try:
        if settings.baseline:
            stopped = ask_in_looks(trials, runs, settings.baseline, settings.margin, send)
        for trial in trials:
            search = {"search": True, "all_lengths": True}
            failed = "" if settings.baseline else send(trial, trial.bench, trial.name, search)
            if trial.own is not None and not failed:
                failed = send(trial, trial.own, trial.name)
            stopped = failed or stopped
    except Stopped as error:
        return str(error)
    return stopped


def _budget(trial: Trial, settings: DecideSettings) -> str | None:
    """The budget of one model: money does not limit a server of the user's own that has no price."""
    from longreach.runner.budget import Budget

    if settings.budget is None or not trial.is_free or Budget.read(settings.budget).usd is None:
        return settings.budget
    return None


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error


def concluded(
    runs: Path,
    bench: Bench,
    at: int,
    docs: Sequence[str],
    *,
    trials: Sequence[Trial] = (),
    stopped: str = "",
    windows: Mapping[str, int] | None = None,
    baseline: str = "",
    margin: float = SETTINGS_MARGIN,
) -> DecideResult:
    """The answer from a folder of runs as it is now. `trials` are those that shall have answers; `windows` has those of
    models that are shorter than the length. With a `baseline`, the others are held against it."""
    answered = _Answered.read(runs, stopped)
    found, cuts = _decide_rows(runs, bench, answered, at)
    found += [row for row in _not_asked(trials, answered.rows, found) if row.model not in cuts]
    found = with_windows(found, windows or {}, at)
    if baseline:
        found = _held(found, answered.rows, answered.planted, bench, baseline, margin)
    reserve = "More contexts of the same kind would settle it: a larger --budget and the same command."
    settle = conclude_settings if baseline else conclude
    verdict, text, recommendation = settle(found, at=at, reserve=reserve)
    first = next((row for row in found if recommendation and (row.model, row.way) == recommendation.chosen), None)
    watch = _watch_out(runs, bench, found, answered.calls)
    watch += own_watch(next(iter(answered.own_benches.values()), None), first.own if first else None)
    watch += filter(None, [answered_without_text(answered.own_rows, answered.benches)])
    return DecideResult(
        at=at,
        about=_about(bench, at, docs),
        verdict=verdict,
        text=text,
        recommendation=recommendation,
        rows=tuple(found),
        open=(*_still_open(found, at), *([stopped] if stopped else [])),
        how_sure=_how_sure(found, first, baseline),
        watch_out=tuple(watch),
        spent=_spent(answered.calls),
        seconds=0.0,
        stopped=stopped,
    )


@dataclass(frozen=True)
class _Answered:
    """What a folder of runs has: about planted facts, and about the user's own questions."""

    calls: list[Call]
    planted: list[Call]
    rows: list[Row]
    own_rows: list[Row]
    benches: Mapping[str, Bench]
    own_benches: Mapping[str, Bench]

    @classmethod
    def read(cls, runs: Path, stopped: str) -> _Answered:
        from longreach.core.runs import shown_calls
        from longreach.results.grading import grade_runs
        from longreach.runner.logs import collect_calls

        calls: list[Call] = shown_calls(runs, collect_calls(runs))
        if not calls:
            if stopped:
                raise Stopped(f"nothing was answered: {stopped}")
            raise BadInput(f"{runs} has no answers; nothing can be concluded")
        rows: list[Row] = grade_runs(runs, [call for call in calls if call.family != STEP])
        benches = {digest: kept_bench(runs, digest) for digest in {row.bench for row in rows}}
        of_user = {digest for digest, each in benches.items() if is_own(each)}
        own_benches = current_own(runs, benches)
        return cls(
            calls,
            [call for call in calls if call.bench not in of_user],
            [row for row in rows if row.bench not in of_user],
            [row for row in rows if row.bench in own_benches],
            benches,
            own_benches,
        )


def _decide_rows(runs: Path, bench: Bench, answered: _Answered, at: int) -> tuple[list[DecideRow], dict[str, int]]:
    """The rows with the scores of the user's questions, and the limits of models whose server cuts."""
    models = list(dict.fromkeys(row.model for row in answered.rows))
    cuts = {model: limit for model in models if (limit := cut_at(runs, model, bench.info.digest)) is not None}
    scores = own_scores(answered.own_rows, answered.benches)
    steps = step_calls(runs, answered.calls)
    found = decide_rows(answered.rows, answered.planted, answered.benches, at=at, cuts=cuts, steps=steps)
    return [row.model_copy(update={"own": scores.get((row.model, row.way))}) for row in found], cuts


def _how_sure(found: Sequence[DecideRow], first: DecideRow | None, baseline: str) -> tuple[str, ...]:
    more = "" if baseline else narrower(found)
    own = how_sure(first.own) if first else ""
    return tuple(text for text in (_asked_in_all(found), more, own) if text)


def _asked_in_all(rows: Sequence[DecideRow]) -> str:
    contexts = sum(each.contexts for row in rows for each in row.by_length)
    questions = sum(each.right.of for row in rows for each in row.by_length if each.right)
    return f"{count(contexts, 'context')}, {count(questions, 'question')}; facts planted in this text"


def _spent(calls: Sequence[Call]) -> Spent:
    costs = [call.cost for call in calls]
    known = [cost for cost in costs if cost is not None]
    return Spent(
        requests=len(calls),
        tokens=sum(call.tokens_in + call.tokens_out for call in calls),
        usd=sum(known) if known else None,
    )


def _held(
    found: Sequence[DecideRow], rows: Sequence[Row], calls: Sequence[Call], bench: Bench, label: str, margin: float
) -> list[DecideRow]:
    """The rows, each with how it stands against the baseline."""
    others = {model_name(row.model) for row in found} - {label}
    comparing = Comparing(len(Panels(bench).by_length), max(1, len(others)), margin)
    held = held_against(rows, calls, bench, label, comparing)

    def stands(row: DecideRow) -> AgainstBaseline | None:
        if model_name(row.model) == label:
            return None
        if row.verdict == "broken":
            return not_held(label, broken=True)
        return held.get(row.model) or not_held(label)

    return [row.model_copy(update={"baseline": stands(row)}) for row in found]


def _about(bench: Bench, at: int, docs: Sequence[str]) -> str:
    """'contracts/: 41 documents, 512k tokens; at 60k tokens'."""
    where = ", ".join(docs) or "built-in text"
    try:
        info = bench.corpus.info
    except BadInput:  # a copy without its text
        return f"{where}: at {length_label(at)} tokens"
    size = format_tokens(info.tokens)
    return f"{where}: {count(len(info.documents), 'document')}, {size} tokens; at {length_label(at)} tokens"


def _not_asked(trials: Sequence[Trial], rows: Sequence[Row], found: Sequence[DecideRow]) -> list[DecideRow]:
    """A row for each model and way without one whole panel of answers: it is open."""
    shown = {(row.model, row.way) for row in found}
    has_row = {(row.bench, row.model) for row in rows if (row.model, way_of(row)) in shown}

    def asked(trial: Trial) -> bool:
        models = [model for bench, model in has_row if bench == trial.bench.info.digest]
        return any(model.startswith(trial.address.label) for model in models)

    return [
        DecideRow(model=trial.address.label, way=trial.way.name, verdict="open") for trial in trials if not asked(trial)
    ]


def _still_open(rows: Sequence[DecideRow], at: int) -> list[str]:
    if any(row.baseline for row in rows):
        return [f"{row.model}: {row.baseline.text}" for row in rows if row.baseline and row.baseline.outcome == "open"]

    def state(row: DecideRow) -> str:
        if row.right is None:
            return "too little was asked"
        return f"{100 * row.right.low:.0f} to {100 * row.right.high:.0f} of 100 at {length_label(at)}"

    return [f"{row.model} ({row.way}): {state(row)}" for row in rows if row.verdict == "open"]


def _watch_out(runs: Path, bench: Bench, rows: Sequence[DecideRow], calls: Sequence[Call]) -> list[str]:
    """What may make the numbers mean something else: cut prompts, failed requests."""
    found = [
        f"{model}: {said.text}"
        for (model, digest), check in last_preflights(runs).items()
        if digest == bench.info.digest
        for said in preflight_statements(check, model)
    ]
    found += [f"{row.model}: {100 * row.cut:.0f} of 100 prompts were cut" for row in rows if row.cut]
    found += [f"{row.model} ({row.way}) sees only {row.sees_only}: cut, or never read" for row in rows if row.sees_only]
    found += [
        f"{row.model} ({row.way}) answers what is not there in 1 of {round(1 / row.made_up)}"
        for row in rows
        if row.verdict == "holds" and row.made_up is not None and row.made_up >= MADE_UP
    ]
    errors = [call.error for call in calls if call.error]
    return found + ([f"{count(len(errors), 'request')} failed: {one_line(errors[0], 100)}"] if errors else [])
