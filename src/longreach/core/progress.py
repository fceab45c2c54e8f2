"""How long work reports its progress, and the line that shows it; apart from the records, so that `--help` need not
load them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Self, TextIO

OnProgress = Callable[[str, int, int], None]
"""Called with the current step, how many are done and how many there are (0 if not counted)."""


def no_progress(what: str, done: int, total: int) -> None:
    """Report nothing."""


_SILENT = {True: 2.0, False: 30.0}
"""Seconds before anything is shown, on a terminal and in a log."""
_EVERY = {True: 0.5, False: 30.0}
"""Seconds between updates."""


class ProgressLine:
    """Shows the present step, its count and the elapsed time, from a thread of its own: nothing for a while, then one
    line that is rewritten."""

    def __init__(self, stream: TextIO, silent: float | None = None) -> None:
        self._stream = stream
        self._live = stream.isatty()
        self._silent = _SILENT[self._live] if silent is None else silent
        self._step = ("", 0, 0)
        self._shown = False
        self._ended = threading.Event()
        self._begun = time.monotonic()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def __enter__(self) -> Self:
        self._begun = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ended.set()
        self._thread.join()
        if self._shown and self._live:
            self._stream.write("\r\x1b[K")
            self._stream.flush()

    def __call__(self, what: str, done: int = 0, total: int = 0) -> None:
        """The work is now at this step."""
        self._step = (what, done, total)

    def _watch(self) -> None:
        wait = self._silent
        while not self._ended.wait(wait):
            wait = _EVERY[self._live]
            what, done, total = self._step
            if what:
                count = f" {done:,} of {total:,}" if total else ""
                line = f"{what}{count}, {time.monotonic() - self._begun:.0f} s"
                self._stream.write(f"\r\x1b[K{line}" if self._live else f"{line}\n")
                self._stream.flush()
                self._shown = True
