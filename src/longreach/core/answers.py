"""Answers imported from other systems: request ids for export, and where a folder of runs stores the imported calls."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from pathlib import Path

from .bench import Bench
from .disk import write_whole
from .row import Call
from .stored_calls import stored_calls

__all__ = ["IMPORTED", "imported_calls", "imported_file", "keep_answers", "overflowed", "request_id"]

IMPORTED = "imported"
"""The folder inside a folder of runs with imported answers: one file per model and benchmark, one line per call."""

_SUFFIX = ".calls.jsonl"
_SHORT = re.compile(r"[A-Za-z0-9_-]{1,55}")
"""Ids that every batch service accepts unchanged: with the nine-character digest prefix they stay within 64, the
strictest limit."""
_OVERFLOW = re.compile(
    r"""
    context[_ ]length[_ ]exceeded | context_window_exceeded | exceed_context_size | tokens_limit_reached
    | string_above_max_length | max(imum)?[ ](context|prompt|model|input)[ ]length | context[ ]window
    | exceeds?[ ]the[ ]maximum[ ](allowed[ ])?(input[ ])?length
    | (available|max|configured)[ ]context[ ]size | context[ ]length[ ]of | exceeds?[ ](the[ ])?context
    | context[ ]length[ ]is[ ]only | the[ ]model'?s[ ]context[ ]length | greater[ ]than[ ]the[ ]context[ ]length
    | exceed[ ]context[ ]limit | (prompt|input)[ ](is[ ])?too[ ]long | prompt[ ]exceeds[ ]max
    | too[ ]many[ ](input[ ])?tokens | input[ ]tokens?[ ](count|exceeded)
    | exceeds[ ]the[ ]maximum[ ]number[ ]of[ ]tokens
    | exceeded[ ]model[ ]token[ ]limit | range[ ]of[ ]input[ ]length | `inputs`[ ](tokens|must[ ]have)
    | reduce[ ](the|your)[ ](length[ ]of[ ](the|your)[ ])?(messages|prompt|input)
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BUSY = re.compile(
    r"HTTP 429|rate.?limit|throttl|per[ _](min|minute|day|hour)|please wait|\bTPM\b|quota", re.IGNORECASE
)
"""Rate limits, not context overflow: such a prompt fits when it is sent later."""


def request_id(bench: Bench, item: str) -> str:
    """The id of a request outside Longreach. It starts with the benchmark's digest, because two benchmarks often have
    items with the same id, and it is valid for any batch service."""
    name = item if _SHORT.fullmatch(item) else hashlib.sha256(item.encode()).hexdigest()[:40]
    return f"{bench.info.digest[:8]}-{name}"


def overflowed(message: str) -> bool:
    """Whether a provider's message reports that a prompt is longer than the model's window."""
    return bool(_OVERFLOW.search(message)) and not _BUSY.search(message)


def imported_file(runs: Path, model: str, digest: str) -> Path:
    """The file of a model's imported answers to a benchmark: a readable name with a unique end."""
    plain = re.sub(r"[^A-Za-z0-9._-]+", "-", model).strip("-.")[:60] or "model"
    unique = hashlib.sha256(f"{model}\n{digest}".encode()).hexdigest()[:16]
    return runs / IMPORTED / f"{plain}-{unique}{_SUFFIX}"


def imported_calls(runs: Path, damaged: list[str] | None = None) -> list[Call]:
    """Every imported call in a folder of runs; `damaged` as for `stored_calls`."""
    return [call for path in sorted((runs / IMPORTED).glob(f"*{_SUFFIX}")) for call in stored_calls(path, damaged)]


def keep_answers(path: Path, calls: Iterable[Call]) -> None:
    """Write imported calls atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, (call.model_dump_json() + "\n" for call in calls))
