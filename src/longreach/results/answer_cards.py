"""Wrong and undecided answers as cards: a person looks through them, and marks what is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from longreach.core.bench import Bench
from longreach.core.formatting import count, format_tokens
from longreach.core.types import Call, Frozen, Question, Row
from longreach.errors import BadInput
from longreach.families.reviewing import Card, CardField, question_cards
from longreach.stats.counting import delivered, undecided

from .decisions import WHOLE, way_of
from .marks import mark_key, markable, shown_answer

__all__ = ["AnswerCard", "answer_cards"]


class AnswerCard(Frozen):
    """An answer, with what its mark says about it."""

    card: Card
    question: str
    answer: str


def answer_cards(
    rows: Sequence[Row],
    calls: Sequence[Call],
    benches: Mapping[str, Bench],
    marks: Mapping[str, bool],
    first: tuple[str, str] = ("", WHOLE),
) -> list[AnswerCard]:
    """One card per answer that is wrong, undecided, or marked already; those of the model and way `first` at the front.
    Equal answers to one question are one card."""
    by_call = {(call.model, call.bench, call.item, call.repeat): call for call in calls}
    found: dict[str, AnswerCard] = {}
    shared: dict[str, int] = {}
    sources: dict[tuple[str, str], Card | None] = {}
    for row in sorted(rows, key=lambda row: ((row.model, way_of(row)) != first, row.model != first[0], undecided(row))):
        call = by_call.get((row.model, row.bench, row.item, row.repeat))
        bench = benches[row.bench]
        if call is None or row.other_items or not markable(row.verdict):
            continue
        question = bench.questions[row.question]
        name = mark_key(question, row.verdict, call)
        if delivered(row) == 1 and not undecided(row) and name not in marks:
            continue
        shared[name] = shared.get(name, 0) + 1
        if name not in found:
            if (row.bench, row.question) not in sources:
                sources[row.bench, row.question] = _source(bench, question)
            found[name] = _card(name, row, question, shown_answer(row.verdict, call), sources[row.bench, row.question])
    return [
        each.model_copy(update={"card": _also(each.card, shared[name])}) if shared[name] > 1 else each
        for name, each in found.items()
    ]


def _card(name: str, row: Row, question: Question, answer: str, source: Card | None) -> AnswerCard:
    decided = "right" if delivered(row) == 1 else "wrong"
    state = "undecided" if undecided(row) else decided
    length = row.cell.get("length")
    facts = [("state", state), ("why", row.verdict.reason), ("key", question.key.answer), ("by", row.model)]
    facts += [("way", way_of(row))] + ([("length", format_tokens(length))] if isinstance(length, int) else [])
    fields = (
        CardField(name="question", label="Question", text=question.text),
        CardField(name="answer", label="Answer", text=answer),
    )
    about = {"before", "source", "mark", "after"}
    shown = source.model_dump(include=about) if source else {}
    card = Card(id=name, title=f"{state} · {row.model}", facts=tuple(facts), fields=fields, **shown)
    return AnswerCard(card=card, question=question.text, answer=answer)


def _also(card: Card, answers: int) -> Card:
    return card.model_copy(update={"facts": (*card.facts, ("same answer", count(answers, "time")))})


def _source(bench: Bench, question: Question) -> Card | None:
    """The passage of a question; None where the benchmark's text is no longer there."""
    try:
        return next(iter(question_cards(bench, [question])), None)
    except BadInput:  # a copy without its text
        return None
