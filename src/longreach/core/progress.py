"""How long operations report their progress; apart from the records, so that `--help` need not load them."""

from __future__ import annotations

from collections.abc import Callable

OnProgress = Callable[[str, int, int], None]
"""Called with the current step, how many are done and how many there are (0 if not counted)."""


def no_progress(what: str, done: int, total: int) -> None:
    """Report nothing."""
