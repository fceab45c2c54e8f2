"""The family object: what the rest of Sonde knows of needles."""

from __future__ import annotations

from collections.abc import Sequence

from sonde.core.bench import Draft
from sonde.core.chart import Axis, Curve, Heatmap
from sonde.core.corpus import Corpus
from sonde.core.document import Document
from sonde.core.question import Question
from sonde.core.tokenizer import Tokenizer
from sonde.core.verdict import Verdict
from sonde.families.base import Family, Workshop
from sonde.grading import gold_answer, grade_answer, parse_sheet, wrong_answer

from .ask import answer_line, answer_tokens, question_sheet
from .build import build_needles
from .spec import PROBES, NeedlesSpec

__all__ = ["FAMILY", "Needles"]


class Needles(Family[NeedlesSpec]):
    """Facts planted in a long story: found, inferred, made up."""

    name = "needles"
    version = 1
    title = "Needles"
    about = (
        "A paragraph of invented facts is planted in a long story, at several depths of several lengths. "
        "Literal questions ask for what a fact says, inference questions for what follows from two of them, and "
        "faithfulness questions for what the story never says: there the only right answer is to say so."
    )
    axes = (
        Axis(name="length", title="Length", unit="tokens", scale="log"),
        Axis(name="depth", title="Depth", unit="%", scale="linear"),
        Axis(name="prompt", title="Prompt", values=("standard", "anti_hallucination")),
        Axis(name="probe", title="Probe", values=PROBES),
    )
    charts = (
        Heatmap(id="map", title="Score by depth and length", x="length", y="depth", by=("prompt", "probe")),
        Curve(id="by-length", title="Score by length", x="length", lines=("probe", "prompt")),
        Curve(id="by-depth", title="Score by depth", x="depth", lines=("probe", "prompt")),
    )
    spec_type = NeedlesSpec

    def build(
        self, spec: NeedlesSpec, documents: Sequence[Document], tokenizer: Tokenizer, workshop: Workshop
    ) -> tuple[Draft, Corpus]:
        return build_needles(spec, documents, tokenizer, workshop, self.version)

    def variables(self, questions: Sequence[Question]) -> dict[str, str]:
        return {"questions": question_sheet(questions)}

    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        answers = parse_sheet(text, len(questions))
        return [
            grade_answer(answers[number], question.key)
            if number in answers
            else Verdict(status="unparsed", reason="no line for this question" if text.strip() else "empty answer")
            for number, question in enumerate(questions, 1)
        ]

    def answer_sheet(self, questions: Sequence[Question], *, right: bool) -> str:
        write = gold_answer if right else wrong_answer
        lines = (answer_line(number, write(question.key), question) for number, question in enumerate(questions, 1))
        return "\n".join(lines)

    def answer_tokens(self, questions: Sequence[Question]) -> int:
        return answer_tokens(len(questions))


FAMILY = Needles()
