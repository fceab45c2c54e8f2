"""Failures of a call: how its error starts, whether a retry can help, how a summary counts it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from longreach.core.types import Call
from longreach.results.grading import only_reasoned

TIMED_OUT = "timed out"
SILENT = "no answer"
CONNECTION = "connection lost"
UNREACHABLE = "server unreachable"
UNREADABLE = "unreadable reply"
EMPTY = "empty reply"
UNFINISHED = "unfinished answer"

_STATUS = re.compile(r"HTTP \d{3}(?=: |$)")
_STOPS = {
    "model_length": "overflow",
    "content_filter": "refused",
    "max_tokens": "cut off",
    "tool_calls": "tool call",
    "cut": "prompt cut",
}
"""By stop reason; all others ended normally."""
_NO_ANSWER = "without an answer after reasoning"
_BLANK = "empty answer"
_ANSWERED = (*_STOPS.values(), _NO_ANSWER, _BLANK)
_MUTE = (_STOPS["content_filter"], _STOPS["tool_calls"], _NO_ANSWER, _BLANK)
"""Of them, those without a word to grade."""
_HOPELESS = re.compile(
    r"""
    ^HTTP[ ](3\d\d|401|402|403|404)\b
    | insufficient_quota | exceeded[ ]your[ ]current[ ]quota | credit[ ]balance[ ]is[ ]too[ ]low
    | (out[ ]of|insufficient|no)[ ](credits?|funds|balance) | billing_not_active | account[ ]is[ ]not[ ]active
    | chat[ _]template\b[^.]{0,80}\b(not[ ](set|defined|found)|no[ ]longer[ ]allowed|missing|required)
    | (no|a|any)[ ]chat[ _]template[ ](is[ ])?(if|defined|was|found|for)
    | invalid[ _]api[ _]key | incorrect[ ]api[ ]key
    | model_not_found | (unknown|invalid|unsupported|no[ ]such)[ ]model\b
    | model\b[^.]{0,120}\b(does[ ]not|doesn't)[ ]exist | model\b[^.]{0,120}\b(is[ ])?not[ ]found
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NO_TEMPLATE = re.compile(r"\bchat[ _]template\b", re.IGNORECASE)
_LATER = re.compile(r"(retry|try again) (in|after) \S*\d|per[ _](second|minute|min\b|hour|day)", re.IGNORECASE)
"""A temporary rate limit is no exhausted quota, though some providers use the same words for both."""


def hopeless(error: str) -> bool:
    """Whether every other request will fail the same way: a refused key, an unknown model, an exhausted quota, no
    server at the address."""
    return error.startswith(UNREACHABLE) or (bool(_HOPELESS.search(error)) and not _LATER.search(error))


def hint(error: str) -> str:
    """What to do about an error that affects every request; empty if that is not known."""
    if _NO_TEMPLATE.search(error):
        return "the model has no chat template: ask a base checkpoint as vllm-completions/NAME"
    return ""


def fault_of(call: Call) -> str:
    """Why a call gave no complete answer; empty if it did."""
    if not call.error:
        if only_reasoned(call) is not None:
            return _NO_ANSWER
        return _STOPS.get(call.stop, "" if call.text.strip() else _BLANK)
    return error_kind(call.error)


def error_kind(error: str) -> str:
    """'HTTP 503', 'timed out', ...: what kind of failure an error's text is."""
    if status := _STATUS.match(error):
        return status[0]
    known = (TIMED_OUT, SILENT, CONNECTION, UNREACHABLE, UNREADABLE, EMPTY, UNFINISHED)
    return next((kind for kind in known if error.startswith(kind)), "other")


def count_faults(calls: Iterable[Call]) -> dict[str, int]:
    """How many calls gave no complete answer, by reason; the most frequent first."""
    counts = Counter(fault for call in calls if (fault := fault_of(call)))
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])))


def silence(calls: Iterable[Call]) -> str:
    """How a model answered nothing at all: '12 refused, 6 empty answer'; empty if any call has an answer."""
    whole = [call for call in calls if not call.error]
    faults = count_faults(whole)
    mute = {kind: number for kind, number in faults.items() if kind in _MUTE}
    return fault_counts(mute, failed=False) if whole and sum(mute.values()) == len(whole) else ""


def fault_counts(faults: dict[str, int], *, failed: bool) -> str:
    """'3 overflow, 1 refused' or, for failed ones, '2 HTTP 503, 1 timed out'."""
    return ", ".join(f"{count} {fault}" for fault, count in faults.items() if (fault not in _ANSWERED) == failed)
