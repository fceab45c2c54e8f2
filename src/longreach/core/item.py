"""An item: one model call."""

from __future__ import annotations

from .context import Context
from .model import Frozen

__all__ = ["AxisValue", "Cell", "Item", "Placement"]

AxisValue = str | int | float
Cell = dict[str, AxisValue]
"""An item's coordinates: axis name -> value, for instance length 1000, depth 50, prompt standard."""


class Placement(Frozen):
    """Where a planted text starts in a context."""

    insert: str
    start: int
    """Byte offset in the context's text."""
    token: int
    """Tokens of the context before it."""


class Item(Frozen):
    """One model call. Questions are referenced by id and stored once in the benchmark."""

    id: str
    family: str
    context: Context
    prompt: str
    """Id of the prompt."""
    questions: tuple[str, ...]
    cell: Cell
    """The axes as requested."""
    realised: Cell
    """The axes as realised: sentence ends and whole facts shift them a little."""
    placed: tuple[Placement, ...]
    tokens: int
    """Exact tokens of the whole prompt as sent (without the provider's chat template)."""
    through_context: int
    """Tokens of the prompt up to the end of the context: shared with other prompts over the same context."""
    through_rules: int
    """Tokens of the prompt up to its first question: shared with other questions under the same prompt."""
    sha256: str
    """sha256 of the whole prompt's UTF-8 bytes."""
