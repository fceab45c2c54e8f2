"""Search: the curve, the choice of contexts, and how both behave on simulated models."""

from __future__ import annotations

import numpy as np
import pytest

from longreach.core.bench import Bench
from longreach.core.formatting import percent
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec
from longreach.planning.search.choice import Search, search_result, simulate_searches
from longreach.planning.search.curve import CurvePosterior, chain_over
from longreach.planning.search.grid import Answers, SearchGrid
from longreach.stats.intervals import Floats

LENGTHS = tuple(1000.0 * 2**n for n in range(8))


def curve(shares: dict[int, float], worth: float = 20.0, chance: float = 0.0) -> CurvePosterior:
    share, worths = np.zeros((1, 8)), np.zeros((1, 8))
    for place, value in shares.items():
        share[0, place], worths[0, place] = value, worth
    return chain_over(LENGTHS, 0.85).posteriors(share, worths, np.array([chance]))[0]


@pytest.fixture(scope="module")
def grid(tmp_path_factory: pytest.TempPathFactory) -> SearchGrid:
    settings = {"lengths": "500,700,1k,1400,2k,2800,4k", "depths": "10..90/20", "facts": 4, "seed": 5}
    folder = tmp_path_factory.mktemp("search") / "needles"
    return SearchGrid(build_bench(make_spec("needles", settings), folder, BuildContext(warn=lambda _: None)))


def sizes(grid: SearchGrid) -> Floats:
    return np.array([float(row.cell["length"]) for row in grid.rows])


def searched(grid: SearchGrid, scores: Floats) -> tuple[list[tuple[int, ...]], Floats]:
    search, values, asked, rounds = Search(grid), np.full(len(scores), np.nan), set[int](), []
    while batch := search.choose(values, asked):
        rounds.append(batch)
        asked |= set(batch)
        for unit in batch:
            values[grid.units[unit].places] = scores[grid.units[unit].places]
    return rounds, values


def test_without_answers_every_frontier_is_possible_and_probabilities_add_up() -> None:
    found = curve({})
    assert found.frontier.sum() == pytest.approx(1)
    assert found.frontier.min() > 0.02
    assert found.level.sum(axis=1) == pytest.approx(np.ones(8))
    assert found.interval == (0, 8)
    assert found.rises == pytest.approx(0.1)


def test_the_frontier_follows_the_answers() -> None:
    found = curve({0: 1.0, 2: 1.0, 3: 1.0, 4: 0.3})
    assert found.answer == 4
    assert found.interval == (4, 4)
    assert curve({0: 0.4}).answer == 0
    assert curve(dict.fromkeys(range(8), 1.0)).answer == 8


def test_the_same_share_means_less_above_chance() -> None:
    """87 % right holds the threshold for open questions, not where half can be guessed."""
    everywhere = dict.fromkeys(range(8), 0.9)
    assert curve(everywhere, worth=200).answer == 8
    assert curve(everywhere, worth=200, chance=0.5).answer == 0


def test_a_rise_is_found_and_not_invented() -> None:
    dip = dict.fromkeys(range(8), 1.0) | {3: 0.3}
    assert curve(dip).rises > 0.9
    assert curve(dip).answer == 3
    assert curve({0: 1.0, 3: 0.9, 5: 0.6, 7: 0.2}).rises < 0.2


def test_answers_say_most_where_the_frontier_is_open() -> None:
    found = curve({0: 1.0, 2: 1.0, 6: 0.1})
    said = [found.information(place, 6) for place in range(8)]
    assert max(range(8), key=said.__getitem__) in (3, 4, 5)
    assert said[0] < 0.1 * max(said)


def test_answers_over_one_context_that_agree_are_worth_less(grid: SearchGrid) -> None:
    aim, rng = grid.aims[0], np.random.default_rng(1)
    mixed = (rng.random(len(grid.rows)) < 0.5).astype(float)
    alike = rng.integers(0, 2, int(grid.sample.context.max()) + 1).astype(float)[grid.sample.context]
    means = np.full(len(aim.lengths), 0.5)
    independent, same = (Answers.of(grid.sample, aim, values).correlation(means) for values in (mixed, alike))
    assert independent < 0.15 < 0.8 < same


def test_a_unit_is_a_whole_context_and_all_rows_are_in_one(grid: SearchGrid) -> None:
    bench: Bench = grid.bench
    assert sorted(item for unit in grid.units for item in unit.items) == sorted(bench.items)
    assert all(len({bench.items[item].context.sha256 for item in unit.items}) == 1 for unit in grid.units)
    assert sorted(place for unit in grid.units for place in unit.places) == list(range(len(grid.rows)))
    assert all(unit.cost < unit.tokens for unit in grid.units), "two prompts share their context"


@pytest.mark.parametrize("at", [0.0, 700.0, 1400.0, 4000.0])
def test_a_cliff_is_found_with_part_of_the_grid(grid: SearchGrid, at: float) -> None:
    rounds, values = searched(grid, (sizes(grid) <= at).astype(float))
    units = [unit for batch in rounds for unit in batch]
    assert len(units) == len(set(units)) < len(grid.units) / 2
    for standing in Search(grid).standings(values):
        assert standing.known
        assert standing.length(standing.curve.answer) == at


def test_every_length_up_to_the_result_is_asked_and_depths_are_balanced(grid: SearchGrid) -> None:
    rounds, values = searched(grid, np.ones(len(grid.rows)))
    assert all(min(standing.asked) > 0 for standing in Search(grid).standings(values))
    depths = [dict(grid.units[unit].axes)["depth"] for batch in rounds for unit in batch]
    assert len(set(depths)) == 5
    assert max(map(depths.count, depths)) - min(map(depths.count, depths)) <= 1


def test_a_dip_widens_the_search_and_is_named(grid: SearchGrid) -> None:
    length = sizes(grid)
    rounds, values = searched(grid, ((length <= 1000) | (length > 2000)).astype(float))
    asked = {unit for batch in rounds for unit in batch}
    result = search_result(Search(grid), values, asked)
    assert {grid.units[unit].size for unit in asked} == set(length.tolist())
    assert all(found.non_monotone and found.effective.observed == 1000 for found in result.found)
    assert "NON-MONOTONE" in result.lines()[0]


@pytest.mark.parametrize(("level", "until"), [(0.85, 0.9), (0.85, 0.999), (0.8, 0.95), (0.99, 0.9)])
def test_a_search_that_ends_below_its_aim_says_why(grid: SearchGrid, level: float, until: float) -> None:
    scores = (np.random.default_rng(8).random(len(grid.rows)) < level).astype(float)
    search, values, asked = Search(grid, until=until), np.full(len(scores), np.nan), set[int]()
    while batch := search.choose(values, asked):
        assert not search_result(search, values, asked).stopped, "it goes on"
        asked |= set(batch)
        for unit in batch:
            values[grid.units[unit].places] = scores[grid.units[unit].places]
    result = search_result(search, values, asked)
    assert bool(result.stopped) == any(not found.known for found in result.found)
    if result.stopped:
        assert result.stopped in result.lines()[-1]
        assert result.stopped.startswith(f"not {percent(until)} sure everywhere, because ")
        assert ("input tokens at most" in result.stopped) == (result.share > 0.5)


def test_a_search_goes_on_from_any_answers_as_if_nothing_had_happened(grid: SearchGrid) -> None:
    scores = (np.random.default_rng(3).random(len(grid.rows)) < np.where(sizes(grid) < 1500, 0.97, 0.6)).astype(float)
    rounds, _ = searched(grid, scores)
    assert len(rounds) > 2
    for stop in range(len(rounds)):
        done = {unit for batch in rounds[:stop] for unit in batch} | set(
            rounds[stop][: len(rounds[stop]) // 2] if stop % 2 else ()
        )
        values = np.full(len(scores), np.nan)
        for unit in done:
            values[grid.units[unit].places] = scores[grid.units[unit].places]
        assert Search(grid).next_round(values, done, done) == rounds[stop]


def test_answers_it_did_not_ask_for_are_used(grid: SearchGrid) -> None:
    scores = (sizes(grid) <= 1000).astype(float)
    everything = set(range(len(grid.units)))
    assert Search(grid).next_round(scores, everything, everything) == ()
    begun = {len(grid.units) - 1}
    values = np.full(len(scores), np.nan)
    assert Search(grid).next_round(values, begun, set()) == tuple(begun), "a context that was begun is completed first"


def test_more_certainty_asks_for_more(grid: SearchGrid) -> None:
    rng = np.random.default_rng(7)
    scores = (rng.random(len(grid.rows)) < np.where(sizes(grid) < 1200, 0.92, 0.8)).astype(float)

    def asked(until: float) -> int:
        search, values, units = Search(grid, until=until), np.full(len(scores), np.nan), set[int]()
        while batch := search.choose(values, units):
            units |= set(batch)
            for unit in batch:
                values[grid.units[unit].places] = scores[grid.units[unit].places]
        return len(units)

    assert asked(0.5) < asked(0.99)


def test_a_forecast_is_repeatable_and_below_the_grid(grid: SearchGrid) -> None:
    nothing = np.full(len(grid.rows), np.nan)
    first, second = (simulate_searches(Search(grid), nothing, (), count=4, seed=1) for _ in range(2))
    assert first == second
    assert all(0 < each.tokens < grid.input_tokens for each in first)
