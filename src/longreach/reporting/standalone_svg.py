"""A chart of the page as one standalone SVG file: title, note, legend and all its panels or maps."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from html import escape
from typing import Any, NamedTuple

from .chart_axes import WIDTH as PANEL_WIDTH
from .palette import light_colours, light_style, resolved

__all__ = ["poster"]

_WIDTH = 1120.0
"""Panels and maps are laid out in rows no wider than this."""
_MARGIN = 28.0
_GAP = 28.0
_CELL, _ROW = 46.0, 30.0
_LETTER = 6.4
_OUTER = re.compile(r'^<svg class="[^"]*" viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>(.*)</svg>$', re.DOTALL)
_INVALID = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class _Block(NamedTuple):
    """A part of the drawing with its size."""

    width: float
    height: float
    svg: str


def poster(figure: dict[str, Any]) -> str | None:
    """A chart, as the page's template gets it, as a whole SVG file; None for tables."""
    if figure["kind"] == "table":
        return None
    heatmap = figure["kind"] == "heatmap"
    body = _maps(figure) if heatmap else _panels(figure)
    width = max(body.width, 420.0)
    blocks = [_lines([figure["title"]], "head", 24.0)]
    if note := figure.get("note"):
        blocks.append(_lines(textwrap.wrap(note, int(width / _LETTER)), "", 17.0))
    blocks += [_scale(figure["legend"]) if heatmap else _keys(figure, width), body]
    drawn = _column(blocks)
    wide, tall = width + 2 * _MARGIN, drawn.height + 2 * _MARGIN
    text = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide:.0f} {tall:.0f}" width="{wide:.0f}" '
        f'height="{tall:.0f}" role="img" aria-label="{escape(figure["title"])}"><style>{light_style()}</style>'
        f'<defs><pattern id="untested" width="5" height="5" patternUnits="userSpaceOnUse" '
        f'patternTransform="rotate(45)"><rect width="5" height="5" fill="{light_colours()["faint"]}"/>'
        f'<path d="M0 0V5" stroke="{light_colours()["soft"]}" stroke-width="1" opacity=".55"/></pattern></defs>'
        f'<rect width="{wide:.0f}" height="{tall:.0f}" fill="{light_colours()["paper"]}"/>'
        f"{_moved(drawn.svg, _MARGIN, _MARGIN)}</svg>\n"
    )
    # Text from a model or a file may contain characters that XML does not allow.
    return _INVALID.sub("\N{REPLACEMENT CHARACTER}", resolved(text))


def _panels(figure: dict[str, Any]) -> _Block:
    blocks = []
    for panel in figure["panels"]:
        outer = _OUTER.match(panel["svg"])
        if outer is None:
            raise ValueError(f"the drawing of '{figure['title']}' is not one of ours")
        width, height = float(outer[1]), float(outer[2])
        parts = [_Block(width, height, outer[3])]
        if panel["caption"]:
            parts.insert(0, _lines([panel["caption"]], "panel", 20.0))
        if panel["note"]:
            parts.append(_lines(textwrap.wrap(panel["note"], int(PANEL_WIDTH / _LETTER)), "small", 15.0))
        blocks.append(_column(parts, gap=4.0))
    return _flow(blocks)


def _maps(figure: dict[str, Any]) -> _Block:
    groups = []
    for group in figure["groups"]:
        maps = _flow([_map(each) for each in group["maps"]])
        named = [_lines([group["model"]], "model", 20.0)] if len(figure["groups"]) > 1 else []
        groups.append(_column([*named, maps], gap=8.0))
    return _column(groups, gap=_GAP)


def _map(each: dict[str, Any]) -> _Block:
    parts = [f'<text class="panel" x="0" y="12">{escape(each["caption"])}</text>'] if each["caption"] else []
    top = 44.0 if each["caption"] else 24.0
    labels = max(62.0, _LETTER * each["letters"] + 14)
    label = f'<text class="small" x="{labels - 8}" y="{top - 8}" text-anchor="end">{escape(each["y_title"])}</text>'
    parts.append(label)
    for column, head in enumerate(each["head"]):
        x = labels + _CELL * (column + 0.5)
        parts.append(f'<text class="small" x="{x}" y="{top - 8}" text-anchor="middle">{escape(head)}</text>')
    for row, line in enumerate(each["body"]):
        y = top + _ROW * row
        parts.append(f'<text x="{labels - 8}" y="{y + 19}" text-anchor="end">{escape(line["label"])}</text>')
        parts += [_cell(cell, labels + _CELL * column, y) for column, cell in enumerate(line["cells"])]
    wide, tall = labels + _CELL * len(each["head"]), top + _ROW * len(each["body"])
    middle = (labels + wide) / 2
    parts.append(
        f'<text class="small" x="{middle}" y="{tall + 14}" text-anchor="middle">{escape(each["x_title"])}</text>'
    )
    return _Block(wide, tall + 20, "".join(parts))


def _cell(cell: dict[str, Any], x: float, y: float) -> str:
    box = f'x="{x + 1}" y="{y + 1}" width="{_CELL - 2}" height="{_ROW - 2}" rx="3"'
    if cell["kind"] == "untested":
        return f'<rect {box} fill="url(#untested)"><title>not tested</title></rect>'
    look = 'class="unscored"' if cell["kind"] == "unscored" else f'fill="{cell["paint"].ground}"'
    ink = "" if cell["kind"] == "unscored" else f' style="fill:{cell["paint"].ink}"'
    notch = f'<path class="notch" d="M{x + _CELL - 9} {y + 1}h8v8Z"/>' if cell["kind"] == "partial" else ""
    words = (
        f'<text class="value" x="{x + _CELL / 2}" y="{y + 19}" text-anchor="middle"{ink}>{escape(cell["text"])}</text>'
    )
    return f"<g><title>{escape(cell['words'])}</title><rect {box} {look}/>{notch}{words}</g>"


def _scale(legend: dict[str, Any]) -> _Block:
    x = _LETTER * len(legend["low"]) + 8
    parts = [f'<text x="0" y="12">{escape(legend["low"])}</text>']
    for step, colour in enumerate(legend["scale"]):
        parts.append(f'<rect x="{x + 7 * step:.1f}" y="2" width="7.5" height="12" fill="{colour}"/>')
    x += 7 * len(legend["scale"]) + 8
    parts.append(f'<text x="{x:.1f}" y="12">{escape(legend["high"])}</text>')
    x += _LETTER * len(legend["high"]) + 24
    samples = (
        (
            "some answers not scored",
            '<rect width="22" height="14" fill="#5b9aa0"/><path class="notch" d="M14 0h8v8Z"/>',
        ),
        ("none scored", '<rect class="unscored" width="22" height="14"/>'),
        ("not tested", '<rect width="22" height="14" fill="url(#untested)"/>'),
    )
    for words, swatch in samples:
        parts.append(f'{_moved(swatch, x, 1)}<text x="{x + 28:.1f}" y="12">{words}</text>')
        x += 28 + _LETTER * len(words) + 18
    return _Block(x, 18, "".join(parts))


def _keys(figure: dict[str, Any], width: float) -> _Block:
    """The legend, on as many lines as needed."""
    parts, x, y = [], 0.0, 0.0
    for key in figure["keys"]:
        outer = _OUTER.match(key["svg"])
        need = 42 + _LETTER * len(key["text"]) + 20
        if x and x + need > width:
            x, y = 0.0, y + 20
        parts.append(
            _moved(outer[3] if outer else "", x, y) + f'<text x="{x + 42}" y="{y + 11}">{escape(key["text"])}</text>'
        )
        x += need
    if figure["partial"]:
        parts.append(f'<text x="{x}" y="{y + 11}">hollow: some answers not scored</text>')
    return _Block(width, y + 18 if parts else 0.0, "".join(parts))


def _lines(texts: Sequence[str], look: str, step: float) -> _Block:
    shown = "".join(
        f'<text class="{look}" x="0" y="{step * number + 0.75 * step:.1f}">{escape(text)}</text>'
        for number, text in enumerate(texts)
    )
    return _Block(_LETTER * max(map(len, texts), default=0), step * len(texts), shown)


def _flow(blocks: Sequence[_Block]) -> _Block:
    """Side by side, on as many lines as needed; blocks of one width form columns."""
    parts: list[str] = []
    x = y = line = widest = 0.0
    for block in blocks:
        if x and x + block.width > _WIDTH:
            x, y, line = 0.0, y + line + _GAP, 0.0
        parts.append(_moved(block.svg, x, y))
        widest = max(widest, x + block.width)
        x, line = x + block.width + _GAP, max(line, block.height)
    return _Block(widest, y + line, "".join(parts))


def _column(blocks: Sequence[_Block], gap: float = 14.0) -> _Block:
    parts: list[str] = []
    y = 0.0
    shown = [block for block in blocks if block.height]
    for block in shown:
        parts.append(_moved(block.svg, 0, y))
        y += block.height + gap
    return _Block(max((block.width for block in shown), default=0.0), max(0.0, y - gap), "".join(parts))


def _moved(svg: str, x: float, y: float) -> str:
    return f'<g transform="translate({x:.1f} {y:.1f})">{svg}</g>'
