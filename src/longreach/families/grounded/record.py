"""What a build reports: one line per step on the screen, and the record in the benchmark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from longreach.core.bench import Prompt
from longreach.errors import BadInput
from longreach.families.base import BuildContext

from .checks import STEPS, ModelCheck
from .coverage import Use
from .passages import LongDocument
from .rounds import FUNNEL, Place
from .spec import EXTRACTIVE, GroundedSpec
from .writers import CodeBuilder, ModelBuilder, QuestionWriter


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
