"""Review of a benchmark by people: cards, decisions, how far reviewers agree, and the benchmark that remains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import combinations
from random import Random
from statistics import fmean
from typing import Any, Literal, Protocol, runtime_checkable

from pydantic import Field

from longreach.core.bench import Bench, Draft
from longreach.core.types import Cell, Frozen, Item, Question
from longreach.errors import BadInput
from longreach.models.tokenizers import get_tokenizer
from longreach.text.assemble import Assembler

from . import get_family
from .building import ItemMaker
from .showing import assembler_of

ALL = "all criteria"
_AROUND = 1200
"""Bytes of the context shown on each side of what a card is about."""

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
    says: tuple[str, ...] = ()
    """Criteria by which a reviewer puts the card in one of two classes, where its key says the second: `verdict` for a
    summary with a hallucination. A reviewer who marks the criterion says the other class."""
    before: str = ""
    """Text before the source in its original document."""
    source: str = ""
    """What the card is about."""
    mark: tuple[int, int] | None = None
    """Character range of the source that matters most."""
    after: str = ""
    tries: tuple[CardTry, ...] = ()


class ReviewDecision(Frozen):
    """A reviewer's decision on a card."""

    id: str
    verdict: Verdicts
    failed: tuple[str, ...] = ()
    """Names of the criteria that are not met."""
    fields: dict[str, str] = Field(default_factory=dict)
    """Texts changed by an edit, by the names of their fields."""
    right: str = ""
    """Name of the new right option; empty: unchanged."""


Decisions = Mapping[str, ReviewDecision]
"""By the id of the card."""


@runtime_checkable
class Reviewable(Protocol):
    """A family whose benchmarks can be reviewed."""

    @property
    def review_criteria(self) -> Mapping[str, str]:
        """The review criteria: a name and a few words each, in the order of the keys 1 to 9."""

    @property
    def review_rules(self) -> str:
        """What a reviewer must know before deciding, in a few sentences."""

    def review_cards(self, bench: Bench) -> list[Card]:
        """All cards, in order."""

    def review_fault(self, card: Card, decision: ReviewDecision) -> str:
        """Why an edit cannot be used; empty where it can."""

    def reviewed(self, bench: Bench, decisions: Decisions) -> Draft:
        """The benchmark without rejected questions and with the edits applied."""


def sample_cards(cards: Sequence[Card], count: int, seed: int) -> list[Card]:
    """Some cards at random, in their order; all where there are no more."""
    chosen = set(Random(f"review {seed}").sample(range(len(cards)), min(count, len(cards))))
    return [card for place, card in enumerate(cards) if place in chosen]


def tally(cards: int, decisions: Decisions) -> dict[str, int]:
    """How many cards were accepted, edited, rejected and left undecided."""
    verdicts = Counter(decision.verdict for decision in decisions.values())
    counts = {"accepted": verdicts["accept"], "edited": verdicts["edit"], "rejected": verdicts["reject"]}
    return counts | {"undecided": cards - sum(counts.values())}


class Criterion(Frozen):
    """What reviewers found by one criterion."""

    name: str
    passed: dict[str, float]
    """The share of cards that meet it, by reviewer."""
    both: int = 0
    """Cards that two reviewers decided on, over all pairs of reviewers."""
    agreement: float | None = None
    """The share of these on which they agree."""
    kappa: float | None = None
    """Cohen's kappa, the mean over pairs; None where no pair has cards of both classes."""


def compare_reviewers(
    cards: Iterable[Card], reviewers: Mapping[str, Decisions], criteria: Iterable[str]
) -> list[Criterion]:
    """Pass rates and agreement by criterion, and for meeting all of them: accepted as it is, nothing marked."""
    known = {card.id: card for card in cards}
    decided = {
        name: {one: decision for one, decision in decisions.items() if decision.verdict and one in known}
        for name, decisions in reviewers.items()
    }
    found = []
    for criterion in (*criteria, ALL):
        failed = {
            name: {one: _fails(decision, criterion) for one, decision in own.items()} for name, own in decided.items()
        }
        pairs = []
        for mine, theirs in combinations(failed.values(), 2):
            # A marked criterion turns the class that the key says.
            turned = {one: criterion in known[one].says for one in mine.keys() & theirs.keys()}
            pairs.append([(mine[one] != turned[one], theirs[one] != turned[one]) for one in sorted(turned)])
        same = [one == other for pair in pairs for one, other in pair]
        kappas = [kappa for pair in pairs if (kappa := cohen_kappa(pair)) is not None]
        found.append(
            Criterion(
                name=criterion,
                passed={name: 1 - fmean(own.values()) for name, own in failed.items() if own},
                both=len(same),
                agreement=fmean(same) if same else None,
                kappa=fmean(kappas) if kappas else None,
            )
        )
    return found


def _fails(decision: ReviewDecision, criterion: str) -> bool:
    if criterion == ALL:
        return decision.verdict != "accept" or bool(decision.failed)
    return criterion in decision.failed


def cohen_kappa(pairs: Sequence[tuple[bool, bool]]) -> float | None:
    """Agreement beyond chance of two raters with two classes; None where both only ever use one and the same."""
    if not pairs:
        return None
    first, second = fmean(one for one, _ in pairs), fmean(other for _, other in pairs)
    chance = first * second + (1 - first) * (1 - second)
    same = fmean(one == other for one, other in pairs)
    return None if chance == 1 else round((same - chance) / (1 - chance), 9) + 0.0  # no -0.0


def merge_decisions(reviewers: Mapping[str, Decisions]) -> dict[str, ReviewDecision]:
    """One decision per card: rejected if any reviewer rejects it, edited if one edits it. Two different edits are an
    error that names the card."""
    found: dict[str, ReviewDecision] = {}
    rank = ("", "accept", "edit", "reject")
    for own in reviewers.values():
        for name, decision in own.items():
            known = found.get(name, decision)
            edits = {known.verdict, decision.verdict} == {"edit"}
            if edits and (known.fields, known.right) != (decision.fields, decision.right):
                raise BadInput(f"two reviewers edited '{name}' differently; let one of them undo the edit")
            chosen = max(known, decision, key=lambda one: rank.index(one.verdict))
            failed = tuple(dict.fromkeys((*known.failed, *decision.failed)))
            found[name] = chosen.model_copy(update={"failed": failed})
    return {name: decision for name, decision in found.items() if decision.verdict}


def review_record(bench: Bench, cards: Iterable[str], decisions: Decisions, criteria: Iterable[str]) -> dict[str, Any]:
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


def question_cards(
    bench: Bench, questions: Iterable[Question], options: Mapping[str, Mapping[str, str]] | None = None
) -> list[Card]:
    """One card per question, with the planted texts that hold its evidence in the longest context that asks it."""
    longest: dict[str, Item] = {}
    asked: dict[str, list[int]] = {}
    for item in bench.items.values():
        for name in item.questions:
            asked.setdefault(name, []).append(int(item.cell.get("length", item.context.tokens)))
            if name not in longest or item.context.tokens > longest[name].context.tokens:
                longest[name] = item
    marks = {mark.id: planted.id for planted in bench.planted.values() for mark in planted.facts}
    assembler = assembler_of(bench)
    cards = []
    for question in questions:
        if question.id in longest:
            item = longest[question.id]
            card = _card(question, item.cell, asked[question.id], (options or {}).get(question.id, {}))
            cards.append(card.model_copy(update=_source(bench, assembler, marks, question, item, card.facts)))
    return cards


def _card(question: Question, cell: Cell, lengths: Sequence[int], options: Mapping[str, str]) -> Card:
    depth = f" · {cell['depth']:g} % deep" if isinstance(cell.get("depth"), int | float) else ""
    span = f"{min(lengths)} to {max(lengths)}" if len(set(lengths)) > 1 else f"{lengths[0]}"
    lines = question.text.splitlines()
    return Card(
        id=question.id,
        title=f"{cell.get('domain', question.question_type)}{depth}",
        facts=(("asked at", f"{len(lengths)} length{'s' * (len(lengths) > 1)}, {span} tokens"),),
        fields=(
            CardField(name="question", label="Question", text="\n".join(lines[: len(lines) - len(options)])),
            *(CardField(name=letter, label=letter, text=option, option=True) for letter, option in options.items()),
        ),
        right=question.key.answer if options else "",
    )


def _source(
    bench: Bench,
    assembler: Assembler,
    marks: Mapping[str, str],
    question: Question,
    item: Item,
    facts: tuple[tuple[str, str], ...],
) -> dict[str, Any]:
    """What holds the answer in its place, and other planted texts that are needed; all of them where none holds it."""
    placed = {place.insert: place for place in item.placed}
    holds = list(dict.fromkeys(marks[name] for name in question.evidence if marks.get(name) in placed))
    if not holds:
        return {"source": "\n\n".join(bench.planted[name].text for name in placed)}
    gold, place = bench.planted[holds[0]], placed[holds[0]]
    raw = gold.text.encode()
    own = [mark for mark in gold.facts if mark.id in question.evidence]
    start, end = (len(raw[:at].decode()) for at in (min(m.start for m in own), max(m.end for m in own)))
    pieces = item.context.pieces
    return {
        "facts": (*facts, *(("also", bench.planted[name].text) for name in holds[1:])),
        "before": assembler.part(pieces, place.start - _AROUND, place.start),
        "source": gold.text,
        "mark": None if (start, end) == (0, len(gold.text)) else (start, end),
        "after": assembler.part(pieces, place.start + len(raw), place.start + len(raw) + _AROUND),
    }


def remaining_draft(
    bench: Bench, gone: Collection[str], changed: Mapping[str, Question], build: Mapping[str, Any]
) -> Draft:
    """The benchmark without some questions and with others in their new form: requests are counted and hashed again,
    and those that ask nothing any more are left out."""
    family = get_family(bench.info.family)
    questions = {name: changed.get(name, one) for name, one in bench.questions.items() if name not in gone}
    maker: ItemMaker | None = None
    items: list[Item] = []
    for item in bench.items.values():
        names = tuple(name for name in item.questions if name in questions)
        if not names:
            continue
        if names != item.questions or any(name in changed for name in names):
            maker = maker or ItemMaker(bench.info.family, assembler_of(bench), _tokenizer(bench))
            values = family.variables([questions[name] for name in names])
            counted = maker.counted(item.context, bench.prompts[item.prompt], values)
            item = item.model_copy(update={"questions": names, **counted})
        items.append(item)
    if not items:
        raise BadInput(f"all questions of {bench.folder} were rejected; accept some, or build anew")
    used = {place.insert for item in items for place in item.placed}
    before = {place.insert for item in bench.items.values() for place in item.placed}
    asked = {name for item in items for name in item.questions}
    return Draft(
        family=bench.info.family,
        family_version=bench.info.family_version,
        spec=bench.spec,
        prompts=tuple(prompt for prompt in bench.prompts.values() if prompt.id in {item.prompt for item in items}),
        planted=tuple(each for each in bench.planted.values() if each.id in used or each.id not in before),
        questions=tuple(question for name, question in questions.items() if name in asked),
        items=tuple(items),
        build=dict(build),
    )


def _tokenizer(bench: Bench) -> Any:
    tokenizer = get_tokenizer(bench.corpus.info.tokenizer)
    if tokenizer.fingerprint != bench.corpus.info.fingerprint:
        raise BadInput(f"tokenizer '{tokenizer.name}' is not the one that built {bench.folder}; build it again")
    return tokenizer
