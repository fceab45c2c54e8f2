"""`longreach decide --baseline` over real HTTP, and how often its outcomes are right in simulated worlds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from tests.command_line import call
from tests.doubles.chat_server import ChatServer
from tests.doubles.reader import Reader

from longreach import api
from longreach.core.bench import Bench
from longreach.core.statements import Outcome
from longreach.deciding import decide
from longreach.deciding.baseline import Comparing, Gaps, LengthGap, against, judge_in_looks
from longreach.deciding.result import DecideResult

SMALLER = {"contexts": 12}
SMALL = SMALLER | {"lengths": "250,500", "ask": "each", "prompts": "standard", "facts": 4, "seed": 1}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return api.build("needles", tmp_path_factory.mktemp("baseline") / "bench", warn=lambda _: None, settings=SMALL)


@pytest.fixture(scope="module")
def decided(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[DecideResult, Path]]:
    """A baseline, an equal server, and one that misses a fifth of what it is asked about the longest texts."""
    out = tmp_path_factory.mktemp("held") / "out"
    out.mkdir()
    (out / "bench").symlink_to(bench.folder)
    readers = {
        "bf16": Reader([bench]),
        "equal": Reader([bench]),
        "q4": Reader([bench], sees=lambda depth, before, after: before + after < 1700 or not 0.3 < depth < 0.75),
    }
    servers = {name: ChatServer(reader) for name, reader in readers.items()}
    try:
        models = [f"{name}=m@{server.__enter__().base_url}" for name, server in servers.items()]
        yield decide([], at="500", models=models, out=out, baseline="bf16", set=SMALLER), out
    finally:
        for server in servers.values():
            server.__exit__(None, None, None)


def test_it_says_which_setting_is_safe_and_where_the_other_loses(decided: tuple[DecideResult, Path]) -> None:
    found, _ = decided
    print(found)
    rows = {row.model: row for row in found.rows}
    assert rows["bf16"].baseline is None
    equal, q4 = rows["equal"].baseline, rows["q4"].baseline
    assert equal
    assert q4
    assert (equal.outcome, equal.safe_to, q4.outcome, q4.safe_to) == ("passed", 500, "worse", 250)
    assert q4.text.startswith("not safe beyond 250: loses ")
    assert found.text == "Against bf16: equal is safe to 500; q4 is not safe beyond 250."
    assert equal.same
    assert equal.same.value == 1
    assert (found.verdict, found.exit_code) == ("recommended", 0)
    assert found.recommendation
    assert found.recommendation.model == "equal"


def test_page_and_json_say_the_same(
    decided: tuple[DecideResult, Path],
) -> None:
    found, out = decided
    data = json.loads((out / "decide.json").read_text(encoding="utf-8"))
    held = {row["model"]: row["baseline"] for row in data["rows"]}
    assert held["bf16"] is None
    assert (held["q4"]["outcome"], held["q4"]["safe_to"], held["q4"]["against"]) == ("worse", 250, "bf16")
    page = (out / "page.html").read_text(encoding="utf-8")
    assert "q4: not safe beyond 250" in page
    assert all(len(said.text.split()) <= 30 for said in found.statements())
    requests = {row.model: row.questions for row in found.rows}
    assert requests["q4"] <= requests["bf16"]


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ("-m a=embedded -m b=embedded --baseline c", "no such model"),
        ("-m a=embedded --baseline a", "at least one more server"),
        ("-m a=embedded -m b=embedded --baseline a --ways whole,passages:3", "leave --ways out"),
    ],
)
def test_what_cannot_be_held_against_it_is_bad_input(bench: Bench, tmp_path: Path, more: str, says: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "bench").symlink_to(bench.folder)
    done = call(f"decide {more} --at 500 --set contexts={SMALLER['contexts']} --yes -o {out}")
    assert done.code == 2
    assert says in done.err
    assert not (out / "runs").exists()


# How often it is right.

LENGTHS, CONTEXTS, QUESTIONS = 3, 20, 30


def _gaps(rng: np.random.Generator, right: float, apart: float, loss: float) -> Gaps:
    """Two servers of the same weights: so large a share of answers is drawn anew, and a loss at the longest length,
    more in some contexts than in others."""
    size = (LENGTHS, CONTEXTS, QUESTIONS)
    first = rng.random(size) < right
    anew = rng.random(size) < apart
    second = np.where(anew, rng.random(size) < right, first)
    spread = rng.gamma(5.0, 0.2, size=(CONTEXTS, 1))
    second[-1] &= rng.random(size[1:]) >= np.minimum(1, spread * loss / right)
    gap = second.astype(np.float64) - first
    length, context, _ = np.indices(size)
    flat = (length * CONTEXTS + context).ravel()
    return Gaps(gap.ravel(), flat, length.ravel(), context.ravel())


def _outcomes(right: float, apart: float, loss: float, runs: int = 1000) -> list[tuple[Outcome, ...]]:
    rng = np.random.default_rng(11)
    comparing = Comparing(lengths=LENGTHS, servers=1)
    found = []
    for _ in range(runs):
        judged = judge_in_looks(_gaps(rng, right, apart, loss), comparing, [CONTEXTS] * LENGTHS)
        found.append(tuple(judged[length][0] for length in range(LENGTHS)))
    return found


WORLDS = [(0.95, 0.05), (0.85, 0.15), (0.7, 0.5), (0.6, 1.0)]
"""Share right, and share of answers that are drawn anew."""


@pytest.mark.long
@pytest.mark.parametrize(("right", "apart"), WORLDS)
def test_equal_servers_are_seldom_called_not_safe(right: float, apart: float) -> None:
    runs = _outcomes(right, apart, 0.0)
    print(f"{right} {apart}: equal, not safe {np.mean(['worse' in r for r in runs]):.3f},", end=" ")
    print(f"safe {np.mean([set(r) <= {'passed', 'better'} for r in runs]):.3f}")
    assert sum("worse" in each for each in runs) <= 0.05 * len(runs)


@pytest.mark.long
@pytest.mark.parametrize(("right", "apart"), WORLDS)
def test_a_loss_of_ten_points_is_found_and_one_of_the_margin_is_seldom_called_safe(right: float, apart: float) -> None:
    shares = {}
    for loss in (0.03, 0.05, 0.1):
        last = [each[-1] for each in _outcomes(right, apart, loss)]
        shares[loss] = {word: last.count(word) / len(last) for word in dict.fromkeys(last)}
    print(right, apart, shares)
    # Where every answer is drawn anew (sampling, not temperature 0), the contexts of one benchmark find fewer.
    assert shares[0.1].get("worse", 0) >= (0.9 if apart < 1 else 0.7)
    assert all(shares[loss].get("passed", 0) <= 0.05 for loss in shares)
    assert shares[0.1].get("better", 0) == 0


# What was measured on real weights: literal questions, right of 50 over five contexts.


@pytest.mark.parametrize(
    ("before", "after", "alone", "outcome", "says"),
    [
        (21, 40, 3, "better", "safe to 4k, and better at 4k: wins 38 of 100"),
        (44, 21, 6, "worse", "not safe at 4k: loses 46 of 100"),
        (44, 0, 0, "worse", "not safe at 4k: loses 88 of 100"),
        (36, 37, 6, "open", "open at 4k: 2 of 100"),
    ],
)
def test_measured_counts_get_their_words(before: int, after: int, alone: int, outcome: Outcome, says: str) -> None:
    """`alone`: answers that only the side with fewer right has."""
    more, fewer = max(before, after), min(before, after)
    sign = 1 if after >= before else -1
    gap = np.array([sign] * (more - fewer + alone) + [-sign] * alone + [0] * (50 - (more - fewer) - 2 * alone), float)
    gap = np.random.default_rng(3).permutation(gap)
    contexts = np.repeat(np.arange(5), 10)
    gaps = Gaps(gap, contexts, np.zeros(50, dtype=np.int64), np.zeros(50, dtype=np.int64))
    comparing = Comparing(lengths=5, servers=3)
    (found, shift, asked) = judge_in_looks(gaps, comparing, [1])[0]
    interval = shift.interval(comparing.confidence)
    rate = {"value": interval.value, "low": interval.low, "high": interval.high, "of": interval.n}
    length = LengthGap.parse({"length": 4000, "outcome": found, "difference": rate, "contexts": asked}, "test")
    held = against("bf16", [length], [4000], 3.0)
    assert held.outcome == found == outcome
    assert held.text.startswith(says)
