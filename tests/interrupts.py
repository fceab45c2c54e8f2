"""For processes that a test interrupts."""

from __future__ import annotations

import signal


def heed_interrupts() -> None:
    """Before a process starts: what runs in the background of a shell has been told to ignore interrupts."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)
