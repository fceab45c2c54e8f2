"""The result of a comparison."""

from __future__ import annotations

from dataclasses import dataclass

from longreach.core.question import Key

__all__ = ["Finding", "key_forms"]


@dataclass(frozen=True, slots=True)
class Finding:
    """Right or wrong, and why."""

    right: bool
    reason: str
    certain: bool = True
    """Whether any careful reader would agree; uncertain findings may go to a judge."""


def key_forms(key: Key) -> tuple[str, ...]:
    """The canonical answer and all equally accepted forms."""
    return (key.answer, *key.accept)
