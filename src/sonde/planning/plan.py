"""What a run will send, from the recipes alone: no text is read and nothing is tokenized."""

from __future__ import annotations

from collections.abc import Sequence

from sonde.core.bench import Bench
from sonde.core.context import Insert, Span
from sonde.core.item import Item
from sonde.core.measure import format_tokens
from sonde.core.noun import Noun
from sonde.families import get_family
from sonde.models.engine import EMBEDDED_CONTEXT

from .order import sending_order

__all__ = ["ModelPlan", "Plan", "plan_bench"]

_WINDOWS = {"embedded": EMBEDDED_CONTEXT}


class ModelPlan(Noun):
    """One model's part of a plan."""

    model: str
    requests: int
    input_tokens: int
    prefill_tokens: int
    """What a server that keeps only the last prompt must compute."""
    cached_tokens: int
    """The rest, which such a server need not compute again."""
    output_tokens: int
    """At most, if every answer keeps to the asked form."""
    cost: float | None
    """US dollars; None where no price is known."""
    seconds: float | None
    warnings: tuple[str, ...]

    def summary(self) -> str:
        """One line."""
        saved = self.input_tokens / max(1, self.prefill_tokens)
        return (
            f"{self.model}: {self.requests} requests, {format_tokens(self.input_tokens)} tokens in "
            f"({format_tokens(self.prefill_tokens)} to compute, {saved:.1f} x less by shared beginnings), "
            f"up to {format_tokens(self.output_tokens)} out"
        )


class Plan(Noun):
    """A benchmark on several models."""

    bench: str
    models: tuple[ModelPlan, ...]


def plan_bench(bench: Bench, models: Sequence[str]) -> Plan:
    """Requests in sending order, with what each shares with the one before."""
    items = sending_order(bench)
    prefill = 0
    before: Item | None = None
    for item in items:
        prefill += item.tokens - (_shared(before, item) if before else 0)
        before = item
    total = sum(item.tokens for item in items)
    family = get_family(bench.info.family)
    answers = [family.answer_tokens([bench.questions[question] for question in item.questions]) for item in items]
    needed = max((item.tokens + answer for item, answer in zip(items, answers, strict=True)), default=0)
    return Plan(
        bench=bench.info.digest,
        models=tuple(
            ModelPlan(
                model=model,
                requests=len(items),
                input_tokens=total,
                prefill_tokens=prefill,
                cached_tokens=total - prefill,
                output_tokens=sum(answers),
                cost=None,
                seconds=None,
                warnings=_warnings(bench, model, needed),
            )
            for model in models
        ),
    )


def _shared(one: Item, other: Item) -> int:
    """Tokens at the start of two prompts that are the same, as far as their recipes tell."""
    opening = one.through_story - one.context.tokens
    if one.context.pieces == other.context.pieces:
        return one.through_rules if one.prompt == other.prompt else one.through_story
    for index, (mine, theirs) in enumerate(zip(one.context.pieces, other.context.pieces, strict=False)):
        if mine == theirs:
            continue
        if isinstance(mine, Span) and isinstance(theirs, Span) and mine.start == theirs.start:
            return opening + (_tokens_through(one, index) if mine.end < theirs.end else _tokens_through(other, index))
        return opening + _tokens_through(one, index - 1)
    return opening + min(one.context.tokens, other.context.tokens)


def _tokens_through(item: Item, index: int) -> int:
    """Tokens of a story up to the end of its piece `index`: known where a planted text or the story's end follows."""
    pieces = item.context.pieces
    if index == len(pieces) - 1:
        return item.context.tokens
    if index >= 0 and isinstance(follows := pieces[index + 1], Insert):
        return next(place.token for place in item.placed if place.insert == follows.insert)
    return 0


def _warnings(bench: Bench, model: str, needed: int) -> tuple[str, ...]:
    window = _WINDOWS.get(model)
    found = []
    if window is not None and needed > window:
        found.append(f"the longest prompt and its answer need {needed} tokens, {model} has {window}; it will overflow")
    if bench.corpus.info.tokenizer != model and model in _WINDOWS:
        found.append(f"lengths are counted by {bench.corpus.info.tokenizer}, not by {model}'s own tokenizer")
    return tuple(found)
