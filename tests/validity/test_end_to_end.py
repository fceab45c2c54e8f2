"""Coverage through the real path: simulated models answer a benchmark, their answers are written, graded and counted as
any others, and what is reported is compared with what they are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from tests.validity.worlds import expected

from longreach import api
from longreach.checking.pairs import changes, pair_rows
from longreach.core.bench import Bench
from longreach.core.types import Estimate, Row
from longreach.families.showing import family_view
from longreach.results.grading import grade_runs
from longreach.runner.logs import collect_calls
from longreach.stats.counting import delivered
from longreach.stats.headline import Headline, headlines

FAMILIES = ("needles", "grounded", "novel", "verbatim", "trace")
SKILLS = (0.9, 0.75)
SPREAD, CONTEXTS = 1.0, 0.5
QUICK, LONG = 4, 60


def rows_of(bench: Bench, folder: Path, model: str, runs: int, first: int = 0) -> dict[str, list[Row]]:
    """Graded rows of a simulated model by name, one per seed: other questions are hard, other contexts unreadable."""
    for seed in range(runs):
        api.simulate(bench, model, folder, seed=first + seed, name=f"{model} {seed}")
    found: dict[str, list[Row]] = {}
    for row in grade_runs(folder, collect_calls(folder)):
        found.setdefault(row.model, []).append(row)
    return {f"{model} {seed}": found[f"{model} {seed}"] for seed in range(runs)}


def headlines_of(rows: list[Row]) -> tuple[Headline, ...]:
    return headlines(rows, family_view(rows[0].family))


def holds(found: Estimate | None, truth: float) -> bool:
    return found is not None and found.low - 1e-9 <= truth <= found.high + 1e-9


def covered(family: str, bench: Bench, folder: Path, runs: int) -> dict[str, float]:
    """The share of intervals that hold the truth, over runs, question types and lengths."""
    sides = []
    for number, skill in enumerate(SKILLS):
        model = f"difficulty,skill={skill},spread={SPREAD},contexts={CONTEXTS}"
        # Other seeds: two that draw the same numbers would differ in one direction alone.
        sides.append(rows_of(bench, folder / str(skill), model, runs, first=1000 * number))
    # Wrong answers may earn something too: partial credit.
    wrong = next(iter(rows_of(bench, folder / "wrong", "perfect,skill=0", 1).values()))
    floors = {kind: _mean([row for row in wrong if row.question_type == kind]) for kind in _kinds(wrong)}
    hits: dict[str, list[bool]] = {"all lengths": [], "one length": [], "difference": []}
    right = [expected(float(np.log(skill / (1 - skill))), SPREAD, CONTEXTS) for skill in SKILLS]
    for first, second in zip(*(side.values() for side in sides), strict=True):
        for skill, rows in zip(right, (first, second), strict=True):
            for found in headlines_of(rows):
                floor = floors[found.question_type]
                truth = skill + (1 - skill) * floor
                hits["all lengths"].append(holds(found.delivered, truth))
                hits["one length"] += [holds(each.tally.delivered, truth) for each in found.by_length]
        for change in changes(pair_rows(first, second).pairs):
            if change.question_type and change.place is None:
                truth = (right[1] - right[0]) * (1 - floors[change.question_type])
                hits["difference"].append(holds(change.difference, truth))
    shares = {name: float(np.mean(each)) for name, each in hits.items()}
    print(f"{family:10}", {name: f"{share:.3f} of {len(hits[name])}" for name, share in shares.items()})
    return shares


def _kinds(rows: list[Row]) -> set[str]:
    return {row.question_type for row in rows}


def _mean(rows: list[Row]) -> float:
    return float(np.mean([delivered(row) or 0.0 for row in rows]))


@pytest.mark.parametrize("family", FAMILIES)
def test_reported_intervals_hold_the_truth_in_a_quick_series(
    family: str, benches: dict[str, Bench], tmp_path: Path
) -> None:
    assert min(covered(family, benches[family], tmp_path, QUICK).values()) >= 0.75


@pytest.mark.long
@pytest.mark.parametrize("family", FAMILIES)
def test_reported_intervals_hold_the_truth(family: str, benches: dict[str, Bench], tmp_path: Path) -> None:
    assert min(covered(family, benches[family], tmp_path, LONG).values()) >= 0.9


@pytest.mark.long
def test_the_reported_effective_length_holds_the_frontier(benches: dict[str, Bench], tmp_path: Path) -> None:
    """True accuracies 98, 94 and 59 % at 600, 1,000 and 2,000 tokens."""
    runs = rows_of(benches["needles"], tmp_path, "declines,from=0.98,to=0.2,at=2000,slope=3", LONG)
    found = [each.effective for rows in runs.values() for each in headlines_of(rows) if each.question_type == "literal"]
    held = [each is not None and each.length <= 1000 <= each.high for each in found]
    exact = [each is not None and each.observed == 1000 for each in found]
    print(f"frontier held in {np.mean(held):.3f}, point right in {np.mean(exact):.3f} of {len(found)}")
    assert np.mean(held) >= 0.9
