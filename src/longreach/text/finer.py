"""Fallback places to split a text between the cuts of an index, from best to worst."""

from __future__ import annotations

import re
from collections.abc import Iterator

from longreach.core.offsets import Offsets, byte_places

__all__ = ["ends_between", "gaps_between", "lines_between"]

_IDEOGRAPH = "\u3400-\u4dbf\u4e00-\u9fff"
_SENTENCE = re.compile(r"""[.!?…][)\]"'”’»]*(?=\s)|[。！？…][”’」』）】]*""")
_LINE = re.compile(r"\S(?=[ \t]*\n)")
# A line end where the sentence does not visibly continue: after punctuation, or before an indented or numbered line.
_LOOSE_LINE = re.compile(r"[^\w\s,，、-](?=[ \t]*\n)|\S(?=[ \t]*\n(?:[ \t]*\n|[ \t]+|[-*•#(\d]))")
_CLAUSE = re.compile(rf"[;:,](?=\s)|[；：，、](?=[{_IDEOGRAPH}\s])")
_STRONG_CLAUSE = re.compile(rf"[;:](?=\s)|[；：](?=[{_IDEOGRAPH}\s])")
_WORD = re.compile(rf"\S(?=\s)|[{_IDEOGRAPH}](?=[{_IDEOGRAPH}])")


def ends_between(text: str) -> Iterator[Offsets]:
    """Where a text may stop, as byte offsets: after sentences, then lines, clauses, words."""
    return _levels(text, (_SENTENCE, _LINE, _CLAUSE, _WORD))


def gaps_between(text: str) -> Iterator[Offsets]:
    """Where something may be inserted without breaking a sentence: after sentences, then lines and strong clauses."""
    return _levels(text, (_SENTENCE, _LOOSE_LINE, _STRONG_CLAUSE))


def lines_between(text: str) -> Iterator[Offsets]:
    """Where something may be inserted into code: after lines before a blank or indented one, then after any line."""
    return _levels(text, (_LOOSE_LINE, _LINE))


def _levels(text: str, patterns: tuple[re.Pattern[str], ...]) -> Iterator[Offsets]:
    for pattern in patterns:
        yield byte_places(text, [found.end() for found in pattern.finditer(text)])
