"""Search against the full grid of the same benchmark: how often it gives the same answer, and at what share of the
tokens.

`python benchmarks/bench_search.py [RUNS] [FAMILY]` simulates models of seven kinds with drawn parameters (decline,
cliff, lost in the middle, unequal difficulty, non-monotone, at chance, flawless) on a needles and a grounded benchmark,
at the level of scores. Per kind it prints how often the answer of the search is that of the full grid or inside its
interval, how often the interval and the accuracy band of the search cover the truth, and the share of the full grid's
tokens: input, and prefill on a server whose cache serves the full grid in its best order but a search only within one
context.

`python benchmarks/bench_search.py FOLDER` replays the search over the answers of a full run in a folder."""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from longreach.api import build
from longreach.core.runs import kept_bench
from longreach.planning.search.choice import Search, Standing
from longreach.planning.search.grid import Aim, SearchGrid
from longreach.results.grading import key_rows
from longreach.runner.logs import collect_calls
from longreach.stats.headline import THRESHOLD, effective_length
from longreach.stats.intervals import Floats

LENGTHS = "1k,1400,2k,2800,4k,5600,8k,11k,16k,22k,32k,45k,64k,90k,128k"
BENCHES: dict[str, dict[str, Any]] = {
    "needles": {"lengths": LENGTHS, "depths": "10..100/10", "seed": 3},
    "grounded": {"lengths": "8k..128k/8k", "depths": "5..95/5", "seed": 3},
}
SMALLEST, LONGEST = 1000.0, 128_000.0
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(40)

Skill = Callable[[Floats, Floats], Floats]
"""Accuracy, corrected for chance, by length and depth (between 0 and 1)."""


@dataclass(frozen=True)
class Model:
    """A simulated model: log odds around its skill vary by question and by context."""

    skill: Skill
    questions: float = 0.4
    contexts: float = 0.3

    def truth(self, length: Floats, depth: Floats) -> Floats:
        """Its mean over all questions and contexts of a kind."""
        odds = _NODES * np.hypot(self.questions, self.contexts)
        return np.asarray(self._spread(self.skill(length, depth)[:, None], odds) @ (_WEIGHTS / _WEIGHTS.sum()))

    def right(self, grid: SearchGrid, length: Floats, depth: Floats, rng: np.random.Generator) -> Floats:
        """The chance of a right answer per row, corrected for guessing."""
        shift = self.questions * rng.normal(size=grid.sample.question.max() + 1)[grid.sample.question]
        shift += self.contexts * rng.normal(size=grid.sample.context.max() + 1)[grid.sample.context]
        return self._spread(self.skill(length, depth), shift)

    @staticmethod
    def _spread(skill: Floats, shift: Floats) -> Floats:
        sure = (skill <= 0) | (skill >= 1)
        odds = np.log(np.clip(skill, 1e-9, 1) / np.clip(1 - skill, 1e-9, 1))
        return np.asarray(np.where(sure, skill, 1 / (1 + np.exp(-(odds + shift)))))


def decline(rng: np.random.Generator) -> Model:
    start, to = rng.uniform(0.93, 1.0), rng.uniform(0.0, 0.6)
    return Model(_declining(start, to, _between(rng, SMALLEST, 2 * LONGEST), rng.uniform(0.8, 4)))


def cliff(rng: np.random.Generator) -> Model:
    at, skill = _between(rng, SMALLEST / 2, 2 * LONGEST), rng.uniform(0.93, 1.0)
    return Model(lambda length, _: np.where(length <= at, skill, 0.02))


def middle(rng: np.random.Generator) -> Model:
    """Loses the middle, more of it the longer the context."""
    whole = _declining(1.0, rng.uniform(0.0, 0.5), _between(rng, SMALLEST, 2 * LONGEST), rng.uniform(0.5, 2))
    skill, width = rng.uniform(0.95, 1.0), rng.uniform(0.15, 0.3)

    def of(length: Floats, depth: Floats) -> Floats:
        lost = (1 - whole(length, depth)) * np.exp(-(((depth - 0.5) / width) ** 2))
        return np.asarray(skill * (1 - lost))

    return Model(of)


def difficulty(rng: np.random.Generator) -> Model:
    """Questions of very unequal difficulty, with or without a decline."""
    model = decline(rng) if rng.random() < 0.7 else flawless(rng)
    return Model(model.skill, questions=rng.uniform(1.0, 2.0), contexts=rng.uniform(0.3, 0.7))


def non_monotone(rng: np.random.Generator) -> Model:
    """Weak over a range of lengths in between, and good again beyond."""
    low = _between(rng, 1.5 * SMALLEST, LONGEST / 4)
    wide, lost = rng.uniform(1.6, 4), rng.uniform(0.1, 0.65)
    return Model(lambda length, _: np.where((length > low) & (length <= wide * low), lost, 0.98))


def at_chance(rng: np.random.Generator) -> Model:
    level = rng.uniform(0.0, 0.05)
    return Model(lambda length, _: np.full_like(length, level))


def flawless(rng: np.random.Generator) -> Model:
    level = rng.uniform(0.97, 1.0)
    return Model(lambda length, _: np.full_like(length, level))


KINDS = {
    "decline": decline,
    "cliff": cliff,
    "lost in the middle": middle,
    "unequal difficulty": difficulty,
    "non-monotone": non_monotone,
    "at chance": at_chance,
    "flawless": flawless,
}


def _declining(start: float, to: float, at: float, slope: float) -> Skill:
    return lambda length, _: start + (to - start) / (1 + np.exp(-slope * np.log2(length / at)))


def _between(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high))))


@dataclass
class Tally:
    """The runs of one kind."""

    agree: list[bool] = field(default_factory=list)
    same: list[bool] = field(default_factory=list)
    covers: list[bool] = field(default_factory=list)
    band: list[bool] = field(default_factory=list)
    """One per length."""
    tokens: list[float] = field(default_factory=list)
    prefill: list[float] = field(default_factory=list)
    rounds: list[int] = field(default_factory=list)
    known: list[bool] = field(default_factory=list)
    flagged: list[bool] = field(default_factory=list)

    def line(self) -> str:
        counted = (self.agree, self.same, self.covers, self.band, self.known, self.flagged)
        shares = [100 * float(np.mean(each)) for each in counted]
        used = [
            f"{np.median(each):7.1f} {each.mean():5.1f} {each.max():5.1f}"
            for each in (100 * np.array(self.tokens), 100 * np.array(self.prefill))
        ]
        return (
            f"{len(self.tokens):5}"
            + "".join(f"{each:9.1f}" for each in shares)
            + "".join(used)
            + (f"{np.mean(self.rounds):7.1f}")
        )

    def add(self, other: Tally) -> None:
        for name in self.__dataclass_fields__:
            getattr(self, name).extend(getattr(other, name))

    def holds(self) -> bool:
        """Whether the targets are met."""
        tokens = np.array(self.tokens)
        return bool(
            np.mean(self.agree) >= 0.95
            and np.mean(self.covers) >= 0.93
            and np.median(tokens) <= 0.15
            and tokens.mean() <= 0.3
            and tokens.max() <= CAP
        )


CAP = 0.55
"""Half of the grid's tokens, and the round that passes it."""
HEAD = (
    f"{'':20} {'runs':>4} {'agrees':>8} {'same':>8} {'covers':>8} {'band':>8} {'known':>8} {'non-mon.':>8}"
    "  tokens: median, mean, most  prefill: the same  rounds"
)


def run(grid: SearchGrid, model: Model, rng: np.random.Generator, tally: Tally) -> None:
    length = np.array([float(row.cell["length"]) for row in grid.rows])
    depth = np.array([float(row.cell.get("depth", 50)) for row in grid.rows]) / 100
    chance = np.zeros(len(length))
    for aim in grid.aims:
        chance[aim.places] = aim.chance
    right = chance + (1 - chance) * model.right(grid, length, depth, rng)
    scores = (rng.random(len(length)) < right).astype(float)
    truth = model.truth(length, depth)
    search = Search(grid)
    values, asked, rounds = np.full(len(length), np.nan), set[int](), 0
    while batch := search.choose(values, asked):
        rounds += 1
        asked |= set(batch)
        for unit in batch:
            values[grid.units[unit].places] = scores[grid.units[unit].places]
    for standing in search.standings(values):
        low, high = (standing.length(end) for end in standing.curve.interval)
        found, full = standing.length(standing.curve.answer), _full(grid, standing.aim, scores)
        true = _true(standing.aim, truth)
        tally.agree.append(full.low <= found <= full.high)
        tally.same.append(found == full.length)
        tally.covers.append(low <= true <= high)
        tally.band.extend(_band(standing, truth))
        tally.known.append(standing.known)
        tally.flagged.append(standing.curve.rises > 0.5)
    tally.tokens.append(sum(grid.units[unit].tokens for unit in asked) / grid.input_tokens)
    tally.prefill.append(sum(grid.units[unit].cost for unit in asked) / grid.prefill_tokens)
    tally.rounds.append(rounds)


def _band(standing: Standing, truth: Floats) -> list[bool]:
    """Per length, whether the band of the delivered accuracy holds the truth."""
    aim = standing.aim
    low, _, high = standing.curve.accuracy()
    means = np.array([truth[aim.places[aim.length == place]].mean() for place in range(len(aim.lengths))])
    true = aim.chance + (1 - aim.chance) * means
    half = np.diff(standing.curve.chain.levels).max() / 2  # levels are a grid
    return [bool(each) for each in (low - half <= true) & (true <= high + half)]


def _full(grid: SearchGrid, aim: Aim, scores: Floats) -> Any:
    whole = grid.sample.with_values(scores)
    by = {size: whole.at(aim.places[aim.length == place]) for place, size in enumerate(aim.lengths)}
    return effective_length(by, chance=aim.chance)


def _true(aim: Aim, truth: Floats) -> float:
    means = [truth[aim.places[aim.length == place]].mean() for place in range(len(aim.lengths))]
    held = next((place for place, mean in enumerate(means) if mean < THRESHOLD), len(means))
    return (0.0, *aim.lengths)[held]


def simulated(name: str, folder: Path, runs: int) -> bool:
    grid = SearchGrid(build(name, folder / name, warn=lambda _: None, **BENCHES[name]))
    lengths = grid.aims[0].lengths
    print(
        f"{name}: {len(grid.units)} contexts at {len(lengths)} lengths up to {lengths[-1]:,.0f}, "
        f"{len(grid.aims)} question types, {grid.input_tokens:,} tokens; all numbers in percent"
    )
    print(HEAD)
    whole = Tally()
    started = time.perf_counter()
    for kind, make in KINDS.items():
        tally = Tally()
        for number in range(-(-runs // len(KINDS))):
            rng = np.random.default_rng([number, list(KINDS).index(kind)])
            run(grid, make(rng), rng, tally)
        print(f"{kind:20} {tally.line()}", flush=True)
        whole.add(tally)
    print(f"{'all':20} {whole.line()}   {time.perf_counter() - started:.0f} s")
    print("all targets are met" if whole.holds() else "NOT all targets are met", "\n")
    return whole.holds()


def replayed(runs: Path) -> None:
    """A search over the answers of a full run in a folder: what it would ask, and what it would report."""
    calls = collect_calls(runs)
    for model, digest in dict.fromkeys((call.model, call.bench) for call in calls):
        bench = kept_bench(runs, digest)
        grid = SearchGrid(bench)
        own = [call for call in calls if (call.model, call.bench) == (model, digest)]
        scores = grid.values(key_rows(bench, own))
        values, asked, rounds = np.full(len(scores), np.nan), set[int](), 0
        search = Search(grid)
        while batch := search.choose(values, asked):
            rounds, asked = rounds + 1, asked | set(batch)
            for unit in batch:
                values[grid.units[unit].places] = scores[grid.units[unit].places]
        tokens = sum(grid.units[unit].tokens for unit in asked)
        print(
            f"{model}, {bench.info.family} {digest[:8]}: {len(asked)} of {len(grid.units)} contexts in {rounds} rounds,"
        )
        print(f"  {100 * tokens / grid.input_tokens:.1f} % of {grid.input_tokens:,} tokens")
        for standing in search.standings(values):
            full = _full(grid, standing.aim, scores)
            low, high = (standing.length(end) for end in standing.curve.interval)
            found = standing.length(standing.curve.answer)
            agrees = "agrees" if full.low <= found <= full.high else "DIFFERS"
            print(
                f"  {standing.aim.label}: search {found:,.0f} ({low:,.0f} to {high:,.0f}), "
                f"full grid {full.length:,.0f} ({full.low:,.0f} to {full.high:,.0f}): {agrees}"
            )


def main() -> None:
    given = sys.argv[1:]
    folders = [Path(each) for each in given if Path(each).is_dir()]
    for folder in folders:
        replayed(folder)
    if folders:
        return
    runs = next((int(each) for each in given if each.isdigit()), 210)
    names = [each for each in given if each in BENCHES] or list(BENCHES)
    with tempfile.TemporaryDirectory() as place:
        met = [simulated(name, Path(place), runs) for name in names]
    sys.exit(not all(met))


if __name__ == "__main__":
    main()
