"""Tidy results: one `Call` per request, one `Row` per question."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pydantic import Field

from .item import Cell
from .model import Compact, WholeText, compact
from .verdict import Verdict

__all__ = ["Call", "Row", "run_seconds"]


@compact
class Call(Compact):
    """What one request returned and used."""

    model: str
    """The series: the model's name and, in brackets, the generation settings that differ from the benchmark's."""
    family: str
    bench: str
    """Digest of the benchmark."""
    item: str
    text: WholeText
    """The model's answer without its reasoning, if the provider separates the two; secrets removed."""
    reasoning: WholeText = ""
    """What the model wrote before its answer, if the provider sends it. Never graded."""
    stop: str = ""
    """Why the model stopped, in one vocabulary for all providers: `stop`, `max_tokens`, `model_length`,
    `content_filter`, `tool_calls`, ... Empty if the call failed."""
    error: WholeText = ""
    """A short message if the call failed for good."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Generation settings in force: temperature, reasoning effort, ..."""
    max_tokens: int | None = None
    """The output limit; None: the provider's own."""
    tokens_in: int = 0
    """All input tokens, cached ones included, as the provider counted them."""
    tokens_cached: int = 0
    """The part of `tokens_in` that the provider served from its cache."""
    tokens_out: int = 0
    """All output tokens, reasoning included."""
    tokens_reasoning: int = 0
    """The part of `tokens_out` that was reasoning, if the provider counts it."""
    seconds: float = 0.0
    ended: float = 0.0
    """When the answer came, in seconds since 1970; 0 if unknown."""
    cost: float | None = None
    """US dollars, if a price is known."""


def run_seconds(calls: Iterable[Call]) -> float:
    """How long some requests took together: the time in which at least one was in flight, without pauses between runs.
    Requests whose end is not known count one after another."""
    total, until = 0.0, float("-inf")
    for call in sorted(calls, key=lambda call: call.ended - call.seconds):
        if not call.ended:
            total += call.seconds
        elif call.ended > until:
            total += call.ended - max(until, call.ended - call.seconds)
            until = call.ended
    return total


@compact
class Row(Compact):
    """One question's result."""

    model: str
    family: str
    bench: str
    item: str
    other_items: tuple[str, ...] = ()
    """Further items whose answers count in this row, where a question is asked in parts."""
    question: str
    question_type: str
    cell: Cell
    """The axes as requested."""
    realised: Cell
    context: str = ""
    """Digest of the context it was asked about: rows with the same digest share it. Empty if unknown."""
    verdict: Verdict
    tokens_in: int
    """Request totals of the call, the same on all rows of an item; of all calls if several items are one row."""
    tokens_cached: int
    tokens_out: int
    seconds: float
    cost: float | None
    tokens_reasoning: int = 0
    settings: dict[str, Any] = Field(default_factory=dict)
    """Generation settings of the call."""

    @property
    def items(self) -> tuple[str, ...]:
        """All items behind it."""
        return (self.item, *self.other_items)
