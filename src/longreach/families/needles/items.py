"""Contexts and question sheets to items, with exact counts and digests."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from longreach.core.context import Context, Piece
from longreach.core.item import Cell, Item
from longreach.core.prompt import Prompt
from longreach.core.question import Question
from longreach.core.tokenizer import Tokenizer
from longreach.families.base import CONTEXT
from longreach.text.assemble import Assembler

from .ask import answer_tokens, question_sheet
from .facts import FactSet
from .placement import NeedleContext
from .spec import NeedlesSpec

__all__ = ["ItemMaker", "QuestionSet"]


@dataclass(frozen=True)
class _Sheet:
    """What one request has after the context."""

    prompt: Prompt
    questions: tuple[Question, ...]
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


class ItemMaker:
    """Makes the items of one benchmark."""

    def __init__(self, spec: NeedlesSpec, assembler: Assembler, tokenizer: Tokenizer) -> None:
        self._spec = spec
        self._assembler = assembler
        self._tokenizer = tokenizer
        self._context: Context | None = None
        self._through: dict[tuple[str, str], tuple[int, int]] = {}

    def context(self, placed: NeedleContext) -> Context:
        """The recipe that items carry; the last one is cached."""
        if self._context is None or self._context.pieces != placed.pieces:
            self._context = self._assembler.context(self._tokenizer, placed.pieces)
        return self._context

    def items(
        self, name: str, placed: NeedleContext, context: Context, asked: QuestionSet, cell: Cell, realised: Cell
    ) -> Iterator[Item]:
        """One item per sheet; `name` and `cell` get the prompt and the fact set added."""
        head = asked.sheets[0].prompt.around(CONTEXT)[0]
        digests = self._assembler.digests([head, *placed.pieces], [sheet.tail for sheet in asked.sheets])
        for sheet, digest in zip(asked.sheets, digests, strict=True):
            through_story, through_rules = self._through_rules(head, placed, context, sheet.prompt)
            whole = f"{name}-{sheet.prompt.id}"
            yield Item(
                id=whole if self._spec.ask == "quiz" else f"{whole}-{sheet.questions[0].id}",
                family=self._spec.family,
                context=context,
                prompt=sheet.prompt.id,
                questions=tuple(question.id for question in sheet.questions),
                cell=cell | {"fact_set": asked.name, "prompt": sheet.prompt.id},
                realised=realised,
                placed=placed.placed,
                tokens=self._count([head, *placed.pieces, sheet.tail]),
                through_story=through_story,
                through_rules=through_rules,
                sha256=digest,
            )

    def _through_rules(self, head: str, placed: NeedleContext, context: Context, prompt: Prompt) -> tuple[int, int]:
        """Tokens up to the end of the context and to the end of the rules; all requests over a context share them."""
        key = (context.sha256, prompt.id)
        if key not in self._through:
            rules = prompt.around(CONTEXT)[1].partition("{{questions}}")[0]
            pieces = [head, *placed.pieces]
            self._through[key] = self._count(pieces), self._count([*pieces, rules])
        return self._through[key]

    def _count(self, pieces: Sequence[Piece | str]) -> int:
        return self._assembler.count(self._tokenizer, pieces)


def _sheet(prompt: Prompt, questions: tuple[Question, ...]) -> _Sheet:
    tail = prompt.fill(prompt.around(CONTEXT)[1], {"questions": question_sheet(questions)})
    return _Sheet(prompt=prompt, questions=questions, tail=tail)
