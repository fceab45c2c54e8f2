"""Doubtful summaries as review cards, the benchmark after the review, and what a new build reuses of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from longreach.core.bench import Bench, Draft
from longreach.core.helper_model import Refused
from longreach.core.language import detect_language
from longreach.core.types import Item, Question
from longreach.errors import BadInput
from longreach.families.building import ItemMaker
from longreach.families.showing import Card, CardField, Decision, review_record
from longreach.models.tokenizers import get_tokenizer
from longreach.text.assemble import Assembler

from .books import Unit
from .items import SUMMARY, size_balance
from .samples import BETWEEN_UNITS
from .summaries import read_summary

CRITERIA = {
    "true": "says nothing that the text does not bear out",
    "whole": "tells what matters in the text",
    "written": "well written",
}
_SUMMARY = "summary"
_DOUBTFUL = "doubtful"
_VERDICT = "verdict"

Settled: TypeAlias = Mapping[str, str | None]
"""Summaries that a reviewer has decided on, by unit; None where rejected."""


def doubtful_cards(bench: Bench) -> list[Card]:
    """One card per undecided summary, with its whole source text."""
    return [_card(bench, entry) for entry in _entries(bench) if _VERDICT not in entry]


def edit_fault(card: Card, decision: Decision) -> str:
    """Why a summary cannot be used: the same checks as for a model's."""
    if unknown := sorted(set(decision.fields) - {_SUMMARY}):
        return f"there is no field '{unknown[0]}'"
    if decision.right:
        return "a summary has no options"
    found = _read(card, decision)
    return found.why if isinstance(found, Refused) else ""


def reviewed_draft(bench: Bench, decisions: Mapping[str, Decision]) -> Draft:
    """The remaining benchmark: no story with a rejected summary, and edited ones replaced. Accepted or edited summaries
    that no story uses yet are saved in the record for a build that names this benchmark as `reviewed`.
    """
    cards = {card.id: card for card in doubtful_cards(bench)}
    texts = {name: _text(cards[name], decision) for name, decision in decisions.items()}
    entries = {_id(entry): entry for entry in _entries(bench)}
    used = {name: _samples(bench, entries[name]) for name in decisions}
    gone = {sample for name, text in texts.items() if text is None for sample in used[name]}
    kept = [item for item in bench.items.values() if item.cell["sample"] not in gone]
    if not kept:
        raise BadInput(f"no story of {bench.folder} is left without the rejected summaries; build it anew")
    questions = dict(bench.questions)
    for name, text in texts.items():
        before = entries[name][_SUMMARY]
        if text is not None and text != before:
            own = [item for item in kept if item.cell["sample"] in used[name]]
            _replace(bench, questions, own, int(entries[name]["place"]), text)
    items = _counted(bench, kept, questions)
    asked = {name for item in items for name in item.questions}
    shown = {place.insert for item in items for place in item.placed}
    once = {place.insert for item in bench.items.values() for place in item.placed}
    return Draft(
        family=bench.info.family,
        family_version=bench.info.family_version,
        spec=bench.spec,
        prompts=tuple(prompt for prompt in bench.prompts.values() if prompt.id in {item.prompt for item in items}),
        planted=tuple(each for each in bench.planted.values() if each.id in shown or each.id not in once),
        questions=tuple(question for name, question in questions.items() if name in asked),
        items=tuple(items),
        build=_record(bench, cards, decisions, texts, items),
    )


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


def _read(card: Card, decision: Decision) -> str | Refused:
    text = decision.fields.get(_SUMMARY, card.fields[0].text)
    return read_summary(Unit(book="", name="", language=detect_language(card.source), text=card.source), text)


def _text(card: Card, decision: Decision) -> str | None:
    """The decided summary; None where it was rejected."""
    if decision.verdict == "reject":
        return None
    found = _read(card, decision)
    if isinstance(found, Refused):
        raise BadInput(f"{card.id}: the summary cannot be accepted, {found.why}; edit or reject it")
    return found


def _replace(bench: Bench, questions: dict[str, Question], items: Sequence[Item], place: int, text: str) -> None:
    """Insert an edited summary wherever the stories' summaries used a wording of the doubtful one."""
    for item in items:
        if item.cell["method"] == "window":
            raise BadInput(
                f"{bench.folder}: an edited summary has other blocks for method window; review it with -o without "
                f"keep_doubtful, then build again with --reviewed"
            )
        question = bench.questions[item.questions[0]]
        parts = questions[question.id].text.split(BETWEEN_UNITS)
        parts[place - _first(item)] = text
        questions[question.id] = question.model_copy(update={"text": BETWEEN_UNITS.join(parts)})


def _counted(bench: Bench, items: Sequence[Item], questions: Mapping[str, Question]) -> list[Item]:
    changed = {name for name, question in questions.items() if question.text != bench.questions[name].text}
    if not changed:
        return list(items)
    tokenizer = get_tokenizer(bench.corpus.info.tokenizer)
    if tokenizer.fingerprint != bench.corpus.info.fingerprint:
        raise BadInput(f"tokenizer '{tokenizer.name}' is not the one that built {bench.folder}; build it again")
    maker = ItemMaker(bench.info.family, Assembler(bench.corpus, {}), tokenizer)
    return [
        item.model_copy(
            update=maker.counted(item.context, bench.prompts[item.prompt], {SUMMARY: questions[item.questions[0]].text})
        )
        if item.questions[0] in changed
        else item
        for item in items
    ]


def _record(
    bench: Bench,
    cards: Mapping[str, Card],
    decisions: Mapping[str, Decision],
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
