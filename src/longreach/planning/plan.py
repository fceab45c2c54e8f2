"""What a run will send and cost, computed from the recipes: no corpus text is read, nothing is tokenized."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cached_property
from typing import Annotated

from pydantic import BeforeValidator, Field

from longreach.core.bench import Bench
from longreach.core.item import Item
from longreach.core.measure import tokens_setting
from longreach.core.model import Frozen
from longreach.families import get_family
from longreach.models.prices import Price, limits_of, price_of
from longreach.models.providers import CacheRule, is_engine, provider_of, rule_of, runs_here
from longreach.stats.power import Power, powers

from .branches import Schedule, schedule
from .caches import block_hits
from .cost import Billed, Pace, Speed, bill, dollars, seconds_needed
from .limits import fit_warnings, time_warnings, token_ratio, tokenizer_warning
from .model_plan import ModelPlan
from .order import tree_of
from .table import table

__all__ = ["Plan", "PlanSettings", "Speed", "default_workers", "plan_bench", "plan_items"]

_BLOCK = 16
"""Tokens in a block of an unknown server's cache."""


class PlanSettings(Frozen):
    """Settings of a plan."""

    price: str | dict[str, str] | None = None
    """US dollars per million tokens, `in,cached,out`, instead of the price list's; by model if they differ."""
    rate: float | None = Field(default=None, gt=0)
    """Tokens per second that the model reads of one request."""
    rate_out: float | None = Field(default=None, gt=0)
    """Tokens per second that the model writes of one answer."""
    rpm: float | None = Field(default=None, gt=0)
    """Requests per minute that the provider allows."""
    tpm: float | None = Field(default=None, gt=0)
    """Tokens per minute that the provider allows."""
    workers: int | None = Field(default=None, ge=1)
    """Requests in flight: by default 1 per replica of the embedded engine, 4 per replica elsewhere."""
    max_tokens: Annotated[int | None, BeforeValidator(tokens_setting)] = Field(default=None, ge=1)
    """Longest answer."""
    window: Annotated[int | None, BeforeValidator(tokens_setting)] = Field(default=None, ge=1)
    """Tokens that prompt and answer may take together, where the known number is missing or wrong; `128k` works."""
    hours: float = Field(default=4, gt=0)
    """Warn if a run takes longer."""
    detect: float | None = Field(default=None, gt=0, le=100)
    """A drop in percentage points that the results are to show."""
    replicas: int = Field(default=1, ge=1)
    """Servers behind one address whose router sends a session always to the same one, or engines on a Ray cluster."""
    block: int | None = Field(default=None, ge=1)
    """Tokens per block of the server's prefix cache; by default what is known of the provider's server."""
    sharing: bool = True
    """Off: every request starts with a unique line, so that no cache helps."""
    reasoning: bool | None = None
    """Whether the requests ask for reasoning; None: they do not mention it."""
    sample: bool = True
    """Measure on a sample of the text how the model's own tokenizer counts, where it is not the benchmark's."""


class Plan(Frozen):
    """A benchmark on one or more models."""

    bench: str
    models: tuple[ModelPlan, ...]
    powers: tuple[Power, ...] = ()
    """What the benchmark can show, per question type."""

    def lines(self, *, details: bool = False) -> list[str]:
        """A table that compares the models, and every warning; `details` adds prices, caches and concurrency."""
        return table(self.models, details=details)

    def __repr__(self) -> str:
        return "\n".join(self.lines())


def default_workers(model: str, replicas: int = 1) -> int:
    """Requests in flight if nothing else is set."""
    return replicas * (1 if is_engine(model) else 4)


def plan_bench(
    bench: Bench,
    models: Sequence[str],
    *,
    settings: PlanSettings | None = None,
    measured: Callable[[str], Speed | None] | None = None,
) -> Plan:
    """Plan a whole benchmark. `measured` gives a model's speed where none is set."""
    return plan_items(bench, bench.items.values(), models, settings=settings, measured=measured)


def plan_items(
    bench: Bench,
    items: Iterable[Item],
    models: Sequence[str],
    *,
    settings: PlanSettings | None = None,
    measured: Callable[[str], Speed | None] | None = None,
) -> Plan:
    """Plan some of a benchmark's items: those that a run still has to send."""
    settings = settings or PlanSettings()
    for model in models:
        price_of(model, settings.price)
    draft = _Draft(bench, items, settings)
    return Plan(
        bench=bench.info.digest,
        models=tuple(draft.model(model, measured) for model in models),
        powers=powers(bench, detect=settings.detect / 100 if settings.detect else None),
    )


class _Draft:
    """What all models of a plan share."""

    def __init__(self, bench: Bench, items: Iterable[Item], settings: PlanSettings) -> None:
        self._bench = bench
        self._settings = settings
        self._tree = tree_of(bench, items)
        self._schedules: dict[tuple[int, int], Schedule] = {}

    @cached_property
    def _needed(self) -> list[int]:
        """Tokens that each answer may need."""
        family = get_family(self._bench.info.family)
        known: dict[tuple[str, ...], int] = {}
        for item in self._tree.items:
            if item.questions not in known:
                known[item.questions] = family.answer_tokens([self._bench.questions[one] for one in item.questions])
        return [known[item.questions] for item in self._tree.items]

    def model(self, model: str, measured: Callable[[str], Speed | None] | None) -> ModelPlan:
        """The plan of one model."""
        settings, tree = self._settings, self._tree
        workers = settings.workers or default_workers(model, settings.replicas)
        block = settings.block or provider_of(model).block
        if (workers, block) not in self._schedules:
            self._schedules[workers, block] = schedule(tree, workers, replicas=settings.replicas, block=block)
        plan = self._schedules[workers, block]
        answers = [min(one, settings.max_tokens or one) for one in self._needed]
        price, rule = price_of(model, settings.price), rule_of(model)
        speed = Speed(prefill=settings.rate, decode=settings.rate_out) if settings.rate else None
        if speed is None and measured is not None and tree.items:
            speed = measured(model)
        pace = Pace(speed=speed, rpm=settings.rpm, tpm=settings.tpm)
        billed = bill(tree, plan, answers, rule, pace, sharing=settings.sharing)
        cost, naive = _money(billed, price, rule)
        computed = (
            [one.tokens - one.cached for one in billed]
            if rule
            else list(plan.computed if settings.sharing else tree.tokens)
        )
        seconds = seconds_needed(tree, plan, answers, computed, pace, counts_cached=rule is None or rule.counts_cached)
        prefill = tree.prefill_tokens(block) if settings.sharing else tree.input_tokens
        return ModelPlan(
            model=model,
            requests=len(tree),
            requests_done=self._bench.info.items - len(tree),
            input_tokens=tree.input_tokens,
            prefill_tokens=prefill,
            cached_tokens=tree.input_tokens - prefill,
            output_tokens=sum(answers),
            cost=cost,
            cost_naive=naive,
            seconds=seconds,
            speed=speed,
            workers=workers,
            replicas=settings.replicas,
            block=block,
            branches=len(plan.parts),
            prefill_workers=plan.prefill_tokens if settings.sharing else tree.input_tokens,
            caches=self._caches(plan, block, billed if rule else None),
            price=price,
            rule=rule,
            warnings=tuple(self._warnings(model, seconds, billed)),
        )

    def _caches(self, plan: Schedule, block: int, billed: list[Billed] | None) -> dict[str, int]:
        """Prefill tokens by kind of cache."""
        blocks = self._settings.block or max(block, _BLOCK)
        tree, total = self._tree, self._tree.input_tokens
        names = {f"blocks_{times}x": times * max(tree.tokens, default=0) for times in (1, 2, 4)}
        if not self._settings.sharing:
            return dict.fromkeys(["last_prompt", *names], total)
        found = {"last_prompt": tree.prefill_tokens(block)}
        if len(plan.workers) <= 1:
            # In depth-first order no earlier prompt shares more than the previous one, so a larger cache does not help.
            found |= dict.fromkeys(names, tree.prefill_tokens(blocks))
        else:
            for name, room in names.items():
                found[name] = total - sum(block_hits(tree, plan.order, block=blocks, room=room))
        if billed is not None:
            found["provider"] = total - sum(one.cached for one in billed)
        return found

    def _warnings(self, model: str, seconds: float | None, billed: Sequence[Billed]) -> Iterable[str]:
        settings, tree = self._settings, self._tree
        limits = limits_of(model)
        if settings.window is not None:
            limits = limits.model_copy(update={"window": settings.window, "input": None})
        ratio = token_ratio(self._bench, model) if settings.sample else None
        yield from fit_warnings(
            model,
            limits,
            longest=max(tree.tokens, default=0),
            needed=max((one + more for one, more in zip(tree.tokens, self._needed, strict=True)), default=0),
            answer=max(self._needed, default=0),
            most=settings.max_tokens,
            ratio=ratio or 1.0,
        )
        yield from time_warnings(model, seconds, settings.hours, rpm=settings.rpm, tpm=settings.tpm)
        if late := sum(one.late for one in billed):
            yield f"{late} requests come after the provider's cache will have expired; they cost the full price"
        if (warning := tokenizer_warning(self._bench, model, ratio)) is not None:
            yield warning
        if helped := [role for role, name in self._bench.build.get("roles", {}).items() if name == model]:
            yield f"{model} was also the {' and '.join(helped)} of this benchmark; it may recognise its own questions"
        if (limits.thinks if settings.reasoning is None else settings.reasoning) and not runs_here(model):
            yield f"{model} reasons before it answers; reasoning tokens are not included, cost may be much higher"


def _money(billed: Sequence[Billed], price: Price | None, rule: CacheRule | None) -> tuple[float | None, float | None]:
    """The cost of the requests with the provider's cache, and without any."""
    if price is None:
        return None, None
    if not price.costs:
        return 0.0, 0.0
    if rule is not None:
        price = price.factored(rule.read, rule.write)
    return dollars(billed, price), dollars([one._replace(cached=0, written=0) for one in billed], price)
