"""Group: names to be put into given categories without changing one of them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from random import Random

from longreach.core.question import Key
from longreach.errors import BadInput

from .entities import Entities
from .sample import NEWLINE, Sample
from .spec import VerbatimSpec

__all__ = ["group_samples", "grouped", "groups_json"]

_SHOWN = 40


def groups_json(groups: dict[str, list[str]]) -> str:
    """Groups in the form that is asked for."""
    lines = (
        json.dumps({"category_name": category, "entities": names}, ensure_ascii=False)
        for category, names in groups.items()
    )
    return "[\n" + ",\n".join(lines) + "\n]"


def grouped(answer: str) -> dict[str, list[str]]:
    """The groups of a key."""
    return {group["category_name"]: group["entities"] for group in json.loads(answer)}


def group_samples(spec: VerbatimSpec, entities: Entities) -> Iterator[Sample]:
    """Names of each size, at least one of each category."""
    known = entities.chosen(spec.categories)
    pool = [(name, category) for category, names in known.by_category.items() for name in names]
    fewest = len(known.by_category)
    for size in spec.group_sizes:
        if not fewest <= size <= len(pool):
            raise BadInput(
                f"group_sizes: {size} names cannot be drawn from {known.source}, which has {len(pool)} names in "
                f"{fewest} categories; give sizes from {fewest} to {len(pool)}"
            )
        for number in range(1, spec.group_samples + 1):
            yield _sample(spec, known, pool, size, number)


def _sample(spec: VerbatimSpec, entities: Entities, pool: list[tuple[str, str]], size: int, number: int) -> Sample:
    rng = Random(f"verbatim group {spec.seed} {entities.source} {size} {number}")
    drawn = {rng.choice(names): category for category, names in entities.by_category.items()}
    rest = [(name, category) for name, category in pool if name not in drawn]
    drawn.update(rng.sample(rest, size - len(drawn)))
    names = list(drawn)
    rng.shuffle(names)
    truth = {category: [name for name in names if drawn[name] == category] for category in entities.by_category}
    return Sample(
        id=f"group-{entities.source}-{size}-{number}",
        task="group",
        items=names,
        separator=NEWLINE,
        shown=_SHOWN,
        size=size,
        corpus=entities.source,
        keys={"category": Key(kind="list", answer=groups_json(truth))},
        categories=tuple(entities.by_category),
        about={"categories": len(entities.by_category)},
    )
