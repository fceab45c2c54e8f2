"""A plan as text: one table that compares models, with details on request."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.core.measure import format_dollars, format_seconds, format_tokens

from .model_plan import ModelPlan

__all__ = ["table"]

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
    if unknown := _unknown(plans):
        lines.append(unknown)
    several = len(plans) > 1
    lines += [f"{plan.model + ', ' if several else ''}{plan.search.line()}" for plan in plans if plan.search]
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
        hints.append("time: give --rate, --rpm or --tpm")
    return f"unknown {'; '.join(hints)}" if hints else ""


def _saving(plan: ModelPlan) -> str:
    if plan.prefill_tokens >= plan.input_tokens:
        return ""
    return f", {plan.input_tokens / max(1, plan.prefill_tokens):.1f}x fewer by prefix caching"


def _details(plan: ModelPlan) -> list[str]:
    lines: list[str] = []
    if plan.requests_done:
        lines.append(f"done         {plan.requests_done} requests were answered before")
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
        lines.append(
            f"concurrency  {plan.workers} requests{over} over {parts} of the prefix tree: "
            f"{format_tokens(plan.prefill_workers)} prefill tokens if the last prompt of each is cached{split}"
        )
    if plan.price is None:
        lines.append("price        not in the price list; give --price [MODEL=]IN,CACHED,OUT")
    else:
        unknown = "; cost without cache: it is not known whether this server has one" if plan.rule is None else ""
        lines.append(f"price        {plan.price}{unknown if plan.price.costs else ''}")
    if plan.rule is not None and "provider" in plan.caches:
        best = "" if plan.rule.promised else " at best"
        lines.append(f"cache        {format_tokens(plan.caches['provider'])} prefill tokens{best} ({plan.rule.source})")
    else:
        rooms = [f"{format_tokens(plan.caches[key])} ({name})" for key, name in _ROOMS.items() if key in plan.caches]
        lines.append(
            f"cache        prefill tokens if a server has room for 1, 2 or 4 of the longest prompts: {', '.join(rooms)}"
        )
    return lines
