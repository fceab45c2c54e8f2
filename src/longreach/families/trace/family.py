"""The trace family object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from longreach.core.bench import Bench, Corpus, Draft
from longreach.core.figure import Axis, Figure, Heatmap
from longreach.core.types import Document, Question, Row, SimulatedAnswer, Tokenizer, Verdict
from longreach.families.base import BuildContext, Family, written_answers
from longreach.families.parts import Countable, Preset, Reportable, Searchable, Simulatable, Sourced
from longreach.families.showing import family_view, guessing_scores

from .build import TASKS, TraceSpec, build_trace
from .grade import grade, split

_SHORT, _NAME = 24, 7  # tokens


class TraceFamily(Family[TraceSpec], Reportable, Countable, Preset, Sourced, Searchable, Simulatable):
    """Following, counting and combining over the whole context."""

    name = "trace"
    version = 2
    title = "Trace"
    about = (
        "Generated worlds in which every part of the context matters. The tasks: the n-th of several look-alikes, "
        "edges of a graph and walks over it, things that change, entries to count and compare, labels learned from "
        "examples. Chains of assignments are a control. A shorter context is the beginning of a longer one, and "
        "every answer is worked out for that beginning."
    )
    axes = (
        Axis(name="length", title="Length", unit="tokens", scale="log"),
        Axis(name="difficulty", title="Difficulty", scale="linear"),
        Axis(name="depth", title="Depth of the evidence", unit="%", scale="linear"),
        Axis(name="form", title="Form of the question"),
        Axis(name="world", title="World", scale="linear"),
        Axis(name="question_type", title="Task", values=TASKS, experiment=True),
    )
    charts = (
        Heatmap(
            id="by-difficulty",
            title="Which difficulty, at which length, is too much?",
            x="length",
            y="difficulty",
            by=("question_type",),
        ),
    )
    whole_text: ClassVar[Mapping[str, str]] = {
        "nth": "every look-alike counts",
        "state": "every change counts",
        "mapping": "every example counts",
    }
    spec_type = TraceSpec

    def documents(self, spec: TraceSpec, build_context: BuildContext) -> list[Document]:
        """Only filler for nth and state; without `docs` it is generated."""
        return build_context.documents(spec.docs) if spec.docs else []

    def build(
        self, spec: TraceSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
    ) -> tuple[Draft, Corpus]:
        return build_trace(spec, documents, tokenizer, build_context, self.version)

    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        return [grade(question, text) for question in questions]

    def sample_answer(self, questions: Sequence[Question], *, right: bool) -> str:
        key = questions[0].key
        return key.answer if right else key.details["try off"]

    def write_answers(self, questions: Sequence[Question], replies: Sequence[SimulatedAnswer]) -> str:
        """A choice names a shortcut: the answer that it would give."""
        (question,), (reply,) = questions, replies
        tried = question.key.details.get(f"try {reply.text}")
        return tried if reply.kind == "choice" and tried else written_answers(self, questions, replies)

    def answer_tokens(self, questions: Sequence[Question]) -> int:
        return sum(_SHORT + _NAME * len(split(question.key.details, "members")) for question in questions)

    def chance(self, bench: Bench, question_type: str) -> float:
        floors = [
            float(question.key.details["floor"])
            for question in bench.questions.values()
            if question.question_type == question_type
        ]
        return sum(floors) / max(1, len(floors))

    def figures(self, rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> list[Figure]:  # noqa: ARG002
        from .figures import trace_figures

        chances = guessing_scores(benches).get(self.name, {})
        view = family_view(self.name).model_copy(update={"chances": chances})
        return trace_figures(rows, view)


FAMILY = TraceFamily()
