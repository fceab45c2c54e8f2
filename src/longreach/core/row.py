"""Tidy results: one `Call` per request, one `Row` per question."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import AfterValidator, BeforeValidator, Field

from longreach.errors import printable

from .item import Cell
from .model import Compact, WholeText, compact
from .verdict import Verdict

__all__ = ["LARGEST_COUNT", "Call", "Row", "bounded"]

LARGEST_COUNT = 10**12
"""No count of tokens, seconds or dollars is larger: what a server or a file says beyond it is cut to it."""


def bounded(number: Any) -> Any:
    """A number between 0 and `LARGEST_COUNT`; 0 for one that is not finite. Other values are left to their checks."""
    if isinstance(number, float) and not math.isfinite(number):
        return 0
    return min(max(number, 0), LARGEST_COUNT) if isinstance(number, int | float) else number


_Count = Annotated[int, AfterValidator(bounded)]
_Amount = Annotated[float, BeforeValidator(bounded)]


@compact
class Call(Compact):
    """What one request returned and used."""

    model: Annotated[str, AfterValidator(printable)]
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
    max_tokens: _Count | None = None
    """The output limit; None: the provider's own."""
    tokens_in: _Count = 0
    """All input tokens, cached ones included, as the provider counted them."""
    tokens_cached: _Count = 0
    """The part of `tokens_in` that the provider served from its cache."""
    tokens_out: _Count = 0
    """All output tokens, reasoning included."""
    tokens_reasoning: _Count = 0
    """The part of `tokens_out` that was reasoning, if the provider counts it."""
    uncounted: bool = False
    """The server sent no token counts: these are Longreach's own."""
    reused: bool = False
    """Taken from an earlier run at no cost, not requested."""
    seconds: _Amount = 0.0
    cost: _Amount | None = None
    """US dollars, if a price is known."""


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
    reused: bool = False
    """Whether its answer was taken from an earlier run."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """Generation settings of the call."""

    @property
    def items(self) -> tuple[str, ...]:
        """All items behind it."""
        return (self.item, *self.other_items)
