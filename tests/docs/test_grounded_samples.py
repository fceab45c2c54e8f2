"""The figures of the grounded guide are those of the rated questions."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

DOCS = Path(__file__).parents[2] / "docs"


def test_the_guide_counts_the_rated_questions() -> None:
    samples = (DOCS / "grounded-samples" / "unseen.md").read_text(encoding="utf-8")
    parts = re.split(r"(?m)^## ", samples)[1:]
    rated = [Counter(re.findall(r"(?m)^\d+\. \((good|so-so|bad)\b", part)) for part in parts]
    rows = re.findall(
        r"(?m)^\|.* \| 152 \| \d+ \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", (DOCS / "grounded.md").read_text("utf-8")
    )
    assert [[int(cell) for cell in row] for row in rows] == [
        [one.total(), one["good"], one["so-so"], one["bad"]] for one in rated
    ]
