"""Which items of a benchmark are still to be sent in a series, and how long their answers may be."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from longreach.core.bench import Bench
from longreach.core.generation import Steering
from longreach.core.item import Item
from longreach.core.row import Call
from longreach.families import get_family
from longreach.models.prices import limits_of
from longreach.models.providers import is_engine
from longreach.planning.order import sending_order

__all__ = ["output_limits", "unanswered"]

_BASE_MODELS = {"openai-api-completions", "vllm-completions"}
"""Providers that complete raw text: without a limit they generate one token."""


def unanswered(
    bench: Bench, model: str, steering: Steering, calls: Iterable[Call], *, budget: bool = False
) -> list[Item]:
    """Items without a good answer in a series, in sending order. A truncated answer counts as good unless longer ones
    are allowed now."""
    limit = output_limits(bench, model, steering, budget=budget)
    own = [call for call in calls if call.model == steering.series and call.bench == bench.info.digest]
    done = {
        call.item
        for call in own
        if call.item in bench.items and not call.error and not _raised(call, limit(bench.items[call.item]))
    }
    return sending_order(bench, [item for item in bench.items.values() if item.id not in done])


def output_limits(bench: Bench, model: str, steering: Steering, *, budget: bool) -> Callable[[Item], int | None]:
    """The output limit per item; None: the provider's own. Within a budget every answer has a limit: its maximum cost
    must be known before it is requested."""
    family = get_family(bench.info.family)
    # A small model, or one that completes raw text, writes until its window is full unless it is stopped.
    bounded = is_engine(model) or model.partition("/")[0] in _BASE_MODELS

    def limit(item: Item) -> int | None:
        if steering.max_tokens is not None or not (bounded or budget):
            return steering.max_tokens
        questions = [bench.questions[question] for question in item.questions]
        answer = family.answer_tokens(questions)
        if bounded:
            return answer
        known = limits_of(model)
        room = [known.window - item.tokens] if known.window else []
        room += [known.output] if known.output else []
        cap = family.output_cap(questions) + int(steering.generation.get("reasoning_tokens") or 0)
        return max(answer, min([cap, *room]))

    return limit


def _raised(call: Call, limit: int | None) -> bool:
    """Whether an answer was truncated at a limit that is higher now."""
    if call.stop != "max_tokens":
        return False
    if call.max_tokens is None:
        return limit is not None and limit > call.tokens_out > 0
    return limit is None or limit > call.max_tokens
