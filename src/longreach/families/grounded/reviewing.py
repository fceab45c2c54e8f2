"""Questions as review cards, and the benchmark after the review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from longreach.core.bench import Bench, Draft
from longreach.core.types import Item, Key, Planted, Question
from longreach.errors import BadInput
from longreach.families.building import ItemMaker
from longreach.families.showing import Card, CardField, CardTry, Decision, assembler_of, review_record
from longreach.models.tokenizers import get_tokenizer
from longreach.text.assemble import Assembler

from .questions import LETTERS, MOST_OPTION, MOST_QUESTION, options_of, render

CRITERIA = {
    "clear": "clear in the long context",
    "suitable": "a suitable passage",
    "answerable": "answerable from it",
    "specific": "specific to it",
    "written": "well written",
}
"""The paper's five criteria."""

_AROUND = 1200
"""Bytes of the test document shown on each side of the gold passage."""
_QUESTION = "question"


def question_cards(bench: Bench) -> list[Card]:
    """One card per question; controls share the question's card."""
    history = {one["id"]: one for one in bench.build.get("history", ()) if isinstance(one, dict) and "id" in one}
    longest: dict[str, Item] = {}
    lengths: dict[str, list[int]] = {}
    for item in bench.items.values():
        for question in item.questions:
            lengths.setdefault(question, []).append(int(item.cell.get("length", item.context.tokens)))
            if question not in longest or item.context.tokens > longest[question].context.tokens:
                longest[question] = item
    assembler = Assembler(bench.corpus, {name: planted.text for name, planted in bench.planted.items()})
    return [
        _card(bench, assembler, question, longest[question.id], lengths[question.id], history.get(question.id, {}))
        for question in bench.questions.values()
        if question.evidence[:1] == (question.id,)
    ]


def edit_fault(card: Card, decision: Decision) -> str:
    """What would break the benchmark; wording is left to the reviewer."""
    texts = {field.name: field.text for field in card.fields} | decision.fields
    known = {field.name for field in card.fields}
    if unknown := sorted(set(decision.fields) - known):
        return f"there is no field '{unknown[0]}'"
    if decision.right and decision.right not in known - {_QUESTION}:
        return f"'{decision.right}' is no option"
    for name, text in decision.fields.items():
        what = "the question" if name == _QUESTION else f"option {name}"
        most = MOST_QUESTION if name == _QUESTION else MOST_OPTION
        if not text.strip() or text != text.strip():
            return f"{what} is empty or has spaces around it"
        if len(text.splitlines()) > 1:
            return f"{what} has several lines"
        if len(text) > most:
            return f"{what} has {len(text)} characters, at most {most} are allowed"
    folded = Counter(" ".join(text.casefold().split()) for name, text in texts.items() if name != _QUESTION)
    twice = next((text for text, count in folded.items() if count > 1), "")
    return f"two options are the same: '{twice}'" if twice and set(decision.fields) - {_QUESTION} else ""


def reviewed_draft(bench: Bench, decisions: Mapping[str, Decision]) -> Draft:
    """The remaining benchmark: items of rejected questions are removed, those of edited ones are counted and hashed
    again.
    """
    cards = {card.id: card for card in question_cards(bench)}
    rejected = {name for name, decision in decisions.items() if decision.verdict == "reject"}
    if rejected >= set(cards):
        raise BadInput(f"all {len(cards)} questions of {bench.folder} were rejected; accept some, or build anew")
    edited = {
        name: _edited(bench.questions[name], cards[name], decision)
        for name, decision in decisions.items()
        if decision.verdict == "edit"
    }
    questions: dict[str, Question] = {}
    for name, question in bench.questions.items():
        asked = name.removesuffix(f".{question.question_type}")  # a control has the question that it controls
        if asked in rejected:
            continue
        new = edited.get(asked)
        questions[name] = question.model_copy(update={"text": new.text, "key": new.key}) if new else question
    items = _items(bench, questions)
    used = {place.insert for item in items for place in item.placed}
    planted: list[Planted] = [
        each for each in bench.planted.values() if each.id in used or not {mark.id for mark in each.facts} & rejected
    ]
    return Draft(
        family=bench.info.family,
        family_version=bench.info.family_version,
        spec=bench.spec,
        prompts=tuple(bench.prompts.values()),
        planted=tuple(planted),
        questions=tuple(questions.values()),
        items=tuple(items),
        build=_record(bench, cards, decisions, questions),
    )


def _card(
    bench: Bench,
    assembler: Assembler,
    question: Question,
    item: Item,
    lengths: Sequence[int],
    history: Mapping[str, Any],
) -> Card:
    fact = next(fact for fact in bench.evidence(item) if fact.id == question.evidence[0])
    gold = next(each for each in bench.planted.values() if any(mark.id == fact.id for mark in each.facts))
    place = next(place for place in item.placed if place.insert == gold.id)
    text = gold.text.encode()
    start = len(text[: fact.start - place.start].decode())
    end = start + len(fact.text)
    options = options_of(question.text)
    cell = item.cell
    depth = f" · {cell['depth']:g} % deep" if isinstance(cell.get("depth"), int | float) else ""
    span = f"{min(lengths)} to {max(lengths)}" if len(set(lengths)) > 1 else f"{lengths[0]}"
    facts = [("asked at", f"{len(lengths)} length{'s' * (len(lengths) > 1)}, {span} tokens")]
    if isinstance(history.get("passage"), int):
        facts.append(("passage", str(history["passage"])))
    pieces = item.context.pieces
    return Card(
        id=question.id,
        title=f"{cell.get('domain', 'question')}{depth}",
        facts=tuple(facts),
        fields=(
            CardField(name=_QUESTION, label="Question", text="\n".join(question.text.splitlines()[: -len(options)])),
            *(CardField(name=letter, label=letter, text=option, option=True) for letter, option in options.items()),
        ),
        right=question.key.answer,
        before=assembler.part(pieces, place.start - _AROUND, place.start),
        source=gold.text,
        mark=None if (start, end) == (0, len(gold.text)) else (start, end),
        after=assembler.part(pieces, place.start + len(text), place.start + len(text) + _AROUND),
        tries=tuple(_try(one) for one in history.get("tries", ()) if isinstance(one, dict)),
    )


def _try(one: Mapping[str, Any]) -> CardTry:
    fields = {name: str(one.get(name, "")) for name in ("outcome", "step", "why")}
    return CardTry(**fields, text=str(one.get("question", "")))


def _edited(question: Question, card: Card, decision: Decision) -> Question:
    texts = {field.name: decision.fields.get(field.name, field.text) for field in card.fields}
    letters = [letter for letter in LETTERS if letter in texts]
    right = decision.right or card.right
    rivals = tuple(texts[letter] for letter in letters if letter != right)
    return question.model_copy(
        update={
            "text": render(texts[_QUESTION], [texts[letter] for letter in letters]),
            "key": Key(kind="text", answer=right, accept=(texts[right],), rivals=rivals),
        }
    )


def _items(bench: Bench, questions: Mapping[str, Question]) -> list[Item]:
    kept = [item for item in bench.items.values() if all(question in questions for question in item.questions)]
    if all(questions[name].text == bench.questions[name].text for item in kept for name in item.questions):
        return kept
    tokenizer = get_tokenizer(bench.corpus.info.tokenizer)
    if tokenizer.fingerprint != bench.corpus.info.fingerprint:
        raise BadInput(f"tokenizer '{tokenizer.name}' is not the one that built {bench.folder}; build it again")
    maker = ItemMaker(bench.info.family, assembler_of(bench), tokenizer)
    items: list[Item] = []
    for item in kept:
        question = questions[item.questions[0]]
        if question.text != bench.questions[question.id].text:
            counted = maker.counted(item.context, bench.prompts[item.prompt], {"questions": question.text})
            item = item.model_copy(update=counted)
        items.append(item)
    return items


def _record(
    bench: Bench, cards: Mapping[str, Card], decisions: Mapping[str, Decision], questions: Mapping[str, Question]
) -> dict[str, Any]:
    """The build record, with this review appended."""
    letters = Counter(questions[name].key.answer for name in cards if name in questions)
    return {**review_record(bench, cards, decisions, CRITERIA), "letters": dict(sorted(letters.items()))}
