"""The page's light colours, for drawings as files: image converters do not know CSS variables."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from .colour import difference_paint, score_paint

__all__ = ["FONT", "definitions", "light_colours", "light_style", "resolved"]

FONT = "'Liberation Sans', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
_DECLARED = re.compile(r"--([a-z]+\d?): light-dark\((#[0-9a-f]{6}), #[0-9a-f]{6}\)")
_MODELS = 10
_PALE = 0.62
"""The opacity of a published figure's colour on paper."""


@cache
def light_colours() -> dict[str, str]:
    """By name, from the page's own stylesheet. Paper is white: images go into other documents."""
    css = (files("longreach.reporting") / "templates" / "page.css").read_text(encoding="utf-8")
    found = dict(_DECLARED.findall(css)) | {"paper": "#ffffff"}
    return found | {f"m{n}": _mixed(found[f"c{n}"], found["paper"]) for n in range(_MODELS)}


def resolved(svg: str) -> str:
    """A drawing of the page with its colour variables resolved."""
    colours = light_colours()
    return re.sub(r"var\(--([a-z]+\d?)\)", lambda found: colours[found[1]], svg)


@cache
def light_style() -> str:
    """The page's rules for drawings, with plain colours."""
    ink = light_colours()
    rules = [
        f"text{{font-family:{FONT};font-size:12px;fill:{ink['soft']}}}",
        f"text.head{{font-size:14px;font-weight:600;fill:{ink['ink']}}}text.panel{{font-size:12px;fill:{ink['ink']}}}",
        "text.small{font-size:11px}text.value{font-size:12px}",
        f".grid{{stroke:{ink['line']};stroke-width:1}}.axis{{stroke:{ink['soft']};stroke-width:1}}",
        ".line{fill:none;stroke-width:2;stroke-linejoin:round}",
        ".band{opacity:.13}.area{opacity:.08}.marker{stroke-width:1.5}",
        ".whisker,.nothing{fill:none;stroke-width:1.75}",
    ]
    for name in (name for name in ink if re.fullmatch(r"[csm]\d", name)):
        filled = ",".join(f".{shape}.{name}" for shape in ("band", "area", "marker", "bar"))
        lined = ",".join(f".{shape}.{name}" for shape in ("marker", "whisker", "nothing"))
        rules.append(f"{filled}{{fill:{ink[name]}}}{lined}{{stroke:{ink[name]}}}")
        if name[0] == "m":
            rules.append(f".bar.outlined.{name}{{fill:none;stroke:{ink[name]};stroke-width:1.25;stroke-dasharray:3 2}}")
    rules += [
        f".marker.hollow{{fill:{ink['paper']}}}",
        f".whisker.over{{stroke:{ink['ink']};opacity:.7;stroke-width:1.25}}",
        f"text.halo{{paint-order:stroke;stroke:{ink['paper']};stroke-width:4px;stroke-linejoin:round}}",
        f"text.spoke{{font-size:13px;fill:{ink['ink']}}}",
        f".track{{fill:{ink['line']}}}.tick{{stroke:{ink['soft']};opacity:.6}}text.tick{{stroke:none;opacity:1}}",
        f".unscored{{fill:{ink['faint']};stroke:{ink['soft']};stroke-dasharray:3 2}}",
        f".notch{{fill:{ink['paper']}}}.sample{{fill:#5b9aa0}}",
        ".untested{fill:url(#untested)}.ramp{fill:url(#ramp)}.ramp-difference{fill:url(#ramp-difference)}",
    ]
    return "".join(rules)


@cache
def definitions() -> str:
    """The hatching of untested cells and the scales of maps."""
    ink = light_colours()
    ramps = {
        "ramp": [score_paint(step / 10).ground for step in range(11)],
        "ramp-difference": [difference_paint(step / 5 - 1, 1.0).ground for step in range(11)],
    }
    gradients = [
        f'<linearGradient id="{name}">'
        + "".join(f'<stop offset="{10 * step}%" stop-color="{colour}"/>' for step, colour in enumerate(colours))
        + "</linearGradient>"
        for name, colours in ramps.items()
    ]
    return (
        '<pattern id="untested" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="5" height="5" fill="{ink["faint"]}"/>'
        f'<path d="M0 0V5" stroke="{ink["soft"]}" stroke-width="1" opacity=".55"/></pattern>{"".join(gradients)}'
    )


def _mixed(colour: str, paper: str) -> str:
    parts = [(int(colour[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(_PALE * one + (1 - _PALE) * other):02x}" for one, other in parts)
