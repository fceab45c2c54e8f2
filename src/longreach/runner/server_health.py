"""Whether a server still works: what its answers took, since when it has only failed, and how long it is waited for."""

from __future__ import annotations

import time
from collections.abc import Callable

from longreach.core.formatting import count, format_seconds
from longreach.errors import Stopped, one_line

from .faults import CONNECTION, SILENT, UNREACHABLE, error_kind

DEAD_AFTER = 90.0
"""Seconds of nothing but failures after which a server is dead."""
_DEAD_REQUESTS, _BROKEN_REQUESTS = 3, 10
"""So many requests must have failed meanwhile: of a server that is gone, and of one that replies with errors."""
_HANGS_AFTER = 3
"""Attempts in a row without a byte of an answer."""
LEAST_PATIENCE = 60.0
_TIMES = 3.0
"""A first byte may take so many times what its prompt is planned to take."""
_SLOW_PREFILL, _SLOW_DECODE = 200.0, 10.0
"""Tokens per second of a server of which nothing is known: 128k tokens get the half hour that an attempt has."""
_TELLING = 1000
"""Tokens of a prompt whose first byte tells how fast the server reads."""
_GONE = (UNREACHABLE, CONNECTION, SILENT, "HTTP 502", "HTTP 503", "HTTP 504")
_LOOK = 5.0
_LOOK_TIMEOUT = 10.0


class ServerHealth:
    """What a run knows of its server, over all of its requests."""

    def __init__(self, *, prefill: float | None = None, wait: float = 0.0) -> None:
        """`prefill` is the planned speed in tokens per second; a server that is gone is waited for `wait` seconds."""
        self.address = "the server"
        self.trouble = ""
        """Why nothing more is sent to it; empty while it works."""
        self.last_error = ""
        self._prefill = prefill
        self._slowest: float | None = None
        self._wait = wait
        self._in_flight = 0
        self._failing_since: float | None = None
        self._lost_since: float | None = None
        self._lost: set[str] = set()
        """Requests that failed since then."""
        self._silent = 0

    @property
    def failing(self) -> float:
        """Seconds since the first failure after which nothing succeeded; 0 while it works."""
        return 0.0 if self._failing_since is None else time.monotonic() - self._failing_since

    @property
    def lost(self) -> float:
        """The same of failures that a server without a fault of its own does not send."""
        return 0.0 if self._lost_since is None else time.monotonic() - self._lost_since

    def waits(self, error: str) -> bool:
        """Whether a request that failed so is sent again however often it was: the server may come back."""
        return self._wait > 0 and not self.trouble and error_kind(error) in _GONE and self.lost < self._wait

    def sent(self, tokens: int) -> None:
        self._in_flight += tokens

    def ended(self, tokens: int) -> None:
        self._in_flight -= tokens

    def patience(self, tokens: int, answer: int | None, *, streams: bool) -> float | None:
        """Seconds without a byte after which a request of so many tokens is given up; None: no limit of its own. What
        is in flight beside it may be computed first; without a stream the whole `answer` comes before the first
        byte."""
        if not tokens or (not streams and answer is None):
            return None
        planned = max(tokens, self._in_flight) / (self._prefill or self._slowest or _SLOW_PREFILL)
        written = 0.0 if streams else (answer or 0) / _SLOW_DECODE
        return max(LEAST_PATIENCE, _TIMES * (planned + written))

    def heard(self) -> None:
        """A part of an answer came."""
        self._silent = 0

    def answered(self, tokens: int, seconds: float) -> None:
        """An answer to so many tokens, whose first byte took so long."""
        self._failing_since = None
        self._works()
        if tokens >= _TELLING and seconds > 0:
            self._slowest = min(self._slowest or tokens / seconds, tokens / seconds)

    def failed(self, error: str, request: str, *, passing: bool) -> None:
        """An attempt failed; `passing`, in a way that may pass. A refused request shows a server that works."""
        self.last_error = one_line(error)
        self._failing_since = self._failing_since or time.monotonic()
        if not passing:
            self._works()
            return
        self._lost_since = self._lost_since or time.monotonic()
        self._lost.add(request)
        self._silent = self._silent + 1 if error_kind(error) == SILENT else 0
        self.trouble = self.trouble or self._found()

    def _works(self) -> None:
        self._lost_since, self._silent = None, 0
        self._lost.clear()

    def _found(self) -> str:
        """What the failures so far show; empty if they do not."""
        if self._silent >= _HANGS_AFTER:
            return f"{self.address} hangs: three requests in a row got no byte of an answer ({self.last_error})"
        needed = _DEAD_REQUESTS if error_kind(self.last_error) in _GONE else _BROKEN_REQUESTS
        needed = 1 if self._wait else needed
        if self.lost < max(DEAD_AFTER, self._wait) or len(self._lost) < needed:
            return ""
        requests = count(len(self._lost), "request")
        return f"{self.address} does not answer: {requests} in {format_seconds(self.lost)} failed ({self.last_error})"


def wait_for_server(address: str, seconds: float, note: Callable[[str], None] | None = None) -> None:
    """Wait until something at an address answers, whatever it says; after so many seconds raise `Stopped`."""
    import httpx

    begun, noted = time.monotonic(), False
    while True:
        try:
            status = httpx.get(f"{address.rstrip('/')}/models", timeout=_LOOK_TIMEOUT).status_code
            problem = f"HTTP {status}" if status in (502, 503, 504) else ""
        except httpx.HTTPError as error:
            problem = one_line(str(error) or type(error).__name__)
        if not problem:
            return
        left = seconds - (time.monotonic() - begun)
        if left <= 0:
            raise Stopped(
                f"{address} did not answer within {format_seconds(seconds)} ({problem}); nothing was sent, the same "
                f"command tries again"
            )
        if note is not None and not noted:
            noted = True
            note(f"waiting for {address}, up to {format_seconds(seconds)} ({problem})")
        time.sleep(min(_LOOK, left))
