"""Makes items: the prompt filled in, counted and hashed, with the work for a shared context done once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from longreach.core.context import Context, Piece
from longreach.core.item import Cell, Item, Placement, SharedParts
from longreach.core.prompt import Prompt
from longreach.core.question import Question
from longreach.core.tokenizer import Tokenizer
from longreach.text.assemble import Assembler

from .base import CONTEXT

__all__ = ["ItemMaker"]


class ItemMaker:
    """Makes the items of one benchmark."""

    def __init__(self, family: str, assembler: Assembler, tokenizer: Tokenizer) -> None:
        self.family, self.assembler, self.tokenizer = family, assembler, tokenizer
        self._parts = SharedParts()
        self._through: dict[tuple[str, str, str], tuple[int, int]] = {}

    def context(self, pieces: Sequence[Piece]) -> Context:
        """A recipe with its count and digest."""
        return self.assembler.context(self.tokenizer, pieces)

    def item(
        self,
        id: str,
        context: Context,
        prompt: Prompt,
        questions: Sequence[Question],
        values: Mapping[str, str],
        *,
        cell: Cell,
        realised: Cell | None = None,
        placed: Sequence[Placement] = (),
    ) -> Item:
        """One request. `values` fill the prompt's variables other than the context; without `realised` the actual
        length is recorded.
        """
        return self._parts.item(
            Item(
                id=id,
                family=self.family,
                context=context,
                prompt=prompt.id,
                questions=tuple(question.id for question in questions),
                cell=cell,
                realised={"length": context.tokens} if realised is None else realised,
                placed=tuple(placed),
                **self.counted(context, prompt, values),
            )
        )

    def counted(self, context: Context, prompt: Prompt, values: Mapping[str, str]) -> dict[str, Any]:
        """The fields of an item that follow from its whole prompt: token counts and digest."""
        head, tail = prompt.around(CONTEXT)
        opening = prompt.fill(head, values)
        shared = [opening, *context.pieces]
        ending = prompt.fill(tail, values)
        key = (context.sha256, prompt.id, opening)
        if key not in self._through:
            rules = tail.partition("{{")[0]
            self._through[key] = self._count(shared), self._count([*shared, rules])
        through_context, through_rules = self._through[key]
        return {
            "tokens": self._count([*shared, ending]),
            "through_context": through_context,
            "through_rules": through_rules,
            "sha256": self.assembler.digests(shared, [ending])[0],
        }

    def _count(self, pieces: Sequence[Piece | str]) -> int:
        return self.assembler.count(self.tokenizer, pieces)
