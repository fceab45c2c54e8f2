"""What a family may have beside `Family`: it inherits the parts that it needs, and overrides what they say."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from longreach.core.bench import Bench
from longreach.core.figure import Axis, ChartSpec, Figure
from longreach.core.types import Document, Item, Question, Row, SimulatedAnswer

from .papers import Paper

P = TypeVar("P")


def part_of(family: object, kind: type[P]) -> P:
    """A family as the owner of one part; of a family without it, the part as it is."""
    return family if isinstance(family, kind) else kind()


class Reportable:
    """Its results are presented in words and charts of its own."""

    title: ClassVar[str] = ""
    """By default the family's name."""
    about: ClassVar[str] = ""
    axes: ClassVar[tuple[Axis, ...]] = ()
    charts: ClassVar[tuple[ChartSpec, ...]] = ()

    def figures(self, rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> list[Figure]:  # noqa: ARG002
        """Figures beyond the declared charts: tables and drawings computed from this family's rows and their
        benchmarks, by digest (without the long text). `published` adds the paper's figures."""
        return []

    def published(self) -> list[Figure]:
        """The paper's own figures, drawn like ours."""
        return []

    def beside_verdict(self, rows: Sequence[Row], benches: Mapping[str, Bench]) -> str:  # noqa: ARG002
        """Results of one model that a reader needs beside its verdict, in one line: controls, a bias."""
        return ""

    def sentence(self, rows: Sequence[Row], model: str) -> str:  # noqa: ARG002
        """The verdict on a model in one sentence; if empty, the report writes one about lengths."""
        return ""


class Countable:
    """Its rows are counted in another way than one by one, or can be guessed."""

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


class Preset:
    """It has named groups of settings; the one named `paper` repeats a paper's experiment, also at another scale."""

    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {}
    """Explicit settings override a preset."""
    sizes: ClassVar[tuple[str, ...]] = ()
    """Settings that are lengths and sizes: what `longreach paper --scale` multiplies."""
    paper: ClassVar[Paper | None] = None
    """The paper whose experiment the preset `paper` repeats."""

    def preset(self, name: str, given: Mapping[str, Any]) -> Mapping[str, Any]:  # noqa: ARG002
        """The settings of a preset, beside those that are given."""
        return self.presets[name]

    def scaled(self, settings: Mapping[str, Any], scale: float) -> dict[str, Any]:
        """The lengths and sizes of complete settings, multiplied."""
        return {name: _times(settings[name], scale) for name in self.sizes if settings.get(name) is not None}


class Sourced(ABC):
    """It builds from other text than the documents of `docs`."""

    @abstractmethod
    def documents(self, spec: Any, build_context: Any) -> list[Document]:
        """The text to build from; empty for a family that generates its own."""


class Searchable:
    """A retriever can search for its questions, and there is more to say about that than their text."""

    whole_text: ClassVar[Mapping[str, str]] = {}
    """Question types whose answers rest on the whole text, with the reason, so that `--ways passages` does not ask them
    about a few passages; an empty name stands for all types."""

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


class Trainable:
    """What a model can learn from its items is not simply their questions."""

    lessons_from: ClassVar[str] = "build it with contexts that hold the answers"
    """What to build instead of a benchmark with nothing to learn from."""

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


class Judgeable:
    """A judge model can grade an answer against the question's key."""

    def judges(self, question: Question) -> bool:  # noqa: ARG002
        """Whether a judge may grade an answer to a question that the key is unsure of."""
        return True

    def audit_questions(self, number: int, seed: int, language: str) -> Sequence[Question]:  # noqa: ARG002
        """Set `number` of generated questions with known keys, on which a judge is measured; empty where the family
        generates none."""
        return ()


class Comparable(ABC):
    """Similarity of meaning is one of its scores."""

    @abstractmethod
    def compared_texts(self, question: Question, text: str) -> tuple[str, str] | None:
        """The answer and the truth to compare; None where it is not measured."""


class Simulatable(ABC):
    """A simulated model writes more than right and wrong answers to its questions."""

    @abstractmethod
    def write_answers(self, questions: Sequence[Question], replies: Sequence[SimulatedAnswer]) -> str:
        """An answer in the requested form with one reply per question (right, wrong, partial or abstaining)."""


class Structured(ABC):
    """Its answers can have a form that providers with structured output enforce."""

    @abstractmethod
    def answer_schema(self, bench: Bench, item: Item) -> Mapping[str, Any] | None:
        """The JSON schema that the answer to an item shall have; None: none."""


class OutputCapped(ABC):
    """It knows better than by its answers' usual size how much a model may write."""

    @abstractmethod
    def output_cap(self, questions: Sequence[Question], *, reasons: bool) -> int:
        """The output cap per request where no limit is given; `reasons`: of a model that reasons."""


class OneAnswer:
    """An answer is one unit: if cut off, it is marked truncated but retains its scores."""


class AnyReply:
    """Every reply is graded as it is, even one that only repeats the prompt."""


def _times(value: Any, scale: float) -> Any:
    """A number, or a list of numbers, multiplied: whole and at least 2."""
    if isinstance(value, list | tuple):
        return list(dict.fromkeys(_times(each, scale) for each in value))
    return max(2, round(int(value) * scale))
