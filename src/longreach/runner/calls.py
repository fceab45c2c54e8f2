"""A model's output as Longreach's data; reading one does not need Inspect."""

from __future__ import annotations

import time
from typing import Any

from longreach.core.row import Call
from longreach.errors import one_line
from longreach.models.prices import Price

__all__ = ["call_of", "reasoning_of", "usage_fields"]


def usage_fields(output: Any) -> dict[str, Any]:
    """Token counts of an output: input tokens include cached ones, output tokens include reasoning."""
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


def call_of(
    output: Any, item: str, *, model: str, family: str, bench: str, price: Price | None, failed: str = "", **more: Any
) -> Call:
    """One finished request as a `Call`."""
    used = usage_fields(output)
    cost = None
    if price is not None and used:
        written = output.usage.input_tokens_cache_write or 0
        cost = price.cost(used["tokens_in"], used["tokens_cached"], used["tokens_out"], written)
    failed = output.error or failed
    text = output.completion if output.choices else ""
    reasoning = reasoning_of(output)
    return Call(
        model=model,
        family=family,
        bench=bench,
        item=item,
        text=text,
        reasoning=reasoning,
        stop="" if failed else output.stop_reason,
        error=one_line(failed) if failed else "",
        tokens_reasoning=_reasoning_tokens(output, used.get("tokens_out", 0), text, reasoning),
        seconds=round(output.time or 0.0, 3),
        ended=round(time.time(), 3),
        cost=cost,
        **used,
        **more,
    )


def reasoning_of(output: Any) -> str:
    """The reasoning that a provider sent beside the answer."""
    content = output.choices[0].message.content if output.choices else ""
    if isinstance(content, str):
        return ""
    parts = [part for part in content if getattr(part, "type", "") == "reasoning" and not part.redacted]
    return "\n".join(part.reasoning or part.summary or "" for part in parts).strip()


def _reasoning_tokens(output: Any, tokens_out: int, text: str, reasoning: str) -> int:
    """Reasoning tokens as the provider counts them; else by the share of characters."""
    counted = output.usage.reasoning_tokens if output.usage is not None else None
    if counted is not None or not reasoning:
        return int(counted or 0)
    return round(tokens_out * len(reasoning) / (len(reasoning) + len(text)))
