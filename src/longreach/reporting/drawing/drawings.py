"""The one way from a figure's data to what is shown: finished panels with their legend, and the numbers behind them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from html import escape
from typing import Any, Literal

from longreach.core.figure import Bars, Dots, Drawing, Figure, Lines, Map, MapCell, Maps, Radar, Table, Trace, Unit
from longreach.core.formatting import interval_text, number_text
from longreach.core.types import AxisValue, Estimate, Frozen
from longreach.stats.series import ordered

from .canvas import WIDTH, Ruler, Sketch, definitions, light_colours, light_style, make_ruler, resolved
from .plots import (
    PUBLISHED,
    SPOKES,
    WIDE,
    Look,
    Styled,
    draw_bars,
    draw_dot,
    draw_dots,
    draw_key,
    draw_lines,
    draw_map,
    draw_radar,
    draw_swatch,
    is_wide,
    looks_of,
    scale_of,
    series_name,
    styled,
)


class LegendEntry(Frozen):
    """One series of a legend."""

    svg: str
    """The sample, 34 by 14."""
    text: str


class Panel(Frozen):
    """One drawing: the page shows it, and it is a file by itself."""

    name: str = ""
    """What tells it from the figure's other panels, for file names; empty if it is the only one."""
    caption: str
    svg: str
    """Title and legend are in it, outside the part that the page shows."""
    note: str = ""
    by: tuple[str, ...] = ()
    """Its value in each of the figure's choosers."""


class Chooser(Frozen):
    """An axis by which one of many maps is chosen."""

    title: str
    values: tuple[str, ...]


class DrawnFigure(Frozen):
    """A figure, ready to be shown."""

    kind: Literal["table", "panels", "maps"]
    id: str
    title: str
    note: str = ""
    keys: tuple[LegendEntry, ...] = ()
    partial: bool = False
    """Whether some points are hollow."""
    panels: tuple[Panel, ...] = ()
    radars: tuple[Panel, ...] = ()
    """The same numbers around a circle."""
    choosers: tuple[Chooser, ...] = ()
    scale: tuple[str, ...] = ()
    """The colours of a map, from low to high."""
    ends: tuple[str, str] = ("", "")
    """The words at the ends of the scale."""
    cells: tuple[MapCell, ...] = ()
    """The cells of its maps, in the order of their numbers."""
    wide: bool = False
    table: dict[str, Any]
    """Its numbers: `head` and `rows`, or `head` and formatted `lines`."""


_LETTER = 6.2
_LINE = 17.0
_INCHES = {WIDTH: 3.5, WIDE: 7.1}
"""The columns of a paper."""
_OUTER = re.compile(
    r'^<svg class="[^"]*" viewBox="[^"]*" data-box="([-\d. ]+)" role="\w+" aria-label="([^"]*)">(.*)</svg>$', re.DOTALL
)
_PAGE_ONLY = re.compile(r' (?:role|tabindex|data-open|data-at|aria-haspopup)="[^"]*"')
_INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def framed(
    sketch: Sketch, *, kind: str, title: str, caption: str, legend: Sketch, label: str, role: str = "img"
) -> str:
    """A drawing with its own heading above the part that the page shows."""
    letters = int(sketch.width / _LETTER)
    heads = [("head", line) for line in textwrap.wrap(title, int(letters * 0.88))[:3]]
    heads += [("panel", line) for line in textwrap.wrap(caption, letters)[:3]]
    top = _LINE * len(heads) + legend.height + 8
    parts = [
        f'<text class="{look}" x="0" y="{_LINE * number + 13 - top:.1f}">{escape(text)}</text>'
        for number, (look, text) in enumerate(heads)
    ]
    parts.append(f'<g transform="translate(0 {_LINE * len(heads) + 2 - top:.1f})">{legend.svg}</g>')
    return (
        f'<svg class="{kind}" viewBox="0 0 {sketch.width:.0f} {sketch.height:.0f}" '
        f'data-box="0 {-top:.0f} {sketch.width:.0f} {sketch.height + top:.0f}" role="{role}" '
        f'aria-label="{escape(label)}"><g class="aside">{"".join(parts)}</g>{sketch.svg}</svg>'
    )


def trace_legend(keys: Sequence[LegendEntry], width: float, *, partial: bool) -> Sketch:
    """Samples of lines, dots or bars with their names, on as many lines as needed."""
    entries = [(key.svg, key.text) for key in keys]
    entries += [("", "hollow: some answers not scored")] if partial else []
    parts, x, y = [], 0.0, 0.0
    for sample, text in entries:
        text = textwrap.shorten(text, int((width - 42) / _LETTER), placeholder="…")
        need = (42 if sample else 0) + _LETTER * len(text) + 16
        if x and x + need > width:
            x, y = 0.0, y + _LINE
        at = x + (40 if sample else 0)
        parts.append(f'<g transform="translate({x:.1f} {y:.1f})">{sample}</g>' if sample else "")
        parts.append(f'<text x="{at:.1f}" y="{y + 11:.1f}">{escape(text)}</text>')
        x += need
    return Sketch(width, y + _LINE if entries else 0.0, "".join(parts))


def map_legend(ends: tuple[str, str], width: float, *, difference: bool) -> Sketch:
    """The scale of a map and its marks."""
    x = _LETTER * len(ends[0]) + 8
    ramp = "ramp-difference" if difference else "ramp"
    parts = [
        f'<text x="0" y="12">{escape(ends[0])}</text><rect x="{x:.1f}" y="2" width="90" height="12" class="{ramp}"/>'
    ]
    x += 98
    parts.append(f'<text x="{x:.1f}" y="12">{escape(ends[1])}</text>')
    samples = (
        ("some not answered", '<rect width="20" height="13" class="sample"/><path class="notch" d="M12 0h8v8Z"/>'),
        ("no result", '<rect class="unscored" width="20" height="13"/>'),
        ("not tested", '<rect width="20" height="13" class="untested"/>'),
    )
    x = 0.0
    for words, swatch in samples:
        parts.append(f'<g transform="translate({x:.1f} 19)">{swatch}</g><text x="{x + 26:.1f}" y="30">{words}</text>')
        x += 26 + _LETTER * len(words) + 16
    return Sketch(width, 2 * _LINE + 2, "".join(parts))


def standalone(svg: str) -> str:
    """A panel as a whole SVG file, as wide as a paper's column."""
    outer = _OUTER.match(svg)
    if outer is None:
        raise ValueError("not a panel of a chart")
    box, label, body = outer.groups()
    x, y, wide, tall = map(float, box.split())
    inches = _INCHES.get(wide, 3.5)
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{x:.0f} {y:.0f} {wide:.0f} {tall:.0f}" width="{inches}in" '
        f'height="{inches * tall / wide:.3f}in" role="img" aria-label="{label}"><style>{light_style()}</style>'
        f"<defs>{definitions()}</defs>"
        f'<rect x="{x:.0f}" y="{y:.0f}" width="{wide:.0f}" height="{tall:.0f}" fill="{light_colours()["paper"]}"/>'
        f"{_PAGE_ONLY.sub('', body)}</svg>\n".replace('<g class="aside">', "<g>")
    )
    # Text from a model or a file may contain characters that XML does not allow.
    return _INVALID.sub("\N{REPLACEMENT CHARACTER}", resolved(text))


def drawing_style() -> dict[str, Any]:
    """What the page's script needs to make the same file."""
    return {
        "style": light_style(),
        "defs": definitions(),
        "colours": light_colours(),
        "inches": [[wide, inches] for wide, inches in _INCHES.items()],
    }


_SHORT = 28
"""A name up to this long stays on one line of a table."""
_FOLDED = 12
"""More published rows than this beside results are folded away."""


def cell_text(value: Estimate | float | str | None, unit: Unit, *, fine: bool = False) -> str:
    """A cell of a table without its interval."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return number_text(value.value if isinstance(value, Estimate) else value, unit, fine=fine)


def fine_columns(table: Table) -> set[int]:
    """The columns of shares and of their differences, if a paper reports any to a tenth of a percent: rounding would
    change its figures."""
    shares = {place for place, column in enumerate(table.columns) if column.unit in ("share", "points")}
    cells = (row[place] for row in table.rows for place in shares)
    return shares if any(isinstance(cell, float) and 0.001 < 100 * cell % 1 < 0.999 for cell in cells) else set()


def table_cells(table: Table) -> dict[str, Any]:
    """A table with its cells formatted: what a reader sees, and the number behind it."""
    fine = fine_columns(table)
    apart = 0 < len(set(table.references)) < len(table.rows)
    marked = set(table.references) if apart else set()
    lines = []
    for number, row in enumerate(table.rows):
        cells = []
        same = _repeated(table, number) if (number in marked) == (number - 1 in marked) else 0
        for place, (value, column) in enumerate(zip(row, table.columns, strict=True)):
            cell: dict[str, Any] = {"text": cell_text(value, column.unit), "raw": value, "numeric": True}
            if isinstance(value, str):
                cell |= {"numeric": False, "short": len(value) <= _SHORT, "same": place < same}
                if number in marked and place == 0:
                    cell |= {"raw": f"{PUBLISHED}: {value}", "tag": "" if same else PUBLISHED}
            elif value is None:
                cell |= {"raw": "", "numeric": any(not isinstance(other[place], str | None) for other in table.rows)}
            elif isinstance(value, Estimate):
                ends = {"low": round(value.low, 4), "high": round(value.high, 4)}
                cell |= {"raw": round(value.value, 4), "small": interval_text(value, column.unit), **ends}
                cell["title"] = f"n = {value.n}"
            else:
                cell["text"] = cell_text(value, column.unit, fine=place in fine)
                cell["raw"] = round(value, 6)
            cells.append(cell)
        lines.append(cells)
    intervals = {i for i in range(len(table.columns)) if any(isinstance(row[i], Estimate) for row in table.rows)}
    return {
        "head": [column.title for column in table.columns],
        "lines": lines,
        "intervals": intervals,
        "marked": marked,
        "folded": len(marked) if len(marked) > _FOLDED else 0,
    }


def _repeated(table: Table, number: int) -> int:
    """How many leading names a row repeats from the row above: they are hidden."""
    pairs = zip(table.rows[number], table.rows[number - 1], strict=True) if number else ()
    changed = (place for place, (value, above) in enumerate(pairs) if not isinstance(value, str) or value != above)
    return next(changed, 0)


_Draw = Callable[[Drawing, Sequence[Styled], Sequence[AxisValue], Ruler], Sketch]


def draw_figure(figure: Figure, colours: Mapping[str, int] | None = None, first: int = 0) -> DrawnFigure:
    """A figure for the page and for files. `colours` are the numbers of the report's models; the cells of maps are
    numbered from `first`."""
    if isinstance(figure, Table):
        table = table_cells(figure)
        return DrawnFigure(kind="table", id=figure.id, title=figure.title, note=figure.note, table=table)
    return _maps(figure, first) if isinstance(figure, Maps) else _traces(figure, colours or {})


def _hand_for(figure: Drawing) -> tuple[_Draw, Callable[[Look], str]]:
    """What draws a panel of such a figure, and a sample for its legend."""
    if isinstance(figure, Lines):
        return draw_lines, draw_key
    return (draw_bars, draw_swatch) if isinstance(figure, Bars) else (draw_dots, draw_dot)


def _traces(figure: Drawing, colours: Mapping[str, int]) -> DrawnFigure:
    """Panels of one kind; published figures are set apart unless there is nothing else."""
    apart = {trace.reference for trace in figure.traces} == {True, False}
    looks, crowd = looks_of(figure, colours)
    xs = ordered([dot.x for trace in figure.traces for dot in trace.dots], figure.x)
    draw, sample = _hand_for(figure)
    keys = _keys(looks, crowd, sample)
    partial = any(dot.hollow for trace in figure.traces for dot in trace.dots)
    ruler = _ruler(figure)
    members: dict[str, list[Trace]] = {}
    for trace in figure.traces:
        members.setdefault(trace.panel, []).append(trace)

    def panels(draw: _Draw, kind: str) -> tuple[Panel, ...]:
        made = []
        for caption, own in members.items():
            sketch = draw(figure, styled(figure, own, looks, apart=apart), xs, ruler) if xs else Sketch(WIDTH, 1, "")
            used = {(trace.name, apart and trace.reference) for trace in own}
            legend = trace_legend(
                _keys({key: look for key, look in looks.items() if key in used}, crowd, sample),
                sketch.width,
                partial=partial,
            )
            label = f"{figure.title}{': ' + caption if caption else ''}; the table below has the numbers"
            svg = framed(sketch, kind=kind, title=figure.title, caption=caption, legend=legend, label=label)
            name = caption if len(members) > 1 else ""
            made.append(Panel(name=name, caption=caption, svg=svg, note=figure.panel_notes.get(caption, "")))
        return tuple(made)

    round_too = isinstance(figure, Radar) and len(xs) >= SPOKES
    return DrawnFigure(
        kind="panels",
        id=figure.id,
        title=figure.title,
        note=figure.note,
        keys=keys,
        partial=partial,
        panels=panels(draw, "curve"),
        radars=panels(draw_radar, "curve radar") if round_too else (),
        table=_data(figure, apart=apart),
    )


def _keys(looks: Mapping[tuple[str, bool], Look], crowd: int, sample: Callable[[Look], str]) -> tuple[LegendEntry, ...]:
    """The legend: published series that are too many to tell apart have one entry; a nameless series has none."""
    shown = [(series_name(Trace(name=name, dots=(), reference=muted), apart=muted), look)
             for (name, muted), look in looks.items() if name and not (muted and crowd)]  # fmt: skip
    grey = next((look for (_, muted), look in looks.items() if muted), None) if crowd else None
    if grey is not None:
        name = f"{crowd} series, named when pointed at and in the table"
        shown.append((series_name(Trace(name=name, dots=(), reference=True), apart=True), grey))
    return tuple(LegendEntry(svg=sample(look), text=text) for text, look in shown)


def _ruler(figure: Drawing) -> Ruler:
    """One value axis for all panels, so that they can be compared."""
    dots = [dot for trace in figure.traces for dot in trace.dots]
    ends = [end for dot in dots for end in (dot.y, dot.low, dot.high) if end is not None]
    if isinstance(figure, Bars) and figure.stacked:
        piles: dict[tuple[str, AxisValue, bool], float] = {}
        for trace in figure.traces:
            for dot in trace.dots:
                key = (trace.panel, dot.x, (dot.y or 0.0) < 0)
                piles[key] = piles.get(key, 0.0) + (dot.y or 0.0)
        # Shares of a whole may add up to slightly more than 1.
        ends = [min(1.0, pile) if figure.unit == "share" and pile < 1.001 else pile for pile in piles.values()]
    return make_ruler(ends, figure.unit, whole=isinstance(figure, Lines | Dots | Radar))


def _data(figure: Drawing, *, apart: bool) -> dict[str, object]:
    """Every point as a row of a long table; empty columns are left out."""
    if figure.data is not None:
        return {"head": list(figure.data.head), "rows": [list(row) for row in figure.data.rows]}
    rows: list[list[AxisValue]] = []
    for trace in figure.traces:
        for dot in trace.dots:
            numbers: list[AxisValue] = ["" if end is None else round(end, 4) for end in (dot.y, dot.low, dot.high)]
            rows.append([trace.panel, series_name(trace, apart=apart), dot.x, *numbers, dot.note])
    head = ["panel", "series", figure.x.title.lower(), "value", "low", "high", "note"]
    used = [i for i in range(len(head)) if i in (2, 3) or any(row[i] != "" for row in rows)]
    return {"head": [head[i] for i in used], "rows": [[row[i] for i in used] for row in rows]}


def _maps(figure: Maps, first: int) -> DrawnFigure:
    """One panel per map, chosen by model and by the axes that vary."""
    models = tuple(dict.fromkeys(shown.model for shown in figure.maps))
    titles = list(dict.fromkeys(title for shown in figure.maps for title, _ in shown.by))
    choosers = [Chooser(title="Model", values=models)] if len(models) > 1 else []
    for title in titles:
        values = dict.fromkeys(dict(shown.by).get(title, "") for shown in figure.maps)
        choosers.append(Chooser(title=title, values=tuple(values)))
    panels: list[Panel] = []
    cells: list[MapCell] = []
    for shown in figure.maps:
        panel = _map_panel(figure, shown, first + len(cells), several=len(models) > 1)
        own = [shown.model] if len(models) > 1 else []
        own += [dict(shown.by).get(title, "") for title in titles]
        panels.append(panel.model_copy(update={"by": tuple(own)}))
        cells += shown.cells
    scale, ends = scale_of(figure)
    return DrawnFigure(
        kind="maps",
        id=figure.id,
        title=figure.title,
        note=figure.note,
        panels=tuple(panels),
        choosers=tuple(choosers),
        scale=scale,
        ends=ends,
        cells=tuple(cells),
        wide=any(map(is_wide, figure.maps)),
        table={"head": list(figure.data.head), "rows": [list(row) for row in figure.data.rows]},
    )


def _map_panel(figure: Maps, shown: Map, first: int, *, several: bool) -> Panel:
    """One map, its cells numbered from `first`; of several models it says which."""
    sketch = draw_map(figure, shown, first)
    caption = _map_caption(shown, several=several)
    label = (
        f"{caption or figure.title}{'' if several else ', ' + shown.model}: {figure.y.title} in rows, "
        f"{figure.x.title} in columns, percent in cells; press a cell to read its answers"
    )
    svg = framed(
        sketch,
        kind="map",
        title=figure.title,
        caption=caption or shown.model,
        legend=map_legend(scale_of(figure)[1], sketch.width, difference=bool(figure.limit)),
        label=label,
        role="table",
    )
    return Panel(name=caption if len(figure.maps) > 1 else "", caption=caption, svg=svg)


def _map_caption(shown: Map, *, several: bool) -> str:
    words = ", ".join(label for _, label in shown.by if label)
    return " · ".join(part for part in (shown.model if several else "", words) if part)
