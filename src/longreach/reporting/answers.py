"""All answers as a file beside a page that lists only some of them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from longreach.core.files import write_whole
from longreach.core.types import Row

__all__ = ["csv_field", "write_answers"]

_FORMULA = re.compile(
    r"[\t\r\n]|[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]"
)
"""The start of what a spreadsheet could run, also behind what it does not show; in some languages full-width too."""


def csv_field(value: Any) -> str:
    text = str(value)
    risky = _FORMULA.match(text) and not re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", text, re.ASCII | re.IGNORECASE)
    return f"'{text}" if risky else text


_HEAD = ("model", "family", "benchmark", "item", "question", "question_type", "status", "value", "answer", "reason")
_TOGETHER = 1000
"""Rows that are written at once."""


def write_answers(rows: Sequence[Row], path: Path) -> None:
    """Every answer as one line of CSV, with its axes in columns."""
    write_whole(path, _lines(rows))


def _lines(rows: Sequence[Row]) -> Iterator[str]:
    axes = list(dict.fromkeys(name for row in rows for name in row.cell))
    yield "\ufeff"
    yield _written([[*_HEAD, *axes]])
    for start in range(0, len(rows), _TOGETHER):
        yield _written([_cells(row, axes) for row in rows[start : start + _TOGETHER]])


def _cells(row: Row, axes: Sequence[str]) -> list[Any]:
    given = row.verdict
    own = (row.model, row.family, row.bench, row.item, row.question, row.question_type)
    value = "" if given.value is None else given.value
    return [*own, given.status, value, given.answer, given.reason, *(row.cell.get(name, "") for name in axes)]


def _written(lines: Sequence[Sequence[Any]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerows([csv_field(cell) for cell in line] for line in lines)
    # A lone surrogate, which a broken answer may contain, has no UTF-8 bytes.
    return text.getvalue().encode(errors="replace").decode()
