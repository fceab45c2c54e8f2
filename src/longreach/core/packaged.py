"""Tables that a package brings with it, beside its code: CSV, YAML, and text in sections."""

from __future__ import annotations

import csv
from functools import cache
from importlib.resources import files
from typing import Any

__all__ = ["csv_lines", "sections", "yaml_table"]


def csv_lines(package: str, path: str) -> list[dict[str, str]]:
    """The lines of a CSV file, each by column name."""
    return list(csv.DictReader(_text(package, path).splitlines()))


@cache
def yaml_table(package: str, path: str) -> dict[str, Any]:
    """A YAML mapping."""
    import yaml

    table: dict[str, Any] = yaml.load(_text(package, path), getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return table


@cache
def sections(package: str, path: str) -> dict[str, list[str]]:
    """The lines below each `== name`, without empty ones and comments."""
    found: dict[str, list[str]] = {}
    for line in map(str.strip, _text(package, path).splitlines()):
        if line.startswith("== "):
            lines = found.setdefault(line[3:], [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return found


def _text(package: str, path: str) -> str:
    return files(package).joinpath(path).read_text(encoding="utf-8")
