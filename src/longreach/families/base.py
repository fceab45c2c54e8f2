"""The interface of a family of tests, and how one item becomes a prompt."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, TypeVar

from longreach.core.bench import Bench, Corpus, Draft
from longreach.core.figure import Axis, ChartSpec, Figure
from longreach.core.helper_model import HelperModel
from longreach.core.settings import Spec
from longreach.core.types import Document, Estimate, Item, Piece, Question, Row, SimulatedAnswer, Tokenizer, Verdict
from longreach.errors import BadInput
from longreach.grading import AbsenceKind, read_absence
from longreach.grading.reading.reply_text import only_repeats, strip_reasoning
from longreach.stats.counting import delivered, sample, undecided
from longreach.stats.intervals import mean_estimate
from longreach.text.documents import load_sources

from .helper_model import HelperPlan
from .papers import Paper

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
    """One kind of test: how it is built, prompted, graded and charted. It never sees the model that it evaluates."""

    name: ClassVar[str]
    version: ClassVar[int]
    """Raised whenever the same spec would give another benchmark or another grade."""
    title: ClassVar[str]
    about: ClassVar[str]
    axes: ClassVar[tuple[Axis, ...]]
    charts: ClassVar[tuple[ChartSpec, ...]]
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Named groups of settings; explicit settings override a preset."""
    sizes: ClassVar[tuple[str, ...]] = ()
    """Settings that are lengths and sizes: what `longreach paper --scale` multiplies."""
    judged: ClassVar[bool] = False
    """Whether a judge model can grade an answer against the question's key."""
    one_answer: ClassVar[bool] = False
    """Whether an answer is one unit: if cut off, it is marked truncated but retains its scores."""
    any_reply: ClassVar[bool] = False
    """Whether every reply is graded as it is, even one that only repeats the prompt."""
    doing: ClassVar[Mapping[str, tuple[str, str]]] = {}
    """What a question type measures, as a verb phrase: ('finds planted facts', 'find planted facts')."""
    contexts_flag: ClassVar[str] = ""
    """The flag of `build` that adds contexts per length: `--depths`."""
    arguments: ClassVar[tuple[str, ...]] = ()
    """Settings that `longreach build` also takes without their flags, in this order; the last takes all that follow."""
    lessons_from: ClassVar[str] = "build it with contexts that hold the answers"
    """What to build instead of a benchmark with nothing to learn from."""
    whole_text: ClassVar[Mapping[str, str]] = {}
    """Question types whose answers rest on the whole text, with the reason, so that `--ways passages` does not ask them
    about a few passages; an empty name stands for all types."""
    spec_type: type[S]
    paper: ClassVar[Paper | None] = None
    """The paper whose experiment the preset `paper` repeats."""

    def documents(self, spec: S, build_context: BuildContext) -> list[Document]:
        """The text to build from; empty for a family that generates its own."""
        return build_context.documents(spec.docs)

    def preset(self, name: str, given: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002
        """The settings of a preset, beside those that are given."""
        return self.presets[name]

    def scaled(self, settings: Mapping[str, Any], scale: float) -> dict[str, Any]:
        """The lengths and sizes of complete settings, multiplied."""
        return {name: _times(settings[name], scale) for name in self.sizes if settings.get(name) is not None}

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

    def options(self, question: Question) -> Mapping[str, str]:  # noqa: ARG002
        """The options of a question, by letter or label; empty for open questions."""
        return {}

    def query(self, question: Question) -> str:
        """What a retriever searches with: the question without what tells its options apart, which would give the
        answer away; with it where each option has evidence of its own."""
        options = self.options(question)
        listed = re.search(rf"^\s*\(?(?:{'|'.join(map(re.escape, options))})[).:]\s", question.text, re.MULTILINE)
        if not options or listed is None or len(question.evidence) > 1:
            return question.text
        head, rest = question.text[: listed.start()], question.text[listed.start() :]
        for option in sorted(filter(None, options.values()), key=len, reverse=True):
            rest = rest.replace(option, " ")
        return head + rest

    def write_answers(self, questions: Sequence[Question], replies: Sequence[SimulatedAnswer]) -> str:
        """An answer in the requested form with one reply per question (right, wrong or abstaining), for simulated
        models."""
        parts = []
        for question, reply in zip(questions, replies, strict=True):
            if reply.kind in ("right", "wrong", "partial"):
                right = reply.kind == "right" or (reply.kind == "partial" and reply.share >= 0.5)
                parts.append(self.sample_answer([question], right=right))
            elif reply.kind != "nothing":
                parts.append(reply.text if reply.kind == "choice" else NOT_IN_TEXT)
        return "\n".join(parts)

    @abstractmethod
    def answer_tokens(self, questions: Sequence[Question]) -> int:
        """Tokens that an answer in the requested form may need."""

    def judges(self, question: Question) -> bool:  # noqa: ARG002
        """Whether a judge may grade an answer to a question that the key is unsure of."""
        return self.judged

    def answer_schema(self, bench: Bench, item: Item) -> Mapping[str, Any] | None:  # noqa: ARG002
        """The JSON schema that the answer to an item shall have, for providers with structured output; None: none."""
        return None

    def output_cap(self, questions: Sequence[Question], *, reasons: bool) -> int:
        """The output cap per request where no limit is given: an answer with its working shown, and room for reasoning
        if the model reasons."""
        return _WORKING * self.answer_tokens(questions) + (_REASONING if reasons else _ROOM)

    def figures(self, rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> list[Figure]:  # noqa: ARG002
        """Figures beyond the declared charts: tables and drawings computed from this family's rows and their
        benchmarks, by digest (without the long text). `published` adds the paper's figures."""
        return []

    def published(self) -> list[Figure]:
        """The paper's own figures, drawn like ours."""
        return []

    def audit_questions(self, number: int, seed: int, language: str) -> Sequence[Question]:  # noqa: ARG002
        """Set `number` of generated questions with known keys, on which a judge is measured; empty where the family
        generates none."""
        return ()

    def lessons(self, bench: Bench, item: Item) -> Sequence[Sequence[Question]]:
        """What a model can learn from an item: groups of questions over its context, each asked and answered in one
        training example; none where the right answer does not follow from the prompt."""
        return [[bench.questions[question] for question in item.questions]]

    def world(self, bench: Bench, item: Item) -> str:  # noqa: ARG002
        """The world that an item's text comes from: training and test data never share one. By default the whole
        benchmark, whose contexts share their text."""
        return bench.info.digest[:12]

    def facts(self, bench: Bench, question: Question) -> list[str]:
        """The sentences that a question is about: a model that has learned them was not tested."""
        return [
            text.text.encode()[mark.start : mark.end].decode()
            for text in (bench.planted.values() if question.evidence else ())
            for mark in text.facts
            if mark.id in question.evidence
        ]

    def compared_texts(self, question: Question, text: str) -> tuple[str, str] | None:  # noqa: ARG002
        """The answer and the truth whose similarity of meaning is one of its scores; None where it is not measured."""
        return None

    def counted_rows(self, rows: Sequence[Row], benches: Mapping[str, Bench]) -> list[Row]:  # noqa: ARG002
        """The rows that every number rests on, of all graded rows: where several questions ask about parts of
        one thing, one row for the whole."""
        return list(rows)

    def counted_types(self, bench: Bench) -> list[str]:
        """The question types of those rows."""
        return list(dict.fromkeys(question.question_type for question in bench.questions.values()))

    def chance(self, bench: Bench, question_type: str) -> float:  # noqa: ARG002
        """The score of guessing, or of the best constant answer, on a question type; 0 for open questions."""
        return 0.0

    def beside_verdict(self, rows: Sequence[Row], benches: Mapping[str, Bench]) -> str:  # noqa: ARG002
        """Results of one model that a reader needs beside its verdict, in one line: controls, a bias."""
        return ""

    def sentence(self, rows: Sequence[Row], model: str) -> str:  # noqa: ARG002
        """The verdict on a model in one sentence; if empty, the report writes one about lengths."""
        return ""


def _times(value: Any, scale: float) -> Any:
    """A number, or a list of numbers, multiplied: whole and at least 2."""
    if isinstance(value, list | tuple):
        return list(dict.fromkeys(_times(each, scale) for each in value))
    return max(2, round(int(value) * scale))


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
    if not family.any_reply and only_repeats(answer, lambda: asked_text(family, bench, item), rules):
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
