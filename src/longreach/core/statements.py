"""What is said about a result: decisions per model and length, and worded facts. Worked out once, shown by everything
that speaks: terminal, page, JSON, Markdown, JUnit, gate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field

from .types import Frozen

__all__ = [
    "STATUS_WORDS",
    "Decision",
    "DecisionWord",
    "LengthDecision",
    "Outcome",
    "Rate",
    "Statement",
    "TypeRate",
    "listed",
    "of_100",
]

DecisionWord = Literal["holds", "fails", "open", "broken"]
"""A model at a length: shown to reach the bar, shown to miss it, neither, or measured through a server that cuts."""

Outcome = Literal["passed", "better", "worse", "suspicious", "open", "broken"]
"""One result held against another."""


STATUS_WORDS = {
    "refused": "were refused",
    "cut": "came from prompts that were cut",
    "unparsed": "cannot be read",
    "truncated": "were truncated",
    "overflow": "did not fit the window",
    "tool_call": "were tool calls",
    "error": "failed",
    "judge_failed": "lost their judge",
}
"""What is said of answers with a status: '12 of 300 answers were truncated'."""


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
    missing: int = 0
    """Contexts that it probably still takes, where the verdict is open and some were asked."""
    missing_tokens: int = 0
    """Their prefill tokens."""
    in_stock: int = 0
    """Contexts of the benchmark that were not asked there."""


class TypeRate(Frozen):
    """Right of all asked of one question type."""

    type: str
    right: float
    bar: float
    """What it is held against by itself."""
    of: int
    """Questions asked."""

    @property
    def under(self) -> bool:
        return self.right < self.bar


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
    types: tuple[TypeRate, ...] = ()
    """The question types at the longest length that holds; at the shortest where none does."""
    unanswered: float = 0.0
    """Share of the questions there whose answers are empty, refused or cannot be read."""
    passage: Rate | None = None
    """Right with the passage alone, where that was asked and is shown to be under the bar."""
    drift: Rate | None = None
    """Accuracy in the second half of each length's contexts less that in the first, in the order of the answers, where
    the two are shown to differ."""


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


# What statements are made of: the same words for the same number, wherever it stands.


def of_100(rate: Rate) -> str:
    """'71 of 100 right, 95 % CI 62 to 79'."""
    return f"{100 * rate.value:.0f} of 100 right, 95 % CI {100 * rate.low:.0f} to {100 * rate.high:.0f}"


def listed(names: Sequence[str], most: int = 3) -> str:
    """'a, b and c'; of many 'a, b, c and 4 more'."""
    shown = [*names[:most], f"{len(names) - most} more"] if len(names) > most + 1 else [*names]
    return " and ".join([", ".join(shown[:-1]), shown[-1]]) if len(shown) > 1 else "".join(shown)
