"""Map colours: even in lightness, readable ink, and the two signs told apart."""

from __future__ import annotations

from itertools import pairwise

from longreach.reporting.drawing.canvas import Paint, difference_paint, score_paint


def _luminance(colour: str) -> float:
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _contrast(paint: Paint) -> float:
    low, high = sorted((_luminance(paint.ground), _luminance(paint.ink)))
    return (high + 0.05) / (low + 0.05)


def test_lightness_rises_with_the_score() -> None:
    steps = [_luminance(score_paint(step / 50).ground) for step in range(51)]
    assert all(low < high for low, high in pairwise(steps))


def test_ink_is_readable_on_every_ground() -> None:
    paints = [score_paint(step / 100) for step in range(101)]
    paints += [difference_paint(step / 100, 1.0) for step in range(-100, 101)]
    assert min(_contrast(paint) for paint in paints) >= 4.5


def test_better_is_blue_and_worse_is_red() -> None:
    better, worse = difference_paint(0.5, 0.5).ground, difference_paint(-0.5, 0.5).ground
    assert int(better[5:], 16) > int(better[1:3], 16) + 60
    assert int(worse[1:3], 16) > int(worse[5:], 16) + 60
    assert difference_paint(2.0, 0.5) == difference_paint(0.5, 0.5)
