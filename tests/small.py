"""Settings of small benchmarks."""

from __future__ import annotations

from typing import Any

BY_CODE: dict[str, Any] = {
    "docs": ["chronicle:7/en/20k"],
    "lengths": "2k,4k",
    "depths": "20,50,80",
    "passage_words": 100,
    "questions": 1,
    "kinds": "altered,next,order,section",
    "seed": 5,
}
"""Of grounded by code, whose options all stand in the shortest text."""
WITH_MODELS = {"lengths": "1k,2k", "depths": "20,50,80", "passage_words": 100, "questions": 1}
"""Of grounded with models as builders."""
