"""Tidy results: one call a model call, one row a question."""

from __future__ import annotations

from .item import Cell
from .model import Frozen, WholeText
from .verdict import Verdict

__all__ = ["Call", "Row"]


class Call(Frozen):
    """What one model call gave back and what it took."""

    model: str
    family: str
    bench: str
    """Digest of the benchmark."""
    item: str
    text: WholeText
    """The model's answer, untouched."""
    stop: str = ""
    """Why the model stopped, in the provider's words made one: `stop`, `max_tokens`, `model_length`,
    `content_filter`, ... Empty when the call failed."""
    error: WholeText = ""
    """A short message where the call failed for good."""
    tokens_in: int = 0
    """All input tokens, cached ones included, as the provider counted them."""
    tokens_cached: int = 0
    """The part of `tokens_in` that the provider served from its cache."""
    tokens_out: int = 0
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
