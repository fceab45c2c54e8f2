"""How often the gate is right over weeks of nights of known truth: steps that it finds, false alarms, good nights that
it passes, losses that it claims to exclude, and the drop that it says it would see. `-s` prints the table of
docs/validity.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pytest
from tests.cases import cases
from tests.rows import make_row

from longreach.checking.gate import check_gate
from longreach.checking.nights import (
    Calendar,
    ComparedQuestions,
    FreshItems,
    Levels,
    Night,
    PlaceOutcome,
    SameItems,
    judged,
)
from longreach.core.types import Row, Verdict
from longreach.stats.intervals import Floats
from longreach.stats.paired import Items, worst

LENGTHS, CONTEXTS, QUESTIONS = 4, 24, 9
EACH = CONTEXTS * QUESTIONS
GOOD, WEEK = 14, 7
MARGIN = 5.0
BAD = ("worse", "suspicious")
STRATA = np.repeat(np.arange(LENGTHS), EACH)
CONTEXT = np.repeat(np.arange(LENGTHS * CONTEXTS), QUESTIONS)
PLACES = [ComparedQuestions("needles", "", "", "length", n, np.flatnonzero(n == STRATA)) for n in range(LENGTHS)]
Rng = np.random.Generator


@dataclass(frozen=True)
class World:
    """A model on a benchmark of four lengths with 24 contexts of nine questions each."""

    base: float
    repeat: float
    """How much the questions differ, as a share of the most possible: 0, every answer is a coin of its own every night;
    1, every night's answers are the same."""
    night: float = 0.0
    """How much whole nights differ, in log odds."""

    @property
    def name(self) -> str:
        apart = f"{100 * self.disagree:.0f} % of answers differ between two nights"
        return f"{100 * self.base:.0f} % right, {apart}{', whole nights differ' if self.night else ''}"

    @property
    def disagree(self) -> float:
        return 2 * self.base * (1 - self.base) * (1 - self.repeat)

    def items(self, rng: Rng) -> Floats:
        """How likely each item is right."""
        if not self.repeat:
            return np.full(LENGTHS * EACH, self.base)
        size = 1 / self.repeat - 1
        return rng.beta(self.base * size, (1 - self.base) * size, size=LENGTHS * EACH)


def lowered(right: Floats, drop: float) -> Floats:
    """The same at the longest length with so much lost: its items are harder by the same log odds."""
    chosen = STRATA == LENGTHS - 1
    odds = _odds(right)
    low, high = 0.0, 30.0
    for _ in range(50):
        middle = (low + high) / 2
        lost = right[chosen].mean() - _share(odds[chosen] - middle).mean()
        low, high = (middle, high) if lost < drop else (low, middle)
    return np.where(chosen, _share(odds - high), right)


def flipped(right: Floats, drop: float, rng: Rng) -> Floats:
    """The same with some items of the longest length lost for good, and all others as they were."""
    chosen = np.flatnonzero((STRATA == LENGTHS - 1) & (right > 0.5))
    lost = rng.choice(chosen, min(len(chosen), round(drop * EACH)), replace=False)
    return np.where(np.isin(np.arange(len(right)), lost), 0.0, right)


def _odds(right: Floats) -> Floats:
    near = np.clip(right, 1e-6, 1 - 1e-6)
    return np.asarray(np.log(near / (1 - near)))


def _share(odds: Floats) -> Floats:
    return np.asarray(1 / (1 + np.exp(-odds)))


@dataclass(frozen=True)
class Week:
    """What the gate said of seven nights after fourteen good ones."""

    outcomes: tuple[str, ...]
    found: bool
    """Whether the longest length was worse or suspicious on any night."""


def week(world: World, rng: Rng, drop: float = 0.0, *, flips: bool = False) -> Week:
    """Fourteen good nights, of which the first seven are the pinned reference, then seven with a step, each judged by
    what the gate knew then."""
    right = world.items(rng)
    after = (flipped(right, drop, rng) if flips else lowered(right, drop)) if drop else right
    scores = np.zeros((GOOD + WEEK, len(right)))
    for night in range(GOOD + WEEK):
        now = after if night >= GOOD else right
        now = _share(_odds(now) + rng.normal(0, world.night)) if world.night else now
        scores[night] = rng.random(len(now)) < now
    good, said, found = [True] * GOOD, list[str](), False
    for night in range(GOOD, GOOD + WEEK):
        apart = frozenset(GOOD + n for n, outcome in enumerate(said) if outcome in ("worse", "better"))
        calendar = Calendar((*good, True), tuple(range(WEEK)), apart)
        source = SameItems(Items(scores[: night + 1], CONTEXT, STRATA), calendar)
        outcomes = judged(source, PLACES, calendar, Levels.of(PLACES, 6), MARGIN / 100)
        said.append(worst([each.outcome for each in outcomes]))
        found |= any(each.outcome in BAD and each.length == LENGTHS - 1 for each in outcomes)
        good.append(said[-1] not in (*BAD, "better"))
    return Week(tuple(said), found)


def weeks(world: World, number: int, seed: int, drop: float = 0.0, *, flips: bool = False) -> list[Week]:
    rng = np.random.default_rng(seed)
    return [week(world, rng, drop, flips=flips) for _ in range(number)]


def alarms(found: Sequence[Week]) -> float:
    return sum(any(each in BAD for each in one.outcomes) for one in found) / len(found)


def passed(found: Sequence[Week]) -> float:
    said = [each for one in found for each in one.outcomes]
    return sum(each in ("passed", "better") for each in said) / len(said)


def steps(found: Sequence[Week]) -> float:
    return sum(one.found for one in found) / len(found)


REPEATABLE = [World(0.85, 0.8), World(0.95, 0.5), World(0.97, 0.2)]
"""Servers whose answers differ in few questions from night to night, as at temperature 0."""
COINS = [World(0.85, 0.0), World(0.85, 0.5), World(0.97, 0.0)]
"""Servers that draw many answers anew every night."""


def test_a_few_weeks_of_a_repeatable_server() -> None:
    """The quick version of the two that follow."""
    number = cases(12, 12)
    good, bad = weeks(REPEATABLE[0], number, 31), weeks(REPEATABLE[0], number, 32, 0.05)
    assert alarms(good) <= 2 / number
    assert passed(good) >= 0.8
    assert steps(bad) >= 0.9


@pytest.mark.long
@pytest.mark.parametrize("world", REPEATABLE, ids=lambda world: world.name)
def test_weeks_of_a_repeatable_server(world: World) -> None:
    """A step of 5 points at one length is found in 9 of 10 weeks, whether many items are a little harder or some are
    lost for good; an alarm comes in at most 1 of 20 weeks without one, and 9 of 10 good nights are passed."""
    number = 200
    good = weeks(world, number, 1)
    harder, lost = weeks(world, number, 2, 0.05), weeks(world, number, 3, 0.05, flips=True)
    row = [alarms(good), passed(good), steps(harder), steps(lost)]
    print(f"| {world.name} | {' | '.join(f'{100 * each:.1f} %' for each in row)} |")
    assert alarms(good) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / number)
    assert passed(good) >= 0.9
    assert min(steps(harder), steps(lost)) >= 0.9


@pytest.mark.long
@pytest.mark.parametrize("world", COINS, ids=lambda world: world.name)
def test_weeks_of_a_server_that_draws_answers_anew(world: World) -> None:
    """The same alarms and nearly the same steps; but one night cannot exclude 5 points, and stays open."""
    number = 200
    good = weeks(world, number, 4)
    harder, lost = weeks(world, number, 5, 0.05), weeks(world, number, 6, 0.05, flips=True)
    row = [alarms(good), passed(good), steps(harder), steps(lost)]
    print(f"| {world.name} | {' | '.join(f'{100 * each:.1f} %' for each in row)} |")
    assert alarms(good) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / number)
    assert steps(harder) >= 0.75
    assert steps(lost) >= 0.5


@pytest.mark.long
@pytest.mark.parametrize("world", [World(0.9, 0.5, night=0.2), World(0.85, 0.0, night=0.5)], ids=lambda w: w.name)
def test_whole_nights_that_differ_raise_few_alarms(world: World) -> None:
    """Not promised, and reported: nights that are better or worse as a whole."""
    good = weeks(world, 200, 7)
    print(f"| {world.name} | {100 * alarms(good):.1f} % | {100 * passed(good):.1f} % | | |")
    assert alarms(good) <= 0.2


def _once(scores: Floats, nights: int = 8) -> PlaceOutcome:
    """The last of some nights at the longest length."""
    calendar = Calendar((True,) * nights)
    source = SameItems(Items(scores, CONTEXT, STRATA), calendar)
    (found,) = judged(source, PLACES[-1:], calendar, Levels.of(PLACES, 6), MARGIN / 100)
    return found


@pytest.mark.long
@pytest.mark.parametrize("world", [REPEATABLE[0], COINS[0]], ids=lambda world: world.name)
def test_a_loss_as_large_as_the_margin_is_seldom_passed(world: World) -> None:
    rng = np.random.default_rng(8)
    number, claimed = 400, 0
    for _ in range(number):
        right = world.items(rng)
        lost = lowered(right, MARGIN / 100)
        scores = np.array([rng.random(len(right)) < right for _ in range(7)] + [rng.random(len(right)) < lost])
        claimed += _once(scores.astype(float)).nightly.outcome == "passed"
    assert claimed <= number * (0.025 + 2 * np.sqrt(0.025 / number))


@pytest.mark.long
@pytest.mark.parametrize("world", [REPEATABLE[0], COINS[0]], ids=lambda world: world.name)
def test_the_drop_that_is_seen_in_80_of_100_nights_is_and_half_of_it_is_not(world: World) -> None:
    rng = np.random.default_rng(9)
    number, seen, less = 200, 0, 0
    for _ in range(number):
        right = world.items(rng)
        before = [rng.random(len(right)) < right for _ in range(7)]
        quiet = _once(np.array([*before, rng.random(len(right)) < right]).astype(float))
        drop = quiet.nightly.visible
        for size in (drop, drop / 2):
            lost = lowered(right, size)
            night = _once(np.array([*before, rng.random(len(right)) < lost]).astype(float))
            seen += size == drop and night.nightly.outcome in BAD
            less += size < drop and night.nightly.outcome in BAD
    assert less < 0.5 * number
    assert seen >= 0.7 * number


@pytest.mark.long
def test_fresh_items_raise_as_few_alarms_and_see_less() -> None:
    """Other items every night: the noise of the items is there too."""
    rng = np.random.default_rng(10)
    number, alarm, found = 30, 0, 0
    world = World(0.9, 0.5)
    for drop in (0.0, 0.1):
        for _ in range(number):
            good, any_ = [True] * GOOD, False
            nights = [_fresh(world, rng, drop if night >= GOOD else 0.0, night) for night in range(GOOD + WEEK)]
            every = FreshItems(nights)
            for night in range(GOOD, GOOD + WEEK):
                calendar = Calendar((*good, True), tuple(range(WEEK)))
                own = FreshItems([])
                own._nights = every._nights[: night + 1]
                outcomes = judged(own, PLACES, calendar, Levels.of(PLACES, 6), MARGIN / 100)
                bad = [each for each in outcomes if each.outcome in BAD]
                any_ |= bool(bad) if not drop else any(each.length == LENGTHS - 1 for each in bad)
                good.append(not bad)
            alarm, found = alarm + (any_ and not drop), found + (any_ and drop > 0)
    print(f"fresh items: alarm {100 * alarm / number:.1f} %, a step of 10 points {100 * found / number:.1f} %")
    assert alarm <= number * 0.05 + 2 * np.sqrt(number * 0.05)
    assert found >= 0.9 * number


_RIGHT, _WRONG = Verdict(status="scored", value=1.0), Verdict(status="scored", value=0.0)
_ROWS = [
    make_row(
        item=str(context),
        question=str(number),
        cell={"length": int(length), "depth": 0},
        context=str(context),
        verdict=_RIGHT,
    )
    for number, (context, length) in enumerate(zip(CONTEXT.tolist(), STRATA.tolist(), strict=True))
]


def _night(right: Floats, rng: Rng) -> list[Row]:
    answers = (rng.random(len(right)) < right).tolist()
    return [
        row if good else row.model_copy(update={"verdict": _WRONG}) for row, good in zip(_ROWS, answers, strict=True)
    ]


def _fresh(world: World, rng: Rng, drop: float, night: int) -> list[Row]:
    right = world.items(rng)
    rows = _night(lowered(right, drop) if drop else right, rng)
    return [row.model_copy(update={"bench": str(night), "context": f"{night} {row.context}"}) for row in rows]


def test_a_week_through_the_gate_itself() -> None:
    """Rows in, outcomes out: a step of 10 points after eight good nights is found, and named where it is."""
    rng = np.random.default_rng(33)
    right = REPEATABLE[0].items(rng)
    nights = [Night(f"night-{number}", _night(right, rng)) for number in range(8)]
    good = check_gate(_night(right, rng), [], nights=nights, pinned=[f"night-{number}" for number in range(7)])
    assert (good.outcome, good.failed) == ("passed", False)
    bad = check_gate(_night(lowered(right, 0.1), rng), [], nights=nights)
    (found,) = bad.compared
    assert [each.outcome in BAD for each in found.lengths] == [False, False, False, True]
    assert bad.failed


def test_one_bad_night_does_not_fail_the_next() -> None:
    """A night that was worse is in no window: the good night after it passes, and so does one that is better."""
    rng = np.random.default_rng(35)
    right = REPEATABLE[1].items(rng)
    nights = [Night(f"night-{number}", _night(right, rng)) for number in range(8)]
    nights.append(Night("bad", _night(lowered(right, 0.25), rng), good=False, apart=True))
    pinned = [f"night-{number}" for number in range(7)]
    assert check_gate(_night(right, rng), [], nights=nights, pinned=pinned).outcome == "passed"
    better = check_gate(_night(np.ones_like(right), rng), [], nights=nights, pinned=pinned)
    assert (better.outcome, better.failed) == ("better", False)


def test_one_answer_that_flips_for_good_is_no_loss() -> None:
    """Servers that answer the same every night have no scatter: the interval must not come from nights alone."""
    rng = np.random.default_rng(34)
    first = _night(REPEATABLE[0].items(rng), rng)
    flip = next(number for number, row in enumerate(first) if row.verdict is _RIGHT)
    later = [row.model_copy(update={"verdict": _WRONG}) if n == flip else row for n, row in enumerate(first)]
    nights = [Night(f"n{n}", first) for n in range(7)] + [Night(f"l{n}", later) for n in range(6)]
    assert check_gate(later, [], nights=nights, pinned=[f"n{n}" for n in range(7)]).outcome == "passed"
