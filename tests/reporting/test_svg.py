"""Curves: honest about gaps, and told apart without colour."""

from __future__ import annotations

from itertools import pairwise

import pytest
from bs4 import BeautifulSoup

from longreach.core.estimate import EffectiveLength
from longreach.reporting.svg import Dot, Trace, draw_curves, draw_key, draw_reach

TICKS = [(500.0, "500"), (1000.0, "1k"), (2000.0, "2k"), (4000.0, "4k")]


def _trace(scores: list[float | None], style: int = 0) -> Trace:
    dots = tuple(
        Dot(at=at, score=score, low=max(0, (score or 0) - 0.1), high=min(1, (score or 0) + 0.1), note=f"<{at}>")
        for (at, _), score in zip(TICKS, scores, strict=True)
    )
    return Trace(style=style, dots=dots)


def _draw(*traces: Trace, scale: str = "log") -> BeautifulSoup:
    return BeautifulSoup(draw_curves(traces, TICKS, scale=scale, title="a <b> & c", x_title="Length"), "html.parser")


def test_a_line_does_not_bridge_what_could_not_be_scored() -> None:
    assert len(_draw(_trace([0.9, 0.8, 0.7, 0.6])).select("path.line")) == 1
    broken = _draw(_trace([0.9, 0.8, None, 0.6]))
    (line,) = broken.select("path.line")
    assert str(line["d"]).count("L") == 1
    assert len(broken.select("path.nothing")) == 1


def test_log_scale_spaces_doublings_evenly() -> None:
    xs = [float(str(node["cx"])) for node in _draw(_trace([0.9, 0.8, 0.7, 0.6])).select("circle.marker")]
    steps = [round(right - left, 1) for left, right in pairwise(xs)]
    assert max(steps) - min(steps) <= 0.2


def test_names_have_whiskers_and_no_lines() -> None:
    places = Trace(style=0, dots=tuple(Dot(at=i, score=0.5, low=0.3, high=0.7, note="") for i in range(4)))
    drawn = _draw(places, scale="names")
    assert not drawn.select("path.line, path.band")
    assert len(drawn.select("path.whisker")) == 4


def test_text_is_escaped() -> None:
    drawn = _draw(_trace([0.9, 0.8, 0.7, 0.6]))
    assert drawn.svg is not None
    assert drawn.svg["aria-label"] == "a <b> & c"
    assert drawn.select("title")[0].get_text() == "<500.0>"
    assert not drawn.select("b")


def test_styles_differ_in_dash_and_marker() -> None:
    keys = [draw_key(style) for style in range(5)]
    shapes = {key.split('class="marker')[0] + key.split("/>")[1].split(" d=")[-1] for key in keys}
    dashes = {key.split("stroke-dasharray=")[1].split("/")[0] if "dasharray" in key else "" for key in keys}
    assert len(shapes) == len(dashes) == 5


def test_reach_shows_tested_ticks_and_the_untested_window() -> None:
    held = EffectiveLength(length=1000, low=500, high=2000, base=0.9, share=0.85)
    drawn = BeautifulSoup(draw_reach(held, [500, 1000, 2000], 8000), "html.parser")
    assert len(drawn.select("path.tick")) == 3
    assert len(drawn.select("path.untested")) == 1
    assert len(drawn.select("path.whisker")) == 1
    (fill,), (track,) = drawn.select("rect.fill"), drawn.select("rect.track")
    assert float(str(fill["width"])) / float(str(track["width"])) == pytest.approx(2 / 3)
