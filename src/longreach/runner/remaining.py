"""Which items of a benchmark are still to be sent in a series, and which earlier answers may be reused instead."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Mapping, Sequence

from longreach.core.bench import Bench
from longreach.core.runs import kept_bench, known_runs, run_notes, stored_calls
from longreach.core.settings import GenerationSettings
from longreach.core.types import Call, Item
from longreach.errors import BadInput
from longreach.families import get_family
from longreach.models.prices import limits_of
from longreach.models.providers import is_engine

from .logs import journal_file

_BASE_MODELS = {"openai-api-completions", "vllm-completions"}
"""Providers that complete raw text: without a limit they generate one token."""


def unanswered(
    bench: Bench,
    model: str,
    generation: GenerationSettings,
    calls: Iterable[Call],
    *,
    budget: bool = False,
    repeats: int = 1,
) -> list[Item]:
    """Items without a good answer in a series, each as often as it lacks one of its repeats."""
    left = open_repeats(bench, model, generation, calls, budget=budget, repeats=repeats)
    return [bench.items[item] for item, numbers in left.items() for _ in numbers]


def open_repeats(
    bench: Bench, model: str, generation: GenerationSettings, calls: Iterable[Call], *, budget: bool, repeats: int
) -> dict[str, list[int]]:
    """Per item the repeats without a good answer in a series. A truncated answer counts as good unless longer ones are
    allowed now; one to a prompt that was cut does not."""
    limit = output_limits(bench, model, generation, budget=budget)
    own = [call for call in calls if call.model == generation.series and call.bench == bench.info.digest]
    done = {
        (call.item, call.repeat)
        for call in own
        if call.item in bench.items
        and not call.error
        and call.stop != "cut"
        and not _raised(call, limit(bench.items[call.item]))
    }
    numbers = range(1, repeats + 1)
    left = {item: [number for number in numbers if (item, number) not in done] for item in bench.items}
    return {item: own for item, own in left.items() if own}


def earlier_answers(
    bench: Bench,
    left: Mapping[str, Sequence[int]],
    generation: GenerationSettings,
    server: str,
    limit: Callable[[Item], int | None],
) -> list[Call]:
    """Good answers of other folders to the same prompts, for the repeats that are `left` per item: of the same model at
    the same server, with the same settings. The newest counts."""
    by_prompt: dict[tuple[str, int], Call] = {}
    for folder in known_runs():
        with contextlib.suppress(BadInput, OSError):  # a folder that has been removed or damaged has none
            notes = run_notes(folder)
            for call in stored_calls(journal_file(folder)):
                note = notes.get((call.model, call.bench))
                same = call.model == generation.series and call.settings == generation.settings
                if (
                    note is None
                    or note.server != server
                    or not note.sharing
                    or not same
                    or call.error
                    or call.stop == "cut"
                ):
                    continue
                if (asked := kept_bench(folder, call.bench).items.get(call.item)) is not None:
                    by_prompt[asked.sha256, call.repeat] = call
    return [
        found.model_copy(
            update={"bench": bench.info.digest, "family": bench.info.family, "item": item.id}
            | {"reused": True, "cost": 0.0, "ended": 0.0, "max_tokens": limit(item)}
        )
        for item in map(bench.item, left)
        for number in left[item.id]
        if (found := by_prompt.get((item.sha256, number))) is not None and not _raised(found, limit(item))
    ]


def output_limits(
    bench: Bench, model: str, generation: GenerationSettings, *, budget: bool
) -> Callable[[Item], int | None]:
    """The output limit per item; None: the provider's own. Within a budget every answer has a limit: its maximum cost
    must be known before it is requested."""
    family = get_family(bench.info.family)
    # A small model, or one that completes raw text, writes until its window is full unless it is stopped.
    bounded = is_engine(model) or model.partition("/")[0] in _BASE_MODELS

    def limit(item: Item) -> int | None:
        if generation.max_tokens is not None or not (bounded or budget):
            return generation.max_tokens
        questions = [bench.questions[question] for question in item.questions]
        answer = family.answer_tokens(questions)
        if bounded:
            return answer
        known = limits_of(model)
        room = [known.window - item.tokens] if known.window else []
        room += [known.output] if known.output else []
        cap = family.output_cap(questions) + int(generation.sent.get("reasoning_tokens") or 0)
        return max(answer, min([cap, *room]))

    return limit


def _raised(call: Call, limit: int | None) -> bool:
    """Whether an answer was truncated at a limit that is higher now."""
    if call.stop != "max_tokens":
        return False
    if call.max_tokens is None:
        return limit is not None and limit > call.tokens_out > 0
    return limit is None or limit > call.max_tokens
