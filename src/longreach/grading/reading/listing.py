"""Lists in prose: "A, B and C", A、B和C."""

from __future__ import annotations

from longreach.grading.values.words import Reading

__all__ = ["list_parts"]

_SEPARATORS = frozenset(",;&、\n•·+*")
_HAN_AND = frozenset("和与及跟")


def list_parts(reading: Reading) -> list[tuple[int, int]]:
    """The parts between commas, "and" and similar, as spans; empty parts are skipped."""
    parts: list[tuple[int, int]] = []
    start = 0
    for at in range(len(reading.tokens) + 1):
        if at < len(reading.tokens) and not _separates(reading, at):
            continue
        if any(reading.tokens[i].kind != "mark" for i in range(start, at)):
            parts.append((start, at))
        start = at + 1
    return parts


def _separates(reading: Reading, at: int) -> bool:
    word = reading.word(at)
    if word in _SEPARATORS or word in {"and", "plus"}:
        return True
    if word in _HAN_AND or (word == "以" and reading.word(at + 1) == "及"):
        return True
    if word == "-":  # a bullet, not the hyphen of a name
        return not reading.touching(at + 1)
    return word in {".", "。", ":"} and not (word == "." and reading.touching(at + 1))
