"""`decide`: facts planted in the user's own text, every model and way asked until it is known, one answer."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from longreach.core.bench import Bench
from longreach.core.files import write_whole
from longreach.core.formatting import format_dollars, format_tokens
from longreach.core.settings import setting
from longreach.core.types import Frozen, canonical_json
from longreach.errors import BadInput, ModelFailed, Stopped
from longreach.families.panels import BenchPanels
from longreach.models.addresses import ModelAddress, read_models
from longreach.models.prices import price_of
from longreach.models.reachable import check_reachable
from longreach.ways import WayOptions, read_ways

from .concluding import concluded
from .own_questions import build_own, own_notes
from .result import DecideResult
from .trials import Trial, some_contexts, way_bench

__all__ = ["DecideSettings", "Trial", "decide_models", "forecast_lines", "prepare"]

_ROOMY = 1500
"""Tokens of the shortest text in which ten facts are not most of it."""


class DecideSettings(Frozen):
    """What a decision may be told."""

    at: str = setting("32k", "Tokens of text that the models shall read: 60k.", form="TOKENS")
    ways: str = setting("whole,passages:10", "How the text reaches the models.", form="WAY,...")
    condense_prompt: str | None = setting(None, "Your own prompt for the way condense.", form="FILE")
    budget: str | None = setting(None, "Most that it may cost in all: 20usd or 20Mtok.", form="AMOUNT")
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
    ways = read_ways(
        settings.ways.split(","), WayOptions(retriever=settings.retriever, condense_prompt=settings.condense_prompt)
    )
    try:
        at = parse_tokens(settings.at)
    except ValueError as error:
        raise BadInput(f"--at {settings.at}: {error}") from None
    check_reachable(addresses)
    folder = out / "bench"
    lengths = sorted({max(250, at // part) for part in (4, 2, 1)})
    given: dict[str, Any] = {"lengths": ",".join(map(str, lengths)), "seed": settings.seed}
    given |= {"docs": list(docs)} if docs else {}
    if settings.family == "needles":
        given = {"ask": "each", "prompts": "standard"} | given
        given |= {} if lengths[0] >= _ROOMY else {"facts": 4}
    given |= settings.set
    own: Bench | None = None
    if settings.questions:
        about: dict[str, Any] = {"model": addresses[0].model, "seed": settings.seed, "note": note}
        own = build_own(settings.questions, docs, at, out / "questions", **about)
    if folder.exists():
        bench = api.open_bench(folder)
    else:
        bench = api.build(settings.family, folder, model=addresses[0].model, warn=note, settings=given)
    longest = max((max(found) for found in BenchPanels(bench).by_length.values()), default=at)
    made = {way.name: way_bench(bench, way, some_contexts(bench, longest), note) for way in ways}
    asked = {} if own is None else {way.name: way_bench(own, way, frozenset(own.items), note) for way in ways}
    trials = [Trial(address, way, made[way.name], asked.get(way.name)) for address in addresses for way in ways]
    return trials, bench, longest


def forecast_lines(trials: Sequence[Trial], settings: DecideSettings) -> list[str]:
    """One screen before sending: models, addresses, prices, the expected and the largest cost."""
    lines = [f"{'model':<28} {'way':<12} {'expected':>10} {'at most':>10}  cost"]
    total = 0.0
    for trial in trials:
        found = trial.expected()
        price = price_of(trial.address.model, trial.address.entry.price if trial.address.entry else None)
        cost = price.cost(round(found.median), 0, 0) if price else None
        most = price.cost(round(found.most), 0, 0) if price else None
        total += most or 0.0
        money = "unknown price" if cost is None or most is None else f"{format_dollars(cost)} to {format_dollars(most)}"
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
    result = concluded(runs, bench, at, docs, trials=trials, stopped=stopped)
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

    stopped = ""
    for trial in trials:
        line = progress(trial.name) if progress else None
        how: dict[str, Any] = {"budget": settings.budget, "arguments": settings.arguments, "note": note}
        how |= {} if line is None else {"start": line.start, "progress": line.call}
        how |= trial.settings(settings.condense_prompt)
        try:
            with line or contextlib.nullcontext():
                api.run(trial.bench, trial.address, runs, search=True, all_lengths=True, **how)
                if trial.own is not None:
                    api.run(trial.own, trial.address, runs, **how)
        except ModelFailed as error:
            stopped = str(error)
            note(stopped)
        except Stopped as error:
            return str(error)
        except BaseExceptionGroup as group:  # raised where requests run in a task group
            if (early := group.subgroup(Stopped)) is None:
                raise
            return str(_first(early))
    return stopped


def _first(group: BaseExceptionGroup[Any]) -> BaseException:
    error = group.exceptions[0]
    return _first(error) if isinstance(error, BaseExceptionGroup) else error
