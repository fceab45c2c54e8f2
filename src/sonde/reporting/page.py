"""The report as one self-contained HTML file: no network, no script but its own, model output never as markup."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sonde.core.chart import Heatmap
from sonde.core.row import Row
from sonde.errors import BadInput, did_you_mean

from .cards import card
from .drawings import drawing
from .embed import embedded_json, page_data
from .figures import OTHER_STATUSES, Openings, curve_figure, difference_figure, heatmap_figure
from .html import fill_template, write_html
from .series import axis_value
from .tables import run_table, status_table, summary_table
from .verdict import findings
from .views import Excerpt, FamilyView, Quiz, Report
from .wording import amount, count, length_label, percent

__all__ = ["Excerpt", "FamilyView", "Quiz", "Report", "render_page", "write_page"]


def write_page(report: Report, path: Path) -> None:
    """Write the page, whole or not at all."""
    write_html(render_page(report), path)


def render_page(report: Report) -> str:
    """The page as text; the same report gives the same bytes."""
    from markupsafe import Markup

    _check(report)
    openings = Openings()
    tested = {row.family for row in report.rows}
    families = [_family(report, family, openings) for family in report.families if family.name in tested]
    return fill_template(
        "page.html.j2",
        ("shared.js", "page.js", "quiz.js", "list.js"),
        title=report.title,
        data=Markup(embedded_json(page_data(report, openings.all))),
        lead=_lead(report),
        families=families,
        threshold=percent(report.threshold),
        statuses=status_table(report),
        runs=run_table(report.calls),
        figures=_shown([drawing(figure) for figure in report.figures], "run"),
        notes=report.notes,
        filters=_filters(report),
        asked=amount(len(report.rows)),
    )


def _check(report: Report) -> None:
    if not report.rows:
        raise BadInput(f"report '{report.title}': there are no results to show; run or grade first")
    known = {family.name for family in report.families}
    for row in report.rows:
        if row.family not in known:
            raise BadInput(f"report: results of unknown family '{row.family}'.{did_you_mean(row.family, known)}")


def _models(rows: Sequence[Row], family: str | None = None) -> list[str]:
    return list(dict.fromkeys(row.model for row in rows if family in (None, row.family)))


def _lead(report: Report) -> str:
    """What was tested, in one line."""
    models = _models(report.rows)
    items = {(row.bench, row.item) for row in report.rows}
    parts = [count(len(models), "model"), count(len(items), "quiz", "quizzes"), count(len(report.rows), "question")]
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
    cards = [
        card(finding, family)
        for model in _models(report.rows, family.name)
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
        "cards": cards,
        "summary": summary_table(report, family),
        "figures": _shown(figures, family.name),
    }


def _shown(figures: Sequence[dict[str, Any]], prefix: str) -> list[dict[str, Any]]:
    """Those that have anything in them: a chart whose axes no row has is not an empty frame on the page."""
    kept = [figure for figure in figures if figure["table"].get("rows") or figure["table"].get("lines")]
    return [figure | {"id": f"{prefix}-{figure['id']}"} for figure in kept]


def _filters(report: Report) -> list[dict[str, Any]]:
    rows = report.rows
    prompts = list(dict.fromkeys(str(row.cell["prompt"]) for row in rows if "prompt" in row.cell))
    met = {row.verdict.status for row in rows}
    statuses = [status for status in OTHER_STATUSES if status in met]
    every = [
        {"id": "model", "label": "Model", "options": _models(rows)},
        {"id": "family", "label": "Family", "options": list(dict.fromkeys(row.family for row in rows))},
        {"id": "prompt", "label": "Prompt", "options": prompts},
        {"id": "probe", "label": "Probe", "options": list(dict.fromkeys(row.probe for row in rows))},
        {"id": "status", "label": "Outcome", "options": ["right", "wrong", "partly right", *statuses]},
    ]
    return [each for each in every if len(each["options"]) > 1 or each["id"] != "family"]
