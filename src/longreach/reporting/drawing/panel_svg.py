"""One panel as SVG: the page shows its middle; as a file it also has its title, caption and legend."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Sequence
from html import escape
from typing import Any

from .chart_axes import WIDTH, Sketch
from .drawn import Key
from .map_chart import WIDE
from .palette import definitions, light_colours, light_style, resolved

__all__ = ["drawing_style", "framed", "map_legend", "standalone", "trace_legend"]

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


def trace_legend(keys: Sequence[Key], width: float, *, partial: bool) -> Sketch:
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
