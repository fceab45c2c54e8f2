"""Documents to items: long documents, questions from one passage each, and the same questions at every length."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from longreach.core.bench import Draft
from longreach.core.corpus import Corpus
from longreach.core.document import Document
from longreach.core.item import Item
from longreach.core.measure import resolve_lengths
from longreach.core.prompt import Prompt
from longreach.core.question import Key, Mark, Planted, Question
from longreach.core.store import user_folder
from longreach.core.tokenizer import Tokenizer
from longreach.errors import BadInput
from longreach.families.base import CONTEXT, BuildContext
from longreach.families.retrying_client import again_prompt
from longreach.models.embedders import get_embedder

from .checks import STEPS, Check, CodeCheck, ModelCheck
from .contexts import BREAK, BenchDocuments, closed_book_item, make_item
from .documents import join_documents, split_domains
from .extractive import ClozeWriter
from .passages import LongDocument
from .questions import Candidate, letters_in_turn, render
from .retrieval import VectorShelf
from .rounds import FUNNEL, Place, choose_places, fill_places
from .spec import EXTRACTIVE, GroundedSpec
from .writers import ExtractiveBuilder, ModelBuilder, QuestionWriter

__all__ = [
    "ANSWER_TOKENS",
    "CONTROLS",
    "QUESTION_TYPE",
    "as_questions",
    "build_grounded",
    "load_prompts",
    "pick_language",
]

ANSWER_TOKENS = 512
QUESTION_TYPE = "reading"
CONTROLS = ("gold_only", "closed_book")
"""Questions asked of the gold passage alone, and of no text."""

_PROMPTS = Path(__file__).parent / "prompts"


def build_grounded(
    spec: GroundedSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext, version: int
) -> tuple[Draft, Corpus]:
    """A whole benchmark; nothing here depends on the model that will be tested."""
    language = pick_language(spec, documents)
    prompts = load_prompts(_PROMPTS / language)
    lengths = _lengths(spec, prompts, tokenizer)
    domains = split_domains(documents, spec.domains, warn=build_context.warn)
    corpus, joined = join_documents(domains, spec, lengths, tokenizer)
    if not corpus.info.seams.additive or not len(corpus.cuts):
        build_context.warn(
            f"tokenizer '{tokenizer.name}' lets this text be cut nowhere exactly: every context is counted whole"
        )
    _hold_a_passage(spec, joined, min(lengths))
    slugs = _slugs(domains)
    places, ground = choose_places(spec, joined, lengths, slugs.__getitem__)
    writer, checks = _crew(spec, language, build_context)
    build_context.progress(f"questions wanted: {len(places)}, long documents: {len(joined)}")
    funnel = fill_places(spec, places, ground, lengths, writer, checks, build_context.progress)
    filled = [place for place in places if place.accepted]
    _tell(spec, places, filled, funnel, build_context)

    letters = letters_in_turn(len(filled), spec.options, spec.seed)
    planted = [_gold(place) for place in filled]
    questions = [
        question
        for place, letter in zip(filled, letters, strict=True)
        for question in as_questions(place.id, _accepted(place), letter, spec)
    ]
    items = _items(spec, filled, questions, planted, corpus, tokenizer, prompts, lengths)
    draft = Draft(
        family=spec.family,
        family_version=version,
        spec=spec.model_dump(mode="json", by_alias=True),
        prompts=tuple(prompts[name] for name in ("reading", *(["closed_book"] if spec.controls else []))),
        planted=(*planted, *([BREAK] if spec.layout == "nested" else [])),
        questions=tuple(questions),
        items=tuple(items),
        build=_record(spec, places, joined, funnel, letters, writer, checks, language),
    )
    return draft, corpus


def pick_language(spec: GroundedSpec, documents: Iterable[Document]) -> str:
    """As asked for, or that of most of the text."""
    if spec.language != "auto":
        return spec.language
    weight: Counter[str] = Counter()
    for document in documents:
        weight[document.language] += len(document.text)
    return weight.most_common(1)[0][0] if weight else "en"


def load_prompts(folder: Path) -> dict[str, Prompt]:
    """The prompts of a folder by name."""
    return {path.stem: Prompt.load(path) for path in sorted(folder.glob("*.txt"))}


def as_questions(id: str, candidate: Candidate, letter: str, spec: GroundedSpec) -> list[Question]:
    """The question as it is asked, and again under the name of each control."""
    options = candidate.with_right_at(letter, Random(f"order {spec.seed} {id}"))
    question = Question(
        id=id,
        question_type=QUESTION_TYPE,
        text=render(candidate.question, options),
        key=Key(kind="text", answer=letter, accept=(candidate.right,), rivals=candidate.options[1:]),
        evidence=(id,),
    )
    return [question, *control_questions(question, spec)]


def control_questions(question: Question, spec: GroundedSpec) -> list[Question]:
    """A question under the name of each control."""
    return [
        question.model_copy(
            update={"id": f"{question.id}.{question_type}", "question_type": question_type}
            | ({"evidence": ()} if question_type == "closed_book" else {})
        )
        for question_type in (CONTROLS if spec.controls else ())
    ]


def _lengths(spec: GroundedSpec, prompts: Mapping[str, Prompt], tokenizer: Tokenizer) -> tuple[int, ...]:
    head, tail = prompts["reading"].around(CONTEXT)
    reserve = tokenizer.count(head) + tokenizer.count(tail) + 2 * ANSWER_TOKENS
    try:
        return resolve_lengths(spec.lengths, spec.window, reserve)
    except ValueError as error:
        raise BadInput(f"lengths: {error}") from None


def _hold_a_passage(spec: GroundedSpec, documents: Sequence[LongDocument], shortest: int) -> None:
    largest = max(document.largest for document in documents)
    if largest > shortest:
        raise BadInput(
            f"lengths: {shortest} tokens cannot hold a passage of {largest}; ask for longer lengths or for fewer "
            f"--passage-words than {spec.passage_words}"
        )


def _slugs(domains: Iterable[str]) -> dict[str, str]:
    """Short names of domains for ids, each its own."""
    slugs: dict[str, str] = {}
    for domain in domains:
        base = re.sub(r"[^\w]+", "-", domain).strip("-_").casefold()[:24] or "domain"
        slug, number = base, 1
        while slug in slugs.values():
            number += 1
            slug = f"{base}~{number}"
        slugs[domain] = slug
    return slugs


def _crew(spec: GroundedSpec, language: str, build_context: BuildContext) -> tuple[QuestionWriter, list[Check]]:
    """Who writes and who checks."""
    prompts = load_prompts(_PROMPTS / language / "building")
    checker = spec.checker or (None if spec.builder == EXTRACTIVE else spec.builder)
    if checker == spec.builder:
        build_context.warn(
            f"builder and checker are the same model, '{checker}': it will agree with its own mistakes; name another "
            f"with --checker"
        )
    checks: list[Check] = []
    writer: QuestionWriter
    if spec.builder == EXTRACTIVE:
        cloze = ClozeWriter(language, spec.options, spec.seed)
        writer = ExtractiveBuilder(cloze)
        checks.append(CodeCheck(cloze))
    else:
        writer = ModelBuilder(build_context.writer(spec.builder), prompts, language, spec.options)
    if checker:
        shelf = VectorShelf(get_embedder(spec.embedder, base_url=spec.embedder_url), user_folder("embeddings"))
        checks.append(ModelCheck(build_context.writer(checker), prompts, language, shelf, spec.neighbours, spec.seed))
    return writer, checks


def _tell(
    spec: GroundedSpec,
    places: Sequence[Place],
    filled: Sequence[Place],
    funnel: Mapping[str, int],
    build_context: BuildContext,
) -> None:
    refused = ", ".join(f"{funnel[step]} {step}" for step in FUNNEL[1:-1] if funnel[step]) or "none"
    said = f"{funnel['written']} questions tried; refused: {refused}"
    if not filled:
        raise BadInput(
            f"builder '{spec.builder}': none of {len(places)} places has a question that passed ({said}); give longer "
            f"or other documents, more --tries, or another --builder or --checker"
        )
    build_context.progress(f"{len(filled)} of {len(places)} places have a question ({said})")
    if len(filled) < len(places):
        lost = ", ".join(place.id for place in places if not place.accepted)
        build_context.warn(
            f"{len(places) - len(filled)} of {len(places)} places have no question ({lost[:120]}); {said}; give more "
            f"--tries or --moves, or more text"
        )


def _accepted(place: Place) -> Candidate:
    assert place.accepted is not None
    return place.accepted


def _gold(place: Place) -> Planted:
    """The gold passage, marked where the answer stands as far as that is known."""
    text = place.document.texts[place.gold]
    evidence = _accepted(place).evidence
    start = len(text[: text.index(evidence)].encode()) if evidence else 0
    end = start + len(evidence.encode()) if evidence else len(text.encode())
    return Planted(id=f"gold-{place.id}", text=text, facts=(Mark(id=place.id, start=start, end=end),))


def _items(
    spec: GroundedSpec,
    places: Sequence[Place],
    questions: Sequence[Question],
    planted: Sequence[Planted],
    corpus: Corpus,
    tokenizer: Tokenizer,
    prompts: Mapping[str, Prompt],
    lengths: Sequence[int],
) -> list[Item]:
    by_id = {question.id: question for question in questions}
    documents = BenchDocuments(corpus, tokenizer, spec.layout, (*planted, BREAK))
    items: list[Item] = []
    for length in lengths:
        for place in places:
            made = documents.around(place.document, place.gold, length, place.depth, f"gold-{place.id}")
            items.append(
                make_item(
                    documents.assembler,
                    tokenizer,
                    made,
                    by_id[place.id],
                    prompts["reading"],
                    id=f"{length}-{place.id}",
                    cell={
                        "length": length,
                        "depth": place.depth,
                        "domain": place.document.domain,
                        "prompt": "reading",
                    },
                )
            )
    if spec.controls:
        for place in places:
            made = documents.alone(place.document, place.gold, f"gold-{place.id}")
            cell = {"control": "gold_only", "domain": place.document.domain, "prompt": "reading"}
            question = by_id[f"{place.id}.gold_only"]
            items.append(
                make_item(
                    documents.assembler, tokenizer, made, question, prompts["reading"], id=question.id, cell=dict(cell)
                )
            )
        for place in places:
            question = by_id[f"{place.id}.closed_book"]
            items.append(
                closed_book_item(
                    documents.assembler, tokenizer, question, prompts["closed_book"], place.document.domain
                )
            )
    return items


def _record(
    spec: GroundedSpec,
    places: Sequence[Place],
    documents: Sequence[LongDocument],
    funnel: Mapping[str, int],
    letters: Sequence[str],
    writer: QuestionWriter,
    checks: Sequence[Check],
    language: str,
) -> dict[str, Any]:
    """What is worth telling of the build, as plain data."""
    models = {"builder": writer, "checker": checks[-1] if checks else None}
    usage = {role: one.usage.model_dump() for role, one in models.items() if isinstance(one, ModelBuilder | ModelCheck)}
    checker = spec.checker or (None if spec.builder == EXTRACTIVE else spec.builder)
    decided = {step: [check.by(step) for check in checks] for step in STEPS}
    building = load_prompts(_PROMPTS / language / "building") | {"again": again_prompt(language)}
    return {
        "roles": {"builder": spec.builder, "checker": checker, "embedder": spec.embedder if checker else None},
        "filters": {step: decided[step][-1] for step in STEPS} | {"wording": "code"},
        "funnel": {"places": len(places), **funnel, "moved": sum(place.moves for place in places)}
        | {"without": sum(place.accepted is None for place in places)},
        "letters": dict(sorted(Counter(letters).items())),
        "usage": usage,
        "prompts": {name: prompt.version for name, prompt in building.items()} if usage else {},
        "documents": [
            {
                "domain": document.domain,
                "number": document.number,
                "tokens": document.edges[-1],
                "passages": len(document.passages),
                "questions": sum(place.accepted is not None and place.document is document for place in places),
            }
            for document in documents
        ],
        "history": [
            {
                "id": place.id,
                "domain": place.document.domain,
                "document": place.document.number,
                "depth": place.depth,
                "passage": place.gold if place.accepted else None,
                "tries": place.history,
            }
            for place in places
        ],
    }
