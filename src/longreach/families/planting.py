"""For families of other packages: sentences planted at random places of a long text, and a question about them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import ClassVar, NamedTuple, TypeVar

from longreach.core.bench import Corpus, Draft, Prompt
from longreach.core.figure import Axis, Curve, Heatmap
from longreach.core.formatting import Counts, resolve_lengths, text_too_short
from longreach.core.settings import LengthSpec
from longreach.core.types import (
    Cell,
    Document,
    Insert,
    Item,
    Key,
    Mark,
    Piece,
    Planted,
    Question,
    Span,
    Tokenizer,
    Verdict,
)
from longreach.errors import BadInput
from longreach.grading import grade_answer
from longreach.text.assemble import Assembler
from longreach.text.index import index_documents

from .base import BuildContext, Family
from .building import ItemMaker
from .parts import Reportable

__all__ = ["LENGTH", "Axis", "Case", "Counts", "Curve", "Heatmap", "Key", "PlantingFamily"]

LENGTH = Axis(name="length", title="Length", unit="tokens", scale="log")
"""The axis of the requested lengths."""
_PROMPT_ROOM = 200
"""Tokens of a window that the question and its answer may need."""
_ANSWER_ROOM = 16
"""Tokens for one value and a few words around it."""

S = TypeVar("S", bound=LengthSpec)


class Case(NamedTuple):
    """What one context of every length holds, and what is asked about it."""

    planted: Sequence[str]
    """Sentences, each with the space after it; one that is planted several times stands here as often."""
    question: str
    key: Key
    question_type: str
    cell: Cell
    """Its place on the axes other than the length."""


class PlantingFamily(Family[S], Reportable):
    """A family that says which sentences are planted and what is asked; its contexts are built here."""

    prompt: ClassVar[Path]
    """The file of the prompt, with the variables `context` and `question`."""

    @abstractmethod
    def cases(self, spec: S, random: Random) -> Iterable[Case]:
        """The contexts of each length; every choice is drawn from `random`, so that a seed gives the same bytes."""

    def build(
        self,
        spec: S,
        documents: Sequence[Document],
        tokenizer: Tokenizer,
        build_context: BuildContext,  # noqa: ARG002
    ) -> tuple[Draft, Corpus]:
        prompt = Prompt.load(self.prompt)
        cases = list(self.cases(spec, Random(f"{self.name} {spec.seed}")))
        lengths = resolve_lengths(spec.lengths, window=spec.window, reserve=_PROMPT_ROOM)
        corpus = index_documents(documents, tokenizer, need=max(lengths))
        planted = _planted(cases)
        maker = ItemMaker(self.name, Assembler(corpus, {each.id: each.text for each in planted.values()}), tokenizer)
        most = max(_tokens(case, tokenizer) for case in cases)
        if short := text_too_short(corpus.info.tokens, lengths, most):
            raise BadInput(f"the documents have {short}; add documents or ask for shorter lengths")
        made = [_made(spec, case, length, maker, corpus, prompt, planted) for length in lengths for case in cases]
        draft = Draft(
            family=self.name,
            family_version=self.version,
            spec=spec.recorded(),
            prompts=(prompt,),
            planted=tuple(planted.values()),
            questions=tuple(question for question, _ in made),
            items=tuple(item for _, item in made),
        )
        return draft, corpus

    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        """By the key."""
        return [grade_answer(text, question.key, question.text) for question in questions]

    def sample_answer(self, questions: Sequence[Question], *, right: bool) -> str:
        """The key's answer; a wrong one is a number that is one more, or words that name nothing."""
        key = questions[0].key
        if right:
            return key.answer
        return str(int(key.answer) + 1) if key.kind == "number" else "something else"

    def answer_tokens(self, questions: Sequence[Question]) -> int:
        """One value with a few words around it."""
        return sum(max(_ANSWER_ROOM, 2 * len(question.key.answer)) for question in questions)


def _planted(cases: Sequence[Case]) -> dict[str, Planted]:
    """The sentences of all cases, each once, by their text."""
    found: dict[str, Planted] = {}
    for text in dict.fromkeys(text for case in cases for text in case.planted):
        name = f"sentence-{len(found) + 1}"
        fact = Mark(id=name, start=0, end=len(text.rstrip().encode()))
        found[text] = Planted(id=name, text=text, facts=(fact,))
    return found


def _tokens(case: Case, tokenizer: Tokenizer) -> int:
    return sum(map(tokenizer.count, case.planted))


def _made(
    spec: LengthSpec,
    case: Case,
    length: int,
    maker: ItemMaker,
    corpus: Corpus,
    prompt: Prompt,
    planted: Mapping[str, Planted],
) -> tuple[Question, Item]:
    """The question and the item of one case at one length."""
    name = "-".join(map(str, (length, *case.cell.values())))
    last = corpus.cut_near(length - _tokens(case, maker.tokenizer))
    if last < len(case.planted):
        raise BadInput(f"length {length} has no room for {len(case.planted)} sentences; ask for longer lengths")
    cuts = sorted(Random(f"{spec.seed} {name}").sample(range(last), len(case.planted)))
    inserts = [planted[text].id for text in case.planted]
    question = Question(
        id=name,
        question_type=case.question_type,
        text=case.question,
        key=case.key,
        evidence=tuple(dict.fromkeys(inserts)),
    )
    context = maker.context(_pieces(corpus, cuts, last, inserts))
    cell: Cell = {"length": length} | case.cell
    return question, maker.item(name, context, prompt, [question], {"question": question.text}, cell=cell)


def _pieces(corpus: Corpus, cuts: Sequence[int], last: int, inserts: Sequence[str]) -> list[Piece]:
    """The text up to cut `last`, with an inserted sentence before each of those that begin at `cuts`."""
    at, pieces = 0, list[Piece]()
    for cut, insert in zip(cuts, inserts, strict=True):
        place = int(corpus.cuts[cut])
        pieces += [Span(start=at, end=place)] if place > at else []
        pieces.append(Insert(insert=insert))
        at = place
    return [*pieces, Span(start=at, end=int(corpus.cuts[last]))]
