"""A search: which contexts to ask next, what is found, and what it will take."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from longreach.core.formatting import format_dollars, format_tokens, length_label, not_shown, percent
from longreach.core.types import EffectiveLength, Frozen
from longreach.stats.headline import THRESHOLD
from longreach.stats.intervals import FEWEST_ANSWERS, Floats, too_few

from .curve import Chain, CurvePosterior, chain_over
from .grid import CONTEXT, Aim, Answers, ContextUnit, SearchGrid

UNTIL = 0.9
"""A search ends when the effective length is known with this probability."""
TOLERANCE = 1.5
"""Known: to this factor in length."""
_BEYOND = 2.0
"""Well beyond: so many times the first length that is not held."""
_LOOK = 4
"""Answers there that show whether accuracy rises again."""
_ROUND = 4
"""Most contexts per round: a round cannot learn from itself."""
_WORTH_JOINING = 0.5
"""A context joins a round if it says at least this much of what the best one says per token."""
_FLOOR = 1.0
"""Nats that the tokens of the whole grid would have to say at the rate of the best context: below, more answers are not
worth their tokens. For a search until 90 %; inversely proportional to the rest."""
_MOST = 0.5
"""A search never sends more than this share of the grid's input tokens: beyond, a full run is the better choice."""
_OVERHEAD = 0.02
"""Asking takes time whatever the length: counted as this share of the longest context's tokens."""


@dataclass(frozen=True)
class Standing:
    """What the answers so far say about one effective length."""

    aim: Aim
    curve: CurvePosterior
    asked: tuple[int, ...]
    """Answers per length."""
    contexts: tuple[int, ...]
    """Contexts per length."""
    worths: tuple[float, ...]
    """Effective answers per length."""
    certainty: float
    """The probability that the answer is right, to the search's tolerance."""
    known: bool

    @property
    def rises(self) -> bool:
        """Whether the answers contradict a curve that only falls."""
        return self.curve.rises > 0.5

    @property
    def untested(self) -> list[int]:
        """Lengths that the result rests on and that have no or too few answers: all up to it, the next one, and one
        well beyond; all lengths if the curve seems to rise again."""
        answer, lengths = self.curve.answer, self.aim.lengths
        needed = dict.fromkeys(range(len(lengths) if self.rises else min(answer + 1, len(lengths))), 1)
        if answer < len(lengths):
            beyond = [place for place, length in enumerate(lengths) if length >= _BEYOND * lengths[answer]]
            needed |= dict.fromkeys(beyond[:1], _LOOK)
        there = np.bincount(self.aim.length)
        return [place for place, answers in needed.items() if self.asked[place] < min(answers, there[place])]

    def too_little(self, place: int) -> str:
        """Why a length shows nothing: too few contexts or effective answers, those of longer lengths that are held
        included, because accuracy is assumed to fall; empty if there are enough."""
        held = slice(place, max(place + 1, self.curve.answer))
        if few := too_few(sum(self.contexts[held])):
            return few
        worth = sum(self.worths[held])
        return "" if worth >= FEWEST_ANSWERS else f"too few: {worth:.0f} effective answers"

    def length(self, place: int) -> float:
        """A frontier as a length; 0 if there is none."""
        return (0.0, *self.aim.lengths)[place]


class Search:
    """The choice of contexts, a function of the answers alone."""

    def __init__(self, grid: SearchGrid, *, until: float = UNTIL, threshold: float = THRESHOLD) -> None:
        self.grid = grid
        self.until = until
        self.threshold = threshold
        seed = str(grid.bench.spec.get("seed", 0))
        self._draws = [hashlib.sha256(f"{seed} {unit.items[0]}".encode()).hexdigest() for unit in grid.units]
        self._depths = [_depth(unit) for unit in grid.units]
        self._floor = _FLOOR * (1 - until) / (1 - UNTIL) / grid.prefill_tokens
        self._batches: dict[frozenset[int], tuple[int, ...]] = {}
        self._overhead = _OVERHEAD * max(unit.cost for unit in grid.units)

    def standings(self, values: Floats) -> list[Standing]:
        """Every effective length, given the scores of a full run's rows (NaN: not asked)."""
        found: dict[int, Standing] = {}
        for lengths in dict.fromkeys(aim.lengths for aim in self.grid.aims):
            numbers = [number for number, aim in enumerate(self.grid.aims) if aim.lengths == lengths]
            found |= zip(numbers, self._standings([self.grid.aims[number] for number in numbers], values), strict=True)
        return [found[number] for number in range(len(found))]

    def choose(self, values: Floats, asked: Collection[int]) -> tuple[int, ...]:
        """The contexts of the next round; none if every effective length is known, more answers are not worth their
        tokens, or the grid is used up."""
        if sum(self.grid.units[number].tokens for number in asked) > _MOST * self.grid.input_tokens:
            return ()
        standings = self.standings(values)
        open_ = [number for number, standing in enumerate(standings) if not standing.known]
        candidates = self._candidates(asked, open_)
        if not candidates:
            return ()
        gains: dict[tuple[int, int, float], float] = {}

        def gain(unit: ContextUnit) -> float:
            total = 0.0
            for number in open_:
                if number in unit.worth:
                    place, worth = unit.worth[number]
                    if (number, place, worth) not in gains:
                        gains[number, place, worth] = standings[number].curve.information(place, worth)
                    total += gains[number, place, worth]
            return total

        rates = {number: gain(self.grid.units[number]) / self._price(number) for number in candidates}
        if max(rates.values()) < self._floor * len(open_) or all(
            standings[number].certainty >= self.until for number in open_
        ):
            # Nothing more to learn at this price: only lengths that a result rests on are still asked, shortest first.
            resting = {(number, place) for number in open_ for place in standings[number].untested}
            rates = {
                number: 1 / self._price(number)
                for number in candidates
                if resting & {(aim, place) for aim, (place, _) in self.grid.units[number].worth.items()}
            }
        order = sorted(rates, key=lambda number: (-rates[number], number))
        taken = order[:1]
        for number in order[1:]:
            apart = all(self._apart(number, other) for other in taken)
            if len(taken) < _ROUND and apart and rates[number] >= _WORTH_JOINING * rates[order[0]]:
                taken.append(number)
        return tuple(taken)

    def why_stopped(self, values: Floats, asked: Collection[int]) -> str:
        """Why nothing more would be asked although an effective length is not known as well as it should be; empty if
        all are known, or if more would be asked."""
        open_ = [number for number, standing in enumerate(self.standings(values)) if not standing.known]
        if not open_ or self.choose(values, asked):
            return ""
        share = sum(self.grid.units[number].tokens for number in asked) / self.grid.input_tokens
        if share > _MOST:
            why = f"a search sends {percent(_MOST)} of the grid's input tokens at most; beyond, a full run is better"
        elif not self._candidates(asked, open_):
            why = "every context of the benchmark is asked; a benchmark with more contexts per length decides it"
        else:
            why = "the contexts left would add too little for their tokens; a higher `until` or a full run asks more"
        return f"not {percent(self.until)} sure everywhere, because {why}"

    def next_round(self, values: Floats, begun: Collection[int], done: Collection[int]) -> tuple[int, ...]:
        """The contexts to ask now, from the answers in a folder alone: `begun` are the contexts with an answer, `done`
        those with all of them.

        The search is replayed from its first round, so that a killed run resumes in the middle of a round as if nothing
        had happened. Answers that it did not ask for (of a full run, or imported) are used as soon as it would have to
        ask."""
        known, asked = np.full(len(values), np.nan), set[int]()
        while batch := self._remembered(known, asked):
            if not set(batch) <= set(done):
                break
            for unit in batch:
                known[self.grid.units[unit].places] = values[self.grid.units[unit].places]
            asked |= set(batch)
        others = set(begun) | set(done)
        if not others - asked - set(batch):
            return batch
        if half := tuple(sorted(set(begun) - set(done))):
            return half
        return self.choose(values, others)

    def _remembered(self, values: Floats, asked: set[int]) -> tuple[int, ...]:
        key = frozenset(asked)
        if key not in self._batches:
            self._batches[key] = self.choose(values, asked)
        return self._batches[key]

    def _standings(self, aims: Sequence[Aim], values: Floats) -> list[Standing]:
        """Those of some aims with the same lengths."""
        chain = chain_over(aims[0].lengths, self.threshold)
        chances = np.array([aim.chance for aim in aims])
        answers = [Answers.of(self.grid.sample, aim, values) for aim in aims]
        shares = np.stack([each.shares for each in answers])
        means = chain.means(shares, np.stack([each.worths(CONTEXT) for each in answers]), chances)
        worths = [each.worths(each.correlation(mean)) for each, mean in zip(answers, means, strict=True)]
        found = []
        curves = chain.posteriors(shares, np.stack(worths), chances)
        for aim, each, own, curve in zip(aims, answers, worths, curves, strict=True):
            certainty = curve.certainty(TOLERANCE)
            contexts = tuple(len(np.unique(each.context[each.length == n])) for n in range(len(aim.lengths)))
            asked, worth_ = tuple(each.counts.tolist()), tuple(own.tolist())
            standing = Standing(aim, curve, asked, contexts, worth_, certainty, known=False)
            found.append(replace(standing, known=certainty >= self.until and not standing.untested))
        return found

    def _price(self, number: int) -> float:
        return self.grid.units[number].cost + self._overhead

    def _apart(self, one: int, other: int) -> bool:
        """Whether two contexts are far enough from each other in length not to say the same."""
        first, second = sorted((self.grid.units[one].size, self.grid.units[other].size))
        return second > TOLERANCE * first

    def _candidates(self, asked: Collection[int], aims: Sequence[int]) -> list[int]:
        """The next context per length and set of aims, so that depths, fact sets and the like stay balanced."""
        units = self.grid.units
        met = Counter(axis for number in asked for axis in units[number].axes)
        here = Counter((units[number].size, axis) for number in asked for axis in units[number].axes)
        depths: dict[float, list[float]] = {}
        for number in asked:
            depths.setdefault(units[number].size, []).append(self._depths[number])
        best: dict[object, tuple[tuple[float, float, str], int]] = {}
        for number, unit in enumerate(units):
            if number in asked or not any(aim in unit.worth for aim in aims):
                continue
            balance = sum(met[axis] + 2 * here[unit.size, axis] for axis in unit.axes)
            near = min((abs(self._depths[number] - other) for other in depths.get(unit.size, ())), default=0.0)
            rank = (balance, -near, self._draws[number])
            key = (unit.size, tuple(unit.worth))
            if key not in best or rank < best[key][0]:
                best[key] = rank, number
        return [number for _, number in best.values()]


def _depth(unit: ContextUnit) -> float:
    """Its depth; 0 if it has none."""
    depth = dict(unit.axes).get("depth")
    return float(depth) if isinstance(depth, int | float) else 0.0


class FoundLength(Frozen):
    """One effective length as far as a search knows it."""

    question_type: str
    label: str
    """With the experiment, if there are several."""
    effective: EffectiveLength
    certainty: float
    """The probability that it is right to a factor of 1.5 in length."""
    known: bool
    """Whether that is enough for the search."""
    non_monotone: bool
    """Whether accuracy seems to rise again at longer lengths."""

    def line(self) -> str:
        """For a terminal."""
        held = self.effective
        shown, high = (length_label(end) if end else "none" for end in (held.length, held.high))
        between = f"95 % CI {shown} to {high}" if shown != high else "95 % CI the same"
        notes = (not_shown(held), held.few, between, f"{percent(self.certainty)} sure to a factor of 1.5")
        text = f"{self.label}: effective length {shown} ({'; '.join(filter(None, notes))})"
        if self.non_monotone:
            text += "; NON-MONOTONE: accuracy rises again at longer lengths"
        return text if self.known else f"{text}; still open"


class SearchResult(Frozen):
    """What a search found, and what it took."""

    found: tuple[FoundLength, ...]
    contexts: int
    """Asked so far."""
    all_contexts: int
    tokens: int
    """Input tokens of the contexts asked so far, by the benchmark's own count."""
    all_tokens: int
    stopped: str = ""
    """Why a search ended before every effective length was known; empty if it did not."""

    @property
    def share(self) -> float:
        """Of the full grid's input tokens."""
        return self.tokens / self.all_tokens

    def lines(self) -> list[str]:
        """For a terminal."""
        asked = f"{self.contexts} of {self.all_contexts} contexts asked"
        return [
            *(found.line() for found in self.found),
            f"{asked}, {percent(self.share)} of the full grid's input tokens",
            *([f"stopped: {self.stopped}"] if self.stopped else []),
        ]


def search_result(search: Search, values: Floats, asked: Collection[int]) -> SearchResult:
    """The result, given the scores of a full run's rows (NaN: not asked) and the contexts asked."""
    units = search.grid.units
    return SearchResult(
        found=tuple(_found(standing, search.threshold) for standing in search.standings(values)),
        contexts=len(asked),
        all_contexts=len(units),
        tokens=sum(units[number].tokens for number in asked),
        all_tokens=search.grid.input_tokens,
        stopped=search.why_stopped(values, asked),
    )


def _found(standing: Standing, threshold: float) -> FoundLength:
    low, high = standing.curve.interval
    shown = next((place for place in range(low, 0, -1) if not standing.too_little(place - 1)), 0)
    few = standing.too_little(shown) if shown < low else ""
    first = standing.curve.accuracy()[1][0] if standing.asked[0] else None
    return FoundLength(
        question_type=standing.aim.question_type,
        label=standing.aim.label,
        effective=EffectiveLength(
            length=standing.length(shown),
            observed=standing.length(max(shown, standing.curve.answer)),
            high=standing.length(high),
            few=few,
            base=None if first is None else float(first),
            share=threshold,
        ),
        certainty=standing.certainty,
        known=standing.known,
        non_monotone=standing.rises,
    )


SIMULATED = 20
"""Simulated models."""
_CONTEXTS = 0.5
"""How much contexts differ, in log odds."""


class Forecast(Frozen):
    """Expected and largest use of a search."""

    simulated: int
    """Simulated models that it is based on."""
    expected_tokens: int
    """Input tokens."""
    largest_tokens: int
    full_tokens: int
    """Of a full run."""
    expected_cost: float | None = None
    """US dollars; None if no price is known."""
    largest_cost: float | None = None
    full_cost: float | None = None

    def line(self) -> str:
        """For a terminal."""
        expected, largest, full = (
            f"{format_tokens(tokens)} tokens" + (f", {format_dollars(cost)}" if cost else "")
            for tokens, cost in (
                (self.expected_tokens, self.expected_cost),
                (self.largest_tokens, self.largest_cost),
                (self.full_tokens, self.full_cost),
            )
        )
        return (
            f"search: expected {expected} ({percent(self.expected_tokens / max(1, self.full_tokens))} of the grid), "
            f"largest {largest}, full grid {full} (input; {self.simulated} simulated models)"
        )


@dataclass(frozen=True)
class SimulatedSearch:
    """One simulated search."""

    units: tuple[int, ...]
    """Contexts to ask."""
    tokens: int


def simulate_searches(
    search: Search, values: Floats, asked: Collection[int], *, count: int = SIMULATED, seed: int = 0
) -> list[SimulatedSearch]:
    """Searches of simulated models, from the answers that there are; each question type has a curve of its own, drawn
    from those that a search thinks possible beforehand."""
    grid, found = search.grid, []
    for number in range(count):
        rng = np.random.default_rng([seed, number])
        scores, known, done = _scores(grid, search.threshold, rng), values.copy(), set(asked)
        while batch := search.choose(known, done):
            for unit in batch:
                known[grid.units[unit].places] = scores[grid.units[unit].places]
            done |= set(batch)
        units = tuple(sorted(done - set(asked)))
        found.append(SimulatedSearch(units, sum(grid.units[unit].tokens for unit in units)))
    return found


def _scores(grid: SearchGrid, threshold: float, rng: np.random.Generator) -> Floats:
    """Right or wrong for every row of a full run, by a model drawn from the curves."""
    right = np.zeros(len(grid.rows))
    shift = _CONTEXTS * rng.normal(size=int(grid.sample.context.max()) + 1)[grid.sample.context]
    for aim in grid.aims:
        level = np.clip(_path(chain_over(aim.lengths, threshold), rng)[aim.length], 1e-6, 1 - 1e-6)
        odds = np.log(level / (1 - level)) + shift[aim.places]
        right[aim.places] = aim.chance + (1 - aim.chance) / (1 + np.exp(-odds))
    return (rng.random(len(right)) < right).astype(np.float64)


def _path(chain: Chain, rng: np.random.Generator) -> Floats:
    """One curve: a level per length."""
    state = int(rng.choice(chain.start.size, p=chain.start.ravel() / chain.start.sum()))
    kind, level = divmod(state, len(chain.levels))
    path = [level]
    for step in chain.steps:
        if kind == 0 and rng.random() >= step.plateau:
            kind, level = 1, _weighted_draw(step.onset[level], rng)
        elif kind == 1:
            level = _weighted_draw(step.fall[level], rng)
        elif kind == 2 and rng.random() >= step.stays:
            level = _weighted_draw(chain.redrawn, rng)
        path.append(level)
    return np.asarray(chain.levels[path])


def _weighted_draw(weights: Floats, rng: np.random.Generator) -> int:
    return int(rng.choice(len(weights), p=weights / weights.sum()))
