"""The plan of a grounded build with models: what builder and checker will be asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import mean

from longreach.core.bench import Prompt
from longreach.core.types import Tokenizer
from longreach.families.helper_model import HelperPlan, PlannedRole

from .checks import RECALLS
from .rounds import Place, reach
from .spec import EXTRACTIVE, GroundedSpec

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
