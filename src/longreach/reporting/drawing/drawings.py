"""The one way from a figure's data to what is shown: finished panels with their legend, and the numbers behind them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from longreach.core.figure import Bars, Dots, Drawing, Figure, Lines, Map, Maps, Radar, Table, Trace
from longreach.core.item import AxisValue
from longreach.stats.series import ordered

from .bar_chart import draw_bars
from .chart_axes import WIDTH, Ruler, Sketch, make_ruler
from .dot_chart import draw_dots
from .drawn import Chooser, Drawn, Key, Panel
from .line_chart import draw_lines
from .looks import Look, Series, draw_dot, draw_key, draw_swatch, looks_of, series_name, styled
from .map_chart import draw_map, is_wide, scale_of
from .panel_svg import framed, map_legend, trace_legend
from .radar_chart import SPOKES, draw_radar
from .table_cells import table_cells

__all__ = ["draw_figure"]

_Draw = Callable[[Drawing, Sequence[Series], Sequence[AxisValue], Ruler], Sketch]


def draw_figure(figure: Figure, colours: Mapping[str, int] | None = None, first: int = 0) -> Drawn:
    """A figure for the page and for files. `colours` are the numbers of the report's models; the cells of maps are
    numbered from `first`."""
    if isinstance(figure, Table):
        table = table_cells(figure)
        return Drawn(kind="table", id=figure.id, title=figure.title, note=figure.note, table=table)
    return _maps(figure, first) if isinstance(figure, Maps) else _traces(figure, colours or {})


def _traces(figure: Drawing, colours: Mapping[str, int]) -> Drawn:
    """Panels of one kind; published figures are set apart unless there is nothing else."""
    apart = {trace.reference for trace in figure.traces} == {True, False}
    looks, crowd = looks_of(figure, colours)
    xs = ordered([dot.x for trace in figure.traces for dot in trace.dots], figure.x)
    draw: _Draw = draw_lines if isinstance(figure, Lines) else draw_bars if isinstance(figure, Bars) else draw_dots
    sample = draw_key if isinstance(figure, Lines) else draw_swatch if isinstance(figure, Bars) else draw_dot
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
    return Drawn(
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


def _keys(looks: Mapping[tuple[str, bool], Look], crowd: int, sample: Callable[[Look], str]) -> tuple[Key, ...]:
    """The legend: published series that are too many to tell apart have one entry; a nameless series has none."""
    shown = [(series_name(Trace(name=name, dots=(), reference=muted), apart=muted), look)
             for (name, muted), look in looks.items() if name and not (muted and crowd)]  # fmt: skip
    grey = next((look for (_, muted), look in looks.items() if muted), None) if crowd else None
    if grey is not None:
        name = f"{crowd} series, named when pointed at and in the table"
        shown.append((series_name(Trace(name=name, dots=(), reference=True), apart=True), grey))
    return tuple(Key(svg=sample(look), text=text) for text, look in shown)


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


def _maps(figure: Maps, first: int) -> Drawn:
    """One panel per map, chosen by model and by the axes that vary."""
    scale, ends = scale_of(figure)
    models = dict.fromkeys(shown.model for shown in figure.maps)
    titles = list(dict.fromkeys(title for shown in figure.maps for title, _ in shown.by))
    choosers = [Chooser(title="Model", values=tuple(models))] if len(models) > 1 else []
    for title in titles:
        values = dict.fromkeys(dict(shown.by).get(title, "") for shown in figure.maps)
        choosers.append(Chooser(title=title, values=tuple(values)))
    wide = any(map(is_wide, figure.maps))
    panels: list[Panel] = []
    cells: list[tuple[str, tuple[int, ...]]] = []
    for shown in figure.maps:
        own = [shown.model] if len(models) > 1 else []
        own += [dict(shown.by).get(title, "") for title in titles]
        sketch = draw_map(figure, shown, first + len(cells))
        cells += [(cell.title, cell.rows) for cell in shown.cells]
        caption = _map_caption(shown, several=len(models) > 1)
        legend = map_legend(ends, sketch.width, difference=bool(figure.limit))
        label = (
            f"{caption or figure.title}{'' if len(models) > 1 else ', ' + shown.model}: {figure.y.title} in rows, "
            f"{figure.x.title} in columns, percent in cells; press a cell to read its answers"
        )
        svg = framed(
            sketch,
            kind="map",
            title=figure.title,
            caption=caption or shown.model,
            legend=legend,
            label=label,
            role="table",
        )
        name = caption if len(figure.maps) > 1 else ""
        panels.append(Panel(name=name, caption=caption, svg=svg, by=tuple(own)))
    data = {"head": list(figure.data.head), "rows": [list(row) for row in figure.data.rows]}
    return Drawn(
        kind="maps",
        id=figure.id,
        title=figure.title,
        note=figure.note,
        panels=tuple(panels),
        choosers=tuple(choosers),
        scale=scale,
        ends=ends,
        cells=tuple(cells),
        wide=wide,
        table=data,
    )


def _map_caption(shown: Map, *, several: bool) -> str:
    words = ", ".join(label for _, label in shown.by if label)
    return " · ".join(part for part in (shown.model if several else "", words) if part)
