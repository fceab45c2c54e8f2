"""What can go wrong with a call, in a word or two: how errors begin, and how a run's summary counts them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from longreach.core.row import Call

__all__ = ["CONNECTION", "EMPTY", "TIMED_OUT", "UNREADABLE", "count_faults", "fault_of", "told"]

TIMED_OUT = "timed out"
CONNECTION = "connection lost"
UNREADABLE = "unreadable reply"
EMPTY = "empty reply"

_STATUS = re.compile(r"HTTP \d{3}(?=: |$)")
_STOPS = {"model_length": "overflow", "content_filter": "refused", "max_tokens": "cut off"}
"""By why a model stopped; all others came to an end of their own."""
_ANSWERED = ("overflow", "refused", "cut off")


def fault_of(call: Call) -> str:
    """Why a call gave no whole answer; empty where it did."""
    if not call.error:
        return _STOPS.get(call.stop, "")
    if status := _STATUS.match(call.error):
        return status[0]
    known = (TIMED_OUT, CONNECTION, UNREADABLE, EMPTY)
    return next((kind for kind in known if call.error.startswith(kind)), "other")


def count_faults(calls: Iterable[Call]) -> dict[str, int]:
    """How many calls gave no whole answer, by why; the most frequent first."""
    counts = Counter(fault for call in calls if (fault := fault_of(call)))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def told(faults: dict[str, int], *, failed: bool) -> str:
    """'3 overflow, 1 refused' or, of the failed ones, '2 HTTP 503, 1 timed out'."""
    return ", ".join(f"{count} {fault}" for fault, count in faults.items() if (fault not in _ANSWERED) == failed)
