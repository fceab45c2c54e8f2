"""Effective length: the definition, its interval, and the models that have none."""

from __future__ import annotations

import numpy as np
import pytest
from tests.present import some

from longreach.core.types import EffectiveLength
from longreach.errors import BadInput
from longreach.stats.headline import effective_length, keeps_level
from longreach.stats.intervals import Sample

LENGTHS = (1000.0, 2000.0, 4000.0)


def samples(*rights: int, n: int = 100) -> dict[float, Sample]:
    """So many right of `n` different questions at each length; the same questions at all of them."""
    values = [float(number < right) for right in rights for number in range(n)]
    whole = Sample.of(
        values,
        [number for _ in rights for number in range(n)],
        strata=[place for place in range(len(rights)) for _ in range(n)],
    )
    return {LENGTHS[place]: whole.at(np.arange(place * n, (place + 1) * n)) for place in range(len(rights))}


@pytest.mark.parametrize(
    ("rights", "expected"),
    [
        ((100, 100, 100), 4000),
        ((100, 85, 20), 2000),  # exactly the threshold holds
        ((100, 60, 100), 1000),  # a clear dip ends it, whatever comes after
        ((100, 84, 100), 4000),  # a dip that longer lengths contradict is noise
        ((100, 84, 50), 1000),
        ((84, 84, 84), 0),  # absolute: what begins below the threshold has none
        ((60, 60, 60), 0),
        ((0, 0, 0), 0),
    ],
)
def test_effective_length(rights: tuple[int, ...], expected: float) -> None:
    found = effective_length(samples(*rights))
    assert found.observed == expected
    assert found.length <= found.observed <= found.high


def test_better_models_reach_as_far_or_farther() -> None:
    """80 % right at every length is not more than 77 % at a longer one: neither is reliable."""
    assert effective_length(samples(80, 80, 60)).length == effective_length(samples(77, 77, 77)).length == 0
    held = effective_length(samples(97, 90, 60))
    assert (held.length, held.observed) == (1000, 2000)


@pytest.mark.parametrize(("chance", "expected"), [(0.0, 4000), (0.5, 0), (1 / 6, 0)])
def test_guessing_is_taken_off(chance: float, expected: float) -> None:
    assert effective_length(samples(87, 87, 87), chance=chance).observed == expected


def test_the_threshold_is_settable() -> None:
    assert effective_length(samples(100, 60)).length == 1000
    assert effective_length(samples(100, 60), threshold=0.4).length == 2000
    with pytest.raises(BadInput, match="threshold 85"):
        effective_length(samples(100), threshold=85)
    with pytest.raises(BadInput, match="no length"):
        effective_length({})


def test_the_interval_shows_a_close_call() -> None:
    def ends(held: EffectiveLength) -> tuple[float, ...]:
        return held.length, held.observed, held.high

    assert ends(effective_length(samples(100, 88, 40))) == (1000, 2000, 2000)
    assert ends(effective_length(samples(100, 99, 40))) == (2000, 2000, 2000)
    assert ends(effective_length(samples(100, 82, 40))) == (1000, 1000, 2000)
    assert ends(effective_length(samples(5, 5, 5, n=5))) == (0, 4000, 4000)


def test_a_length_without_results_shows_nothing_itself() -> None:
    found = samples(100, 100, 100)
    found[4000.0] = found[4000.0].at(np.array([], dtype=np.int64))
    assert effective_length(found).length == 2000
    found[1000.0] = found[2000.0] = found[4000.0]
    assert (effective_length(found).length, effective_length(found).base) == (0, None)
    assert keeps_level(found) is None


def test_a_right_answer_more_never_makes_it_shorter() -> None:
    """A perfect model reaches the longest length, and each wrong answer put right reaches as far or farther."""
    reached = [effective_length(samples(100, right, 97)).length for right in range(0, 101, 5)]
    assert reached == sorted(reached)
    assert reached[-1] == 4000


def test_keeping_a_level_is_relative_and_guessing_has_none() -> None:
    weak = some(keeps_level(samples(60, 58, 20)))
    assert (weak.length, weak.base) == (2000, 0.6)
    assert keeps_level(samples(55, 55, 55), chance=0.5) is None
    strong = some(keeps_level(samples(100, 100, 100), chance=0.5))
    assert strong.length == strong.observed == 4000
