"""`measure`: which context to ask next, until it is known up to which length a model holds the bar.

The order touches no guarantee: whatever is asked, each length is decided by its own contexts alone (stats/evidence.py).
It starts where the tokens buy most, looks for the edge by doublings, and steps over a length that cannot be settled
with what is left, so that the answer is a bracket."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from longreach.core.bench import Bench
from longreach.core.formatting import count, length_label
from longreach.core.types import AxisValue, Row
from longreach.errors import BadInput
from longreach.families.panels import BenchPanels, PanelUnit
from longreach.stats.evidence import Belief, ContextScore, LengthEvidence, Panel, Prospect, Standard, evidence, worth

__all__ = ["CanShow", "Expected", "Ladder", "Measure", "Rung", "can_show", "expected"]

_MOST = 16
"""Prefill tokens that one model may take, in contexts of the longest length: 2 M for 128k."""


@dataclass(frozen=True)
class Rung:
    """One length."""

    length: float
    cost: float
    """Prefill tokens of one more panel."""
    panels: int
    """In the benchmark: no more can be asked."""
    questions: tuple[int, ...] = (30,)
    """Per context of a panel."""


class Ladder:
    """The lengths of one model, with the panels that were asked so far."""

    def __init__(self, rungs: Sequence[Rung], standard: Standard | None = None) -> None:
        self.rungs = tuple(rungs)
        self.standard = standard or Standard()
        self.panels: list[list[Panel]] = [[] for _ in rungs]
        self._evidence = [evidence((), self.standard)] * len(self.rungs)
        self._beliefs = [Belief(self.standard) for _ in rungs]
        self._prospects: dict[int, Prospect] = {}
        """By rung, until something is added there."""

    def add(self, rung: int, panel: Panel) -> None:
        """The answers over one more context."""
        self.panels[rung].append(panel)
        self._evidence[rung] = evidence(self.panels[rung], self.standard)
        self._beliefs[rung].add(panel)
        self._prospects.pop(rung, None)

    def evidence(self, rung: int) -> LengthEvidence:
        """What the contexts of a length show."""
        return self._evidence[rung]

    @property
    def holds_to(self) -> int:
        """The longest rung up to which it is shown to hold; -1 if none."""
        shown = [place for place in range(len(self.rungs)) if self.evidence(place).verdict == "holds"]
        return max((place for place in shown if place < self.fails_at), default=-1)

    @property
    def fails_at(self) -> int:
        """The shortest rung at which it is shown to fail; the number of rungs if none."""
        shown = (place for place in range(len(self.rungs)) if self.evidence(place).verdict == "fails")
        return min(shown, default=len(self.rungs))

    @property
    def settled(self) -> bool:
        """Whether no rung is left between the two."""
        return self.fails_at - self.holds_to <= 1

    def next_rung(self, left: float = np.inf) -> int | None:
        """The rung whose next context is asked, with `left` tokens to spend; None if everything is settled, or nothing
        more can be asked or paid."""
        low, high = self.holds_to, self.fails_at
        if high - low <= 1:
            return None
        inside = range(low + 1, high)
        edge = self._likeliest_edge(low, high)
        options = []
        holding = next((rung for rung in range(edge, low, -1) if self.price(rung, holds=True) <= left), None)
        failing = next((rung for rung in range(edge + 1, high) if self.price(rung, holds=False) <= left), None)
        options += [(self.price(holding, holds=True), holding)] if holding is not None else []
        options += [(self.price(failing, holds=False), failing)] if failing is not None else []
        if not options:  # nothing can be settled: what is left goes to the rung that is nearest to it
            near = [(min(self.price(rung, holds=True), self.price(rung, holds=False)), rung) for rung in inside]
            options = [(price, rung) for price, rung in near if self.can_ask(rung)]
        _, rung = min(options, default=(0.0, None))
        return rung if rung is not None and self.can_ask(rung) and self.rungs[rung].cost <= left else None

    def price(self, rung: int, *, holds: bool) -> float:
        """Tokens that it probably still takes to show that a rung holds (or fails); infinite where the benchmark has
        too few contexts."""
        needed = self.panels_needed(rung, holds=holds)
        more = self.rungs[rung].panels - len(self.panels[rung])
        return needed * self.rungs[rung].cost if needed <= more else np.inf

    def panels_needed(self, rung: int, *, holds: bool) -> float:
        """Panels that it probably still takes."""
        found = self._prospect(rung)
        return found.to_hold if holds else found.to_fail

    def _prospect(self, rung: int) -> Prospect:
        if rung not in self._prospects:
            self._prospects[rung] = self._beliefs[rung].prospect(self._evidence[rung], self.rungs[rung].questions)
        return self._prospects[rung]

    def can_ask(self, rung: int) -> bool:
        """Whether the benchmark has a panel left there."""
        return len(self.panels[rung]) < self.rungs[rung].panels

    def _likeliest_edge(self, low: int, high: int) -> int:
        """The rung after which accuracy most likely falls below the bar, among `low` to `high - 1`."""
        inside = range(low + 1, high)
        above = [self._prospect(rung).above for rung in inside]
        scores = [
            math.prod(above[:edge]) * math.prod(1 - each for each in above[edge:]) for edge in range(len(above) + 1)
        ]
        return low + scores.index(max(scores))


@dataclass(frozen=True)
class _Step:
    """The panels of one experiment, and its ladder."""

    ladder: Ladder
    panels: tuple[tuple[PanelUnit, ...], ...]
    """By rung."""


class Measure:
    """What to ask next of one model over one benchmark: a function of the answers alone."""

    def __init__(self, bench: Bench, *, most: float | None = None, all_lengths: bool = False) -> None:
        """`all_lengths`: the longest length first, and some contexts at every other one unless the longest holds."""
        self.bench = bench
        self._all_lengths = all_lengths
        self.panels = BenchPanels(bench)
        if not self.panels.by_length:
            raise BadInput(f"{bench.folder}: this {bench.info.family} benchmark has no lengths; leave out --search")
        self._costs = {
            unit: self.panels.tokens(unit)
            for lengths in self.panels.by_length.values()
            for own in lengths.values()
            for unit in own
        }
        self.all_tokens = sum(self._costs.values())
        longest = [
            max(map(self._costs.__getitem__, lengths[max(lengths)])) for lengths in self.panels.by_length.values()
        ]
        self.most = min(_MOST * sum(longest), self.all_tokens) if most is None else most
        self._rows: list[Row] = []
        self._left: Collection[str] = set(bench.items)

    def read(self, rows: Iterable[Row], left: Collection[str]) -> None:
        """Take in all answers so far; `left` are the items that can still be asked."""
        self._rows, self._left = list(rows), left

    @property
    def begun(self) -> list[PanelUnit]:
        """The panels of which something was asked."""
        return [unit for unit in self._costs if any(item not in self._left for item in unit.items)]

    @property
    def tokens(self) -> int:
        """Prefill tokens of those."""
        return sum(self._costs[unit] for unit in self.begun)

    @property
    def least(self) -> int:
        """Prefill tokens of the fewest contexts that can show anything at the longest length."""
        return min(
            math.ceil(step.ladder.rungs[-1].cost * step.ladder.standard.least / len(step.ladder.rungs[-1].questions))
            for step in self._steps()
        )

    def next_items(self) -> list[str]:
        """The items to ask next, answered ones included; empty once nothing more is open, or worth its tokens."""
        spent = self.tokens
        for step in self._steps():
            rung = self._next_rung(step.ladder, self.most - spent)
            if rung is None:
                continue
            asked = sum(len(each) for each in step.ladder.panels[rung])
            chosen: list[PanelUnit] = []
            for unit in step.panels[rung]:
                if set(unit.items) & set(self._left):
                    chosen.append(unit)
                    asked += len(unit.contexts)
                if chosen and asked >= step.ladder.standard.least:  # before that nothing can be decided
                    break
            if chosen:
                return [item for unit in chosen for item in unit.items]
        return []

    def _next_rung(self, ladder: Ladder, left: float) -> int | None:
        last = len(ladder.rungs) - 1
        few = [
            rung
            for rung in range(last, -1, -1)
            if ladder.evidence(rung).contexts < ladder.standard.least and ladder.can_ask(rung)
        ]
        if self._all_lengths and last in few:
            return last
        found = ladder.next_rung(left)
        if found is None and self._all_lengths and ladder.holds_to < last:
            return next(iter(few), None)
        return found

    def _steps(self) -> list[_Step]:
        scores = self.panels.scores(self._rows)
        return [self._step(experiment, scores.get(experiment, {})) for experiment in self.panels.by_length]

    def _step(self, experiment: tuple[AxisValue, ...], scores: dict[int, list[Panel]]) -> _Step:
        lengths = self.panels.by_length[experiment]
        rungs = []
        for length, units in lengths.items():
            open_ = sum(1 for unit in units if set(unit.items) & set(self._left))
            mean = sum(self._costs[unit] for unit in units) / len(units)
            questions = tuple(context.questions for context in units[0].contexts)
            rungs.append(Rung(length, mean, len(scores.get(length, ())) + open_, questions))
        bar = max(self.panels.bar(experiment, length) for length in lengths)
        ladder = Ladder(rungs, Standard(bar=bar))
        for place, length in enumerate(lengths):
            for answered in scores.get(length, ()):
                ladder.add(place, answered)
        return _Step(ladder=ladder, panels=tuple(lengths.values()))

    def expected(self) -> Expected:
        """What it probably takes, for models that are right in 97 % up to some length and in 60 % beyond."""
        return expected([step.ladder for step in self._steps()], self.most - self.tokens)


@dataclass(frozen=True)
class Expected:
    """What a measurement takes, in prefill tokens."""

    median: float
    most: float


def expected(ladders: Sequence[Ladder], most: float, *, seed: int = 1) -> Expected:
    """From models that are right in 97 % up to an edge, at each length, and in 60 % beyond."""
    generator = np.random.default_rng(seed)
    totals = []
    for edge in range(1 + max(len(ladder.rungs) for ladder in ladders)):
        for _ in range(3):
            totals.append(sum(_simulated(ladder, edge, most, generator) for ladder in ladders))
    return Expected(median=float(np.median(totals)), most=min(most, max(totals)))


def _simulated(ladder: Ladder, edge: int, most: float, generator: np.random.Generator) -> float:
    """Tokens of one simulated measurement, after what was asked already."""
    own = Ladder(ladder.rungs, ladder.standard)
    for rung, answered in enumerate(ladder.panels):
        for each in answered:
            own.add(rung, each)
    spent = 0.0
    while (place := own.next_rung(most - spent)) is not None:
        spent += own.rungs[place].cost
        right = [generator.binomial(asked, 0.97 if place < edge else 0.6) for asked in own.rungs[place].questions]
        scores = (ContextScore(k, k, asked) for k, asked in zip(right, own.rungs[place].questions, strict=True))
        own.add(place, tuple(scores))
    return spent


_RUNS = 100
_FAR = 120
"""Contexts up to which it is simulated how many are needed."""
_LEVELS = (0.97, 0.92, 0.7)


@dataclass(frozen=True)
class CanShow:
    """What all contexts of one length can show about models of known skill."""

    experiment: str
    """'sort', where a benchmark has several."""
    length: float
    contexts: int
    perfect: int
    """Contexts after which a model that is always right holds; 0 if there are too few."""
    perfect_needs: int
    """Contexts that this takes, however many there are."""
    decided: tuple[float, ...]
    """Of models right in 97, 92 and 70 %: the share of runs with the right verdict."""
    needed: int
    """Contexts after which 9 of 10 runs show that a model holds which is right in 97 %; 0 if they are over 120."""

    def line(self, flag: str = "") -> str:
        """One line; `flag` adds contexts."""
        where = f"{self.experiment}, {length_label(self.length)}" if self.experiment else length_label(self.length)
        has = f"{where}, {count(self.contexts, 'context')}"
        more = f": more {flag}" if flag else ""
        if not self.perfect:
            return f"{has}: no model holds, even if always right; {self.perfect_needs} contexts show one that is{more}"
        high, middle, low = (f"{100 * share:.0f} of 100" for share in self.decided)
        text = (
            f"{has}: a model holds after {self.perfect} if always right; in {high} runs if right in 97 %, "
            f"in {middle} if in 92 %; right in 70 %, it fails in {low}"
        )
        if self.decided[0] >= 0.9:
            return text
        needs = f"{self.needed} contexts show" if self.needed else f"more than {_FAR} contexts would show"
        return f"{text}; {needs} 97 % in 9 of 10 runs{more}"


def can_show(bench: Bench) -> list[CanShow]:
    """For each experiment of a benchmark, the length at which least can be shown; empty without lengths."""
    panels, found = BenchPanels(bench), []
    for experiment, lengths in panels.by_length.items():
        made = []
        for length, units in lengths.items():
            standard = Standard(bar=panels.bar(experiment, length))
            sizes = [tuple(context.questions for context in unit.contexts) for unit in units]
            name = ", ".join(str(value) for value in experiment if value != "") if len(panels.by_length) > 1 else ""
            made.append((sum(worth(asked, standard) for own in sizes for asked in own), name, length, sizes, standard))
        _, name, length, sizes, standard = min(made, key=lambda each: each[0])
        found.append(_can_show(name, length, sizes, standard))
    return found


def _can_show(experiment: str, length: float, sizes: Sequence[tuple[int, ...]], standard: Standard) -> CanShow:
    """Simulated, with the correlation over one context that verdicts assume."""
    contexts = [asked for own in sizes for asked in own]
    far = [*sizes, *([sizes[0]] * -(-(_FAR - len(contexts)) // len(sizes[0])))] if len(contexts) < _FAR else [*sizes]
    generator = np.random.default_rng(1)

    def after(level: float, own: Sequence[tuple[int, ...]]) -> LengthEvidence:
        more = 1 / max(standard.correlation, 1e-6) - 1
        drawn = []
        for panel_sizes in own:
            reads = [level if level == 1 else generator.beta(level * more, (1 - level) * more) for _ in panel_sizes]
            right = [int(generator.binomial(asked, read)) for asked, read in zip(panel_sizes, reads, strict=True)]
            drawn.append(tuple(ContextScore(k, k, asked) for k, asked in zip(right, panel_sizes, strict=True)))
        return evidence(drawn, standard)

    def contexts_of(decided_after: int) -> int:
        return sum(len(own) for own in far[:decided_after])

    bar, full = standard.bar, after(1.0, far)
    enough = contexts_of(full.decided_after) if full.decided_after else 0
    shares = []
    for level in _LEVELS:
        wanted = "holds" if level >= bar else "fails"
        shares.append(sum(after(level, sizes).verdict == wanted for _ in range(_RUNS)) / _RUNS)
    needed = 0
    if shares[0] < 0.9:
        each = [after(_LEVELS[0], far) for _ in range(_RUNS)]
        taken = sorted(contexts_of(one.decided_after) if one.verdict == "holds" else _FAR + 1 for one in each)
        needed = taken[int(0.9 * _RUNS)] if taken[int(0.9 * _RUNS)] <= _FAR else 0
    return CanShow(
        experiment=experiment,
        length=length,
        contexts=len(contexts),
        perfect=enough if 0 < enough <= len(contexts) else 0,
        perfect_needs=enough,
        decided=tuple(shares),
        needed=needed,
    )
