"""Questions as review cards, and the benchmark after the review."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

from longreach.core.bench import Bench, Draft
from longreach.core.types import Key, Question
from longreach.families import reviewing
from longreach.families.reviewing import Card, CardTry, Decision, Decisions, review_record

from .questions import LETTERS, MOST_OPTION, MOST_QUESTION, options_of, render

CRITERIA = {
    "clear": "clear in the long context",
    "suitable": "a suitable passage",
    "answerable": "answerable from it",
    "specific": "specific to it",
    "written": "well written",
}
"""The paper's five criteria."""
RULES = (
    "Judge by the gold passage alone. Clear: no pronoun or reference that becomes ambiguous in a longer text. "
    "Suitable: the passage allows a clear and reasonable question. Answerable: the passage gives the answer exactly. "
    "Specific: it asks for what only this passage says, not for general knowledge. Well written: grammatical, no "
    "spelling errors."
)
_QUESTION = "question"


def question_cards(bench: Bench) -> list[Card]:
    """One card per question, with its generation history; controls share the question's card."""
    asked = [question for question in bench.questions.values() if question.evidence[:1] == (question.id,)]
    cards = reviewing.question_cards(bench, asked, {question.id: options_of(question.text) for question in asked})
    history = {one["id"]: one for one in bench.build.get("history", ()) if isinstance(one, dict) and "id" in one}
    return [card.model_copy(update=_history(card, history.get(card.id, {}))) for card in cards]


def _history(card: Card, history: Mapping[str, Any]) -> dict[str, Any]:
    passage = (("passage", str(history["passage"])),) if isinstance(history.get("passage"), int) else ()
    tries = [
        CardTry(
            **{name: str(one.get(name, "")) for name in ("outcome", "step", "why")}, text=str(one.get(_QUESTION, ""))
        )
        for one in history.get("tries", ())
        if isinstance(one, dict)
    ]
    return {"facts": (*card.facts, *passage), "tries": tuple(tries)}


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


def reviewed_draft(bench: Bench, decisions: Decisions) -> Draft:
    """The remaining benchmark, without rejected questions and with edited ones, controls included."""
    cards = {card.id: card for card in question_cards(bench)}
    gone: set[str] = set()
    changed: dict[str, Question] = {}
    for name, question in bench.questions.items():
        asked = name.removesuffix(f".{question.question_type}")  # a control has the question that it controls
        decision = decisions.get(asked)
        if decision and decision.verdict == "reject":
            gone.add(name)
        elif decision and decision.verdict == "edit":
            changed[name] = _edited(question, cards[asked], decision)
    build = review_record(bench, cards, decisions, CRITERIA)
    letters = Counter(changed.get(name, bench.questions[name]).key.answer for name in cards if name not in gone)
    return reviewing.remaining_draft(bench, gone, changed, {**build, "letters": dict(sorted(letters.items()))})


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
