"""What a build plans and reports: requests to models, one line per step on the screen, the record in the benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any

from longreach.core.bench import Prompt
from longreach.core.types import Tokenizer
from longreach.errors import BadInput
from longreach.families.base import BuildContext
from longreach.families.helper_model import HelperPlan, PlannedRole

from .checks import RECALLS, STEPS, ModelCheck
from .coverage import Use
from .passages import LongDocument
from .rounds import FUNNEL, Place, reach
from .spec import EXTRACTIVE, GroundedSpec
from .writers import CodeBuilder, ModelBuilder, QuestionWriter

_QUESTION = 150
"""Tokens of a question with its options, about."""
_ANSWER = 40
"""Tokens of a checker's answer, about."""


def helper_plan(
    spec: GroundedSpec,
    places: Sequence[Place],
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
    if spec.builder != EXTRACTIVE:
        roles.append(
            PlannedRole(
                role="builder",
                model=spec.builder,
                requests=count,
                tokens_in=count * (passage + size["write"]),
                tokens_out=count * (_QUESTION + _ANSWER),
            )
        )
    if spec.checker or spec.builder != EXTRACTIVE:
        read = (1 + spec.neighbours) * passage + 2 * (size["check"] + _QUESTION)
        recalled = RECALLS * (size["recall"] + _QUESTION)
        roles.append(
            PlannedRole(
                role="checker",
                model=spec.checker or spec.builder,
                requests=count * (2 + RECALLS),
                tokens_in=count * (read + recalled),
                tokens_out=count * (2 + RECALLS) * _ANSWER,
            )
        )
    if not roles:
        return None
    return HelperPlan(questions=count, roles=tuple(roles), most=spec.tries * (1 + reach(spec)))


def report_funnel(
    spec: GroundedSpec,
    places: Sequence[Place],
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
            f"or other documents, more --tries, or another --builder or --checker"
        )
    build_context.progress(f"{len(filled)} of {len(places)} places have a question ({note})")
    if len(filled) < len(places):
        lost = ", ".join(place.id for place in places if not place.accepted)
        build_context.warn(
            f"{len(places) - len(filled)} of {len(places)} places have no question ({lost[:120]}); {note}; give more "
            f"--tries or --moves, or more text"
        )


def build_record(
    spec: GroundedSpec,
    places: Sequence[Place],
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
    checker = spec.checker or (None if spec.builder == EXTRACTIVE else spec.builder)
    by_code = {"quality": "code", "elsewhere": "code", "closed_book": "not checked"}
    decided = {step: "model" if check else by_code[step] for step in STEPS}
    decided |= dict.fromkeys(STEPS, "not checked") if spec.questions_file else {}
    decided |= {} if "closed_book" in spec.filters else {"closed_book": "not checked"}
    return {
        "roles": {
            "builder": spec.questions_file or spec.builder,
            "checker": checker,
            "embedder": spec.embedder if checker else None,
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
