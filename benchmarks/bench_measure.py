"""`measure` on simulated models: how often its verdicts are wrong, how often there is one, and what it costs.

`python -m benchmarks.bench_measure [RUNS]` prints three tables. The first asks every length up to 60 contexts of 30
questions, whatever the order, so it bounds the errors of every order. The second asks in the real order with at most
2 M prefill tokens, lengths 4k to 128k. The third has the contexts that a model of each skill takes at one length."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from longreach.planning.measure import Ladder, Rung
from longreach.stats.evidence import Standard, evidence, panel
from longreach.stats.intervals import Floats

LENGTHS = (4000, 8000, 16_000, 32_000, 64_000, 128_000)
CONTEXTS, QUESTIONS, MOST, PER_QUESTION = 60, 30, 2e6, 80
BAR = 0.85
BY_CONTEXT = "the same, by contexts"
"""Each context counts once (`--set evidence=contexts`)."""
Draw = Callable[[np.random.Generator, float, int, int], Floats]
"""Accuracies of some contexts at a length with this mean: one line per run."""


def independent(generator: np.random.Generator, mean: float, runs: int, contexts: int) -> Floats:  # noqa: ARG001
    return np.full((runs, contexts), mean)


def correlated(correlation: float) -> Draw:
    def draw(generator: np.random.Generator, mean: float, runs: int, contexts: int) -> Floats:
        if mean in (0.0, 1.0):
            return np.full((runs, contexts), mean)
        more = 1 / correlation - 1
        return generator.beta(mean * more, (1 - mean) * more, (runs, contexts))

    return draw


def bad_documents(generator: np.random.Generator, mean: float, runs: int, contexts: int) -> Floats:
    """One context in ten is read at 40 %."""
    bad = generator.random((runs, contexts)) < 0.1
    return np.where(bad, 0.4, np.minimum(1.0, (mean - 0.04) / 0.9))


def drifting(generator: np.random.Generator, mean: float, runs: int, contexts: int) -> Floats:  # noqa: ARG001
    """Five points better at first, five worse at the end."""
    return np.broadcast_to(np.clip(mean + np.linspace(0.05, -0.05, contexts), 0, 1), (runs, contexts)).copy()


def lost_in_the_middle(generator: np.random.Generator, mean: float, runs: int, contexts: int) -> Floats:  # noqa: ARG001
    """A third of each context's questions, in its middle, are answered 25 points worse."""
    return np.full((runs, contexts), mean)


WORLDS: dict[str, tuple[Draw, bool]] = {
    "independent answers": (independent, True),
    "correlation 0.04": (correlated(0.04), True),
    "lost in the middle": (lost_in_the_middle, True),
    "drift during the run": (drifting, True),
    "one bad document in ten": (bad_documents, False),
    "correlation 0.12": (correlated(0.12), False),
    "contexts stand or fall as a whole (0.6)": (correlated(0.6), False),
    BY_CONTEXT: (correlated(0.6), True),
}


def counts(name: str, draw: Draw, mean: float, runs: int, generator: np.random.Generator) -> Floats:
    """Right answers per run and context."""
    accuracies = draw(generator, mean, runs, CONTEXTS)
    if name == "lost in the middle":
        third = QUESTIONS // 3
        high, low = np.clip(accuracies + 0.25 / 3, 0, 1), np.clip(accuracies - 0.5 / 3, 0, 1)
        found = generator.binomial(QUESTIONS - third, high) + generator.binomial(third, low)
    else:
        found = generator.binomial(QUESTIONS, accuracies)
    return np.asarray(found, dtype=np.float64)


def wrong_shares(name: str, draw: Draw, runs: int, seed: int) -> Iterator[tuple[str, list[float], float]]:
    """Per kind of error: its share at one length after some contexts, and anywhere among six lengths."""
    generator = np.random.default_rng(seed)
    standard = Standard(unit="context" if name == BY_CONTEXT else "question")
    for mean, wrong in ((BAR, "fails"), (BAR - 0.001, "holds")):
        first = np.full((runs, len(LENGTHS)), CONTEXTS + 1)
        for length in range(len(LENGTHS)):
            for run, own in enumerate(counts(name, draw, mean, runs, generator)):
                found = evidence([panel(float(count), QUESTIONS) for count in own], standard)
                # The truth is the mean over the contexts that were asked: under drift that is not the mean of all.
                truth = _mean_until(name, mean, found.decided_after)
                if found.verdict == wrong and (truth < BAR) == (wrong == "holds"):
                    first[run, length] = found.decided_after
        after = [float((first[:, 0] <= contexts).mean()) for contexts in (3, 5, 10, 29, CONTEXTS)]
        yield wrong, after, float((first <= CONTEXTS).any(axis=1).mean())


def _mean_until(name: str, mean: float, contexts: int) -> float:
    drift = name == "drift during the run" and contexts
    return mean + float(np.linspace(0.05, -0.05, CONTEXTS)[:contexts].mean()) if drift else mean


def models() -> Iterator[tuple[str, list[float]]]:
    size = len(LENGTHS)
    for edge in range(size + 1):
        yield "clear", [0.97 if i < edge else 0.6 for i in range(size)]
    for level in (1.0, 0.99, 0.97, 0.95, 0.8, 0.0):
        yield "clear", [level] * size
    for edge in range(size + 1):
        yield "near", [float(np.clip(0.97 - 0.1 * max(0, i - edge + 1), 0.05, 0.97)) for i in range(size)]
    yield "near", [0.92] * size
    yield "cliff", [0.97 if length < 45_000 else 0.6 for length in LENGTHS]
    yield "flat at 85 %", [BAR] * size
    yield "flat at 84.9 %", [BAR - 0.001] * size


class Measured(NamedTuple):
    tokens: float
    gap: int
    """Rungs from the longest that holds to the shortest that fails."""
    wrong: bool
    """Whether any length has a verdict that is not true."""


def measured(skill: list[float], draw: Draw, generator: np.random.Generator) -> Measured:
    """One measurement."""
    rungs = [Rung(float(length), length + QUESTIONS * PER_QUESTION, 10_000, (QUESTIONS,)) for length in LENGTHS]
    ladder, spent = Ladder(rungs, Standard()), 0.0
    while (rung := ladder.next_rung(MOST - spent)) is not None:
        spent += rungs[rung].cost
        accuracy = draw(generator, skill[rung], 1, 1)[0, 0]
        ladder.add(rung, panel(float(generator.binomial(QUESTIONS, accuracy)), QUESTIONS))
    below = next((rung for rung, mean in enumerate(skill) if mean < BAR), len(skill))
    wrong = ladder.holds_to >= below or ladder.fails_at < below
    return Measured(spent, ladder.fails_at - ladder.holds_to, wrong)


def contexts_taken(mean: float, draw: Draw, runs: int, questions: int) -> list[int]:
    """Contexts after which one length is decided, 61 for more than 60; sorted."""
    generator = np.random.default_rng(11)
    found = []
    for own in generator.binomial(questions, draw(generator, mean, runs, CONTEXTS)):
        shown = evidence([panel(float(count), questions) for count in own])
        found.append(shown.decided_after or CONTEXTS + 1)
    return sorted(found)


def print_errors(runs: int) -> None:
    print(f"wrong verdicts at the bar, {runs} runs per world, 30 questions per context, looked at after each")
    print("| world | verdict | 3 contexts | 5 | 10 | 29 | 60 | at any of 6 lengths |\n| --- | --- | " + "--- | " * 6)
    for number, (name, (draw, promised)) in enumerate(WORLDS.items()):
        for wrong, after, anywhere in wrong_shares(name, draw, runs, number):
            cells = " | ".join(f"{100 * share:.1f} %" for share in (*after, anywhere))
            print(f"| {name}{'' if promised else ' (not promised)'} | {wrong} | {cells} |", flush=True)


def print_costs(runs: int) -> None:
    print("\nin the real order, at most 2 M prefill tokens")
    print("| models | correlation | runs | wrong anywhere | median tokens | settled | within four-fold |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for correlation, draw in ((0.0, independent), (0.04, correlated(0.04))):
        for group in dict.fromkeys(kind for kind, _ in models()):
            generator = np.random.default_rng(7)
            skills = [skill for kind, skill in models() if kind == group]
            each = -(-(runs if group == "cliff" else runs // 10) // len(skills))
            found = [measured(skill, draw, generator) for skill in skills for _ in range(each)]
            tokens, gaps, wrong = (np.array(each, dtype=np.float64) for each in zip(*found, strict=True))
            shares = f"{(gaps <= 1).mean():.1%} | {(gaps <= 2).mean():.1%}"
            told = f"{len(found)} | {wrong.mean():.1%} | {np.median(tokens) / 1e6:.2f} M"
            print(f"| {group} | {correlation} | {told} | {shares} |", flush=True)


def print_contexts(runs: int) -> None:
    print("\ncontexts until one length is decided, correlation 0.04: median, and what 95 % of runs need")
    print("| right | 30 questions | 10 questions | 1 question |\n| --- | --- | --- | --- |")
    for mean in (1.0, 0.97, 0.95, 0.92, 0.8, 0.7, 0.0):
        cells = []
        for questions in (30, 10, 1):
            found = contexts_taken(mean, correlated(0.04), runs, questions)
            ends = (found[len(found) // 2], found[int(0.95 * len(found))])
            cells.append(", ".join(str(end) if end <= CONTEXTS else f"over {CONTEXTS}" for end in ends))
        print(f"| {mean:.0%} | {' | '.join(cells)} |", flush=True)


def main(runs: int = 2000) -> None:
    print_costs(runs)
    print_contexts(min(runs, 400))
    print_errors(runs)


if __name__ == "__main__":
    main(*(int(each) for each in sys.argv[1:]))
