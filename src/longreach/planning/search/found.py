"""The result of a search in numbers and in words."""

from __future__ import annotations

from collections.abc import Collection

from longreach.core.estimate import EffectiveLength
from longreach.core.model import Frozen
from longreach.core.number_format import length_label, percent
from longreach.stats.intervals import Floats

from .choice import Search, Standing

__all__ = ["Found", "SearchResult", "search_result"]


class Found(Frozen):
    """One effective length as far as a search knows it."""

    question_type: str
    label: str
    """With the experiment, if there are several."""
    effective: EffectiveLength
    certainty: float
    """The probability that it is right to a factor of 1.5 in length."""
    known: bool
    """Whether that is enough for the search."""
    non_monotone: bool
    """Whether accuracy seems to rise again at longer lengths."""

    def line(self) -> str:
        """For a terminal."""
        held = self.effective
        length = length_label(held.length) if held.length else "none"
        low, high = (length_label(end) if end else "none" for end in (held.low, held.high))
        between = f"95 % CI {low} to {high}" if low != high else "95 % CI the same"
        text = f"{self.label}: effective length {length} ({between}; {percent(self.certainty)} sure to a factor of 1.5)"
        if self.non_monotone:
            text += "; NON-MONOTONE: accuracy rises again at longer lengths"
        return text if self.known else f"{text}; still open"


class SearchResult(Frozen):
    """What a search found, and what it took."""

    found: tuple[Found, ...]
    contexts: int
    """Asked so far."""
    all_contexts: int
    tokens: int
    """Input tokens of the contexts asked so far, by the benchmark's own count."""
    all_tokens: int
    stopped: str = ""
    """Why a search ended before every effective length was known; empty if it did not."""

    @property
    def share(self) -> float:
        """Of the full grid's input tokens."""
        return self.tokens / self.all_tokens

    def lines(self) -> list[str]:
        """For a terminal."""
        asked = f"{self.contexts} of {self.all_contexts} contexts asked"
        return [
            *(found.line() for found in self.found),
            f"{asked}, {percent(self.share)} of the full grid's input tokens",
            *([f"stopped: {self.stopped}"] if self.stopped else []),
        ]


def search_result(search: Search, values: Floats, asked: Collection[int]) -> SearchResult:
    """The result, given the scores of a full run's rows (NaN: not asked) and the contexts asked."""
    units = search.grid.units
    return SearchResult(
        found=tuple(_found(standing, search.threshold) for standing in search.standings(values)),
        contexts=len(asked),
        all_contexts=len(units),
        tokens=sum(units[number].tokens for number in asked),
        all_tokens=search.grid.input_tokens,
        stopped=search.why_stopped(values, asked),
    )


def _found(standing: Standing, threshold: float) -> Found:
    low, high = standing.curve.interval
    first = standing.curve.accuracy()[1][0] if standing.asked[0] else None
    return Found(
        question_type=standing.aim.question_type,
        label=standing.aim.label,
        effective=EffectiveLength(
            length=standing.length(standing.curve.answer),
            low=standing.length(low),
            high=standing.length(high),
            base=None if first is None else float(first),
            share=threshold,
        ),
        certainty=standing.certainty,
        known=standing.known,
        non_monotone=standing.rises,
    )
