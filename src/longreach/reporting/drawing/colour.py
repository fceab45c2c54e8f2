"""Colours of the maps: even steps in lightness, readable with colour-vision deficiency and in greyscale print."""

from __future__ import annotations

import math
from typing import NamedTuple

__all__ = ["Paint", "difference_paint", "score_paint"]

_Lch = tuple[float, float, float]  # OKLCH: lightness, chroma, hue in degrees
_NEUTRAL: _Lch = (0.96, 0.005, 90)
_BETTER: _Lch = (0.42, 0.15, 258)
_WORSE: _Lch = (0.45, 0.16, 28)


class Paint(NamedTuple):
    """A background and a readable text colour on it, as #rrggbb."""

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
            red, green, blue = (_gamma(min(1.0, max(0.0, part))) for part in linear)
            return red, green, blue
        chroma *= 0.97


def _gamma(part: float) -> float:
    return 12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055


def _luminance(rgb: tuple[float, float, float]) -> float:
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
