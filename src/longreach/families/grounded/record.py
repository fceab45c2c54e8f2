"""What a build plans and reports: requests to models, one line per step on the screen, the record in the benchmark."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from longreach.core.bench import Corpus, Prompt
from longreach.core.formatting import format_tokens
from longreach.core.types import Document, Frozen, Tokenizer
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.helper_requests import HelperPlan, PlannedRole

from .contexts import LongDocument
from .rounds import FUNNEL, QuestionPlace, reach
from .spec import GroundedSpec
from .writers import RECALLS, STEPS, CodeBuilder, ModelBuilder, ModelCheck, QuestionWriter

_QUESTION = 150
"""Tokens of a question with its options, about."""
_ANSWER = 40
"""Tokens of a checker's answer, about."""


def helper_plan(
    spec: GroundedSpec,
    places: Sequence[QuestionPlace],
    prompts: Mapping[str, Prompt],
    tokenizer: Tokenizer,
) -> HelperPlan | None:
    """Requests if every question passes at the first attempt; None where no model takes part."""
    open_places = [place for place in places if place.open]
    if not open_places:
        return None
    count = len(open_places)
    passage = round(mean(place.document.tokens(place.gold) for place in open_places))
    size = {name: tokenizer.count(prompt.text) for name, prompt in prompts.items()}
    roles: list[PlannedRole] = []
    if not spec.by_code:
        roles.append(
            PlannedRole(
                role="builder",
                model=spec.builder,
                requests=count,
                tokens_in=count * (passage + size["write"]),
                tokens_out=count * (_QUESTION + _ANSWER),
            )
        )
    if spec.checked_by:
        read = (1 + spec.neighbours) * passage + 2 * (size["check"] + _QUESTION)
        recalled = RECALLS * (size["recall"] + _QUESTION)
        roles.append(
            PlannedRole(
                role="checker",
                model=spec.checked_by,
                requests=count * (2 + RECALLS),
                tokens_in=count * (read + recalled),
                tokens_out=count * (2 + RECALLS) * _ANSWER,
            )
        )
    if not roles:
        return None
    moves = min(reach(spec), max(len(place.document.passages) for place in open_places) - 1)
    return HelperPlan(questions=count, roles=tuple(roles), most=spec.tries * (1 + moves))


_NAMED = 6
"""Documents named in a line."""


class Use(Frozen):
    """How much of a document the benchmark uses."""

    id: str
    domain: str
    tokens: int
    """Of the whole document; 0 where nothing of it is used."""
    share: float
    """Share of it that occurs in at least one context."""
    questions: int


def document_use(
    domains: Mapping[str, Sequence[Document]],
    corpus: Corpus,
    tokenizer: Tokenizer,
    places: Sequence[QuestionPlace],
    inside: Mapping[str, Sequence[tuple[int, int]]],
) -> list[Use]:
    """The use of every document; `inside` has the bytes of all contexts of each place with a question."""
    placed = corpus.info.documents
    starts = [each.start for each in placed]
    spans: set[tuple[int, int]] = set()
    questions: Counter[str] = Counter()
    for place in places:
        if place.accepted is None:
            continue
        passages = place.document.passages
        spans.update(inside[place.id])
        questions[placed[bisect_right(starts, passages[place.gold].start) - 1].document.id] += 1
    read: Counter[str] = Counter()
    at = 0
    for begin, end in sorted(spans):
        start, at = max(begin, at), max(at, end)
        if start >= end:
            continue
        first = max(0, bisect_right(starts, start) - 1)
        for each in placed[first : bisect_left(starts, end)]:
            read[each.document.id] += max(0, min(end, each.end) - max(start, each.start))
    sizes = {each.document.id: each.end - each.start for each in placed}
    return [
        Use(
            id=document.id,
            domain=domain,
            tokens=tokenizer.count(document.text) if read[document.id] else 0,
            share=round(min(1.0, read[document.id] / sizes[document.id]), 3) if read[document.id] else 0.0,
            questions=questions[document.id],
        )
        for domain, documents in domains.items()
        for document in documents
    ]


def describe_use(use: Sequence[Use], longest: int) -> str:
    """One line: which documents are in the contexts, and how much of each."""
    used = sorted((each for each in use if each.share > 0), key=lambda each: (-each.share * each.tokens, each.id))
    named = ", ".join(f"{each.id} {each.share:.0%} of {format_tokens(each.tokens)} tokens" for each in used[:_NAMED])
    more = f", and {len(used) - _NAMED} more listed in build.json" if len(used) > _NAMED else ""
    line = f"documents used: {len(used)} of {len(use)} ({named}{more})"
    if len(used) < len(use):
        line += (
            f"; {len(use) - len(used)} are in no context of {format_tokens(longest)} tokens: more --set long_documents "
            f"or longer --lengths use them"
        )
    return line


def report_funnel(
    spec: GroundedSpec,
    places: Sequence[QuestionPlace],
    funnel: Mapping[str, int],
    writer: QuestionWriter,
    build_context: BuildContext,
) -> None:
    """Reports how many questions were tried, refused and found; raises where none was found."""
    filled = [place for place in places if place.accepted]
    if isinstance(writer, CodeBuilder) and not spec.questions_file:
        kinds = ", ".join(f"{count} {kind}" for kind, count in writer.kinds.items() if count) or "none"
        build_context.progress(f"questions by code: {kinds}; what needs understanding needs a --builder model")
    refused = ", ".join(f"{funnel[step]} {step}" for step in FUNNEL[1:-1] if funnel[step]) or "none"
    note = f"{funnel['written']} questions tried; refused: {refused}"
    if not filled:
        raise BadInput(
            f"builder '{spec.builder}': none of {len(places)} places has a question that passed ({note}); give longer "
            f"or other documents, more --set tries, or another --builder or --checker"
        )
    build_context.progress(f"{len(filled)} of {len(places)} places have a question ({note})")
    if len(filled) < len(places):
        lost = ", ".join(place.id for place in places if not place.accepted)
        build_context.warn(
            f"{len(places) - len(filled)} of {len(places)} places have no question ({lost[:120]}); {note}; give more "
            f"--set tries or --set moves, or more text"
        )


def build_record(
    spec: GroundedSpec,
    places: Sequence[QuestionPlace],
    documents: Sequence[LongDocument],
    use: Sequence[Use],
    funnel: Mapping[str, int],
    letters: Sequence[str],
    writer: QuestionWriter,
    check: ModelCheck | None,
    building: Mapping[str, Prompt],
) -> dict[str, Any]:
    """The build record, as plain data."""
    models = {"builder": writer, "checker": check}
    usage = {role: one.usage.model_dump() for role, one in models.items() if isinstance(one, ModelBuilder | ModelCheck)}
    by_code = {"quality": "code", "elsewhere": "code", "closed_book": "not checked"}
    decided = {step: "model" if check else by_code[step] for step in STEPS}
    decided |= dict.fromkeys(STEPS, "not checked") if spec.questions_file else {}
    decided |= {} if "closed_book" in spec.filters else {"closed_book": "not checked"}
    return {
        "roles": {
            "builder": spec.questions_file or spec.builder,
            "checker": spec.checked_by,
            "embedder": spec.embedder if spec.checked_by else None,
        },
        "filters": decided | {"wording": "code"},
        "funnel": {"places": len(places), **funnel, "moved": sum(place.moves for place in places)}
        | {"without": sum(place.accepted is None for place in places)},
        "letters": dict(sorted(Counter(letters).items())),
        **({"kinds": dict(writer.kinds)} if isinstance(writer, CodeBuilder) else {}),
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
        "sources": [each.model_dump() for each in use],
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
