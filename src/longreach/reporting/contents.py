"""The contents of a report, computed once for the page and for files: verdicts, tables and charts in order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from longreach.core.chart import Heatmap
from longreach.core.family_view import FamilyView
from longreach.core.number_format import count, length_label
from longreach.core.row import Row
from longreach.errors import BadInput, did_you_mean
from longreach.stats.counting import axis_value

from .conditions import conditions
from .drawings import drawing
from .figures import Openings, curve_figure, difference_figure, heatmap_figure
from .model_cards import card
from .ranking import ranking
from .tables import run_table, status_table, summary_table
from .verdict import findings
from .views import Report

__all__ = ["Contents", "models_in"]


class Contents:
    """The parts of a report in the form its templates need. No results at all is bad input."""

    def __init__(self, report: Report) -> None:
        _check(report)
        openings = Openings()
        tested = {row.family for row in report.rows}
        self.title = report.title
        self.lead = _lead(report)
        fired = [
            f"Check: {check.title.lower()}{f' ({check.model})' if check.model else ''}: {check.detail}."
            for check in report.checks
            if check.fired
        ]
        self.notes = (*report.gaps, *fired, *report.notes)
        self.checks = report.checks
        """All of them, fired or not."""
        self.families = [_family(report, family, openings) for family in report.families if family.name in tested]
        """Each with its cards, summary and figures."""
        self.statuses = status_table(report)
        self.runs = run_table(report.calls)
        self.figures = _shown([drawing(figure) for figure in report.figures], "run")
        self.openings = openings.all
        """What each cell of a map opens."""

    def every_figure(self) -> list[dict[str, Any]]:
        """Figures of the families and of the run."""
        return [figure for family in self.families for figure in family["figures"]] + self.figures


def models_in(rows: Sequence[Row], family: str | None = None) -> list[str]:
    """The models in some results, in order of appearance."""
    return list(dict.fromkeys(row.model for row in rows if family in (None, row.family)))


def _check(report: Report) -> None:
    if not report.rows:
        raise BadInput(f"report '{report.title}': there are no results to show; run or grade first")
    known = {family.name for family in report.families}
    for row in report.rows:
        if row.family not in known:
            raise BadInput(f"report: results of unknown family '{row.family}'.{did_you_mean(row.family, known)}")


def _lead(report: Report) -> str:
    """What was tested, in one line."""
    models = models_in(report.rows)
    items = {(row.bench, item) for row in report.rows for item in row.items}
    parts = [count(len(models), "model"), count(len(items), "prompt"), count(len(report.rows), "question")]
    lengths = [
        value
        for family in report.families
        if (axis := family.length_axis())
        for row in report.rows
        if row.family == family.name and isinstance(value := axis_value(row, axis.name), int | float)
    ]
    if lengths:
        low, high = length_label(min(lengths)), length_label(max(lengths))
        parts.append(f"{low} tokens" if low == high else f"{low} to {high} tokens")
    return " · ".join(parts)


def _family(report: Report, family: FamilyView, openings: Openings) -> dict[str, Any]:
    found = [
        finding
        for model in models_in(report.rows, family.name)
        for finding in findings(
            report.rows, family, model, window=report.windows.get(model), threshold=report.threshold
        )
    ]
    figures: list[dict[str, Any]] = []
    for chart in family.charts:
        if isinstance(chart, Heatmap):
            figures.append(heatmap_figure(chart, family, report.rows, openings))
            tax = difference_figure(chart, family, report.rows, openings)
            figures += [tax] if tax else []
        else:
            figures.append(curve_figure(chart, family, report.rows))
    figures += map(drawing, family.figures)
    return {
        "name": family.name,
        "title": family.title,
        "about": family.about,
        "ranking": ranking(found, report.calls) if len(found) > 1 else None,
        "cards": [card(finding, family, conditions(report.calls, finding.model, finding.family)) for finding in found],
        "summary": summary_table(report, family),
        "figures": _shown(figures, family.name),
    }


def _shown(figures: Sequence[dict[str, Any]], prefix: str) -> list[dict[str, Any]]:
    """Figures with content: a chart whose axes no row has is not shown as an empty frame."""
    filled = [figure for figure in figures if figure["table"].get("rows") or figure["table"].get("lines")]
    named: dict[str, dict[str, Any]] = {}
    for figure in filled:
        # A family's chart and its own figure may have the same name; links need unique ids.
        name = base = f"{prefix}-{figure['id'].removeprefix(f'{prefix}-')}"
        number = 2
        while name in named:
            name, number = f"{base}-{number}", number + 1
        named[name] = figure | {"id": name}
    return list(named.values())
