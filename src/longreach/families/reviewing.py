"""What a person can look through before a benchmark is used: cards to accept, edit or reject, and what comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import Field

from longreach.core.bench import Bench, Draft
from longreach.core.model import Frozen

__all__ = ["Card", "CardField", "CardTry", "Decision", "Reviewable", "Verdicts", "review_record", "tally"]

Verdicts = Literal["", "accept", "edit", "reject"]
"""What was decided; nothing yet, or nothing any more."""


class CardField(Frozen):
    """A text that may be edited."""

    name: str
    label: str
    text: str
    option: bool = False
    """Whether it is one of several answers, of which one is right."""


class CardTry(Frozen):
    """What was tried on the way to a card, and what came of it."""

    outcome: str
    """`passed` or `refused`."""
    step: str = ""
    """The filter that refused it."""
    why: str = ""
    text: str = ""


class Card(Frozen):
    """One thing to decide on."""

    id: str
    title: str
    facts: tuple[tuple[str, str], ...] = ()
    """What is known of it: a name and a value each."""
    fields: tuple[CardField, ...]
    right: str = ""
    """Name of the right option; empty where there are no options."""
    before: str = ""
    """Text that stands before the source where it was taken from."""
    source: str = ""
    """What the card is about."""
    mark: tuple[int, int] | None = None
    """Characters of the source that matter most."""
    after: str = ""
    tries: tuple[CardTry, ...] = ()


class Decision(Frozen):
    """What a person decided on a card."""

    id: str
    verdict: Verdicts
    failed: tuple[str, ...] = ()
    """Names of the criteria that it does not meet."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Texts that an edit changes, by the names of their fields."""
    right: str = ""
    """Name of the option that an edit makes the right one; empty: as before."""


@runtime_checkable
class Reviewable(Protocol):
    """A family whose benchmarks can be reviewed."""

    @property
    def review_criteria(self) -> Mapping[str, str]:
        """What a card should meet: a name and a few words each, in the order of the keys 1 to 9."""

    def review_cards(self, bench: Bench) -> list[Card]:
        """Everything to decide on, in order."""

    def review_fault(self, card: Card, decision: Decision) -> str:
        """Why an edit cannot be used; empty where it can."""

    def reviewed(self, bench: Bench, decisions: Mapping[str, Decision]) -> Draft:
        """The benchmark without what was rejected and with what was edited."""


def tally(cards: int, decisions: Mapping[str, Decision]) -> dict[str, int]:
    """How many cards were accepted, edited, rejected and left undecided."""
    said = [decision.verdict for decision in decisions.values()]
    counts = {"accepted": said.count("accept"), "edited": said.count("edit"), "rejected": said.count("reject")}
    return counts | {"undecided": cards - sum(counts.values())}


def review_record(
    bench: Bench, cards: Iterable[str], decisions: Mapping[str, Decision], criteria: Iterable[str]
) -> dict[str, Any]:
    """The record of a build, with this review of these cards after any before it."""
    names = list(cards)
    failed = Counter(name for decision in decisions.values() for name in decision.failed)
    review = {
        "of": bench.info.digest,
        **tally(len(names), decisions),
        "failed": {name: failed[name] for name in criteria},
        "decisions": [
            decisions[name].model_dump(mode="json", exclude_defaults=True) for name in names if name in decisions
        ],
    }
    return {**bench.build, "reviews": [*bench.build.get("reviews", ()), review]}
