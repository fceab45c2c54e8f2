"""A needles benchmark in memory, with what is needed to look at its texts."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from tests.present import of

from longreach.core.bench import Corpus, Draft
from longreach.core.types import Document, Item
from longreach.families.base import BuildContext
from longreach.families.building import make_spec
from longreach.families.needles.family import FAMILY
from longreach.families.needles.spec import NeedlesSpec
from longreach.models.tokenizers import get_tokenizer
from longreach.text.assemble import Assembler
from longreach.text.documents import built_in_documents


@lru_cache
def haystack() -> tuple[Document, ...]:
    return tuple(built_in_documents()[:6])


class Built:
    """A draft with what is needed to look at its texts."""

    def __init__(
        self,
        documents: tuple[Document, ...] | list[Document],
        *,
        warn: Callable[[str], None] | None = None,
        **given: Any,
    ) -> None:
        spec = of(NeedlesSpec, make_spec("needles", given))
        self.spec = spec
        self.tokenizer = get_tokenizer(self.spec.tokenizer)
        self.warnings: list[str] = []
        context = BuildContext(warn=warn or self.warnings.append)
        parts: tuple[Draft, Corpus] = FAMILY.build(self.spec, documents, self.tokenizer, context)
        self.draft, self.corpus = parts
        self.planted = self.draft.planted[0]
        self.texts = {planted.id: planted for planted in self.draft.planted}
        self.assembler = Assembler(self.corpus, {planted.id: planted.text for planted in self.draft.planted})
        self.items = {item.id: item for item in self.draft.items}
        self.questions = {question.id: question for question in self.draft.questions}

    def exact(self, item: Item) -> Fraction:
        return Fraction(str(item.cell["length"]))

    def text(self, item: Item) -> str:
        return self.assembler.text(item.context.pieces).decode()

    def prompt(self, item: Item) -> str:
        (prompt,) = (prompt for prompt in self.draft.prompts if prompt.id == item.prompt)
        values = FAMILY.variables([self.questions[name] for name in item.questions])
        return prompt.fill(prompt.text, values | {"context": self.text(item)})

    def sent(self, item: Item) -> list[str]:
        """The messages that a model receives."""
        (prompt,) = (prompt for prompt in self.draft.prompts if prompt.id == item.prompt)
        head, tail = prompt.around("context")
        values = FAMILY.variables([self.questions[name] for name in item.questions])
        parts = [prompt.fill(head, values), *item.context.pieces, prompt.fill(tail, values)]
        return [message.text.decode() for message in self.assembler.messages(parts)]

    def check_counts(self) -> None:
        """Counts by arithmetic against counting the text, and planted texts against where they are said to be."""
        seen: set[str] = set()
        for item in self.items.values():
            assert item.tokens == sum(map(self.tokenizer.count, self.sent(item)))
            if item.context.sha256 in seen:
                continue
            seen.add(item.context.sha256)
            raw = self.text(item).encode()
            messages = self.assembler.messages(item.context.pieces)
            assert item.context.tokens == sum(self.tokenizer.count(message.text.decode()) for message in messages)
            for place in item.placed:
                assert raw[place.start :].startswith(self.texts[place.insert].text.encode())
                before = (message.text[: max(0, place.start - message.start)].decode() for message in messages)
                assert place.token == sum(map(self.tokenizer.count, before))
