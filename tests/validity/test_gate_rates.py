"""How often the gate is right: false alarms on unchanged models, losses that it finds and misses, losses that it claims
to exclude, and the smallest drop that it prints. Runs of known truth, through the gate itself."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import numpy as np
import pytest
from tests.cases import cases
from tests.rows import make_row
from tests.validity.worlds import Design, Rng, places, share

from longreach.checking.gate import check_gate
from longreach.checking.pairs import common_rows, losses
from longreach.core.types import Row, Verdict
from longreach.stats.intervals import Floats

NEEDLES = Design("needles, 5 fact sets", lengths=5, contexts=10, per_context=4, sets=5)
SMALL = Design("needles, 1 fact set", lengths=3, contexts=4, per_context=4)
TYPES = ("literal", "inference", "abstention")
Types = tuple[str, ...]
RIGHT, WRONG = Verdict(status="scored", value=1.0), Verdict(status="scored", value=0.0)


@cache
def _asked(design: Design, types: Types) -> tuple[Row, ...]:
    """One row per question type and place of a design."""
    at = places(design)
    return tuple(
        make_row(
            item=f"{context}",
            question=f"{kind} {question}",
            question_type=kind,
            cell={"length": 1000 * 2 ** int(length), "depth": int(context) % design.contexts},
            context=f"{context}",
            verdict=RIGHT,
        )
        for kind in types
        for question, context, length in zip(at.question, at.context, at.strata, strict=True)
    )


class Server:
    """A model that answers a benchmark night by night: questions and contexts differ, answers vary."""

    def __init__(self, design: Design, rng: Rng, middle: float = 2.0, night: float = 0.0, types: Types = TYPES) -> None:
        self.rows, self.rng, self.night = _asked(design, types), rng, night
        at = places(design)
        self.length = np.tile(at.strata, len(types))
        parts = []
        for _ in types:
            hard = rng.normal(0, 1.5, int(at.question.max()) + 1)
            read = rng.normal(0, 0.7, int(at.context.max()) + 1)
            parts.append(middle + hard[at.question] + read[at.context])
        self.odds = np.concatenate(parts)

    def run(self, loss: float | Floats = 0.0) -> list[Row]:
        """The answers of one night, of which a share is lost; a whole night may be better or worse, in log odds."""
        odds = self.odds + self.rng.normal(0, self.night) if self.night else self.odds
        right = (self.rng.random(len(odds)) < share(odds)) & (self.rng.random(len(odds)) >= loss)
        return [
            row.model_copy(update={"verdict": RIGHT if good else WRONG})
            for row, good in zip(self.rows, right.tolist(), strict=True)
        ]


def _pooled_only(old: Sequence[Row], new: Sequence[Row]) -> bool:
    """The gate as it was: each question type over all lengths, at 95 %."""
    every = losses("m", common_rows([old, new]))
    return any(loss.parts[None].estimate().high < 0 for loss in every if loss.kind == "types")


@pytest.mark.long
@pytest.mark.parametrize("design", [NEEDLES, SMALL], ids=lambda design: design.name)
@pytest.mark.parametrize("middle", [1.0, 3.0])
def test_an_unchanged_model_fails_in_at_most_5_percent_of_nights(design: Design, middle: float) -> None:
    rng = np.random.default_rng(11)
    runs = 150
    alarms = 0
    for _ in range(runs):
        server = Server(design, rng, middle)
        alarms += check_gate(server.run(), [], old={"old": server.run()}).failed
    assert alarms <= 0.05 * runs + 2 * np.sqrt(0.05 * 0.95 * runs)


@pytest.mark.parametrize(
    ("middle", "before", "now"), [(1.0, 0.5, 0.7), pytest.param(2.5, 0.75, 0.9, marks=pytest.mark.long)]
)
def test_a_loss_of_30_points_at_the_longest_length_alone_is_found(middle: float, before: float, now: float) -> None:
    """Pooled over all lengths, as the gate was before, half of the runs miss it."""
    rng = np.random.default_rng(12)
    runs, found, pooled = cases(24, 60), 0, 0
    for _ in range(runs):
        server = Server(NEEDLES, rng, middle)
        longest = server.length == NEEDLES.lengths - 1
        lost = 0.3 / share(server.odds[longest]).mean()
        old, new = server.run(), server.run(np.where(longest, lost, 0.0))
        found += check_gate(new, [], old={"old": old}).failed
        pooled += _pooled_only(old, new)
    assert pooled < before * runs
    assert found > now * runs


@pytest.mark.long
def test_a_loss_beyond_the_margin_is_rarely_called_excluded() -> None:
    """Non-inferiority: a model that is worse by just the margin passes in 2.5 % of runs."""
    rng = np.random.default_rng(13)
    runs, margin, passed, same = 300, 0.1, 0, 0
    for _ in range(runs):
        server = Server(NEEDLES, rng, middle=3.0, types=("literal",))
        lost = margin / share(server.odds).mean()
        old, new = server.run(), server.run(lost)
        for rows, loss in ((new, margin), (server.run(), 0.0)):
            (part,) = losses("m", common_rows([old, rows]))[0].parts.values()
            passed += loss > 0 and part.estimate().low >= -margin
            same += loss == 0 and part.estimate().low >= -margin
    assert passed <= 0.05 * runs
    assert same >= 0.6 * runs, "an unchanged model passes"


@pytest.mark.long
@pytest.mark.parametrize("middle", [1.0, 3.0])
def test_the_smallest_drop_is_seen_in_four_of_five_runs_and_half_of_it_is_not(middle: float) -> None:
    rng = np.random.default_rng(14)
    runs, level, seen, less = 200, 0.98, 0, 0
    for _ in range(runs):
        server = Server(NEEDLES, rng, middle, types=("literal",))
        old = server.run()
        (quiet,) = losses("m", common_rows([old, server.run()]))[0].parts.values()
        drop = quiet.smallest_drop(0.0, level)
        lost = min(1.0, drop / share(server.odds).mean())
        (part,) = losses("m", common_rows([old, server.run(lost)]))[0].parts.values()
        (half,) = losses("m", common_rows([old, server.run(lost / 2)]))[0].parts.values()
        seen += part.estimate(level).high < 0
        less += half.estimate(level).high < 0
    assert less < 0.8 * runs <= seen


def _week(server: Server, nights: int, drift: float) -> list[list[Row]]:
    """Nights of a model that loses a share of its answers in equal steps, `drift` in all."""
    return [server.run(drift * night / (nights - 1)) for night in range(nights)]


def _alarm(nights: Sequence[Sequence[Row]]) -> bool:
    earlier = {f"night {number}": rows for number, rows in enumerate(nights[:-1])}
    return check_gate(nights[-1], [], trend=earlier).failed


@pytest.mark.long
@pytest.mark.parametrize("nights", [5, 14])
@pytest.mark.parametrize("night", [0.0, 0.5])
def test_a_model_without_drift_has_a_trend_in_at_most_5_percent_of_gates(nights: int, night: float) -> None:
    """Also if whole nights are better or worse: what all questions of a night share is no drift."""
    rng = np.random.default_rng(15)
    runs = 100
    alarms = sum(_alarm(_week(Server(NEEDLES, rng, 1.0, night, ("literal",)), nights, 0.0)) for _ in range(runs))
    assert alarms <= 0.05 * runs + 2 * np.sqrt(0.05 * 0.95 * runs)


def test_a_slow_drift_shows_in_the_trend_and_in_no_single_night() -> None:
    """A point and a half per night: few nights are clearly worse than the one before, the fortnight always is."""
    rng = np.random.default_rng(16)
    runs, seen, nightly = cases(5, 12), 0, 0
    for _ in range(runs):
        nights = _week(Server(NEEDLES, rng, 3.0, types=("literal",)), 14, 0.2)
        seen += _alarm(nights)
        nightly += sum(check_gate(new, [], old={"old": old}).failed for old, new in pairwise(nights))
    assert seen >= 0.9 * runs
    assert nightly <= 0.1 * runs * 13


def test_one_answer_that_flips_for_good_is_no_trend() -> None:
    """Servers that answer the same every night have no scatter: the interval must not come from nights alone."""
    server = Server(NEEDLES, np.random.default_rng(17), types=("literal",))
    first = server.run()
    flipped = next(index for index, row in enumerate(first) if row.verdict is RIGHT)
    later = [row.model_copy(update={"verdict": WRONG}) if i == flipped else row for i, row in enumerate(first)]
    assert not _alarm([first] * 7 + [later] * 7)
