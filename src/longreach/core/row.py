"""Tidy results: one `Call` per request, one `Row` per question."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from .item import Cell
from .model import Frozen, WholeText
from .verdict import Verdict

__all__ = ["Call", "Row"]


class Call(Frozen):
    """What one request returned and what it took."""

    model: str
    """The series: the model's name and, in brackets, the generation settings that differ from the benchmark's."""
    family: str
    bench: str
    """Digest of the benchmark."""
    item: str
    text: WholeText
    """The model's answer without its reasoning, where the provider sends that apart; secrets removed."""
    reasoning: WholeText = ""
    """What the model wrote before its answer, where the provider sends it. Never graded."""
    stop: str = ""
    """Why the model stopped, in one vocabulary for all providers: `stop`, `max_tokens`, `model_length`,
    `content_filter`, `tool_calls`, ... Empty when the call failed."""
    error: WholeText = ""
    """A short message where the call failed for good."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Generation settings in force: temperature, reasoning effort, ..."""
    max_tokens: int | None = None
    """The longest answer that was allowed; None: the provider's own limit."""
    tokens_in: int = 0
    """All input tokens, cached ones included, as the provider counted them."""
    tokens_cached: int = 0
    """The part of `tokens_in` that the provider served from its cache."""
    tokens_out: int = 0
    """All output tokens, reasoning included."""
    tokens_reasoning: int = 0
    """The part of `tokens_out` that was reasoning, where the provider counts it."""
    seconds: float = 0.0
    cost: float | None = None
    """US dollars, where a price is known."""


class Row(Frozen):
    """One question's result."""

    model: str
    family: str
    bench: str
    item: str
    question: str
    question_type: str
    cell: Cell
    """The axes as asked for."""
    realised: Cell
    context: str = ""
    """Digest of the context it was asked about: rows with the same one share it. Empty where it is not known."""
    verdict: Verdict
    tokens_in: int
    """Of the call that answered; the same on all rows of an item."""
    tokens_cached: int
    tokens_out: int
    seconds: float
    cost: float | None
    tokens_reasoning: int = 0
    settings: dict[str, Any] = Field(default_factory=dict)
    """Generation settings of the call."""
