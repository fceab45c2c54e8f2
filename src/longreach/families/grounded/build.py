"""Documents to items: long documents, questions from one passage each, and the same questions at every length."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from random import Random

from longreach.core.bench import Corpus, Draft, Prompt
from longreach.core.files import user_folder
from longreach.core.formatting import resolve_lengths, unique_name
from longreach.core.types import Cell, Document, Item, Key, Mark, Planted, Question, Tokenizer
from longreach.errors import BadInput
from longreach.families.base import CONTEXT, BuildContext, main_language, warn_of_counting
from longreach.families.building import describe_misses
from longreach.families.helper_model import again_prompt
from longreach.models.embedders import VectorCache, get_embedder

from .checks import ModelCheck
from .contexts import BREAK, BenchDocument, BenchDocuments, closed_book_item, make_item
from .documents import join_documents, split_domains
from .own_questions import place_questions
from .questions import Candidate, letters_in_turn, render
from .record import build_record, describe_use, document_use, helper_plan, report_funnel
from .rounds import Place, choose_places, fill_places
from .spec import EXTRACTIVE, GroundedSpec
from .windows import LongDocument
from .writers import CodeBuilder, ModelBuilder, QuestionWriter

ANSWER_TOKENS = 512
EVIDENCE_TOKENS = 128
"""Additional tokens per sentence to be quoted."""
QUESTION_TYPE = "reading"
CONTROLS = ("gold_only", "closed_book")
"""Control questions: asked with the gold passage alone, and without a text."""

_PROMPTS = Path(__file__).parent / "prompts"


def build_grounded(
    spec: GroundedSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext, version: int
) -> tuple[Draft, Corpus]:
    """Build a whole benchmark, independently of the model that will be tested."""
    language = main_language(documents) if spec.language == "auto" else spec.language
    prompts = asked_prompts(spec, language)
    lengths = _lengths(spec, prompts, tokenizer)
    domains = split_domains(documents, spec.domains, warn=build_context.warn)
    corpus, joined = join_documents(domains, spec, lengths, tokenizer)
    warn_of_counting(corpus, tokenizer, build_context)
    _hold_a_passage(spec, joined, min(lengths))
    slugs = _slugs(domains)
    places, ground = choose_places(spec, joined, lengths, slugs.__getitem__)
    if spec.questions_file:
        places = place_questions(spec, joined, lengths, slugs.__getitem__, build_context.warn)
    building = load_prompts(_PROMPTS / language / "building") | {"again": again_prompt(language)}
    writer, check = _crew(spec, language, building, build_context)
    if plan := helper_plan(spec, places, building, tokenizer):
        build_context.plan(plan)
    build_context.progress(f"questions wanted: {len(places)}, long documents: {len(joined)}")
    contexts = BenchDocuments(corpus, tokenizer, spec.layout, lengths)
    funnel = fill_places(spec, places, ground, contexts, writer, check, build_context.progress)
    filled = [place for place in places if place.accepted]
    report_funnel(spec, places, funnel, writer, build_context)

    letters = letters_in_turn(len(filled), spec.options, spec.seed)
    planted = [text for place in filled for text in _planted(place)]
    questions = [
        question
        for place, letter in zip(filled, letters, strict=True)
        for question in as_questions(place.id, _accepted(place), letter, spec, place.document.texts[place.gold])
    ]
    items = _items(spec, filled, questions, contexts, tokenizer, prompts)
    inside = {place.id: contexts.stretch(place.document, place.gold, place.depth).inside for place in filled}
    use = document_use(domains, corpus, tokenizer, filled, inside)
    for line in (describe_use(use, max(lengths)), *describe_misses(items)):
        build_context.progress(line)
    draft = Draft(
        family=spec.family,
        family_version=version,
        spec=spec.model_dump(mode="json", by_alias=True),
        prompts=used_prompts(spec, prompts),
        planted=(*planted, *([BREAK] if _broken(spec, filled) else [])),
        questions=tuple(questions),
        items=tuple(items),
        build=build_record(spec, places, joined, use, funnel, letters, writer, check, building),
    )
    return draft, corpus


def load_prompts(folder: Path) -> dict[str, Prompt]:
    """The prompts of a folder by name."""
    return {path.stem: Prompt.load(path) for path in sorted(folder.glob("*.txt"))}


def asked_prompts(spec: GroundedSpec, language: str) -> dict[str, Prompt]:
    """The prompts of a language; `reading` is the one that the settings ask for."""
    prompts = load_prompts(_PROMPTS / language)
    chosen = "evidence" if spec.evidence else "question_first" if spec.question_first else "reading"
    return prompts | {"reading": prompts[chosen]}


def used_prompts(spec: GroundedSpec, prompts: Mapping[str, Prompt]) -> tuple[Prompt, ...]:
    """The prompts that a benchmark uses."""
    return tuple(prompts[name] for name in ("reading", *(["closed_book"] if spec.controls else [])))


def as_questions(id: str, candidate: Candidate, letter: str, spec: GroundedSpec, passage: str) -> list[Question]:
    """The question itself, and a copy under the name of each control."""
    options = candidate.with_right_at(letter, Random(f"order {spec.seed} {id}"))
    question = Question(
        id=id,
        question_type=QUESTION_TYPE,
        text=render(candidate.question, options),
        key=Key(kind="text", answer=letter, accept=(candidate.right,), rivals=candidate.options[1:]),
        evidence=(id, *(f"{id}+{number}" for number in range(1, len(candidate.also) + 1))),
        quotes=(candidate.evidence or passage,) if spec.evidence else (),  # any sentence of it where none is known
    )
    return [question, *control_questions(question, spec)]


def control_questions(question: Question, spec: GroundedSpec) -> list[Question]:
    """A question under the name of each control."""
    return [
        question.model_copy(
            update={"id": f"{question.id}.{question_type}", "question_type": question_type}
            | ({"evidence": (), "quotes": ()} if question_type == "closed_book" else {})
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
    """Short unique names of domains for ids."""
    slugs: dict[str, str] = {}
    for domain in domains:
        base = re.sub(r"[^\w]+", "-", domain).strip("-_").casefold()[:24] or "domain"
        slugs[domain] = unique_name(base, slugs.values())
    return slugs


def _crew(
    spec: GroundedSpec, language: str, prompts: Mapping[str, Prompt], build_context: BuildContext
) -> tuple[QuestionWriter, ModelCheck | None]:
    """The question writer and the checker."""
    checker = spec.checker or (None if spec.builder == EXTRACTIVE else spec.builder)
    if checker == spec.builder:
        build_context.warn(
            f"builder and checker are the same model, '{checker}': it will agree with its own mistakes; name another "
            f"with --checker"
        )
    writer: QuestionWriter
    if spec.builder == EXTRACTIVE:
        writer = CodeBuilder(spec.options, spec.seed, load_prompts(_PROMPTS / language / "asking"))
    else:
        writer = ModelBuilder(build_context.helper_model(spec.builder), prompts, language, spec.options)
    if not checker:
        return writer, None
    vectors = VectorCache(get_embedder(spec.embedder, base_url=spec.embedder_url), user_folder("embeddings"))
    return writer, ModelCheck(
        build_context.helper_model(checker), prompts, language, vectors, spec.neighbours, spec.seed
    )


def _accepted(place: Place) -> Candidate:
    assert place.accepted is not None
    return place.accepted


def _planted(place: Place) -> list[Planted]:
    """The gold passage, with the answer marked where it is known, and other texts that are needed."""
    candidate, document = _accepted(place), place.document
    text = document.texts[place.gold]
    evidence = candidate.evidence or text
    start = len(text[: text.index(evidence)].encode())
    mark = Mark(id=place.id, start=start, end=start + len(evidence.encode()))
    found = [Planted(id=f"gold-{place.id}", text=text, facts=(mark,))]
    for number, (first, last) in enumerate(candidate.also, 1):
        name, other = f"{place.id}+{number}", document.corpus.read(first, last)
        found.append(Planted(id=f"gold-{name}", text=other, facts=(Mark(id=name, start=0, end=last - first),)))
    return found


def _also(place: Place) -> dict[str, tuple[int, int]]:
    return {f"gold-{place.id}+{number}": span for number, span in enumerate(_accepted(place).also, 1)}


def _broken(spec: GroundedSpec, places: Sequence[Place]) -> bool:
    """Whether any test document leaves text out between passages."""
    return spec.layout == "nested" or (spec.controls and any(_accepted(place).also for place in places))


def _items(
    spec: GroundedSpec,
    places: Sequence[Place],
    questions: Sequence[Question],
    documents: BenchDocuments,
    tokenizer: Tokenizer,
    prompts: Mapping[str, Prompt],
) -> list[Item]:
    by_id = {question.id: question for question in questions}
    reading = prompts["reading"]

    def item(made: BenchDocument, question: str, id: str, cell: Cell) -> Item:
        return make_item(documents.assembler, tokenizer, made, by_id[question], reading, id=id, cell=cell)

    items: list[Item] = []
    for length in documents.lengths:
        for place in places:
            made = documents.around(place.document, place.gold, length, place.depth, f"gold-{place.id}", _also(place))
            cell: Cell = {"length": length, "depth": place.depth, "domain": place.document.domain}
            items.append(item(made, place.id, f"{length}-{place.id}", cell | {"prompt": reading.id}))
    if spec.controls:
        for place in places:
            made = documents.alone(place.document, place.gold, f"gold-{place.id}", _also(place))
            cell = {"control": "gold_only", "domain": place.document.domain, "prompt": reading.id}
            items.append(item(made, f"{place.id}.gold_only", f"{place.id}.gold_only", cell))
        for place in places:
            question, domain = by_id[f"{place.id}.closed_book"], place.document.domain
            items.append(closed_book_item(documents.assembler, tokenizer, question, prompts["closed_book"], domain))
    return items
