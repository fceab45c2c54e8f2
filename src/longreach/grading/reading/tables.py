"""Tables in answers: rows of cells between bars, in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterator

__all__ = ["table_records", "tables"]

_RULE = re.compile(r"[\s|:+=\-—]+")


def tables(text: str) -> Iterator[tuple[list[list[str]], bool, int, int]]:
    """Every table: its rows of cells, whether the first row is a heading, and its position."""
    rows: list[list[str]] = []
    heading = False
    start = at = 0
    for line in (*text.splitlines(keepends=True), ""):
        bare = line.strip()
        if bare.count("|") >= 1 and (
            bare.startswith("|")
            or bare.endswith("|")
            or (rows and "|" in bare)
            or bare.count("|") >= 2
            or " | " in bare
        ):
            start = start if rows else at
            if _RULE.fullmatch(bare):
                heading = heading or len(rows) == 1
            else:
                inside = bare.removeprefix("|")
                inside = inside.removesuffix("|") if not inside.endswith("\\|") else inside
                rows.append([cell.strip() for cell in re.split(r"(?<!\\)\|", inside)])
        elif rows:
            yield rows, heading, start, at
            rows, heading = [], False
        at += len(line)


def table_records(text: str) -> Iterator[tuple[dict[str, str] | list[dict[str, str]], int, int]]:
    """Tables as records: one per row under a heading, or one for a table of names and values."""
    for rows, heading, start, end in tables(text):
        if heading and len(rows) > 1:
            records = [dict(zip(rows[0], row, strict=False)) for row in rows[1:]]
            yield (records[0] if len(records) == 1 else records), start, end
            if all(len(row) == 2 for row in rows):
                yield {row[0]: row[1] for row in rows[1:]}, start, end
        elif rows and all(len(row) == 2 for row in rows):
            yield {row[0]: row[1] for row in rows}, start, end
