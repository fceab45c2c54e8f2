"""The grounded family object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from longreach.core.bench import Bench, Corpus, Draft
from longreach.core.figure import Axis, Curve, Figure, Heatmap
from longreach.core.types import Document, Item, Key, Question, Row, SimulatedAnswer, Tokenizer, Verdict
from longreach.errors import one_line
from longreach.families import reviewing
from longreach.families.base import NOT_IN_TEXT, BuildContext, Family
from longreach.families.choices import evidence_fault, read_choice
from longreach.families.parts import (
    Countable,
    Judgeable,
    Preset,
    Reportable,
    Searchable,
    Simulatable,
    Sourced,
    Trainable,
)
from longreach.families.reviewing import Card, CardTry, Decisions, ReviewDecision, review_record
from longreach.grading import gold_answer, grade_answer, is_refusal, parse_answers, wrong_answer
from longreach.grading.reading.reply_text import strip_reasoning

from .build import ABSENT, ANSWER_TOKENS, CONTROLS, EVIDENCE_TOKENS, QUESTION_TYPE, build_grounded, load_by_folder
from .figures import beside_verdict, published_figures, result_figures
from .paper import PAPER
from .questions import (
    LETTERS,
    MOST_OPTION,
    MOST_QUESTION,
    distinct_parts,
    options_of,
    render,
    says,
    word_count,
)
from .spec import EXTRACTIVE, KIND_NAMES, GroundedSpec
from .tail import build_from_tail
from .user_questions import ROW

_QUOTED = 500
"""Maximum characters of a source quoted in a written answer."""

# Questions as review cards, and the benchmark after the review.

CRITERIA = {
    "clear": "clear in the long context",
    "suitable": "a suitable passage",
    "answerable": "answerable from it",
    "specific": "specific to it",
    "written": "well written",
}
"""The paper's five criteria."""
RULES = (
    "Judge by the gold passage alone. Clear: no pronoun or reference that becomes ambiguous in a longer text. "
    "Suitable: the passage allows a clear and reasonable question. Answerable: the passage gives the answer exactly. "
    "Specific: it asks for what only this passage says, not for general knowledge. Well written: grammatical, no "
    "spelling errors."
)
_QUESTION = "question"


def _history(card: Card, history: Mapping[str, Any]) -> dict[str, Any]:
    passage = (("passage", str(history["passage"])),) if isinstance(history.get("passage"), int) else ()
    tries = [
        CardTry(
            **{name: str(one.get(name, "")) for name in ("outcome", "step", "why")}, text=str(one.get(_QUESTION, ""))
        )
        for one in history.get("tries", ())
        if isinstance(one, dict)
    ]
    return {"facts": (*card.facts, *passage), "tries": tuple(tries)}


def _edited(question: Question, card: Card, decision: ReviewDecision) -> Question:
    texts = {field.name: decision.fields.get(field.name, field.text) for field in card.fields}
    letters = [letter for letter in LETTERS if letter in texts]
    if not letters:
        return question.model_copy(update={"text": texts[_QUESTION]})
    right = decision.right or card.right
    rivals = tuple(texts[letter] for letter in letters if letter != right)
    return question.model_copy(
        update={
            "text": render(texts[_QUESTION], [texts[letter] for letter in letters]),
            "key": Key(kind="text", answer=right, accept=(texts[right],), rivals=rivals),
        }
    )


class Grounded(
    Family[GroundedSpec], Reportable, Countable, Preset, Sourced, Searchable, Trainable, Judgeable, Simulatable
):
    """Questions from the user's own documents, each answered by one passage."""

    name = "grounded"
    version = 17
    title = "Grounded"
    about = (
        "Multiple-choice questions built from your documents. Each is answered by one passage at a chosen "
        "depth and by nothing else. The same questions are asked at every length, so that only length changes. As "
        "controls each question is also asked of its passage alone and of no text at all."
    )
    axes = (
        Axis(name="length", title="Length", unit="tokens", scale="log"),
        Axis(name="depth", title="Depth", unit="%", scale="linear"),
        Axis(name="domain", title="Domain"),
        Axis(name="kind", title="Kind of question by code", values=KIND_NAMES),
        Axis(
            name="prompt",
            title="Prompt",
            values=(
                *("reading", "question_first", "question_only_first", "evidence", "closed_book", "complete"),
                *("complete_closed_book", "open", "open_closed_book"),
            ),
        ),
        Axis(name="control", title="Control", values=CONTROLS),
        Axis(name="question_type", title="Question type", values=(QUESTION_TYPE, ABSENT, *CONTROLS)),
    )
    charts = (
        Heatmap(id="map", title="Where in the text, and at which length, are answers lost?", x="length", y="depth"),
        Curve(id="by-length", title="At which length does accuracy fall?", x="length"),
        Curve(id="by-depth", title="Does the place in the text matter?", x="depth"),
    )
    sizes = ("lengths", "passage_words")
    presets: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "paper": {
            "lengths": "8k..128k/8k",
            "depths": "5..95/5",
            "passage_words": 600,
            "options": 6,
            "questions": 1,
            "tries": 5,
            "neighbours": 5,
            "layout": "centred",
            "long_documents": 10,
            "reuse_documents": True,
            "moves": 10_000,
            "filters": "none",
            "question_first": True,
            "question_after": False,
            "sampling": {"temperature": 0, "max_tokens": 512},
            "builder": "openai/gpt-4o",
            "checker": "openai/gpt-4o",
            "embedder": "openai:text-embedding-3-large",
        }
    }
    spec_type = GroundedSpec
    paper = PAPER
    review_criteria: ClassVar[Mapping[str, str]] = CRITERIA
    review_rules: ClassVar[str] = RULES

    def preset(self, name: str, given: Mapping[str, Any]) -> Mapping[str, Any]:
        """Without a model that writes, nothing of a preset asks for one."""
        chosen = super().preset(name, given)
        without = given.get("builder") == EXTRACTIVE or given.get("questions_file") or given.get("from_tail")
        models = ("builder", "checker", "embedder") if without else ()
        return {key: value for key, value in chosen.items() if key not in models}

    def documents(self, spec: GroundedSpec, build_context: BuildContext) -> list[Document]:
        return [] if spec.from_tail else load_by_folder(spec.docs, build_context.documents)

    def build(
        self, spec: GroundedSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
    ) -> tuple[Draft, Corpus]:
        if spec.from_tail:
            return build_from_tail(spec, tokenizer, build_context, self.version)
        return build_grounded(spec, documents, tokenizer, build_context, self.version)

    def variables(self, questions: Sequence[Question]) -> dict[str, str]:
        return {"questions": "\n\n".join(question.text for question in questions)}

    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        return [grade_choice(question, text) for question in questions]

    def sample_answer(self, questions: Sequence[Question], *, right: bool) -> str:
        lines = []
        for question in questions:
            lines += [f'EVIDENCE: "{" ".join(quote.split())[:_QUOTED]}"' for quote in question.quotes]
            letters = list(options_of(question.text))
            if ROW in question.key.details and not letters:
                lines.append((gold_answer if right else wrong_answer)(question.key))
                continue
            if not letters:
                lines.append(question.key.answer if right else NOT_IN_TEXT)
                continue
            place = letters.index(question.key.answer)
            lines.append(f"ANSWER: {letters[place if right else (place + 1) % len(letters)]}")
        return "\n".join(lines)

    def options(self, question: Question) -> dict[str, str]:
        """What distinguishes the options, by letter: of versions of one statement the values."""
        return distinct_parts(options_of(question.text))

    def write_answers(self, questions: Sequence[Question], replies: Sequence[SimulatedAnswer]) -> str:
        lines = []
        for question, reply in zip(questions, replies, strict=True):
            if reply.kind in ("right", "wrong"):
                lines.append(self.sample_answer([question], right=reply.kind == "right"))
            elif reply.kind != "nothing":
                lines.append(f"ANSWER: {reply.text}" if reply.kind == "choice" else NOT_IN_TEXT)
        return "\n".join(lines)

    def judges(self, question: Question) -> bool:
        """A user's open questions; the others have a key that is always certain."""
        return ROW in question.key.details and not options_of(question.text)

    def answer_tokens(self, questions: Sequence[Question]) -> int:
        return sum(ANSWER_TOKENS + EVIDENCE_TOKENS * len(question.quotes) for question in questions)

    def choices(self, question: Question) -> dict[str, str]:
        """The options by letter: a model may map an unreadable answer to one of them."""
        return options_of(question.text)

    def lessons(self, bench: Bench, item: Item) -> Sequence[Sequence[Question]]:
        """Without the text the right answer cannot be known, and guessing is not to be learned."""
        return [] if item.cell.get("control") == "closed_book" else super().lessons(bench, item)

    def review_cards(self, bench: Bench) -> list[Card]:
        """One card per question, with its generation history; controls share the question's card."""
        asked = [question for question in bench.questions.values() if question.evidence[:1] == (question.id,)]
        cards = reviewing.question_cards(bench, asked, {question.id: options_of(question.text) for question in asked})
        history = {one["id"]: one for one in bench.build.get("history", ()) if isinstance(one, dict) and "id" in one}
        return [card.model_copy(update=_history(card, history.get(card.id, {}))) for card in cards]

    def review_fault(self, card: Card, decision: ReviewDecision) -> str:
        """What would break the benchmark; wording is left to the reviewer."""
        texts = {field.name: field.text for field in card.fields} | decision.fields
        known = {field.name for field in card.fields}
        if unknown := sorted(set(decision.fields) - known):
            return f"there is no field '{unknown[0]}'"
        if decision.right and decision.right not in known - {_QUESTION}:
            return f"'{decision.right}' is no option"
        for name, text in decision.fields.items():
            what = "the question" if name == _QUESTION else f"option {name}"
            most = MOST_QUESTION if name == _QUESTION else MOST_OPTION
            if not text.strip() or text != text.strip():
                return f"{what} is empty or has spaces around it"
            if len(text.splitlines()) > 1:
                return f"{what} has several lines"
            if len(text) > most:
                return f"{what} has {len(text)} characters, at most {most} are allowed"
        folded = Counter(" ".join(text.casefold().split()) for name, text in texts.items() if name != _QUESTION)
        twice = next((text for text, count in folded.items() if count > 1), "")
        return f"two options are the same: '{twice}'" if twice and set(decision.fields) - {_QUESTION} else ""

    def reviewed(self, bench: Bench, decisions: Decisions) -> Draft:
        """The remaining benchmark, without rejected questions and with edited ones, controls included."""
        cards = {card.id: card for card in self.review_cards(bench)}
        gone: set[str] = set()
        changed: dict[str, Question] = {}
        for name, question in bench.questions.items():
            asked = name.removesuffix(f".{question.question_type}")  # a control has the question that it controls
            decision = decisions.get(asked)
            if decision and decision.verdict == "reject":
                gone.add(name)
            elif decision and decision.verdict == "edit":
                changed[name] = _edited(question, cards[asked], decision)
        build = review_record(bench, cards, decisions, CRITERIA)
        letters = Counter(changed.get(name, bench.questions[name]).key.answer for name in cards if name not in gone)
        return reviewing.remaining_draft(bench, gone, changed, {**build, "letters": dict(sorted(letters.items()))})

    def chance(self, bench: Bench, question_type: str) -> float:
        options = [
            len(options_of(question.text))
            for question in bench.questions.values()
            if question.question_type == question_type
        ]
        return sum(1 / count for count in options if count) / len(options) if options else 0.0

    def figures(self, rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> list[Figure]:
        return result_figures(rows, benches, published=published)

    def beside_verdict(self, rows: Sequence[Row], benches: Mapping[str, Bench]) -> str:
        return beside_verdict(rows, benches)

    def published(self) -> list[Figure]:
        return published_figures()


def grade_choice(question: Question, text: str) -> Verdict:
    """The verdict on one answer."""
    options = options_of(question.text)
    if not options:
        return grade_open(question, text) if ROW in question.key.details else grade_ending(question, text)
    letter, how = read_choice(text, options)
    if not letter:
        if is_refusal(text):
            return Verdict(status="refused", reason="the model declines to answer")
        return Verdict(status="unparsed", reason=how)
    right = letter == question.key.answer
    reason = how if right else f"{how}; the right one is {question.key.answer}"
    scores: dict[str, float] = {}
    if question.quotes:
        fault = evidence_fault(text, question.quotes)
        scores["evidence"] = float(not fault)
        reason = f"{reason}; {fault or 'right evidence'}"
    answer = f"{letter}) {options[letter]}"
    return Verdict(status="scored", value=float(right), answer=answer, reason=reason, scores=scores)


def grade_open(question: Question, text: str) -> Verdict:
    """The verdict on the answer to a user's open question, by its value; not certain where a judge has to decide."""
    answer = parse_answers(text, 1, [question.text]).get(1)
    if answer is None:
        if is_refusal(text):
            return Verdict(status="refused", reason="declines to answer")
        return Verdict(status="unparsed", reason="no answer to read" if text.strip() else "empty answer")
    return grade_answer(answer, question.key, question.text)


_MOST_WORDS = 30
"""Beyond those of the question, in an answer that completes a sentence: a longer one copies the text and points at
nothing."""


def grade_ending(question: Question, text: str) -> Verdict:
    """The verdict on the end of a sentence: its words must stand in the answer, in any spelling of signs and capitals;
    the whole sentence may."""
    answer = strip_reasoning(text).strip()
    if not word_count(answer):
        return Verdict(status="unparsed", reason="empty answer")
    shown = one_line(answer, _QUOTED)
    right = says(answer, question.key.answer)
    if not right and is_refusal(answer):
        return Verdict(status="refused", reason="the model declines to answer", answer=shown)
    if word_count(answer) > word_count(question.text) + word_count(question.key.answer) + _MOST_WORDS:
        return Verdict(status="scored", value=0.0, answer=shown, reason="more of the text than the sentence")
    reason = "its last words" if right else "other words"
    return Verdict(status="scored", value=float(right), answer=shown, reason=reason)


FAMILY = Grounded()
