"""A report as files: the page, one picture per panel, one table per chart, and a Markdown file that links to them."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from longreach.core.disk import write_whole
from longreach.core.number_format import unique_name
from longreach.errors import BadInput, did_you_mean

from .contents import Contents
from .drawing.drawn import Panel
from .drawing.panel_svg import standalone
from .markdown import Link, report_markdown
from .page import write_page
from .views import Report

__all__ = ["FORMATS", "Format", "csv_text", "flat_table", "parse_formats", "picture_bytes", "write_report"]

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
            raise BadInput(f"--format '{name}' is not known; give some of {','.join(FORMATS)}.{_close(name)}")
        found += [known] if known not in found else []
    return tuple(found)


def write_report(
    report: Report, out: Path, formats: Sequence[Format] = ("html",), contents: Contents | None = None
) -> list[Path]:
    """Write the requested formats and return the paths. The page alone is the file `out`; anything else makes `out` a
    folder of page.html, report.md and charts/. `contents` are the report's, if they are known already."""
    if tuple(formats) == ("html",):
        target = out / "page.html" if out.is_dir() else out
        _make(target.parent)
        write_page(report, target, contents)
        return [target]
    if out.is_file() or out.suffix.lower() in {f".{name}" for name in (*FORMATS, "htm")}:
        raise BadInput(f"-o {out} is one file, but {','.join(formats)} makes several; give a folder, such as report/")
    draw = _drawer(formats)
    contents = contents or Contents(report)
    written: list[Path] = []
    _make(out)
    if "html" in formats:
        write_page(report, out / "page.html", contents)
        written.append(out / "page.html")
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
    writer.writerow(map(_field, head))
    writer.writerows([_field(value) for value in row] for row in rows)
    return text.getvalue()


_FORMULA = re.compile(
    r"[\t\r\n]|[\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]*[=+\-@\uff1d\uff0b\uff0d\uff20]"
)
"""The start of what a spreadsheet could run, also behind what it does not show; in some languages full-width too."""


def _field(value: Any) -> str:
    text = str(value)
    risky = _FORMULA.match(text) and not re.fullmatch(r"-?\d+(\.\d+)?(e[-+]?\d+)?", text, re.ASCII | re.IGNORECASE)
    return f"'{text}" if risky else text


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


def picture_bytes(svg: str, kind: str) -> bytes:
    """A whole SVG file as svg, png or pdf."""
    found = next((each for each in FORMATS if each == kind), None)
    return _drawer((found,) if found else ())(svg, kind)


def _drawer(formats: Sequence[Format]) -> Callable[[str, str], bytes]:
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


def _close(name: str) -> str:
    close = did_you_mean(name, FORMATS)
    return close if close.startswith(" Did") else ""
