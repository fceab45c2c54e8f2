"""What a run will send and cost, computed from the recipes, with its warnings and as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache, cached_property, partial
from typing import Any

from pydantic import Field

from longreach.core.bench import Bench
from longreach.core.formatting import format_dollars, format_seconds, format_tokens, length_label, percent
from longreach.core.settings import RequestSettings, Tokens, setting
from longreach.core.types import Frozen, Item
from longreach.errors import BadInput, LongreachError, did_you_mean
from longreach.families import get_family
from longreach.families.parts import Countable, part_of
from longreach.families.showing import family_view
from longreach.models.chat_template import ChatTemplate, served_template
from longreach.models.prices import Limits, Price, limits_of, price_of
from longreach.models.providers import CacheRule, is_engine, own_tokenizer, provider_of, rule_of, runs_here
from longreach.models.tokenizers import get_tokenizer
from longreach.stats.headline import size_axis
from longreach.stats.power import Power, powers

from .answer_caps import AnswerCaps
from .cost import Billed, Pace, Speed, bill, block_hits, dollars, seconds_needed
from .prefix_tree import tree_of
from .schedule import Schedule, schedule

_SAMPLE = 200_000
"""Bytes of the corpus on which two tokenizers are compared."""


def token_ratio(bench: Bench, model: str) -> float | None:
    """Tokens of the model's own tokenizer per benchmark token, measured on a sample of the corpus. None if its
    tokenizer is not available, 1 if it is the benchmark's."""
    own = own_tokenizer(model)
    if own is None:
        return None
    if own == bench.corpus.info.tokenizer:
        return 1.0
    try:
        theirs, ours = get_tokenizer(own), get_tokenizer(bench.corpus.info.tokenizer)
        if theirs.fingerprint == bench.corpus.info.fingerprint:
            return 1.0
        text = bench.corpus.read(0, _SAMPLE)
        return theirs.count(text) / max(1, ours.count(text)) if text else None
    except LongreachError:
        return None


def tokenizer_warning(bench: Bench, model: str, ratio: float | None) -> str | None:
    """A warning if lengths are counted by another tokenizer than the model's."""
    try:
        used = bench.corpus.info.tokenizer
    except LongreachError:  # a benchmark stored without its text
        used = str(bench.spec.get("tokenizer", ""))
    own = own_tokenizer(model)
    if own == used or ratio == 1.0:
        return None
    if own is None:
        return f"lengths are counted by {used}; the tokenizer of {model} is not available, so all counts are estimates"
    other = f"lengths are counted by {used}, not by {model}'s own tokenizer"
    if ratio is None:
        return f"{other}, so all counts are estimates"
    return f"{other}, which yields {ratio:.2f} tokens per benchmark token (sampled): all counts are estimates"


def fit_warnings(
    model: str, limits: Limits, *, longest: int, needed: int, answer: int, most: int | None, ratio: float
) -> list[str]:
    """Warnings if a prompt does not fit the window, or an answer the model's output limit. `longest` (prompt) and
    `needed` (prompt and answer) are in benchmark tokens; `ratio` converts to the model's own."""
    found: list[str] = []
    estimate = "" if ratio == 1.0 else "about "
    longest, needed, answer = (round(count * ratio) for count in (longest, needed, answer))
    if limits.window is not None and needed > limits.window:
        found.append(
            f"the longest prompt and its answer need {estimate}{needed} tokens, {model} has {limits.window}; "
            f"it will overflow"
        )
    elif limits.input is not None and longest > limits.input:
        found.append(
            f"the longest prompt has {estimate}{longest} tokens, {model} reads at most {limits.input}; it will overflow"
        )
    if most is not None and answer > most:
        found.append(
            f"the longest answer needs {estimate}{answer} tokens, --max-tokens {most} cuts it off; "
            f"give at least {answer}"
        )
    if limits.output is not None and answer > limits.output:
        found.append(
            f"the longest answer needs {estimate}{answer} tokens, {model} writes at most {limits.output}; "
            f"it will be cut off"
        )
    return found


def time_warnings(
    model: str, seconds: float | None, hours: float, *, rpm: float | None, tpm: float | None
) -> list[str]:
    """A warning if a run takes longer than `hours`."""
    if seconds is None or seconds <= 3600 * hours:
        return []
    limits = [f"{value:g} {name}" for value, name in ((rpm, "requests"), (tpm, "tokens")) if value is not None]
    by = f" at {' and '.join(limits)} per minute" if limits else ""
    return [f"{model} takes {format_seconds(seconds)}{by}, more than {hours:g} hours"]


class LengthCost(Frozen):
    """What one request of a length costs, on average."""

    length: float
    """In tokens."""
    requests: int
    cost: float | None
    """US dollars, as `ModelPlan.cost`."""
    uncached: float | None
    """US dollars if no token were cached."""


class Forecast(Frozen):
    """What asking context by context takes, in prefill tokens."""

    expected_tokens: int
    """Median over models that are right in 97 % up to some length and in 60 % beyond."""
    largest_tokens: int
    full_tokens: int
    """Of the whole benchmark."""

    def line(self) -> str:
        return (
            f"search: expected {format_tokens(self.expected_tokens)}, at most {format_tokens(self.largest_tokens)} of "
            f"{format_tokens(self.full_tokens)} prefill tokens"
        )


class ModelPlan(Frozen):
    """The plan of one model."""

    model: str
    requests: int
    """To send; fewer than the benchmark has if a run resumes."""
    requests_done: int = 0
    input_tokens: int
    template_tokens: int = 0
    """Those of `input_tokens` that the chat template adds, where it lies beside the benchmark's tokenizer."""
    prefill_tokens: int
    """Tokens that a server computes which caches only the last prompt, with one request at a time, in whole blocks."""
    cached_tokens: int
    """Tokens that such a server takes from its cache."""
    output_tokens: int
    """Upper bound if every answer follows the requested format; reasoning tokens are not included."""
    answer_cap: int = 0
    """Most output tokens that any request asks for; a model that reasons may get more."""
    cost: float | None
    """US dollars, with cached tokens by the provider's rules and price where its cache is known, else without any;
    None if no price is known."""
    cost_naive: float | None = None
    """US dollars if no token were cached."""
    by_length: tuple[LengthCost, ...] = ()
    """What a request costs at each length; empty if the family has no lengths in tokens."""
    seconds: float | None
    """None if neither a speed nor a rate limit is known."""
    speed: Speed | None = None
    """The speed behind `seconds`, as given or measured."""
    workers: int = 1
    replicas: int = 1
    block: int = 1
    """Tokens per block of the server's cache."""
    cache_size: int | None = None
    """Tokens that a server's cache holds, if it is known to be limited."""
    branches: int = 1
    """Branches of the prefix tree; each is sent by one worker."""
    prefill_workers: int = 0
    """Tokens that a server computes which caches the last prompt of each worker."""
    caches: dict[str, int] = Field(default_factory=dict)
    """Prefill tokens by kind of cache: `last_prompt`; `blocks_1x`, `_2x`, `_4x`: a server with room for so many of the
    longest prompts, shared by all workers; `provider`: by the hosted provider's rules, at best."""
    price: Price | None = None
    rule: CacheRule | None = None
    """How the provider caches, if known."""
    forecast: Forecast | None = None
    """What `--search` would take, if it is planned."""
    warnings: tuple[str, ...]


_ROOMS = {"blocks_1x": "1x", "blocks_2x": "2x", "blocks_4x": "4x"}
_HEAD = ("model", "requests", "input", "prefill", "output", "cost", "without cache", "time")


def table(plans: Sequence[ModelPlan], *, details: bool = False) -> list[str]:
    """One row per model, then the warnings; `details` adds what each row is based on."""
    rows = [_HEAD, *(_row(plan) for plan in plans)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    lines = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
    if caps := {plan.model: plan.answer_cap for plan in plans if plan.requests and plan.answer_cap}:
        largest = max(caps.values())
        each = "" if len(set(caps.values())) == 1 else "up to "
        lines.append(f"output is for answers as asked; each is cut off at {each}{largest:,} tokens (--max-tokens)")
    if unknown := _unknown(plans):
        lines.append(unknown)
    several = len(plans) > 1
    lines += [f"{plan.model + ', ' if several else ''}{plan.forecast.line()}" for plan in plans if plan.forecast]
    if details:
        for plan in plans:
            lines += ["", plan.model, *(f"  {line}" for line in _details(plan))]
    return [*lines, *(f"warning: {warning}" for plan in plans for warning in plan.warnings)]


def _row(plan: ModelPlan) -> tuple[str, ...]:
    return (
        plan.model,
        str(plan.requests),
        format_tokens(plan.input_tokens),
        format_tokens(plan.prefill_tokens),
        f"up to {format_tokens(plan.output_tokens)}",
        "unknown" if plan.cost is None else format_dollars(plan.cost),
        "unknown" if plan.cost_naive is None else format_dollars(plan.cost_naive),
        "unknown" if plan.seconds is None else format_seconds(plan.seconds),
    )


def _unknown(plans: Sequence[ModelPlan]) -> str:
    """How to fill in what is unknown."""
    hints = []
    if any(plan.cost is None for plan in plans):
        hints.append("cost: give --price [MODEL=]IN,CACHED,OUT")
    if any(plan.seconds is None for plan in plans):
        hints.append("time: give --set rate=N, rpm=N or tpm=N")
    return f"unknown {'; '.join(hints)}" if hints else ""


def _saving(plan: ModelPlan) -> str:
    if plan.prefill_tokens >= plan.input_tokens:
        return ""
    return f", {plan.input_tokens / max(1, plan.prefill_tokens):.1f}x fewer by prefix caching"


def _details(plan: ModelPlan) -> list[str]:
    lines: list[str] = []
    if plan.requests_done:
        lines.append(f"done         {plan.requests_done} requests were answered before")
    if plan.template_tokens:
        tokens = round(plan.template_tokens / plan.requests)
        lines.append(f"template     {tokens} tokens of the chat template per request are included in input and prefill")
    if saving := _saving(plan):
        lines.append(
            f"prefill      {format_tokens(plan.prefill_tokens)} tokens{saving}, on a server that caches the last prompt"
            + (f" in blocks of {plan.block} tokens" if plan.block > 1 else "")
        )
    if plan.workers > 1:
        parts = "1 branch" if plan.branches == 1 else f"{plan.branches} branches"
        again = plan.prefill_workers - plan.prefill_tokens
        split = f", {format_tokens(again)} of them twice because branches are split" if again > 0 else ""
        over = f" on {plan.replicas} replicas" if plan.replicas > 1 else ""
        size = plan.cache_size and f"with a cache of {format_tokens(plan.cache_size)}"
        kept = size or "if the last prompt of each is cached"
        lines.append(
            f"concurrency  {plan.workers} requests{over} over {parts} of the prefix tree: "
            f"{format_tokens(plan.prefill_workers)} prefill tokens {kept}{split}"
        )
    if plan.price is None:
        lines.append("price        not in the price list; give --price [MODEL=]IN,CACHED,OUT")
    else:
        unknown = "; cost without cache: it is not known whether this server has one" if plan.rule is None else ""
        lines.append(f"price        {plan.price}{unknown if plan.price.costs else ''}")
    if plan.cost and plan.by_length:
        each = [
            f"{length_label(one.length)} {format_dollars(one.cost or 0)}"
            + (f" ({format_dollars(one.uncached)} without cache)" if one.uncached != one.cost and one.uncached else "")
            for one in plan.by_length
        ]
        lines.append(f"per request  {', '.join(each)}")
    if plan.rule is not None and "provider" in plan.caches:
        best = "" if plan.rule.promised else " at best"
        lines.append(f"cache        {format_tokens(plan.caches['provider'])} prefill tokens{best} ({plan.rule.source})")
    else:
        rooms = [f"{format_tokens(plan.caches[key])} ({name})" for key, name in _ROOMS.items() if key in plan.caches]
        lines.append(
            f"cache        prefill tokens if a server has room for 1, 2 or 4 of the longest prompts: {', '.join(rooms)}"
        )
    return lines


_BLOCK = 16
"""Tokens in a block of an unknown server's cache."""


class PlanSettings(RequestSettings):
    """Settings of a plan. Those without a description are no flags."""

    rate: float | None = setting(None, "Tokens per second that the model reads.", flag=None, gt=0)
    rate_out: float | None = setting(None, "Tokens per second that the model writes.", flag=None, gt=0)
    rpm: float | None = setting(None, "Requests per minute that the provider allows.", flag=None, gt=0)
    tpm: float | None = setting(None, "Tokens per minute that the provider allows.", flag=None, gt=0)
    window: Tokens = setting(None, "The model's context window, where it is not known: 128k.", flag=None)
    hours: float = setting(4, "Warn if a run takes longer.", flag=None, gt=0)
    detect: float | None = setting(
        None,
        "Say how many answers are needed to show a drop of so many percentage points.",
        form="POINTS",
        gt=0,
        le=100,
    )
    at: Tokens = setting(None, "Plan this length alone, or the next longer one.  [default: all]", form="LENGTH")
    families: tuple[str, ...] = setting((), "Plan only this family.", flag="--family", form="FAMILY", hidden=True)
    types: tuple[str, ...] = setting((), "Plan only this question type.", flag="--type", form="TYPE", hidden=True)
    workers: int | None = Field(default=None, ge=1)
    """Requests in flight in all, as a run recorded them."""
    reasoning: bool | None = None
    """Whether the requests ask for reasoning; None: they do not mention it."""
    batch: bool = False
    """Whether they go through the provider's batch service, at its price."""
    sample: bool = True
    """Measure on a sample of the text how the model's own tokenizer counts, where it is not the benchmark's."""


class WayPlan(Frozen):
    """The same questions in another way of reading, on the same models."""

    way: str
    line: str
    """What is known of its texts before anything is sent."""
    steps: int = 0
    """Requests of one model that lead to the texts, at most."""
    models: tuple[ModelPlan, ...]
    """Each under its name and the way; without warnings about windows: those of the whole text are larger."""


def joined(parts: Sequence[ModelPlan], name: str) -> ModelPlan:
    """One model's plans of several benchmarks, one after another."""

    def total(field: str) -> Any:
        values = [getattr(part, field) for part in parts]
        return None if None in values else sum(values)

    summed = [
        *("requests", "requests_done", "input_tokens", "template_tokens", "prefill_tokens", "cached_tokens"),
        *("output_tokens", "prefill_workers", "cost", "cost_naive", "seconds"),
    ]
    update = {field: total(field) for field in summed}
    update |= {"model": name, "warnings": (), "by_length": () if len(parts) > 1 else parts[-1].by_length}
    return parts[-1].model_copy(update=update | {"answer_cap": max(part.answer_cap for part in parts)})


class Plan(Frozen):
    """A benchmark on one or more models."""

    bench: str
    models: tuple[ModelPlan, ...]
    powers: tuple[Power, ...] = ()
    """What the benchmark can show, per question type."""
    first: str = ""
    """What is known of the texts, if the first way has steps."""
    ways: tuple[WayPlan, ...] = ()
    """Further ways of reading."""

    @property
    def every(self) -> list[ModelPlan]:
        """The plan of each model, with those of further ways after it."""
        return [plan for own in zip(self.models, *(each.models for each in self.ways), strict=True) for plan in own]

    def lines(self, *, details: bool = False) -> list[str]:
        """A table that compares the models, and every warning; `details` adds prices, caches and concurrency."""
        first = [self.first] if self.first else []
        return [*table(self.every, details=details), *first, *(self._way(each) for each in self.ways)]

    def _way(self, part: WayPlan) -> str:
        """What is known of its texts, and what it takes."""
        full, less = self.models[0], part.models[0]
        if part.steps:
            share = (
                f", {percent(less.input_tokens / full.input_tokens)} of the whole text's" if full.input_tokens else ""
            )
            return f"{part.line}: {format_tokens(less.input_tokens)} input tokens in all{share}"
        sizes = [each.input_tokens / each.requests for each in (full, less) if each.requests]
        takes = f"; a request has {format_tokens(round(sizes[-1]))} input tokens" if less.requests else ""
        of = f", {percent(sizes[1] / sizes[0])} of one over the whole text" if len(sizes) == 2 else ""
        return f"{part.line}{takes}{of}"

    def warned(self, warning: str) -> Plan:
        """The same with one more warning."""
        last = self.models[-1].model_copy(update={"warnings": (*self.models[-1].warnings, warning)})
        return self.model_copy(update={"models": (*self.models[:-1], last)})

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
    repeats = settings.repeats if settings else 1
    items = [item for item in chosen_items(bench, settings or PlanSettings()) for _ in range(repeats)]
    return plan_items(bench, items, models, settings=settings, measured=measured)


def chosen_items(bench: Bench, settings: PlanSettings) -> list[Item]:
    """The items of the length, families and question types that a plan is about; by default all."""
    family = bench.info.family
    if settings.families and family not in settings.families:
        raise BadInput(f"--family: {bench.folder} is of family '{family}', not {', '.join(settings.families)}")
    asked = {bench.questions[name].question_type for item in bench.items.values() for name in item.questions}
    if unknown := [name for name in settings.types if name not in asked]:
        close = did_you_mean(unknown[0], asked)
        raise BadInput(f"--type: {bench.folder} has no questions of type '{unknown[0]}'.{close}")
    items = [
        item
        for item in bench.items.values()
        if not settings.types or any(bench.questions[name].question_type in settings.types for name in item.questions)
    ]
    axis = size_axis(family_view(family))
    if settings.at is None or axis is None:
        return items
    sizes = {item.id: size for item in items if isinstance(size := item.cell.get(axis.name), int | float)}
    longer = [size for size in sizes.values() if size >= settings.at]
    if not longer:
        raise BadInput(f"--at {length_label(settings.at)}: {bench.folder} has nothing of this length or a longer one")
    return [item for item in items if sizes.get(item.id) == min(longer)]


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
    family = get_family(bench.info.family)
    draft = cache(partial(_SharedPlan, bench, list(items), settings))
    return Plan(
        bench=bench.info.digest,
        models=tuple(draft(served_template(bench, model)).model(model, measured) for model in models),
        powers=powers(
            bench,
            detect=settings.detect / 100 if settings.detect else None,
            flag=family.spec_type.contexts_flag,
            chance=partial(part_of(family, Countable).chance, bench),
        ),
    )


class _SharedPlan:
    """What all models of a plan with the same chat template share."""

    def __init__(
        self, bench: Bench, items: Iterable[Item], settings: PlanSettings, template: ChatTemplate | None
    ) -> None:
        self._bench = bench
        self._settings = settings
        self._tree = tree_of(bench, items, template)
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
        workers = settings.workers or settings.concurrency or default_workers(model, settings.replicas)
        block = settings.block or provider_of(model).block
        answers = [min(one, settings.max_tokens or one) for one in self._needed]
        if (workers, block) not in self._schedules:
            self._schedules[workers, block] = schedule(
                tree, workers, replicas=settings.replicas, block=block, room=settings.cache_size, answers=answers
            )
        plan = self._schedules[workers, block]
        price, rule = price_of(model, settings.price, batch=settings.batch), rule_of(model)
        pace = self._pace(model, measured)
        billed = bill(tree, plan, answers, rule, pace, sharing=settings.sharing)
        cost, naive = _money(billed, price)
        computed = list(plan.computed if settings.sharing else tree.tokens)
        if rule:
            computed = [one.tokens - one.cached for one in billed]
        seconds = seconds_needed(tree, plan, answers, computed, pace, counts_cached=rule is None or rule.counts_cached)
        prefill = tree.prefill_tokens(block) if settings.sharing else tree.input_tokens
        return ModelPlan(
            model=model,
            requests=len(tree),
            requests_done=settings.repeats * self._bench.info.items - len(tree),
            input_tokens=tree.input_tokens,
            template_tokens=tree.template_tokens,
            prefill_tokens=prefill,
            cached_tokens=tree.input_tokens - prefill,
            output_tokens=sum(answers),
            answer_cap=max(map(self._caps(model), tree.items), default=0),
            cost=cost,
            cost_naive=naive,
            by_length=self._by_length(billed, price),
            seconds=seconds,
            speed=pace.speed,
            workers=workers,
            replicas=settings.replicas,
            block=block,
            cache_size=settings.cache_size,
            branches=len(plan.parts),
            prefill_workers=plan.prefill_tokens if settings.sharing else tree.input_tokens,
            caches=self._caches(plan, block, billed if rule else None),
            price=price,
            rule=rule,
            warnings=tuple(self._warnings(model, seconds, billed)),
        )

    def _pace(self, model: str, measured: Callable[[str], Speed | None] | None) -> Pace:
        settings = self._settings
        speed = Speed(prefill=settings.rate, decode=settings.rate_out) if settings.rate else None
        if speed is None and measured is not None and self._tree.items:
            speed = measured(model)
        return Pace(speed=speed, rpm=settings.rpm, tpm=settings.tpm)

    def _caps(self, model: str) -> AnswerCaps:
        how = self._settings
        return AnswerCaps(self._bench, model, most=how.max_tokens, sent=how.generation, reasons=how.reasoning)

    def _by_length(self, billed: Sequence[Billed], price: Price | None) -> tuple[LengthCost, ...]:
        axis = next((axis.name for axis in family_view(self._bench.info.family).axes if axis.unit == "tokens"), None)
        groups: dict[float, list[Billed]] = {}
        for item, one in zip(self._tree.items, billed, strict=True):
            if axis is not None and isinstance(length := item.cell.get(axis), int | float):
                groups.setdefault(float(length), []).append(one)
        found = []
        for length, own in sorted(groups.items()):
            cost, naive = (None if each is None else each / len(own) for each in _money(own, price))
            found.append(LengthCost(length=length, requests=len(own), cost=cost, uncached=naive))
        return tuple(found)

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


def _money(billed: Sequence[Billed], price: Price | None) -> tuple[float | None, float | None]:
    """The cost of the requests with the provider's cache, and without any."""
    if price is None:
        return None, None
    return dollars(billed, price), dollars([one._replace(cached=0, written=0) for one in billed], price)
