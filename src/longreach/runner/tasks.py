"""Benchmarks as Inspect tasks: samples are references, one solver, one scorer for every family."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import CachePolicy, GenerateConfig, ModelOutput, get_model
from inspect_ai.model._model import AttemptTimeoutError
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from tenacity import RetryError

from longreach.core.bench import Bench
from longreach.core.context import Piece
from longreach.core.item import Item
from longreach.errors import BadInput, one_line
from longreach.families import FAMILIES, get_family
from longreach.families.base import grade_reply, prompt_parts
from longreach.families.showing import assembler_of
from longreach.planning.order import sending_order
from longreach.text.assemble import Assembler

from .budget import BudgetGuard, BudgetReached
from .deferred_prompt import DeferredPrompt, bind_late, prompt_source, reference
from .faults import TIMED_OUT
from .providers import is_local, model_label

__all__ = ["Control", "bench_task", "call_fields", "family_task", "last_word"]


@dataclass(frozen=True)
class Control:
    """How a run is steered; plain Inspect runs without any of it."""

    progress: Callable[[str, ModelOutput], None] | None = None
    """Hears of each call as it ends, with the item's id."""
    budget: BudgetGuard | None = None
    keep: Callable[[str, ModelOutput], None] | None = None
    """Gets each call before the next is sent, with the item's id, to put it where no kill can reach it."""
    sessions: Mapping[str, str] = field(default_factory=dict)
    """Item -> digest of the branch it belongs to."""
    breaks: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Item -> byte offsets of its prompt where others part from it, for providers that want them marked."""
    sharing: bool = True
    """Off: every prompt gets an opening of its own, so that no cache can serve any of it."""
    about: Mapping[str, Any] = field(default_factory=dict)
    """Kept in the log: what grading and the page need to know of the run."""


def bench_task(
    bench: Bench,
    items: Sequence[Item],
    *,
    config: GenerateConfig | None = None,
    cache: bool = True,
    control: Control | None = None,
) -> Task:
    """A task over some items of a benchmark, in the order given."""
    samples = [
        Sample(id=item.id, input=reference(item.sha256), target="", metadata={"cell": dict(item.cell)})
        for item in items
    ]
    control = control or Control()
    return Task(
        name=bench.info.family,
        dataset=MemoryDataset(samples, name=bench.info.family),
        solver=late_prompt(bench, control, cache=cache, capped=config.max_tokens if config else None),
        scorer=verdicts(bench),
        config=config or GenerateConfig(),
        metadata={"bench": bench.info.digest, "folder": str(bench.folder.resolve()), **control.about},
        version=bench.info.family_version,
    )


def late_prompt(bench: Bench, control: Control, *, cache: bool, capped: int | None) -> Solver:
    """Asks the item's prompt, whose text is put together only inside the API call. Unless the length of answers is
    `capped` already, the embedded engine gets the family's own limit."""
    family = get_family(bench.info.family)
    assembler = assembler_of(bench)

    @solver(name="longreach_prompt")
    def ask() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            item = bench.item(str(state.sample_id))
            model = bind_late(get_model())
            expected = family.answer_tokens([bench.questions[question] for question in item.questions])
            # A small model left alone writes until its window is full.
            longest = expected if capped is None and is_local(model_label(str(model))) else None
            reserved = 0.0
            if control.budget is not None:
                reserved = await control.budget.reserve(item.tokens, capped or expected)
            *beginning, tail = prompt_parts(family, bench, item)
            late = DeferredPrompt(
                build=lambda: _prompt(assembler, beginning, str(tail)),
                session=control.sessions.get(item.id, ""),
                breaks=control.breaks.get(item.id, ()),
                opening="" if control.sharing else f"[{uuid.uuid4()}]\n",
            )
            with prompt_source(item.sha256, late):
                try:
                    state = await generate(
                        state,
                        cache=CachePolicy(expiry=None) if cache and control.sharing else False,
                        max_tokens=longest,
                    )
                except BudgetReached:
                    raise
                except Exception as error:
                    # Failed for good: a verdict of its own, sent again by the next run. Let through, it would drag a
                    # traceback into the log and end the run for all others.
                    state.output = ModelOutput(model=str(state.model), error=last_word(error))
            if control.keep is not None:
                control.keep(item.id, state.output)
            if control.budget is not None:
                used = call_fields(state.output)
                control.budget.settle(
                    reserved, used.get("tokens_in", 0), used.get("tokens_cached", 0), used.get("tokens_out", 0)
                )
            if control.progress is not None:
                control.progress(item.id, state.output)
            return state

        return solve

    return ask()


def _prompt(assembler: Assembler, beginning: list[Piece | str], tail: str) -> tuple[bytes, str]:
    """A prompt's text and digest; the story's part of the digest serves the next question over it too."""
    return assembler.text([*beginning, tail]), assembler.digests(beginning, [tail])[0]


def last_word(error: BaseException) -> str:
    """What the provider said, from under what Inspect and its retries wrapped around it."""
    if isinstance(error, RetryError) and (last := error.last_attempt.exception()) is not None:
        error = last
    if isinstance(error, AttemptTimeoutError):
        return f"{TIMED_OUT}: {one_line(str(error))}"
    return one_line(str(error.__cause__ or error))


def verdicts(bench: Bench) -> Scorer:
    """The share of an item's scored questions that is right, so that Inspect's own viewer shows something; the full
    grading is Longreach's, from the log."""
    family = get_family(bench.info.family)

    @scorer(name="longreach_key", metrics=[mean()])
    def by_key() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001
            questions = [bench.questions[question] for question in bench.item(str(state.sample_id)).questions]
            graded = grade_reply(family, questions, state.output.completion)
            values = [verdict.value for verdict in graded if verdict.value is not None]
            return Score(
                value=sum(values) / len(values) if values else math.nan,
                explanation="; ".join(f"{q.id}: {v.status} {v.value}" for q, v in zip(questions, graded, strict=True)),
            )

        return score

    return by_key()


def family_task(family: str) -> Callable[..., Task]:
    """The Inspect task of a family: `inspect eval longreach/FAMILY -T bench=FOLDER`."""

    @task(name=family)
    def run_family(bench: str) -> Task:
        opened = Bench.open(Path(bench))
        if opened.info.family != family:
            raise BadInput(
                f"{bench} is a {opened.info.family} benchmark; run inspect eval longreach/{opened.info.family}"
            )
        return bench_task(opened, sending_order(opened))

    run_family.__doc__ = FAMILIES[family]
    return run_family


def call_fields(output: Any) -> dict[str, Any]:
    """Usage of a model output in Longreach's words: input tokens count cached ones too."""
    usage = output.usage
    if usage is None:
        return {}
    cached = usage.input_tokens_cache_read or 0
    written = usage.input_tokens_cache_write or 0
    return {
        "tokens_in": usage.input_tokens + cached + written,
        "tokens_cached": cached,
        "tokens_out": usage.output_tokens,
    }
