"""The page's light colours, for standalone drawings: image converters do not know CSS variables."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

__all__ = ["FONT", "light_colours", "light_style", "resolved"]

FONT = "'Liberation Sans', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
_COLOURS = 6
_DECLARED = re.compile(r"--([a-z]+\d?): light-dark\((#[0-9a-f]{6}), #[0-9a-f]{6}\)")
_PALE = 0.62
"""The opacity of a published figure's colour on paper."""


@cache
def light_colours() -> dict[str, str]:
    """By name, from the page's own stylesheet. Paper is white: images go into other documents."""
    css = (files("longreach.reporting") / "templates" / "page.css").read_text(encoding="utf-8")
    found = dict(_DECLARED.findall(css)) | {"paper": "#ffffff"}
    return found | {f"m{n}": _mixed(found[f"c{n}"], found["paper"]) for n in range(_COLOURS)}


def resolved(svg: str) -> str:
    """A drawing of the page with its colour variables resolved."""
    for name, colour in light_colours().items():
        svg = svg.replace(f"var(--{name})", colour)
    return svg


@cache
def light_style() -> str:
    """The page's rules for drawings, with plain colours."""
    ink = light_colours()
    rules = [
        f"text{{font-family:{FONT};font-size:12px;fill:{ink['soft']}}}",
        f"text.head{{font-size:19px;fill:{ink['ink']}}}text.model,text.panel{{font-size:13px;fill:{ink['ink']}}}",
        "text.small{font-size:11px}text.value{font-size:12px}",
        f".grid{{stroke:{ink['line']};stroke-width:1}}.axis,.rule{{stroke:{ink['soft']};stroke-width:1}}",
        ".line{fill:none;stroke-width:2;stroke-linejoin:round}",
        ".band{opacity:.13}.area{opacity:.08}.marker{stroke-width:1.5}",
        ".whisker,.nothing{fill:none;stroke-width:1.75}",
    ]
    for name in (f"{kind}{n}" for kind in "cm" for n in range(_COLOURS)):
        filled = ",".join(f".{shape}.{name}" for shape in ("band", "area", "marker", "bar"))
        lined = ",".join(f".{shape}.{name}" for shape in ("marker", "whisker", "nothing"))
        rules.append(f"{filled}{{fill:{ink[name]}}}{lined}{{stroke:{ink[name]}}}")
        rules.append(f".bar.outlined.{name}{{fill:none;stroke:{ink[name]};stroke-width:1.25;stroke-dasharray:3 2}}")
    rules += [
        f".marker.hollow{{fill:{ink['paper']}}}",
        f".whisker.over{{stroke:{ink['ink']};opacity:.7;stroke-width:1.25}}",
        f"text.halo{{paint-order:stroke;stroke:{ink['paper']};stroke-width:4px;stroke-linejoin:round}}",
        f"text.spoke{{font-size:13px;fill:{ink['ink']}}}",
        f".unscored{{fill:{ink['faint']};stroke:{ink['soft']};stroke-dasharray:3 2}}",
        f".notch{{fill:{ink['paper']}}}",
    ]
    return "".join(rules)


def _mixed(colour: str, paper: str) -> str:
    parts = [(int(colour[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(_PALE * one + (1 - _PALE) * other):02x}" for one, other in parts)
