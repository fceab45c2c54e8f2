"""What a family of tests is, and how one item becomes a prompt."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import ClassVar, Generic, TypeVar

from sonde.core.bench import Bench, Draft
from sonde.core.chart import Axis, ChartSpec
from sonde.core.context import Piece
from sonde.core.corpus import Corpus
from sonde.core.document import Document
from sonde.core.item import Item
from sonde.core.question import Question
from sonde.core.spec import Spec
from sonde.core.tokenizer import Tokenizer
from sonde.core.verdict import Verdict

__all__ = ["STORY", "Family", "prompt_parts", "prompt_tail"]

STORY = "story"
"""The variable in every prompt that the context takes the place of."""

S = TypeVar("S", bound=Spec)


class Family(ABC, Generic[S]):
    """One kind of test: how it is built, asked, graded and drawn. It never sees the model it evaluates."""

    name: ClassVar[str]
    version: ClassVar[int]
    """Raised whenever the same spec would give another benchmark or another grade."""
    title: ClassVar[str]
    about: ClassVar[str]
    axes: ClassVar[tuple[Axis, ...]]
    charts: ClassVar[tuple[ChartSpec, ...]]
    spec_type: type[S]

    @abstractmethod
    def build(
        self, spec: S, documents: Sequence[Document], tokenizer: Tokenizer, warn: Callable[[str], None]
    ) -> tuple[Draft, Corpus]:
        """Documents to items; the same spec and seed give the same bytes."""

    @abstractmethod
    def variables(self, questions: Sequence[Question]) -> dict[str, str]:
        """What the prompt's variables other than the story stand for."""

    @abstractmethod
    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        """One verdict a question, in order; text in, verdicts out, blind to where the item stands."""

    @abstractmethod
    def answer_sheet(self, questions: Sequence[Question], *, right: bool) -> str:
        """A sheet that answers everything right, or everything wrong: grading is tested on it."""

    @abstractmethod
    def answer_tokens(self, questions: Sequence[Question]) -> int:
        """Tokens that an answer in the asked form may need."""


def prompt_tail(family: Family[Spec], bench: Bench, item: Item) -> str:
    """What comes after the story: rules and questions."""
    prompt = bench.prompts[item.prompt]
    values = family.variables([bench.questions[question] for question in item.questions])
    return prompt.fill(prompt.around(STORY)[1], values)


def prompt_parts(family: Family[Spec], bench: Bench, item: Item) -> list[Piece | str]:
    """The whole prompt as a recipe: what comes before the story, the context's pieces, what comes after."""
    head, _ = bench.prompts[item.prompt].around(STORY)
    return [head, *item.context.pieces, prompt_tail(family, bench, item)]
