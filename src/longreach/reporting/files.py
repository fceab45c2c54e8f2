"""A report's files (page, charts, tables, Markdown), how it shows itself in a notebook, and published figures alone."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from pydantic import BeforeValidator, Field, PrivateAttr

from longreach.core.figure import Figure
from longreach.core.files import write_whole
from longreach.core.formatting import unique_name
from longreach.core.settings import setting
from longreach.errors import BadInput, did_you_mean
from longreach.families import FAMILIES, get_family
from longreach.families.parts import Reportable, part_of
from longreach.families.showing import family_view
from longreach.results.filters import ResultFilters
from longreach.stats.headline import THRESHOLD

from .answers import csv_field
from .drawing.drawings import DrawnFigure, Panel, draw_figure, standalone
from .html import fill_template
from .markdown import Link, figure_text, report_markdown
from .numbers import ReportNumbers, report_numbers
from .page import Contents, write_page
from .views import Report

Format = Literal["html", "png", "svg", "pdf", "csv", "md"]
FORMATS: tuple[Format, ...] = get_args(Format)
_PICTURES = ("svg", "png", "pdf")
_SCALE = 4.0
"""PNG pixels per CSS pixel: a paper's column at 384 dots per inch."""


def parse_formats(text: str) -> tuple[Format, ...]:
    """Parse 'html,png' to a list without duplicates."""
    names = [part.strip().lower() for part in text.split(",")]
    found: list[Format] = []
    for name in names:
        known = next((each for each in FORMATS if each == name), None)
        if known is None:
            close = did_you_mean(name, FORMATS)
            close = close if close.startswith(" Did") else ""
            raise BadInput(f"--format '{name}' is not known; give some of {','.join(FORMATS)}.{close}")
        found += [known] if known not in found else []
    return tuple(found)


def _formats(given: Any) -> tuple[Format, ...]:
    return parse_formats(given if isinstance(given, str) else ",".join(given))


class ReportSettings(ResultFilters):
    """What a report is about, and the files that it is written to."""

    formats: Annotated[tuple[Format, ...], BeforeValidator(_formats)] = setting(
        ("html",), "Formats to write.  [default: html]", flag="--format", form="[html|png|svg|pdf|csv|md],..."
    )
    published: bool = setting(False, "Show the papers' figures beside the results.")
    correct: bool = setting(False, "Add scores corrected for the judge's errors; run longreach judge-audit first.")
    threshold: float = setting(THRESHOLD, "Accuracy above chance that effective length asks for.", gt=0, le=1)
    difference_scale: float | None = Field(default=None, gt=0, le=1)
    """The difference that has the full colour in maps of differences; 0.3 in the needles paper."""
    title: str = ""
    opening: tuple[str, ...] = ()
    """Lines that the page begins with."""
    wrong_first: str = ""
    """The model whose wrong answers the list of answers begins with."""


def write_report(
    report: Report, out: Path, formats: Sequence[Format] = ("html",), contents: Contents | None = None
) -> list[Path]:
    """Write the requested formats and return the paths. The page alone is the file `out`; anything else makes `out` a
    folder of page.html, report.md and charts/. `contents` are the report's, if they are known already."""
    if tuple(formats) == ("html",):
        target = out / "page.html" if out.is_dir() else out
        _make(target.parent)
        return write_page(report, target, contents)
    if out.is_file() or out.suffix.lower() in {f".{name}" for name in (*FORMATS, "htm")}:
        raise BadInput(f"-o {out} is one file, but {','.join(formats)} makes several; give a folder, such as report/")
    draw = _drawer(formats)
    contents = contents or Contents(report)
    written: list[Path] = []
    _make(out)
    if "html" in formats:
        written += write_page(report, out / "page.html", contents)
    links: dict[str, list[Link]] = {}
    for figure, caption, name, kind, content in _files(contents, formats, draw):
        _make(out / "charts")
        path = out / "charts" / f"{name}.{kind}"
        write_whole(path, content)
        links.setdefault(figure, []).append(Link(caption=caption, kind=kind, path=f"charts/{name}.{kind}"))
        written.append(path)
    if "md" in formats:
        write_whole(out / "report.md", report_markdown(contents, links))
        written.append(out / "report.md")
    return written


def flat_table(table: dict[str, Any]) -> tuple[list[str], list[list[Any]]]:
    """A table as plain columns: a cell with an interval becomes three."""
    if "rows" in table:
        return list(table["head"]), [list(row) for row in table["rows"]]
    intervals = set(table["intervals"])
    head: list[str] = []
    for place, name in enumerate(table["head"]):
        head += [name, f"{name} low", f"{name} high"] if place in intervals else [name]
    rows = []
    for line in table["lines"]:
        row: list[Any] = []
        for place, cell in enumerate(line):
            row.append(cell["raw"])
            row += [cell.get("low", ""), cell.get("high", "")] if place in intervals else []
        rows.append(row)
    return head, rows


def csv_text(table: dict[str, Any]) -> str:
    """A table as CSV, the same as the page's download. What a spreadsheet would run as a formula is quoted."""
    head, rows = flat_table(table)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(map(csv_field, head))
    writer.writerows([csv_field(value) for value in row] for row in rows)
    return text.getvalue()


def _files(
    contents: Contents, formats: Sequence[Format], draw: Callable[[str, str], bytes]
) -> Iterator[tuple[str, str, str, str, bytes]]:
    """Figure id, panel caption, file name, kind and content of every file: one picture per panel, one table per
    figure."""
    used: set[str] = set()
    for figure in contents.every_figure():
        base = _unique(figure.id, used)
        if "csv" in formats:
            yield figure.id, "", base, "csv", ("\ufeff" + csv_text(figure.table)).encode()
        pictures: list[tuple[Panel, str]] = [(panel, "") for panel in figure.panels]
        pictures += [(panel, "-radar") for panel in figure.radars]
        for panel, ending in pictures if set(_PICTURES) & set(formats) else ():
            name = _unique(f"{base}-{panel.name}{ending}", used) if panel.name or ending else base
            svg = standalone(panel.svg)
            for kind in _PICTURES:
                if kind in formats:
                    yield figure.id, panel.caption, name, kind, draw(svg, kind)


def _unique(words: str, used: set[str]) -> str:
    """A readable file name that no other file has."""
    name = unique_name(re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")[:120] or "chart", used, "-")
    used.add(name)
    return name


def _drawer(formats: Sequence[str]) -> Callable[[str, str], bytes]:
    """The converter from drawings to images; looked up before anything is written."""
    if not {"png", "pdf"} & set(formats):
        return lambda svg, _: svg.encode()
    try:
        import vl_convert
    except ImportError:
        raise BadInput("png and pdf need the package vl-convert-python; run: pip install vl-convert-python") from None

    def draw(svg: str, kind: str) -> bytes:
        if kind == "png":
            return bytes(vl_convert.svg_to_png(svg, scale=_SCALE))
        return bytes(vl_convert.svg_to_pdf(_in_points(svg))) if kind == "pdf" else svg.encode()

    return draw


def _in_points(svg: str) -> str:
    """The same drawing for a converter that takes CSS pixels for points, three of which make four pixels."""
    return re.sub(
        r'(width|height)="([\d.]+)in"', lambda size: f'{size[1]}="{0.75 * float(size[2]):.4f}in"', svg, count=2
    )


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise BadInput(f"report: cannot make the folder '{folder}' ({error.strerror}); give another -o") from None


class Chart:
    """One chart of a report: drawn, as numbers, and as a file."""

    def __init__(self, drawn: DrawnFigure) -> None:
        self.name, self.title, self.note = drawn.id, drawn.title, drawn.note
        self._drawn = drawn

    @property
    def svgs(self) -> dict[str, str]:
        """Its panels as whole SVG files, by caption."""
        return {panel.caption or self.title: standalone(panel.svg) for panel in self._drawn.panels}

    @property
    def rows(self) -> list[dict[str, Any]]:
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
        write_whole(path, _drawer((kind,))(panels[panel] if panel else next(iter(panels.values())), kind))
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
        return self.contents.sentences()

    @property
    def numbers(self) -> ReportNumbers:
        """What the page shows, as data: that of `longreach report --json`."""
        return report_numbers(self, self.contents)

    @property
    def charts(self) -> dict[str, str]:
        return {figure.id: figure.title for figure in self.contents.every_figure()}

    def chart(self, name: str) -> Chart:
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
                        f"<td>{escape(cell.text)} <small>{escape(cell.small)}</small></td>" for cell in line.numbers
                    )
                    + "</tr>"
                    for line in family.ranking.lines
                )
                parts.append(f"<table><tr><th>{escape(family.title)}</th>{heads}</tr>{lines}</table>")
            parts += [f"<p>{escape(each.sentence)}</p>" for each in family.verdicts]
            parts += [_html(figure) for figure in family.first if figure.kind == "panels"]
        return "".join(parts)


def figures_html(figures: Iterable[Figure]) -> str:
    return "".join(_html(draw_figure(figure)) for figure in figures)


def _html(drawn: DrawnFigure) -> str:
    if drawn.panels:
        body = "".join(standalone(panel.svg) for panel in drawn.panels)
    else:
        head, rows = flat_table(drawn.table)
        lines = ["".join(f"<td>{escape(str(value))}</td>" for value in row) for row in rows]
        body = f"<table><tr>{''.join(f'<th>{escape(name)}</th>' for name in head)}</tr>"
        body += "".join(f"<tr>{line}</tr>" for line in lines) + "</table>"
    return f"<h4>{escape(drawn.title)}</h4>{body}<p>{escape(drawn.note)}</p>"


# A family's published figures, as a separate page and as text for a terminal.


def published_figures(name: str) -> list[Figure]:
    """A family's published figures, or those of one benchmark: the figure `published-NAME` of any family."""
    if name in FAMILIES:
        figures = part_of(get_family(name), Reportable).published()
        if not figures:
            raise BadInput(f"family '{name}' has no published figures; see the others with: longreach families")
        return figures
    figures = [figure for family in FAMILIES for figure in part_of(get_family(family), Reportable).published()]
    every = {figure.id.removeprefix("published-"): figure for figure in figures if figure.id.startswith("published-")}
    if name not in every:
        raise BadInput(f"no published figures of '{name}'.{did_you_mean(name, [*FAMILIES, *every])}")
    return [every[name]]


def published_text(family: str) -> str:
    return "\n".join(figure_text(figure) for figure in published_figures(family))


def published_json(family: str) -> dict[str, Any]:
    return {"family": family, "figures": [figure.model_dump(mode="json") for figure in published_figures(family)]}


def render_published(family: str) -> str:
    """A page of only these figures, drawn like those of a report."""
    title = family_view(family).title if family in FAMILIES else family
    figures = [
        draw_figure(figure.model_copy(update={"id": f"{family}-{figure.id}"})) for figure in published_figures(family)
    ]
    return fill_template(
        "published.html.j2",
        ("shared.js", "charts.js", "start.js"),
        title=f"{title}: published figures",
        lead="Figures from the paper behind this family of tests, drawn as a report draws results: "
        "something to compare your own with.",
        figures=figures,
    )


def write_published_page(family: str, path: Path) -> None:
    write_whole(path, render_published(family))
