"""Headlines over time: versions of one model, such as releases or checkpoints, on a shared axis."""

from __future__ import annotations

import re
from collections.abc import Sequence

from longreach.core.chart import Axis
from longreach.core.estimate import Estimate
from longreach.core.family_view import FamilyView
from longreach.core.figure import Dot, Figure, Lines, Trace
from longreach.core.number_format import value_label
from longreach.core.row import Row
from longreach.stats.headline import THRESHOLD, Headline, headlines

from .views import PageSection

__all__ = ["Version", "checkpoint_section", "trend_figures"]

Version = tuple[str, Sequence[Row], Sequence[FamilyView]]
"""A label, the results under it, and the families as measured there, the same ones in every version."""
_NUMBERED = re.compile(r"^(.*?[-_/@.:])?(?:step|ckpt|checkpoint|v|iter|epoch)?[-_]?(\d+)$", re.IGNORECASE)


def trend_figures(versions: Sequence[Version], *, threshold: float = THRESHOLD, one_line: bool = False) -> list[Figure]:
    """Per family: delivered accuracy of each question type by version, and the effective length where there are
    lengths. `one_line` joins versions whose models have different names."""
    figures: list[Figure] = []
    axis = Axis(name="version", title="Version", values=tuple(label for label, *_ in versions))
    for place, family in enumerate(versions[0][2]):
        scores: dict[tuple[str, str], list[Dot]] = {}
        lengths: dict[tuple[str, str], list[Dot]] = {}
        for label, rows, families in versions:
            for each in headlines(rows, families[place], threshold=threshold):
                key = (_panel(each, family), "" if one_line else each.model)
                scores.setdefault(key, []).append(_score(label, each))
                held = each.effective
                if held is not None and len(each.lengths) > 1:
                    dot = Dot(x=label, y=held.length, low=held.low, high=held.high, note=f"n = {each.tally.counted}")
                    lengths.setdefault(key, []).append(dot)
        figures += [
            Lines(
                id=f"{family.name}-{name}",
                title=f"{family.title}: {title}",
                note=note,
                x=axis,
                unit="share" if name == "accuracy" else "tokens",
                traces=tuple(
                    Trace(name=model, model=model, dots=tuple(dots), panel=panel)
                    for (panel, model), dots in found.items()
                ),
            )
            for name, title, note, found in (
                ("accuracy", "accuracy over versions", "Right of all asked, with 95 % CI.", scores),
                ("effective", "effective length over versions", "In tokens, with 95 % CI; 0 means none.", lengths),
            )
            if found
        ]
    return figures


def checkpoint_section(
    rows: Sequence[Row], families: Sequence[FamilyView], *, threshold: float = THRESHOLD
) -> PageSection | None:
    """A section on models whose names differ only in a number at the end; None if there are no such models."""
    groups: dict[str, dict[int, str]] = {}
    for model in dict.fromkeys(row.model for row in rows):
        if (found := _NUMBERED.match(model)) and found[1]:
            groups.setdefault(found[1], {})[int(found[2])] = model
    figures: list[Figure] = []
    for stem, members in groups.items():
        if len(members) > 1:
            ordered = [model for _, model in sorted(members.items())]
            versions = [(model, [row for row in rows if row.model == model], families) for model in ordered]
            made = trend_figures(versions, threshold=threshold, one_line=True)
            slug = re.sub(r"[^a-z0-9]+", "-", stem.lower()).strip("-") or "models"
            figures += [each.model_copy(update={"id": f"{slug}-{each.id}"}) for each in made]
    if not figures:
        return None
    about = "Models whose names differ only in the number at the end, in its order."
    return PageSection(id="over-time", title="Over time", about=about, figures=tuple(figures))


def _panel(each: Headline, family: FamilyView) -> str:
    kind = value_label(family.axis("question_type"), each.question_type)
    return f"{kind}, {each.experiment}" if each.experiment else kind


def _score(label: str, each: Headline) -> Dot:
    score: Estimate | None = each.delivered
    if score is None:
        return Dot(x=label, y=None, note="no result")
    return Dot(x=label, y=score.value, low=score.low, high=score.high, note=f"n = {score.n}")
