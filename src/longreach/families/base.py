"""The interface of a family of tests, and how one item becomes a prompt."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from longreach.core.bench import Bench, Corpus, Draft
from longreach.core.helper_model import HelperModel
from longreach.core.settings import Spec
from longreach.core.types import Document, Estimate, Item, Piece, Question, Row, SimulatedAnswer, Tokenizer, Verdict
from longreach.errors import BadInput
from longreach.grading import AbsenceKind, read_absence
from longreach.grading.reading.reply_text import only_repeats, strip_reasoning
from longreach.stats.counting import delivered, sample, undecided
from longreach.stats.intervals import mean_estimate
from longreach.text.documents import load_sources

from .helper_requests import HelperPlan
from .parts import AnyReply, OutputCapped

CONTEXT = "context"
"""The variable in every prompt that is replaced by the context."""

NOT_IN_TEXT = "The text does not say."

S = TypeVar("S", bound=Spec)
_WORKING = 4
_REASONING = 16_384
_ROOM = 1024


def _no_helper_model(name: str) -> HelperModel:
    raise BadInput(f"this build has no way to reach model '{name}'; build with longreach build or longreach.build")


@dataclass(frozen=True)
class BuildContext:
    """What a build may use beside its spec: a message callback, and helper models (never the one under test)."""

    warn: Callable[[str], None]
    helper_model: Callable[[str], HelperModel] = field(default=_no_helper_model)
    """A helper model by name; its replies are cached, so that a stopped build resumes for free."""
    progress: Callable[[str], None] = field(default=lambda _: None)
    """Receives one short line per step of a long build."""
    plan: Callable[[HelperPlan], None] = field(default=lambda _: None)
    """Receives what helper models will be asked before anything is sent; it may raise `Stopped`."""
    follow_links: bool = False
    """Whether links that lead out of a folder of documents are read."""

    def documents(self, sources: Sequence[str]) -> list[Document]:
        """The documents of all sources; without any, the built-in haystack."""
        return load_sources(sources, warn=self.warn, follow_links=self.follow_links)


MEANING = "semantic"
"""The score of similarity of meaning by the offline embedder; of another one, with its name behind it."""


class Family(ABC, Generic[S]):
    """One kind of test: how it is built, prompted and graded. It never sees the model that it evaluates. What else a
    family may have is in `parts`."""

    name: ClassVar[str]
    version: ClassVar[int] = 1
    """Raised whenever the same spec would give another benchmark or another grade."""
    spec_type: type[S]

    @abstractmethod
    def build(
        self, spec: S, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
    ) -> tuple[Draft, Corpus]:
        """Documents to items; the same spec and seed give the same bytes."""

    def variables(self, questions: Sequence[Question]) -> dict[str, str]:
        """Values of the prompt's variables other than the context."""
        return {"question": questions[0].text}

    @abstractmethod
    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        """One verdict per question, in order; depends on text only, not on where the item is."""

    @abstractmethod
    def sample_answer(self, questions: Sequence[Question], *, right: bool) -> str:
        """An answer to all questions that is entirely right, or entirely wrong: grading is tested on it."""

    @abstractmethod
    def answer_tokens(self, questions: Sequence[Question]) -> int:
        """Tokens that an answer in the requested form may need."""


def output_cap(family: Family[Any], questions: Sequence[Question], *, reasons: bool) -> int:
    """The output cap per request where no limit is given: an answer with its working shown, and room for reasoning if
    the model reasons."""
    if isinstance(family, OutputCapped):
        return family.output_cap(questions, reasons=reasons)
    return _WORKING * family.answer_tokens(questions) + (_REASONING if reasons else _ROOM)


def written_answers(family: Family[Any], questions: Sequence[Question], replies: Sequence[SimulatedAnswer]) -> str:
    """An answer of only right and wrong replies and abstentions, in the requested form, one per question."""
    parts = []
    for question, reply in zip(questions, replies, strict=True):
        if reply.kind in ("right", "wrong", "partial"):
            right = reply.kind == "right" or (reply.kind == "partial" and reply.share >= 0.5)
            parts.append(family.sample_answer([question], right=right))
        elif reply.kind != "nothing":
            parts.append(reply.text if reply.kind == "choice" else NOT_IN_TEXT)
    return "\n".join(parts)


def main_language(documents: Iterable[Document]) -> str:
    """The language of most of the text; English where there is none."""
    weight = Counter({"en": 0})
    for document in documents:
        weight[document.language] += len(document.text)
    return weight.most_common(1)[0][0]


def warn_of_counting(corpus: Corpus, tokenizer: Tokenizer, build_context: BuildContext) -> None:
    """Warn where a text can be cut nowhere exactly, which makes a build slow."""
    if not corpus.info.seams.additive or not len(corpus.cuts):
        build_context.warn(
            f"tokenizer '{tokenizer.name}' lets this text be cut nowhere exactly: every context is counted whole"
        )


def over_refusal_rate(answerable: Sequence[Row]) -> Estimate | None:
    """How often questions that the text answers are answered with 'not mentioned'; None if all were lost to faults."""
    return mean_score(answerable, _over_refuses)


def mean_score(rows: Sequence[Row], score: Callable[[Row], float | None] = delivered) -> Estimate | None:
    """The mean of a score with its 95 % CI; None where no row has it."""
    found = sample(rows, score)
    return mean_estimate(found) if len(found) else None


def _over_refuses(row: Row) -> float | None:
    if delivered(row) is None:
        return None
    wrong = row.verdict.status == "scored" and row.verdict.value == 0 and not undecided(row)
    return float(wrong and read_absence(row.verdict.answer).kind is AbsenceKind.CLEAN)


def grade_reply(family: Family[Any], bench: Bench, item: Item, text: str) -> list[Verdict]:
    """One verdict per question of a whole reply, from any model or log; one that only repeats the prompt is none."""
    answer = strip_reasoning(text)
    rules = bench.prompts[item.prompt].text
    if not isinstance(family, AnyReply) and only_repeats(answer, lambda: asked_text(family, bench, item), rules):
        return [Verdict(status="unparsed", reason="the reply only repeats the prompt")] * len(item.questions)
    return family.grade([bench.questions[question] for question in item.questions], answer)


def asked_text(family: Family[Any], bench: Bench, item: Item) -> str:
    """The prompt of an item without its context."""
    return "\n".join(part for part in prompt_parts(family, bench, item) if isinstance(part, str))


def prompt_parts(
    family: Family[Spec], bench: Bench, item: Item, questions: Sequence[Question] | None = None
) -> list[Piece | str]:
    """The whole prompt as a recipe: the text before the context, the context's pieces, the text after it. It asks the
    item's questions, or others over its context."""
    prompt = bench.prompts[item.prompt]
    head, tail = prompt.around(CONTEXT)
    values = family.variables(questions or [bench.questions[question] for question in item.questions])
    return [prompt.fill(head, values), *item.context.pieces, prompt.fill(tail, values)]
