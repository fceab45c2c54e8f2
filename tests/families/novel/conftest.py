"""What novel tests share: the family by its name, caches of their own, small benchmarks."""

from __future__ import annotations

import pytest
from tests.families.novel.shelf import english_books

from longreach.core.bench import Bench
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec


@pytest.fixture(scope="session")
def brought(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A small benchmark of units that came with everything: two sizes, four methods. Never change its folder."""
    folder = tmp_path_factory.mktemp("novel")
    docs = english_books(folder / "books.jsonl")
    settings = {
        "source": "bring",
        "docs": [docs],
        "sizes": "S,800",
        "per_class": 12,
        "methods": "zero_shot_last,zero_shot_first,cot,window",
        "story_block": 400,
        "embedder": "ngrams",
    }
    return build_bench(make_spec("novel", settings), folder / "b", BuildContext(warn=pytest.fail))
