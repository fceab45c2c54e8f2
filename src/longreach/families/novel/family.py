"""The novel family object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from longreach.core.bench import Bench, Corpus, Draft
from longreach.core.figure import Axis, Curve, Figure, Heatmap
from longreach.core.files import yaml_table
from longreach.core.language import detect_language
from longreach.core.types import Document, Item, Question, Row, SimulatedAnswer, Tokenizer, Verdict
from longreach.families.base import BuildContext, Family, written_answers
from longreach.families.parts import Countable, Preset, Reportable, Searchable, Simulatable, Sourced, Trainable
from longreach.families.reviewing import Card, Decisions, ReviewDecision
from longreach.worlds import FAITHFUL, HALLUCINATED, LABELS, NO_TYPE, POSITIONS, TYPES

from .books import sentences_of
from .build import build_novel
from .figures import novel_figures, published_figures
from .grade import ANALYSIS, Gold, answer_tokens, gold_of, grade_verdict, key_of, verdict_json
from .paper import PAPER
from .reviewing import CRITERIA, RULES, edit_fault, reviewed_draft, summary_cards
from .samples import BLOCK, SUMMARY
from .scores import headline, merge_blocks
from .spec import METHODS, SIZES, WINDOWS, NovelSpec

_SHORT_STORY = 1500
"""Tokens of a story that single claims are learned from."""


_OF_WINDOWS = ("embedder", "window_sizes", "story_block", "summary_block", "nearest")
"""Settings of the methods that ask block by block."""


class Novel(Family[NovelSpec], Reportable, Countable, Preset, Sourced, Searchable, Trainable, Simulatable):
    """Summaries of long stories, half of them with one error."""

    name = "novel"
    version = 6
    title = "Novel"
    about = (
        "The model reads a long story and a summary of it. Half of the summaries are faithful, half have an error of "
        "one of eight types, at the beginning, in the middle or at the end. Does the model notice, does it leave the "
        "faithful ones alone, and can it point at the sentence?"
    )
    axes = (
        Axis(name="length", title="Length", unit="tokens", scale="log"),
        Axis(name="size", title="Size", values=("S", *SIZES)),
        Axis(name="method", title="Method", values=METHODS, experiment=True),
        Axis(name="truth", title="Summary", values=(HALLUCINATED, FAITHFUL)),
        Axis(name="type", title="Type of error", values=(*TYPES, NO_TYPE)),
        Axis(name="position", title="Place", values=POSITIONS),
        Axis(name="book", title="Book"),
        Axis(name="story", title="Story"),
        Axis(name="language", title="Language", values=("en", "zh")),
        Axis(name="made", title="Made", values=("chronicle", "brought", "generated", "arbitrated")),
        Axis(name="sample", title="Sample"),
        Axis(name="block", title="Block", scale="linear"),
        Axis(name="question_type", title="Question type", values=(SUMMARY, ANALYSIS)),
    )
    charts = (
        Heatmap(
            id="map",
            title="Where in the text are errors missed?",
            x="length",
            y="position",
            by=("method", "truth", "question_type"),
        ),
        Curve(
            id="by-length",
            title="At which length do right verdicts get fewer?",
            x="length",
            lines=("method", "truth", "question_type"),
        ),
    )
    lessons_from = "build it with method zero_shot_last"
    presets = yaml_table(__package__, "presets.yaml")
    sizes = ("unit", "story_block")
    whole_text: ClassVar[Mapping[str, str]] = {"": "a summary is of the whole story; `--methods window` has windows"}
    spec_type = NovelSpec
    paper = PAPER
    review_criteria: ClassVar[Mapping[str, str]] = CRITERIA
    review_rules: ClassVar[str] = RULES

    def documents(self, spec: NovelSpec, build_context: BuildContext) -> list[Document]:
        """Only source `write` reads documents; user-supplied units are read when the benchmark is built."""
        return build_context.documents(spec.docs) if spec.source == "write" else []

    def preset(self, name: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """For units or documents of one's own the paper's preset has its models; for a chronicle it has none."""
        chosen: dict[str, Any] = {**super().preset(name, given)}
        if "methods" in given and not any(method in str(given["methods"]) for method in WINDOWS):
            chosen = {key: value for key, value in chosen.items() if key not in _OF_WINDOWS}
        if name != "paper" or not given.get("docs"):
            return chosen
        books = [] if given.get("source") == "chronicle" else ["books"]
        own: dict[str, Any] = {**self.presets["paper_docs"]}
        return {key: value for key, value in chosen.items() if key not in books} | own

    def scaled(self, settings: Mapping[str, Any], scale: float) -> dict[str, Any]:
        least = 2 * max(128, round(settings["unit"] * scale))  # more than one unit
        sizes = {name: name for name in settings["sizes"]}
        sizes |= {name: str(max(least, round(SIZES[name] * scale))) for name in sizes if name in SIZES}
        counts = settings["per_class"]
        per_class = {sizes[name]: count for name, count in counts.items()} if isinstance(counts, dict) else counts
        windows = [sizes.get(name, name) for name in settings["window_sizes"]]
        named = {"sizes": list(sizes.values()), "per_class": per_class, "window_sizes": windows}
        return super().scaled(settings, scale) | named

    def build(
        self, spec: NovelSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
    ) -> tuple[Draft, Corpus]:
        return build_novel(spec, documents, tokenizer, build_context, self.version)

    def variables(self, questions: Sequence[Question]) -> dict[str, str]:
        return {SUMMARY: questions[0].text}

    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        return [grade_verdict(question, text) for question in questions]

    def sample_answer(self, questions: Sequence[Question], *, right: bool) -> str:
        question = questions[0]
        gold, language = gold_of(question.key), detect_language(question.text)
        if right:
            return verdict_json(gold, language)
        if gold.truth == HALLUCINATED:
            return verdict_json(Gold(truth=FAITHFUL), language)
        accused = sentences_of(question.text, language)[0]
        return verdict_json(Gold(truth=HALLUCINATED, type="event", sentence=accused), language)

    def options(self, question: Question) -> dict[str, str]:
        names = LABELS[detect_language(question.text)]
        return {truth: names[truth] for truth in (HALLUCINATED, FAITHFUL)}

    def write_answers(self, questions: Sequence[Question], replies: Sequence[SimulatedAnswer]) -> str:
        (question,), (reply,) = questions, replies
        gold = gold_of(question.key)
        if reply.kind == "choice":
            if reply.text not in (HALLUCINATED, FAITHFUL):
                return reply.text
            reply = SimulatedAnswer(kind="right" if reply.text == gold.truth else "wrong")
        return written_answers(self, questions, [reply])

    def answer_tokens(self, questions: Sequence[Question]) -> int:
        return sum(answer_tokens(question) for question in questions)

    def lessons(self, bench: Bench, item: Item) -> list[list[Question]]:
        """The same prompt as in evaluation; windows are not whole samples, and there is no analysis to learn. Over a
        short story also its altered sentence alone, wrong and corrected: a paragraph and one claim."""
        methods = {str(one) for one in bench.spec.get("methods", ())}
        method = next((name for name in METHODS if name in methods and name not in ("cot", *WINDOWS)), None)
        if item.cell["method"] != method:
            return []
        question = bench.questions[item.questions[0]]
        gold = gold_of(question.key)
        if gold.truth == FAITHFUL or not gold.correction or item.context.tokens > _SHORT_STORY:
            return [[question]]
        wrong = question.model_copy(update={"text": gold.sentence})
        right = question.model_copy(update={"text": gold.correction, "key": key_of(Gold(truth=FAITHFUL))})
        return [[question], [wrong], [right]]

    def world(self, bench: Bench, item: Item) -> str:
        return f"{bench.spec.get('language')}-{bench.spec.get('seed')}-{item.cell['book']}"

    def facts(self, bench: Bench, question: Question) -> list[str]:  # noqa: ARG002
        gold = gold_of(question.key)
        return [sentence for sentence in (gold.sentence, gold.correction) if sentence]

    def review_cards(self, bench: Bench) -> list[Card]:
        return summary_cards(bench)

    def review_fault(self, card: Card, decision: ReviewDecision) -> str:
        return edit_fault(card, decision)

    def reviewed(self, bench: Bench, decisions: Decisions) -> Draft:
        return reviewed_draft(bench, decisions)

    def counted_rows(self, rows: Sequence[Row], benches: Mapping[str, Bench]) -> list[Row]:
        return merge_blocks(rows, benches)

    def counted_types(self, bench: Bench) -> list[str]:
        return list(dict.fromkeys(SUMMARY if kind == BLOCK else kind for kind in super().counted_types(bench)))

    def chance(self, bench: Bench, question_type: str) -> float:
        # Always the commoner label. Every method is asked about every summary, so that it is the same for all.
        labels = Counter({item.cell["sample"]: item.cell["truth"] for item in bench.items.values()}.values())
        return min(0.99, max(labels.values()) / labels.total()) if question_type in self.counted_types(bench) else 0.0

    def figures(self, rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> list[Figure]:
        return novel_figures(rows, benches, published=published)

    def published(self) -> list[Figure]:
        return published_figures()

    def sentence(self, rows: Sequence[Row], model: str) -> str:
        return headline(rows, model)


FAMILY = Novel()
