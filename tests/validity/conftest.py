"""One small benchmark per family, to be answered by simulated models."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.families.novel.shelf import english_books
from tests.small import BY_CODE

from longreach.core.bench import Bench
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec


@pytest.fixture(scope="session")
def benches(tmp_path_factory: pytest.TempPathFactory, docs: Path) -> dict[str, Bench]:
    """By family. Never change their folders."""
    folder = tmp_path_factory.mktemp("validity")
    settings = {
        "needles": {"docs": [str(docs)], "lengths": "600,1000,2000", "depths": "0,50,100", "facts": 4},
        "grounded": BY_CODE,
        "novel": {
            "source": "bring",
            "docs": [english_books(folder / "books.jsonl")],
            "sizes": "S,800",
            "per_class": 12,
            "methods": "zero_shot_last",
        },
        "verbatim": {"tasks": "sort", "sort_sizes": "10,20", "sort_samples": 6},
        "trace": {"tasks": "nth,walk,aggregate", "lengths": "1k,2k", "questions": 6, "worlds": 6},
    }
    context = BuildContext(warn=lambda _: None)
    return {name: build_bench(make_spec(name, own), folder / name, context) for name, own in settings.items()}
