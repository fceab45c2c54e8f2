"""Whether the sentence that a model quotes is the source of its answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import fuzz

from longreach.text.presence import fold

_LINE = re.compile(
    r"^[\s*_`#>\-]*(?:evidence|quote|证据|依据|原文)[\s*_`]{0,20}(?:\d{1,2})?[\s*_`]{0,20}[:：]\s*(.*)$", re.IGNORECASE
)
_ANSWER = re.compile(r"^[\s*_`#>\-]*(?:final\s+)?(?:answer|答案)", re.IGNORECASE)
_MARKS = "\"“”'‘’「」『』*_`>…. \t-"
_SAME = 90.0
"""Percentage of a quotation that must match the text: line breaks, markup and typing errors are tolerated."""
_LEAST = 0.5
"""Minimum share of the sentence that must be quoted."""
_MOST = 4
"""A quotation this many times longer than the sentence is not specific."""
_PASSAGE = 900
"""A text longer than this is a whole passage, of which one sentence is enough."""
_LEAST_OF_PASSAGE = 20


def read_quotes(text: str) -> list[str]:
    """The quotes that an answer gives as evidence, line by line; lines below an empty EVIDENCE line count until the
    answer.
    """
    quotes: list[str] = []
    below = False
    for line in text.splitlines():
        match = _LINE.match(line)
        if match:
            below = not match[1].strip(_MARKS)
            if not below:
                quotes.append(match[1].strip(_MARKS))
        elif _ANSWER.match(line):
            below = False
        elif below and line.strip(_MARKS):
            quotes.append(line.strip(_MARKS))
    return quotes


def evidence_fault(text: str, sources: Sequence[str]) -> str:
    """Why an answer's evidence does not match its source; empty where all of it is quoted."""
    quotes = read_quotes(text)
    if not quotes:
        return "no evidence quoted"
    missing = sum(not any(_agrees(quote, source) for quote in (*quotes, " ".join(quotes))) for source in sources)
    if not missing:
        return ""
    return (
        "wrong evidence" if missing == len(sources) else f"evidence for {missing} of {len(sources)} statements missing"
    )


def _agrees(quote: str, source: str) -> bool:
    quoted, wanted = fold(quote.strip(_MARKS)), fold(source.strip(_MARKS))
    if not quoted:
        return False
    if len(wanted) > _PASSAGE:
        return len(quoted) >= _LEAST_OF_PASSAGE and fuzz.partial_ratio(quoted, wanted) >= _SAME
    if len(quoted) < _LEAST * len(wanted) or len(quoted) > _MOST * len(wanted) + _LEAST_OF_PASSAGE:
        return False
    return fuzz.partial_ratio(quoted, wanted) >= _SAME
