"""A benchmark's items for people: on the terminal and in a review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import Field

from longreach.core.bench import Bench, Draft
from longreach.core.figure import FamilyView
from longreach.core.types import Frozen, Item
from longreach.text.assemble import Assembler

from . import get_family
from .base import prompt_parts


def assembler_of(bench: Bench) -> Assembler:
    """The assembler for this benchmark's recipes."""
    return Assembler(bench.corpus, {name: planted.text for name, planted in bench.planted.items()})


def family_view(name: str) -> FamilyView:
    """How a family is presented, without figures."""
    family = get_family(name)
    return FamilyView(name=name, title=family.title, about=family.about, axes=family.axes, charts=family.charts)


def guessing_scores(benches: Mapping[str, Bench]) -> dict[str, dict[str, float]]:
    """Chance scores by family and question type; the highest where benchmarks differ."""
    found: dict[str, dict[str, float]] = {}
    for bench in benches.values():
        family = get_family(bench.info.family)
        known = found.setdefault(bench.info.family, {})
        for kind in family.counted_types(bench):
            known[kind] = max(known.get(kind, 0.0), family.chance(bench, kind))
    return found


def item_prompt(bench: Bench, item: Item) -> str:
    """The whole prompt."""
    return assembler_of(bench).text(prompt_parts(get_family(bench.info.family), bench, item)).decode()


def item_details(bench: Bench, item: Item) -> dict[str, Any]:
    """Everything recorded about an item, with its questions, keys and planted facts."""
    return {
        "id": item.id,
        "family": item.family,
        "prompt": item.prompt,
        "prompt_version": bench.prompts[item.prompt].version,
        "cell": item.cell,
        "asked": {name: value for name, value in item.cell.items() if name in item.realised},
        "realised": item.realised,
        "tokens": item.tokens,
        "sha256": item.sha256,
        "context": item.context.model_dump(mode="json"),
        "evidence": [fact.model_dump(mode="json") for fact in bench.evidence(item)],
        "questions": [bench.questions[question].model_dump(mode="json") for question in item.questions],
    }


def item_line(item: Item) -> str:
    """An item in one line."""
    asked = "  ".join(
        f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}" for name, value in item.cell.items()
    )
    actual = {name: value for name, value in item.realised.items() if item.cell.get(name) != value}
    real = f"  ({', '.join(f'{name} {value}' for name, value in actual.items())})" if actual else ""
    several = "question" if len(item.questions) == 1 else "questions"
    return f"{item.id:<36} {asked}{real}  {len(item.questions)} {several}  {item.tokens} tokens"


Verdicts = Literal["", "accept", "edit", "reject"]
"""The decision; empty for none, or one that was withdrawn."""


class CardField(Frozen):
    """A text that may be edited."""

    name: str
    label: str
    text: str
    option: bool = False
    """Whether it is one of several options, of which one is right."""


class CardTry(Frozen):
    """An earlier attempt at a card's question, and its outcome."""

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
    """Known facts about it: a name and a value each."""
    fields: tuple[CardField, ...]
    right: str = ""
    """Name of the right option; empty where there are no options."""
    before: str = ""
    """Text before the source in its original document."""
    source: str = ""
    """What the card is about."""
    mark: tuple[int, int] | None = None
    """Character range of the source that matters most."""
    after: str = ""
    tries: tuple[CardTry, ...] = ()


class Decision(Frozen):
    """A reviewer's decision on a card."""

    id: str
    verdict: Verdicts
    failed: tuple[str, ...] = ()
    """Names of the criteria that are not met."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Texts changed by an edit, by the names of their fields."""
    right: str = ""
    """Name of the new right option; empty: unchanged."""


@runtime_checkable
class Reviewable(Protocol):
    """A family whose benchmarks can be reviewed."""

    @property
    def review_criteria(self) -> Mapping[str, str]:
        """The review criteria: a name and a few words each, in the order of the keys 1 to 9."""

    def review_cards(self, bench: Bench) -> list[Card]:
        """All cards, in order."""

    def review_fault(self, card: Card, decision: Decision) -> str:
        """Why an edit cannot be used; empty where it can."""

    def reviewed(self, bench: Bench, decisions: Mapping[str, Decision]) -> Draft:
        """The benchmark without rejected questions and with the edits applied."""


def tally(cards: int, decisions: Mapping[str, Decision]) -> dict[str, int]:
    """How many cards were accepted, edited, rejected and left undecided."""
    verdicts = [decision.verdict for decision in decisions.values()]
    counts = {
        "accepted": verdicts.count("accept"),
        "edited": verdicts.count("edit"),
        "rejected": verdicts.count("reject"),
    }
    return counts | {"undecided": cards - sum(counts.values())}


def review_record(
    bench: Bench, cards: Iterable[str], decisions: Mapping[str, Decision], criteria: Iterable[str]
) -> dict[str, Any]:
    """The build record, with this review of these cards appended."""
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
