"""Documents to items: long documents, questions from one passage each, and the same questions at every length."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

from longreach.core.bench import Corpus, Draft, Prompt
from longreach.core.files import user_folder
from longreach.core.formatting import resolve_lengths, text_too_short, unique_name
from longreach.core.types import Cell, Document, Item, Key, Mark, Piece, Planted, Question, Span, Tokenizer
from longreach.errors import BadInput, TooShort
from longreach.families.base import CONTEXT, BuildContext, main_language, warn_of_counting
from longreach.families.building import describe_misses
from longreach.families.helper_requests import again_prompt
from longreach.models.embedders import VectorCache, get_embedder
from longreach.text.formats import Warn
from longreach.text.index import index_documents
from longreach.text.passages import cut_passages, tokens_before

from .contexts import BREAK, BenchDocuments, LongDocument
from .questions import LETTERS, Candidate, letters_in_turn, render
from .record import Use, build_record, describe_use, document_use, helper_plan, report_funnel
from .rounds import CODE_MOVES, FreePassages, QuestionPlace, choose_places, fill_places, reach
from .spec import GroundedSpec
from .user_places import Anchor, place_questions, shared_windows
from .writers import CodeBuilder, ModelBuilder, ModelCheck, QuestionWriter

ANSWER_TOKENS = 512
EVIDENCE_TOKENS = 128
"""Additional tokens per sentence to be quoted."""
QUESTION_TYPE = "reading"
ABSENT = "abstention"
"""Of a user's question that the documents do not answer."""
CONTROLS = ("gold_only", "closed_book")
"""Control questions: asked with the gold passage alone, and without a text."""

_PROMPTS = Path(__file__).parent / "prompts"
COMPLETING = {"reading": "complete", "closed_book": "complete_closed_book"}
OPEN = {"reading": "open", "closed_book": "open_closed_book"}
"""The prompts of sentences to complete and of a user's open questions, by those of the others."""


def build_grounded(
    spec: GroundedSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext, version: int
) -> tuple[Draft, Corpus]:
    """Build a whole benchmark, independently of the model that will be tested."""
    long = _join(spec, documents, tokenizer, build_context)
    places, free, of_user = _places_to_fill(spec, long, build_context)
    building = load_prompts(_PROMPTS / long.language / "building") | {"again": again_prompt(long.language)}
    writer, check = _crew(spec, long.language, building, build_context)
    if plan := helper_plan(spec, places, building, tokenizer):
        build_context.plan(plan)
    build_context.progress(f"questions wanted: {len(places)}, long documents: {len(long.documents)}")
    contexts = BenchDocuments(long.corpus, tokenizer, spec.layout, long.lengths)
    funnel = fill_places(spec, places, free, contexts, writer, check, build_context.progress)
    filled = [place for place in places if place.accepted]
    report_funnel(spec, places, funnel, writer, build_context)

    letters, questions = _questions(spec, filled)
    items = _items(spec, filled, questions, contexts, long.prompts)
    use = _report_use(long, tokenizer, filled, contexts, items, build_context)
    planted = [text for place in filled for text in _planted(place)]
    return Draft(
        family=spec.family,
        family_version=version,
        spec=spec.model_dump(mode="json", by_alias=True),
        prompts=used_prompts(spec, long.prompts, items),
        planted=(*planted, *([BREAK] if _broken(spec, filled) else [])),
        questions=tuple(questions),
        items=tuple(items),
        build=build_record(spec, places, long.documents, use, funnel, letters, writer, check, building) | of_user,
    ), long.corpus


@dataclass(frozen=True)
class _LongDocuments:
    """The documents, joined into long ones, and what is asked about them."""

    language: str
    prompts: Mapping[str, Prompt]
    lengths: tuple[int, ...]
    domains: Mapping[str, Sequence[Document]]
    corpus: Corpus
    documents: list[LongDocument]


def _join(
    spec: GroundedSpec, documents: Sequence[Document], tokenizer: Tokenizer, build_context: BuildContext
) -> _LongDocuments:
    language = main_language(documents) if spec.language == "auto" else spec.language
    prompts = asked_prompts(spec, language)
    lengths = _lengths(spec, prompts, tokenizer)
    domains = split_domains(documents, spec.domains, warn=build_context.warn)
    corpus, joined = join_documents(domains, spec, lengths, tokenizer)
    warn_of_counting(corpus, tokenizer, build_context)
    _hold_a_passage(spec, joined, min(lengths))
    return _LongDocuments(language, prompts, lengths, domains, corpus, joined)


def _places_to_fill(
    spec: GroundedSpec, long: _LongDocuments, build_context: BuildContext
) -> tuple[list[QuestionPlace], FreePassages, dict[str, Any]]:
    """Places with or without a user's question, the passages that are free for others, and a record of the user's
    questions, where there are any."""
    slug = _slugs(long.domains).__getitem__
    places, free = choose_places(spec, long.documents, long.lengths, slug)
    if not spec.questions_file:
        return places, free, {}
    places, record = place_questions(spec, long.documents, long.lengths, slug, build_context.warn)
    return places, free, {"questions_file": record} if record else {}


def _questions(spec: GroundedSpec, filled: Sequence[QuestionPlace]) -> tuple[list[str], list[Question]]:
    """The right letters, dealt in turn, and all questions with their controls."""
    choices = [place.id for place in filled if len(_accepted(place).options) > 1]
    letters = letters_in_turn(len(choices), spec.options, spec.seed)
    right = dict(zip(choices, letters, strict=True)) | user_letters(spec, filled)
    return letters, [
        question
        for place in filled
        for question in as_questions(
            place.id, _accepted(place), right.get(place.id, ""), spec, place.document.texts[place.gold]
        )
    ]


def _report_use(
    long: _LongDocuments,
    tokenizer: Tokenizer,
    filled: Sequence[QuestionPlace],
    contexts: BenchDocuments,
    items: Sequence[Item],
    build_context: BuildContext,
) -> list[Use]:
    """Says how much of the documents is used and which items miss their length or depth; returns the former."""
    inside = {place.id: contexts.stretch(place.document, place.gold, place.depth).inside for place in filled}
    use = document_use(long.domains, long.corpus, tokenizer, filled, inside)
    # Windows that questions share have them where they are.
    misses = [] if contexts.layout == "shared" else describe_misses(items)
    for line in (describe_use(use, max(long.lengths)), *misses):
        build_context.progress(line)
    return use


def load_prompts(folder: Path) -> dict[str, Prompt]:
    """The prompts of a folder by name."""
    return {path.stem: Prompt.load(path) for path in sorted(folder.glob("*.txt"))}


def asked_prompts(spec: GroundedSpec, language: str) -> dict[str, Prompt]:
    """The prompts of a language; `reading` is the one that the settings ask for."""
    prompts = load_prompts(_PROMPTS / language)
    return prompts | {"reading": prompts[spec.reading_prompt]}


def used_prompts(spec: GroundedSpec, prompts: Mapping[str, Prompt], items: Sequence[Item] = ()) -> tuple[Prompt, ...]:
    """The prompts that a benchmark uses."""
    used = {item.prompt for item in items}
    names = ["reading", *(["closed_book"] if spec.controls else [])]
    names += [name for name in (*COMPLETING.values(), *OPEN.values()) if name in used]
    return tuple(prompts[name] for name in names if not items or prompts[name].id in used)


def as_questions(id: str, candidate: Candidate, letter: str, spec: GroundedSpec, passage: str) -> list[Question]:
    """The question itself, and a copy under the name of each control."""
    quoted = spec.evidence
    if len(candidate.options) > 1:
        options = candidate.with_right_at(letter, Random(f"order {spec.seed} {id}"))
        text = render(candidate.question, options)
        key = Key(kind="text", answer=letter, accept=(candidate.right,), rivals=candidate.options[1:])
        key = key.model_copy(update={"details": candidate.key.details}) if candidate.key else key
    else:
        text, key = candidate.question, candidate.key or Key(kind="text", answer=candidate.right)
        quoted = quoted and candidate.key is None
    if not candidate.answerable:
        return [Question(id=id, question_type=ABSENT, text=text, key=key)]
    question = Question(
        id=id,
        question_type=QUESTION_TYPE,
        text=text,
        key=key,
        evidence=(id, *(f"{id}+{number}" for number in range(1, len(candidate.also) + 1))),
        quotes=(candidate.evidence or passage,) if quoted else (),  # any sentence of it where none is known
    )
    return [question, *control_questions(question, spec)]


def user_letters(spec: GroundedSpec, places: Sequence[QuestionPlace]) -> dict[str, str]:
    """The right letters of a user's questions, which have different numbers of options."""
    own = {place.id: len(_accepted(place).options) for place in places if _accepted(place).key}
    return {
        name: LETTERS[Random(f"letter {spec.seed} {name}").randrange(count)] for name, count in own.items() if count > 1
    }


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
            f"lengths: {shortest} tokens cannot hold a passage of {largest}; ask for longer lengths or give "
            f"--set passage_words below {spec.passage_words}"
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
    checker = spec.checked_by
    if checker == spec.builder:
        build_context.warn(
            f"builder and checker are the same model, '{checker}': it will agree with its own mistakes; name another "
            f"with --checker"
        )
    writer: QuestionWriter
    if spec.by_code:
        writer = CodeBuilder(spec.options, spec.seed, load_prompts(_PROMPTS / language / "asking"), spec.asked_kinds)
    else:
        writer = ModelBuilder(build_context.helper_model(spec.builder), prompts, language, spec.options)
    if not checker:
        return writer, None
    vectors = VectorCache(get_embedder(spec.embedder, base_url=spec.embedder_url), user_folder("embeddings"))
    return writer, ModelCheck(
        build_context.helper_model(checker), prompts, language, vectors, spec.neighbours, spec.seed
    )


def _accepted(place: QuestionPlace) -> Candidate:
    assert place.accepted is not None
    return place.accepted


def _planted(place: QuestionPlace) -> list[Planted]:
    """The gold passage, with the answer marked where it is known, and other texts that are needed."""
    candidate, document = _accepted(place), place.document
    if not candidate.answerable:
        return []
    text = document.texts[place.gold]
    evidence = candidate.evidence or text
    start = len(text[: text.index(evidence)].encode())
    mark = Mark(id=place.id, start=start, end=start + len(evidence.encode()))
    found = [Planted(id=f"gold-{place.id}", text=text, facts=(mark,))]
    for number, (first, last) in enumerate(candidate.also, 1):
        name, other = f"{place.id}+{number}", document.corpus.read(first, last)
        found.append(Planted(id=f"gold-{name}", text=other, facts=(Mark(id=name, start=0, end=last - first),)))
    return found


def _needed(place: QuestionPlace) -> dict[str, tuple[int, int]]:
    """The bytes of the gold passage and of other texts that the question needs, by the ids of their planted texts."""
    if not _accepted(place).answerable:
        return {}
    passage = place.document.passages[place.gold]
    also = {f"gold-{place.id}+{number}": span for number, span in enumerate(_accepted(place).also, 1)}
    return {f"gold-{place.id}": (passage.start, passage.end), **also}


def _broken(spec: GroundedSpec, places: Sequence[QuestionPlace]) -> bool:
    """Whether any test document leaves text out between passages."""
    return spec.layout == "nested" or (spec.controls and any(_accepted(place).also for place in places))


def _items(
    spec: GroundedSpec,
    places: Sequence[QuestionPlace],
    questions: Sequence[Question],
    documents: BenchDocuments,
    prompts: Mapping[str, Prompt],
) -> list[Item]:
    by_id = {question.id: question for question in questions}
    needed = {place.id: _needed(place) for place in places}
    items: list[Item] = []
    for length in documents.lengths:
        shared = shared_windows(places, length, spec.seed) if spec.layout == "shared" else {}
        for place in places:
            reading = prompts[_prompt_of("reading", place)]
            pieces, depth = _window(documents, place, length, shared, needed[place.id])
            cell: Cell = {"length": length, "prompt": reading.id, **_about(place)}
            cell |= {"depth": depth} if needed[place.id] else {}
            asked, name = by_id[place.id], f"{length}-{place.id}"
            items.append(documents.item(pieces, needed[place.id], asked, reading, id=name, cell=cell))
    if spec.controls:
        controlled = [place for place in places if needed[place.id]]
        for place in controlled:
            reading = prompts[_prompt_of("reading", place)]
            pieces, name = documents.only_passages(place.document, needed[place.id].values()), f"{place.id}.gold_only"
            cell = {"control": "gold_only", "prompt": reading.id, **_about(place)}
            items.append(documents.item(pieces, needed[place.id], by_id[name], reading, id=name, cell=cell))
        for place in controlled:
            asked = by_id[f"{place.id}.closed_book"]
            items.append(documents.closed_book_item(asked, prompts[_prompt_of("closed_book", place)], _about(place)))
    return items


def _window(
    documents: BenchDocuments,
    place: QuestionPlace,
    length: int,
    shared: Mapping[str, Anchor],
    needed: Mapping[str, tuple[int, int]],
) -> tuple[list[Piece], float]:
    """The text of a question, and its depth there: in a window with others if that holds all it needs."""
    if anchor := shared.get(place.id):
        pieces = documents.around(place.document, anchor.gold, length, anchor.depth)
        spans = [piece for piece in pieces if isinstance(piece, Span)]
        if all(any(span.start <= start and end <= span.end for span in spans) for start, end in needed.values()):
            return pieces, anchor.place
    return documents.around(place.document, place.gold, length, place.depth), place.depth


def _prompt_of(name: str, place: QuestionPlace) -> str:
    """The prompt by that name, or the one for questions without options."""
    candidate = _accepted(place)
    if len(candidate.options) > 1:
        return name
    return OPEN[name] if candidate.key else COMPLETING[name]


def _about(place: QuestionPlace) -> Cell:
    """Where a question comes from, and what it asks where code wrote it."""
    about: Cell = {"domain": place.document.domain}
    if kind := _accepted(place).kind:
        about["kind"] = kind
    return about


# Joins the user's documents into long ones: by domain, in seeded order, until they hold the largest length.

_ONE_DOMAIN = "documents"
_TOKENS_PER_WORD = 1.5


def load_by_folder(sources: Sequence[str], load: Callable[[Sequence[str]], list[Document]]) -> list[Document]:
    """The documents of all sources. Where several folders are given, each document's source begins with the name of its
    folder, so that each folder is a domain.
    """
    folders = [source for source in sources if Path(source).expanduser().is_dir()]
    if len(folders) < 2 or len(folders) < len(sources):
        return load(sources)
    documents: list[Document] = []
    labels: set[str] = set()
    for folder in folders:
        name = Path(folder).expanduser().resolve().name
        label = unique_name(name, labels)
        labels.add(label)
        documents += [
            document.model_copy(update={"id": f"{label}/{document.id}", "source": f"{label}/{document.source}"})
            for document in load([folder])
        ]
    return documents


def split_domains(documents: Sequence[Document], how: str, *, warn: Warn) -> dict[str, list[Document]]:
    """Documents by the first folder of their source, or all in one; duplicate texts are dropped."""
    domains: dict[str, list[Document]] = {}
    seen: set[str] = set()
    for document in documents:
        if document.sha256 in seen:
            warn(f"{document.source}: the same text as another document; left out")
            continue
        seen.add(document.sha256)
        folder, slash, _ = document.source.partition("/")
        domains.setdefault(folder if slash and how == "folders" else _ONE_DOMAIN, []).append(document)
    return dict(sorted(domains.items()))


def join_documents(
    domains: Mapping[str, Sequence[Document]], spec: GroundedSpec, lengths: Sequence[int], tokenizer: Tokenizer
) -> tuple[Corpus, list[LongDocument]]:
    """One corpus for all domains, and its long documents. Each has a few passages more than the largest length where
    there is enough text, so that a gold passage can move and still be at its depth.
    """
    longest = max(lengths)
    spare = int((min(reach(spec), CODE_MOVES) + 2) * spec.passage_words * _TOKENS_PER_WORD)
    groups: list[tuple[str, int, list[Document]]] = []
    for domain, documents in domains.items():
        order = list(documents)
        rng = Random(f"documents {spec.seed} {domain}")
        rng.shuffle(order)
        found = _groups(order, longest, spare, tokenizer, spec.long_documents)
        if spec.questions_file:
            found = [order]  # a question may be about any of them
        while spec.reuse_documents and len(found) < spec.long_documents and len(order) > 1:
            rng.shuffle(order)
            again = [one.model_copy(update={"id": f"{one.id}~{len(found) + 1}"}) for one in order]
            found += _groups(again, longest, spare, tokenizer, 1)
        groups += ((domain, number, group) for number, group in enumerate(found, 1))
    corpus = index_documents([document for *_, group in groups for document in group], tokenizer)
    joined: list[LongDocument] = []
    at = 0
    for domain, number, group in groups:
        placed = corpus.info.documents[at : at + len(group)]
        at += len(group)
        passages, edges = cut_passages(corpus, placed[0].start, placed[-1].end, spec.passage_words, tokenizer)
        if lacking := text_too_short(edges[-1], lengths):
            raise TooShort(
                f"docs: domain '{domain}' has {lacking}; add documents, ask for shorter lengths, or join all folders "
                f"with --set domains=one",
                edges[-1],
            )
        texts = tuple(corpus.read(passage.start, passage.end) for passage in passages)
        base = tokens_before(corpus, placed[0].start, tokenizer)
        joined.append(LongDocument(domain, number, corpus, base, passages, edges, texts))
    return corpus, joined


def _groups(
    order: Sequence[Document], longest: int, spare: int, tokenizer: Tokenizer, most: int
) -> list[list[Document]]:
    """Documents in groups that each hold the largest length with some margin; leftovers are dropped, but the first
    group is returned even if it is too small.
    """
    groups: list[list[Document]] = []
    group: list[Document] = []
    held = 0
    for document in order:
        group.append(document)
        held += tokenizer.count(document.text)
        if held >= longest + spare:
            groups.append(group)
            group, held = [], 0
            if len(groups) == most:
                return groups
    # Joining costs a token or two at each seam, so the comparison ignores that.
    if not groups or held >= longest + 4 * len(group):
        groups.append(group)
    return groups
