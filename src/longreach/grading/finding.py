"""What a comparison finds."""

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
    """Whether no careful reader could see it otherwise; what is not certain may go to a judge."""


def key_forms(key: Key) -> tuple[str, ...]:
    """The canonical answer and the other forms that are as good."""
    return (key.answer, *key.accept)
