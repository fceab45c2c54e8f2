"""The parts of the demo: lengths that fit the time, and questions enough at all of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from longreach import api as verbs
from longreach import demo


@pytest.mark.parametrize("part", [demo._NEEDLES, demo._GROUNDED], ids=lambda part: part.family)
def test_the_longest_texts_that_fit_are_taken(part: demo._Part) -> None:
    for ladder in part.ladders:
        assert part.fitting(300, part.seconds(ladder, 300)) == ladder
    assert part.fitting(300, 0) == part.ladders[-1], "a slow machine still gets the shortest"
    assert part.seconds(part.ladders[0], 600) == part.seconds(part.ladders[0], 300) / 2


@pytest.mark.parametrize("lengths", demo._GROUNDED.ladders, ids=str)
def test_every_length_has_its_ten_questions(lengths: tuple[int, ...], tmp_path: Path) -> None:
    part = demo._GROUNDED
    settings = part.settings | {"lengths": ",".join(map(str, lengths)), "tokenizer": "o200k_base", "seed": 7}
    bench = verbs.build(part.family, tmp_path / "b", warn=pytest.fail, **settings)
    assert len(bench.items) == part.requests(lengths)
    prefilled = verbs.plan(bench, ["m"]).models[0].prefill_tokens
    assert 0.7 < part.tokens(lengths) / prefilled < 1.4, "what the time is estimated from"
