"""What grounded tests share: the family by its name, caches of their own, a small benchmark, helpers over HTTP."""

from __future__ import annotations

import pytest

from longreach.core.bench import Bench
from longreach.families.base import BuildContext
from longreach.families.building import build_bench, make_spec

SMALL = {"lengths": "1k,2k", "depths": "20,50,80", "passage_words": 100}
"""For models as builders."""
BY_CODE = {"docs": ["chronicle:7/en/20k"], "lengths": "2k,4k", "depths": "20,50,80", "passage_words": 100, "seed": 5}
"""For code, whose options all stand in the shortest text."""


@pytest.fixture(scope="session")
def extractive(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A small benchmark that needed no model. Never change its folder."""
    spec = make_spec("grounded", BY_CODE)
    return build_bench(spec, tmp_path_factory.mktemp("grounded") / "b", BuildContext(warn=pytest.fail))
