"""The needles family object."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from longreach.core.bench import Bench, Corpus, Draft
from longreach.core.figure import Axis, Curve, Figure, Heatmap
from longreach.core.files import yaml_table
from longreach.core.language import has_han
from longreach.core.types import Document, Question, Row, SimulatedAnswer, Tokenizer, Verdict
from longreach.errors import BadInput, did_you_mean
from longreach.families.base import BuildContext, Family
from longreach.families.parts import Countable, Judgeable, Preset, Reportable, Simulatable, Trainable
from longreach.families.reviewing import Card, Decisions, ReviewDecision, question_cards, remaining_draft, review_record
from longreach.grading import (
    NOT_MENTIONED,
    NOT_MENTIONED_ZH,
    gold_answer,
    grade_answer,
    is_refusal,
    parse_answers,
    wrong_answer,
)

from .build import answer_line, answer_tokens, build_needles, numbered_questions
from .distributions import DISTRIBUTIONS
from .facts import LANGUAGES, REGISTERS, make_facts
from .paper import PAPER
from .spec import QUESTION_TYPES, NeedlesSpec


class Needles(Family[NeedlesSpec], Reportable, Countable, Preset, Trainable, Judgeable, Simulatable):
    """Facts planted in a long context: found, inferred, hallucinated."""

    name = "needles"
    version = 9
    title = "Needles"
    about = (
        "Invented facts are planted in a long context: together at several depths of several lengths, or scattered "
        "over it by a distribution. Literal questions ask for what a fact says, inference questions for what follows "
        "from two or more of them. Abstention questions ask for what the context never mentions; only saying so is "
        "right."
    )
    axes = (
        Axis(name="length", title="Length", unit="tokens", scale="log"),
        Axis(name="depth", title="Depth", unit="%", scale="linear"),
        Axis(
            name="layout",
            title="Layout",
            values=("spread", "paragraph", "comb", "paragraph-turns", "comb-turns"),
            experiment=True,
            usual=("spread", "paragraph"),
        ),
        Axis(name="hops", title="Facts per inference", scale="linear"),
        Axis(name="distribution", title="Distribution", values=tuple(DISTRIBUTIONS)),
        Axis(name="fact_set", title="Fact set"),
        Axis(name="window", title="Window", scale="linear"),
        Axis(name="prompt", title="Prompt", values=("standard", "anti_hallucination")),
        Axis(name="question_type", title="Question type", values=QUESTION_TYPES),
    )
    charts = (
        Heatmap(
            id="map",
            title="Where in the text, and at which length, are facts lost?",
            x="length",
            y="depth",
            by=("layout", "prompt", "question_type"),
        ),
        Curve(
            id="by-length",
            title="Which kind of question is lost first?",
            x="length",
            lines=("layout", "question_type", "prompt"),
        ),
        Curve(
            id="by-depth",
            title="Does the place in the text matter?",
            x="depth",
            lines=("layout", "question_type", "prompt"),
        ),
        Curve(id="by-hops", title="How many facts can it combine?", x="hops", lines=("layout", "prompt")),
    )
    presets = yaml_table(__package__, "presets.yaml")
    spec_type = NeedlesSpec
    paper = PAPER
    review_criteria: ClassVar[Mapping[str, str]] = {
        "clear": "clear in the long context",
        "right": "right in its key, by the planted facts alone",
        "only": "answered by the planted facts and nothing else",
        "written": "well written",
    }
    review_rules: ClassVar[str] = (
        "Judge by the planted facts. A literal question has its answer in one of them; an inference follows from them "
        "together. Where the key says that it is not mentioned, none of them may give the answer."
    )

    def build(
        self, spec: NeedlesSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
    ) -> tuple[Draft, Corpus]:
        return build_needles(spec, documents, tokenizer, build_context, self.version)

    def variables(self, questions: Sequence[Question]) -> dict[str, str]:
        return {"questions": numbered_questions(questions)}

    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        answers = parse_answers(text, len(questions), [question.text for question in questions])
        missing = Verdict(status="unparsed", reason="no line for this question" if text.strip() else "empty answer")
        if not answers and is_refusal(text):
            missing = Verdict(status="refused", reason="declines to answer")
        return [
            grade_answer(answers[number], question.key, question.text) if number in answers else missing
            for number, question in enumerate(questions, 1)
        ]

    def sample_answer(self, questions: Sequence[Question], *, right: bool) -> str:
        write = gold_answer if right else wrong_answer
        if len(questions) == 1:
            return write(questions[0].key)
        lines = (answer_line(number, write(question.key), question) for number, question in enumerate(questions, 1))
        return "\n".join(lines)

    def write_answers(self, questions: Sequence[Question], replies: Sequence[SimulatedAnswer]) -> str:
        lines = []
        for number, (question, reply) in enumerate(zip(questions, replies, strict=True), 1):
            if reply.kind == "nothing":
                continue
            if reply.kind == "absent":
                text = NOT_MENTIONED_ZH if has_han(question.text) else NOT_MENTIONED
            elif reply.kind == "choice":
                text = reply.text
            else:
                text = (gold_answer if reply.kind == "right" else wrong_answer)(question.key)
            lines.append(text if len(questions) == 1 else answer_line(number, text, question))
        return "\n".join(lines)

    def answer_tokens(self, questions: Sequence[Question]) -> int:
        return answer_tokens(len(questions))

    def counted_rows(self, rows: Sequence[Row], benches: Mapping[str, Bench]) -> list[Row]:
        """The rows, of inferences with the number of their facts as an axis where it differs."""
        needed = {
            digest: {name: len(asked.evidence) for name, asked in bench.questions.items() if asked.evidence[1:]}
            for digest, bench in benches.items()
        }
        several = {digest for digest, facts in needed.items() if set(facts.values()) - {2}}
        return [
            row.model_copy(update={"cell": row.cell | {"hops": needed[row.bench][row.question]}})
            if row.family == self.name and row.bench in several and row.question in needed[row.bench]
            else row
            for row in rows
        ]

    def beside_verdict(self, rows: Sequence[Row], benches: Mapping[str, Bench]) -> str:
        """How the questions were asked: it moves the accuracy of small models."""
        sizes = {
            len(benches[row.bench].items[row.item].questions)
            for row in rows
            if row.bench in benches and row.item in benches[row.bench].items
        }
        if not sizes:
            return ""
        return "questions asked one by one" if sizes == {1} else f"up to {max(sizes)} questions in a request"

    def figures(self, rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> list[Figure]:
        from .figures import needles_figures

        return needles_figures(rows, benches, published)

    def published(self) -> list[Figure]:
        from .figures import published_figures

        return published_figures()

    def review_cards(self, bench: Bench) -> list[Card]:
        return [
            card.model_copy(update={"facts": (*card.facts, ("key", gold_answer(bench.questions[card.id].key)))})
            for card in question_cards(bench, bench.questions.values())
        ]

    def review_fault(self, card: Card, decision: ReviewDecision) -> str:  # noqa: ARG002
        return "a question with its key is accepted or rejected as it is"

    def reviewed(self, bench: Bench, decisions: Decisions) -> Draft:
        gone = {name for name, decision in decisions.items() if decision.verdict == "reject"}
        return remaining_draft(bench, gone, {}, review_record(bench, bench.questions, decisions, self.review_criteria))

    def audit_questions(self, number: int, seed: int, language: str) -> Sequence[Question]:
        if language not in LANGUAGES:
            raise BadInput(f"judge audit: unknown language '{language}'.{did_you_mean(language, LANGUAGES)}")
        register = list(REGISTERS)[number % len(REGISTERS)]
        return make_facts(seed * 1_000 + number, language=language, register=register).questions


FAMILY = Needles()
