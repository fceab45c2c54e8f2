"""What a test needs to be there, and to be of its kind, before it looks at it."""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")


def some(value: T | None) -> T:
    assert value is not None
    return value


def of(kind: type[T], value: object) -> T:
    assert isinstance(value, kind), value
    return value
