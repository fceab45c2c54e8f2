"""Contexts and questions to items, with exact counts and digests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from longreach.core.bench import Prompt
from longreach.core.types import Cell, Context, Item, Question, Tokenizer
from longreach.families.base import CONTEXT
from longreach.families.building import ItemMaker
from longreach.text.assemble import Assembler, next_turn

from .ask import answer_tokens, numbered_questions
from .facts import FactSet
from .placement import NeedleContext
from .spec import NeedlesSpec

__all__ = ["NeedleItems", "QuestionSet"]


@dataclass(frozen=True)
class _Request:
    """The part of one request after the context."""

    prompt: Prompt
    questions: tuple[Question, ...]
    text: str
    """The questions as listed in the prompt."""
    tail: str


class QuestionSet:
    """The questions about one fact set, for every prompt, together or one per request."""

    def __init__(self, spec: NeedlesSpec, prompts: Sequence[Prompt], facts: FactSet, name: str) -> None:
        self.name = name
        """Id of the fact set, as in cells."""
        self.questions = facts.questions
        self._spec = spec
        self._prompts = prompts

    def requests(self, cell: str) -> tuple[_Request, ...]:
        """The requests over the context of a cell; every prompt has the questions in the same order."""
        if self._spec.ask == "each":
            groups: list[tuple[Question, ...]] = [(one,) for one in self.questions]
        elif self._spec.question_order == "by_type":
            groups = [self.questions]
        else:
            order = Random(f"questions {self._spec.seed} {cell}")
            groups = [tuple(order.sample(self.questions, len(self.questions)))]
        return tuple(_request(prompt, group) for prompt in self._prompts for group in groups)

    def reserve(self, tokenizer: Tokenizer) -> int:
        """Maximum tokens that a request and its answer need beside the context."""
        requests = self.requests("")
        return tokenizer.count(requests[0].prompt.around(CONTEXT)[0]) + max(
            tokenizer.count(request.tail) + answer_tokens(len(request.questions)) for request in requests
        )


class NeedleItems:
    """Makes the items of one needles benchmark."""

    def __init__(self, spec: NeedlesSpec, assembler: Assembler, tokenizer: Tokenizer) -> None:
        self._spec = spec
        self._maker = ItemMaker(spec.family, assembler, tokenizer)
        self._context: Context | None = None

    def context(self, placed: NeedleContext) -> Context:
        """The recipe of items, which ends with a user's turn if it is a conversation; the last one is cached."""
        pieces = (*placed.pieces, next_turn(placed.pieces, "user")) if self._spec.turns else placed.pieces
        if self._context is None or self._context.pieces != pieces:
            self._context = self._maker.context(pieces)
        return self._context

    def items(
        self, name: str, placed: NeedleContext, context: Context, asked: QuestionSet, cell: Cell, realised: Cell
    ) -> Iterator[Item]:
        """One item per request; the prompt and the fact set are added to `name` and `cell`."""
        for request in asked.requests(name):
            whole = f"{name}-{request.prompt.id}"
            yield self._maker.item(
                whole if self._spec.ask == "together" else f"{whole}-{request.questions[0].id}",
                context,
                request.prompt,
                request.questions,
                {"questions": request.text},
                cell=cell | {"fact_set": asked.name, "prompt": request.prompt.id},
                realised=realised,
                placed=placed.placed,
            )


def _request(prompt: Prompt, questions: tuple[Question, ...]) -> _Request:
    text = numbered_questions(questions)
    tail = prompt.fill(prompt.around(CONTEXT)[1], {"questions": text})
    return _Request(prompt=prompt, questions=questions, text=text, tail=tail)
