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
    found = dict(_DECLARED.findall(_template("page.css"))) | {"paper": "#ffffff"}
    return found | {f"m{n}": _mixed(found[f"c{n}"], found["paper"]) for n in range(_MODELS)}


def resolved(svg: str) -> str:
    """A drawing of the page with its colour variables resolved."""
    colours = light_colours()
    return re.sub(r"var\(--([a-z]+\d?)\)", lambda found: colours[found[1]], svg)


@cache
def light_style() -> str:
    """The page's rules for drawings, with plain colours."""
    ink, css = light_colours(), _template("drawing.css").replace("var(--font)", FONT).replace("\n", "")
    rules = []
    for name in (name for name in ink if re.fullmatch(r"[csm]\d", name)):
        filled = ",".join(f".{shape}.{name}" for shape in ("band", "area", "marker", "bar"))
        lined = ",".join(f".{shape}.{name}" for shape in ("marker", "whisker", "nothing"))
        rules.append(f"{filled}{{fill:{ink[name]}}}{lined}{{stroke:{ink[name]}}}")
        if name[0] == "m":
            rules.append(f".bar.outlined.{name}{{fill:none;stroke:{ink[name]};stroke-width:1.25;stroke-dasharray:3 2}}")
    return resolved(css.replace("/* series */", "".join(rules)))


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


def _template(name: str) -> str:
    return (files("longreach.reporting") / "templates" / name).read_text(encoding="utf-8")


def _mixed(colour: str, paper: str) -> str:
    parts = [(int(colour[i : i + 2], 16), int(paper[i : i + 2], 16)) for i in (1, 3, 5)]
    return "#" + "".join(f"{round(_PALE * one + (1 - _PALE) * other):02x}" for one, other in parts)
