"""What every chart is drawn on: its size, its axes and its colours."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from functools import cache
from html import escape
from importlib.resources import files
from itertools import pairwise
from typing import NamedTuple

from longreach.core.figure import Axis, Unit
from longreach.core.formatting import number_text
from longreach.core.types import AxisValue, Frozen

WIDTH, HEIGHT = 440.0, 270.0
LEFT, RIGHT, TOP, BOTTOM = 46.0, 14.0, 12.0, 46.0
_LETTER = 7.2
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Sketch(NamedTuple):
    width: float
    height: float
    svg: str


class Ruler(Frozen):
    """A value axis: its ends and the labels of its grid lines."""

    low: float
    high: float
    ticks: tuple[tuple[float, str], ...]

    def share(self, value: float) -> float:
        """Where a value lies between the ends, from 0 to 1; values beyond them are clamped."""
        return (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)

    def at(self, value: float) -> float:
        return TOP + (HEIGHT - TOP - BOTTOM) * (1 - self.share(value))


SHARES = Ruler(low=0, high=1, ticks=((0, "0"), (0.25, "25"), (0.5, "50"), (0.75, "75"), (1, "100 %")))


def make_ruler(values: Iterable[float], unit: Unit, *, whole: bool = True) -> Ruler:
    """A value axis that covers all values and zero, with round marks. Shares go to 100 %, unless `whole` is off and all
    of them are small."""
    known = [value for value in values if math.isfinite(value)]
    low, high = min([0.0, *known]), max([0.0, *known])
    if unit == "share" and (whole or high > 0.5) and low >= 0 and high <= 1:
        return SHARES
    if high == low:
        high = low + 1
    least = (high - low) / 4
    size = 10.0 ** math.floor(math.log10(least))
    step = next(size * step for step in _STEPS if size * step >= least * (1 - 1e-9))  # the next round one
    if unit == "count":
        step = max(1.0, step)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    marks = [round(step * number, 12) for number in range(first, last + 1)]
    texts = [f"{100 * mark:g}" if unit == "share" else number_text(mark, unit) for mark in marks]
    if unit == "share":
        texts[-1] += " %"
    return Ruler(low=marks[0], high=marks[-1], ticks=tuple(zip(marks, texts, strict=True)))


def grid(ruler: Ruler) -> str:
    """Horizontal grid lines, each with its number."""
    lines = []
    for value, text in ruler.ticks:
        y = ruler.at(value)
        kind = "axis" if value == 0 and ruler.low < 0 else "grid"
        lines.append(f'<path class="{kind}" d="M{LEFT} {y:.1f}H{WIDTH - RIGHT}"/>')
        lines.append(f'<text class="tick" x="{LEFT - 7}" y="{y + 4:.1f}" text-anchor="end">{escape(text)}</text>')
    return "".join(lines)


def x_axis(ticks: Sequence[tuple[float, str]], title: str, *, names: bool) -> str:
    """Marks and labels at the given places; labels that would overlap are left out, names that would are slanted."""
    base = HEIGHT - BOTTOM
    parts = []
    free_from = -1.0
    nearest = min((after[0] - before[0] for before, after in pairwise(ticks)), default=WIDTH)
    slanted = names and max(len(text) for _, text in ticks) * _LETTER + 4 > nearest
    for x, text in ticks:
        parts.append(f'<path class="axis" d="M{x:.1f} {base}v4"/>')
        half = _LETTER * len(text) / 2
        if slanted:
            turn = f'transform="rotate(-28 {x:.1f} {base + 14})"'
            at = f'x="{x + 5:.1f}" y="{base + 16}" text-anchor="end" {turn}'
            parts.append(f'<text class="tick" {at}>{escape(clipped(text, 14))}</text>')
        elif x - half > free_from:
            parts.append(f'<text class="tick" x="{x:.1f}" y="{base + 18}" text-anchor="middle">{escape(text)}</text>')
            free_from = x + half + 4
    if not slanted:
        middle = (LEFT + WIDTH - RIGHT) / 2
        parts.append(f'<text class="title" x="{middle}" y="{HEIGHT - 8}" text-anchor="middle">{escape(title)}</text>')
    return "".join(parts)


def clipped(text: str, most: int) -> str:
    """Text of at most so many characters, with an ellipsis where it was longer."""
    return text if len(text) <= most else text[: most - 1] + "…"


def is_named(axis: Axis, xs: Sequence[AxisValue]) -> bool:
    """Whether the places on an axis are names, not numbers."""
    return axis.scale == "names" or any(isinstance(x, str) for x in xs)


def axis_title(axis: Axis) -> str:
    return f"{axis.title} (tokens)" if axis.unit == "tokens" else axis.title


_Lch = tuple[float, float, float]  # OKLCH: lightness, chroma, hue in degrees
_NEUTRAL: _Lch = (0.96, 0.005, 90)
_BETTER: _Lch = (0.42, 0.15, 258)
_WORSE: _Lch = (0.45, 0.16, 28)


class Paint(NamedTuple):
    ground: str
    ink: str


def score_paint(score: float) -> Paint:
    """Deep blue for 0 through teal to pale yellow for 1; lightness rises in a straight line."""
    share = min(1.0, max(0.0, score))
    lightness = 0.30 + 0.63 * share
    chroma = 0.10 + 0.015 * math.sin(math.pi * share)
    return _paint((lightness, chroma, 272 - 168 * share))


def difference_paint(difference: float, limit: float) -> Paint:
    """Blue for better, red for worse, near white for no change; `limit` has the full colour."""
    share = min(1.0, abs(difference) / limit)
    end = _BETTER if difference > 0 else _WORSE
    lightness = _NEUTRAL[0] + (end[0] - _NEUTRAL[0]) * share
    return _paint((lightness, _NEUTRAL[1] + (end[1] - _NEUTRAL[1]) * share, end[2]))


def _paint(colour: _Lch) -> Paint:
    rgb = _to_rgb(colour)
    light = _luminance(rgb)
    # The better of black and white always has a contrast of at least 4.5.
    dark_ink = (light + 0.05) / 0.05 >= 1.05 / (light + 0.05)
    return Paint("#" + "".join(f"{round(255 * part):02x}" for part in rgb), "#000000" if dark_ink else "#ffffff")


def _to_rgb(colour: _Lch) -> tuple[float, float, float]:
    """OKLCH to sRGB; a colour outside the gamut loses chroma until it fits."""
    lightness, chroma, hue = colour
    angle = math.radians(hue)
    while True:
        a, b = chroma * math.cos(angle), chroma * math.sin(angle)
        long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
        medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
        short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
        linear = (
            4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
            -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
            -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
        )
        if all(-1e-4 <= part <= 1.0001 for part in linear) or chroma < 1e-3:
            inside = (min(1.0, max(0.0, part)) for part in linear)
            red, green, blue = (12.92 * p if p <= 0.0031308 else 1.055 * p ** (1 / 2.4) - 0.055 for p in inside)
            return red, green, blue
        chroma *= 0.97


def _luminance(rgb: tuple[float, float, float]) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


FONT = "'Liberation Sans', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
_DECLARED = re.compile(r"--([a-z]+\d?): light-dark\((#[0-9a-f]{6}), #[0-9a-f]{6}\)")
_MODELS = 10
_PALE = 0.62
"""The opacity of a published figure's colour on paper."""


@cache
def light_colours() -> dict[str, str]:
    """By name, from the page's own stylesheet. Paper is white: images go into other documents."""
    found = dict(_DECLARED.findall(_template("page.css"))) | {"paper": "#ffffff"}
    for n in range(_MODELS):
        colour = bytes.fromhex(found[f"c{n}"][1:])
        found[f"m{n}"] = "#" + "".join(f"{round(_PALE * part + (1 - _PALE) * 255):02x}" for part in colour)
    return found


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
