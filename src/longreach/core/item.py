"""An item: one model call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from .context import Context
from .model import Compact, compact

__all__ = ["AxisValue", "Cell", "Item", "Placement", "share_parts"]

AxisValue = str | int | float
Cell = dict[str, AxisValue]
"""An item's coordinates: axis name -> value, for instance length 1000, depth 50, prompt standard."""


@compact
class Placement(Compact):
    """Where a planted text starts in a context."""

    insert: str
    start: int
    """Byte offset in the context's text."""
    token: int
    """Tokens of the context before it."""


@compact
class Item(Compact):
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


def share_parts(items: Iterable[Item]) -> Iterator[Item]:
    """The same items with equal contexts, cells, placements and lists of questions as one object each: a benchmark
    then takes a few hundred bytes of memory per item."""
    known: dict[Any, Any] = {}
    for item in items:
        # By their text: 0 and 0.0 are equal but written differently.
        cells = {
            name: known.setdefault(str(cell), cell) for name, cell in (("cell", item.cell), ("realised", item.realised))
        }
        parts = {
            name: known.setdefault(part, part)
            for name, part in (("context", item.context), ("placed", item.placed), ("questions", item.questions))
        }
        yield item.model_copy(update=cells | parts)
