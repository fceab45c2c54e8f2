"""An item: one model call."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AfterValidator, Field

from .context import Context
from .model import Compact, compact

__all__ = ["AxisValue", "Cell", "Item", "Placement", "SharedParts"]


def _plain_name(name: str) -> str:
    """A name that is printable and cannot be taken for a path out of a folder."""
    parts = name.replace("\\", "/").split("/")
    if not name.isprintable() or len(name) > 300 or {"", ".", ".."} & {part.strip() for part in parts}:
        raise ValueError("give a plain name of up to 300 printable characters")
    return name


AxisValue = str | int | float
Cell = dict[str, AxisValue]
"""An item's coordinates: axis name -> value, for instance length 1000, depth 50, prompt standard."""


@compact
class Placement(Compact):
    """Where a planted text starts in a context."""

    insert: str
    start: int = Field(ge=0)
    """Byte offset in the context's text."""
    token: int = Field(ge=0)
    """Tokens of the context before it."""


@compact
class Item(Compact):
    """One model call. Questions are referenced by id and stored once in the benchmark."""

    id: Annotated[str, AfterValidator(_plain_name)]
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
    tokens: int = Field(ge=0)
    """Exact tokens of the whole prompt as sent (without the provider's chat template)."""
    through_context: int = Field(ge=0)
    """Tokens of the prompt up to the end of the context: shared with other prompts over the same context."""
    through_rules: int = Field(ge=0)
    """Tokens of the prompt up to its first question: shared with other questions under the same prompt."""
    sha256: str
    """sha256 of the whole prompt's UTF-8 bytes."""


class SharedParts:
    """The distinct contexts, cells, placements and lists of questions of a benchmark's items. Items that refer to them
    take a few hundred bytes of memory each."""

    def __init__(self) -> None:
        self._known: dict[Any, Any] = {}

    def item(self, item: Item) -> Item:
        """The same item with shared parts."""
        # Cells by their text: 0 and 0.0 are equal but written differently.
        parts = {name: self._known.setdefault(str(part), part) for name in _CELLS if (part := getattr(item, name))}
        for name in _PARTS:
            part = getattr(item, name)
            parts[name] = self._known.setdefault(part, part)
        return item.model_copy(update=parts)


_CELLS, _PARTS = ("cell", "realised"), ("context", "placed", "questions")
