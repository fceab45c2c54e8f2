"""Benchmarks as Inspect tasks: `inspect eval longreach/FAMILY -T bench=FOLDER` sends what `longreach run` sends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from inspect_ai import SampleSource, Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.log import EvalSample
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.solver import Generate, Solver, TaskState, solver

from longreach.core.bench import Bench
from longreach.core.settings import Sampling, generation_settings
from longreach.core.types import Call
from longreach.errors import BadInput
from longreach.families import FAMILIES
from longreach.models.providers import wants_marks
from longreach.planning.answer_caps import AnswerCaps
from longreach.planning.prefix_tree import tree_of
from longreach.planning.schedule import cut, sessions_of

from .deferred_prompt import branch_points, prompt_source
from .measuring import MeasureState
from .model_client import Prompts, checked_config
from .opening import model_label
from .provider_calls import error_text, guard
from .replies import call_of, reply_of
from .scoring import answer_key, sample_of, viewer

_WORKERS = 4
"""Branches are cut for the default number of workers of a run: a router gets the same sessions."""


def family_task(family: str) -> Callable[..., Task]:
    """The Inspect task of a family: `inspect eval longreach/FAMILY -T bench=FOLDER`."""

    @task(name=family)
    def run_family(bench: str, search: bool = False) -> Task:
        opened = Bench.open(Path(bench))
        if opened.info.family != family:
            raise BadInput(
                f"{bench} is a {opened.info.family} benchmark; run inspect eval longreach/{opened.info.family}"
            )
        return bench_task(opened, search=search)

    run_family.__doc__ = FAMILIES[family]
    return run_family


def bench_task(bench: Bench, *, search: bool = False) -> Task:
    """A benchmark as a task, in sending order, with the generation settings of its spec. With `search` only
    what is still open is asked."""
    sampling = Sampling.parse(bench.spec.get("sampling", {}), f"{bench.folder}: sampling")
    generation = generation_settings("", sampling.model_dump())
    family, folder = bench.info.family, str(bench.folder.resolve())
    return Task(
        name=family,
        dataset=MemoryDataset([sample_of(bench, item) for item in tree_of(bench).items], name=family)
        if not search
        else MeasureSource(bench),
        solver=deferred_prompt(folder),
        scorer=answer_key(folder),
        config=checked_config(generation.sent | {"max_tokens": generation.max_tokens}),
        metadata={"bench": bench.info.digest, "folder": folder, **bench.provenance}
        | ({"search": True} if search else {}),
        version=bench.info.family_version,
        viewer=viewer(),
    )


@solver
def deferred_prompt(bench: str) -> Solver:
    """Sends the item's prompt, whose text is rendered only inside the API call. No tools are offered, and a reply that
    calls one ends the sample."""
    opened = Bench.open(Path(bench), verify=False)
    prompts: dict[str, Prompts] = {}

    def prompts_for(model: str) -> Prompts:
        if model not in prompts:
            tree = tree_of(opened)
            sessions = sessions_of(tree, cut(tree, _WORKERS))
            breaks = branch_points(tree) if wants_marks(model) else {}
            prompts[model] = Prompts(opened, sessions=sessions, breaks=breaks)
        return prompts[model]

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        item = opened.item(str(state.sample_id))
        model = guard(get_model())
        name = model_label(str(model))
        ours = prompts_for(name)
        longest = None
        if model.config.max_tokens is None:
            asked = {
                "reasoning_effort": model.config.reasoning_effort,
                "reasoning_tokens": model.config.reasoning_tokens,
            }
            longest = AnswerCaps(opened, name, most=None, sent=asked)(item)
        with prompt_source(item.sha256, ours.of(item)):
            try:
                return await generate(state, tool_calls="none", max_tokens=longest)
            except Exception as error:
                # Failed for good: a separate status. Raised, it would put a traceback into the log.
                state.output = ModelOutput(model=str(state.model), error=error_text(error))
                return state

    return solve


class MeasureSource(SampleSource):
    """The samples of a measurement. A retried task gets its earlier answers again and resumes."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._state = MeasureState(bench)
        self._asked: set[str] = set()
        self._calls: dict[str, Call] = {}

    def initial_samples(self) -> list[Sample]:
        return self._round()

    async def next_samples(self) -> list[Sample] | None:
        return self._round() or None

    async def sample_complete(self, sample: EvalSample) -> None:
        info = self._bench.info
        failed = sample.error.message if sample.error else ""
        self._calls[str(sample.id)] = call_of(
            reply_of(sample.output),
            str(sample.id),
            model="",
            family=info.family,
            bench=info.digest,
            price=None,
            failed=failed,
        )

    def _round(self) -> list[Sample]:
        self._state.read(self._calls.values(), set(self._bench.items) - self._asked)
        chosen = set(self._state.next_items()) - self._asked
        self._asked |= chosen
        items = tree_of(self._bench, [self._bench.items[item] for item in chosen]).items
        return [sample_of(self._bench, item) for item in items]
