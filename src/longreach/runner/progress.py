"""Progress on a terminal: done, left, tokens, seconds. One line that is rewritten, or a line now and then in a log."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Sequence
from typing import Self, TextIO

from longreach.core.formatting import format_dollars, format_tokens
from longreach.core.types import Call, Item, run_seconds

_EVERY = 10.0  # seconds between lines where the stream is not a terminal


class Progress:
    """Counts calls as they finish and extrapolates the time left."""

    def __init__(self, model: str, stream: TextIO) -> None:
        self._model = model
        self._cost = 0.0
        self._stream = stream
        self._live = stream.isatty()
        self._left = Counter[str]()
        self._started = False
        self._before = self._done = self._failed = self._reused = self._sent = self._cached = self._out = 0
        self._calls: list[Call] = []
        self._begun = self._reported = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._started:
            self._report(run_seconds(self._calls), end="\n")

    def start(self, items: Sequence[Item]) -> None:
        """Set the number of calls to make."""
        self._left, self._before = Counter(item.id for item in items), self._done
        self._started = True
        self._begun = self._reported = time.monotonic()
        self._report()

    def call(self, item: str, call: Call) -> None:
        """Count one finished call; one that is reused takes and costs nothing."""
        self._left[item] = max(0, self._left[item] - 1)
        if call.reused:
            self._reused += 1
            return
        self._done += 1
        self._calls.append(call.model_copy(update={"text": "", "reasoning": ""}))
        self._failed += bool(call.error)
        self._sent += call.tokens_in
        self._cached += call.tokens_cached
        self._out += call.tokens_out
        self._cost += call.cost or 0.0
        now = time.monotonic()
        if self._live or now - self._reported >= _EVERY:
            self._reported = now
            self._report()

    def _report(self, took: float | None = None, end: str = "") -> None:
        spent = time.monotonic() - self._begun if took is None else took
        left = self._left.total()
        now = self._done - self._before
        eta = f", about {_clock(spent / now * left)} left" if now and left else ""
        failed = f", {self._failed} failed" if self._failed else ""
        reused = f", {self._reused} from cache" if self._reused else ""
        cost = ""
        if self._cost:
            ahead = f", about {format_dollars(self._cost / self._done * left)} to come" if self._done and left else ""
            cost = f", {format_dollars(self._cost)} spent{ahead}"
        line = (
            f"{self._model}: {self._done} done{failed}{reused}, {left} left, {format_tokens(self._sent)} tokens in "
            f"({format_tokens(self._cached)} cached), {format_tokens(self._out)} out{cost}, {_clock(spent)}{eta}"
        )
        if self._live:
            self._stream.write(f"\r\x1b[K{line}{end}")
        else:
            self._stream.write(f"{line}\n")
        self._stream.flush()


def _clock(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}m{rest:02}s" if minutes else f"{rest}s"
