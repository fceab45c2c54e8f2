"""Verbs that bring answers into a folder of runs, and say before what that takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack, overload

from longreach.errors import BadInput

from .bench_verbs import open_bench
from .graded_folders import Where, length_in_tokens, names_given

if TYPE_CHECKING:
    from longreach.core.bench import Bench
    from longreach.core.settings import ReadingSettings
    from longreach.core.types import Item
    from longreach.exchange.importing import Imported
    from longreach.exchange.simulate import Simulated
    from longreach.models.addresses import ModelAddress
    from longreach.options import PlanOptions, RunOptions, SimulateOptions
    from longreach.planning.cost import Speed
    from longreach.planning.plan import Plan
    from longreach.runner.probe import ProbeResult
    from longreach.runner.run_settings import RunResult
    from longreach.ways import Way


def plan(
    bench: Bench | Where,
    models: str | Sequence[str] = "embedded",
    *,
    runs: Where | None = None,
    measure: bool = True,
    progress: Callable[[str], None] | None = None,
    **settings: Unpack[PlanOptions],
) -> Plan:
    """What a run on one model or several would send and cost; with a folder of runs, only what has no answer there yet.
    A local model's speed is measured unless it is given, or `measure` is off because it runs elsewhere. With `search`,
    also what asking only what is open is expected to take; with several `ways`, also the same questions in each of
    them."""
    from longreach.models.addresses import read_models
    from longreach.models.engine import name_with_adapter
    from longreach.planning.answer_caps import asks_reasoning
    from longreach.planning.plan import PlanSettings
    from longreach.runner.run_settings import generation_of
    from longreach.runner.ways import WayPlanner

    opened, how = open_bench(bench), PlanSettings.parse(settings, "plan")
    addresses = read_models(names_given(models, "a model"))
    models = [name_with_adapter(each.model, how.arguments) for each in addresses]
    listed = {each.model: each.entry.price for each in addresses if each.entry and each.entry.price}
    if listed and not isinstance(how.price, str):
        how = how.model_copy(update={"price": listed | (how.price or {})})
    speed = partial(_speed, arguments=how.arguments) if measure else None
    asked = generation_of(opened, models[0], how)
    if how.reasoning is None:
        how = how.model_copy(update={"reasoning": asks_reasoning(asked.sent)})
    if how.search and how.repeats > 1:
        raise BadInput(f"--repeats {how.repeats}: a search asks each item once; leave out --search or --repeats")
    batch = how.batch or bool(asked.sent.get("batch"))
    how = how.model_copy(update={"max_tokens": asked.max_tokens, "batch": batch})
    first, *others = _ways(how, search=how.search)
    begun = Path(runs) if runs is not None and Path(runs).is_dir() else None
    planner = WayPlanner(opened, models, how, runs=begun, measured=speed, note=progress)
    whole = planner.first(first)
    if how.repeats > 1 and asked.settings.get("temperature") == 0:
        whole = whole.warned(
            f"--repeats {how.repeats} at temperature 0 gives nearly equal answers; add --temperature default"
        )
    return whole.model_copy(update={"ways": tuple(planner.way(each) for each in others)})


def _ways(settings: ReadingSettings, *, search: bool = False) -> list[Way]:
    """The ways of reading that are asked for."""
    from longreach.ways import WayOptions, read_ways

    ways = read_ways(settings.ways, WayOptions(retriever=settings.retriever, condense_prompt=settings.condense_prompt))
    if not ways:
        raise BadInput("--ways is empty; give for instance whole,passages:10")
    if search and len(ways) > 1:
        raise BadInput("several --ways are compared on every question, and --search asks only some; leave one out")
    return ways


def _speed(model: str, arguments: Mapping[str, Any] | None = None) -> Speed | None:
    """How fast the local engine reads and writes; None for models that run elsewhere."""
    from longreach.models.engine import engine_for
    from longreach.models.providers import is_engine
    from longreach.planning.cost import Speed

    if not is_engine(model):
        return None
    prefill, decode = engine_for(model, arguments).speed
    return Speed(prefill=prefill, decode=decode)


def probe(
    model: str,
    *,
    to: int | str | None = None,
    base_url: str | None = None,
    arguments: Mapping[str, Any] | None = None,
    timeout: float = 600,
    seed: int = 1,
    out: Where | None = None,
    progress: Callable[[str], None] | None = None,
) -> ProbeResult:
    """Ask a server whether it is right at every length up to `to`: what arrives, what is equal, what is wrong where.
    The model only has to copy. `out` gets every answer, as JSON."""
    from longreach.runner.probe import probe_model

    longest = None if to is None else length_in_tokens(to)
    return probe_model(
        model,
        to=None if longest is None else int(longest),
        base_url=base_url,
        arguments=arguments or {},
        timeout=timeout,
        seed=seed,
        out=None if out is None else Path(out),
        progress=progress,
    )


@overload
def run(
    bench: Bench | Where,
    models: str | ModelAddress,
    out: Where,
    *,
    start: Callable[[list[Item]], None] | None = None,
    progress: Callable[[str, Any], None] | None = None,
    note: Callable[[str], None] | None = None,
    **settings: Unpack[RunOptions],
) -> RunResult: ...


@overload
def run(
    bench: Bench | Where,
    models: list[str] | tuple[str, ...],
    out: Where,
    *,
    start: Callable[[list[Item]], None] | None = None,
    progress: Callable[[str, Any], None] | None = None,
    note: Callable[[str], None] | None = None,
    **settings: Unpack[RunOptions],
) -> list[RunResult]: ...


def run(
    bench: Bench | Where,
    models: str | ModelAddress | list[str] | tuple[str, ...],
    out: Where,
    *,
    start: Callable[[list[Item]], None] | None = None,
    progress: Callable[[str, Any], None] | None = None,
    note: Callable[[str], None] | None = None,
    **settings: Unpack[RunOptions],
) -> RunResult | list[RunResult]:
    """Run a benchmark on a model into a folder, or on several, one after another; items that have an answer there are
    not sent again. `start` gets the items to send, `progress` each call as it ends, `note` what the run decides for
    itself. With several `ways`, the same questions are asked in each of them."""
    from longreach.models.addresses import ModelAddress, read_models, use_key
    from longreach.models.engine import name_with_adapter
    from longreach.runner.run_settings import RunSettings
    from longreach.runner.ways import run_way

    how, opened = RunSettings.parse(settings, "run"), open_bench(bench)
    given = [models] if isinstance(models, ModelAddress) else names_given(models, "a model")
    if isinstance(how.name, str) and len(given) > 1:
        raise BadInput(f"name '{how.name}' is for one model; give a name for each: {{'MODEL': 'NAME'}}")
    ways, results = _ways(how, search=how.search), []
    for address in read_models(given):
        use_key(address)
        own = how.at(address)
        name = name_with_adapter(address.model, own.arguments)
        shown: Any = {"start": start, "progress": progress, "note": note}
        first, *others = [run_way(opened, way, name, Path(out), own, **shown) for way in ways]
        results.append(first.model_copy(update={"ways": tuple(others)}))
    return results if isinstance(models, list | tuple) else results[0]


@overload
def simulate(bench: Bench | Where, models: str, out: Where, **settings: Unpack[SimulateOptions]) -> Simulated: ...


@overload
def simulate(
    bench: Bench | Where, models: list[str] | tuple[str, ...], out: Where, **settings: Unpack[SimulateOptions]
) -> list[Simulated]: ...


def simulate(
    bench: Bench | Where, models: str | list[str] | tuple[str, ...], out: Where, **settings: Unpack[SimulateOptions]
) -> Simulated | list[Simulated]:
    """Let a simulated model of known skill, or several, answer a benchmark, offline: `perfect`, `declines,at=8k`,
    `silent,rate=0.5`. The answers go into a folder of runs and are graded like any other; `name` is the name of one
    model there, `price` what its requests are to cost. With `retrieve`, it also answers about so many passages, found
    by `retriever`."""
    from longreach.exchange.simulate import SimulateSettings
    from longreach.exchange.simulate import simulate as answer

    names, how = names_given(models, "a simulated model"), SimulateSettings.parse(settings, "simulate")
    if how.name and len(names) > 1:
        raise BadInput(f"name '{how.name}' is for one simulated model, there are {len(names)}; leave it out")
    opened = open_bench(bench)
    ways = _ways(how)
    if stepped := [way.name for way in ways if way.steps]:
        raise BadInput(f"--ways {stepped[0]}: a simulated model writes no texts; take whole and passages:10")
    first, *others = [way.bench(opened, lambda _: None) for way in ways]
    done = [answer(first, each, Path(out), how) for each in names]
    for other in others:
        for each in names:
            answer(other, each, Path(out), how)
    return done[0] if isinstance(models, str) else done


def import_answers(
    bench: Bench | Where, answers: Sequence[Where], model: str, runs: Where, *, replace: bool = False
) -> Imported:
    """Import answers from another system into a folder of runs."""
    from longreach.exchange import importing
    from longreach.runner.logs import collect_calls

    known = collect_calls(Path(runs)) if Path(runs).is_dir() else []
    paths = [Path(answer) for answer in answers]
    return importing.import_answers(open_bench(bench), paths, model, Path(runs), known=known, replace=replace)
