"""A plan of ten thousand items stays small; benchmarks/bench_plan.py also times it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks.bench_plan import by_forks, grid
from tests.drafts import draft_of

from longreach.core.bench import Bench, write_bench
from longreach.core.types import Item, Span
from longreach.planning.plan import PlanSettings, plan_bench
from longreach.planning.prefix_tree import PrefixTree

ROOT = Path(__file__).parents[2]


def shorter(item: Item, less: int) -> Item:
    """An item over a story that ends a little earlier."""
    *pieces, last = item.context.pieces
    end = last.model_copy(update={"end": last.end - less}) if isinstance(last, Span) else last
    changes = {"pieces": (*pieces, end), "sha256": f"{item.context.sha256[:32]}{less:032}"}
    context = item.context.model_copy(update=changes)
    return item.model_copy(update={"id": f"{item.id}-{less}", "context": context, "sha256": f"{item.sha256}{less}"})


@pytest.fixture(scope="module")
def large(bench: Bench, tmp_path_factory: pytest.TempPathFactory) -> Path:
    items = tuple(shorter(item, less) for less in range(417) for item in bench.items.values())
    draft = draft_of(bench).model_copy(update={"items": items})
    return write_bench(tmp_path_factory.mktemp("large") / "b", draft, bench.corpus).folder


@pytest.mark.long
def test_ten_thousand_items_in_little_memory(large: Path) -> None:
    command = [sys.executable, "-m", "benchmarks.bench_plan", "once", str(large)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT)
    measured = json.loads(done.stdout)
    assert measured["items"] == 10_008
    assert measured["megabytes"] < 200


def test_the_grid_of_the_design() -> None:
    """18.6 M prefill tokens instead of 110 M: 5.9 x less."""
    tree = PrefixTree(grid(range(100_000, 1_100_000, 100_000), range(10, 110, 10)))
    assert len(tree) == 200
    assert tree.input_tokens == 110_014_000
    assert tree.distinct_tokens == by_forks(tree)
    assert round(tree.input_tokens / tree.distinct_tokens, 1) == 5.9


def test_a_real_grid_and_a_comb(docs: Path, tmp_path: Path) -> None:
    """In small what the benchmark shows in large: prompts over nested contexts, one paragraph each or a comb."""
    from longreach.api import build

    saved = {}
    for layout in ("paragraph", "comb"):
        settings: dict[str, Any] = {"docs": docs, "lengths": "980..9800/980", "facts": 2, "questions": 1, "decoys": 0}
        made = build("needles", tmp_path / layout, layout=layout, seed=1, **settings)
        (plan,) = plan_bench(made, ["embedded"], settings=PlanSettings(sample=False)).models
        assert plan.requests == 200
        saved[layout] = plan.input_tokens / plan.prefill_tokens
    assert saved["paragraph"] > 5
    assert saved["comb"] > 3 * saved["paragraph"]
