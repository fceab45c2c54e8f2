"""Results that show themselves in a notebook, and charts by name."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from pathlib import Path
from typing import Any

from pydantic import PrivateAttr

from longreach.core.disk import write_whole
from longreach.core.figure import Figure
from longreach.errors import BadInput, did_you_mean

from .contents import Contents
from .drawing.drawings import draw_figure
from .drawing.drawn import Drawn
from .drawing.panel_svg import standalone
from .files import csv_text, flat_table, picture_bytes
from .numbers import ReportNumbers, report_numbers
from .views import Report

__all__ = ["Chart", "ReportResult", "figures_html"]


class Chart:
    """One chart of a report: drawn, as numbers, and as a file."""

    def __init__(self, drawn: Drawn) -> None:
        self.name, self.title, self.note = drawn.id, drawn.title, drawn.note
        self._drawn = drawn

    @property
    def svgs(self) -> dict[str, str]:
        """Its panels as whole SVG files, by caption."""
        return {panel.caption or self.title: standalone(panel.svg) for panel in self._drawn.panels}

    @property
    def rows(self) -> list[dict[str, Any]]:
        """Its numbers, one dictionary per row: `pandas.DataFrame(chart.rows)`."""
        head, rows = flat_table(self._drawn.table)
        return [dict(zip(head, row, strict=True)) for row in rows]

    def save(self, path: str | Path, panel: str = "") -> Path:
        """Write it as .svg, .png, .pdf or .csv, by the ending of `path`; `panel` names one of several panels."""
        path = Path(path)
        kind = path.suffix.lower().removeprefix(".")
        if kind == "csv":
            write_whole(path, ("\ufeff" + csv_text(self._drawn.table)).encode())
            return path
        panels = self.svgs
        if panel and panel not in panels:
            raise BadInput(f"chart '{self.name}' has no panel '{panel}'.{did_you_mean(panel, panels)}")
        if not panels or kind not in ("svg", "png", "pdf"):
            raise BadInput(
                f"chart '{self.name}' cannot be written as {path}; give .csv{', .svg, .png or .pdf' * bool(panels)}"
            )
        write_whole(path, picture_bytes(panels[panel] if panel else next(iter(panels.values())), kind))
        return path

    def _repr_html_(self) -> str:
        return _html(self._drawn)


class ReportResult(Report):
    """A report that a notebook shows, with its charts by name."""

    _contents: Contents | None = PrivateAttr(None)

    @classmethod
    def of(cls, report: Report, contents: Contents, files: Iterable[Path]) -> ReportResult:
        """A report that was written."""
        made = cls.model_construct(**dict(report) | {"files": tuple(map(str, files))})
        made._contents = contents
        return made

    @property
    def contents(self) -> Contents:
        """Ranking, verdicts and charts, computed once."""
        self._contents = self._contents or Contents(self)
        return self._contents

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict sentences of each model in each family."""
        return self.contents.sentences()

    @property
    def numbers(self) -> ReportNumbers:
        """What the page shows, as data: that of `longreach report --json`."""
        return report_numbers(self, self.contents)

    @property
    def charts(self) -> dict[str, str]:
        """Names and titles of all charts and tables."""
        return {figure.id: figure.title for figure in self.contents.every_figure()}

    def chart(self, name: str) -> Chart:
        """One of `charts`."""
        found = {figure.id: figure for figure in self.contents.every_figure()}
        if name not in found:
            raise BadInput(f"the report has no chart '{name}'.{did_you_mean(name, found)}")
        return Chart(found[name])

    def __repr__(self) -> str:
        return "\n".join([*self.verdicts.values(), *self.files])

    def _repr_html_(self) -> str:
        contents = self.contents
        parts = [f"<h3>{escape(contents.title)}</h3><p>{escape(contents.lead)}</p>"]
        for family in contents.families:
            if family.ranking:
                heads = "".join(f"<th>{escape(each.title)}</th>" for each in family.ranking.columns)
                lines = "".join(
                    f"<tr><th>{escape(line.model)} {escape(line.experiment)}</th>"
                    + "".join(
                        f"<td>{escape(cell.text)} <small>{escape(cell.small)}</small></td>" for cell in line.cells
                    )
                    + "</tr>"
                    for line in family.ranking.lines
                )
                parts.append(f"<table><tr><th>{escape(family.title)}</th>{heads}</tr>{lines}</table>")
            parts += [f"<p>{escape(each.sentence)}</p>" for each in family.verdicts]
            parts += [_html(figure) for figure in family.first if figure.kind == "panels"]
        return "".join(parts)


def figures_html(figures: Iterable[Figure]) -> str:
    """Figures for a notebook."""
    return "".join(_html(draw_figure(figure)) for figure in figures)


def _html(drawn: Drawn) -> str:
    if drawn.panels:
        body = "".join(standalone(panel.svg) for panel in drawn.panels)
    else:
        head, rows = flat_table(drawn.table)
        lines = ["".join(f"<td>{escape(str(value))}</td>" for value in row) for row in rows]
        body = f"<table><tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr>"
        body += "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"
    return f"<h4>{escape(drawn.title)}</h4>{body}<p>{escape(drawn.note)}</p>"
