"""Doubtful and whole summaries as review cards, the benchmark after the review, and what a new build reuses of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from longreach.core.bench import Bench, Draft
from longreach.core.helper_model import Refused
from longreach.core.language import detect_language
from longreach.core.types import Item, Question, Span
from longreach.errors import BadInput
from longreach.families.reviewing import Card, CardField, Decisions, ReviewDecision, remaining_draft, review_record
from longreach.worlds import HALLUCINATED

from .books import BookUnit
from .grade import gold_of
from .samples import BETWEEN_UNITS, size_balance
from .summaries import read_summary

CRITERIA = {
    "verdict": "faithful or hallucinated as its key says",
    "sentence": "wrong in the sentence that the key names",
    "type": "wrong in the way that the key names",
    "whole": "complete: it tells what matters in the text",
    "written": "well written",
}
RULES = (
    "Judge each summary against its text alone. No hallucination: simplified motives, a smoother tone, fair inference, "
    "synonyms, a shortened course of events, vague identities, broad wording. A hallucination: a wrong or confused "
    "person or thing, also by a pronoun; a changed number, age, time or amount; a changed or invented relation; a "
    "statement turned into its opposite; a changed action or outcome; events of different people in the wrong order; "
    "an invented or reversed cause (any direct or indirect cause in the text is right); an invented event, thought or "
    "feeling."
)
"""The paper's rules (Figure 9)."""
_SUMMARY = "summary"
_DOUBTFUL = "doubtful"
_VERDICT = "verdict"
_KEY, _WRONG = "key", "wrong sentence"

Settled: TypeAlias = Mapping[str, str | None]
"""Summaries that a reviewer has decided on, by unit; None where rejected."""


def summary_cards(bench: Bench) -> list[Card]:
    """One card per undecided summary of a unit, and one per whole summary that is asked about, each with its text."""
    doubtful = [_card(bench, entry) for entry in _entries(bench) if _VERDICT not in entry]
    return [*doubtful, *(_whole(bench, sample, items) for sample, items in _by_sample(bench).items())]


def edit_fault(card: Card, decision: ReviewDecision) -> str:
    """Why a summary cannot be used: for a unit's, the same checks as for a model's."""
    if unknown := sorted(set(decision.fields) - {_SUMMARY}):
        return f"there is no field '{unknown[0]}'"
    if decision.right:
        return "a summary has no options"
    if _WRONG in (facts := dict(card.facts)):
        text = decision.fields.get(_SUMMARY, card.fields[0].text)
        return "" if facts[_WRONG] in text else "the sentence that its key names is gone; reject the summary instead"
    if _KEY in facts:
        return "" if decision.fields.get(_SUMMARY, "x").strip() else "the summary is empty"
    found = _read(card, decision)
    return found.why if isinstance(found, Refused) else ""


def reviewed_draft(bench: Bench, decisions: Decisions) -> Draft:
    """The remaining benchmark: no story with a rejected summary, and edited ones replaced. Accepted or edited summaries
    of units that no story uses yet are saved in the record for a build that names this benchmark as `reviewed`."""
    cards = {card.id: card for card in summary_cards(bench)}
    samples, entries = _by_sample(bench), {_id(entry): entry for entry in _entries(bench)}
    texts: dict[str, str | None] = {}
    gone = {name for name, decision in decisions.items() if name in samples and decision.verdict == "reject"}
    changed: dict[str, Question] = {}
    for name, decision in decisions.items():
        if name in samples:
            if decision.verdict == "edit":
                _replace(bench, changed, samples[name], None, decision.fields[_SUMMARY])
            continue
        used = _samples(bench, entries[name])
        text = texts[name] = _text(cards[name], decision)
        if text is None:
            gone |= used
        elif text != entries[name][_SUMMARY]:
            own = [item for sample in sorted(used - gone) for item in samples[sample]]
            _replace(bench, changed, own, int(entries[name]["place"]), text)
    lost = {question for sample in gone for item in samples[sample] for question in item.questions}
    if gone >= samples.keys():
        raise BadInput(f"no story of {bench.folder} is left without the rejected summaries; build it anew")
    draft = remaining_draft(bench, lost, changed, {})
    return draft.model_copy(update={"build": _record(bench, cards, decisions, texts, draft.items)})


def settled_summaries(folder: Path) -> Settled:
    """The decisions on the doubtful summaries of a benchmark."""
    bench = Bench.open(folder)
    found = {_id(entry): entry for entry in _entries(bench) if _VERDICT in entry}
    if not found:
        raise BadInput(
            f"reviewed: nobody has decided on a summary of {folder}; name what `longreach review BENCH -o NEW` wrote"
        )
    return {name: None if entry[_VERDICT] == "reject" else entry[_SUMMARY] for name, entry in found.items()}


def _entries(bench: Bench) -> list[dict[str, Any]]:
    return [dict(entry) for entry in bench.build.get(_DOUBTFUL, ()) if isinstance(entry, dict)]


def _id(entry: Mapping[str, Any]) -> str:
    return f"{entry['book']}/{entry['unit']}"


def _card(bench: Bench, entry: Mapping[str, Any]) -> Card:
    placed = next(placed for placed in bench.corpus.info.documents if placed.document.id == _id(entry))
    samples = len(_samples(bench, entry))
    return Card(
        id=_id(entry),
        title=f"{entry['book']}, {entry['unit']}",
        facts=(
            ("in doubt because", str(entry["why"])),
            ("used in", f"{samples} summaries of stories" if samples else "no story so far"),
        ),
        fields=(CardField(name=_SUMMARY, label="Summary", text=str(entry[_SUMMARY])),),
        source=bench.corpus.read(placed.start, placed.end),
    )


def _by_sample(bench: Bench) -> dict[str, list[Item]]:
    found: dict[str, list[Item]] = {}
    for item in bench.items.values():
        found.setdefault(str(item.cell["sample"]), []).append(item)
    return found


def _whole(bench: Bench, sample: str, items: Sequence[Item]) -> Card:
    """A whole summary with its story and its key; the correction makes the minimal pair."""
    asked = [bench.questions[item.questions[0]] for item in items]
    whole = [question.text for question in asked if question.id == sample]
    gold = max((gold_of(question.key) for question in asked), key=lambda one: one.truth == HALLUCINATED)
    spans = [piece for item in items for piece in item.context.pieces if isinstance(piece, Span)]
    start, end = min(span.start for span in spans), max(span.end for span in spans)
    wrong = (("kind", str(gold.type)), (_WRONG, gold.sentence), ("correct", gold.correction or "(left out)"))
    cell = items[0].cell
    return Card(
        id=sample,
        title=f"{cell['story']}, {cell['size']}",
        facts=((_KEY, gold.truth), *(wrong if gold.truth == HALLUCINATED else ())),
        fields=(CardField(name=_SUMMARY, label="Summary", text=(whole or ["\n".join(q.text for q in asked)])[0]),),
        says=("verdict",) if gold.truth == HALLUCINATED else (),
        source=bench.corpus.read(start, end),
    )


def _samples(bench: Bench, entry: Mapping[str, Any]) -> set[str]:
    """The samples whose story contains this unit."""
    found = set()
    for item in bench.items.values():
        book, _, units = str(item.cell["story"]).rpartition(":")
        count = int(units.partition("+")[2])
        if book == entry["book"] and _first(item) <= int(entry["place"]) < _first(item) + count:
            found.add(str(item.cell["sample"]))
    return found


def _first(item: Item) -> int:
    """The number of the first unit of an item's story, from 1."""
    return int(str(item.cell["story"]).rpartition(":")[2].partition("+")[0])


def _read(card: Card, decision: ReviewDecision) -> str | Refused:
    text = decision.fields.get(_SUMMARY, card.fields[0].text)
    return read_summary(BookUnit(book="", name="", language=detect_language(card.source), text=card.source), text)


def _text(card: Card, decision: ReviewDecision) -> str | None:
    """The decided summary; None where it was rejected."""
    if decision.verdict == "reject":
        return None
    found = _read(card, decision)
    if isinstance(found, Refused):
        raise BadInput(f"{card.id}: the summary cannot be accepted, {found.why}; edit or reject it")
    return found


def _replace(bench: Bench, changed: dict[str, Question], items: Sequence[Item], place: int | None, text: str) -> None:
    """Put an edited text in place of a whole summary, or of the part for one unit."""
    for item in items:
        if item.cell["method"] == "window":
            raise BadInput(
                f"{bench.folder}: an edited summary has other blocks for method window; review it with -o without "
                f"keep_doubtful, then build again with --set reviewed={bench.folder}"
            )
        question = bench.questions[item.questions[0]]
        parts = changed.get(question.id, question).text.split(BETWEEN_UNITS)
        parts[slice(None) if place is None else slice(place - _first(item), place - _first(item) + 1)] = [text]
        changed[question.id] = question.model_copy(update={"text": BETWEEN_UNITS.join(parts)})


def _record(
    bench: Bench,
    cards: Mapping[str, Card],
    decisions: Decisions,
    texts: Mapping[str, str | None],
    items: Sequence[Item],
) -> dict[str, Any]:
    """The build record, with this review appended."""
    doubtful = [
        {**entry, _SUMMARY: texts[name] or entry[_SUMMARY], _VERDICT: decisions[name].verdict}
        if (name := _id(entry)) in decisions
        else entry
        for entry in _entries(bench)
    ]
    return {
        **review_record(bench, cards, decisions, CRITERIA),
        "sizes": {size: size_balance(items, size) for size in bench.build["sizes"]},
        _DOUBTFUL: doubtful,
    }
