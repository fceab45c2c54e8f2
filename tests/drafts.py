"""A benchmark as the draft it was written from, to write it again with changes."""

from __future__ import annotations

from longreach.core.bench import Bench, Draft


def draft_of(bench: Bench) -> Draft:
    return Draft(
        family=bench.info.family,
        family_version=bench.info.family_version,
        build=bench.build,
        spec=bench.spec,
        prompts=tuple(bench.prompts.values()),
        planted=tuple(bench.planted.values()),
        questions=tuple(bench.questions.values()),
        items=tuple(bench.items.values()),
    )
