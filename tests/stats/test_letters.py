"""Letters: equal models are separated in few tables, nothing stands above what it lost to."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from longreach.stats.letters import QuestionScore, beaten_last, letters, losses

Table = list[dict[object, QuestionScore]]


def table(generator: np.random.Generator, skills: Mapping[str, float], contexts: int = 12, each: int = 20) -> Table:
    """All models on the same questions, answers over one context correlated by 0.04."""
    found: Table = []
    for skill in skills.values():
        more = 1 / 0.04 - 1
        reads = generator.beta(skill * more, (1 - skill) * more, contexts)
        right = generator.random((contexts, each)) < reads[:, None]
        found.append({(c, q): QuestionScore(float(right[c, q]), c) for c in range(contexts) for q in range(each)})
    return found


@pytest.mark.parametrize("skill", [0.6, 0.9])
def test_equal_models_are_separated_in_few_tables_and_unequal_ones_in_most(skill: float) -> None:
    generator, runs = np.random.default_rng(5), 100
    equal = dict.fromkeys("abcde", skill)
    assert sum(bool(losses(table(generator, equal))) for _ in range(runs)) <= 0.05 * runs + 4
    apart = {"good": 0.95, "bad": 0.7}
    assert sum((0, 1) in losses(table(generator, apart)) for _ in range(20)) >= 18


def test_letters_say_who_is_told_apart_and_nothing_stands_above_what_it_lost_to() -> None:
    generator = np.random.default_rng(1)
    answers = table(generator, {"middle": 0.85, "worst": 0.3, "best": 0.97, "also middle": 0.85}, contexts=30)
    shown = losses(answers)
    assert {(0, 1), (2, 1), (3, 1), (2, 0), (2, 3)} <= shown
    order = beaten_last([1, 0, 3, 2], shown)
    assert order == [2, 0, 3, 1]
    assert letters(order, answers, shown) == ["b", "c", "a", "b"]
    for place, one in enumerate(order):
        assert not any((other, one) in shown for other in order[place + 1 :])


def test_one_model_shares_letters_with_two_that_differ_and_one_without_answers_with_none() -> None:
    shared: Table = [{0: QuestionScore(1.0, 0)}, {0: QuestionScore(1.0, 0)}, {0: QuestionScore(0.0, 0)}, {}]
    assert letters([0, 1, 2, 3], shared, {(0, 2)}) == ["a", "ab", "b", "c"]
