"""Inputs to items: each input is stored once, and all questions over it share its tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from longreach.core.bench import Draft
from longreach.core.context import Insert
from longreach.core.corpus import Corpus
from longreach.core.document import Document
from longreach.core.item import Item, Placement
from longreach.core.prompt import Prompt
from longreach.core.question import Mark, Planted, Question
from longreach.core.tokenizer import Tokenizer
from longreach.families.base import main_language
from longreach.families.item_maker import ItemMaker
from longreach.text.assemble import Assembler
from longreach.text.index import index_documents

from .asking import COPIED, question
from .entities import load_entities
from .group import group_samples
from .restore import restore_samples
from .sample import Sample
from .sort import sort_samples
from .spec import VerbatimSpec

__all__ = ["QUESTION", "build_verbatim"]

QUESTION = "question"
"""The variable in every prompt that is replaced by the question."""
_INPUT = "input"


def build_verbatim(
    spec: VerbatimSpec, documents: Sequence[Document], tokenizer: Tokenizer, warn: Callable[[str], None], version: int
) -> tuple[Draft, Corpus]:
    """Build a whole benchmark. Its corpus is empty: every input is made for one sample, so it is planted as a whole."""
    language = main_language(documents) if spec.language == "auto" else spec.language
    folder = Path(__file__).parent / "prompts" / language
    prompts: dict[str, Prompt] = {}
    # Without text there is nowhere to cut, so every count uses the whole prompt.
    corpus = index_documents([], tokenizer)
    planted: list[Planted] = []
    questions: list[Question] = []
    items: list[Item] = []
    samples = list(_samples(spec, documents, warn))
    for sample in samples:
        planted.append(_planted(sample))
        maker = ItemMaker(spec.family, Assembler(corpus, {sample.id: sample.text}), tokenizer)
        context = maker.context([Insert(insert=sample.id)])
        for order in (*sample.keys, COPIED) if spec.control else sample.keys:
            name = COPIED if order == COPIED else sample.task
            prompt = prompts.setdefault(name, Prompt.load(folder / f"{name}.txt"))
            asked = question(sample, order, language)
            questions.append(asked)
            items.append(
                maker.item(
                    asked.id,
                    context,
                    prompt,
                    [asked],
                    {QUESTION: asked.text},
                    cell=_cell(sample, order),
                    realised={"n": len(sample.items)},
                    placed=(Placement(insert=sample.id, start=0, token=0),),
                )
            )
    draft = Draft(
        family=spec.family,
        family_version=version,
        spec=spec.model_dump(mode="json", by_alias=True),
        prompts=tuple(prompts[name] for name in sorted(prompts)),
        planted=tuple(planted),
        questions=tuple(questions),
        items=tuple(items),
        build={"inputs": {sample.id: {"items": len(sample.items), **sample.about} for sample in samples}},
    )
    return draft, corpus


def _samples(spec: VerbatimSpec, documents: Sequence[Document], warn: Callable[[str], None]) -> Iterator[Sample]:
    if "sort" in spec.tasks:
        yield from sort_samples(spec)
    if "restore" in spec.tasks:
        yield from restore_samples(spec, documents)
    if "group" in spec.tasks:
        yield from group_samples(spec, load_entities(spec.entities, warn))


def _cell(sample: Sample, order: str) -> dict[str, str | int | float]:
    return {
        "task": sample.task,
        "n": sample.size,
        "order": "given" if order == COPIED else order,
        "corpus": sample.corpus,
        "digits": sample.digits,
        "control": "copy" if order == COPIED else "none",
    }


def _planted(sample: Sample) -> Planted:
    """The input; only its start is marked for display, as it may be long."""
    end = len(sample.separator.join(sample.items[: sample.shown]).encode())
    return Planted(id=sample.id, text=sample.text, facts=(Mark(id=_INPUT, start=0, end=end),))
