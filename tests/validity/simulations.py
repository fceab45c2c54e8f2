"""Every kind of interval that the product prints, each with a simulation: a run with a known truth, and the interval
that the product's own function gives for it. `PRINTED` says which module prints which."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
from tests.present import some
from tests.validity.worlds import DESIGNS, Design, Rng, World, expected, given, places, share

from longreach.core.types import Estimate
from longreach.families.novel.scores import mcc, mcc_estimate
from longreach.grading.judge.audit import combined_share, corrected_share
from longreach.stats.intervals import (
    Floats,
    Ints,
    Sample,
    balanced_mean,
    difference_estimate,
    mean_estimate,
    spread,
    wilson,
)

Level = tuple[float, float, float]
"""Log odds of a right answer (at the middle length), how much questions differ, how much contexts do."""
LEVELS: tuple[Level, ...] = ((0.5, 1.0, 0.5), (2.0, 1.0, 0.5), (2.0, 2.0, 0.7), (3.5, 2.0, 0.7), (5.0, 2.0, 0.7))
"""From 57 % to 96 % right."""
WHOLE: tuple[Level, ...] = ((2.0, 1.0, 6.0), (6.0, 1.0, 6.0), (10.0, 1.0, 6.0), (17.0, 1.0, 20.0), (26.0, 1.0, 20.0))
"""Answers over one context stand or fall together: 62 % to 94 % right, correlations of 0.7 to 0.95."""
Drawn = tuple[Estimate, float]
"""An interval and the true value."""
Simulation = Callable[[Level, Rng], Drawn]


def coverage(simulation: Simulation, level: Level, runs: int, seed: int = 7) -> float:
    """The share of runs whose interval holds the truth."""
    rng = np.random.default_rng(seed)
    drawn = (simulation(level, rng) for _ in range(runs))
    return sum(found.low - 1e-9 <= truth <= found.high + 1e-9 for found, truth in drawn) / runs


def world(design: Design, level: Level, shift: float = 0.0) -> World:
    """Accuracy falls with length, by two in log odds."""
    middle, questions, contexts = level
    middles = np.linspace(middle + 1, middle - 1, design.lengths) - shift
    return World(design, tuple(middles.tolist()), questions, contexts)


def _at(sample: Sample, length: int | None) -> Sample:
    """One length of a run, which knows what the whole run shows."""
    whole = sample.pooled()
    return whole if length is None else whole.at(np.flatnonzero(whole.strata == length))


def _mean(level: Level, rng: Rng, design: Design, length: int | None = None) -> Drawn:
    each = world(design, level)
    return mean_estimate(_at(each.run(rng), length)), each.truth(length)


def _difference(level: Level, rng: Rng, design: Design, length: int | None = None, shift: float = 0.7) -> Drawn:
    """Two models, or two prompts, on the same questions and contexts."""
    each = world(design, level)
    shared = each.draw(rng)
    first, second = each.run(rng, 0.0, shared), each.run(rng, -shift, shared)
    gaps = _at(first.with_values(first.values - second.values), length)
    return difference_estimate(gaps), each.truth(length) - world(design, level, shift).truth(length)


def _answered(level: Level, rng: Rng, design: Design) -> Drawn:
    """Right of answered: hard questions and contexts are refused more often."""
    each, at = world(design, level), places(design)
    hard, read = each.draw(rng)
    kept = np.flatnonzero(rng.random(len(at)) < _replies(hard[at.question], read[at.context]))
    return mean_estimate(each.run(rng, 0.0, (hard, read)).at(kept)), _answered_truth(each)


def _replies(hard: Floats, read: Floats) -> Floats:
    return share(1 + 0.5 * hard + 0.7 * read)


@lru_cache
def _answered_truth(each: World) -> float:
    drawn = np.random.default_rng(0).normal(size=(2, 100_000))
    hard, read = drawn[0] * each.questions, drawn[1] * each.contexts
    replies = _replies(hard, read)
    right = [float((replies * share(middle + hard + read)).mean()) for middle in each.middles]
    return float(np.mean(right) / replies.mean())


def _wrong(level: Level, rng: Rng) -> Drawn:
    """Hallucinations: rare wrong answers to unanswerable questions."""
    right, truth = _mean(level, rng, DESIGNS[1])
    return Estimate(value=1 - right.value, low=1 - right.high, high=1 - right.low, n=right.n), 1 - truth


def _cell(level: Level, rng: Rng, answers: int) -> Drawn:
    """Questions about one context; the truth is that of all questions about it."""
    middle, questions, contexts = level
    here = middle + rng.normal(0, contexts)
    values = _right(rng, here + rng.normal(0, questions, answers))
    return mean_estimate(_one_context(values)), float(given(here, questions))


def _cell_difference(level: Level, rng: Rng, answers: int, shift: float) -> Drawn:
    """Two prompts on the questions of one cell."""
    middle, questions, contexts = level
    here = middle + rng.normal(0, contexts)
    odds = here + rng.normal(0, questions, answers)
    gaps = _right(rng, odds) - _right(rng, odds - shift)
    return difference_estimate(_one_context(gaps)), float(given(here, questions) - given(here - shift, questions))


def _right(rng: Rng, odds: Floats) -> Floats:
    return (rng.random(len(odds)) < share(odds)).astype(np.float64)


def _one_context(values: Floats) -> Sample:
    same = np.zeros(len(values), dtype=np.int64)
    return Sample(values, np.arange(len(values)), same, (), same)


def _own_contexts(level: Level, rng: Rng, answers: int, partial_credit: bool = False) -> Drawn:
    """A few answers at one length, each with its own question and context."""
    middle, questions, contexts = level
    odds = middle + rng.normal(0, float(np.hypot(questions, contexts)), answers)
    values = rng.beta(12 * share(odds) + 0.01, 12 * (1 - share(odds)) + 0.01) if partial_credit else _right(rng, odds)
    return mean_estimate(Sample.of(values.tolist())), expected(middle, questions, contexts)


def _depth(level: Level, rng: Rng, sets: int, lengths: int = 5, answers: int = 10) -> Drawn:
    """One depth over all lengths: one context per length, so the truth is that of all questions about these."""
    middle, questions, contexts = level
    here = np.linspace(middle + 1, middle - 1, lengths) + rng.normal(0, contexts, lengths)
    length = np.repeat(np.arange(lengths), answers)
    question = np.tile(np.arange(answers), lengths) + answers * (length % sets)
    hard = rng.normal(0, questions, answers * sets)
    groups = (length % sets,) if sets > 1 else ()
    values = _right(rng, here[length] + hard[question])
    return mean_estimate(Sample(values, question, length, groups, length)), float(given(here, questions).mean())


def _spread(level: Level, rng: Rng, groups: int, effect: float, answers: int = 10) -> Drawn:
    """Placements of the same facts, one context each. The truth is that of the two that look best and worst."""
    middle, questions, contexts = level
    here = middle + np.linspace(-effect, effect, groups) + rng.normal(0, contexts, groups)
    group = np.repeat(np.arange(groups), answers)
    question = np.tile(np.arange(answers), groups)
    values = _right(rng, here[group] + rng.normal(0, questions, answers)[question])
    found = some(spread(Sample(values, question, group, (), np.zeros_like(group)), [str(each) for each in group]))
    true = given(here, questions)
    return found.difference, float(true[int(found.best)] - true[int(found.worst)])


def _summaries(
    level: Level, rng: Rng, stories: int, each: int, lengths: int, lean: tuple[float, float]
) -> tuple[Sample, Ints, tuple[float, float]]:
    """Verdicts on wrong (side 1) and faithful summaries, and the true accuracies on both. The model leans towards
    "wrong" by `lean[0]`, and more or less so from story to story by `lean[1]`."""
    middle, questions, contexts = level
    count = stories * lengths
    middles = np.linspace(middle + 1, middle - 1, lengths) if lengths > 1 else np.array([middle])
    story = np.repeat(np.arange(count), each)
    side = np.tile(np.arange(each) % 2, count)
    leans = np.where(side == 1, 1, -1) * (lean[0] + rng.normal(0, lean[1], count)[story])
    odds = middles[story // stories] + rng.normal(0, contexts, count)[story] + rng.normal(0, questions, len(story))
    made = Sample(_right(rng, odds + leans), np.arange(len(story)), story, (story,), story // stories)
    wrong, faithful = (
        float(np.mean([expected(one + sign * lean[0], questions, contexts, lean[1]) for one in middles]))
        for sign in (1, -1)
    )
    return made, side, (wrong, faithful)


def _balanced(level: Level, rng: Rng, stories: int, each: int, lengths: int, lean: tuple[float, float]) -> Drawn:
    made, side, true = _summaries(level, rng, stories, each, lengths, lean)
    return balanced_mean(made, side), sum(true) / 2


def _mcc(level: Level, rng: Rng, stories: int, each: int, lengths: int, lean: tuple[float, float]) -> Drawn:
    made, side, true = _summaries(level, rng, stories, each, lengths, lean)
    hits, leaves = (mean_estimate(made.at(np.flatnonzero(side == one))) for one in (1, 0))
    return mcc_estimate(hits, leaves), mcc(true[0], 1 - true[0], true[1], 1 - true[1])


def _judged(level: Level, rng: Rng, right: float, wrong: float, audit: int, by_key: bool) -> Drawn:
    """Accuracy corrected for a judge's errors, measured on an audit; with `by_key` the key decides half of it."""
    middle, questions, contexts = level
    question, context = np.tile(np.arange(10), 6), np.repeat(np.arange(6), 10)
    true = _right(rng, middle + rng.normal(0, contexts, 6)[context] + rng.normal(0, questions, 10)[question])
    graded = np.where(true == 1, rng.random(60) < right, rng.random(60) >= wrong).astype(np.float64)
    made = Sample(graded, question, context, (), np.zeros_like(question))
    rates = [wilson(int(rng.binomial(audit, rate)), audit) for rate in (right, wrong)]
    if not by_key:
        found = corrected_share(mean_estimate(made), *rates)
    else:
        own = corrected_share(mean_estimate(made.at(np.flatnonzero(question < 5))), *rates)
        found = combined_share(mean_estimate(made.with_values(true).at(np.flatnonzero(question >= 5))), own)
    assert found is not None
    return found, expected(middle, questions, contexts)


def _audit(level: Level, rng: Rng) -> Drawn:
    """Sensitivity of a judge that errs more on some kinds of planted answers; every kind occurs equally often."""
    kinds = level[0] + np.array([1.0, 0.5, -0.5, -1.0])
    right = _right(rng, np.repeat(kinds, 20) + rng.normal(0, level[1], 80))
    return wilson(float(right.sum()), 80), float(np.mean([expected(kind, level[1]) for kind in kinds]))


_PARTS: dict[str, Simulation] = {"the audit of a judge": _audit, "hallucination rate": _wrong}
for _design in DESIGNS:
    _last = _design.lengths - 1
    _PARTS |= {
        f"all lengths: {_design.name}": partial(_mean, design=_design),
        f"longest length: {_design.name}": partial(_mean, design=_design, length=_last),
        f"difference, all lengths: {_design.name}": partial(_difference, design=_design),
        f"difference, longest length: {_design.name}": partial(_difference, design=_design, length=_last),
        f"difference of equals: {_design.name}": partial(_difference, design=_design, shift=0.0),
    }
for _design in DESIGNS[1:4]:
    _PARTS[f"answered accuracy: {_design.name}"] = partial(_answered, design=_design)
_PARTS |= {
    "cell: 10 questions, one context": partial(_cell, answers=10),
    "cell: 4 questions, one context": partial(_cell, answers=4),
    "cell: 5 questions with own contexts": partial(_own_contexts, answers=5),
    "cell: partial credit, 12 inputs": partial(_own_contexts, answers=12, partial_credit=True),
    "cell: partial credit, 3 inputs": partial(_own_contexts, answers=3, partial_credit=True),
    "depth: 1 fact set": partial(_depth, sets=1),
    "depth: 5 fact sets": partial(_depth, sets=5),
    "prompts in a cell": partial(_cell_difference, answers=10, shift=0.7),
    "equal prompts in a cell": partial(_cell_difference, answers=10, shift=0.0),
    "best and worst of 9, equal": partial(_spread, groups=9, effect=0.0),
    "best and worst of 9, unequal": partial(_spread, groups=9, effect=1.5),
    "best and worst of 2": partial(_spread, groups=2, effect=0.5),
    "balanced accuracy": partial(_balanced, stories=12, each=4, lengths=4, lean=(0.0, 1.0)),
    "balanced accuracy, 12 summaries": partial(_balanced, stories=6, each=2, lengths=1, lean=(0.5, 0.5)),
    "MCC": partial(_mcc, stories=12, each=4, lengths=4, lean=(0.0, 1.0)),
    "MCC at one length, leaning": partial(_mcc, stories=24, each=4, lengths=1, lean=(1.5, 1.0)),
    "corrected for a judge": partial(_judged, right=0.9, wrong=0.8, audit=40, by_key=False),
    "corrected for a judge in part": partial(_judged, right=0.95, wrong=0.95, audit=100, by_key=True),
}
SIMULATIONS = dict(sorted(_PARTS.items()))

REACH = "frontier"
"""Effective length and "keeps its level to": test_coverage.py."""
CHECKS = "checks"
"""Intervals of checks, by how often they warn: test_checks.py."""
GATES = "gates"
"""Changes over two and more runs, by how often a gate fails: test_gate_rates.py."""
_MEANS = ("all lengths", "longest length", "answered accuracy", "hallucination rate", "cell", "depth")
_DIFFERENCES = ("difference", "prompts in a cell", "equal prompts")
PRINTED: dict[str, tuple[str, ...]] = {
    "checking/gate.py": ("all lengths", REACH),
    "deciding/baseline.py": (GATES, "difference"),
    "deciding/own_questions.py": ("all lengths",),
    "exchange/records.py": ("all lengths",),
    "families/base.py": ("hallucination rate",),
    "families/papers.py": (),
    "families/verbatim/paper.py": ("all lengths",),
    "families/grounded/figures.py": ("all lengths", "cell"),
    "families/novel/figures.py": (CHECKS,),
    "families/novel/leakage.py": (CHECKS,),
    "families/novel/scores.py": ("balanced accuracy", "MCC", "cell"),
    "families/stock/family.py": ("all lengths",),
    "families/trace/figures.py": ("all lengths",),
    "families/verbatim/figures.py": ("cell: partial credit", "difference, longest length: verbatim"),
    "grading/judge/audit.py": ("corrected for a judge",),
    "reporting/checks.py": (CHECKS,),
    "results/judge_audit.py": ("the audit of a judge",),
    "reporting/retrieval.py": ("difference", "all lengths"),
    "reporting/figures.py": ("corrected for a judge", "all lengths"),
    "reporting/ranking.py": (),
    "reporting/way_tables.py": ("all lengths", "longest length"),
    "results/model_statements.py": (REACH,),
    "reporting/drawing/plots.py": (),
    "reporting/markdown.py": (),
    "runner/scoring.py": ("all lengths",),
    "stats/counting.py": _MEANS,
    "stats/paired.py": (GATES, "difference"),
    "stats/power.py": (),
    "stats/headline.py": (*_MEANS, REACH),
    "stats/series.py": (*_DIFFERENCES, "best and worst"),
}
"""Modules that compute intervals, with the simulations (by the start of their names) that cover them; those
without one only show intervals again."""
