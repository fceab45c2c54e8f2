"""The report's findings on one model, as a page computes them."""

from __future__ import annotations

from collections.abc import Sequence

from longreach.core.figure import FamilyView
from longreach.core.types import Row
from longreach.reporting.ranking import Finding, findings_from
from longreach.stats.headline import headlines


def findings(rows: Sequence[Row], family: FamilyView, model: str, *, window: int | None = None) -> tuple[Finding, ...]:
    """Each experiment by itself."""
    every, by_prompt = (headlines(tuple(rows), family, models=(model,), by_prompt=apart) for apart in (False, True))
    return findings_from(every, by_prompt, family, tuple(rows), window=window)


def verdict_sentence(rows: Sequence[Row], family: FamilyView, model: str, *, window: int | None = None) -> str:
    return " ".join(finding.sentence for finding in findings(rows, family, model, window=window))
