"""JSON lines: one document per line."""

from __future__ import annotations

import json
from typing import Any

from longreach.errors import one_line

from .found import Found, Unreadable, Warn
from .plain import decode, normalise

__all__ = ["TEXT_FIELDS", "read_jsonl"]

TEXT_FIELDS = ("text", "content", "body", "story")
"""Fields that may hold a record's text; the first non-empty one is used."""
_NAMED = 10


def read_jsonl(data: bytes, warn: Warn) -> list[Found]:
    """The records with text; bad lines are skipped with a warning (the first ten, then counted)."""
    found: list[Found] = []
    bad = 0
    # Not splitlines: a JSON string may contain other line separators.
    for number, line in enumerate(decode(data).split("\n"), start=1):
        if not line.strip():
            continue
        try:
            found.append(_record(line, number))
        except Unreadable as reason:
            bad += 1
            if bad <= _NAMED:
                warn(f"line {number}: {reason}; left out")
    if bad > _NAMED:
        warn(f"{bad - _NAMED:,} more bad lines left out")
    if not found:
        raise Unreadable(f"no record with one of the fields {', '.join(TEXT_FIELDS)}")
    return found


def _record(line: str, number: int) -> Found:
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise Unreadable(f"not JSON ({one_line(str(error), 80)})") from None
    if not isinstance(record, dict):
        raise Unreadable(f"not a JSON object but {type(record).__name__}")
    for field in TEXT_FIELDS:
        text = record.get(field)
        if isinstance(text, str) and normalise(text):
            title, record_id = record.get("title"), record.get("id")
            return Found(
                text,
                title=title if isinstance(title, str) else "",
                line=number,
                record_id=record_id if isinstance(record_id, str) else None,
            )
    raise Unreadable(f"no text in any of the fields {', '.join(TEXT_FIELDS)}")
