"""Shared types of all languages: terms that can be answers, and facts that can be asked about."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field

__all__ = ["LEANS", "NARRATED", "Dated", "Fact", "Sentence", "Term"]


LEANS = "leans on what comes before it"
"""Why a sentence does not stand alone."""
NARRATED = "narrated"
"""The unit of an event whose value is its place in a narrative."""


@dataclass(frozen=True)
class Sentence:
    """A sentence in its passage."""

    passage: int
    number: int
    """Counts from 0 within the document."""
    raw: str
    """As in the passage."""
    text: str
    """On one line, without link and emphasis markup."""
    content: frozenset[str]
    """The words that carry its meaning."""
    whole: bool = True
    """False for headings, list fragments, table rows and page furniture."""


@dataclass(frozen=True)
class Term:
    """A possible answer and its position: only terms of the same kind and form can be options of one question."""

    kind: str
    form: tuple[Hashable, ...]
    text: str
    passage: int
    sentence: int
    size: float | None = None
    """The value of numbers, years and dates: two options never have the same one."""
    near: tuple[str, ...] = ()
    """Words around it: options with more of the same are preferred."""


@dataclass(frozen=True)
class Dated:
    """A statement with its date or amount taken out, for questions that compare two of them."""

    clause: str
    """'Congress founded the mint', or 'members that the board has'."""
    value: float
    unit: str
    """`year`, `narrated` or the noun that is counted."""
    verbatim: bool
    """Whether the clause occurs verbatim in the text."""


@dataclass(frozen=True)
class Fact:
    """A question that one sentence answers."""

    sentence: Sentence
    stem: str
    answer: Term
    score: float
    """The quality of questions of this kind; higher is better."""
    content: frozenset[str] = field(default_factory=frozenset)
    """The content words of the stem."""
    dated: Dated | None = None
