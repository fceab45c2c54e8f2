"""The verbatim family: inputs to items, each stored once, with all questions over it sharing its tokens."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from longreach.core.bench import Bench, Corpus, Draft, Prompt
from longreach.core.figure import Axis, Curve, Figure, Heatmap
from longreach.core.files import yaml_table
from longreach.core.formatting import unique_name
from longreach.core.types import (
    Cell,
    Document,
    Insert,
    Item,
    Mark,
    Placement,
    Planted,
    Question,
    Row,
    SimulatedAnswer,
    Tokenizer,
    Verdict,
)
from longreach.families.base import CONTEXT, BuildContext, Family, main_language, written_answers
from longreach.families.building import ItemMaker
from longreach.families.parts import (
    Comparable,
    OneAnswer,
    Preset,
    Reportable,
    Searchable,
    Simulatable,
    Sourced,
    Structured,
)
from longreach.grading.reading.reply_text import strip_reasoning
from longreach.text.assemble import Assembler
from longreach.text.index import index_documents

from .figures import headline, published_figures, verbatim_figures
from .grade import grade_answer
from .paper import PAPER
from .samples import (
    COPIED,
    COPY,
    NEWLINE,
    SEPARATOR,
    TaskInput,
    answer_tokens,
    group_samples,
    grouped,
    groups_json,
    load_entities,
    question,
    restore_samples,
    sort_samples,
)
from .spec import TASKS, VerbatimSpec


def build_verbatim(
    spec: VerbatimSpec, documents: Sequence[Document], tokenizer: Tokenizer, warn: Callable[[str], None], version: int
) -> tuple[Draft, Corpus]:
    """Build a whole benchmark. Its corpus is empty: every input is made for one sample, so it is planted as a whole."""
    language = main_language(documents) if spec.language == "auto" else spec.language
    folder = Path(__file__).parent / "prompts" / language
    prompts: dict[str, Prompt] = {}
    # Without text there is nowhere to cut, so every count uses the whole prompt.
    corpus = index_documents([], tokenizer)
    questions: list[Question] = []
    items: list[Item] = []
    samples = list(_samples(spec, documents, warn))
    for sample in samples:
        maker = ItemMaker(spec.family, Assembler(corpus, {sample.id: sample.text}), tokenizer)
        context = maker.context([Insert(insert=sample.id)])
        for order in (*sample.keys, COPIED) if spec.control else sample.keys:
            name = COPIED if order == COPIED else sample.task
            prompt = prompts.setdefault(name, _prompt(folder / f"{name}.txt", spec))
            asked = question(sample, order, language)
            questions.append(asked)
            items.append(
                maker.item(
                    asked.id,
                    context,
                    prompt,
                    [asked],
                    {"question": asked.text},
                    cell=_cell(sample, order) | ({"instruction": "before"} if spec.instruction == "before" else {}),
                    realised={"n": len(sample.items)},
                    placed=(Placement(insert=sample.id, start=0, token=0),),
                )
            )
    draft = Draft(
        family=spec.family,
        family_version=version,
        spec=spec.recorded(),
        prompts=tuple(prompts[name] for name in sorted(prompts)),
        planted=tuple(map(_planted, samples)),
        questions=tuple(questions),
        items=tuple(items),
        build={"inputs": {sample.id: {"items": len(sample.items), **sample.about} for sample in samples}},
    )
    return draft, corpus


def _planted(sample: TaskInput) -> Planted:
    """An input, of which what may be long is marked."""
    shown = sample.separator.join(sample.items[: sample.shown]).encode()
    return Planted(id=sample.id, text=sample.text, facts=(Mark(id="input", start=0, end=len(shown)),))


def _cell(sample: TaskInput, order: str) -> Cell:
    return {
        "task": sample.task,
        "n": sample.size,
        "order": "given" if order == COPIED else order,
        "corpus": sample.corpus,
        "digits": sample.digits,
        "control": "copy" if order == COPIED else "none",
    }


def _prompt(path: Path, spec: VerbatimSpec) -> Prompt:
    """A prompt with its instruction after the input, or all of it before."""
    prompt = Prompt.load(path)
    if spec.instruction == "after":
        return prompt
    head, tail = prompt.around(CONTEXT)
    tag, (closing, rules) = head.strip().rsplit("\n", 1)[-1], tail.strip().split("\n", 1)
    text = f"{rules.strip()}\n\n{tag}\n{{{{{CONTEXT}}}}}\n{closing}"
    return prompt.model_copy(update={"text": text})


def _samples(spec: VerbatimSpec, documents: Sequence[Document], warn: Callable[[str], None]) -> Iterator[TaskInput]:
    if "sort" in spec.tasks:
        yield from sort_samples(spec)
    if "restore" in spec.tasks:
        yield from restore_samples(spec, documents, warn)
    if "group" in spec.tasks:
        yield from group_samples(spec, load_entities(spec.entities, warn))


_GROUP = {
    "type": "object",
    "properties": {"category_name": {"type": "string"}, "entities": {"type": "array", "items": {"type": "string"}}},
    "required": ["category_name", "entities"],
    "additionalProperties": False,
}
_GROUPING: Mapping[str, Any] = {
    "type": "object",
    "properties": {"categories": {"type": "array", "items": _GROUP}},
    "required": ["categories"],
    "additionalProperties": False,
}
"""The form of an answer to `group`, as the paper asks for it."""
_UNSUITED = re.compile(r"[^\w.~-]+")


class Verbatim(
    Family[VerbatimSpec], Reportable, Preset, Sourced, Searchable, Comparable, Simulatable, Structured, OneAnswer
):
    """Sort, restore, group: reasoning that must preserve every character, compared with plain copying."""

    name = "verbatim"
    version = 3
    title = "Verbatim"
    about = (
        "The model gets a long input and must work on it without changing a character: sort numbers, put shuffled "
        "sentences back in order, put names into categories. Each input is also to be copied without any task: the gap "
        "between copying and the task is what reasoning costs."
    )
    axes = (
        Axis(name="n", title="Items", scale="log"),
        Axis(name="task", title="Task", values=TASKS),
        Axis(name="order", title="Order", values=("given", "ascending", "descending", "original", "category")),
        Axis(name="corpus", title="Corpus"),
        Axis(name="digits", title="Digits", unit="digits", scale="linear", words={"0": ""}),
        Axis(name="instruction", title="Instruction", values=("after", "before"), experiment=True),
        Axis(name="control", title="Control", values=("none", "copy"), words={"none": "", "copy": "only copied"}),
        Axis(
            name="question_type",
            title="Question type",
            values=(*TASKS, *(task + COPY for task in TASKS)),
            experiment=True,
        ),
    )
    charts = (
        Heatmap(
            id="by-size",
            title="Which size and order is too much?",
            x="n",
            y="order",
            by=("task", "corpus", "digits", "control"),
        ),
        Curve(
            id="by-n",
            title="How many items can it handle without a change?",
            x="n",
            lines=("task", "corpus", "digits", "control"),
        ),
    )
    presets = yaml_table(__package__, "presets.yaml")
    sizes = ("sort_sizes", "digits_size", "restore_sizes", "spread", "group_sizes")
    """An answer is one unit: one that is cut off at the cap has its own status and its scores."""
    whole_text: ClassVar[Mapping[str, str]] = {"": "the whole input is repeated or changed"}
    spec_type = VerbatimSpec
    paper = PAPER

    def scaled(self, settings: Mapping[str, Any], scale: float) -> dict[str, Any]:
        known = load_entities(settings["entities"], lambda _: None).chosen(tuple(settings["categories"]))
        found, fewest = super().scaled(settings, scale), len(known.by_category)
        return found | {"group_sizes": list(dict.fromkeys(max(fewest, size) for size in found["group_sizes"]))}

    def documents(self, spec: VerbatimSpec, build_context: BuildContext) -> list[Document]:
        """Only `restore` reads documents. Each source is a corpus of its own, identified by the start of `source`."""
        if "restore" not in spec.tasks:
            return []
        if not spec.docs:
            return build_context.documents(())
        documents: list[Document] = []
        labels: set[str] = set()
        for source in spec.docs:
            label = unique_name(corpus_label(source), labels)
            labels.add(label)
            found = build_context.documents((source,))
            documents += [document.model_copy(update={"source": f"{label}/{document.source}"}) for document in found]
        return documents

    def build(
        self, spec: VerbatimSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
    ) -> tuple[Draft, Corpus]:
        return build_verbatim(spec, documents, tokenizer, build_context.warn, self.version)

    def grade(self, questions: Sequence[Question], text: str) -> list[Verdict]:
        return [grade_answer(question, text) for question in questions]

    def compared_texts(self, question: Question, text: str) -> tuple[str, str] | None:
        return (strip_reasoning(text), question.key.answer) if question.question_type == "restore" else None

    def sample_answer(self, questions: Sequence[Question], *, right: bool) -> str:
        """Wrong: for lists one strange number, for groups every name in the wrong category."""
        question = questions[0]
        if right:
            return question.key.answer
        if question.question_type != "group":
            return "0"
        groups = grouped(question.key.answer)
        names = list(groups.values())
        return groups_json(dict(zip(groups, [*names[1:], names[0]], strict=True)))

    def write_answers(self, questions: Sequence[Question], replies: Sequence[SimulatedAnswer]) -> str:
        (question,), (reply,) = questions, replies
        if reply.kind != "partial" or question.question_type == "group":
            return written_answers(self, questions, replies)
        # The first part of the answer, without the rest.
        separator = SEPARATOR if question.question_type.startswith("sort") else NEWLINE
        items = question.key.answer.split(separator)
        return separator.join(items[: max(1, round(reply.share * len(items)))])

    def answer_schema(self, bench: Bench, item: Item) -> Mapping[str, Any] | None:
        asked = bench.questions[item.questions[0]]
        return _GROUPING if bench.spec.get("structured") and asked.question_type == "group" else None

    def answer_tokens(self, questions: Sequence[Question]) -> int:
        return sum(answer_tokens(question.key.answer) for question in questions)

    def figures(self, rows: Sequence[Row], benches: Mapping[str, Bench], *, published: bool) -> list[Figure]:  # noqa: ARG002
        return verbatim_figures(rows, published=published)

    def published(self) -> list[Figure]:
        return published_figures()

    def sentence(self, rows: Sequence[Row], model: str) -> str:
        return headline(rows, model)


def corpus_label(source: str) -> str:
    """A short name for a source of documents: the folder's, the file's without its extension, the dataset's."""
    scheme, colon, rest = source.partition(":")
    if colon and not Path(source).expanduser().exists():
        name = rest.partition(":")[0].rstrip("/").rpartition("/")[2] if scheme == "hf" else source
    else:
        path = Path(source).expanduser()
        name = path.resolve().name if path.is_dir() else path.stem
    return _UNSUITED.sub("-", name).strip("-") or "docs"


FAMILY = Verbatim()
