"""The report as one self-contained HTML file: no network, no external script, model output never as markup."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longreach.core.disk import write_whole
from longreach.core.family_view import FamilyView
from longreach.core.number_format import amount, percent

from .charts import OTHER_STATUSES
from .contents import Contents, models_in
from .embed import page_data
from .html import fill_template
from .views import Excerpt, Report, Request

__all__ = ["Excerpt", "FamilyView", "Report", "Request", "render_page", "write_page"]


def write_page(report: Report, path: Path, contents: Contents | None = None) -> None:
    """Write the page atomically."""
    write_whole(path, render_page(report, contents))


def render_page(report: Report, contents: Contents | None = None) -> str:
    """The page as text; the same report gives the same bytes."""
    shown = contents or Contents(report)
    index, shelves = page_data(report, shown.cells)
    return fill_template(
        "page.html.j2",
        ("shared.js", "charts.js", "page.js", "dialog.js", "list.js", "start.js"),
        title=shown.title,
        data=index,
        shelves=shelves,
        lead=shown.lead,
        families=shown.families,
        sections=shown.sections,
        threshold=percent(report.threshold),
        notes=shown.notes,
        filters=_filters(report),
        asked=amount(len(index["rows"])),
        all_asked=amount(len(report.rows)) if len(index["rows"]) < len(report.rows) else "",
    )


def _filters(report: Report) -> list[dict[str, Any]]:
    rows = report.rows
    prompts = list(dict.fromkeys(str(row.cell["prompt"]) for row in rows if "prompt" in row.cell))
    met = {row.verdict.status for row in rows}
    statuses = [status for status in OTHER_STATUSES if status in met]
    every = [
        {"id": "model", "label": "Model", "options": models_in(rows)},
        {"id": "family", "label": "Family", "options": list(dict.fromkeys(row.family for row in rows))},
        {"id": "prompt", "label": "Prompt", "options": prompts},
        {
            "id": "question_type",
            "label": "Question type",
            "options": list(dict.fromkeys(row.question_type for row in rows)),
        },
        {"id": "status", "label": "Outcome", "options": ["right", "wrong", "partly right", *statuses]},
    ]
    return [each for each in every if len(each["options"]) > 1 or each["id"] != "family"]
