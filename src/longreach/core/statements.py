"""What is said about a result: decisions per model and length, and worded facts. Worked out once, shown by everything
that speaks: terminal, page, JSON, Markdown, JUnit, gate."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from .types import Frozen

__all__ = ["Decision", "DecisionWord", "LengthDecision", "Outcome", "Rate", "Statement"]

DecisionWord = Literal["holds", "fails", "open", "broken"]
"""A model at a length: shown to reach the bar, shown to miss it, neither, or measured through a server that cuts."""

Outcome = Literal["passed", "better", "worse", "suspicious", "open", "broken"]
"""One result held against another."""


class Rate(Frozen):
    """A share with what it rests on."""

    value: float
    low: float
    high: float
    of: int = Field(ge=0)
    """Questions asked."""


class LengthDecision(Frozen):
    """One model at one length."""

    length: int
    verdict: DecisionWord
    right: Rate | None = None
    """Right of all asked; None where nothing was asked and the verdict came from another length."""
    contexts: int = 0


class Decision(Frozen):
    """One model read in one way: up to which length it is shown to reach the bar."""

    model: str
    way: str = "whole"
    """How the text reached it: whole, passages:10, ..."""
    family: str = ""
    experiment: str = ""
    """'comb layout'; empty for the default one."""
    verdict: DecisionWord
    """At the length asked for, else at the longest."""
    holds_to: int | None = None
    """The longest tested length up to which it holds: the effective length."""
    fails_at: int | None = None
    """The shortest tested length at which it is shown to miss the bar."""
    right: Rate | None = None
    """Right of all asked at the length asked for, else at the longest."""
    by_length: tuple[LengthDecision, ...] = ()


class Statement(Frozen):
    """One worded fact: at most 30 words, the verdict first, then the number, then the reservation."""

    about: str
    """What kind of fact: `verdict`, `right`, `made_up`, `refused`, `cut`, `cost`, `open`, ...; the same fact has the
    same word wherever it is shown."""
    text: str
    severity: Literal["broken", "warning", "verdict", "note"] = "note"
    """`broken` stands above everything else, a `warning` under "Watch out"."""
    model: str = ""
    length: int | None = None
    number: Rate | None = None
    evidence: dict[str, str] = Field(default_factory=dict)
    """Filters that select the answers it rests on (model, length, type, status): the page links to them."""
