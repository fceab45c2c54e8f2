"""Contexts and question sheets to items, with exact counts and digests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longreach.core.context import Context
from longreach.core.item import Cell, Item
from longreach.core.prompt import Prompt
from longreach.core.question import Question
from longreach.core.tokenizer import Tokenizer
from longreach.families.base import CONTEXT
from longreach.families.item_maker import ItemMaker
from longreach.text.assemble import Assembler

from .ask import answer_tokens, numbered_questions
from .facts import FactSet
from .placement import NeedleContext
from .spec import NeedlesSpec

__all__ = ["NeedleItems", "QuestionSet"]


@dataclass(frozen=True)
class _Sheet:
    """What one request has after the context."""

    prompt: Prompt
    questions: tuple[Question, ...]
    text: str
    """The questions as the prompt lists them."""
    tail: str


class QuestionSet:
    """The questions about one fact set, under every prompt, together or each alone."""

    def __init__(self, spec: NeedlesSpec, prompts: Sequence[Prompt], facts: FactSet, name: str) -> None:
        self.name = name
        """Of the fact set, as cells carry it."""
        self.questions = tuple(one for one in facts.questions if one.question_type in spec.question_types)
        groups = [self.questions] if spec.ask == "quiz" else [(one,) for one in self.questions]
        self.sheets = tuple(_sheet(prompt, group) for prompt in prompts for group in groups)

    def reserve(self, tokenizer: Tokenizer) -> int:
        """Tokens that a request and its answer need beside the context, at most."""
        head = self.sheets[0].prompt.around(CONTEXT)[0]
        return tokenizer.count(head) + max(
            tokenizer.count(sheet.tail) + answer_tokens(len(sheet.questions)) for sheet in self.sheets
        )


class NeedleItems:
    """Makes the items of one needles benchmark."""

    def __init__(self, spec: NeedlesSpec, assembler: Assembler, tokenizer: Tokenizer) -> None:
        self._spec = spec
        self._maker = ItemMaker(spec.family, assembler, tokenizer)
        self._context: Context | None = None

    def context(self, placed: NeedleContext) -> Context:
        """The recipe that items carry; the last one is cached."""
        if self._context is None or self._context.pieces != placed.pieces:
            self._context = self._maker.context(placed.pieces)
        return self._context

    def items(
        self, name: str, placed: NeedleContext, context: Context, asked: QuestionSet, cell: Cell, realised: Cell
    ) -> Iterator[Item]:
        """One item per sheet; `name` and `cell` get the prompt and the fact set added."""
        for sheet in asked.sheets:
            whole = f"{name}-{sheet.prompt.id}"
            yield self._maker.item(
                whole if self._spec.ask == "quiz" else f"{whole}-{sheet.questions[0].id}",
                context,
                sheet.prompt,
                sheet.questions,
                {"questions": sheet.text},
                cell=cell | {"fact_set": asked.name, "prompt": sheet.prompt.id},
                realised=realised,
                placed=placed.placed,
            )


def _sheet(prompt: Prompt, questions: tuple[Question, ...]) -> _Sheet:
    text = numbered_questions(questions)
    tail = prompt.fill(prompt.around(CONTEXT)[1], {"questions": text})
    return _Sheet(prompt=prompt, questions=questions, text=text, tail=tail)
