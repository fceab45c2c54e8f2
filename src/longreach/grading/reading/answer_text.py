"""The text of one answer without its markup, and its words."""

from __future__ import annotations

import re
import unicodedata

__all__ = ["WORD", "unwrapped", "words_of"]

WORD = re.compile(r"[^\W_]+")
_WRAPPERS = (("[", "]"), ("【", "】"), ("［", "］"), ("**", "**"), ("__", "__"), ("`", "`"), ("*", "*"), ("_", "_"))


def unwrapped(answer: str) -> str:
    """An answer without what encloses all of it: brackets, emphasis, the quotes of a list of strings."""
    answer = re.sub(r"^(?:\*\*|__|\*|_) +(?=\S)", "", answer.strip().rstrip("|").rstrip())  # closes the label
    if "\n" not in answer:
        answer = re.sub(r"^(?:>\s?)*(?:(?:[-–—•·+]|\*(?=\s))\s+)?", "", answer)
    for mark in ("**", "__"):
        if answer.count(mark) == 1:
            answer = answer.removeprefix(mark).removesuffix(mark).strip()
    changed = True
    while changed:
        changed = False
        for left, right in _WRAPPERS:
            inner = answer[len(left) : len(answer) - len(right)]
            wraps = len(answer) >= len(left) + len(right) and answer.startswith(left) and answer.endswith(right)
            if wraps and left not in inner and right not in inner:
                answer, changed = inner.strip(), True
    return answer if WORD.search(answer) else ""


def words_of(answer: str) -> list[str]:
    """The words by which two answers to one question are compared."""
    return WORD.findall(unicodedata.normalize("NFKC", answer).casefold())
