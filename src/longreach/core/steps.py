"""How long operations report their progress."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["Step", "no_step"]

Step = Callable[[str, int, int], None]
"""Called with the current step, how many are done and how many there are (0 if not counted)."""


def no_step(what: str, done: int, total: int) -> None:
    """Report nothing."""
