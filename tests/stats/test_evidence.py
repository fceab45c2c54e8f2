"""Verdicts from contexts: decided early where it is clear, wrong rarely, and never worse for a right answer more."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from longreach.stats.evidence import ContextScore, Panel, Standard, evidence, panel, rate_of

WORSE_TO_BETTER = ("fails", "open", "holds")


@pytest.mark.parametrize(
    ("right", "asked", "contexts", "verdict"),
    [(30, 30, 3, "holds"), (30, 30, 2, "open"), (0, 30, 3, "fails"), (18, 30, 3, "fails"), (26, 30, 20, "open")],
)
def test_clear_cases_take_three_contexts(right: int, asked: int, contexts: int, verdict: str) -> None:
    assert evidence([panel(right, asked)] * contexts).verdict == verdict


def test_with_one_question_per_context_a_perfect_model_takes_twenty_six() -> None:
    shown: list[str] = [evidence([panel(1, 1)] * number).verdict for number in range(1, 30)]
    assert shown.index("holds") == 25
    by_context = [evidence([panel(30, 30)] * n, Standard(unit="context")).verdict for n in range(1, 30)]
    assert by_context == shown


scores = some.integers(1, 30).flatmap(
    lambda asked: some.tuples(some.integers(0, asked), some.integers(0, asked), some.just(asked))
)


@given(some.lists(some.lists(scores, min_size=1, max_size=3), min_size=1, max_size=12), some.integers(0, 1000))
def test_putting_an_answer_right_never_makes_a_verdict_worse(
    drawn: list[list[tuple[int, int, int]]], which: int
) -> None:
    panels: list[Panel] = [
        tuple(ContextScore(min(a, b), max(a, b), asked) for a, b, asked in contexts) for contexts in drawn
    ]
    flat = [(place, number) for place, own in enumerate(panels) for number in range(len(own))]
    place, number = flat[which % len(flat)]
    right, best, asked = panels[place][number]
    better = ContextScore(min(right + 1, asked), min(max(best, right + 1), asked), asked)
    own = (*panels[place][:number], better, *panels[place][number + 1 :])
    improved = [*panels[:place], own, *panels[place + 1 :]]
    for length in range(1, len(panels) + 1):
        before, after = evidence(panels[:length]).verdict, evidence(improved[:length]).verdict
        assert WORSE_TO_BETTER.index(after) >= WORSE_TO_BETTER.index(before)


@given(some.lists(some.integers(0, 10), min_size=3, max_size=20))
def test_an_early_verdict_stands(counts: list[int]) -> None:
    panels = [panel(count, 10) for count in counts]
    shown: list[str] = [evidence(panels[: number + 1]).verdict for number in range(len(panels))]
    first = next((word for word in shown if word != "open"), "open")
    assert set(shown[shown.index(first) :]) == {first}


def test_the_interval_agrees_with_the_verdict_and_covers() -> None:
    generator = np.random.default_rng(1)
    missed = 0
    for _ in range(200):
        truth = generator.uniform(0.5, 1.0)
        panels = [panel(int(generator.binomial(20, truth)), 20) for _ in range(8)]
        rate, shown = rate_of(panels), evidence(panels)
        assert rate is not None
        assert rate.low <= rate.value <= rate.high
        assert (rate.low >= 0.85) == (shown.verdict == "holds") or shown.verdict == "fails"
        assert not (shown.verdict == "fails" and rate.high > 0.85)
        missed += not rate.low <= truth <= rate.high
    assert missed <= 10


@pytest.mark.parametrize("correlation", [0.0, 0.04])
@pytest.mark.parametrize(("truth", "wrong"), [(0.85, "fails"), (0.849, "holds")])
def test_wrong_in_at_most_one_run_of_forty_at_the_bar(correlation: float, truth: float, wrong: str) -> None:
    """Looked at after each of thirty contexts. Both sides: a model ten points above the bar is decided."""
    generator = np.random.default_rng(3)

    def counts(mean: float) -> list[int]:
        if not correlation:
            return list(generator.binomial(30, mean, 30))
        more = 1 / correlation - 1
        return list(generator.binomial(30, generator.beta(mean * more, (1 - mean) * more, 30)))

    runs = [evidence([panel(count, 30) for count in counts(truth)]).verdict for _ in range(600)]
    assert runs.count(wrong) <= 0.025 * len(runs)  # type: ignore[arg-type]
    good = [evidence([panel(count, 30) for count in counts(0.95)]).verdict for _ in range(100)]
    assert good.count("holds") >= 95


def test_contexts_that_fall_as_a_whole_need_many_contexts() -> None:
    good, fallen = panel(30, 30), panel(2, 30)
    assert evidence([good] * 20).verdict == "holds"
    assert evidence([good, good, fallen, *[good] * 20]).together == "fell"
    assert evidence([good, good, fallen, *[good] * 20]).verdict == "open"


def test_undecided_answers_decide_nothing() -> None:
    half = [(ContextScore(20, 30, 30),)] * 20
    assert evidence(half).verdict == "open"
    assert evidence([(ContextScore(5, 10, 30),)] * 4).verdict == "fails"


def test_an_interval_holds_what_was_right_also_where_the_contexts_drifted() -> None:
    """The first contexts all right, the later ones nearly all wrong: no accuracy was never rejected."""
    found = rate_of([panel(30, 30)] * 6 + [panel(4, 30)] * 6)
    assert found is not None
    assert found.low < found.value < found.high
    assert found.high - found.low > 0.05
