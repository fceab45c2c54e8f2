"""A plan for a person to read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from longreach.core.measure import format_dollars, format_seconds, format_tokens

if TYPE_CHECKING:
    from .plan import ModelPlan

__all__ = ["model_line", "table"]

_NAMES = {"blocks_1x": "1 x", "blocks_2x": "2 x", "blocks_4x": "4 x"}


def model_line(plan: ModelPlan) -> str:
    """A model's plan in one line."""
    saved = plan.input_tokens / max(1, plan.prefill_tokens)
    less = f", {saved:.1f} x less by shared beginnings" if plan.prefill_tokens < plan.input_tokens else ""
    cost = "cost unknown" if plan.cost is None else format_dollars(plan.cost)
    time = "" if plan.seconds is None else f", {format_seconds(plan.seconds)}"
    done = f" ({plan.requests_done} done before)" if plan.requests_done else ""
    return (
        f"{plan.model}: {plan.requests} requests{done}, {format_tokens(plan.input_tokens)} tokens in "
        f"({format_tokens(plan.prefill_tokens)} to compute{less}), "
        f"up to {format_tokens(plan.output_tokens)} out, {cost}{time}"
    )


def table(plans: Sequence[ModelPlan]) -> list[str]:
    """One row a model, and below it what stands behind the numbers."""
    rows = [_HEAD, *(_row(plan) for plan in plans)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD))]
    aligned = [
        "  ".join(
            [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        )
        for row in rows
    ]
    return [aligned[0], *(line for row, plan in zip(aligned[1:], plans, strict=True) for line in (row, *_behind(plan)))]


_HEAD = ("model", "requests", "tokens in", "to compute", "tokens out", "cost", "time")


def _row(plan: ModelPlan) -> tuple[str, ...]:
    return (
        plan.model,
        str(plan.requests),
        format_tokens(plan.input_tokens),
        format_tokens(plan.prefill_tokens),
        f"up to {format_tokens(plan.output_tokens)}",
        "unknown" if plan.cost is None else format_dollars(plan.cost),
        "unknown" if plan.seconds is None else format_seconds(plan.seconds),
    )


def _behind(plan: ModelPlan) -> list[str]:
    lines: list[str] = []
    if plan.requests_done:
        lines.append(f"done     {plan.requests_done} requests were answered before")
    if plan.prefill_tokens < plan.input_tokens:
        saved = plan.input_tokens / max(1, plan.prefill_tokens)
        lines.append(
            f"order    {saved:.1f} x less to compute by shared beginnings, on a server that keeps the last prompt"
        )
    if plan.workers > 1:
        parts = "1 branch" if plan.branches == 1 else f"{plan.branches} branches"
        lines.append(
            f"workers  {plan.workers} over {parts}: {format_tokens(plan.prefill_workers)} to compute where the last "
            f"prompt of each is kept"
        )
    if plan.price is None:
        lines.append("price    not known for this model, so tokens only; give --price IN,CACHED,OUT")
    else:
        naive = (
            f"; {format_dollars(plan.cost_naive)} without a cache"
            if plan.cost_naive and plan.cost != plan.cost_naive
            else ""
        )
        lines.append(f"price    {plan.price}{naive}")
    if plan.rule is not None and "provider" in plan.caches:
        sure = "" if plan.rule.promised else "at best, "
        lines.append(f"cache    {format_tokens(plan.caches['provider'])} to compute {sure}by {plan.rule.source}")
    else:
        blocks = [f"{format_tokens(plan.caches[key])} ({name})" for key, name in _NAMES.items() if key in plan.caches]
        lines.append(f"cache    a server with room for 1, 2, 4 of the longest prompts computes {', '.join(blocks)}")
    return [*(f"  {line}" for line in lines), *(f"  warning: {warning}" for warning in plan.warnings)]
